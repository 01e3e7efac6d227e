import PaymentCore

/// Links of Wise: a person's page, a business's, and a request for money.
///
/// Source: Wise's help pages on payment links.
struct WiseLink: ServiceLink {
    static let id = "wise-me"
    static let ids = [id, "wise-business", "wise-request"]
    static let specification = "Wise payment links"
    static let patterns: [StandardPattern] = [.host("wise.com"), .host("www.wise.com")]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["amount", "currency", "description"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        guard page.begins("pay"), page.path.count > 1 else { throw page.foreign() }
        try page.limit(3)
        switch page.path[1].text {
        case "me": reading = try Self.person(page, ServiceReading(Self.id, network: "wise"))
        case "business": reading = try Self.person(page, ServiceReading("wise-business", network: "wise"))
        case "r":
            var reading = ServiceReading("wise-request", network: "wise")
            reading.setReference("token", try page.segment(2, "token"))
            self.reading = reading
        default: throw page.foreign()
        }
    }

    private static func person(
        _ page: ServicePage, _ empty: ServiceReading
    ) throws(StandardDefect) -> ServiceReading {
        var reading = empty
        reading.setPayee(try page.segment(2, "name", limit: 64))
        reading.amount = .open
        if let amount = page["amount"] {
            reading.setAmount(try ServicePage.amount(amount), try ServicePage.currency(page.required("currency")))
        }
        reading.setMemo("description", page["description"]?.text)
        return reading
    }
}
