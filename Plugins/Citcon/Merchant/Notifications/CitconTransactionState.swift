public import CitconProvider

/// The merchant's record of one transaction, as notifications arrive: repeatedly, late, and in any order.
///
/// Store it with the order, and apply every genuine notification to it within one database transaction.
public struct CitconTransactionState: Sendable, Hashable, Codable {
    /// The effect of a notification.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// It changed the state.
        case applied
        /// It was received before.
        case repeated
        /// A later state was received before.
        case outdated
        /// The transaction had ended differently. Its state does not change: ask the service, and alert a person.
        case contradictory
        /// Its status is unknown; it is recorded and changes nothing.
        case unrecognized
        /// It is about another transaction.
        case foreign
    }

    /// Citcon's id of the transaction.
    public let id: String
    /// The kind of transaction.
    public let kind: CitconNotification.Kind
    private var word: String
    private var seen: Set<String> = []

    /// Creates the state of a transaction without notifications.
    public init(id: String, kind: CitconNotification.Kind = .charge) {
        self.id = id
        self.kind = kind
        word = CitconStatus.initiated.rawValue
    }

    /// The status. It only advances, and a final one never changes.
    public var status: CitconStatus { CitconStatus(rawValue: word) }

    /// Applies a notification.
    ///
    /// - Returns: its effect.
    public mutating func apply(_ notification: CitconNotification) -> Change {
        guard notification.id == id, notification.kind == kind else { return .foreign }
        let new = notification.status
        guard seen.insert(new.rawValue).inserted else { return .repeated }
        // Disputes have no documented order: the latest notification determines the state.
        if kind == .chargeback {
            word = new.rawValue
            return .applied
        }
        guard let rank = Self.rank(new), let old = Self.rank(status) else { return .unrecognized }
        if rank > old {
            word = new.rawValue
            return .applied
        }
        if rank < old { return .outdated }
        return new == status ? .repeated : .contradictory
    }

    /// Returns the position of a status on the way to its end; nil for unknown statuses.
    private static func rank(_ status: CitconStatus) -> Int? {
        switch status {
        case .initiated: 0
        case .pending: 1
        case .authorized: 2
        case .succeeded, .failed, .canceled, .expired: .max
        case .unknown: nil
        }
    }
}
