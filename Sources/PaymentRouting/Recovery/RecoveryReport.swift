public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What recovery made of one unfinished attempt.
public struct RecoveryReport: Sendable, Hashable {
    /// The attempt.
    public let attempt: PaymentAttempt
    /// The outcome, or why the attempt could not be carried on. An error whose phase is
    /// ``PaymentError/Phase/maybeSent`` leaves it open; any other means that nothing was paid. While its provider is not
    /// registered an attempt is not settled either.
    public let result: Result<PaymentOutcome, PaymentError>
    /// When to recover again; nil when the attempt is settled.
    public let askAgain: Date?

    /// Whether nothing more will happen to the attempt.
    public var isSettled: Bool { askAgain == nil }

    init(_ attempt: PaymentAttempt, _ result: Result<PaymentOutcome, PaymentError>, now: Date) {
        self.attempt = attempt
        self.result = result
        // The longer nobody knows, the less often it is worth asking.
        let age = now.timeIntervalSince(attempt.startedAt)
        let pause = min(max(age / 2, 5), 3600)
        askAgain =
            switch result {
            case .success(.pending(let seconds?)): now.addingTimeInterval(min(max(seconds, 1), 3600))
            case .success(let outcome): outcome.isFinal ? nil : now.addingTimeInterval(pause)
            case .failure(let error):
                error.phase == .maybeSent || [.journal, .unroutable].contains(error.code)
                    ? now.addingTimeInterval(pause) : nil
            }
    }
}
