/// The claim of a service, or of this device, about the payment that was asked about.
package struct CheckedReport: Sendable, CustomStringConvertible {
    let claim: ServiceReport
    let payment: PaymentReference

    /// Takes a claim about `payment`.
    ///
    /// - Throws: ``PaymentError``, `integrity`, for a receipt for another payment.
    package init(_ claim: ServiceReport, of payment: PaymentReference) throws(PaymentError) {
        (self.claim, self.payment) = (claim, payment)
        if case .succeeded(let receipt) = claim, receipt.reference != payment {
            throw mismatch("the receipt is for another payment")
        }
    }

    /// Takes a claim that nothing is compared with.
    package init(uncompared claim: ServiceReport) {
        self.init(claiming: claim, of: PaymentReference(provider: "", id: ""))
    }

    private init(claiming claim: ServiceReport, of payment: PaymentReference) {
        (self.claim, self.payment) = (claim, payment)
    }

    /// Claims, for this device, that `payment` is not paid because of `code`.
    package static func refused(
        _ code: DeclineReason.Code, _ message: String, of payment: PaymentReference
    ) -> CheckedReport {
        CheckedReport(claiming: .declined(DeclineReason(code, message)), of: payment)
    }

    /// Claims, for this device, that the payer has cancelled `payment`.
    package static func cancelled(_ payment: PaymentReference) -> CheckedReport {
        CheckedReport(claiming: .cancelled, of: payment)
    }

    /// Claims nothing of `payment`.
    package static func unknown(_ message: String, of payment: PaymentReference) -> CheckedReport {
        CheckedReport(claiming: .unknown(UnknownOutcome(reference: payment, message: message)), of: payment)
    }

    /// The claim for people.
    package var description: String { claim.description }
    /// True if nothing more will happen, by the claim.
    package var isFinal: Bool { claim.isFinal }
    /// True if no money has moved and none will, by the claim.
    package var deniesPayment: Bool { claim.deniesPayment }
    /// True if it is paid, by the claim.
    package var affirmsPayment: Bool { isFinal && !deniesPayment }
    /// True if the payment was cancelled, by the claim.
    package var isCancelled: Bool { claim == .cancelled }
    /// The wait that the service asks for before the next question.
    package var wait: Duration? { if case .pending(let wait) = claim { wait } else { nil } }

    /// Returns the report if its receipt states no amount, or the amount that the payer agreed to.
    ///
    /// - Throws: ``PaymentError``, `integrity`.
    package func checked(over agreed: Money, isEstimate: Bool) throws(PaymentError) -> CheckedReport {
        guard case .succeeded(let receipt) = claim else { return self }
        guard let paid = receipt.amount else {
            // The payee chooses the amount, so only the amount shows that this capture was made.
            if payment.capturedPayment != nil { throw mismatch("the receipt does not state the captured amount") }
            return self
        }
        guard paid.currency.denotesSame(as: agreed.currency), paid.exponent == agreed.exponent else {
            throw mismatch("the receipt is in another currency than the chosen option")
        }
        guard paid.minorUnits == agreed.minorUnits || isEstimate else {
            throw mismatch("the receipt is over \(paid), but \(agreed) was agreed")
        }
        return self
    }

    /// Returns the report if it fits `attempt`.
    ///
    /// - Throws: ``PaymentError``, `integrity`.
    package func checked(against attempt: PaymentAttempt) throws(PaymentError) -> CheckedReport {
        try checked(over: attempt.option.amount, isEstimate: attempt.option.isEstimate)
    }

    /// Returns the report of an attempt's outcome. A payment in another currency was made by another payer, or by the
    /// payer with another device, if none of the requests that the attempt sent was accepted.
    ///
    /// - Parameter isUnsent: true if nothing was ever sent for the attempt; then any other amount proves the same.
    /// - Throws: ``PaymentError``, `integrity`.
    package func checked(against history: AttemptHistory, isUnsent: Bool = false) throws(PaymentError) -> CheckedReport
    {
        let attempt = history.attempt
        do { return try checked(against: attempt) } catch {
            guard case .succeeded(let receipt) = claim, attempt.reference.isPayment, let paid = receipt.amount,
                !history.authorities.wereAccepted,
                isUnsent || !paid.currency.denotesSame(as: attempt.option.amount.currency)
            else { throw error }
            return .refused(
                .paidElsewhere, "the payment is paid already, with \(paid) instead of \(attempt.option.amount)",
                of: payment)
        }
    }

    private func mismatch(_ message: String) -> PaymentError {
        PaymentError(.integrity, message, provider: payment.provider, phase: .maybeSent)
    }
}
