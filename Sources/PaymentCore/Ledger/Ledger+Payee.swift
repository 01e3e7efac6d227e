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
        let paid = receipt.amount ?? records.first(where: \.isPaidOrCaptured)?.attempt.option.amount
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
        guard let moved = done.last(where: { $0.attempt.reference.cancelledPayment == nil }),
            !done.contains(where: { $0.attempt.reference.cancelledPayment != nil })
        else { return nil }
        let own = done.first { report.payment.isPayment && $0.attempt.reference == report.payment }
        if case .succeeded(let receipt)? = own?.outcome { return claim(on: receipt.fact) }
        let paid = done.first(where: \.isPaidOrCaptured)?.attempt.option.amount
        if case .all = share(of: done.filter { $0.attempt.refund != nil }, paid) { return .declined(Self.refunded) }
        return unknown(
            report.payment,
            "by the journal \(moved.attempt.reference) is \(moved.attempt.reference.subject.done) "
                + "(attempt \(moved.attempt.id)); the service says: \(report); ask the service what became of the money"
        )
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

    /// True if the payment was paid or captured by this attempt, over its option's amount.
    fileprivate var isPaidOrCaptured: Bool {
        hasSucceeded && (attempt.reference.isPayment || attempt.reference.capturedPayment != nil)
    }
}
