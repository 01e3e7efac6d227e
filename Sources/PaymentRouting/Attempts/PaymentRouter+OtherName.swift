package import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The status of payments whose service is asked under another name.
extension PaymentRouter {
    /// Returns the records of open attempts that may have moved money for `payment`, begun under a name that only the
    /// service can resolve.
    ///
    /// - Parameter ends: the ends of the payment's time, as far as they are known: one with another end is another.
    func recordsUnderOtherNames(
        of payment: PaymentReference, until ends: [Date], _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> [AttemptHistory] {
        guard serviceClient.hasAliases, !payment.isRefund else { return [] }
        let open = try await journaled(at: payment.provider, .answered) { try await $0.unfinished() }
        return open.filter { history in
            let other = history.attempt
            guard other.reference.provider == payment.provider, other.reference != payment, other.refund == nil,
                history.mayHaveMovedMoney || !effects.isSound(history)
            else { return false }
            if let end = other.expiresAt, !ends.isEmpty, !ends.contains(end) { return false }
            return serviceClient.isUnresolved(payment) || serviceClient.isUnresolved(other.reference)
        }
    }

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
