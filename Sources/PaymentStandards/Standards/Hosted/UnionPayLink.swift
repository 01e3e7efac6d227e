public import PaymentCore

/// UnionPay's merchant codes: `https://qr.95516.com/` with an organisation and a token.
///
/// Source: public usage of UnionPay's QRC.
public struct UnionPayLink: ServiceLink {
    /// `unionpay-qr`.
    public static let id = "unionpay-qr"
    /// What it follows.
    public static let specification = "UnionPay QRC links"
    /// How its texts begin.
    public static let patterns: [StandardPattern] = [.host("qr.95516.com")]

    /// What the link says.
    public let reading: ServiceReading

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ link: PaymentLink) throws(StandardDefect) {
        let page = try ServicePage(link)
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
