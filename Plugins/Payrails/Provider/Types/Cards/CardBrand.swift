/// The brand of a card number, with its rules: the lengths of numbers, their groups, and the length of the security
/// code.
public struct CardBrand: Sendable, Hashable {
    /// The name to show to the payer.
    public let name: String
    /// The numbers of digits that a complete number may have.
    public let lengths: [Int]
    /// The numbers of digits in each group.
    public let groups: [Int]
    /// The number of digits of the security code.
    public let securityCodeLength: Int
    /// The brand's name of its security code.
    public let securityCodeName: String
    package let prefixes: [DigitPrefix]

    /// Returns the brand of an incomplete number: the first in ``all`` with a matching prefix. Ignores all characters
    /// but digits.
    public static func of(_ number: some StringProtocol) -> CardBrand {
        let digits = CardDigits.only(number)
        return all.first { brand in brand.prefixes.contains { $0.begins(digits) } } ?? unknown
    }

    /// The maximum number of digits that the payer can type.
    public var maximumDigits: Int { groups.reduce(0, +) }

    static let mastercardPrefixes: [DigitPrefix] = [
        DigitPrefix(51, 55), DigitPrefix(2221, 2229), DigitPrefix(223, 229), DigitPrefix(23, 26),
        DigitPrefix(270, 271), 2720,
    ]

    /// The known brands, in the order of precedence.
    public static let all: [CardBrand] = [
        CardBrand("Visa", [4], lengths: [13, 16], groups: [4, 4, 4, 4], code: "cvv"),
        CardBrand("Mastercard", mastercardPrefixes, lengths: [16], groups: [4, 4, 4, 4], code: "cvc"),
        CardBrand("Discover", [6011, 65, DigitPrefix(644, 649), 622], lengths: 16...19, code: "cid"),
        CardBrand("Amex", [34, 37], lengths: [15], groups: [4, 6, 5], code: "cid", codeLength: 4),
        CardBrand(
            "DinersClub", [36, 38, DigitPrefix(300, 305)], lengths: Array(14...19), groups: [4, 6, 9], code: "cvv"),
        CardBrand("Jcb", [35], lengths: 16...19, code: "cvv"),
        CardBrand(
            "Maestro",
            [5018, 5020, 5038, 5043, DigitPrefix(56, 59), 6020, 6304, 6703, 6759, DigitPrefix(6761, 6763)],
            lengths: 12...19, code: "cvc"),
        CardBrand("Unionpay", [62], lengths: 16...19, code: "cvn"),
        CardBrand("Hipercard", [606282], lengths: 14...19, code: "cvc"),
    ]

    /// The brand of any other number, the empty one included.
    public static let unknown = CardBrand("Unknown", [], lengths: 12...19, code: "cvv")

    private init(
        _ name: String, _ prefixes: [DigitPrefix], lengths: [Int], groups: [Int], code: String, codeLength: Int = 3
    ) {
        self.name = name
        self.prefixes = prefixes
        self.lengths = lengths
        self.groups = groups
        securityCodeName = code
        securityCodeLength = codeLength
    }

    private init(_ name: String, _ prefixes: [DigitPrefix], lengths: ClosedRange<Int>, code: String) {
        self.init(name, prefixes, lengths: Array(lengths), groups: [4, 4, 4, 4, 3], code: code)
    }
}

/// A card network whose mark is shown next to a card number.
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
