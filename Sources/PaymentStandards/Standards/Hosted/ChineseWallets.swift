import PaymentCore

// MARK: - Alipay

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

// MARK: - WeChat Pay

/// Links of WeChat Pay: a person's collect code and both models of merchants' native codes.
///
/// Source: WeChat Pay merchant documentation, native payment models 1 and 2.
struct WeChatPayLink: ServiceLink {
    static let id = "wechat-native"
    static let ids = [id, "wechat-native-1", "wechat-collect"]
    static let specification = "WeChat Pay codes"
    static let patterns: [StandardPattern] = [.scheme("weixin", payloads: ["wxpay"]), .scheme("wxp")]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["pr", "sign", "appid", "mch_id", "product_id"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        if page.scheme == "wxp" {
            var reading = ServiceReading("wechat-collect", network: "wechat-pay")
            guard !page.host.isEmpty, page.path.isEmpty else { throw page.unknown() }
            // The scanner lowercases a URI's host, but this one is a name. The link keeps its original spelling.
            let link = source.link
            let written = Array((link.spelling ?? link.text).utf8)[
                Int(link.layout.hostStart)..<Int(link.layout.hostEnd)]
            reading.setReference("token", String(decoding: written, as: UTF8.self))
            self.reading = reading
            return
        }
        guard page.host == "wxpay", page.begins("bizpayurl") else { throw page.unknown() }
        if page["sign"] == nil {
            var reading = ServiceReading(Self.id, network: "wechat-pay")
            reading.setReference("pr", try ServicePage.token(page.required("pr"), "pr"))
            self.reading = reading
        } else {
            var reading = ServiceReading("wechat-native-1", network: "wechat-pay")
            reading.fields.set("appid", try ServicePage.token(page.required("appid"), "appid"))
            let merchant = try ServicePage.token(page.required("mch_id"), "mch_id")
            reading.fields.set("mchId", merchant)
            reading.payee = merchant
            reading.setReference("productId", try ServicePage.token(page.required("product_id"), "product_id"))
            self.reading = reading
        }
    }
}

// MARK: - UnionPay

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

// MARK: - Payers' codes

/// Digits that a customer shows to a shop to be charged. A reader cannot pay with them. They are worth money while they
/// are valid.
///
/// Source: public rules of WeChat Pay (18 digits from 10 to 15), Alipay (16 to 24 from 25 to 30) and UnionPay (19 from
/// 62). They have no check digits.
struct PayerCode: ServiceLink {
    /// `alipay-payer-code`. A text may be of another service.
    static let id = "alipay-payer-code"
    static let ids = [id, "wechat-payer-code", "unionpay-payer-code"]
    static let specification = "payer codes of Alipay, WeChat Pay and UnionPay"
    static let patterns: [StandardPattern] =
        kinds.flatMap { kind in kind.prefixes.map { .bare(BareShape(String($0), lengths: kind.lengths, .digits)) } }

    private struct Kind {
        let standard: String
        let network: String
        let prefixes: ClosedRange<Int>
        let lengths: ClosedRange<Int>
    }

    private static let kinds = [
        Kind(standard: "wechat-payer-code", network: "wechat-pay", prefixes: 10...15, lengths: 18...18),
        Kind(standard: id, network: "alipay", prefixes: 25...30, lengths: 16...24),
        Kind(standard: "unionpay-payer-code", network: "unionpay", prefixes: 62...62, lengths: 19...19),
    ]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        guard
            let kind = Self.kinds.first(where: { kind in
                kind.lengths.contains(text.count) && kind.prefixes.contains(Int(text.prefix(2).text) ?? 0)
            })
        else { throw text.defect(.foreign, "code", "is not valid") }
        var reading = ServiceReading(kind.standard, network: kind.network)
        reading.setNotPayable(.presentation)
        reading.holdsSecret = true
        self.reading = reading
    }
}
