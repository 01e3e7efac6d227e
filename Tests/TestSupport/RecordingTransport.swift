package import PaymentCore
import Synchronization

/// A network that records every request and answers as the test defines.
package final class RecordingTransport: HTTPTransport {
    package typealias Answer = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

    private let answer: Answer
    private let sent = Mutex<[HTTPRequest]>([])

    /// Every request so far, in order.
    package var requests: [HTTPRequest] { sent.withLock { $0 } }

    package init(_ answer: @escaping Answer = { _ throws(TransportError) in HTTPResponse(status: 200) }) {
        self.answer = answer
    }

    /// Forwards all requests.
    package convenience init(over base: any HTTPTransport) {
        self.init { request throws(TransportError) in try await base.send(request) }
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
        sent.withLock { $0.append(request) }
        return try await answer(request)
    }
}
