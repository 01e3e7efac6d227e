import PaymentCore

/// The common parts of Lightning's standards.
enum LightningText {
    /// Takes and returns a bare text, the text behind the scheme and, in some writers' form, `//`, or the value of a
    /// web page's parameter `lightning` (LUD-01): the page is for people without a wallet. Parameters behind the text
    /// are left.
    ///
    /// - Throws: ``StandardDefect`` of kind `foreign` for a web page without the parameter.
    static func payload(of source: inout PaymentText) throws(StandardDefect) -> TextPart {
        if source.link.isHTTP { return try parameter(of: &source) }
        return try leavingParameters(of: whole(of: &source), in: &source)
    }

    /// Takes and returns a bare text or all of the text behind the scheme.
    static func whole(of source: inout PaymentText) -> TextPart {
        let payload = source.payload().trimmed
        return source.link.form == .web ? payload.dropFirst(2) : payload
    }

    /// Returns `whole` without the query and the fragment behind it, which are left.
    static func leavingParameters(
        of whole: TextPart, in source: inout PaymentText
    ) throws(StandardDefect) -> TextPart {
        let (rest, fragment) = whole.cut(at: "#")
        if let fragment, !fragment.isEmpty { source.leave("#", fragment.text) }
        let (payload, query) = rest.cut(at: "?")
        try source.query(query, QueryReader.none) { _, _ in }
        return payload
    }

    private static let reader = QueryReader(QueryRules(foldsNames: true), known: ["lightning"])

    /// Takes and returns the value of a web page's parameter `lightning`, without a scheme before it.
    static func parameter(of source: inout PaymentText) throws(StandardDefect) -> TextPart {
        var found: TextPart?
        try source.query(reader) { key, parameter throws(StandardDefect) in
            if key == "lightning" { found = try reader.text(parameter, key) }
        }
        _ = source.path()
        guard let found, !found.isEmpty else { throw source.all().defect(.foreign, "query", "has no Lightning text") }
        return found.startsIgnoringCase("lightning:") ? found.dropFirst(10) : found
    }

    /// Returns an amount in thousandths of a satoshi: in satoshi where it is whole, otherwise as finely as needed.
    static func amount(msat: UInt64) -> PaymentInstruction.Amount {
        let isWhole = msat % 1000 == 0
        let money = try? Money(
            minorUnits: UInt128(isWhole ? msat / 1000 : msat), currency: .satoshi, exponent: isWhole ? 8 : 11)
        return money.map { .fixed($0) } ?? .uncounted(digits: String(msat), unit: "msat")
    }
}
