public import PaymentCore

/// The account of spendings without a question: reserved before anything can move money, then paid or released.
///
/// It lives in the journal (`SQLiteJournal`, `InMemoryJournal`), beside the attempts that the reservations belong to: a
/// reservation is kept for as long as its attempt may be paid, and released when the attempt ended unpaid or was never
/// begun. `SpendingConformance` in `PaymentTesting` checks any store against these rules.
///
/// Several tasks and processes may share one. Every method that writes does so in one atomic step, and returns only
/// when what it wrote survives the end of the process and of the machine.
public protocol SpendingStore: Sendable {
    /// Reserves a spending, unless a limit would be exceeded with all that is reserved and paid in its period.
    ///
    /// All limits that cover the spending count. Where nothing is converted, at least one of each scope and period has
    /// to be in a currency that the spending has an amount in; of those all do. With worths, each limit needs one, also
    /// of all that was spent before and counts. Without any there is no grant; nor is there one in another time zone
    /// than that of the spendings that still count. Repeated for the same attempt, a
    /// reservation is the same one and counts once.
    ///
    /// - Parameters:
    ///   - spending: the spending, on the payer's day.
    ///   - limits: the limits.
    ///   - worths: the worth of earlier spendings in currencies of the limits that they have no amount in; nil where
    ///     nothing is converted.
    /// - Returns: the decision; a refusal has reserved nothing.
    /// - Throws: ``SpendingError``, and any error of the storage. A write that throws has stored nothing, or the
    ///   reservation: release it.
    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict

    /// Marks a reservation as paid. It counts until the end of its periods. A repetition changes nothing; a released
    /// reservation becomes paid all the same, and counts again.
    ///
    /// - Parameter attempt: the attempt that the reservation belongs to.
    /// - Throws: ``SpendingError/unknown(_:)``, and any error of the storage.
    func commit(_ attempt: AttemptID) async throws

    /// Releases a reservation, because nothing was paid and nothing will be. A repetition changes nothing, nor does an
    /// attempt without a reservation.
    ///
    /// - Parameter attempt: the attempt that the reservation belongs to.
    /// - Throws: ``SpendingError/paid(_:)`` when it was paid, which nothing undoes; ``SpendingError/open(_:)`` when the
    ///   attempt has not ended; and any error of the storage.
    func release(_ attempt: AttemptID) async throws

    /// Returns the record of an attempt's spending; nil when there is none.
    ///
    /// - Parameter attempt: the attempt that the spending belongs to.
    /// - Throws: any error of the storage.
    func spending(of attempt: AttemptID) async throws -> SpendingRecord?

    /// Returns all spendings that are reserved, oldest first.
    ///
    /// - Throws: any error of the storage.
    func reservedSpendings() async throws -> [SpendingRecord]

    /// Returns all spendings of a day and later, of any state, oldest first.
    ///
    /// - Parameter day: the first day.
    /// - Throws: any error of the storage.
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord]
}

extension SpendingStore {
    /// Reserves a spending where nothing is converted: ``reserve(_:within:counting:)``.
    ///
    /// - Throws: ``SpendingError``, and any error of the storage.
    public func reserve(_ spending: Spending, within limits: [SpendingLimit]) async throws -> SpendingVerdict {
        try await reserve(spending, within: limits, counting: nil)
    }

    /// Returns the decision about a spending now. It reserves nothing: only ``reserve(_:within:counting:)`` permits a
    /// payment.
    ///
    /// - Parameters:
    ///   - spending: the spending to examine.
    ///   - limits: the limits.
    ///   - worths: the worth of earlier spendings; nil where nothing is converted.
    /// - Throws: ``SpendingError/nothing(_:)``, and any error of the storage.
    public func preview(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths? = nil
    ) async throws -> SpendingVerdict {
        var book = SpendingLedger(try await spendings(since: spending.day.firstThatCounts))
        return try book.reserve(spending, within: limits, counting: worths)
    }
}

/// The reason for which a store of spendings refused to write.
@nonexhaustive
public enum SpendingError: Error, Sendable, Hashable {
    /// No spending of this attempt is known.
    case unknown(AttemptID)
    /// The spending has no amount, or one that is zero.
    case nothing(AttemptID)
    /// The attempt has a reservation for something else, or had one.
    case taken(AttemptID)
    /// The spending was paid.
    case paid(AttemptID)
    /// The attempt is open, and may still pay.
    case open(AttemptID)
}

extension SpendingError: CustomStringConvertible {
    /// The event and the remedy, for people.
    public var description: String {
        switch self {
        case .unknown(let id): "nothing was reserved for the attempt \(id); reserve before anything is paid"
        case .nothing(let id): "the attempt \(id) would spend nothing; ask the payer instead"
        case .taken(let id): "a spending of the attempt \(id) is known already; begin another attempt"
        case .paid(let id): "what the attempt \(id) spent was paid; it counts until its periods end"
        case .open(let id): "the attempt \(id) has not ended and may still pay; end it first"
        }
    }
}
