/// A card network whose mark is shown beside a card number.
public enum CardNetwork: String, Sendable, Hashable, CaseIterable {
    /// Visa.
    case visa = "VISA"
    /// Mastercard.
    case mastercard = "MASTERCARD"
    /// American Express.
    case amex = "AMEX"
    /// Discover.
    case discover = "DISCOVER"
    /// JCB.
    case jcb = "JCB"
    /// Diners Club.
    case diners = "DINERS"
    /// UnionPay.
    case unionpay = "UNIONPAY"
    /// Another network, or not yet known.
    case unknown = "UNKNOWN"

    /// Creates the network of an incomplete number. Ignores all characters but digits.
    public init(number: some StringProtocol) {
        let digits = CardDigits.only(number)
        self =
            Self.prefixes.first { entry in entry.ranges.contains { $0.begins(digits) } }?.network ?? .unknown
    }

    /// Creates the network that a service names: case and surrounding space are ignored.
    public init(scheme: String) {
        let word = scheme.split(separator: " ").joined(separator: " ").lowercased()
        self = Self.aliases[word] ?? .unknown
    }

    /// The URL of a small picture of the network, on the vendor's server.
    public var iconURL: String {
        "https://assets.payrails.io/img/logos/card/\(self == .unknown ? "ic-card" : rawValue.lowercased()).png"
    }

    private static let prefixes: [(network: CardNetwork, ranges: [DigitPrefix])] = [
        (.visa, [4]), (.mastercard, CardBrand.mastercardPrefixes), (.amex, [34, 37]),
        (.discover, [6011, 65, DigitPrefix(644, 649), 622]), (.jcb, [DigitPrefix(3528, 3529), DigitPrefix(353, 358)]),
        (.diners, [DigitPrefix(300, 305), 36, 38]), (.unionpay, [62]),
    ]

    private static let aliases: [String: CardNetwork] = [
        "visa": .visa, "mastercard": .mastercard, "master card": .mastercard, "amex": .amex,
        "american express": .amex, "discover": .discover, "jcb": .jcb, "diners": .diners, "dinersclub": .diners,
        "diners club": .diners, "unionpay": .unionpay,
    ]
}

/// A range of numbers that card numbers may begin with.
package struct DigitPrefix: Sendable, Hashable, ExpressibleByIntegerLiteral {
    package let range: ClosedRange<Int>
    package let length: Int

    init(_ first: Int, _ last: Int) {
        range = first...last
        length = String(first).utf8.count
    }

    package init(integerLiteral value: Int) { self.init(value, value) }

    /// Returns true if `digits` begins with one of the numbers.
    func begins(_ digits: String) -> Bool {
        digits.utf8.count >= length && Int(digits.prefix(length)).map(range.contains) == true
    }
}

/// Digits of card numbers.
package enum CardDigits {
    /// Returns the ASCII digits of `text`.
    package static func only(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.filter { (0x30...0x39).contains($0) }, as: UTF8.self)
    }
}
