import Foundation
public import PaymentCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with one `URLSession` that lives as long as the transport.
///
/// Redirects are returned, never followed; there are no cookies, no cache and no stored credentials, and nothing
/// compressed is asked for. ``HTTPRequest/timeout`` covers the whole exchange, and ``HTTPRequest/responseLimit`` is
/// enforced while receiving. The order of an answer's header fields is lost.
///
/// This is the transport of Apple platforms. On Linux use `CurlTransport`: there `URLSession` sends a request a second
/// time when a reused connection ends early, whatever ``HTTPRequest/Replay`` says, and cannot relax the check of
/// loopback certificates.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: URLSessionExchanges
    private let userAgent: String
    /// The services that ask for the client's certificate, which URLSession is not given.
    private let identified: Set<String>

    /// Creates a transport and starts its session.
    ///
    /// - Parameter configuration: time limits, sizes and trust.
    public init(_ configuration: TransportConfiguration = TransportConfiguration()) {
        userAgent = configuration.userAgent
        identified = Set(configuration.identities.keys)
        exchanges = URLSessionExchanges(
            acceptsAnyLoopbackCertificate: configuration.acceptsAnyLoopbackCertificate,
            certificates: configuration.certificates)
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpCookieAcceptPolicy = .never
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.urlCredentialStorage = nil
        settings.httpMaximumConnectionsPerHost = 64
        #if canImport(Darwin)
            settings.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        session = URLSession(configuration: settings, delegate: exchanges, delegateQueue: nil)
    }

    // The session keeps its delegate until it is invalidated.
    deinit { session.invalidateAndCancel() }

    /// Sends `request` and returns the answer, whatever its status.
    ///
    /// - Parameter request: the request to send.
    /// - Returns: the answer; redirects are answers like any other.
    /// - Throws: ``TransportError`` when there is no complete answer.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try RequestCheck.check(request)
        guard !Task.isCancelled else { throw TransportError(.notSent, .cancelled, origin: request.url.origin) }
        guard !identified.contains(request.url.authority) else {
            throw TransportError(
                .notSent, .tls("URLSession is not given a client's certificate here; use CurlTransport"),
                origin: request.url.origin)
        }
        #if !canImport(Darwin)
            if request.url.isSecure, exchanges.certificates != nil {
                throw TransportError(
                    .notSent, .tls("URLSession cannot be given certificates here; use CurlTransport"),
                    origin: request.url.origin)
            }
        #endif
        guard let url = URL(string: request.url.text) else {
            throw TransportError(
                .notSent, .invalidRequest("the URL is refused by the system"), origin: request.url.origin)
        }
        let task = session.dataTask(with: message(request, url))
        let exchanges = exchanges
        // The session's own timeout starts again with every byte, so a server could stretch it without end.
        let deadline = Task {
            try await Task.sleep(for: request.timeout)
            exchanges.stop(task, because: .timedOut)
        }
        defer { deadline.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                exchanges.start(task, for: request, reply: reply)
            }
        } onCancel: {
            exchanges.stop(task, because: .cancelled)
        }
        return try outcome.get()
    }

    private func message(_ request: HTTPRequest, _ url: URL) -> URLRequest {
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        message.httpShouldHandleCookies = false
        message.timeoutInterval = TimeInterval(request.timeout.components.seconds + 1)
        message.setValue(userAgent, forHTTPHeaderField: "User-Agent")
        message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        var seen: Set<String> = []
        for field in request.headers.fields {
            // The first of a name replaces the defaults, the others join it.
            if seen.insert(field.name.lowercased()).inserted {
                message.setValue(field.value, forHTTPHeaderField: field.name)
            } else {
                message.addValue(field.value, forHTTPHeaderField: field.name)
            }
        }
        if !request.body.isEmpty { message.httpBody = Data(request.body) }
        return message
    }
}
