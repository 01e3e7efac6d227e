import PaymentCore

/// Links of PayPal: PayPal.Me, invoices and checkouts.
///
/// Source: PayPal's help pages on PayPal.Me and its REST API's approval links. An amount with a comma is common, but
/// not documented.
struct PayPalLink: ServiceLink {
    static let id = "paypal-me"
    static let ids = [id, "paypal-invoice", "paypal-checkout"]
    static let specification = "PayPal.Me, invoice and checkout links"
    static let patterns: [StandardPattern] =
        ["paypal.me", "www.paypal.me", "paypal.com", "www.paypal.com"].map { .host($0) }
        + [.prefix("paypal.me/"), .prefix("www.paypal.me/")]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["token"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        if page.host.hasSuffix("paypal.me") {
            reading = try Self.handle(page, at: 0)
        } else if page.begins("paypalme") {
            reading = try Self.handle(page, at: 1)
        } else if page.begins("checkoutnow") {
            var reading = ServiceReading("paypal-checkout", network: "paypal")
            reading.setReference("token", try ServicePage.token(page.required("token"), "token"))
            self.reading = reading
        } else if page.begins("invoice", "p") {
            var reading = ServiceReading("paypal-invoice", network: "paypal")
            // The id is behind the #, or in the path.
            let id =
                if let fragment = source.fragment(), !fragment.isEmpty {
                    try ServicePage.token(fragment, "invoice id")
                } else { try page.segment(2, "invoice id") }
            reading.setReference("id", id)
            self.reading = reading
        } else {
            throw page.foreign()
        }
    }

    private static func handle(_ page: ServicePage, at index: Int) throws(StandardDefect) -> ServiceReading {
        var reading = ServiceReading(id, network: "paypal")
        let handle = try page.segment(index, "handle", limit: 20)
        guard handle.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
            throw page.path[index].defect(.malformed, "handle", "may hold only letters and digits")
        }
        reading.setPayee(handle)
        try page.limit(index + 2)
        reading.amount = .open
        guard page.path.count == index + 2 else { return reading }
        let part = page.path[index + 1]
        let letters = part.bytes.reversed().prefix(while: \.isASCIILetter).count
        let currency = letters == 0 ? nil : try ServicePage.currency(part.suffix(letters))
        let digits = part.dropLast(letters)
        var rules = ServicePage.amountRules
        if digits.bytes.contains(UInt8(ascii: ",")) {
            rules.mark = UInt8(ascii: ",")
            reading.warnings.append(.irregular)
        }
        let amount = try DecimalText(digits, "amount", rules).text
        reading.setAmount(amount, currency)
        // Without a currency, the receiver's or the payer's applies.
        if currency == nil { reading.fields["currency"] = .null }
        return reading
    }
}
