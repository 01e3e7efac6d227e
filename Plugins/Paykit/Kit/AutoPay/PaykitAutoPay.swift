import PaykitProvider
public import PaymentCore
public import PaymentRouting
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The guide's spending limits over an account of what was spent, which may be a router's journal.
///
/// ``canAutoPay(toPubkey:amount:)`` answers as the guide's function does, and as the guide's it reserves nothing:
/// between its answer and a payment another one may use up the limit. Whoever pays by themselves reserves first, and
/// pays only what is reserved:
///
/// ```swift
/// guard try await autoPay.reserve(id, toPubkey: peer, amount: amount) else { return notify() }
/// do {
///     try await pay()
///     try await autoPay.commit(id)
/// } catch { … }  // released only where it is certain that nothing was paid
/// ```
///
/// A router that has the same limits (``SpendingLimits/limits()``) reserves by itself: what it pays is counted here as
/// well.
public final class PaykitAutoPay: Sendable {
    /// The limits.
    public let limits: SpendingLimits
    private let rules: [SpendingLimit]
    private let store: any SpendingStore
    private let timeZone: TimeZone
    private let clock: any PaymentClock
    /// What was known when somebody looked last, for those who cannot wait.
    private let seen = Mutex<SpendingLedger?>(nil)

    /// Creates limits over an account.
    ///
    /// - Parameters:
    ///   - limits: the limits.
    ///   - store: where it is written what was spent: a journal.
    ///   - timeZone: where the payer's clocks hang.
    ///   - clock: the time.
    /// - Throws: ``PaykitError`` when the key of a peer with a limit is none.
    public init(
        limits: SpendingLimits, store: any SpendingStore, timeZone: TimeZone = .autoupdatingCurrent,
        clock: any PaymentClock = SystemPaymentClock()
    ) throws {
        self.limits = limits
        rules = try limits.limits()
        self.store = store
        self.timeZone = timeZone
        self.clock = clock
    }

    /// Returns whether a payment is within all limits now.
    ///
    /// - Parameters:
    ///   - toPubkey: who is paid.
    ///   - amount: how much, in satoshi.
    /// - Throws: ``PaykitError`` when the key is none; what the account's storage throws.
    public func canAutoPay(toPubkey: String, amount: UInt64) async throws -> Bool {
        let spending = try spending(nil, to: toPubkey, amount)
        let known = SpendingLedger(try await store.spendings(since: spending.day.firstThatCounts))
        seen.withLock { $0 = known }
        return Self.isGranted(spending, rules, known)
    }

    /// Returns whether a payment was within all limits when somebody looked last: for the guide's flow, which does not
    /// wait. False when nobody has looked yet, and for a key that is none.
    ///
    /// - Parameters:
    ///   - toPubkey: who is paid.
    ///   - amount: how much, in satoshi.
    public func canAutoPay(_ toPubkey: String, _ amount: UInt64) -> Bool {
        guard let known = seen.withLock({ $0 }), let spending = try? spending("", to: toPubkey, amount) else {
            return false
        }
        return Self.isGranted(spending, rules, known)
    }

    private static func isGranted(_ spending: Spending, _ rules: [SpendingLimit], _ known: SpendingLedger) -> Bool {
        var book = known
        return (try? book.reserve(spending, within: rules)) == .granted
    }

    /// Reserves a payment, unless a limit would be exceeded. Asked for again, it is the same reservation.
    ///
    /// - Parameters:
    ///   - id: what the payment is called: the same whenever it is tried, and never another one's.
    ///   - toPubkey: who is paid.
    ///   - amount: how much, in satoshi.
    ///   - method: how it is paid.
    /// - Returns: whether it is reserved.
    /// - Throws: ``PaykitError`` when the key is none; ``SpendingError``; what the account's storage throws.
    public func reserve(
        _ id: String, toPubkey: String, amount: UInt64, method: String? = nil
    ) async throws -> Bool {
        let spending = try spending(id, to: toPubkey, amount, method: method)
        let isGranted = try await store.reserve(spending, within: rules) == .granted
        try await look(spending.day)
        return isGranted
    }

    /// Says that a reserved payment was paid.
    ///
    /// - Parameter id: what it is called.
    /// - Throws: ``SpendingError``; what the account's storage throws.
    public func commit(_ id: String) async throws { try await store.commit(Self.attempt(id)) }

    /// Says that a reserved payment was not paid, and will not be.
    ///
    /// - Parameter id: what it is called.
    /// - Throws: ``SpendingError``; what the account's storage throws.
    public func release(_ id: String) async throws {
        try await store.release(Self.attempt(id))
        try await look(SpendingDay(clock.now, in: timeZone))
    }

    /// Returns what is reserved by its names, and neither paid nor released yet: the oldest first. After a crash nobody
    /// but who pays knows what became of it, and until they say so it counts: say it of each, by ``commit(_:)`` or
    /// ``release(_:)``.
    ///
    /// - Throws: what the account's storage throws.
    public func reserved() async throws -> [String] {
        try await store.reservedSpendings().map(\.spending.attempt.rawValue).filter { $0.hasPrefix(Self.prefix) }
            .map { String($0.dropFirst(Self.prefix.count)) }
    }

    private func look(_ day: SpendingDay) async throws {
        let known = SpendingLedger(try await store.spendings(since: day.firstThatCounts))
        seen.withLock { $0 = known }
    }

    private func spending(
        _ id: String?, to peer: String, _ amount: UInt64, method: String? = nil
    ) throws -> Spending {
        Spending(
            attempt: id.map(Self.attempt) ?? AttemptID(rawValue: "paykit"),
            payment: PaymentReference(provider: "paykit", id: id ?? ""),
            amounts: [try SpendingLimits.satoshi(amount)], day: SpendingDay(clock.now, in: timeZone),
            payee: try Self.key(peer), method: method)
    }

    /// Never a router's attempt, whatever the application calls its payments: those are settled by the journal's word.
    private static func attempt(_ id: String) -> AttemptID { AttemptID(rawValue: prefix + id) }

    private static let prefix = "paykit:"

    /// The one spelling of a key.
    static func key(_ text: String) throws(PaykitError) -> String {
        do { return try PaykitClient.key(text).text } catch { throw PaykitError(error) }
    }
}
