public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When and how often a request is sent again.
public struct RetryPolicy: Sendable {
    /// The most times one request is sent again; 0 turns retrying off.
    public var retries = 2
    /// The wait before the first retry. It doubles with every further one, and 0 to 50 % are taken off at random, so
    /// that clients that failed together do not return together.
    public var firstDelay = Duration.milliseconds(500)
    /// The longest such wait.
    public var longestDelay = Duration.seconds(5)
    /// The longest wait a server may ask for with `Retry-After`. When it asks for more, its answer is returned.
    public var longestServerDelay = Duration.seconds(30)
    /// The statuses after which a request that may be repeated is sent again.
    public var statuses: Set<Int> = [429, 500, 502, 503, 504]

    /// Creates the default policy.
    public init() {}
}

/// Sends a request again when that cannot act twice.
///
/// - When nothing was sent because no connection could be made: any request.
/// - When the connection failed later, or the status is one of ``RetryPolicy/statuses``: only a request that is
///   ``HTTPRequest/Replay/safe``.
/// - Never after a refused certificate, an answer that is too large or not HTTP, or a cancellation.
///
/// ``HTTPRequest/timeout`` is the deadline for all attempts and waits together: each attempt gets what is left, and a
/// wait that would pass the deadline is not begun; the last answer or error is the result then. The result answers for
/// all attempts: the phase of a thrown error is `.maybeSent` if that holds for any of them, and an answer after one that
/// may have been carried out says so (``HTTPResponse/mayFollowEarlierCopy``).
public struct RetryMiddleware: HTTPMiddleware {
    private let policy: RetryPolicy
    private let clock: any PaymentClock
    private let random: any RandomSource

    /// Creates a retry layer.
    ///
    /// - Parameters:
    ///   - policy: what is sent again, how often and after which pauses.
    ///   - clock: what the pauses are waited on.
    ///   - random: where their jitter comes from.
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
    ///   - request: what to send.
    ///   - next: what sends one copy of it.
    /// - Returns: the first answer that stands.
    /// - Throws: ``TransportError`` of the last attempt; ``TransportError/Reason/cancelled`` when the task is cancelled
    ///   during a wait.
    public func intercept(
        _ request: HTTPRequest, next: HTTPNext
    ) async throws(TransportError) -> HTTPResponse {
        let start = clock.uptime
        var attempt = request
        var mayHaveActed = false
        var retriesLeft = max(0, policy.retries)
        var delay = policy.firstDelay
        while true {
            var result = await Self.attempt(attempt, next)
            if case .success(var response) = result, mayHaveActed {
                response.mayFollowEarlierCopy = true
                result = .success(response)
            }
            mayHaveActed = mayHaveActed || Self.mayHaveActed(result)
            let phase = mayHaveActed ? TransportError.Phase.maybeSent : .notSent

            guard retriesLeft > 0, mayRepeat(request, after: result), let wait = wait(delay, after: result)
            else { return try Self.finish(result, phase) }
            let left = request.timeout - (clock.uptime - start) - wait
            guard left > .zero else { return try Self.finish(result, phase) }

            do { try await clock.sleep(for: wait) } catch {
                throw TransportError(phase, .cancelled, origin: request.url.origin)
            }
            attempt.timeout = min(request.timeout - (clock.uptime - start), request.timeout)
            delay = min(delay * 2, policy.longestDelay)
            retriesLeft -= 1
        }
    }

    private typealias Outcome = Result<HTTPResponse, TransportError>

    private static func attempt(_ request: HTTPRequest, _ next: HTTPNext) async -> Outcome {
        do { return .success(try await next(request)) } catch { return .failure(error) }
    }

    /// Whether the request that ended so may have been carried out.
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

    /// The wait before the next attempt; nil when the server asks for more patience than the policy has.
    private func wait(_ delay: Duration, after result: Outcome) -> Duration? {
        let ours = delay * (0.5 + random.fraction() / 2)
        guard case .success(let response) = result, let text = response.headers["Retry-After"] else { return ours }
        let servers: Duration
        if let seconds = Int64(text), seconds >= 0 {
            // Compared before it is used: the number may be too large for arithmetic.
            guard seconds <= policy.longestServerDelay.components.seconds else { return nil }
            servers = .seconds(seconds)
        } else if let date = HTTPDate.parse(text, now: clock.now) {
            servers = .seconds(date.timeIntervalSince(clock.now))
        } else {
            return ours
        }
        return servers <= policy.longestServerDelay ? max(ours, servers) : nil
    }
}
