package import PaymentCore
import Synchronization

/// A network that records every request and answers as the test defines.
package final class RecordingTransport: HTTPTransport {
    package typealias Answer = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse
    package typealias Edit = @Sendable (_ path: String, _ body: inout JSONValue) -> Void

    private struct State {
        var requests: [HTTPRequest] = []
        var edit: Edit?
        var before: (@Sendable (HTTPRequest) async -> Void)?
    }

    private let answer: Answer
    private let state = Mutex(State())

    /// Every request so far, in order.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Changes the answers that are JSON from now on.
    package func edit(_ edit: Edit?) { state.withLock { $0.edit = edit } }

    /// Runs `act` before each request arrives.
    package func before(_ act: (@Sendable (HTTPRequest) async -> Void)?) { state.withLock { $0.before = act } }

    package init(_ answer: @escaping Answer = { _ throws(TransportError) in HTTPResponse(status: 200) }) {
        self.answer = answer
    }

    /// Forwards all requests, but those that `answer` answers itself.
    package convenience init(
        over base: any HTTPTransport, answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }
    ) {
        self.init { request throws(TransportError) in
            if let response = answer(request) { return response }
            return try await base.send(request)
        }
    }

    /// Answers all requests alike.
    package convenience init(result: Result<HTTPResponse, TransportError>) {
        self.init { _ throws(TransportError) in try result.get() }
    }

    /// Refuses the connection if the closure has no answer.
    package static func refusing(
        unless answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse?
    ) -> RecordingTransport {
        RecordingTransport { request throws(TransportError) in
            guard let response = answer(request) else {
                throw TransportError(.notSent, .connectFailed("refused"), origin: request.url.origin)
            }
            return response
        }
    }

    /// Gives the answers in turn; the last one repeats.
    package convenience init(answers: [HTTPResponse]) {
        let rest = Mutex(answers)
        self.init { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    }

    /// Answers with the statuses in turn; the last one repeats, and 0 is no answer.
    package convenience init(statuses: [Int]) {
        let rest = Mutex(statuses)
        self.init { request throws(TransportError) in
            let status = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            guard status > 0 else { throw TransportError(.maybeSent, .timedOut, origin: request.url.origin) }
            return HTTPResponse(status: status)
        }
    }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let (edit, before) = state.withLock { state in
            state.requests.append(request)
            return (state.edit, state.before)
        }
        await before?(request)
        var response = try await answer(request)
        if let edit, var body = try? JSONValue(parsing: response.body) {
            edit(request.url.path, &body)
            response.body = body.serialized()
        }
        return response
    }
}
