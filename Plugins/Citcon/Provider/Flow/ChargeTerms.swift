package import PaymentCore

/// The agreed reference, amount and currency of an order.
///
/// The one check of every answer that sends a payer somewhere or reports a final state: the answer has to state all of
/// this in a readable form. The documented answers to creating, confirming and inquiring about a charge have all three
/// members (Protocol 2.4.3, 2.5 and 2.6); none is known to omit one.
package struct ChargeTerms: Sendable, Hashable {
    package let reference: String?
    package let amount: Int?
    package let currency: String?

    package init(reference: String?, amount: Int?, currency: String?) {
        self.reference = reference
        self.amount = amount
        self.currency = currency
    }

    /// Creates the terms that a payer agreed to. An amount beyond what the service can state matches nothing.
    package init(reference: String, agreed: Money) {
        self.init(
            reference: reference, amount: Int(exactly: agreed.minorUnits) ?? -1, currency: agreed.currency.description)
    }

    /// Creates the terms of a charge of which only the reference is known.
    package init(reference: String) { self.init(reference: reference, amount: nil, currency: nil) }

    /// Returns the name of the first member in which `transaction` differs; nil when it matches.
    ///
    /// A member that the order itself leaves open need only be stated.
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

    /// Returns ``difference(from:)`` for the answer to a confirmation, whose `id` later inquiries use.
    package func difference(fromConfirmed transaction: TransactionFields) -> String? {
        if let id = transaction.id, !id.isEmpty, !PathSegment.isSafe(id) { return "id" }
        return difference(from: transaction)
    }

    /// Returns the message for a confirmation that answers about another charge.
    package static func warning(_ member: String) -> String {
        "the service's answer to the confirmation is about something else: its '\(member)' is not the order's. "
            + VendorText.doNotPayAgain
    }
}
