/// The brand that a number belongs to, with its rules: how long numbers are, how they are grouped, how long the
/// security code is.
public struct CardBrand: Sendable, Hashable {
    /// The name for people.
    public let name: String
    /// How many digits a complete number may have.
    public let lengths: [Int]
    /// How the digits are grouped.
    public let groups: [Int]
    /// How many digits the security code has.
    public let securityCodeLength: Int
    /// What the brand calls its security code.
    public let securityCodeName: String
    package let prefixes: [DigitPrefix]

    /// Returns the brand of a number that is being typed: the first in ``all`` that fits. Everything but digits is
    /// ignored.
    public static func of(_ number: some StringProtocol) -> CardBrand {
        let digits = CardDigits.only(number)
        return all.first { brand in brand.prefixes.contains { $0.begins(digits) } } ?? unknown
    }

    /// The most digits that can be typed.
    public var maximumDigits: Int { groups.reduce(0, +) }

    static let mastercardPrefixes: [DigitPrefix] = [
        DigitPrefix(51, 55), DigitPrefix(2221, 2229), DigitPrefix(223, 229), DigitPrefix(23, 26),
        DigitPrefix(270, 271), 2720,
    ]

    /// The brands that are known, in the order of precedence.
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

    /// Any other number, the empty one too.
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
