import PaymentCore
import Synchronization

/// A network on which something happens before one request arrives, and on which answers to questions can be old.
final class BetweenTransport: HTTPTransport {
    private struct State {
        var before: (matches: @Sendable (HTTPRequest) -> Bool, act: @Sendable () async -> Void)?
        var isStale = false
        var answers: [String: HTTPResponse] = [:]
    }

    private let base: any HTTPTransport
    private let state = Mutex(State())

    init(_ base: any HTTPTransport) { self.base = base }

    /// Acts once, before the next request that `matches` arrives.
    func once(before matches: @escaping @Sendable (HTTPRequest) -> Bool, _ act: @escaping @Sendable () async -> Void) {
        state.withLock { $0.before = (matches, act) }
    }

    /// Answers questions as before, from now on or no more.
    func answerAsBefore(_ isStale: Bool) { state.withLock { $0.isStale = isStale } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let act = state.withLock { state -> (@Sendable () async -> Void)? in
            guard let before = state.before, before.matches(request) else { return nil }
            state.before = nil
            return before.act
        }
        await act?()
        let old = state.withLock { $0.isStale && request.method == .get ? $0.answers[request.url.text] : nil }
        if let old { return old }
        let answer = try await base.send(request)
        if request.method == .get { state.withLock { $0.answers[request.url.text] = answer } }
        return answer
    }
}
