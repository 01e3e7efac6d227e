public import CitconProvider

/// What a merchant's records say of one transaction, as notifications come in: repeatedly, late, and in any order.
///
/// Store it with the order, and apply every genuine notification to it within one database transaction.
public struct CitconTransactionState: Sendable, Hashable, Codable {
    /// What a notification changed.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// It is news.
        case applied
        /// It was told before.
        case repeated
        /// Something later was told before.
        case outdated
        /// The transaction had ended in another way. It stays as it was: ask the service, and tell a person.
        case contradictory
        /// Its word for the state is not known; it is noted and changes nothing.
        case unrecognized
        /// It is about something else.
        case foreign
    }

    /// Citcon's id of the transaction.
    public let id: String
    /// What kind of transaction it is.
    public let kind: CitconNotification.Kind
    private var word: String
    private var seen: Set<String> = []

    /// Creates the state of a transaction of which nothing was told yet.
    public init(id: String, kind: CitconNotification.Kind = .charge) {
        self.id = id
        self.kind = kind
        word = CitconStatus.initiated.rawValue
    }

    /// The state. It only ever goes forward, and never leaves an ending.
    public var status: CitconStatus { CitconStatus(rawValue: word) }

    /// Takes a notification into account.
    ///
    /// - Returns: what changed by it.
    public mutating func apply(_ notification: CitconNotification) -> Change {
        guard notification.id == id, notification.kind == kind else { return .foreign }
        let new = notification.status
        guard seen.insert(new.rawValue).inserted else { return .repeated }
        guard let rank = Self.rank(new) else {
            // Disputes have no order that is published: the last word told is the state.
            guard kind == .chargeback else { return .unrecognized }
            word = new.rawValue
            return .applied
        }
        let old = Self.rank(status) ?? 0
        if rank > old {
            word = new.rawValue
            return .applied
        }
        if rank < old { return .outdated }
        return new == status ? .repeated : .contradictory
    }

    /// How far a state is on the way; nil for unknown words.
    private static func rank(_ status: CitconStatus) -> Int? {
        switch status {
        case .initiated: 0
        case .pending: 1
        case .authorized: 2
        case .succeeded, .failed, .canceled, .expired: 3
        case .unknown: nil
        }
    }
}
