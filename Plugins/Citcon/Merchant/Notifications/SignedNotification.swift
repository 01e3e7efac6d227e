import PaymentCore
import PaymentCrypto

/// Why a notification is rejected.
enum NotificationDefect: Error, Sendable, Hashable, CustomStringConvertible {
    case tooLarge
    case notJSON
    /// `fields` or `sign` is missing or malformed.
    case malformed(String)
    /// A signed name or value would make the signed text ambiguous.
    case ambiguous
    /// The signature does not match.
    case forged
    /// A required value is not covered by the signature, or missing.
    case unsigned(String)
    /// A signed value is invalid for its name.
    case unreadable(String)

    var description: String {
        switch self {
        case .tooLarge: "it is larger than \(SignedNotification.maximumLength) bytes"
        case .notJSON: "it is not one JSON object, every member once"
        case .malformed(let name): "its '\(name)' is missing or malformed"
        case .ambiguous: "its signed text could be read in more than one way"
        case .forged: "its signature does not match"
        case .unsigned(let name): "its signature does not cover '\(name)', or there is none"
        case .unreadable(let name): "its '\(name)' cannot be read"
        }
    }
}

/// The signature of a notification: SHA-256 over the named values, sorted by name, and the merchant's private key.
enum SignedNotification {
    static let maximumLength = 64 << 10
    private static let maximumFields = 64

    /// Reads `body`.
    static func read(
        _ body: [UInt8], secret: Redacted<String>, of merchant: ProviderID
    ) throws(NotificationDefect) -> CitconNotification {
        guard body.count <= maximumLength else { throw .tooLarge }
        guard let json = try? JSONValue(parsing: body) else { throw .notJSON }
        let values = try signedValues(json)
        guard let sign = json["sign"]?.string else { throw .malformed("sign") }
        guard ConstantTime.equal(sign.utf8, signature(of: values, secret: secret).utf8) else { throw .forged }
        return try notification(values, merchant)
    }

    /// Returns the signature over `values`.
    static func signature(of values: [String: String], secret: Redacted<String>) -> String {
        let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let text = sorted.map { "\($0.key)=\($0.value)" }.joined(separator: "&") + "&secret=\(secret.reveal())"
        return Hex.encode(Digest.sha256.hash(Array(text.utf8)))
    }

    /// Returns the values that the signature covers, including `fields` itself, each as it was written.
    private static func signedValues(_ json: JSONValue) throws(NotificationDefect) -> [String: String] {
        guard let fields = json["fields"]?.string else { throw .malformed("fields") }
        let names = fields.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= maximumFields, Set(names).count == names.count,
            names.allSatisfy({ isName($0) && $0 != "sign" && $0 != "secret" })
        else { throw .malformed("fields") }
        var values: [String: String] = [:]
        for name in names + ["fields"] {
            let value = try text(json[name], name)
            // An ampersand inside a value could be mistaken for its end.
            guard !value.utf8.contains(UInt8(ascii: "&")) else { throw .ambiguous }
            values[name] = value
        }
        return values
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    }

    /// Returns the value as it is signed: numbers by their own digits, and empty text for null or a missing value.
    private static func text(_ value: JSONValue?, _ name: String) throws(NotificationDefect) -> String {
        switch value {
        case nil, .null?: return ""
        case .string(let text)?: return text
        case .number(let number)?: return number.text
        case .bool(let flag)?: return flag ? "true" : "false"
        case .array?, .object?: throw .unreadable(name)
        }
    }

    // MARK: Content

    private static func notification(
        _ values: [String: String], _ merchant: ProviderID
    ) throws(NotificationDefect) -> CitconNotification {
        func needed(_ name: String) throws(NotificationDefect) -> String {
            guard let value = values[name], !value.isEmpty else { throw .unsigned(name) }
            return value
        }
        let kind = CitconNotification.Kind(rawValue: try needed("transaction_type"))
        var amount: Money?
        if kind == .charge || kind == .refund || values["amount"]?.isEmpty == false {
            amount = try money(try needed("amount"), try needed("currency"))
        }
        func optional(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }
        func part(_ name: String) throws(NotificationDefect) -> Money? {
            guard let text = optional(name) else { return nil }
            return try money(text, try needed("currency"), name)
        }
        return CitconNotification(
            merchant: merchant, id: try needed("id"), kind: kind, reference: try needed("reference"), amount: amount,
            amountCaptured: try part("amount_captured"), amountRefunded: try part("amount_refunded"),
            rawStatus: try needed("status"), method: optional("payment_method"),
            timeCreated: optional("time_created"), timeCompleted: optional("time_completed"))
    }

    /// Returns an amount from minor units, a whole number. One with a decimal point could be meant in main units.
    /// A code in another letter case is the same currency.
    private static func money(
        _ text: String, _ code: String, _ name: String = "amount"
    ) throws(NotificationDefect) -> Money {
        guard let currency = try? FiatCurrency(code.uppercased()) else { throw .unreadable("currency") }
        guard !text.utf8.contains(UInt8(ascii: ".")), let units = JSONNumber(text)?.exactly(UInt64.self),
            let money = try? Money(minorUnits: UInt128(units), currency: .fiat(currency))
        else { throw .unreadable(name) }
        return money
    }
}
