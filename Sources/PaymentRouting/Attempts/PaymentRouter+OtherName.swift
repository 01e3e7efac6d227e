package import PaymentCore

/// The status of payments whose service is asked under another name.
extension PaymentRouter {
    /// Asks for the outcome of a payment under the name by which its merchant's service knows it.
    package func status(
        of payment: PaymentReference, askedAs name: PaymentReference, as payer: Payer = Payer()
    ) async throws(PaymentError) -> PaymentOutcome {
        let outcome = try await status(of: name, as: payer)
        guard name != payment, outcome.deniesPayment else { return outcome }
        let histories = try await journaled(at: payment.provider, .answered) { try await $0.histories(of: payment) }
        return Ledger(histories, effects).verdict(on: try CheckedReport(outcome.report, of: name), at: .otherName)
    }
}
