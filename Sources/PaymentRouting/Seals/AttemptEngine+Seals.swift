import PaymentCore

/// The handling of attempts whose record in the journal was changed by another writer.
extension AttemptEngine {
    /// Ends work on a payment because of such a record, those that may have moved money before all others: nothing is
    /// signed, paid or written for it. The service is asked, and only its status is believed then. Nil when there is no
    /// such record among `histories`.
    ///
    /// - Parameter isNamed: true if the caller named the payment; otherwise it is known from the record alone, which
    ///   may name another one.
    /// - Throws: ``PaymentError``, `integrity`, when not even the record says that anything was sent.
    func statusOfUnsealedAttempt(
        among histories: [AttemptHistory], isNamed: Bool
    ) async throws -> PaymentOutcome? {
        let unsealed = histories.filter { !effects.isSound($0) }
        guard let first = unsealed.first else { return nil }
        guard let history = unsealed.first(where: { $0.hasBegunMutation || $0.outcome != nil }) else {
            throw error(.integrity, Ledger.distrust(of: first.attempt.id))
        }
        let attempt = history.attempt
        if isNamed || effects.journalKey?.isSound(attempt) != false {
            if let report = try? await serviceClient.status(of: attempt), report.isFinal {
                return Ledger([history], effects).verdict(on: report, at: .question)
            }
        }
        return .unknown(UnknownOutcome(reference: attempt.reference, message: Ledger.distrust(of: attempt.id)))
    }
}
