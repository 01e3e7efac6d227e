package import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules that decide if two records of one service are of the same payment, or may be. Nothing else decides that.
///
/// A payment is identified by its ``PaymentReference``. Three kinds of services need more rules: those whose links have
/// names that only the service can resolve; those whose links name a payee and no payment, so names are drawn; and
/// those whose links may give several payments one name.
struct PaymentIdentity: Sendable {
    private let provider: ProviderID
    private let aliased: (any AliasedPaymentProvider)?
    private let paying: (any PayeeProvider)?
    private let reusing: (any ReusableReferenceProvider)?
    /// True if the service can capture, cancel or refund a payment, as a payee does.
    let isMerchants: Bool
    /// True if it refunds payments only as a whole.
    private let refundsOnce: Bool

    init(at provider: ProviderID, _ service: any PaymentService) {
        self.provider = provider
        aliased = service as? any AliasedPaymentProvider
        paying = service as? any PayeeProvider
        reusing = service as? any ReusableReferenceProvider
        let refunder = service as? any RefundingService
        isMerchants = refunder != nil || service is any CapturingService || service is any CancellingService
        refundsOnce = refunder?.refundsOnce ?? false
    }

    /// Returns the records of a payment under its own name, and those of its capture, its cancellation and its refunds.
    /// For a capture, a cancellation or a refund, returns its own records alone.
    func records(of payment: PaymentReference, in journal: any PaymentJournal) async throws -> [AttemptHistory] {
        var histories = try await journal.histories(of: payment)
        guard isMerchants, payment.isPayment else { return histories }
        for subject in [PaymentReference.Subject.capture, .cancellation] {
            histories += try await journal.histories(
                of: PaymentReference(provider: provider, id: payment.id, subject: subject))
        }
        let any = PaymentReference(provider: provider, id: "", subject: .refund(of: payment.id))
        return try await histories
            + journal.refunds(relatedTo: any).filter { $0.attempt.reference.refundedPayment == payment }
    }

    /// Returns the ledger of a payment's records. Paid records are left out if the name may be another payment's by
    /// now.
    func ledger(_ records: [AttemptHistory], _ effects: RouterEffects) -> Ledger {
        var ledger = Ledger(
            reusesNames ? records.filter { Ledger([$0], effects).recordedPayment == nil } : records, effects)
        ledger.refundsAreWhole = refundsOnce
        return ledger
    }

    /// True if a payment may have several names.
    var hasAliases: Bool { aliased != nil }

    /// Returns the payee of an option if its link names no single payment; nil otherwise.
    func payee(of option: PaymentMethodOption) -> String? { paying?.payee(of: option) }

    /// Returns true if `attempt` is a payment to `payee`, whatever its name.
    func isPayment(_ attempt: PaymentAttempt, to payee: String) -> Bool {
        isPayment(attempt) && self.payee(of: attempt.option) == payee
    }

    /// Returns the name of a payment to a payee whose link names no payment. The name shows the payee to people.
    ///
    /// - Parameter drawn: ``drawnDigits`` hexadecimal digits that no other payment to the payee has.
    static func name(ofPaymentTo payee: String, _ drawn: String) -> String { "\(payee)/\(drawn)" }

    /// The number of digits that tell the payments to one payee apart.
    static let drawnDigits = 24

    /// Returns true if a payment to `payee` is a period, which a plan has named. All other names are drawn
    /// (``name(ofPaymentTo:_:)``), and no period has a number of so many digits.
    static func isPeriod(_ payment: PaymentReference, of payee: String) -> Bool {
        let prefix = name(ofPaymentTo: payee, "")
        guard payment.id.utf8.starts(with: prefix.utf8) else { return true }
        return payment.id.utf8.count != prefix.utf8.count + drawnDigits
    }

    /// Returns true if `attempt` may be at `payment` under another name: one of the two names can be resolved by the
    /// service alone, and the ends of the payments' times do not differ.
    ///
    /// - Parameter ends: the ends of the payment's time, as far as they are known.
    func mayBe(_ payment: PaymentReference, until ends: [Date], _ attempt: PaymentAttempt) -> Bool {
        guard let aliased, payment.isPayment, isPayment(attempt), attempt.reference != payment,
            aliased.isUnresolved(payment) || aliased.isUnresolved(attempt.reference)
        else { return false }
        guard let end = attempt.expiresAt, !ends.isEmpty else { return true }
        return ends.contains(end)
    }

    private func isPayment(_ attempt: PaymentAttempt) -> Bool {
        attempt.reference.provider == provider && attempt.reference.isPayment
    }

    /// True if one name may be of several payments.
    var reusesNames: Bool { reusing != nil }

    /// Throws when `attempt`, which has the same name as the payment of `link`, is about something else.
    func distinguish(_ link: PaymentLink?, from attempt: PaymentAttempt) throws(PaymentError) {
        if let link { try reusing?.distinguish(link, from: attempt) }
    }
}

extension PaymentReference {
    /// The name of a refund's id in the whole account, whatever payment it is of. Nil for everything except a refund
    /// that names its payment.
    package var refundName: PaymentReference? {
        guard refundedPayment != nil else { return nil }
        return PaymentReference(provider: provider, id: id, subject: .refund(of: nil))
    }

    /// Returns true if both are refunds, at one account, of the same payment or with the same id:
    /// ``AttemptStore/refunds(relatedTo:)``.
    package func isRefund(relatedTo other: PaymentReference) -> Bool {
        guard let name = refundName, let otherName = other.refundName else { return false }
        return name == otherName || refundedPayment == other.refundedPayment
    }
}

extension AttemptHistory {
    /// True if the attempt's particulars bind its name: it is open, or it moved money or may have. An attempt that was
    /// abandoned before it sent anything, or that the service declined, leaves the name free.
    var bindsName: Bool {
        guard isFinished else { return true }
        return outcome.map { !$0.deniesPayment } ?? mayHaveMovedMoney
    }
}
