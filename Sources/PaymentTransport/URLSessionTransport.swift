import Foundation
public import PaymentCore
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(Security)
    import Security
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

// MARK: - Exchanges

/// The requests in flight in one session, and the session's delegate.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<HTTPResponse, TransportError>
    typealias Reply = CheckedContinuation<Outcome, Never>

    private struct Exchange {
        let request: HTTPRequest
        let reply: Reply
        var response: HTTPURLResponse?
        var body: [UInt8] = []
        /// Why this side ended the task.
        var verdict: TransportError.Reason?
        /// The number of times that the request was begun, as the system reports it; nil without a report.
        var sendings: Int?
    }

    private struct State {
        var running: [Int: Exchange] = [:]
        /// Tasks that were stopped before they were started.
        var stopped: [Int: TransportError.Reason] = [:]
        /// The origins to which there may be a kept connection.
        var answeredOrigins: Set<String> = []
    }

    private let state = Mutex(State())
    private let acceptsAnyLoopbackCertificate: Bool
    /// The only certificates that servers prove themselves by; nil for the system's authorities.
    let certificates: ServerCertificates?

    init(acceptsAnyLoopbackCertificate: Bool, certificates: ServerCertificates?) {
        self.acceptsAnyLoopbackCertificate = acceptsAnyLoopbackCertificate
        self.certificates = certificates
    }

    func start(_ task: URLSessionDataTask, for request: HTTPRequest, reply: Reply) {
        let stopped = state.withLock { state in
            let reason = state.stopped.removeValue(forKey: task.taskIdentifier)
            if reason == nil { state.running[task.taskIdentifier] = Exchange(request: request, reply: reply) }
            return reason
        }
        if let stopped {
            // Never resumed: on Linux even a cancelled task would reach the server.
            reply.resume(returning: .failure(TransportError(.notSent, stopped, origin: request.url.origin)))
        } else {
            task.resume()
        }
    }

    func stop(_ task: URLSessionTask, because reason: TransportError.Reason) {
        state.withLock { state in
            if state.running[task.taskIdentifier] == nil {
                // A task that ended already is not among the running ones either.
                if task.state == .suspended { state.stopped[task.taskIdentifier] = reason }
            } else if state.running[task.taskIdentifier]?.verdict == nil {
                state.running[task.taskIdentifier]?.verdict = reason
            }
        }
        task.cancel()
    }

    // MARK: URLSessionDelegate

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.running[dataTask.taskIdentifier]?.response = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let limit = state.withLock { state -> Int? in
            // The exchange is changed where it is: a copy of it would make every piece copy the whole body.
            let task = dataTask.taskIdentifier
            guard let limit = state.running[task]?.request.responseLimit,
                let count = state.running[task]?.body.count
            else { return nil }
            let fits = data.count <= limit - count
            if fits { state.running[task]?.body.append(contentsOf: data) } else { state.running[task]?.body = [] }
            return fits ? nil : limit
        }
        if let limit { stop(dataTask, because: .responseTooLarge(limit: limit)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (ended, mayHaveReused) = state.withLock { state in
            let exchange = state.running.removeValue(forKey: task.taskIdentifier)
            let origin = exchange?.request.url.origin ?? ""
            let mayHaveReused = state.answeredOrigins.contains(origin)
            if exchange?.response != nil { state.answeredOrigins.insert(origin) }
            return (exchange, mayHaveReused)
        }
        guard let exchange = ended else { return }
        let failure = exchange.verdict ?? error.map { reason(of: $0) }
        guard let failure else {
            return exchange.reply.resume(
                returning: Self.response(task, exchange).map { response in
                    var response = response
                    // If a kept connection ends at once, the system may send a second time by itself.
                    response.mayFollowEarlierCopy = exchange.sendings.map { $0 > 1 } ?? mayHaveReused
                    return response
                })
        }
        // Without a report from the system, only a connection that was never made proves that nothing was sent, and
        // only if no kept connection can have been tried before it.
        let phase: TransportError.Phase =
            switch (exchange.sendings, failure) {
            case (0, _): .notSent
            case (nil, .hostNotFound), (nil, .connectFailed), (nil, .tls): mayHaveReused ? .maybeSent : .notSent
            default: .maybeSent
            }
        exchange.reply.resume(
            returning: .failure(TransportError(phase, failure, origin: exchange.request.url.origin)))
    }

    /// A task that nothing here has stopped was stopped by the challenge to its server's certificate.
    private func reason(of error: any Error) -> TransportError.Reason {
        let reason = URLSessionErrors.reason(of: error)
        guard certificates != nil, reason == .cancelled else { return reason }
        return .tls("its certificate is not proved by the given ones")
    }

    private static func response(_ task: URLSessionTask, _ exchange: Exchange) -> Outcome {
        guard let response = exchange.response ?? task.response as? HTTPURLResponse else {
            return .failure(
                TransportError(.maybeSent, .malformedResponse("no status line"), origin: exchange.request.url.origin))
        }
        var headers: HTTPHeaders = [:]
        let fields = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        for field in fields.sorted(by: { $0.name < $1.name }) { headers.append(field.name, field.value) }
        return .success(HTTPResponse(status: response.statusCode, headers: headers, body: exchange.body))
    }

    #if canImport(Darwin)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            let transactions = metrics.transactionMetrics
            let sendings = transactions.isEmpty ? nil : transactions.count { $0.requestStartDate != nil }
            state.withLock { $0.running[task.taskIdentifier]?.sendings = sendings }
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            let host = space.host.contains(":") ? "[\(space.host)]" : space.host
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust
            else { return completionHandler(.performDefaultHandling, nil) }
            if let certificates {
                guard certificates.prove(trust) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
                return completionHandler(.useCredential, URLCredential(trust: trust))
            }
            guard acceptsAnyLoopbackCertificate, let url = try? HTTPURL("https://\(host)"), url.isLoopback
            else { return completionHandler(.performDefaultHandling, nil) }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    #endif
}

#if canImport(Darwin)
    extension ServerCertificates {
        /// Returns true if these certificates, and no others, prove the server, with the name that is called.
        fileprivate func prove(_ trust: SecTrust) -> Bool {
            let anchors = items.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
            guard anchors.count == items.count,
                SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
                SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
            else { return false }
            return SecTrustEvaluateWithError(trust, nil)
        }
    }
#endif

/// The meanings of the codes of `URLError`. The localized texts are not used: they may quote the URL.
enum URLSessionErrors {
    static func reason(of error: any Error) -> TransportError.Reason {
        guard let code = (error as? URLError)?.code else { return .connectionLost("unknown system error") }
        let number = "URLError \(code.rawValue)"
        return switch code {
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .cannotFindHost, .dnsLookupFailed: .hostNotFound
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed,
            .callIsActive:
            .connectFailed(number)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            .tls(number)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .httpTooManyRedirects, .redirectToNonExistentLocation:
            .malformedResponse(number)
        case .badURL, .unsupportedURL: .invalidRequest(number)
        default: .connectionLost(number)
        }
    }
}
