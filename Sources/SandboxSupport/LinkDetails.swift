package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The content of a provider's link, as the provider itself reads it: the amount, the order, the expiry, and the
/// service that is called. None of it is a secret, also where the link holds one.
package struct LinkDetails: Sendable {
    /// The amount to be paid, where the link states it.
    package private(set) var amount: Money?
    /// By the names of `inspect --json`.
    package private(set) var fields: [String: String] = [:]

    package init(amount: Money? = nil, expires: Date? = nil, _ fields: [String: String?] = [:]) {
        self.amount = amount
        self.fields = fields.compactMapValues { $0 }
        if let expires { self.fields["expires"] = RFC3339(expires).text }
        if let amount {
            self.fields["amount"] = amount.decimalText
            self.fields["unit"] = amount.currency.mainUnit
        }
    }
}
