import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The journal's records of one payment, or of what may be the same one, and what they allow to be stated about it.
///
/// A service's report is a claim. That no money moved is stated only where nothing that is recorded could have moved it
/// without the service, or still can.
struct Ledger: Sendable {
    /// The part of the program that states an outcome.
    enum Face {
        /// The attempt's own run, which has handled what it began.
        case run
        /// Any other, while an attempt may be open: a quote, a status.
        case question
        /// A status that is asked under the merchant's name for the payment: it does not tell which of the payer's
        /// attempts a refusal is about.
        case otherName
    }

    private let histories: [AttemptHistory]
    private let isSound: @Sendable (AttemptHistory) -> Bool
    private let now: Date

    init(_ histories: [AttemptHistory], _ effects: RouterEffects) {
        self.histories = histories
        isSound = effects.isSound
        now = effects.clock.now
    }

    /// True if the outcome is final and no money moved.
    static func isFinalWithoutPayment(_ outcome: PaymentOutcome) -> Bool {
        if case .succeeded = outcome { false } else { outcome.isFinal }
    }

    /// Returns the outcome to state where the service, or this device, reports `report`: the only reader of reports.
    func verdict(on report: ServiceReport, at face: Face) -> PaymentOutcome {
        let words: String
        switch report.claim {
        case .succeeded, .pending: return report.claim
        case .unknown(let unknown): words = unknown.message
        case .declined, .cancelled, .expired: words = "the service says: \(report.claim)"
        }
        for history in histories {
            guard let obstacle = obstacle(in: history, at: face, isFinal: report.deniesPayment) else { continue }
            return .unknown(
                UnknownOutcome(
                    reference: history.attempt.reference,
                    rawStatus: report.deniesPayment ? report.claim.description : nil,
                    message: "\(obstacle.fact); \(words); \(obstacle.advice)"))
        }
        return report.claim
    }

    /// The trusted record of an attempt that paid.
    var recordedPayment: AttemptHistory? {
        histories.first { if case .succeeded? = $0.outcome { isSound($0) } else { false } }
    }

    /// Returns the recorded outcome of a payment that only the payer's settler sees.
    func recorded(of payment: PaymentReference) -> PaymentOutcome {
        if let paid = recordedPayment?.outcome { return paid }
        let sound = histories.filter(isSound)
        let message: String
        if let distrusted = histories.first(where: { !isSound($0) }) {
            message = Self.distrust(of: distrusted.attempt.id)
        } else if let open = sound.last(where: { !$0.isFinished }) {
            let sent = open.mayHaveMovedMoney ? "money may have moved" : "nothing was sent yet"
            message = "the attempt \(open.attempt.id) is open, and \(sent); resume it, so that the settler is asked"
        } else if let outcome = sound.last(where: { $0.outcome != nil })?.outcome {
            return outcome
        } else {
            message = "nothing was paid from here, as far as the journal knows"
        }
        return .unknown(UnknownOutcome(reference: payment, message: message))
    }

    /// The reason for which a record proves nothing, and what to do.
    static func distrust(of attempt: AttemptID) -> String {
        "the journal's record of the attempt \(attempt) was changed by another program, or made without this key; "
            + "keep the journal for examination, and ask the payee before paying in any other way"
    }

    /// Returns the date until which a signature is good, for people.
    static func text(of end: Date) -> String { RFC3339(seconds: Int64(end.timeIntervalSince1970)).text }

    // MARK: What stands against a refusal

    private struct Obstacle {
        let fact: String
        let advice: String
    }

    /// Returns what a record holds against the report that no money moved.
    private func obstacle(in history: AttemptHistory, at face: Face, isFinal: Bool) -> Obstacle? {
        if let transfer = transfer(in: history) { return transfer }
        let id = history.attempt.id
        if let end = signaturesEnd(in: history) {
            return Obstacle(
                fact: "the service has the payer's signature, which pays until \(Self.text(of: end))",
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
        guard history.hasUnresolvedMutation else { return nil }
        return Obstacle(
            fact: "a request of the attempt \(id) has no answer and may still arrive",
            advice: "resume it, or recover, to learn what became of it")
    }

    /// Returns the end of the signatures that the service has and that still pay.
    func signaturesEnd(in history: AttemptHistory) -> Date? {
        guard !history.isFinished, let end = history.signaturesEnd, end > now else { return nil }
        return end
    }

    /// Returns what the payer's wallet or settler may have sent by itself.
    private func transfer(in history: AttemptHistory) -> Obstacle? {
        let transfers = history.walletTransfers
        guard !transfers.isEmpty else { return nil }
        let transactions = transfers.compactMap(\.self)
        let sent =
            transactions.isEmpty
            ? "the wallet may have sent the money, but did not report the transaction"
            : "the wallet has sent the money (transaction \(transactions.joined(separator: ", ")))"
        let advice = history.hasOpenSettlement ? "resume it, so that the settler is asked" : "ask the payee"
        return Obstacle(fact: sent, advice: "do not pay again, \(advice)")
    }
}

/// The claim of a service, or of this device, about a payment.
///
/// A claim that it is paid is of the payment that was asked about. The claim itself is read by the ledger alone, so
/// that it cannot be stated in another way.
struct ServiceReport: Sendable, CustomStringConvertible {
    fileprivate let claim: PaymentOutcome
    private let payment: PaymentReference

    /// Takes a claim about `payment`.
    ///
    /// - Throws: ``PaymentError``, `integrity`, for a receipt for another payment.
    init(_ claim: PaymentOutcome, of payment: PaymentReference) throws(PaymentError) {
        (self.claim, self.payment) = (claim, payment)
        if case .succeeded(let receipt) = claim, receipt.reference != payment {
            throw mismatch("the receipt is for another payment")
        }
    }

    private init(unpaid claim: PaymentOutcome, of payment: PaymentReference) {
        (self.claim, self.payment) = (claim, payment)
    }

    /// Claims, for this device, that `payment` is not paid because of `code`.
    static func refused(
        _ code: DeclineReason.Code, _ message: String, of payment: PaymentReference
    ) -> ServiceReport {
        ServiceReport(unpaid: .declined(DeclineReason(code, message)), of: payment)
    }

    /// Claims, for this device, that the payer has cancelled `payment`.
    static func cancelled(_ payment: PaymentReference) -> ServiceReport {
        ServiceReport(unpaid: .cancelled, of: payment)
    }

    /// Claims nothing of `payment`.
    static func unknown(_ message: String, of payment: PaymentReference) -> ServiceReport {
        ServiceReport(unpaid: .unknown(UnknownOutcome(reference: payment, message: message)), of: payment)
    }

    /// The claim for people.
    var description: String { claim.description }
    /// True if nothing more will happen, by the claim.
    var isFinal: Bool { claim.isFinal }
    /// True if no money has moved and none will, by the claim.
    var deniesPayment: Bool { Ledger.isFinalWithoutPayment(claim) }
    /// True if it is paid, by the claim.
    var affirmsPayment: Bool { isFinal && !deniesPayment }
    /// The wait that the service asks for before the next question.
    var wait: Duration? { if case .pending(let wait) = claim { wait } else { nil } }

    /// Returns the report where its receipt, if it states an amount, is over the amount that the payer agreed to.
    ///
    /// - Throws: ``PaymentError``, `integrity`.
    func checked(over agreed: Money, isEstimate: Bool) throws(PaymentError) -> ServiceReport {
        guard case .succeeded(let receipt) = claim, let paid = receipt.amount else { return self }
        guard paid.currency.denotesSame(as: agreed.currency), paid.exponent == agreed.exponent else {
            throw mismatch("the receipt is in another currency than the chosen option")
        }
        guard paid.minorUnits == agreed.minorUnits || isEstimate else {
            throw mismatch("the receipt is over \(paid), but \(agreed) was agreed")
        }
        return self
    }

    /// Returns the report where it fits `attempt`.
    ///
    /// - Throws: ``PaymentError``, `integrity`.
    func checked(against attempt: PaymentAttempt) throws(PaymentError) -> ServiceReport {
        try checked(over: attempt.option.amount, isEstimate: attempt.option.isEstimate)
    }

    /// Returns the report of what became of an attempt: a payment in another currency, while none of the requests that
    /// the attempt sent was accepted, was made by another payer, or by the payer with another device.
    ///
    /// - Parameter isUnsent: true if nothing was ever sent for the attempt; then any other amount proves the same.
    /// - Throws: ``PaymentError``, `integrity`.
    func checked(against history: AttemptHistory, isUnsent: Bool = false) throws(PaymentError) -> ServiceReport {
        let attempt = history.attempt
        do { return try checked(against: attempt) } catch {
            guard case .succeeded(let receipt) = claim, attempt.refund == nil, let paid = receipt.amount,
                !history.hasAcceptedMutation,
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
