import PaymentCore
import PaymentRouting

/// One probe of one store: it calls the store and collects the defects.
final class SpendingTrial: StorageTrial {
    let storage: SpendingSubject.Storage
    var store: any SpendingStore { storage.store }
    let findings = Findings()

    init(_ storage: SpendingSubject.Storage) { self.storage = storage }

    // MARK: Findings

    /// Expects a spending to be granted.
    func grants(
        _ spending: Spending, _ limits: [SpendingLimit], _ what: String, by other: (any SpendingStore)? = nil,
        counting worths: SpendingWorths? = nil
    ) async throws {
        let verdict = try await (other ?? store).reserve(spending, within: limits, counting: worths)
        expect(verdict == .granted, "\(what) is not granted: \(verdict)")
    }

    /// Expects a spending to be refused, and nothing to be reserved for it.
    func refuses(
        _ spending: Spending, _ limits: [SpendingLimit], _ what: String, by other: (any SpendingStore)? = nil,
        counting worths: SpendingWorths? = nil
    ) async throws {
        let store = other ?? store
        let verdict = try await store.reserve(spending, within: limits, counting: worths)
        expect(verdict != .granted, "\(what) is granted")
        expect(try await store.spending(of: spending.attempt) == nil, "\(what) is refused, and reserved all the same")
    }

    /// Expects a call to be refused with exactly this error.
    func fails(_ error: SpendingError, _ what: String, _ call: () async throws -> Void) async {
        await expects(error, what, call)
    }

    // MARK: Samples

    static let today = SpendingDay(number: 20_520)

    static func cents(_ cents: UInt128, _ currency: Currency = .eur) throws -> Money {
        try Money(minorUnits: cents, currency: currency)
    }

    static func daily(_ cents: UInt128) throws -> [SpendingLimit] { [SpendingLimit(try Self.cents(cents), per: .day)] }

    static func spending(
        _ id: String, _ cents: UInt128, on day: SpendingDay = today, at provider: ProviderID = "acme",
        to payee: String? = nil, by method: String? = nil
    ) throws -> Spending {
        Spending(
            attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: provider, id: "payment of " + id),
            amounts: [try Self.cents(cents)], day: day, payee: payee, method: method)
    }
}
