public import PaymentCore
import PaymentCrypto
import PayrailsProvider

/// A request of a ``CheckoutPage``: the whole contract between the page and its server.
///
/// | request | answer |
/// | --- | --- |
/// | `GET path` | 200, ``CheckoutPage/html`` with ``CheckoutPage/headers`` |
/// | `POST path` | read with ``init(body:)``, checked with ``isFrom(_:)``, carried out with
/// ``CheckoutController/perform(_:attempt:)``; then 303 with `Location: path`. 400 if it cannot be read, 403 if the
/// token is that of another page |
/// | `GET` of a return URL | ``CheckoutController/payerReturned(by:)``, then 303 to `path` |
///
/// The server may wait for the payment before it answers, without a limit: the page of a payment in progress asks again
/// by itself. Bodies are `application/x-www-form-urlencoded` in UTF-8, at most ``maximumLength`` bytes:
///
/// | field | content |
/// | --- | --- |
/// | `token` | the page's token; ties the request to the payer's session |
/// | `action` | `pay`, `pay-card`, `pay-elsewhere`, `delete`, `delete-confirm`, `delete-cancel`, `leave` |
/// | `attempt` | with `pay`, `pay-card`, `pay-elsewhere`: the page's number, decimal |
/// | `instrument` | with `pay`, `delete`, `delete-confirm`: the instrument's id |
/// | `pay` | with `pay`: the id of the row whose button was pressed; has to equal `instrument` |
/// | `card_number`, `cardholder_name`, `security_code`, `expiry_month`, `expiry_year`, `expiry_date` | with `pay-card`:
/// the entered values |
/// | `encrypted_card` | with `pay-card`, instead of the entered values: a compact JWE for the service |
/// | `method` | with `pay-elsewhere`: `payPal` or `genericRedirect` |
/// | `save_instrument` | with `pay-card`: `on` if the card is to be stored |
public struct CheckoutPost: Sendable {
    /// The longest body that is read, in bytes.
    public static let maximumLength = 16_384

    /// The payer's action.
    public let action: CheckoutAction
    /// The number of the page that the payer acted on.
    public let attempt: Int?
    private let token: Redacted<String>

    /// Creates a post by reading a body. Fields that are not in the table are ignored.
    ///
    /// - Returns: nil if the body is too long, is not UTF-8, names a field twice or lacks one.
    public init?(body: some Collection<UInt8>) {
        guard body.count <= Self.maximumLength, let fields = Self.fields(of: body), let token = fields["token"] else {
            return nil
        }
        self.token = Redacted(token)
        attempt = fields["attempt"].flatMap { $0.utf8.count <= 9 ? Int($0) : nil }
        let instrument = fields["instrument"].flatMap { $0.isEmpty ? nil : $0 }
        switch (fields["action"], instrument) {
        case ("pay", let id?):
            guard attempt != nil else { return nil }
            action = fields["pay"] == id ? .payStored(id) : .payOther
        // The payer pressed the button of a row, and chose none.
        case ("pay", nil):
            guard attempt != nil else { return nil }
            action = .payOther
        case ("pay-card", _):
            guard attempt != nil else { return nil }
            let save = fields["save_instrument"] == "on"
            if let encrypted = fields["encrypted_card"] {
                action = .payEncryptedCard(encrypted, save: save)
            } else {
                var card: [CardFieldType: String] = [:]
                for field in CardFieldType.cardFields { card[field] = fields[field.column] }
                action = .payCard(fields: Redacted(card), save: save)
            }
        case ("pay-elsewhere", _):
            guard attempt != nil, let type = fields["method"].flatMap(Payrails.PaymentType.init) else { return nil }
            action = .payElsewhere(type)
        case ("delete", let id?): action = .askDeletion(id)
        case ("delete-confirm", let id?): action = .delete(id)
        case ("delete-cancel", _): action = .keep
        case ("leave", _): action = .leaveChallenge
        default: return nil
        }
    }

    /// Returns whether the request comes from a page with this token. The time of the comparison reveals nothing of the
    /// token.
    public func isFrom(_ token: Redacted<String>) -> Bool {
        ConstantTime.equal(self.token.reveal().utf8, token.reveal().utf8)
    }

    private static func fields(of body: some Collection<UInt8>) -> [String: String]? {
        guard let text = String(validating: body, as: UTF8.self) else { return nil }
        var fields: [String: String] = [:]
        for item in text.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(parts[0], plusIsSpace: true),
                let value = PercentCoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: true),
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }
}
