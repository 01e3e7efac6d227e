import PaymentCore

/// Codes of Russia's faster payments system (СБП): `qr.nspk.ru/AS…?type=02&bank=…&sum=…&cur=RUB&crc=…`.
///
/// Source: the practice of banks; the system's operator does not publish the format. `sum` is in kopecks. `crc` is not
/// checked: some published codes hold CRC-16/CCITT-FALSE of the text before `&crc=`, others do not.
struct SBPLink: ServiceLink {
    static let id = "sbp"
    static let specification = "SBP codes"
    static let patterns: [StandardPattern] = [.host("qr.nspk.ru")]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["type", "bank", "sum", "cur", "crc"])
    private static let sumRules = DecimalRules(fractionDigits: 0, wholeDigits: 14)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        var reading = ServiceReading(Self.id, network: "sbp")
        reading.setReference("id", try page.segment(0, "id", limit: 64))
        try page.limit(1)
        for name in ["type", "bank", "crc"] {
            reading.fields.set(
                name, try page[name].map { part throws(StandardDefect) in try ServicePage.token(part, name, limit: 16) }
            )
        }
        if let currency = page["cur"], !currency.equals("RUB"), !currency.equals("643") {
            throw currency.defect(.unsupported, "cur", "must be RUB")
        }
        let kopecks = try page["sum"].map { part throws(StandardDefect) in try DecimalText(part, "sum", Self.sumRules) }
        if let kopecks, !kopecks.isZero {
            reading.setAmount(kopecks.text.hundredthsAsUnits, "RUB", isFixed: true)
        } else if page["type"]?.equals("01") == true || kopecks != nil {
            // A sticker: the payer enters the amount.
            reading.amount = .open
        }
        self.reading = reading
    }
}
