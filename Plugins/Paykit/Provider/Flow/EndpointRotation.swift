#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// When an endpoint of one's own is replaced by a new one (Protocol 4.4).
@nonexhaustive
public enum PaykitRotationPolicy: Sendable, Hashable {
    /// As soon as it was used once.
    case onUse
    /// Once it was used so often.
    case onThreshold(Int)
    /// When it is so old, used or not.
    case periodic(Duration)
    /// Only when the application says so.
    case manual

    /// Whether an endpoint needs to be replaced at `now`.
    public func isDue(_ use: PaykitEndpointUse, at now: Date) -> Bool {
        switch self {
        case .onUse: use.count > 0
        case .onThreshold(let most): use.count >= max(1, most)
        // Clocks that were set back say nothing: an age below nothing is no age.
        case .periodic(let age): now.timeIntervalSince(use.publishedAt) >= age / .seconds(1)
        case .manual: false
        }
    }
}

/// How an endpoint of one's own was used since it was published.
public struct PaykitEndpointUse: Sendable, Hashable, Codable {
    /// When it was published.
    public var publishedAt: Date
    /// How often somebody paid to it.
    public var count: Int
    /// When somebody last did.
    public var lastAt: Date?

    /// Creates the record of an endpoint that nobody has used yet.
    public init(publishedAt: Date, count: Int = 0, lastAt: Date? = nil) {
        self.publishedAt = publishedAt
        self.count = count
        self.lastAt = lastAt
    }

    /// Notes that somebody paid to it.
    public mutating func note(at now: Date) {
        count += 1
        lastAt = now
    }
}
