/// The rule for replacing a user's own endpoint by a new one (Protocol 4.4).
@nonexhaustive
public enum PaykitRotationPolicy: Sendable, Hashable {
    /// Replace it after its first use.
    case onUse
    /// Replace it after this number of uses.
    case onThreshold(Int)
    /// Replace it at this age, used or not.
    case periodic(Duration)
    /// Replace it only when the application asks for it.
    case manual

    /// Returns true if an endpoint has to be replaced at `now`.
    public func isDue(_ use: PaykitEndpointUse, at now: Date) -> Bool {
        switch self {
        case .onUse: use.count > 0
        case .onThreshold(let most): use.count >= max(1, most)
        // After the clock was set back the age is negative, and the endpoint is not due.
        case .periodic(let age): now.timeIntervalSince(use.publishedAt) >= age / .seconds(1)
        case .manual: false
        }
    }
}

/// The use of a user's own endpoint since it was published.
public struct PaykitEndpointUse: Sendable, Hashable, Codable {
    /// The time of publication.
    public var publishedAt: Date
    /// The number of payments to it.
    public var count: Int
    /// The time of the last payment.
    public var lastAt: Date?

    /// Creates the record of an endpoint, by default an unused one.
    public init(publishedAt: Date, count: Int = 0, lastAt: Date? = nil) {
        self.publishedAt = publishedAt
        self.count = count
        self.lastAt = lastAt
    }

    /// Records a payment to it.
    public mutating func note(at now: Date) {
        count += 1
        lastAt = now
    }
}
