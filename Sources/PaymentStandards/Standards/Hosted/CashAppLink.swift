import PaymentCore

/// Cashtags of Cash App: `https://cash.app/$tag`, or the tag alone. `£` was the sign of its former service in Britain.
///
/// Source: Cash App's help pages.
struct CashAppLink: ServiceLink {
    static let id = "cash-app"
    static let specification = "Cash App cashtags"
    static let patterns: [StandardPattern] = [
        .host("cash.app"), .host("cash.me"), .prefix("cash.app/"), .prefix("cash.me/"),
        .bare(BareShape("$", lengths: 2...21, .visible)), .bare(BareShape("£", lengths: 3...22, .line)),
    ]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        var reading = ServiceReading(Self.id, network: "cash-app")
        reading.amount = .open
        guard source.link.form != .text || !["$", "£"].contains(source.link.text.unicodeScalars.first) else {
            guard let tag = Self.tag(source.all().trimmed) else {
                throw StandardDefect(.foreign, "cashtag", at: 0, "is none")
            }
            reading.setPayee(tag)
            self.reading = reading
            return
        }
        let page = try ServicePage(&source)
        guard let first = page.path.first else { throw page.unknown() }
        let decoded = try first.decoded("cashtag")
        guard let tag = Self.tag(decoded) else {
            throw first.defect(.malformed, "cashtag", "must be $ and up to 20 letters and digits, with a letter")
        }
        reading.setPayee(tag)
        try page.limit(2)
        if page.path.count == 2 {
            reading.setAmount(try ServicePage.amount(page.path[1]), decoded.starts(with: "$") ? "USD" : "GBP")
        }
        self.reading = reading
    }

    /// Returns `part` when it is a sign and 1 to 20 letters and digits, one of them a letter.
    private static func tag(_ part: TextPart) -> String? {
        let sign = part.starts(with: "$") ? 1 : part.starts(with: "£") ? 2 : 0
        let name = part.dropFirst(sign).bytes
        guard sign > 0, 1...20 ~= name.count, name.contains(where: \.isASCIILetter),
            name.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit })
        else { return nil }
        return part.text
    }
}
