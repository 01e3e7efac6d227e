public import PaymentCore

/// A link with the values to confirm one charge, for passing an order from a merchant's server to an app:
///
/// ```
/// citcon:charge?token=62d5…&method=wechatpay&reference=order-1&amount=1250&currency=USD&country=US&env=uat
/// ```
///
/// This grammar is this library's own; Citcon defines none. Every item once, in any order, percent-encoded as needed
/// (a `+` stands for itself, as in `alipay+`):
///
/// | item | |
/// | --- | --- |
/// | `token` | the charge token; single-use and secret: the link is as good as the token |
/// | `method` | the payment method, lower case |
/// | `reference` | the merchant's reference of the charge; part of addresses, so without `/ \ ? # ; %` and `..` |
/// | `amount` | minor units, digits without leading zeros, not 0 |
/// | `currency` | ISO 4217, upper case |
/// | `country` | ISO 3166-1, two letters, upper case |
/// | `env` | `dev`, `qa`, `uat` or `prod`, in any case |
/// | `consumer` | optional: the merchant's reference of the payer |
public struct CitconOrderLink: Sendable, Hashable {
    /// The charge token.
    public let token: Redacted<String>
    /// The payment method.
    public let method: String
    /// The merchant's reference of the charge.
    public let reference: String
    /// The amount, which the service's answer must match.
    public let amount: Money
    /// The country of the payment.
    public let country: String
    /// The environment in which the token is valid.
    public let mode: CitconEndpoint.Mode
    /// The merchant's reference of the payer.
    public let consumer: Redacted<String>?

    /// Creates a link.
    ///
    /// - Throws: ``Defect`` when a part does not fit the grammar.
    public init(
        token: Redacted<String>, method: String, reference: String, amount: Money, country: String,
        mode: CitconEndpoint.Mode,
        consumer: Redacted<String>? = nil
    ) throws(Defect) {
        var items = [
            "token": token.reveal(), "method": method, "reference": reference, "amount": amount.minorUnitText,
            "country": country, "env": mode.linkName,
        ]
        guard case .fiat(let fiat) = amount.currency, amount.exponent == fiat.exponent else {
            throw .malformed("currency")
        }
        items["currency"] = fiat.code
        items["consumer"] = consumer?.reveal()
        try self.init(items)
    }

    /// Creates an order from a link.
    ///
    /// - Throws: ``Defect`` with the first error in the link.
    public init(_ link: PaymentLink) throws(Defect) {
        guard Self.isOne(link) else { throw .notAnOrder }
        guard link.fragment == nil else { throw .hasFragment }
        var items: [String: String] = [:]
        for item in link.queryItems {
            let name = String(item.name)
            guard Self.names.contains(name) else { throw .unknownItem }
            guard items[name] == nil else { throw .repeated(name) }
            guard let value = PercentCoding.decode(item.value) else { throw .malformed(name) }
            items[name] = value
        }
        try self.init(items)
    }

    /// The text of the link. It contains the charge token: do not log it.
    public var text: Redacted<String> {
        var items = [
            ("token", token.reveal()), ("method", method), ("reference", reference), ("amount", amount.minorUnitText),
            ("currency", amount.currency.description), ("country", country), ("env", mode.linkName),
        ]
        if let consumer { items.append(("consumer", consumer.reveal())) }
        return Redacted("citcon:charge?" + items.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&"))
    }

    /// The reason why a link is not an order that can be paid.
    @nonexhaustive
    public enum Defect: Error, Sendable, Hashable {
        /// It is not a `citcon:charge` link.
        case notAnOrder
        /// It has a fragment.
        case hasFragment
        /// It has an item that is not in this grammar.
        case unknownItem
        /// It has an item twice.
        case repeated(String)
        /// It lacks an item.
        case missing(String)
        /// An item has an invalid value.
        case malformed(String)
    }

    static let names: Set<String> = [
        "token", "method", "reference", "amount", "currency", "country", "env", "consumer",
    ]

    static func isOne(_ link: PaymentLink) -> Bool {
        link.form == .opaque && link.scheme == "citcon" && link.path == "charge"
    }

    // MARK: Reading

    private init(_ items: [String: String]) throws(Defect) {
        func item(_ name: String, _ isGood: (String) -> Bool) throws(Defect) -> String {
            guard let value = items[name] else { throw .missing(name) }
            guard isGood(value) else { throw .malformed(name) }
            return value
        }
        token = Redacted(try item("token") { Self.isWord($0, upTo: 128) })
        method = try item("method") { text in
            (1...40).contains(text.utf8.count)
                && text.utf8.allSatisfy {
                    $0.isASCIIDigit || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "+")
                }
        }
        reference = try item("reference") { text in
            (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
                && PathSegment.isSafe(text) && !text.hasPrefix(LandingPage.referencePrefix)
        }
        let digits = try item("amount") { text in
            (1...18).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIDigit) && !text.hasPrefix("0")
        }
        let code = try item("currency") { ISO4217.exponent(of: $0) != nil }
        do { amount = try Money(minorUnitText: digits, currency: .fiat(FiatCurrency(code))) } catch {
            throw .malformed("amount")
        }
        country = try item("country") { $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
        let name = try item("env") { CitconEndpoint.Mode(linkName: $0.lowercased()) != nil }
        guard let mode = CitconEndpoint.Mode(linkName: name.lowercased()) else { throw .malformed("env") }
        self.mode = mode
        if items["consumer"] == nil {
            consumer = nil
        } else {
            consumer = Redacted(try item("consumer") { (1...128).contains($0.utf8.count) })
        }
    }

    private static func isWord(_ text: String, upTo length: Int) -> Bool {
        (1...length).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}

extension CitconOrderLink.Defect: CustomStringConvertible {
    /// A short human-readable description, without the link's values.
    public var description: String {
        switch self {
        case .notAnOrder: "it is no citcon:charge link"
        case .hasFragment: "it has a fragment, which order links never have"
        case .unknownItem: "it has an item that order links do not have"
        case .repeated(let name): "it says its \(name) more than once"
        case .missing(let name): "it does not say its \(name)"
        case .malformed(let name): "its \(name) is malformed\(Self.forms[name].map { ": \($0)" } ?? "")"
        }
    }

    private static let forms = [
        "amount": "it counts minor units, in digits, such as 1250 for 12.50",
        "currency": "it is three capital letters of ISO 4217, such as USD",
        "country": "it is two capital letters of ISO 3166-1, such as US",
        "env": "it is dev, qa, uat or prod",
        "method": "it is a word in lower case, such as wechatpay",
        "token": "it is up to 128 letters, digits, hyphens and underscores",
        "reference": "it is up to 128 printable ASCII characters, without / \\ ? # ; % and ..",
        "consumer": "it is up to 128 bytes",
    ]
}
