#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The number of retries of a request or a question, and the wait before each.
public struct RetryPolicy: Sendable, Hashable {
    /// The most times it is tried again; 0 turns retrying off.
    public var retries = 2
    /// The wait before the first retry. It doubles with every further one.
    public var firstDelay = Duration.milliseconds(500)
    /// The longest such wait.
    public var longestDelay = Duration.seconds(5)
    /// The longest wait that a service may ask for. When it asks for more, it is not tried again.
    public var longestServerDelay = Duration.seconds(30)
    /// Of requests: the statuses after which one that may be repeated is sent again.
    public var statuses: Set<Int> = [429, 500, 502, 503, 504]

    /// Creates the default policy, which is for requests.
    public init() {}

    /// Creates a policy.
    public init(retries: Int, firstDelay: Duration, longestDelay: Duration) {
        self.retries = retries
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// The policy for asking for the status of a payment whose fate is open, before it is left for later.
    package static let settling = RetryPolicy(retries: 4, firstDelay: .milliseconds(500), longestDelay: .seconds(5))

    /// The policy for checking whether another worker has released a payment, for as long as the caller's patience
    /// lasts.
    package static let lease = RetryPolicy(
        retries: .max, firstDelay: .milliseconds(20), longestDelay: .milliseconds(500))

    /// The waits of this policy, one after the other.
    ///
    /// - Parameter random: takes 0 to 50 % off each wait, so that clients that failed together do not return together.
    ///   Without it nothing is taken off.
    package func waits(_ random: (any RandomSource)? = nil) -> Waits { Waits(policy: self, random: random) }

    /// The waits of a policy.
    package struct Waits: Sendable {
        private let policy: RetryPolicy
        private let random: (any RandomSource)?
        private var left: Int
        private var delay: Duration

        fileprivate init(policy: RetryPolicy, random: (any RandomSource)?) {
            self.policy = policy
            self.random = random
            left = policy.retries
            delay = policy.firstDelay
        }

        /// The wait before the next try.
        ///
        /// - Parameter wish: the wait that the service asks for; the wait is at least so long.
        /// - Returns: nil when there is no further try: the retries are used up, or the service asks for a longer wait
        ///   than the policy allows.
        package mutating func next(askedFor wish: Duration? = nil) -> Duration? {
            guard left > 0, wish ?? .zero <= policy.longestServerDelay else { return nil }
            left -= 1
            let ours = random.map { delay * (0.5 + $0.fraction() / 2) } ?? delay
            delay = min(delay * 2, policy.longestDelay)
            return max(ours, wish ?? .zero)
        }
    }
}

extension HTTPResponse {
    /// Returns the time for which the server asks for no further request (`Retry-After`, RFC 9110 section 10.2.3); nil
    /// when it does not state one in a readable form.
    ///
    /// - Parameter now: the time that a date is compared with; without it, the answer's own `Date`, which is the clock
    ///   that the date was made by.
    package func retryAfter(now: Date? = nil) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if let seconds = Int64(text) { return seconds >= 0 ? .seconds(seconds) : nil }
        guard let now = now ?? headers["Date"].flatMap({ HTTPDate.parse($0, now: .distantPast) }),
            let date = HTTPDate.parse(text, now: now)
        else { return nil }
        return max(.zero, .seconds(date.timeIntervalSince(now)))
    }
}

extension PaymentError.RetryAdvice {
    /// Creates the advice of an answer that may be another one later.
    package init(_ answer: HTTPResponse) {
        self = answer.retryAfter().map { .after($0) } ?? .later
    }

    /// The wait that the service asks for.
    package var wait: Duration? { if case .after(let wait) = self { wait } else { nil } }
}
