import PaymentCore
import Synchronization

/// The durable step that the current task is in.
final class StepScope: Sendable {
    @TaskLocal static var current: StepScope?

    private let kind: StepKind
    private struct State {
        var answerWasLost = false
        var hasOpenAnswer = false
    }

    private let state = Mutex(State())

    init(_ kind: StepKind) { self.kind = kind }

    var isMutation: Bool {
        if case .mutation = kind { true } else { false }
    }

    /// Whether a request that can change something left in this step and its fate is not known. The network says so
    /// itself, so that no provider can mistake it.
    var hasLostAnswer: Bool { state.withLock { $0.answerWasLost } }

    func noteLostAnswer() { state.withLock { $0.answerWasLost = true } }

    /// A request that can change something is sent. What the one before did may be open in spite of its answer; what
    /// that meant is the provider's to say, but another answer cannot take its place.
    func noteSending() {
        state.withLock { if $0.hasOpenAnswer { $0.answerWasLost = true } }
    }

    /// A request that can change something was answered.
    func note(_ answer: HTTPResponse) {
        let isTaken = (200..<300).contains(answer.status)
        state.withLock {
            if answer.mayFollowEarlierCopy { $0.answerWasLost = true }
            $0.hasOpenAnswer = !isTaken && !answer.provesNothingWasDone
        }
    }
}

/// The network as one provider may use it: only declared hosts, and mutations only within their durable step.
struct GuardedTransport: HTTPTransport {
    let base: any HTTPTransport
    let hosts: OutboundHosts

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let url = request.url
        guard hosts.permits(url) else {
            throw TransportError(.notSent, .hostNotDeclared(url.authority), origin: url.origin)
        }
        guard request.replay == .safe || StepScope.current?.isMutation == true else {
            throw TransportError(
                .notSent, .invalidRequest("a request that must not be repeated belongs in a mutation step"),
                origin: url.origin)
        }
        guard !request.method.isSafe, let scope = StepScope.current else { return try await base.send(request) }
        scope.noteSending()
        do {
            let response = try await base.send(request)
            scope.note(response)
            return response
        } catch {
            if error.phase == .maybeSent { scope.noteLostAnswer() }
            throw error
        }
    }
}
