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
        var wasSent = false
        var answerWasLost = false
        var hasOpenAnswer = false
    }

    private let state = Mutex(State())

    /// Creates the scope of a step.
    package init(_ kind: StepKind) { self.kind = kind }

    /// Returns true if a step that ended by throwing `error` had no effect, as far as its provider and the network can
    /// determine.
    package func isWithoutEffect(_ error: any Error) -> Bool {
        guard !hasLostAnswer else { return false }
        return switch error {
        case let error as PaymentError: error.phase != .maybeSent
        case let error as TransportError: error.phase == .notSent
        case is StepUnfinishedError: true
        default: false
        }
    }

    /// Returns true if a step that ended by throwing `error` sent nothing that can change anything.
    package func hasSentNothing(_ error: any Error) -> Bool {
        guard !state.withLock({ $0.wasSent }) else { return false }
        return switch error {
        case let error as PaymentError: error.phase == .beforeSend
        case let error as TransportError: error.phase == .notSent
        default: false
        }
    }

    var isMutation: Bool {
        if case .mutation = kind { true } else { false }
    }

    /// True if a request that can change something left in this step and its fate is not known. The network reports it,
    /// so that no provider can mistake it.
    private var hasLostAnswer: Bool { state.withLock { $0.answerWasLost } }

    func noteLostAnswer() {
        state.withLock { ($0.wasSent, $0.answerWasLost) = (true, true) }
    }

    /// Notes that a request that can change something is sent. The effect of the one before may be open in spite of its
    /// answer; the provider interprets that answer, but another answer cannot replace it.
    func noteSending() {
        state.withLock { if $0.hasOpenAnswer { $0.answerWasLost = true } }
    }

    /// Notes the answer to a request that can change something.
    func note(_ answer: HTTPResponse) {
        let isTaken = (200..<300).contains(answer.status)
        state.withLock {
            $0.wasSent = true
            if answer.mayFollowEarlierCopy { $0.answerWasLost = true }
            $0.hasOpenAnswer = !isTaken && !answer.provesNothingWasDone
        }
    }
}
