import PaymentCore

/// Links of Venmo, on the web and for its app.
///
/// Source: Venmo's help pages, the deep links of its former developer pages, and the links that its web site makes
/// (`?txn=pay&recipients=…`). `txn=charge` asks the other person for money.
struct VenmoLink: ServiceLink {
    static let id = "venmo"
    static let specification = "Venmo links"
    static let patterns: [StandardPattern] = [
        .host("venmo.com"), .host("www.venmo.com"), .host("account.venmo.com"),
        .scheme("venmo", payloads: ["paycharge"]),
    ]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters([
        "txn", "recipients", "amount", "note", "audience", "user_id",
    ])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        var reading = ServiceReading(Self.id, network: "venmo")
        if page.scheme == Self.id {
            guard page.host == "paycharge", page.path.isEmpty else { throw page.unknown() }
            reading.setPayee(try Self.recipient(page.required("recipients")))
            _ = try page.required("txn")
        } else if page.begins("u") {
            reading.setPayee(try page.segment(1, "user", limit: 64))
            try page.limit(2)
        } else if page.begins("code") {
            try page.limit(1)
            reading.setPayee(try ServicePage.token(page.required("user_id"), "user_id", limit: 64))
        } else if page.path.isEmpty || page.path.count == 1 && page.begins("pay") {
            // The site's own start page has neither.
            guard let recipients = page["recipients"] else {
                throw page["txn"] == nil ? page.foreign() : page.missing("recipients")
            }
            reading.setPayee(try Self.recipient(recipients))
        } else {
            // Any page of the site has a path; only a payment has `txn`.
            guard page.path.count == 1, page["txn"] != nil else { throw page.foreign() }
            reading.setPayee(try page.segment(0, "user", limit: 64))
        }
        reading.setAmount(try page["amount"].map { part throws(StandardDefect) in try ServicePage.amount(part) }, "USD")
        reading.setMemo("memo", page["note"]?.text)
        if let audience = page["audience"] {
            reading.fields.set("audience", try ServicePage.token(audience, "audience", limit: 64))
        }
        if let action = page["txn"] {
            guard action.equals("pay") || action.equals("charge") else {
                throw action.defect(.unsupported, "txn", "must be pay or charge")
            }
            reading.fields.set("action", action.text)
            if action.equals("charge") { reading.setNotPayable(.pull) }
        }
        self.reading = reading
    }

    /// Returns the one recipient: a name, a phone number or an e-mail address. The site's links begin with a comma.
    private static func recipient(_ list: TextPart) throws(StandardDefect) -> String {
        let names = list.split(at: ",").filter { !$0.isEmpty }
        guard let name = names.first, names.count == 1 else {
            throw list.defect(.unsupported, "recipients", "must be one; each of several would be paid on its own")
        }
        guard name.bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-_.~@+".utf8.contains($0) }) else {
            throw name.defect(.malformed, "recipients", "may hold only letters, digits and - _ . ~ @ +")
        }
        return try name.limited(to: 64, "recipients").text
    }
}
