import PaymentCore

/// Codes of Payconiq and Bancontact Pay, in capitals or small letters: `payconiq.com/t/1/…` with amount, reference and
/// description, and `/l/1/…`, the sticker of a place.
///
/// Source: the practice of public generators; the service's own pages are no longer published. Amounts are cents of
/// euros.
struct PayconiqLink: ServiceLink {
    static let id = "payconiq"
    static let specification = "Payconiq codes"
    static let patterns: [StandardPattern] = [.host("payconiq.com"), .host("www.payconiq.com")]

    let reading: ServiceReading

    private static let parameters = QueryReader(
        QueryRules(plusIsSpace: true, foldsNames: true), known: ["a", "r", "d"])
    private static let amountRules = DecimalRules(fractionDigits: 0, wholeDigits: 6)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        let kinds = page.path.prefix(2).map(\.lowercased)
        guard kinds == ["t", "1"] || kinds == ["l", "1"] else { throw page.foreign() }
        var reading = ServiceReading(Self.id, network: "payconiq")
        reading.setPayee(try page.segment(2, "id", limit: 64))
        try page.limit(3)
        reading.amount = .open
        // Zero leaves the amount to the payer.
        if let cents = try page["a"].map({ part throws(StandardDefect) in try DecimalText(part, "A", Self.amountRules) }
        ),
            !cents.isZero
        {
            reading.setAmount(cents.text.hundredthsAsUnits, "EUR", isFixed: true)
        }
        if let reference = try page["r"]?.limited(to: 35, "R").text { reading.setReference("reference", reference) }
        reading.setMemo("description", try page["d"]?.limited(to: 140, "D").text)
        self.reading = reading
    }
}
