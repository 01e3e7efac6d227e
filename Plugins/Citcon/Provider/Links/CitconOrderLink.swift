public import PaymentCore
import PaymentCrypto

/// A link with the values to confirm one charge, for passing an order from a merchant's server to an app:
///
/// ```
/// citcon:charge?token=62d5…&method=wechatpay&reference=order-1&amount=1250&currency=USD&country=US&env=uat
/// ```
///
/// This grammar is this library's own, since Citcon defines none. Every item once, in any order, percent-encoded as
/// needed (a `+` stands for itself, as in `alipay+`):
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

    /// Why a link is not an order that can be paid.
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

// MARK: - Names

/// The name of a payment: the environment, the merchant and the merchant's reference, which has no meaning outside of
/// these two.
///
/// `uat/order-1`, or with a name for the merchant `uat/shop-2/order-1`. References have no slashes, and the merchant's
/// name is percent-encoded.
package struct OrderName: Sendable, Hashable {
    package let mode: CitconEndpoint.Mode
    package let merchant: String?
    package let reference: String

    /// The whole name.
    package var text: String {
        ([mode.linkName] + [merchant.map { PercentCoding.encode($0) }].compactMap(\.self) + [reference])
            .joined(separator: "/")
    }

    /// Returns the reference in `name`, which has to be of this environment and merchant. A bare reference qualifies.
    ///
    /// - Throws: ``PaymentError`` of phase `beforeSend`.
    package static func reference(
        in name: String, _ configuration: CitconConfiguration, at provider: ProviderID
    ) throws(PaymentError) -> String {
        func error(_ code: PaymentError.Code, _ message: String) -> PaymentError {
            PaymentError(code, message, provider: provider)
        }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let reference = parts.last ?? ""
        if parts.count > 1 {
            let own = OrderName(
                mode: configuration.endpoint.mode, merchant: configuration.merchant, reference: reference)
            let isNamed = parts.count <= 3 && CitconEndpoint.Mode(linkName: parts[0]) != nil
            guard isNamed else { throw error(.rejectedLink, unsoundReference) }
            guard own.text == name else {
                throw error(
                    .integrity,
                    "the payment belongs to another environment or merchant than this provider is set up for "
                        + "(\(configuration.endpoint.mode.linkName)); nothing was asked")
            }
        }
        guard PathSegment.isSafe(reference) else { throw error(.rejectedLink, unsoundReference) }
        return reference
    }

    private static let unsoundReference =
        "the payment's reference has characters that cannot be part of a request's path; nothing was asked"
}

/// The terms of a link other than its name, stored with an attempt.
package struct OrderTerms: Sendable, Hashable, Codable {
    /// A value that distinguishes charges without holding the charge token, which is a secret.
    package let charge: String

    package init(_ token: Redacted<String>) {
        charge = Hex.encode(Digest.sha256.hash(Array(token.reveal().utf8)).prefix(12))
    }
}

extension CitconProvider: ReusableReferenceProvider {
    /// Refuses the same reference for another charge, method or amount: that is another payment, which must neither be
    /// reported as paid because the first one was, nor be paid in its place.
    ///
    /// - Throws: ``PaymentError``, `integrity`, when they differ.
    public func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        let order: CitconOrderLink
        do throws(CitconOrderLink.Defect) { order = try CitconOrderLink(link) } catch { return }
        guard !order.isAbout(attempt) else { return }
        throw PaymentError(
            .integrity,
            "the link asks for \(order.amount) under the reference of an order over \(attempt.option.amount) that is paid "
                + "or in progress; they differ in charge, amount or method, so nothing was sent: ask the merchant for a "
                + "separate order", provider: id)
    }
}

extension CitconOrderLink {
    /// Returns true if `attempt` is for this charge, by the same method, over the same amount. An attempt that does not
    /// say which charge it is for is not.
    package func isAbout(_ attempt: PaymentAttempt) -> Bool {
        guard method == attempt.option.id, amount == attempt.option.amount else { return false }
        guard let terms = try? attempt.option.providerData?.decode(OrderTerms.self) else { return false }
        return terms == OrderTerms(token)
    }
}

// MARK: - Landing pages

/// Citcon's own page that leads a browser into a wallet: `https://landing.<…>citconpay.com/v1/landing/<id>`,
/// `…/v1/qr/<id>`, and both behind `https://proxy.citconpay.cn/upi/u_landing/`.
///
/// Its id is neither a charge's id nor a token, so no inquiry about it is possible.
package enum LandingPage {
    package static let referencePrefix = "landing:"

    package static let patterns: [LinkPattern] = [
        .hostSuffix("citconpay.com", path: "/v1/landing"), .hostSuffix("citconpay.com", path: "/v1/qr"),
        .host("proxy.citconpay.cn", path: "/upi/u_landing/v1"),
    ]

    /// Returns the page's id, or nil when `link` is not such a page.
    package static func id(in link: PaymentLink) -> String? {
        guard link.isHTTP, link.port == nil, link.hostKind == .name, let host = link.host else { return nil }
        var words = link.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if host == "proxy.citconpay.cn" {
            guard words.starts(with: ["upi", "u_landing"]) else { return nil }
            words = words.dropFirst(2)
        } else {
            let labels = host.split(separator: ".")
            guard labels.first == "landing", labels.suffix(2) == ["citconpay", "com"], labels.count <= 4 else {
                return nil
            }
        }
        let rest = Array(words)
        guard rest.count == 3, rest[0] == "v1", rest[1] == "landing" || rest[1] == "qr", rest[2].utf8.count == 32,
            rest[2].utf8.allSatisfy({ $0.isASCIIDigit || (0x61...0x66).contains($0) })
        else { return nil }
        return String(rest[2])
    }

    package static func match(_ link: PaymentLink) -> LinkMatch? {
        guard let id = id(in: link) else { return nil }
        return LinkMatch(.payment(referencePrefix + id))
    }
}
