import PaymentCore

/// Digits that a customer shows to a shop to be charged. A reader cannot pay with them, and they are worth money while
/// they are valid.
///
/// Source: public rules of WeChat Pay (18 digits from 10 to 15), Alipay (16 to 24 from 25 to 30) and UnionPay (19 from
/// 62). They have no check digits.
struct PayerCode: ServiceLink {
    /// `alipay-payer-code`; a text may be of another service.
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

    /// The reading of the digits.
    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        guard
            let kind = Self.kinds.first(where: { kind in
                kind.lengths.contains(text.count) && kind.prefixes.contains(Int(text.prefix(2).text) ?? 0)
            })
        else { throw text.defect(.foreign, "code", "is none") }
        var reading = ServiceReading(kind.standard, network: kind.network)
        reading.setNotPayable(.presentation)
        reading.holdsSecret = true
        self.reading = reading
    }
}
