import PaymentCore

/// Links of Revolut: a user's page, and a request for money.
///
/// Source: public usage; Revolut publishes no grammar of amount and note.
struct RevolutLink: ServiceLink {
    static let id = "revolut-me"
    static let ids = [id, "revolut-request"]
    static let specification = "Revolut.me links"
    static let patterns: [StandardPattern] = [.host("revolut.me"), .prefix("revolut.me/")]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source)
        if page.begins("r") {
            var reading = ServiceReading("revolut-request", network: "revolut")
            reading.setReference("token", try page.segment(1, "token"))
            try page.limit(2)
            self.reading = reading
            return
        }
        var reading = ServiceReading(Self.id, network: "revolut")
        reading.setPayee(try page.segment(0, "user", limit: 64))
        reading.amount = .open
        try page.limit(3)
        if page.path.count > 1 {
            let part = page.path[1]
            reading.setAmount(
                try ServicePage.amount(part.dropFirst(3)), try ServicePage.currency(part.prefix(3)))
        }
        if page.path.count > 2 { reading.setMemo("memo", try page.path[2].decoded("note").text) }
        self.reading = reading
    }
}
