import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How far this device's clock is believed.
///
/// A clock that was set forward makes periods look due that are not. What has passed while a scheduler runs is known
/// from the clock's uptime, which nobody sets; while none ran, nothing but the clock says so.
public struct RecurringTrust: Sendable, Hashable {
    /// The longest time for which no scheduler ran, by the clock, that is believed: periods are never charged sooner
    /// than that before they begin, however wrong the clock is.
    public var longestAbsence: Duration
    /// How far the clock may go on more than the uptime while a scheduler runs.
    public var longestDrift: Duration

    /// Creates a measure of belief.
    public init(longestAbsence: Duration = .seconds(31 * 86_400), longestDrift: Duration = .seconds(86_400)) {
        self.longestAbsence = max(.zero, longestAbsence)
        self.longestDrift = max(.zero, longestDrift)
    }
}

/// What one scheduler makes of its clock.
struct TrustedTime {
    /// What the clock says, compared with what is known.
    enum Judgement: Hashable {
        case trusted
        /// Further on than can be: only what was due before is looked at.
        case tooFar
        /// Behind what was trusted before.
        case behind
    }

    private let trust: RecurringTrust
    /// A time that was trusted, and what the uptime was then.
    private var anchor: (date: Date, uptime: Duration)?
    /// The latest time in the journal that this scheduler knows.
    private var known: Date?

    init(_ trust: RecurringTrust) { self.trust = trust }

    /// - Parameter latest: the latest time that any scheduler trusted.
    mutating func judge(_ now: Date, uptime: Duration, latest: Date?) -> Judgement {
        if let latest, let known, latest > known, anchor != nil {
            // Somebody else knows better: they were told, or have run for longer.
            let expected = expected(uptime)
            if expected.map({ latest > $0 }) ?? true { anchor = (latest, uptime) }
        }
        known = latest
        if let latest, now < latest.addingTimeInterval(-(trust.longestDrift / .seconds(1))) { return .behind }
        guard isPlausible(now, uptime, latest) else { return .tooFar }
        if anchor == nil { anchor = (max(now, latest ?? now), uptime) }
        return .trusted
    }

    private func isPlausible(_ now: Date, _ uptime: Duration, _ latest: Date?) -> Bool {
        if let latest, now <= latest { return true }
        if let expected = expected(uptime) {
            return now <= expected.addingTimeInterval(trust.longestDrift / .seconds(1))
        }
        guard let latest else { return true }
        return now <= latest.addingTimeInterval(trust.longestAbsence / .seconds(1))
    }

    private func expected(_ uptime: Duration) -> Date? {
        anchor.map { $0.date.addingTimeInterval(max(.zero, uptime - $0.uptime) / .seconds(1)) }
    }

    /// Somebody who knows has said what time it is.
    mutating func confirm(_ now: Date, uptime: Duration) {
        anchor = (now, uptime)
        known = now
    }

    /// The journal holds this time now.
    mutating func note(_ now: Date) { known = now }
}
