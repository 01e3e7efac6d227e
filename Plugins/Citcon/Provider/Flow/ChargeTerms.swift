package import PaymentCore

/// What an order is over, as it was agreed.
///
/// The one check of every answer that sends a payer somewhere or calls a charge over: it has to state all of this, in a
/// form that can be read. The documented answers to creating, confirming and asking about a charge have all three
/// members (Protocol 2.4.3, 2.5 and 2.6); none is known to leave one out.
package struct ChargeTerms: Sendable, Hashable {
    package let reference: String?
    package let amount: Int?
    package let currency: String?

    package init(reference: String?, amount: Int?, currency: String?) {
        self.reference = reference
        self.amount = amount
        self.currency = currency
    }

    /// What a payer agreed to. An amount beyond what the service can state agrees with nothing.
    package init(reference: String, agreed: Money) {
        self.init(
            reference: reference, amount: Int(exactly: agreed.minorUnits) ?? -1, currency: agreed.currency.description)
    }

    /// A charge of which only the name is known.
    package init(reference: String) { self.init(reference: reference, amount: nil, currency: nil) }

    /// The name of the first member in which `transaction` differs; nil when it is about just this.
    ///
    /// What the order itself leaves open has only to be stated.
    package func difference(from transaction: TransactionFields) -> String? {
        guard let theirs = transaction.reference, !theirs.isEmpty, reference == nil || reference == theirs else {
            return "reference"
        }
        guard let theirs = transaction.amount, theirs > 0, amount == nil || amount == theirs else { return "amount" }
        guard let theirs = transaction.currency, !theirs.isEmpty,
            currency.map({ $0.equalsIgnoringASCIICase(theirs) }) ?? true
        else { return "currency" }
        return nil
    }

    /// As ``difference(from:)`` for the answer to a confirmation, by whose `id` the charge is asked about from then on.
    package func difference(fromConfirmed transaction: TransactionFields) -> String? {
        if let id = transaction.id, !id.isEmpty, !PathSegment.isSafe(id) { return "id" }
        return difference(from: transaction)
    }

    /// What people are told when a confirmation answers with something else.
    package static func warning(_ member: String) -> String {
        "the service's answer to the confirmation is about something else: its '\(member)' is not the order's. "
            + VendorText.doNotPayAgain
    }
}
