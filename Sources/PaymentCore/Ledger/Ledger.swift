#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The journal's records of one payment, or of what may be the same one, and what they allow to be stated about it.
///
/// A service's report is a claim. That no money moved is stated only if nothing that is recorded could have moved it
/// without the service, or still can.
package struct Ledger: Sendable {
    /// The part of the program that states an outcome.
    package enum Face {
        /// The attempt's own run, which has handled what it began.
        case run
        /// Any other, while an attempt may be open: a quote, a status.
        case question
        /// A status that is asked under the merchant's name for the payment: it does not say which of the payer's
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

    /// The ledger without records.
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

    /// Why a record proves nothing, and what to do.
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
        // The beginning of a cancellation moves no money.
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

// MARK: - The payee

/// The payee's part in a payment, by the journal: its capture, its cancellation, its refunds. A service's status of the
/// payment may be older than these.
extension Ledger {
    /// Returns the claim to state when the service says that a payment is paid. It is another claim if the payee has
    /// cancelled the payment or refunded all of it, or may have.
    func claim(on receipt: PaymentReceipt) -> ServiceReport {
        guard receipt.reference.isPayment else { return .succeeded(receipt) }
        let records = records(of: receipt.reference)
        let cancellations = records.filter { $0.attempt.reference.cancelledPayment != nil }
        if cancellations.contains(where: \.hasSucceeded) { return .cancelled }
        if let open = cancellations.last(where: { !$0.isFinished }) {
            return unknown(
                receipt.reference,
                "its cancellation was begun (attempt \(open.attempt.id)), and what became of that is not known; resume it, "
                    + "or recover")
        }
        let paid = receipt.amount ?? taken(in: records)?.amount
        let refunds = records.filter { $0.attempt.refund != nil }
        let made = refunds.filter(\.hasSucceeded)
        switch share(of: made, paid) {
        case .none, .part: break
        case .all: return .declined(Self.refunded)
        case .unclear:
            return unknown(
                receipt.reference,
                "the service says that it is paid; refunds of it were made here, and how much was paid is not known")
        }
        switch share(of: made + refunds.filter { !$0.isFinished }, paid) {
        case .none, .part: return .succeeded(receipt)
        case .all, .unclear:
            return unknown(
                receipt.reference,
                "a refund of it was begun, and what became of that is not known; resume it, or recover")
        }
    }

    /// Returns the claim to state when the service says that no money moved; nil if the records do not show that some
    /// did. A payment that the payer has made from here is paid.
    func claim(against report: CheckedReport) -> ServiceReport? {
        let done = records(of: report.payment).filter(\.hasSucceeded)
        guard let moved = done.last, !done.contains(where: { $0.attempt.reference.cancelledPayment != nil }) else {
            return nil
        }
        let own = done.first { report.payment.isPayment && $0.attempt.reference == report.payment }
        if case .succeeded(let receipt)? = own?.outcome { return claim(on: receipt.fact) }
        let refunds = done.filter { $0.attempt.refund != nil }
        if case .all = share(of: refunds, taken(in: done)?.amount) { return .declined(Self.refunded) }
        return unknown(
            report.payment,
            "by the journal \(moved.attempt.reference) is \(moved.attempt.reference.subject.done) "
                + "(attempt \(moved.attempt.id)); the service says: \(report); ask the service what became of the money"
        )
    }

    /// Returns the reason against a refund that is over more than what is left of its payment: the amount that was
    /// captured or paid from here, less what was refunded or may still be. Nil if an amount is not known; the service
    /// decides then.
    package func excess(of request: RefundRequest) -> (message: String, mayEnd: Bool)? {
        let records = records(of: request.payment)
        guard let taken = taken(in: records) else { return nil }
        let others = records.filter { $0.attempt.refund != nil && $0.attempt.reference != request.reference }
        let open = others.filter { !$0.isFinished }
        do throws(MoneyError) {
            var left = taken.amount
            for other in others.filter(\.hasSucceeded) + open {
                let amount = other.attempt.option.amount
                left = try left.isLess(than: amount) ? left.subtracting(left) : left.subtracting(amount)
            }
            guard try left.isLess(than: request.amount) else { return nil }
            let refunds = open.map { "the refund '\($0.attempt.reference.id)' is in flight" }
            let why = ([("\(taken.amount) was \(taken.verb)")] + refunds).joined(separator: ", ")
            return (
                "the refund of \(request.amount) is over more than what is left of the payment: \(why). Refund at most "
                    + "\(left)", !open.isEmpty
            )
        } catch { return nil }
    }

    /// Returns the amount that was captured or, if no capture is recorded, paid from here; nil if it is not
    /// known.
    private func taken(in records: [AttemptHistory]) -> (amount: Money, verb: String)? {
        let done = records.filter(\.hasSucceeded)
        let capture = done.last { $0.attempt.reference.capturedPayment != nil }
        guard let source = capture ?? done.last(where: \.attempt.reference.isPayment) else { return nil }
        let verb = source.attempt.reference.subject.done
        if case .succeeded(let receipt)? = source.outcome, let amount = receipt.amount { return (amount, verb) }
        let option = source.attempt.option
        return option.isEstimate ? nil : (option.amount, verb)
    }

    private static let refunded = DeclineReason(.refunded, "it was paid, and all of it was refunded")

    private func unknown(_ payment: PaymentReference, _ message: String) -> ServiceReport {
        .unknown(UnknownOutcome(reference: payment, message: message))
    }

    /// The trusted records of a payment, and of what its payee did with it; or those of a refund or a capture alone.
    private func records(of subject: PaymentReference) -> [AttemptHistory] {
        histories.filter {
            let reference = $0.attempt.reference
            return (reference == subject || reference.handledPayment == subject) && isSound($0)
        }
    }

    private enum Share {
        case none, part, all, unclear
    }

    /// Returns the part of `paid` that refunds are over.
    private func share(of refunds: [AttemptHistory], _ paid: Money?) -> Share {
        guard let first = refunds.first else { return .none }
        if refundsAreWhole { return .all }
        do throws(MoneyError) {
            guard let paid else { return .unclear }
            var sum = first.attempt.option.amount
            for refund in refunds.dropFirst() { sum = try sum.adding(refund.attempt.option.amount) }
            return try sum.isLess(than: paid) ? .part : .all
        } catch { return .unclear }
    }
}

extension AttemptHistory {
    fileprivate var hasSucceeded: Bool { if case .succeeded? = outcome { true } else { false } }
}
