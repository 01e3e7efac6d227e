import PaymentCore

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
            // A URI's host is put into lower case, but this one is a name; the link keeps its original spelling.
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
