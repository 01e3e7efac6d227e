package import PaymentCore

/// The form in which the visitor of a page writes numbers: the marks between groups of digits and before the fraction
/// (CLDR, number symbols). Amounts keep their currency's code behind them, in every language.
package struct NumberStyle: Sendable, Hashable {
    let group: String
    let point: String
    /// True where groups above a thousand have two digits, as in India.
    var pairs = false

    /// The style of the visitor whose request is answered.
    @TaskLocal package static var visitor = NumberStyle(acceptLanguage: nil)

    /// Creates the style of the first language that a request prefers; English where it names none.
    ///
    /// - Parameter acceptLanguage: The header field (RFC 9110, section 12.5.4), such as `de-AT,de;q=0.9`. Browsers name
    ///   their languages in the user's order.
    package init(acceptLanguage: String?) {
        let first = acceptLanguage?.prefix { $0 != "," && $0 != ";" } ?? ""
        let parts = first.filter { $0 != " " }.lowercased().split(separator: "-")
        switch (parts.first ?? "", parts.last ?? "") {
        case ("de", "ch"), ("de", "li"), ("it", "ch"): self.init(group: "\u{2019}", point: ".")
        case ("en", "in"), ("hi", _): self.init(group: ",", point: ".", pairs: true)
        case ("de", _), ("it", _), ("nl", _), ("es", _), ("pt", "br"), ("da", _), ("tr", _), ("id", _), ("el", _),
            ("hr", _), ("ro", _), ("sl", _):
            self.init(group: ".", point: ",")
        case ("fr", _), ("pt", _), ("pl", _), ("cs", _), ("sk", _), ("hu", _), ("ru", _), ("uk", _), ("bg", _),
            ("sv", _), ("nb", _), ("no", _), ("fi", _), ("et", _), ("lt", _), ("lv", _):
            self.init(group: "\u{202F}", point: ",")
        default: self.init(group: ",", point: ".")
        }
    }

    private init(group: String, point: String, pairs: Bool = false) {
        self.group = group
        self.point = point
        self.pairs = pairs
    }

    /// Returns a decimal number, such as `12345.60`, with its digits in groups. A text that is none stays as it is.
    package func text(_ decimal: String) -> String {
        let parts = decimal.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }) else {
            return decimal
        }
        var groups: [Substring] = []
        var rest = parts[0]
        while !rest.isEmpty {
            groups.append(rest.suffix(pairs && !groups.isEmpty ? 2 : 3))
            rest = rest.dropLast(groups.last?.count ?? 0)
        }
        return groups.reversed().joined(separator: group) + (parts.count == 2 ? point + parts[1] : "")
    }

    /// Returns an amount as the visitor writes it, such as `12,345.60 EUR`.
    package static func text(_ amount: Money) -> String {
        "\(visitor.text(amount.decimalText)) \(amount.currency)"
    }
}
