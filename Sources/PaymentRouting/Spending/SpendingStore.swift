public import PaymentCore

/// The account of what was spent without a question: reserved before anything can move money, then paid or released.
///
/// It lives in the journal (`SQLiteJournal`, `InMemoryJournal`), beside the attempts that the reservations belong to: a
/// reservation is kept for as long as its attempt may be paid, and given back when the attempt ended unpaid or was
/// never begun. `SpendingConformance` in `PaymentTesting` checks any store against these rules.
///
/// Several tasks and processes may share one. Every method that writes does so as one step that nobody else's comes
/// between, and returns only when what it wrote survives the end of the process and of the machine.
public protocol SpendingStore: Sendable {
    /// Reserves a spending, unless a limit would be exceeded with all that is reserved and paid in its period.
    ///
    /// All limits whose scope it is in count. Of each scope at least one has to be in a currency that the spending has
    /// an amount in; of those all do. Without any there is no grant. Asked for again for the same attempt, a
    /// reservation is the same one and counts once.
    ///
    /// - Parameters:
    ///   - spending: what is to be spent, on the payer's day.
    ///   - limits: the limits.
    /// - Returns: whether it is reserved; a refusal has reserved nothing.
    /// - Throws: ``SpendingError``, and what the storage throws. A write that throws has stored nothing, or the
    ///   reservation: release it.
    func reserve(_ spending: Spending, within limits: [SpendingLimit]) async throws -> SpendingVerdict

    /// Makes a reservation one of money that was paid. It counts till the end of its periods. Said again, it changes
    /// nothing; of one that was released it is true all the same, and it counts again.
    ///
    /// - Parameter attempt: whose it is.
    /// - Throws: ``SpendingError/unknown(_:)``, and what the storage throws.
    func commit(_ attempt: AttemptID) async throws

    /// Gives a reservation back, because nothing was paid and nothing will be. Said again, or of an attempt that has
    /// none, it changes nothing.
    ///
    /// - Parameter attempt: whose it is.
    /// - Throws: ``SpendingError/paid(_:)`` when it was paid, which nothing takes back; and what the storage throws.
    func release(_ attempt: AttemptID) async throws

    /// Returns what is known of an attempt's spending; nil when there is none.
    ///
    /// - Parameter attempt: whose it is.
    /// - Throws: what the storage throws.
    func spending(of attempt: AttemptID) async throws -> SpendingRecord?

    /// Returns all spendings that are reserved, oldest first.
    ///
    /// - Throws: what the storage throws.
    func reservedSpendings() async throws -> [SpendingRecord]

    /// Returns all spendings of a day and later, of any state, oldest first.
    ///
    /// - Parameter day: the first day.
    /// - Throws: what the storage throws.
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord]
}

extension SpendingStore {
    /// Returns whether a spending would be granted now. It reserves nothing: only ``reserve(_:within:)`` says what may
    /// be paid.
    ///
    /// - Parameters:
    ///   - spending: what would be spent.
    ///   - limits: the limits.
    /// - Throws: ``SpendingError/nothing(_:)``, and what the storage throws.
    public func preview(_ spending: Spending, within limits: [SpendingLimit]) async throws -> SpendingVerdict {
        var book = SpendingLedger(try await spendings(since: spending.day.firstThatCounts))
        return try book.reserve(spending, within: limits)
    }
}

/// Why a store of spendings refused to write.
@nonexhaustive
public enum SpendingError: Error, Sendable, Hashable {
    /// Nothing is known of a spending of this attempt.
    case unknown(AttemptID)
    /// The spending has no amount, or one that is zero.
    case nothing(AttemptID)
    /// The attempt has a reservation for something else, or had one.
    case taken(AttemptID)
    /// The spending was paid.
    case paid(AttemptID)
}

extension SpendingError: CustomStringConvertible {
    /// What happened and what to do, for people.
    public var description: String {
        switch self {
        case .unknown(let id): "nothing was reserved for the attempt \(id); reserve before anything is paid"
        case .nothing(let id): "the attempt \(id) would spend nothing; ask the payer instead"
        case .taken(let id): "a spending of the attempt \(id) is known already; begin another attempt"
        case .paid(let id): "what the attempt \(id) spent was paid; it counts until its periods end"
        }
    }
}
