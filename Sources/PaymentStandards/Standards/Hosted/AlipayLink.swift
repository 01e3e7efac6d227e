import PaymentCore

/// Alipay's collect codes: a link to `qr.alipay.com`, or a link of the app around one.
///
/// Source: public usage and Alipay's open platform guides. The target of an app's link is shown, never opened.
struct AlipayLink: ServiceLink {
    static let id = "alipay-collect"
    static let ids = [id, "alipay-app"]
    static let specification = "Alipay collect codes"
    static let patterns: [StandardPattern] = [
        .host("qr.alipay.com"), .scheme("alipays"), .scheme("alipay"), .scheme("alipayqr"),
    ]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["url", "qrcode"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        guard page.scheme != "https" else {
            var reading = ServiceReading(Self.id, network: "alipay")
            reading.setReference("token", try page.segment(0, "token"))
            try page.limit(1)
            self.reading = reading
            return
        }
        guard page.host == "platformapi", page.begins("startapp") else { throw page.unknown() }
        let url = page["url"] != nil ? try page.required("url") : try page.required("qrcode")
        guard let inner = try? PaymentLink(url.text), inner.isHTTPS, let host = inner.host else {
            throw url.defect(.malformed, "url", "must be an https link")
        }
        var reading = ServiceReading("alipay-app", network: "alipay")
        reading.fields.set("url", url.text)
        if host != "qr.alipay.com" { reading.warnings.append(.followsURL) }
        reading.reference = host == "qr.alipay.com" ? String(inner.path.dropFirst()) : nil
        self.reading = reading
    }
}
