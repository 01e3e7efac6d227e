import PaymentRouting

/// Texts of every kind that a scanner or a deep link may bring.
enum MixedBag {
    /// One text, and what should become of it.
    struct Item {
        let text: String
        /// What it shows.
        let title: String
        let decision: RouteReport.Decision
        let isVerified: Bool?

        init(_ title: String, _ text: String, _ decision: RouteReport.Decision, isVerified: Bool? = nil) {
            self.title = title
            self.text = text
            self.decision = decision
            self.isVerified = isVerified
        }

        /// Whether the router says what it should.
        func agrees(with report: RouteReport) -> Bool {
            report.decision == decision && report.isVerified == isVerified
        }
    }

    private static let id = "pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV"
    private static let encodedLink = "https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3D\(id)"

    static let items = [
        Item("payment link", "https://pay.walletconnect.com/?pid=\(id)", .matched, isVerified: true),
        Item(
            "the same inside a pairing URI", "wc:c4ef1cc5@2?relay-protocol=irn&symKey=b0487747&pay=\(encodedLink)",
            .matched, isVerified: true),
        Item("the same, percent-encoded", encodedLink, .matched, isVerified: true),
        Item("short link", "https://pay.wct.me/7fA2ec", .matched, isVerified: true),
        Item("bare id", id, .matched, isVerified: false),
        Item("plain http", "http://pay.walletconnect.com/?pid=\(id)", .matched, isVerified: false),
        Item("look-alike host", "https://pay.walletconnect.com.evil.example/?pid=\(id)", .unroutable),
        Item("look-alike letter", "https://p\u{430}y.walletconnect.com/?pid=\(id)", .rejected),
        Item("host hidden by user name", "https://pay.walletconnect.com@evil.example/?pid=\(id)", .rejected),
        Item("pairing without payment", "wc:c4ef1cc5@2?relay-protocol=irn&symKey=b0487747", .unroutable),
        Item("some web page", "https://example.com/checkout?order=42", .unroutable),
        Item(
            "order at Citcon",
            "citcon:charge?token=62d5c1e0242011eda300f59379b812ce&method=wechatpay&reference=order-7&amount=1250&currency=USD&country=US&env=uat",
            .matched, isVerified: true),
        Item("back from Alipay", "com.citcon.citconpay://safepay/?%7B%7D", .matched, isVerified: true),
        Item("the same for another app", "other.app://safepay/?%7B%7D", .unroutable),
        Item(
            "back from a bank (Payrails)", "https://assets.payrails.io/html/payrails-success.html", .matched,
            isVerified: true),
        Item(
            "somebody on the Pubky network", "pubky://8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo", .matched,
            isVerified: true),
        Item(
            "the same key by itself", "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo", .matched,
            isVerified: true),
        Item("merchant QR code (EMV)", emv, .recognized),
        Item("no link at all", "two for the price of one!", .unroutable),
    ]

    // EMVCo's merchant-presented layout: tag, length, value; 63 is the checksum.
    private static let emv =
        "00020101021226180014com.example.qr5204581253038405802US5911Coffee Cart6008New York6304947F"

    /// The bag routed, as a table; true when every text went where it should.
    static func show(_ console: Console) throws -> Bool {
        let registry = try Installation.registry()
        var table = Table(["TEXT", "WHAT IT IS", "DECISION", "TRUST", "WHY"])
        var agrees = true
        for item in items {
            let report = RouteReport(item.text, Installation.route(item.text, registry))
            agrees = agrees && item.agrees(with: report)
            let tone = report.isVerified == false ? Style.Tone.doubtful : report.decision.tone
            table.add([
                Table.Cell(Printable.link(report.input, 36)), Table.Cell(item.title),
                Table.Cell(report.decision.rawValue, tone), Table.Cell(report.trust ?? "-"),
                Table.Cell(Printable.text(report.reason)),
            ])
        }
        console.show(table)
        return agrees
    }
}
