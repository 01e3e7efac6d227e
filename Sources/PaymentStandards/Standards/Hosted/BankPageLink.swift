public import PaymentCore

/// Links to pages that many banks share: iDEAL's codes, and deposits by Interac e-Transfer, which bring the reader money.
///
/// Source: public usage; neither publishes a grammar of its tokens.
public struct BankPageLink: ServiceLink {
    /// `ideal-qr`.
    public static let id = "ideal-qr"
    /// All kinds.
    public static let ids = [id, "interac-etransfer"]
    /// What it follows.
    public static let specification = "iDEAL QR and Interac e-Transfer links"
    /// How its texts begin.
    public static let patterns: [StandardPattern] = [.host("qr.ideal.nl"), .host("etransfer.interac.ca")]

    /// What the link says.
    public let reading: ServiceReading

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ link: PaymentLink) throws(StandardDefect) {
        let page = try ServicePage(link)
        let isDeposit = page.host == "etransfer.interac.ca"
        var reading =
            isDeposit
            ? ServiceReading("interac-etransfer", network: "interac") : ServiceReading(Self.id, network: "ideal")
        reading.setReference("token", try page.segment(0, "token"))
        try page.limit(1)
        if isDeposit { reading.setNotPayable(.receipt) }
        self.reading = reading
    }
}
