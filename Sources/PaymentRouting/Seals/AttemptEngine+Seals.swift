import PaymentCore

/// The handling of attempts whose record in the journal was changed by another writer.
extension AttemptEngine {
    /// Ends work on a payment because of such a record: nothing is signed, paid or written for it. The service is
    /// asked, and only its status is believed then.
    ///
    /// - Parameter isNamed: true if the caller named the payment; otherwise it is known from the record alone, which
    ///   may name another one.
    /// - Throws: ``PaymentError``, `integrity`, when not even the record says that anything was sent.
    func statusOfUnsealedAttempt(_ history: AttemptHistory, isNamed: Bool) async throws -> PaymentOutcome {
        let attempt = history.attempt
        let message = Ledger.distrust(of: attempt.id)
        guard history.hasBegunMutation || history.outcome != nil else { throw error(.integrity, message) }
        if isNamed || effects.journalKey?.isSound(attempt) != false {
            if let report = try? await serviceClient.status(of: attempt), report.isFinal {
                return Ledger([history], effects).verdict(on: report, at: .question)
            }
        }
        return .unknown(UnknownOutcome(reference: attempt.reference, message: message))
    }
}
