import PaymentCore

/// Links of Venmo, on the web and for its app.
///
/// Source: Venmo's help pages, and the deep links of its former developer pages. `txn=charge` asks the other person for
/// money.
struct VenmoLink: ServiceLink {
    static let id = "venmo"
    static let specification = "Venmo links"
    static let patterns: [StandardPattern] = [
        .host("venmo.com"), .host("www.venmo.com"), .scheme("venmo", payloads: ["paycharge"]),
    ]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["txn", "recipients", "amount", "note"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        var reading = ServiceReading(Self.id, network: "venmo")
        if page.scheme == Self.id {
            guard page.host == "paycharge", page.path.isEmpty else { throw page.unknown() }
            reading.setPayee(try ServicePage.token(page.required("recipients"), "recipients", limit: 64))
            _ = try page.required("txn")
        } else if page.begins("u") {
            reading.setPayee(try page.segment(1, "user", limit: 64))
            try page.limit(2)
        } else {
            // Any page of the site has a path; only a payment has `txn`.
            guard page.path.count == 1, page["txn"] != nil else { throw page.foreign() }
            reading.setPayee(try page.segment(0, "user", limit: 64))
        }
        reading.setAmount(try page["amount"].map { part throws(StandardDefect) in try ServicePage.amount(part) }, "USD")
        reading.setMemo("memo", page["note"]?.text)
        if let action = page["txn"] {
            guard action.equals("pay") || action.equals("charge") else {
                throw action.defect(.unsupported, "txn", "must be pay or charge")
            }
            reading.fields.set("action", action.text)
            if action.equals("charge") { reading.setNotPayable(.pull) }
        }
        self.reading = reading
    }
}
