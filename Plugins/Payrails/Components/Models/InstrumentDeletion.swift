/// The deletion of a stored instrument, which asks first: its whole behaviour, as a value without effects.
public struct InstrumentDeletion: Sendable, Hashable {
    /// How far it is.
    public enum Phase: Sendable, Hashable {
        /// Nothing is to be deleted.
        case idle
        /// The payer is asked whether the instrument of this id is to be deleted.
        case asking(id: String)
        /// It is being deleted.
        case deleting(id: String)
    }

    enum Event: Sendable, Hashable {
        case requested(id: String)
        case declined
        case confirmed(id: String)
        case finished(success: Bool)
    }

    enum Effect: Sendable, Hashable {
        /// Delete it at the service.
        case delete(id: String)
        /// Show the list without it.
        case refresh
        /// Say that it is still there.
        case report
    }

    /// How far it is.
    public private(set) var phase: Phase = .idle

    /// Creates a deletion of nothing.
    public init() {}

    /// Takes an event in and says what is to be done about it.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (phase, event) {
        case (.idle, .requested(let id)), (.asking, .requested(let id)):
            phase = .asking(id: id)
            return []
        case (.asking, .declined):
            phase = .idle
            return []
        // A confirmation counts only for what was asked about.
        case (.asking(let asked), .confirmed(let id)) where asked == id:
            phase = .deleting(id: id)
            return [.delete(id: id)]
        case (.deleting, .finished(let success)):
            phase = .idle
            return [success ? .refresh : .report]
        case (.idle, .declined), (.idle, .confirmed), (.idle, .finished), (.asking, .confirmed), (.asking, .finished),
            (.deleting, .requested), (.deleting, .declined), (.deleting, .confirmed):
            return []
        }
    }
}
