package import PaymentCore

extension Payee {
    /// The most characters of an unverified name.
    private static let longestClaim = 50

    /// Creates the description of a payee from the payee's own name: the name in quotation marks, and always with the
    /// unique mark.
    ///
    /// - Parameters:
    ///   - name: the payee's own text; no part of it that could pass for something else is shown.
    ///   - mark: the payee's key or account, shortened.
    ///   - placeholder: the text in place of a missing name; nil where the mark alone suffices.
    package init(
        claiming name: String?, knownAs mark: String, else placeholder: String? = nil, iconURL: String? = nil,
        id: String? = nil
    ) {
        let plain = name.map(Self.plain) ?? ""
        let shown = plain.isEmpty ? placeholder : "\u{201C}\(plain)\u{201D}"
        self.init(name: shown.map { "\($0) (\(mark))" } ?? mark, iconURL: iconURL, id: id)
    }

    /// Letters, digits, common marks and single blanks: nothing that changes direction, breaks lines or is markup.
    private static func plain(_ name: String) -> String {
        var plain = ""
        for scalar in name.unicodeScalars where plain.count < longestClaim {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: continue
            case .spaceSeparator: if !plain.isEmpty, plain.last != " " { plain += " " }
            default: if !"<>\u{201C}\u{201D}\"`".unicodeScalars.contains(scalar) { plain.unicodeScalars.append(scalar) }
            }
        }
        if plain.last == " " { plain.removeLast() }
        return plain
    }
}
