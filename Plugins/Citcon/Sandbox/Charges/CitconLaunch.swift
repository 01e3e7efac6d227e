import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The payload that starts a wallet's own library.
enum CitconLaunch: Sendable {
    case wechat([(String, String)])
    case alipay(order: String, signature: String)
    case unionPay(tn: String)
    case klarna(token: String, session: String)

    /// Creates a payload for `charge`, or nil when its gateway starts no wallet.
    init?(_ gateway: CitconGateway, _ charge: CitconCharge, random: any RandomSource, now: Int64) {
        switch gateway {
        case .wechatpay:
            self = .wechat([
                ("appid", Self.wechatAppID), ("partnerid", "1900000109"), ("prepayid", "wx" + random.hex(34)),
                ("noncestr", random.hex(32)), ("timestamp", String(now)), ("package", "Sign=WXPay"),
                ("sign", random.hex(40)),
            ])
        case .alipay:
            let units = String(charge.amount)
            let order = [
                ("partner", "2088101122136241"), ("out_trade_no", charge.id), ("subject", "Order"),
                ("total_fee", units), ("currency", charge.currency), ("service", "mobile.securitypay.pay"),
                ("_input_charset", "utf-8"),
            ]
            self = .alipay(
                order: order.map { "\($0)=\"\($1)\"" }.joined(separator: "&"),
                signature: PercentCoding.encode(Data(random.hex(64).utf8).base64EncodedString()))
        case .upop: self = .unionPay(tn: (0..<21).map { _ in String(random.next() % 10) }.joined())
        case .klarna: self = .klarna(token: "eyJ" + random.hex(60), session: random.uuid())
        default: return nil
        }
    }

    /// The app id of the WeChat payloads, from the vendor's guide.
    static let wechatAppID = "wxeb0650d489d69e14"

    /// The payload as text, as in `content`.
    var content: String {
        switch self {
        case .wechat(let fields): WireJSON.object(fields.map { ($0, WireJSON.text($1)) }).text
        case .alipay(let order, let signature):
            WireJSON.object([("orderSpec", .text(order)), ("signedString", .text(signature))]).text
        case .unionPay(let tn): WireJSON.object([("tn", .text(tn))]).text
        case .klarna(let token, let session): klarna(token, session).text
        }
    }

    private func klarna(_ token: String, _ session: String) -> WireJSON {
        [
            "client_token": .text(token), "session_id": .text(session),
            "payment_method_categories": [
                [
                    "identifier": "pay_later", "name": "Pay later",
                    "asset_urls": [
                        "descriptive": "https://x.klarnacdn.net/payment-method/assets/badges/generic/klarna.svg",
                        "standard": "https://x.klarnacdn.net/payment-method/assets/badges/generic/klarna.svg",
                    ],
                ]
            ],
        ]
    }

    /// Returns true if `texts`, with which a wallet was started, contain this payload complete and unchanged.
    func isStarted(by texts: Set<String>) -> Bool {
        switch self {
        case .wechat(let fields): fields.allSatisfy { texts.contains($0.1) }
        case .alipay(let order, let signature):
            texts.contains("\(order)&sign=\"\(signature)\"&sign_type=\"RSA\"")
                || texts.isSuperset(of: [order, signature])
        case .unionPay(let tn):
            texts.contains(tn)
                || texts.contains { text in
                    Hex.decode(text).map { String(decoding: $0, as: UTF8.self).contains(tn) } ?? false
                }
        case .klarna(let token, _): texts.contains(token)
        }
    }

    /// Returns the parts of the launch URL `text` that can hold a payload's value: path segments, the values of its
    /// query, and the texts in a query that is JSON as a whole.
    static func texts(in text: String) -> [String] {
        guard let link = try? PaymentLink(text) else { return [] }
        var texts = link.path.split(separator: "/").map(String.init)
        texts += link.queryItems.compactMap { PercentCoding.decode($0.value) }
        if let query = PercentCoding.decode(link.query ?? ""), let json = try? JSONValue(parsing: Array(query.utf8)) {
            texts += json.object?.values.compactMap(\.string) ?? []
        }
        return texts
    }
}
