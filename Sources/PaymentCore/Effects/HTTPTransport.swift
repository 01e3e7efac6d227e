/// Sends one HTTP request and returns its complete answer.
///
/// The only way out to the network. Implementations never follow a redirect that changes the origin or that
/// answers a mutation, keep no cookies and no cache, and tag every failure with whether the request can have
/// reached the server (``TransportError/Phase``).
///
/// ```swift
/// struct Rehearsal: HTTPTransport {
///     func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
///         guard request.method == .get else {
///             throw TransportError(.notSent, .connectFailed("a rehearsal"), origin: request.url.origin)
///         }
///         return HTTPResponse(status: 200, body: Array(#"{"status":"pending"}"#.utf8))
///     }
/// }
/// ```
///
/// See <doc:Transports> for the rules of writing one.
public protocol HTTPTransport: Sendable {
    /// Sends `request` and returns the answer, whatever its status.
    ///
    /// - Parameter request: the request to send. No redirect of it is followed.
    /// - Returns: the answer, also when it is a refusal.
    /// - Throws: ``TransportError`` when there is no complete answer. A task that is cancelled before the first byte
    ///   throws ``TransportError/Reason/cancelled`` with phase `.notSent`; later, `.maybeSent`.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

/// A layer around a transport that retries, guards, measures or injects faults.
///
/// A layer that sends a request again is responsible for all its copies: when an earlier one may have arrived, it sets
/// ``HTTPResponse/mayFollowEarlierCopy``, and its errors have the phase `.maybeSent`.
public protocol HTTPMiddleware: Sendable {
    /// Handles `request`, usually by calling `next` once with the same or a changed request.
    ///
    /// - Parameters:
    ///   - request: the request that the layer outside sends.
    ///   - next: the layers inside. Calling it twice sends twice.
    /// - Returns: the answer that the layer outside gets.
    /// - Throws: ``TransportError``; after an earlier copy was sent, with the phase of all copies together.
    func intercept(
        _ request: HTTPRequest, next: HTTPNext
    ) async throws(TransportError) -> HTTPResponse
}

/// The rest of a middleware chain.
public typealias HTTPNext = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

/// A transport wrapped in middleware. The first middleware given sees a request first and its answer last.
public struct LayeredTransport: HTTPTransport {
    private let chain: HTTPNext

    /// Creates a transport that wraps `base` in `middleware`, outermost first.
    ///
    /// - Parameters:
    ///   - base: the transport that sends in the end.
    ///   - middleware: the layers around it.
    public init(_ base: any HTTPTransport, _ middleware: [any HTTPMiddleware]) {
        var chain: HTTPNext = { request throws(TransportError) in try await base.send(request) }
        for layer in middleware.reversed() {
            let next = chain
            chain = { request throws(TransportError) in try await layer.intercept(request, next: next) }
        }
        self.chain = chain
    }

    /// Sends `request` through all layers.
    ///
    /// - Returns: the answer of the outermost layer.
    /// - Throws: ``TransportError`` when there is no complete answer.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try await chain(request)
    }
}

// MARK: - Messages

/// An HTTP request with a complete body.
public struct HTTPRequest: Sendable {
    /// A request method. Open: any token may be used.
    public struct Method: Sendable, Hashable, RawRepresentable {
        /// The method as it stands on the wire.
        public let rawValue: String

        /// Creates a method from its wire form.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `GET`.
        public static let get = Method(rawValue: "GET")
        /// `POST`.
        public static let post = Method(rawValue: "POST")
        /// `PUT`.
        public static let put = Method(rawValue: "PUT")
        /// `PATCH`.
        public static let patch = Method(rawValue: "PATCH")
        /// `DELETE`.
        public static let delete = Method(rawValue: "DELETE")

        /// True if the method promises to change nothing (RFC 9110 section 9.2.1).
        public var isSafe: Bool { rawValue == "GET" || rawValue == "HEAD" || rawValue == "OPTIONS" }
    }

    /// The rule for sending the same request again when its fate is not known.
    public enum Replay: Sendable, Hashable {
        /// Sending it twice does nothing that sending it once would not: a query, or a mutation that carries a key
        /// under which the server recognises the repetition.
        case safe
        /// A second arrival could act twice. It is sent again only when the first certainly never left.
        case never
    }

    /// The method.
    public var method: Method
    /// The address.
    public var url: HTTPURL
    /// The header fields, in order. Names compare without regard to case.
    public var headers: HTTPHeaders
    /// The body; empty means none.
    public var body: [UInt8]
    /// The rule for sending it again. Safe methods are ``Replay/safe`` unless set otherwise, all others
    /// ``Replay/never``.
    public var replay: Replay
    /// True if it changes nothing at the service, as a request for an access token by POST. Safe methods change nothing
    /// unless set otherwise. A step assumes that any other request may have had an effect, unless its answer proves
    /// that nothing was done.
    public var changesNothing: Bool
    /// The time allowed for the whole exchange.
    public var timeout: Duration
    /// False to send it to no address of a private network, whatever the name of its host resolves to: for hosts that
    /// others choose. Not every transport sees addresses; this machine is reached by its own names.
    public var reachesPrivateNetworks = true
    /// Called before each pause after which the request is sent again. Routers set it; a transport that repeats
    /// requests by itself calls it.
    public var onRetry: (@Sendable (RequestRetry) -> Void)?
    /// The most body bytes accepted in the answer; more is ``TransportError/Reason/responseTooLarge(limit:)``.
    public var responseLimit: Int

    /// Creates a request.
    public init(
        _ method: Method, _ url: HTTPURL, headers: HTTPHeaders = [:], body: [UInt8] = [], replay: Replay? = nil,
        timeout: Duration = .seconds(30), responseLimit: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.replay = replay ?? (method.isSafe ? .safe : .never)
        changesNothing = method.isSafe
        self.timeout = timeout
        self.responseLimit = responseLimit
    }
}

/// A complete HTTP answer.
public struct HTTPResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields, in the order received.
    public var headers: HTTPHeaders
    /// The whole body.
    public var body: [UInt8]
    /// True if an earlier copy of the request was sent by the layer that returns this answer, and that copy may have
    /// been carried out: this answer then belongs to a repetition, and a refusal says nothing about the first copy.
    /// Layers that send again set it.
    public var mayFollowEarlierCopy = false

    /// Creates an answer.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Header fields: ordered, repeatable, names compared without regard to case.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// One name and value.
    public struct Field: Sendable {
        /// The name as given.
        public var name: String
        /// The value.
        public var value: String
    }

    /// All fields in order.
    public private(set) var fields: [Field]

    /// Creates fields from pairs, such as those of a web framework; repeated names stay repeated.
    public init(_ pairs: some Sequence<(name: String, value: String)>) {
        fields = pairs.map { Field(name: $0.name, value: $0.value) }
    }

    /// Creates fields from a literal; repeated names stay repeated.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements.map { ($0.0, $0.1) }) }

    /// The first value of `name`; setting replaces all of them, and nil removes them.
    public subscript(_ name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
        set {
            fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Returns all values of `name`, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// Adds a field and keeps those of the same name.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }
}

// Values of header fields are often credentials: only the names print.
extension HTTPHeaders.Field: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { name }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    /// The names of the fields.
    public var description: String { "HTTPHeaders(\(fields.map(\.name).joined(separator: ", ")))" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

// Bodies carry signatures and personal data: only their size prints.
extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method, origin and body size.
    public var description: String { "\(method.rawValue) \(url.origin) (\(body.count) bytes)" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// Status and body size.
    public var description: String { "HTTP \(status) (\(body.count) bytes)" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A request that is sent again.
public struct RequestRetry: Sendable, Hashable {
    /// The destination: scheme, host and port.
    public let origin: String
    /// The outcome of the copy before, in words.
    public let reason: String
    /// The pause before the next copy.
    public let pause: Duration

    /// Creates a value.
    public init(origin: String, reason: String, pause: Duration) {
        self.origin = origin
        self.reason = reason
        self.pause = pause
    }
}

// MARK: - Errors

/// Why there is no complete HTTP answer. Its phase says whether the request can have reached the server.
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
