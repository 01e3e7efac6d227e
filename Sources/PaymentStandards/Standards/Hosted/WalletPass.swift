import PaymentCore

/// Links that put a pass into a phone's wallet. They look like payments but are not.
///
/// Source: Google Wallet API (save links); Apple's passes by the ending of their files, on any host.
struct WalletPass: ServiceLink {
    static let id = "google-wallet-pass"
    static let ids = [id, "apple-wallet-pass"]
    static let specification = "Google and Apple Wallet passes"
    static let patterns: [StandardPattern] = [.host("pay.google.com"), .webPathSuffix(".pkpass")]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        guard source.link.isHTTPS else { throw source.all().defect(.foreign, "link", "is not encrypted") }
        let page = try ServicePage(&source)
        let isGoogle = page.host == "pay.google.com"
        guard !isGoogle || page.begins("gp", "v", "save") && page.path.count > 3 else { throw page.foreign() }
        var reading =
            isGoogle
            ? ServiceReading(Self.id, network: "google-wallet")
            : ServiceReading("apple-wallet-pass", network: "apple-wallet")
        reading.setNotPayable(.information)
        self.reading = reading
    }
}
