/// The deletion of a stored instrument, with confirmation: its whole behaviour, as a value without effects.
public struct InstrumentDeletion: Sendable, Hashable {
    /// The progress of a deletion.
    public enum Phase: Sendable, Hashable {
        /// No deletion is requested.
        case idle
        /// The payer is asked to confirm the deletion of the instrument of this id.
        case asking(id: String)
        /// The deletion is in flight.
        case deleting(id: String)
    }

    enum Event: Sendable, Hashable {
        case requested(id: String)
        case declined
        case confirmed(id: String)
        case finished(success: Bool)
    }

    enum Effect: Sendable, Hashable {
        /// Delete the instrument at the service.
        case delete(id: String)
        /// Show the list without the instrument.
        case refresh
        /// Report that the instrument still exists.
        case report
    }

    /// The progress of the deletion.
    public private(set) var phase: Phase = .idle

    /// Creates a deletion in the idle phase.
    public init() {}

    /// Applies an event and returns the effects to carry out.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (phase, event) {
        case (.idle, .requested(let id)), (.asking, .requested(let id)):
            phase = .asking(id: id)
            return []
        case (.asking, .declined):
            phase = .idle
            return []
        // A confirmation counts only for the instrument of the question.
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
