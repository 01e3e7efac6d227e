import PaymentCore

/// Links to pages that many banks share: iDEAL's codes, and deposits by Interac e-Transfer, which bring the reader
/// money.
///
/// Source: public usage; neither publishes a grammar of its tokens.
struct BankPageLink: ServiceLink {
    static let id = "ideal-qr"
    static let ids = [id, "interac-etransfer"]
    static let specification = "iDEAL QR and Interac e-Transfer links"
    static let patterns: [StandardPattern] = [.host("qr.ideal.nl"), .host("etransfer.interac.ca")]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source)
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
