package import PaymentCore

extension PaymentOutcome {
    /// The receipt of a payment that was made; nil otherwise.
    package var receipt: PaymentReceipt? { if case .succeeded(let receipt) = self { receipt.fact } else { nil } }

    /// The reason of a refusal; nil otherwise.
    package var declineReason: DeclineReason? { if case .declined(let reason) = self { reason.fact } else { nil } }

    /// What is known of an outcome that is not known; nil otherwise.
    package var unknownOutcome: UnknownOutcome? { if case .unknown(let unknown) = self { unknown } else { nil } }
}

extension PaymentStatement {
    /// The stated outcome; nil if the call was stopped.
    package var outcome: PaymentOutcome? { if case .stated(let outcome) = self { outcome } else { nil } }
}
