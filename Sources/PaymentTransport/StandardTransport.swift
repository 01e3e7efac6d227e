public import PaymentCore

#if canImport(CCurl)
    /// The transport without retries that suits this platform.
    public typealias PlatformTransport = CurlTransport
#else
    /// The transport without retries that suits this platform.
    public typealias PlatformTransport = URLSessionTransport
#endif

/// The transport applications use: ``PlatformTransport`` with ``RetryMiddleware`` around it.
///
/// Make one and keep it; connections are reused within one transport only.
public struct StandardTransport: HTTPTransport {
    private let layers: LayeredTransport

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - configuration: time limits, sizes and trust.
    ///   - retry: the rules for sending again: the conditions, the number and the pauses.
    ///   - clock: the clock of the pauses.
    ///   - random: the source of their jitter.
    public init(
        _ configuration: TransportConfiguration = TransportConfiguration(), retry: RetryPolicy = RetryPolicy(),
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource()
    ) {
        layers = LayeredTransport(
            PlatformTransport(configuration), [RetryMiddleware(retry, clock: clock, random: random)])
    }

    /// Sends `request`, again if that cannot act twice, and returns the answer, whatever its status.
    ///
    /// - Parameter request: the request to send.
    /// - Returns: the answer; redirects are answers like any other.
    /// - Throws: ``TransportError`` when there is no complete answer.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try await layers.send(request)
    }
}

extension HTTPTransport where Self == StandardTransport {
    /// A transport with the usual limits. Each use makes another one: pass it to one router and keep that.
    public static var standard: StandardTransport { StandardTransport() }
}

// MARK: - Retries

/// Sends a request again when that cannot act twice.
///
/// - When nothing was sent because no connection could be made: any request.
/// - When the connection failed later, or the status is one of ``RetryPolicy/statuses``: only a request that is
///   ``HTTPRequest/Replay/safe``.
/// - Never after a refused certificate, an answer that is too large or not HTTP, or a cancellation.
///
/// ``HTTPRequest/timeout`` is the deadline for all attempts and waits together: each attempt gets the rest, and a wait
/// that would pass the deadline is not begun; the last answer or error is the result then. The result covers all
/// attempts: the phase of a thrown error is `.maybeSent` if that holds for any of them, and an answer after one that
/// may have been carried out says so (``HTTPResponse/mayFollowEarlierCopy``).
public struct RetryMiddleware: HTTPMiddleware {
    private let policy: RetryPolicy
    private let clock: any PaymentClock
    private let random: any RandomSource

    /// Creates a retry layer.
    ///
    /// - Parameters:
    ///   - policy: the rules for sending again: the conditions, the number and the pauses.
    ///   - clock: the clock of the pauses.
    ///   - random: the source of their jitter.
    public init(
        _ policy: RetryPolicy = RetryPolicy(), clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.policy = policy
        self.clock = clock
        self.random = random
    }

    /// Sends `request` until there is a result that stands.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - next: sends one copy of it.
    /// - Returns: the first answer that stands.
    /// - Throws: ``TransportError`` of the last attempt; ``TransportError/Reason/cancelled`` when the task is cancelled
    ///   during a wait.
    public func intercept(
        _ request: HTTPRequest, next: HTTPNext
    ) async throws(TransportError) -> HTTPResponse {
        let start = clock.uptime
        var attempt = request
        var mayHaveActed = false
        var waits = policy.waits(random)
        while true {
            var result = await Self.attempt(attempt, next)
            if case .success(var response) = result, mayHaveActed {
                response.mayFollowEarlierCopy = true
                result = .success(response)
            }
            mayHaveActed = mayHaveActed || Self.mayHaveActed(result)
            let phase = mayHaveActed ? TransportError.Phase.maybeSent : .notSent

            guard mayRepeat(request, after: result), let wait = waits.next(askedFor: asked(by: result)) else {
                return try Self.finish(result, phase)
            }
            let left = request.timeout - (clock.uptime - start) - wait
            guard left > .zero else { return try Self.finish(result, phase) }

            request.onRetry?(
                RequestRetry(origin: request.url.origin, reason: Self.reason(result), pause: wait))
            do { try await clock.sleep(for: wait) } catch {
                throw TransportError(phase, .cancelled, origin: request.url.origin)
            }
            attempt.timeout = min(request.timeout - (clock.uptime - start), request.timeout)
        }
    }

    private typealias Outcome = Result<HTTPResponse, TransportError>

    private static func attempt(_ request: HTTPRequest, _ next: HTTPNext) async -> Outcome {
        do { return .success(try await next(request)) } catch { return .failure(error) }
    }

    /// Returns true if the request with this result may have been carried out.
    private static func mayHaveActed(_ result: Outcome) -> Bool {
        switch result {
        case .success(let response): !response.provesNothingWasDone
        case .failure(let error): error.phase == .maybeSent
        }
    }

    private static func finish(
        _ result: Outcome, _ phase: TransportError.Phase
    ) throws(TransportError) -> HTTPResponse {
        try result.mapError { TransportError(phase, $0.reason, origin: $0.origin) }.get()
    }

    private static func reason(_ result: Outcome) -> String {
        switch result {
        case .success(let response): "the service answered with status \(response.status)"
        case .failure(let error): error.reason.description
        }
    }

    private func mayRepeat(_ request: HTTPRequest, after result: Outcome) -> Bool {
        switch result {
        case .success(let response):
            request.replay == .safe && policy.statuses.contains(response.status)
        case .failure(let error):
            switch error.reason {
            case .hostNotFound, .connectFailed, .connectionLost, .timedOut:
                error.phase == .notSent || request.replay == .safe
            case .tls, .responseTooLarge, .malformedResponse, .cancelled, .hostNotDeclared, .invalidRequest:
                false
            }
        }
    }

    /// The wait that the server asks for.
    private func asked(by result: Outcome) -> Duration? {
        guard case .success(let response) = result else { return nil }
        return response.retryAfter(now: clock.now)
    }
}
