import PaymentCore
import Synchronization

/// The durable step that the current task is in.
final class StepScope: Sendable {
    @TaskLocal static var current: StepScope?

    private let kind: StepKind
    private let answerWasLost = Mutex(false)

    init(_ kind: StepKind) { self.kind = kind }

    var isMutation: Bool {
        if case .mutation = kind { true } else { false }
    }

    /// Whether a request that can change something left in this step and its fate is not known. The network says so
    /// itself, so that no provider can mistake it.
    var hasLostAnswer: Bool { answerWasLost.withLock { $0 } }

    func noteLostAnswer() { answerWasLost.withLock { $0 = true } }
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
        do { return try await base.send(request) } catch {
            if error.phase == .maybeSent, !request.method.isSafe { StepScope.current?.noteLostAnswer() }
            throw error
        }
    }
}
