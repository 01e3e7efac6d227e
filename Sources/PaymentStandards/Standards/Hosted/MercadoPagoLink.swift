import PaymentCore

/// Links of Mercado Pago: shortened ones, a seller's alias, and a checkout.
///
/// Source: Mercado Pago developer documentation and public usage, on the hosts of its countries.
struct MercadoPagoLink: ServiceLink {
    static let id = "mercadopago-short"
    static let ids = [id, "mercadopago-alias", "mercadopago-checkout"]
    static let specification = "Mercado Pago links"
    static let patterns: [StandardPattern] =
        shortHosts.map { .host($0) } + countries.flatMap { [.host("link.\($0)"), .host("www.\($0)")] }

    private static let shortHosts = ["mpago.la", "mpago.li"]
    private static let countries =
        ["ar", "br", "mx", "co", "pe", "uy", "ve"].map { "mercadopago.com.\($0)" } + ["mercadopago.cl"]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["pref_id"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        if Self.shortHosts.contains(page.host) {
            var reading = ServiceReading(Self.id, network: "mercado-pago")
            reading.setReference("id", try page.segment(0, "id"))
            try page.limit(1)
            self.reading = reading
        } else if page.host.hasPrefix("link.") {
            var reading = ServiceReading("mercadopago-alias", network: "mercado-pago")
            reading.setPayee(try page.segment(0, "alias"))
            try page.limit(1)
            self.reading = reading
        } else {
            guard page.begins("checkout", "v1", "redirect") else { throw page.foreign() }
            var reading = ServiceReading("mercadopago-checkout", network: "mercado-pago")
            reading.setReference("preference", try ServicePage.token(page.required("pref_id"), "pref_id"))
            self.reading = reading
        }
    }
}
