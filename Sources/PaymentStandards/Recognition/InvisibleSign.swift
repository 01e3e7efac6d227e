import PaymentCore

/// The first invisible sign of a plain text: a byte order mark, a space of no width, a change of direction.
struct InvisibleSign {
    private let scalar: Unicode.Scalar
    private let offset: Int
    /// The text without all such signs; nil where nothing acceptable is left.
    let link: PaymentLink?

    /// Finds the first one in `link`; nil where there is none. Spaces are seen, by their width.
    init?(in link: PaymentLink) {
        guard link.form == .text, link.text.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
        let isHidden = { (scalar: Unicode.Scalar) in scalar.isInvisible && !scalar.properties.isWhitespace }
        let scalars = link.text.unicodeScalars
        guard let index = scalars.firstIndex(where: isHidden) else { return nil }
        scalar = scalars[index]
        offset = scalars[..<index].reduce(0) { $0 + UTF8.width($1) }
        self.link = try? PaymentLink(String(String.UnicodeScalarView(scalars.filter { !isHidden($0) })))
    }

    /// The defect of the text.
    var defect: StandardDefect {
        StandardDefect(
            .malformed, "character", at: offset,
            "the invisible character \(scalar.codePoint) does not belong here; remove it, or copy the text without it")
    }
}
