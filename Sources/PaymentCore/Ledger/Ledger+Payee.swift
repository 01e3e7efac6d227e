/// The part of the payee in a payment, by the journal: its capture, its cancellation, its refunds. A service's word
/// about the payment may be older than these.
extension Ledger {
    /// Returns the claim to state where the service says that a payment is paid: another one where the payee has
    /// cancelled it, or refunded all of it, or may have.
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

    /// Returns the claim to state where the service says that no money moved; nil where the records do not say that
    /// some did. What the payer has paid from here is paid.
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
    /// captured or paid from here, less what was refunded or may still be. Nil where an amount is not known, which the
    /// service then decides.
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

    /// Returns the amount that was captured or, where no capture is recorded, paid from here; nil where it is not
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
