/// The reason for which there is no complete HTTP answer; its phase says whether the request can have reached the
/// server.
public struct TransportError: Error, Sendable, Hashable {
    /// The progress of the request. This decides whether money can have moved.
    public enum Phase: Sendable, Hashable {
        /// Not one byte of the request reached the server.
        case notSent
        /// Some or all of it may have reached the server; it may have been carried out.
        case maybeSent
    }

    /// The kinds of failures.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// The host's name could not be resolved.
        case hostNotFound
        /// No connection could be made; the detail is the system's own short text.
        case connectFailed(String)
        /// The TLS handshake failed or the certificate is not trusted.
        case tls(String)
        /// The time allowed ran out.
        case timedOut
        /// The connection ended before the answer was complete.
        case connectionLost(String)
        /// The answer is larger than ``HTTPRequest/responseLimit``.
        case responseTooLarge(limit: Int)
        /// The answer is not HTTP.
        case malformedResponse(String)
        /// The task was cancelled.
        case cancelled
        /// The provider did not declare this host in its descriptor.
        case hostNotDeclared(String)
        /// The request cannot be sent as it is: an invalid header, a URL scheme that is not HTTP.
        case invalidRequest(String)
    }

    /// The progress of the request.
    public let phase: Phase
    /// The failure.
    public let reason: Reason
    /// Scheme, host and port of the request; never its path, which can name a payment.
    public let origin: String

    /// Creates an error.
    public init(_ phase: Phase, _ reason: Reason, origin: String) {
        self.phase = phase
        self.reason = reason
        self.origin = origin
    }
}

extension TransportError.Reason: CustomStringConvertible {
    /// A few words for people, without the host.
    public var description: String {
        switch self {
        case .hostNotFound: "the host's name could not be resolved"
        case .connectFailed(let detail): "no connection (\(detail))"
        case .tls(let detail): "no secure connection (\(detail))"
        case .timedOut: "no answer in time"
        case .connectionLost(let detail): "the connection ended early (\(detail))"
        case .responseTooLarge(let limit): "the answer is larger than \(limit) bytes"
        case .malformedResponse(let detail): "the answer is not valid HTTP (\(detail))"
        case .cancelled: "cancelled"
        case .hostNotDeclared(let host): "the provider did not declare the host \(host)"
        case .invalidRequest(let detail): "the request cannot be sent: \(detail)"
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        "\(origin): \(reason); \(phase == .notSent ? "nothing was sent" : "the request may have arrived")"
    }
}
