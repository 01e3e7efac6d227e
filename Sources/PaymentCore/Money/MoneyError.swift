/// The reason for which an amount or a currency cannot be read, or two amounts cannot be combined.
@nonexhaustive
public enum MoneyError: Error, Sendable, Hashable {
    /// Not a code of ISO 4217.
    case unknownCurrency(code: String)
    /// A unit that begins with neither `iso4217/` nor `caip19/` and is not `sat`.
    case unknownUnit
    /// The asset of a `caip19/` unit is malformed.
    case invalidAsset(CAIPError)
    /// An asset does not state its decimal digits; they must be provided.
    case exponentNeeded
    /// More decimal digits than an amount can have.
    case exponentTooLarge(UInt8)
    /// Not a plain number: a sign, an exponent, grouping, a leading zero, a missing digit or nothing at all.
    case malformedAmount
    /// More digits behind the point than the currency has.
    case tooPrecise(digits: Int, allowed: UInt8)
    /// More than 38 digits.
    case tooLarge
    /// A larger amount was to be taken from a smaller one.
    case belowZero
    /// The amounts are in different currencies.
    case currencyMismatch(Currency, Currency)
    /// The amounts are in the same currency but count different fractions of it.
    case exponentMismatch(UInt8, UInt8)
}

extension MoneyError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .unknownCurrency(let code):
            "\(Self.quoted(code)) is not an ISO 4217 currency code; use three capital letters such as USD"
        case .unknownUnit: "the unit of the amount is unknown; use iso4217/<code>, caip19/<asset id> or sat"
        case .invalidAsset(let error): "the asset of the amount is malformed: \(error)"
        case .exponentNeeded: "say how many decimal digits this asset has; its name does not state it"
        case .exponentTooLarge(let exponent):
            "an amount cannot have \(exponent) decimal digits; at most \(Money.maximumExponent) are possible"
        case .malformedAmount: "the amount is not a plain number such as 10 or 10.50"
        case .tooPrecise(let digits, let allowed):
            "the amount has \(digits) digits behind the point, its currency has only \(allowed)"
        case .tooLarge: "the amount has more than 38 digits"
        case .belowZero: "the result would be below zero"
        case .currencyMismatch(let left, let right): "\(left) and \(right) are different currencies; convert one first"
        case .exponentMismatch(let left, let right):
            "one amount counts \(left) decimal digits, the other \(right); bring them to the same number first"
        }
    }

    /// `code` as far as it can be a mistyped code; other text came from elsewhere and is not repeated.
    private static func quoted(_ code: String) -> String {
        code.utf8.count <= 8 && code.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) && !code.isEmpty
            ? code : "the given text"
    }
}
