import PaymentCore

/// What an attempt, a lease, a receipt is about.
enum StoredReference {
    private static let refund: JSONValue = "refund"

    static func value(_ reference: PaymentReference) -> JSONValue {
        var value: JSONValue = [
            "provider": .string(reference.provider.rawValue), "id": .string(reference.id),
        ]
        // Payments are written as they were before there were refunds.
        if reference.subject == .refund { value["subject"] = refund }
        return value
    }

    static func read(_ object: StoredObject) throws(Unreadable) -> PaymentReference {
        let subject: PaymentReference.Subject
        switch try object.optionalText("subject") {
        case nil, "payment": subject = .payment
        case "refund": subject = .refund
        default: throw Unreadable()
        }
        return PaymentReference(
            provider: ProviderID(rawValue: try object.text("provider")), id: try object.text("id"), subject: subject)
    }

    // MARK: Columns

    /// What an attempt is about. The file calls refunds by their label, as it always has; that they are refunds is told by
    /// the refund beside it, never by the name.
    static func reference(_ provider: String, _ label: String, isRefund: Bool) -> PaymentReference? {
        let provider = ProviderID(rawValue: provider)
        guard isRefund else { return PaymentReference(provider: provider, id: label) }
        let prefix = PaymentReference.refundPrefix.utf8
        guard label.utf8.starts(with: prefix), let id = String(label.utf8.dropFirst(prefix.count)) else { return nil }
        return PaymentReference(provider: provider, id: id, subject: .refund)
    }

    /// How the file finds all attempts at `reference`: its provider, its label, and whether it is a refund.
    static func key(_ reference: PaymentReference) -> [Database.Value] {
        [.text(reference.provider.rawValue), .text(reference.label), .integer(reference.subject == .refund ? 1 : 0)]
    }

    /// How the file finds the lease of `reference`. No two references have the same: a payment whose id looks like a
    /// refund's label, or like this escape, is written after another prefix.
    static func leaseKey(_ reference: PaymentReference) -> [Database.Value] {
        let escape = "payment:"
        let isOdd = [PaymentReference.refundPrefix, escape].contains { reference.id.utf8.starts(with: $0.utf8) }
        let name = reference.subject == .payment && isOdd ? escape + reference.id : reference.label
        return [.text(reference.provider.rawValue), .text(name)]
    }
}
