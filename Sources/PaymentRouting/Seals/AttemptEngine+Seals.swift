import PaymentCore

/// The handling of attempts whose record in the journal was changed by another writer.
extension AttemptEngine {
    /// Returns the first of `histories` with a broken seal, those that may have moved money before all others.
    func broken(_ histories: [AttemptHistory]) -> AttemptHistory? {
        let broken = histories.filter { !effects.isSound($0) }
        return broken.first(where: Self.mayHaveSent) ?? broken.first
    }

    /// Ends work on a payment because of such a record: nothing is signed, paid or written for it. The service is
    /// asked, and only its status is believed then.
    ///
    /// - Parameter isNamed: true if the caller named the payment; otherwise it is known from the record alone, which
    ///   may name another one.
    /// - Throws: ``PaymentError``, `integrity`, when not even the record says that anything was sent.
    func statusOfUnsealedAttempt(_ history: AttemptHistory, isNamed: Bool) async throws -> PaymentOutcome {
        let attempt = history.attempt
        let message = Ledger.distrust(of: attempt.id)
        guard Self.mayHaveSent(history) else { throw error(.integrity, message) }
        if isNamed || effects.journalKey?.isSound(attempt) != false {
            if let report = try? await serviceClient.status(of: attempt), report.isFinal {
                return Ledger([history], effects).verdict(on: report, at: .question)
            }
        }
        return .unknown(UnknownOutcome(reference: attempt.reference, message: message))
    }

    private static func mayHaveSent(_ history: AttemptHistory) -> Bool {
        history.hasBegunMutation || history.outcome != nil
    }
}
