#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The journal's records of one payment, or of what may be the same one, and what they allow to be stated about it.
///
/// A service's report is a claim. That no money moved is stated only where nothing that is recorded could have moved it
/// without the service, or still can.
package struct Ledger: Sendable {
    /// The part of the program that states an outcome.
    package enum Face {
        /// The attempt's own run, which has handled what it began.
        case run
        /// Any other, while an attempt may be open: a quote, a status.
        case question
        /// A status that is asked under the merchant's name for the payment: it does not tell which of the payer's
        /// attempts a refusal is about.
        case otherName
    }

    let histories: [AttemptHistory]
    let isSound: @Sendable (AttemptHistory) -> Bool
    /// True if the service refunds payments only as a whole.
    package var refundsAreWhole = false
    private let now: Date

    /// Creates the ledger of records, oldest first.
    ///
    /// - Parameter isSound: true for records that can be trusted.
    package init(_ histories: [AttemptHistory], now: Date, isSound: @escaping @Sendable (AttemptHistory) -> Bool) {
        (self.histories, self.now, self.isSound) = (histories, now, isSound)
    }

    /// The ledger where nothing is recorded.
    package static let empty = Ledger([], now: .distantPast) { _ in true }

    /// The trusted record of an attempt that paid.
    package var recordedPayment: AttemptHistory? {
        histories.first { if case .succeeded? = $0.outcome { isSound($0) } else { false } }
    }

    /// Returns the recorded outcome of a payment that only the payer's settler sees.
    package func recorded(of payment: PaymentReference) -> PaymentOutcome {
        if let paid = recordedPayment?.outcome { return paid }
        let message: String
        if let distrusted = histories.first(where: { !isSound($0) }) {
            message = Self.distrust(of: distrusted.attempt.id)
        } else if let open = histories.last(where: { !$0.isFinished }) {
            let sent = open.mayHaveMovedMoney ? "money may have moved" : "nothing was sent yet"
            message = "the attempt \(open.attempt.id) is open, and \(sent); resume it, so that the settler is asked"
        } else if let outcome = histories.last(where: { $0.outcome != nil })?.outcome {
            return outcome
        } else {
            message = "nothing was paid from here, as far as the journal knows"
        }
        return .unknown(UnknownOutcome(reference: payment, message: message))
    }

    /// The reason for which a record proves nothing, and what to do.
    package static func distrust(of attempt: AttemptID) -> String {
        "the journal's record of the attempt \(attempt) was changed by another program, or made without this key; "
            + "keep the journal for examination, and ask the payee before paying in any other way"
    }

    // MARK: What stands against a refusal

    struct Obstacle {
        let fact: String
        let advice: String
    }

    /// Returns what a record holds against the report that no money moved.
    func obstacle(in history: AttemptHistory, at face: Face, isFinal: Bool) -> Obstacle? {
        // That a cancellation was begun is no money.
        guard history.attempt.reference.cancelledPayment == nil else { return nil }
        if let transfer = transfer(in: history) { return transfer }
        let id = history.attempt.id
        if let end = signaturesEnd(in: history) {
            return Obstacle(
                fact: "the service has the payer's signature, which pays until \(RFC3339(end).text)",
                advice: "do not pay in any other way before that time, and ask again after it")
        }
        guard isFinal else { return nil }
        guard isSound(history) else { return Obstacle(fact: "nothing is certain", advice: Self.distrust(of: id)) }
        guard face != .run, !history.isFinished else { return nil }
        guard face != .otherName, history.mayHaveMovedMoney else {
            return Obstacle(
                fact: "the attempt \(id) is open here and may still be resumed",
                advice: "resume it, or recover, to end it")
        }
        guard history.authorities.areUnresolved else { return nil }
        return Obstacle(
            fact: "a request of the attempt \(id) has no answer and may still arrive",
            advice: "resume it, or recover, to learn what became of it")
    }

    /// Returns the end of the signatures that the service has and that still pay.
    package func signaturesEnd(in history: AttemptHistory) -> Date? {
        guard !history.isFinished, let end = history.authorities.signaturesEnd, end > now else { return nil }
        return end
    }

    /// Returns what the payer's wallet or settler may have sent by itself.
    private func transfer(in history: AttemptHistory) -> Obstacle? {
        let authorities = history.authorities
        let transfers = authorities.transfers
        guard !transfers.isEmpty else { return nil }
        let transactions = transfers.compactMap(\.self)
        let sent =
            transactions.isEmpty
            ? "the wallet may have sent the money, but did not report the transaction"
            : "the wallet has sent the money (transaction \(transactions.joined(separator: ", ")))"
        let advice = authorities.haveSettlement ? "resume it, so that the settler is asked" : "ask the payee"
        return Obstacle(fact: sent, advice: "do not pay again, \(advice)")
    }

    /// Returns what a record holds against the decision that a payment is not paid.
    func objection(to decision: PaymentDecision, in history: AttemptHistory) -> String? {
        if decision == .notPaid, let transaction = history.walletTransfers.compactMap(\.self).last {
            return "the wallet has sent the money (\(transaction)): find out what became of that, and decide "
                + "'\(PaymentDecision.notPaidDespiteTransaction.rawValue)' only if it can never be carried out"
        }
        return signaturesEnd(in: history).map {
            "the service has the payer's signature, which pays until \(RFC3339($0).text): decide after that"
        }
    }
}
