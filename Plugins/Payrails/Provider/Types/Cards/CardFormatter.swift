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

    /// Returns `MM/YY`; digits beyond four are dropped.
    public static func expiryDate(_ text: some StringProtocol) -> String {
        let digits = CardDigits.only(text).prefix(4)
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
