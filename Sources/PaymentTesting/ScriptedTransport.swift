public import PaymentCore
import Synchronization

/// A network that answers from a script and remembers what was sent. For tests.
///
/// ```swift
/// let transport = ScriptedTransport([
///     .answer("POST", "/v1/charges", HTTPResponse(status: 200, body: Array(#"{"id":"c1"}"#.utf8))),
///     .fail("GET", "/v1/charges/c1", .maybeSent, because: .timedOut),
/// ])
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// One line of the script: the expected request, and its result.
    public struct Line: Sendable {
        let method: String
        let path: String
        let result: Result<HTTPResponse, ScriptError>

        struct ScriptError: Error {
            let phase: TransportError.Phase
            let reason: TransportError.Reason
        }

        /// Returns a line that answers a request of this method and exact path, its query aside.
        public static func answer(_ method: String, _ path: String, _ response: HTTPResponse) -> Line {
            Line(method: method, path: path, result: .success(response))
        }

        /// Returns a line that fails a request of this method and exact path, its query aside.
        public static func fail(
            _ method: String, _ path: String, _ phase: TransportError.Phase, because reason: TransportError.Reason
        ) -> Line {
            Line(method: method, path: path, result: .failure(ScriptError(phase: phase, reason: reason)))
        }
    }

    private struct State {
        var lines: [Line]
        var requests: [HTTPRequest] = []
        var surprises: [String] = []
    }

    private let state: Mutex<State>

    /// Creates a transport that plays `script` in order, each line once.
    public init(_ script: [Line]) { state = Mutex(State(lines: script)) }

    /// Every request so far, in order, expected or not.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The deviations from the script: one sentence for each request that was not its next line, and one for each line
    /// that was not requested. Empty when the script was played exactly.
    public var deviations: [String] {
        state.withLock { state in
            state.surprises + state.lines.map { "the script still waits for \($0.method) \($0.path)" }
        }
    }

    /// Plays the next line.
    ///
    /// - Throws: The line's ``TransportError``; ``TransportError/Reason/invalidRequest(_:)`` when the request is not
    ///   the one that the script waits for, which also goes into ``deviations``.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let origin = request.url.origin
        guard !Task.isCancelled else { throw TransportError(.notSent, .cancelled, origin: origin) }
        let asked = "\(request.method.rawValue) \(request.url.path)"
        let result: Result<HTTPResponse, TransportError> = state.withLock { state in
            state.requests.append(request)
            guard let line = state.lines.first, line.method == request.method.rawValue, line.path == request.url.path
            else {
                let expected = state.lines.first.map { "waits for \($0.method) \($0.path)" } ?? "is at its end"
                let sentence = "the script \(expected), but the request was \(asked)"
                state.surprises.append(sentence)
                return .failure(TransportError(.notSent, .invalidRequest(sentence), origin: origin))
            }
            state.lines.removeFirst()
            return line.result.mapError { TransportError($0.phase, $0.reason, origin: origin) }
        }
        return try result.get()
    }
}
