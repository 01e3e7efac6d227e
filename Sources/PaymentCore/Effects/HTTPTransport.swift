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
