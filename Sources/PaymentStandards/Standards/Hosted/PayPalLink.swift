import PaymentCore

/// Links of PayPal: PayPal.Me, invoices, checkouts, payment links, and the buttons of web pages.
///
/// Source: PayPal's help pages on PayPal.Me, its REST API's approval links, and "HTML variables for PayPal Payments
/// Standard" for buttons. An amount with a comma is common, but not documented.
struct PayPalLink: ServiceLink {
    static let id = "paypal-me"
    static let ids = [id, "paypal-invoice", "paypal-checkout", "paypal-button", "paypal-payment-link"]
    static let specification = "PayPal.Me, invoice, checkout and button links"
    static let patterns: [StandardPattern] =
        ["paypal.me", "www.paypal.me", "paypal.com", "www.paypal.com"].map { .host($0) }
        + [.prefix("paypal.me/"), .prefix("www.paypal.me/")]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters([
        "token", "cmd", "business", "amount", "currency_code", "item_name", "item_number", "invoice",
        "hosted_button_id",
    ])

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
        } else if page.begins("cgi-bin", "webscr")
            || page.path.count == 3 && page.path[0].count == 2 && page.path[1].equals("cgi-bin")
                && page.path[2].equals("webscr")
        {
            reading = try Self.button(page, page.required("cmd"))
        } else if page.begins("donate"), page["business"] != nil || page["hosted_button_id"] != nil {
            reading = try Self.button(page, nil)
        } else if page.begins("ncp", "payment") {
            var reading = ServiceReading("paypal-payment-link", network: "paypal")
            reading.setReference("id", try page.segment(2, "id"))
            try page.limit(3)
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

    /// Reads the parameters of a button.
    ///
    /// - Parameter command: The kind of button; nil for a donation.
    private static func button(_ page: ServicePage, _ command: TextPart?) throws(StandardDefect) -> ServiceReading {
        var reading = ServiceReading("paypal-button", network: "paypal")
        let isDonation = command?.equals("_donations") ?? true
        if let command {
            let known: [StaticString] = ["_xclick", "_donations", "_s-xclick", "_xclick-subscriptions", "_cart"]
            guard known.contains(where: { command.equals($0) }) else {
                throw command.defect(.foreign, "cmd", "is not that of a payment")
            }
            reading.fields.set("command", command.text)
            if command.equals("_xclick-subscriptions") { reading.setNotPayable(.pull) }
        }
        reading.setMemo("item", page["item_name"]?.text)
        reading.fields.set("itemNumber", page["item_number"]?.text)
        if let invoice = page["invoice"]?.text { reading.setReference("invoice", invoice) }
        if let button = page["hosted_button_id"] {
            reading.setReference("button", try ServicePage.token(button, "hosted_button_id"))
        }
        guard let business = page["business"] else {
            guard page["hosted_button_id"] != nil else { throw page.missing("business") }
            return reading
        }
        // An e-mail address or the merchant's id.
        guard business.bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw business.defect(.malformed, "business", "must be an e-mail address or a merchant's id")
        }
        reading.setPayee(try business.limited(to: 127, "business").text)
        let currency = try page["currency_code"].map { part throws(StandardDefect) in try ServicePage.currency(part) }
        if reading.purpose == .payment { reading.amount = .open }
        let amount = try page["amount"].map { part throws(StandardDefect) in try ServicePage.amount(part) }
        // Without a currency it is US dollars.
        if let amount { reading.setAmount(amount, currency ?? "USD", isFixed: !isDonation) }
        return reading
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
