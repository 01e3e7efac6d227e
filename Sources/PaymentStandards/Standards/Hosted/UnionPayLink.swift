import PaymentCore

/// UnionPay's merchant codes: `https://qr.95516.com/` with an organisation and a token.
///
/// Source: public usage of UnionPay's QRC.
struct UnionPayLink: ServiceLink {
    static let id = "unionpay-qr"
    static let specification = "UnionPay QRC links"
    static let patterns: [StandardPattern] = [.host("qr.95516.com")]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source)
        let organisation = try page.segment(0, "organisation")
        guard page.path[0].count == 8, page.path[0].isDigits else {
            throw page.path[0].defect(.malformed, "organisation", "must be eight digits")
        }
        var reading = ServiceReading(Self.id, network: "unionpay")
        reading.fields.set("org", organisation)
        reading.setReference("token", try page.segment(1, "token"))
        try page.limit(2)
        self.reading = reading
    }
}
