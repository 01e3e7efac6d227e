public import PaymentCore

/// A payer's account that Citcon stores for later payments: a card, PayPal, Venmo or Cash App.
///
/// Only the paths of these calls are public; the members are a guess by analogy with charges (Protocol 2.11).
public struct CitconStoredInstrument: Sendable, Hashable {
    /// The token for an app's payment, as `payment.token`: it works only together with the same ``consumer``.
    public let token: Redacted<String>
    /// The merchant's own id of the payer.
    public let consumer: Redacted<String>
    /// The payment method.
    public let method: String
    /// The card's number, as far as Citcon shows it.
    public let pan: Redacted<String>?
    /// The card's month of expiry.
    public let expiry: Redacted<String>?

    /// - Throws: ``PaymentError`` with code `invalidResponse`.
    init(_ json: JSONValue, at merchant: ProviderID) throws(PaymentError) {
        guard let token = (json["id"] ?? json["token"])?.string, !token.isEmpty,
            let consumer = json["consumer"]?["reference"]?.string, let method = json["payment"]?["method"]?.string
        else {
            throw PaymentError(
                .invalidResponse, "Citcon describes a stored account in another way than this version expects",
                provider: merchant, phase: .answered)
        }
        func text(_ value: JSONValue?) -> Redacted<String>? {
            value?.string.flatMap { $0.isEmpty ? nil : Redacted($0) }
        }
        self.token = Redacted(token)
        self.consumer = Redacted(consumer)
        self.method = method
        pan = text(json["payment"]?["data"]?["pan"])
        expiry = text(json["payment"]?["data"]?["expiry"])
    }
}

/// A choice that a payment method offers, such as a bank or a wallet.
public struct CitconChoice: Sendable, Hashable {
    /// Citcon's id of the choice.
    public let id: String
    /// The display name; the id where Citcon states none.
    public let name: String

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, !id.isEmpty else { return nil }
        self.id = id
        name = json["name"]?.string ?? id
    }
}
