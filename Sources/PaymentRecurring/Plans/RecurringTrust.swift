import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The limits within which this device's clock is believed.
///
/// A clock that was set forward makes periods look due that are not. The time that has passed while a scheduler runs is
/// known from the clock's uptime, which is never set; while none ran, only the clock states it.
public struct RecurringTrust: Sendable, Hashable {
    /// The longest time without a running scheduler, by the clock, that is believed: periods are never charged sooner
    /// than that before they begin, however wrong the clock is.
    public var longestAbsence: Duration
    /// The most by which the clock may outrun the uptime while a scheduler runs.
    public var longestDrift: Duration

    /// Creates the limits.
    public init(longestAbsence: Duration = .seconds(31 * 86_400), longestDrift: Duration = .seconds(86_400)) {
        self.longestAbsence = max(.zero, longestAbsence)
        self.longestDrift = max(.zero, longestDrift)
    }
}

/// One scheduler's judgement of its clock.
struct TrustedTime {
    /// The result of comparing the clock with what is known.
    enum Judgement: Hashable {
        case trusted
        /// The clock is later than it can be: only periods due before are looked at.
        case tooFar
        /// The clock is behind a time that was trusted before.
        case behind
    }

    private let trust: RecurringTrust
    /// A time that was trusted, and the uptime at that time.
    private var anchor: (date: Date, uptime: Duration)?
    /// The latest time in the journal that this scheduler knows, and the uptime when it learned it.
    private var known: (date: Date, uptime: Duration)?

    init(_ trust: RecurringTrust) { self.trust = trust }

    /// - Parameter latest: the latest time that any scheduler trusted.
    mutating func judge(_ now: Date, uptime: Duration, latest: Date?) -> Judgement {
        if let latest, let known, let expected = expected(uptime) {
            // Another scheduler has a better time: it was confirmed there, or that one has run for longer.
            if latest > known.date { anchor = (max(latest, expected), uptime) }
            // The clock was confirmed at an earlier time since then.
            if latest < known.date { anchor = (latest, known.uptime) }
        }
        known = latest.map { ($0, uptime) }
        if let latest, now < latest.addingTimeInterval(-(trust.longestDrift / .seconds(1))) { return .behind }
        guard isPlausible(now, uptime, latest) else { return .tooFar }
        if anchor == nil { anchor = (now, uptime) }
        return .trusted
    }

    private func isPlausible(_ now: Date, _ uptime: Duration, _ latest: Date?) -> Bool {
        if let expected = expected(uptime) {
            return now <= expected.addingTimeInterval(trust.longestDrift / .seconds(1))
        }
        guard let latest else { return true }
        return now <= latest.addingTimeInterval(trust.longestAbsence / .seconds(1))
    }

    private func expected(_ uptime: Duration) -> Date? {
        anchor.map { $0.date.addingTimeInterval(max(.zero, uptime - $0.uptime) / .seconds(1)) }
    }

    /// Notes a time that a trustworthy source has confirmed.
    mutating func confirm(_ now: Date, uptime: Duration) { anchor = (now, uptime) }

    /// Notes that the journal holds this time now.
    mutating func note(_ now: Date, uptime: Duration) { known = (now, uptime) }
}
