import PaymentCore
import PaymentRouting
import Synchronization

/// The requests, journal and log of a provider under observation.
final class Observation: Sendable {
    /// A request as the provider sent it.
    struct Sent: Sendable {
        let step: String?
        let kind: StepKind?
        let request: HTTPRequest

        /// True if it could move money.
        var isMutation: Bool {
            guard case .mutation? = kind else { return false }
            return !request.method.isSafe
        }
    }

    private struct State {
        var sent: [Sent] = []
        var responses: [HTTPResponse] = []
        var events: [PaymentEvent] = []
        var agreed: Money?
        var moments = 0
        var hasCompleted = false
        var refuses = true
    }

    private let state = Mutex(State())
    /// The moment at which the provider's task is cancelled, or nil.
    let cancellation: Int?

    init(cancellation: Int? = nil) { self.cancellation = cancellation }

    var sent: [Sent] { state.withLock { $0.sent } }
    var responses: [HTTPResponse] { state.withLock { $0.responses } }
    var events: [PaymentEvent] { state.withLock { $0.events } }
    var agreed: Money? { state.withLock { $0.agreed } }
    var moments: Int { state.withLock { $0.moments } }
    /// True if a return was passed to the provider.
    var hasCompleted: Bool { state.withLock { $0.hasCompleted } }

    /// True until the first process and what followed it are over.
    var refuses: Bool { state.withLock { $0.refuses } }
    /// The number of the first request that could move money; nil if there was none.
    var firstMutation: Int? { sent.firstIndex(where: \.isMutation) }

    func endRefusals() { state.withLock { $0.refuses = false } }
    func note(_ sent: Sent) { state.withLock { $0.sent.append(sent) } }
    func note(_ event: PaymentEvent) { state.withLock { $0.events.append(event) } }
    func note(_ response: HTTPResponse) { state.withLock { $0.responses.append(response) } }
    func noteReturn() { state.withLock { $0.hasCompleted = true } }
    func agree(_ amount: Money) { state.withLock { $0.agreed = amount } }

    /// A moment at which the provider could be cancelled.
    func moment() {
        let number = state.withLock { state in
            defer { state.moments += 1 }
            return state.moments
        }
        if number == cancellation { withUnsafeCurrentTask { $0?.cancel() } }
    }
}
