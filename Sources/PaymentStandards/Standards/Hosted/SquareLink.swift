import PaymentCore

/// Payment links of Square. Source: Square's Checkout API reference. Only Square knows payee and amount.
struct SquareLink: ServiceLink {
    static let id = "square-payment-link"
    static let specification = "Square payment links"
    static let patterns: [StandardPattern] = [.host("square.link"), .host("sandbox.square.link")]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source)
        guard page.begins("u") else { throw page.unknown() }
        var reading = ServiceReading(Self.id, network: "square")
        reading.setReference("id", try page.segment(1, "id"))
        try page.limit(2)
        if page.host.hasPrefix("sandbox.") { reading.warnings.append(.testNetwork) }
        self.reading = reading
    }
}
