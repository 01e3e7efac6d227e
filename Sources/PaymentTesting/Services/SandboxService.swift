public import PaymentCore

/// A simulated backend: answers HTTP requests, independent of sockets.
///
/// The same service runs in-process behind ``SandboxTransport`` and on loopback behind `LoopbackServer`. Its requests'
/// URLs keep path and query exactly as sent, percent-encoding included.
public protocol SandboxService: Sendable {
    /// Answers `request`. Called from many tasks at once.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Answers `request`, or misbehaves, for example by dropping the connection.
    ///
    /// Services implement ``respond(to:)``; the default of this method calls it.
    func answer(to request: HTTPRequest) async -> SandboxAnswer
}

extension SandboxService {
    /// Returns the answer of ``respond(to:)``.
    public func answer(to request: HTTPRequest) async -> SandboxAnswer {
        .response(await respond(to: request))
    }
}

/// The response of a server to a request.
@nonexhaustive
public enum SandboxAnswer: Sendable {
    /// It sends this answer.
    case response(HTTPResponse)
    /// It sends status 200 and a body of this many bytes `x`, made while sending: nothing of that size is held in
    /// memory.
    case endless(bytes: Int)
    /// It sends this answer's status and header fields, and then the bytes of the stream until it ends.
    case stream(HTTPResponse, SandboxStream)
    /// It closes the connection without sending a byte.
    case drop
}

/// The reason why a sandbox cannot run.
@nonexhaustive
public enum SandboxError: Error, Sendable, Hashable {
    /// Another process listens on this port.
    case portInUse(UInt16)
    /// The system refuses to listen on this port; the detail is its own short text.
    case cannotListen(UInt16, String)
    /// The HTTP server did not start on this port.
    case cannotStart(UInt16)
}

extension SandboxError: CustomStringConvertible {
    /// One sentence for people, with what to do.
    public var description: String {
        switch self {
        case .portInUse(let port):
            "port \(port) is in use by another program; stop that program, choose another port, or use port 0 for any free one"
        case .cannotListen(let port, let detail):
            "cannot listen on 127.0.0.1 port \(port): \(detail); choose another port, or use port 0 for any free one"
        case .cannotStart(let port):
            "the HTTP server did not start on 127.0.0.1 port \(port); the system may be out of threads or file descriptors"
        }
    }
}
