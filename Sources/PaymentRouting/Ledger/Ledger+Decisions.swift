import PaymentCore

/// A person's decision about a payment whose service, wallet or settler never answers.
@nonexhaustive
public enum PaymentDecision: String, Sendable, Hashable, CaseIterable {
    /// It is paid or, for a refund, refunded.
    case paid
    /// It is not paid, and never will be.
    case notPaid = "not-paid"
    /// It is not paid, although the payer's wallet or settler reported a transaction or a proof: as when the network
    /// has dropped that transaction, and no longer can carry it out.
    case notPaidDespiteTransaction = "not-paid-despite-transaction"
}

extension Ledger {
    /// Returns the outcome of an attempt that a person has decided.
    ///
    /// - Parameter words: the person and the evidence.
    /// - Throws: ``PaymentError``, `decisionRefused`, where the record holds something against it.
    func outcome(
        of history: AttemptHistory, decided decision: PaymentDecision, _ words: String
    ) throws(PaymentError) -> PaymentOutcome {
        let payment = history.attempt.reference
        guard decision != .paid else { return .succeeded(PaymentReceipt(reference: payment, decision: words)) }
        let objection: String
        if decision == .notPaid, let transaction = history.walletTransfers.compactMap(\.self).last {
            objection =
                "the wallet has sent the money (\(transaction)): find out what became of that, and decide "
                + "'\(PaymentDecision.notPaidDespiteTransaction.rawValue)' only if it can never be carried out"
        } else if let end = signaturesEnd(in: history) {
            objection =
                "the service has the payer's signature, which pays until \(Self.text(of: end)): decide after that"
        } else {
            return .declined(DeclineReason(.decided, "not paid, as \(words)"))
        }
        throw PaymentError(.decisionRefused, objection, provider: payment.provider, phase: .maybeSent)
    }
}
