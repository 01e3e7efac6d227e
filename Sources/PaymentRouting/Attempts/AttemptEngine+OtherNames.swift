import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payments that may have been begun under another name.
///
/// What only the service can resolve has no name that this device could know it by. What it does know of a payment under
/// any name is when its time is over, to the second.
extension AttemptEngine {
    /// What is told of the payment of `quote` when something that may have moved money was begun for what may be the same
    /// payment, under another name. Nil when there is no such thing.
    func begunElsewhere(_ quote: PaymentQuote) async throws -> PaymentOutcome? {
        let others = try await otherNames(of: quote.reference, until: quote.expiresAt).filter(\.mayHaveMovedMoney)
        guard let last = others.last else { return nil }
        guard let outcome = quote.outcome else { return Self.leftTo(last, quote.reference) }
        guard Self.claimsNoEffect(outcome) else { return nil }
        // Any of them may be this payment.
        let word = others.reduce(outcome, Self.believable)
        return word == outcome ? nil : word
    }

    /// Gives up an attempt that has moved nothing while another one is open at what may be the same payment. Asked after it
    /// was stored, so that of two that begin at the same time one at least sees the other.
    func yields(_ history: AttemptHistory) async throws -> PaymentOutcome? {
        let attempt = history.attempt
        guard attempt.refund == nil, !history.mayHaveMovedMoney, history.outcome == nil,
            let other = try await otherNames(of: attempt.reference, until: attempt.expiresAt).last
        else { return nil }
        try await giveUp(attempt, after: error(.unusableOption, "another attempt may be at the same payment"))
        return Self.leftTo(other, attempt.reference)
    }

    private static func leftTo(_ other: AttemptHistory, _ payment: PaymentReference) -> PaymentOutcome {
        .unknown(
            UnknownOutcome(
                reference: payment,
                message: "this may be the payment that was begun as \(other.attempt.reference.id) (attempt "
                    + "\(other.attempt.id)), whose end is not known; resume that one before you pay again"))
    }

    /// The open attempts at what may be `payment` under other names, oldest first.
    private func otherNames(of payment: PaymentReference, until end: Date?) async throws -> [AttemptHistory] {
        guard let provider = service as? any UnresolvedPaymentsProvider, let end else { return [] }
        return try await journaled { try await journal.base.unfinished() }.filter { history in
            let attempt = history.attempt
            return attempt.reference != payment && attempt.reference.provider == payment.provider
                && attempt.refund == nil && attempt.expiresAt == end
                && (provider.isUnresolved(payment) || provider.isUnresolved(attempt.reference))
                && effects.isSound(history)
        }
    }
}
