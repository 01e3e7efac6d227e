import CitconProvider
import PaymentCore

/// The journaled data of a refund.
struct RefundFacts: Sendable, Codable {
    let id: String?
    let object: String?
    let reference: String?
    let status: String?
    let currency: String?
    let amount: Int?
    let amountRefunded: Int?
    /// True if an inquiry found it, so that another server may have requested it, over another amount.
    let isFound: Bool
    /// True if the service refused the request because an earlier one had made it.
    private(set) var isEarlier: Bool?

    init(_ fields: TransactionFields, isFound: Bool) {
        id = fields.id
        object = fields.object
        reference = fields.reference
        status = fields.status
        currency = fields.currency
        amount = fields.amount
        amountRefunded = fields.amountRefunded
        self.isFound = isFound
    }

    /// Returns the same refund as one that an earlier request has made, or may not.
    func madeEarlier(_ isEarlier: Bool) -> RefundFacts {
        var facts = self
        facts.isEarlier = isEarlier
        return facts
    }

    /// Returns the report of the refund. Where the stated amounts differ, the vendor does not document which is the
    /// refund's own: such a refund is unknown.
    ///
    /// - Parameter isEarlier: true if the service says that an earlier request made it.
    /// - Throws: ``PaymentError`` with code `integrity` when it is another refund.
    func report(of request: RefundRequest, reference: String, isEarlier: Bool = false) throws -> ServiceReport {
        let stated = [amount, amountRefunded].compactMap(\.self)
            .map { UInt128(exactly: $0) == request.amount.minorUnits }
        // A code in another letter case is the same currency (Protocol 7).
        guard self.reference == reference,
            currency?.equalsIgnoringASCIICase(request.amount.currency.description) == true, stated.contains(true)
        else {
            throw PaymentError(
                .integrity, "Citcon answered with another refund than was asked for",
                provider: request.payment.provider,
                phase: .maybeSent)
        }
        let state = CitconStatus(rawValue: status ?? "")
        guard state != .succeeded || !stated.contains(false) && (amountRefunded != nil || !isFound) else {
            return .unknown(
                UnknownOutcome(
                    reference: request.reference,
                    message: "Citcon shows a refund of this reference, but not clearly over which amount; look at the "
                        + "notifications or the portal"))
        }
        return state.merchantReport(
            of: request.reference, amount: request.amount, transactionID: id, isEarlier: isEarlier)
    }
}
