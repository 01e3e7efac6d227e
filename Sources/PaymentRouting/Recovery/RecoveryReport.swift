public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The result of recovering one unfinished attempt.
public struct RecoveryReport: Sendable, Hashable {
    /// The attempt.
    public let attempt: PaymentAttempt
    /// The outcome, or the error that ended the attempt. An error whose phase is ``PaymentError/Phase/maybeSent``
    /// leaves it open, whether or not anything was sent for it so far: another worker may resume it. Any other means
    /// that nothing was paid.
    public let result: Result<PaymentOutcome, PaymentError>
    /// The date to recover again; nil when the attempt is settled.
    public let askAgain: Date?
    /// The time from the report to that date.
    package let pause: Duration?

    /// True if nothing more will happen to the attempt.
    public var isSettled: Bool { askAgain == nil }

    init(_ attempt: PaymentAttempt, _ result: Result<PaymentOutcome, PaymentError>, now: Date) {
        self.attempt = attempt
        self.result = result
        let isOpen: Bool
        var wish: Duration?
        switch result {
        case .success(.pending(let wait)): (isOpen, wish) = (true, wait)
        case .success(let outcome): isOpen = !outcome.isFinal
        case .failure(let error):
            isOpen = error.phase == .maybeSent || [.journal, .unroutable].contains(error.code)
            wish = error.retry.wait
        }
        let seconds = Self.pause(wish: wish, age: now.timeIntervalSince(attempt.startedAt))
        pause = isOpen ? .seconds(seconds) : nil
        askAgain = isOpen ? now.addingTimeInterval(seconds) : nil
    }

    /// Returns the seconds until an attempt is asked about again. Where the service states no wait: the longer the
    /// outcome stays unknown, the rarer the queries.
    package static func pause(wish: Duration?, age: Double) -> Double {
        wish.map { min(max($0 / .seconds(1), 1), 3600) } ?? min(max(age / 2, 5), 3600)
    }
}

extension RecoveryReport: CustomStringConvertible {
    /// One line for people and logs: the attempt, its result, and the date to ask again.
    public var description: String {
        let end =
            switch result {
            case .success(let outcome): outcome.description
            case .failure(let error): error.message
            }
        return "\(attempt): \(end)" + (askAgain.map { "; ask again at \(HTTPDate.text($0))" } ?? "")
    }
}
