#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The rules of card fields. A nil result means that the content is valid. Every field of a form is required.
public enum CardValidation {
    /// The maximum number of years until a card expires.
    public static let yearsAhead = 50

    /// Returns whether the check digit matches the other digits (ISO/IEC 7812-1 annex B). False if `digits` has other
    /// characters.
    public static func passesLuhn(_ digits: some StringProtocol) -> Bool {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        var sum = 0
        for (position, digit) in digits.utf8.reversed().enumerated() {
            let value = Int(digit - 0x30)
            let doubled = value * 2
            sum += position.isMultiple(of: 2) ? value : doubled > 9 ? doubled - 9 : doubled
        }
        return sum.isMultiple(of: 10)
    }

    /// Checks a card number, grouped or not: digits, single spaces or hyphens between them, a length of its brand, and
    /// the check digit.
    public static func number(_ text: String) -> CardFieldError? {
        guard !text.isEmpty else { return .empty }
        guard CardText.isGrouped(text) else { return .invalidCardNumber }
        let digits = CardDigits.only(text)
        guard CardBrand.of(digits).lengths.contains(digits.utf8.count), passesLuhn(digits) else {
            return .invalidCardNumber
        }
        return nil
    }

    /// Checks a holder's name: two or more ASCII letters, spaces, commas, full stops, hyphens, apostrophes.
    public static func holderName(_ text: String) -> CardFieldError? {
        guard !text.isEmpty else { return .empty }
        let isPlain = text.utf8.allSatisfy { byte in
            (0x41...0x5A).contains(byte & ~0x20) && byte < 0x80 || " ,.-'".utf8.contains(byte)
        }
        return isPlain && text.utf8.count >= 2 ? nil : .regexMatchFailed
    }

    /// Checks a security code: as many digits as `brand` has.
    ///
    /// - Parameters:
    ///   - text: the payer's input.
    ///   - brand: the brand of the card; if it is nil, three or four digits are valid.
    public static func securityCode(_ text: String, brand: CardBrand? = nil) -> CardFieldError? {
        guard !text.isEmpty else { return .empty }
        guard CardText.isDigits(text) else { return .regexMatchFailed }
        let allowed = brand.map { [$0.securityCodeLength] } ?? [3, 4]
        return allowed.contains(text.utf8.count) ? nil : .invalidLength
    }

    /// Checks a month alone: `01` to `12`, or `1`.
    public static func month(_ text: String) -> CardFieldError? {
        guard !text.isEmpty else { return .empty }
        let isMonth = text == "1" || text.utf8.count == 2 && CardText.isDigits(text) && (1...12) ~= (Int(text) ?? 0)
        return isMonth ? nil : .regexMatchFailed
    }

    /// Checks a year alone: four digits, from the present year to fifty years later.
    public static func year(_ text: String, now: YearAndMonth) -> CardFieldError? {
        guard !text.isEmpty else { return .empty }
        guard CardText.isDigits(text), [2, 4].contains(text.utf8.count) else { return .regexMatchFailed }
        guard text.utf8.count == 4, let year = Int(text), (now.year...now.year + yearsAhead) ~= year else {
            return .invalidExpirationYear
        }
        return nil
    }

    /// Checks month and year together: each alone, and that the month is not in the past.
    public static func expiry(month: String, year: String, now: YearAndMonth) -> CardFieldError? {
        if let error = Self.month(month) ?? Self.year(year, now: now) { return error }
        guard let month = Int(month), let year = Int(year) else { return .invalidExpirationDate }
        return YearAndMonth(year: year, month: month) < now ? .invalidExpirationDate : nil
    }

    /// Checks `MM/YY`: a month that is not in the past and at most fifty years in the future.
    public static func expiryDate(_ text: String, now: YearAndMonth) -> CardFieldError? {
        guard !text.isEmpty else { return .empty }
        guard CardText.looksLikeDate(text) else { return .regexMatchFailed }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let month = Int(parts[0]), 1...12 ~= month,
            let year = Int(parts[1]), year + 2000 <= now.year + yearsAhead,
            YearAndMonth(year: year + 2000, month: month) >= now
        else { return .invalidExpirationDate }
        return nil
    }
}

/// The defects of the content of a card field; raw values are the vendor's codes.
public enum CardFieldError: String, Error, Sendable, Hashable {
    /// A required field is empty.
    case empty = "EMPTY"
    /// Not a card number.
    case invalidCardNumber = "INVALID_CARD_NUMBER"
    /// Characters that the field does not allow.
    case regexMatchFailed = "REGEX_MATCH_FAILED"
    /// Too short or too long.
    case invalidLength = "INVALID_LENGTH"
    /// Not a month.
    case invalidExpirationMonth = "INVALID_EXPIRATION_MONTH"
    /// Not a year from the present one to fifty years later. The vendor's spelling.
    case invalidExpirationYear = "INVALID_EXPIRATOIN_YEAR"
    /// A month in the past, or too far in the future.
    case invalidExpirationDate = "INVALID_EXPIRATION_DATE"
}

/// A month of a year, in the Gregorian calendar.
public struct YearAndMonth: Sendable, Hashable, Comparable {
    /// The year, such as 2030.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int

    /// Creates a month.
    public init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    /// Creates the month that `date` is in.
    public init(_ date: Date, timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month], from: date)
        self.init(year: parts.year ?? 0, month: parts.month ?? 1)
    }

    /// Returns true if `left` is earlier than `right`.
    public static func < (left: Self, right: Self) -> Bool { (left.year, left.month) < (right.year, right.month) }
}

/// The format of card fields during typing.
public enum CardFormatter {
    /// Returns digits in the groups of their brand, `4242 4242 4242 4242`; digits beyond the maximum are dropped.
    public static func number(_ text: some StringProtocol) -> String {
        let digits = CardDigits.only(text)
        let brand = CardBrand.of(digits)
        var rest = digits.prefix(brand.maximumDigits)[...]
        var groups: [Substring] = []
        for length in brand.groups where !rest.isEmpty {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: " ")
    }

    /// Returns `MM/YY`, also of a whole `MM/YYYY` of this century, as browsers fill it in. Otherwise, digits beyond four
    /// are dropped.
    public static func expiryDate(_ text: some StringProtocol) -> String {
        let all = CardDigits.only(text)
        let isWhole = all.utf8.count == 6 && all.dropFirst(2).hasPrefix("20")
        let digits = isWhole ? all.prefix(2) + all.suffix(2) : all.prefix(4)
        return digits.utf8.count > 2 ? "\(digits.prefix(2))/\(digits.dropFirst(2))" : String(digits)
    }

    /// Returns a month: a single digit from 2 to 9 gets a leading zero, `00` and numbers above 12 are dropped.
    ///
    /// - Parameters:
    ///   - text: the payer's input.
    ///   - isComplete: true if the payer left the field; then 1 gets a leading zero too, and a single 0 is dropped.
    public static func month(_ text: some StringProtocol, isComplete: Bool = false) -> String {
        let digits = String(CardDigits.only(text).prefix(2))
        guard let value = Int(digits) else { return "" }
        switch (digits.utf8.count, value) {
        case (1, 2...9): return "0\(value)"
        case (1, 1): return isComplete ? "01" : "1"
        case (1, 0): return isComplete ? "" : "0"
        case (2, 1...12): return digits
        default: return ""
        }
    }

    /// Returns a year: at most four digits.
    public static func year(_ text: some StringProtocol) -> String { String(CardDigits.only(text).prefix(4)) }

    /// Returns a security code: at most as many digits as `brand` has.
    public static func securityCode(_ text: some StringProtocol, brand: CardBrand) -> String {
        String(CardDigits.only(text).prefix(brand.securityCodeLength))
    }

    /// Returns the month and the year, with four digits, of a checked `MM/YY`, `MMYY`, `MM/YYYY` or `YY/MM`; nil for
    /// any other text.
    ///
    /// If both parts could be the month, the first is.
    public static func parts(ofExpiryDate text: String) -> (month: String, year: String)? {
        guard CardText.looksLikeDate(text) else { return nil }
        let digits = CardDigits.only(text)
        let firstLength = text.contains("/") ? text.prefix { $0 != "/" }.utf8.count : 2
        let monthFirst = firstLength == 2 && (1...12) ~= (Int(digits.prefix(2)) ?? 0)
        let month = monthFirst ? digits.prefix(2) : digits.suffix(2)
        let year = monthFirst ? digits.dropFirst(2) : digits.dropLast(2)
        return (String(month), year.utf8.count == 2 ? "20\(year)" : String(year))
    }
}

/// The formats of texts in card fields.
enum CardText {
    static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns true if `text` has digits with at most one space or hyphen after each.
    static func isGrouped(_ text: String) -> Bool {
        var previousIsDigit = false
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39: previousIsDigit = true
            case 0x20 where previousIsDigit, 0x2D where previousIsDigit: previousIsDigit = false
            default: return false
            }
        }
        return true
    }

    /// Returns true if `text` has two parts of two or four digits, of which one is a month of two digits, with or
    /// without a slash between them.
    static func looksLikeDate(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        func isMonth(_ part: some StringProtocol) -> Bool {
            part.utf8.count == 2 && isDigits(part) && (1...12) ~= (Int(part) ?? 0)
        }
        func isYear(_ part: some StringProtocol) -> Bool { [2, 4].contains(part.utf8.count) && isDigits(part) }
        func isDate(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
            isMonth(left) && isYear(right) || isYear(left) && isMonth(right)
        }
        switch parts.count {
        case 1: return isDate(text.prefix(2), text.dropFirst(2)) || isDate(text.dropLast(2), text.suffix(2))
        case 2: return isDate(parts[0], parts[1])
        default: return false
        }
    }
}
