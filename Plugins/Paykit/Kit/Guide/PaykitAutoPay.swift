public import PaymentRouting
import Synchronization

/// The guide's spending limits over a store of past spending, which may be a router's journal.
///
/// ``canAutoPay(toPubkey:amount:)`` answers as the guide's function does, and like it reserves nothing: between its
/// answer and a payment another one may use up the limit. An application that pays without a question reserves first,
/// and pays only what is reserved:
///
/// ```swift
/// guard try await autoPay.reserve(id, toPubkey: peer, amount: amount) else { return notify() }
/// do {
///     try await pay()
///     try await autoPay.commit(id)
/// } catch { … }  // released only where it is certain that nothing was paid
/// ```
///
/// A router with the same limits (``SpendingLimits/limits()``) reserves by itself: its payments count here as well.
public final class PaykitAutoPay: Sendable {
    /// The limits.
    public let limits: SpendingLimits
    private let rules: [SpendingLimit]
    private let store: any SpendingStore
    private let timeZone: TimeZone?
    private let clock: any PaymentClock
    /// The spending known at the last query, and the zone of its days, for callers that cannot wait.
    private let seen = Mutex<(ledger: SpendingLedger, zone: TimeZone)?>(nil)

    /// Creates limits over an account.
    ///
    /// - Parameters:
    ///   - limits: the limits.
    ///   - store: the record of past spending: a journal.
    ///   - timeZone: the payer's time zone. It is stored with each spending. While a spending counts, nothing is
    ///     granted by the days of another zone. Nil for the stored zone, at first the device's.
    ///   - clock: the time.
    /// - Throws: ``PaykitError`` when the key of a peer with a limit is invalid.
    public init(
        limits: SpendingLimits, store: any SpendingStore, timeZone: TimeZone? = nil,
        clock: any PaymentClock = SystemPaymentClock()
    ) throws {
        self.limits = limits
        rules = try limits.limits()
        self.store = store
        self.timeZone = timeZone
        self.clock = clock
    }

    /// Returns whether a payment is within all limits now. `amount` is the amount in satoshi.
    ///
    /// - Throws: ``PaykitError`` when the key is invalid; errors of the account's storage.
    public func canAutoPay(toPubkey: String, amount: UInt64) async throws -> Bool {
        let zone = try await zone()
        let spending = try spending(nil, to: toPubkey, amount, in: zone)
        return Self.isGranted(spending, rules, try await look(in: zone))
    }

    /// Returns whether a payment was within all limits at the last query: for the guide's flow, which does not wait.
    /// False before any query, and for an invalid key. `amount` is the amount in satoshi.
    public func canAutoPay(_ toPubkey: String, _ amount: UInt64) -> Bool {
        guard let known = seen.withLock({ $0 }),
            let spending = try? spending("", to: toPubkey, amount, in: known.zone)
        else { return false }
        return Self.isGranted(spending, rules, known.ledger)
    }

    private static func isGranted(_ spending: Spending, _ rules: [SpendingLimit], _ known: SpendingLedger) -> Bool {
        var book = known
        return (try? book.reserve(spending, within: rules)) == .granted
    }

    /// Reserves a payment, unless a limit would be exceeded. A repeated call has the same reservation. `id` is the
    /// payment's name: the same in every attempt, and never that of another payment. `amount` is the amount in satoshi.
    /// `method` is the payment method.
    ///
    /// - Returns: true if it is reserved.
    /// - Throws: ``PaykitError`` when the key is invalid; ``SpendingError``; errors of the account's storage.
    public func reserve(_ id: String, toPubkey: String, amount: UInt64, method: String? = nil) async throws -> Bool {
        let zone = try await zone()
        let spending = try spending(id, to: toPubkey, amount, method: method, in: zone)
        let isGranted = try await store.reserve(spending, within: rules) == .granted
        try await look(in: zone)
        return isGranted
    }

    /// Records that a reserved payment was paid.
    ///
    /// - Throws: ``SpendingError``; errors of the account's storage.
    public func commit(_ id: String) async throws { try await store.commit(Self.attempt(id)) }

    /// Records that a reserved payment was not paid, and will not be.
    ///
    /// - Throws: ``SpendingError``; errors of the account's storage.
    public func release(_ id: String) async throws {
        try await store.release(Self.attempt(id))
        try await look(in: zone())
    }

    /// Returns the names of payments that are reserved, and neither paid nor released yet: the oldest first. After a
    /// crash only the paying code knows the outcome of each, which counts until ``commit(_:)`` or ``release(_:)``.
    ///
    /// - Throws: errors of the account's storage.
    public func reserved() async throws -> [String] {
        try await store.reservedSpendings().map(\.spending.attempt.rawValue).filter { $0.hasPrefix(Self.prefix) }
            .map { String($0.dropFirst(Self.prefix.count)) }
    }

    @discardableResult
    private func look(in zone: TimeZone) async throws -> SpendingLedger {
        let day = SpendingDay(clock.now, in: zone)
        let known = SpendingLedger(try await store.spendings(since: day.firstThatCounts))
        seen.withLock { $0 = (known, zone) }
        return known
    }

    private func zone() async throws -> TimeZone {
        if let timeZone { timeZone } else { try await store.timeZone(at: clock.now) }
    }

    private func spending(
        _ id: String?, to peer: String, _ amount: UInt64, method: String? = nil, in zone: TimeZone
    ) throws -> Spending {
        Spending(
            attempt: id.map(Self.attempt) ?? AttemptID(rawValue: "paykit"),
            payment: PaymentReference(provider: "paykit", id: id ?? ""), amounts: [try SpendingLimits.satoshi(amount)],
            day: SpendingDay(clock.now, in: zone), payee: try Self.key(peer).text, method: method,
            timeZone: zone.identifier)
    }

    /// The attempt of a name. It is never a router's attempt, whose status the journal decides.
    private static func attempt(_ id: String) -> AttemptID { AttemptID(rawValue: prefix + id) }

    private static let prefix = "paykit:"

    /// Returns the key of a peer, whose text is its one spelling.
    static func key(_ text: String) throws(PaykitError) -> PubkyKey {
        do { return try PaykitClient.key(text) } catch { throw PaykitError(error) }
    }
}

/// The amounts that may be paid without a question, in satoshi; the guide's own limits.
///
/// The guide does not define the period of a peer's limit. Here it is the month; others have the day and the month.
public struct SpendingLimits: Sendable, Hashable {
    /// The most in a day, to all payees together.
    public var globalDaily: UInt64
    /// The most in a month, to all payees together.
    public var globalMonthly: UInt64
    /// The most that one peer receives in a month, by the peer's key. Other peers have no individual limit.
    public var perPeer: [String: UInt64]

    /// Creates limits, by default the guide's: 100,000 satoshi a day and 1,000,000 a month.
    public init(globalDaily: UInt64 = 100_000, globalMonthly: UInt64 = 1_000_000, perPeer: [String: UInt64] = [:]) {
        self.globalDaily = globalDaily
        self.globalMonthly = globalMonthly
        self.perPeer = perPeer
    }

    /// Returns the limits in the form that routers and stores of spendings apply. A peer's key may be written in any
    /// form; of several limits for one peer all count.
    ///
    /// - Throws: ``PaykitError`` when a peer's key is invalid: a limit that applies to no user is a mistake.
    public func limits() throws -> [SpendingLimit] {
        var limits = [
            SpendingLimit(try Self.satoshi(globalDaily), per: .day),
            SpendingLimit(try Self.satoshi(globalMonthly), per: .month),
        ]
        for (peer, most) in perPeer.sorted(by: { $0.key < $1.key }) {
            limits.append(
                SpendingLimit(try Self.satoshi(most), per: .month, on: .payee(try PaykitAutoPay.key(peer).text)))
        }
        return limits
    }

    static func satoshi(_ amount: UInt64) throws -> Money {
        try Money(minorUnits: UInt128(amount), currency: .satoshi)
    }
}

extension Paykit {
    private static let limits = Mutex<PaykitAutoPay?>(nil)

    /// The limits that the guide's functions apply; nil until some are set.
    public static var autoPay: PaykitAutoPay? { limits.withLock { $0 } }

    /// Sets the limits that the guide's functions apply. With nil every payment requires a question.
    public static func use(_ autoPay: PaykitAutoPay?) { limits.withLock { $0 = autoPay } }
}

/// Returns whether a payment is within all limits now; false without limits (`Paykit.use(_:)`).
///
/// It reserves nothing; see ``PaykitAutoPay``. `amount` is the amount in satoshi.
///
/// - Throws: ``PaykitError`` when the key is invalid; errors of the account's storage.
public func canAutoPay(toPubkey: String, amount: UInt64) async throws -> Bool {
    try await Paykit.autoPay?.canAutoPay(toPubkey: toPubkey, amount: amount) ?? false
}

/// Returns whether a payment was within all limits at the last query, as the guide's flow of subscriptions asks without
/// waiting; false without limits, or before any query. `amount` is the amount in satoshi.
public func canAutoPay(_ toPubkey: String, _ amount: UInt64) -> Bool {
    Paykit.autoPay?.canAutoPay(toPubkey, amount) ?? false
}
