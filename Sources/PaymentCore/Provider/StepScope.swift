import Synchronization

/// A step ended without a result, and without effect: nothing of it is kept. See
/// ``ProviderContext/stepIfFinished(_:_:_:)``.
struct StepUnfinishedError: Error {}

/// The step that the current task is in.
package final class StepScope: Sendable {
    /// The step, or nil outside of steps.
    @TaskLocal package static var current: StepScope?

    private let kind: StepKind
    private struct State {
        /// True if a request that can change something was answered.
        var wasSent = false
        /// True if the last answer to such a request does not prove that nothing was done. Its provider says what it
        /// means, as long as it sends nothing else.
        var hasOpenAnswer = false
        /// True if no later answer says whether anything was done: an answer was lost, or followed by another request.
        var isOpen = false
    }

    private let state = Mutex(State())

    /// Creates the scope of a step.
    package init(_ kind: StepKind) { self.kind = kind }

    /// Asks about a request of this step that was refused, outside of the step: what its provider throws afterwards is
    /// the provider's word about that request. For questions only.
    package static func asking<Value>(_ question: () async throws -> Value) async rethrows -> Value {
        try await $current.withValue(nil, operation: question)
    }

    /// Returns true if a step that ended by throwing `error` had no effect, as far as its provider and the network can
    /// determine. What was answered to one request says nothing of those before.
    package func isWithoutEffect(_ error: any Error) -> Bool {
        let state = state.withLock { $0 }
        guard !state.isOpen else { return false }
        return switch error {
        case let error as PaymentError: error.phase == .answered || error.phase == .beforeSend && !state.hasOpenAnswer
        case let error as TransportError: error.phase == .notSent && !state.hasOpenAnswer
        case is StepUnfinishedError: true
        default: false
        }
    }

    /// Returns `error` as the step throws it: where the step may have moved money, no phase says otherwise.
    package func thrown(_ error: any Error) -> any Error {
        guard kind.movesMoney, !isWithoutEffect(error), let failure = error as? PaymentError else { return error }
        return failure.with(phase: .maybeSent)
    }

    /// Returns true if a step that ended by throwing `error` sent nothing that can change anything.
    package func hasSentNothing(_ error: any Error) -> Bool {
        guard isWithoutEffect(error), !state.withLock({ $0.wasSent }) else { return false }
        return switch error {
        case let error as PaymentError: error.phase == .beforeSend
        case let error as TransportError: error.phase == .notSent
        default: false
        }
    }

    var isMutation: Bool {
        if case .mutation = kind { true } else { false }
    }

    /// Notes that the answer to a request that can change something was lost. The network reports it, so that no
    /// provider can mistake it.
    func noteLostAnswer() {
        state.withLock { $0.isOpen = true }
    }

    /// Notes that a request is sent, of whatever kind: its answer does not say what the one before has done.
    func noteSending() {
        state.withLock { if $0.hasOpenAnswer { $0.isOpen = true } }
    }

    /// Notes the answer to a request that can change something.
    func note(_ answer: HTTPResponse) {
        state.withLock {
            $0.wasSent = true
            if answer.mayFollowEarlierCopy { $0.isOpen = true }
            $0.hasOpenAnswer = !answer.provesNothingWasDone
        }
    }
}
