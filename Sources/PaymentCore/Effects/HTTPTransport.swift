/// Sends one HTTP request and returns its complete answer.
///
/// The only way out to the network. Implementations never follow a redirect that changes the origin or that
/// answers a mutation, keep no cookies and no cache, and tag every failure with whether the request can have
/// reached the server (``TransportError/Phase``).
public protocol HTTPTransport: Sendable {
    /// Sends `request` and returns the answer, whatever its status.
    ///
    /// - Throws: ``TransportError`` when there is no complete answer. A task that is cancelled before the first
    ///   byte throws ``TransportError/Reason/cancelled`` with phase `.notSent`; later, `.maybeSent`.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

/// A layer around a transport: retrying, guarding, measuring, injecting faults.
///
/// One that sends a request again answers for all its copies: when an earlier one may have arrived, it sets
/// ``HTTPResponse/mayFollowEarlierCopy``, and its errors have the phase `.maybeSent`.
public protocol HTTPMiddleware: Sendable {
    /// Handles `request`, usually by calling `next` once with the same or a changed request.
    func intercept(
        _ request: HTTPRequest, next: HTTPNext
    ) async throws(TransportError) -> HTTPResponse
}

/// The rest of a middleware chain.
public typealias HTTPNext = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

/// A transport wrapped in middleware. The first middleware given sees a request first and its answer last.
public struct LayeredTransport: HTTPTransport {
    private let chain: HTTPNext

    /// Wraps `base` in `middleware`, outermost first.
    public init(_ base: any HTTPTransport, _ middleware: [any HTTPMiddleware]) {
        var chain: HTTPNext = { request throws(TransportError) in try await base.send(request) }
        for layer in middleware.reversed() {
            let next = chain
            chain = { request throws(TransportError) in try await layer.intercept(request, next: next) }
        }
        self.chain = chain
    }

    /// Sends `request` through all layers.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try await chain(request)
    }
}
