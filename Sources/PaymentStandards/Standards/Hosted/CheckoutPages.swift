import PaymentCore

// MARK: - PayPal

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
            // The id is after the #, or in the path.
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
        // An e-mail address or a merchant's id.
        guard business.bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw business.defect(.malformed, "business", "must be an e-mail address or a merchant's id")
        }
        reading.setPayee(try business.limited(to: 127, "business").text)
        let currency = try page["currency_code"].map { part throws(StandardDefect) in try ServicePage.currency(part) }
        if reading.purpose == .payment { reading.amount = .open }
        let amount = try page["amount"].map { part throws(StandardDefect) in try ServicePage.amount(part) }
        // Without a currency, it is US dollars.
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

// MARK: - Stripe

/// Links of Stripe: payment links, checkout sessions, invoices and receipts.
///
/// Source: Stripe's API reference. Only Stripe knows the amount. A checkout's fragment is part of it.
struct StripeLink: ServiceLink {
    static let id = "stripe-payment-link"
    static let ids = [id, "stripe-checkout", "stripe-invoice", "stripe-receipt"]
    static let specification = "Stripe hosted pages"
    static let patterns: [StandardPattern] = [
        .host("buy.stripe.com"), .host("checkout.stripe.com"), .host("invoice.stripe.com"), .host("pay.stripe.com"),
        .host("donate.stripe.com"), .host("book.stripe.com"),
    ]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters([
        "prefilled_email", "client_reference_id", "prefilled_promo_code",
    ])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        switch page.host {
        case "buy.stripe.com", "donate.stripe.com", "book.stripe.com": reading = try Self.paymentLink(page)
        case "checkout.stripe.com":
            var reading = try Self.checkout(page)
            let key = source.fragment()
            reading.fields.set("key", key?.text)
            if key == nil { reading.warnings.append(.missingField) }
            self.reading = reading
        case "invoice.stripe.com": reading = try Self.invoice(page)
        default:
            guard page.begins("receipts"), page.path.count > 1 else { throw page.unknown() }
            var reading = ServiceReading("stripe-receipt", network: "stripe")
            reading.setNotPayable(.information)
            self.reading = reading
        }
    }

    private static func paymentLink(_ page: ServicePage) throws(StandardDefect) -> ServiceReading {
        var reading = ServiceReading(id, network: "stripe")
        let name = try page.segment(0, "id")
        try page.limit(1)
        reading.setReference("id", name)
        reading.setMode(isLive: !name.hasPrefix("test_"))
        reading.fields.set("prefilledEmail", page["prefilled_email"]?.text)
        reading.fields.set("clientReferenceId", page["client_reference_id"]?.text)
        reading.fields.set("prefilledPromoCode", page["prefilled_promo_code"]?.text)
        return reading
    }

    private static func checkout(_ page: ServicePage) throws(StandardDefect) -> ServiceReading {
        guard page.begins("c", "pay") || page.begins("pay") else { throw page.unknown() }
        var reading = ServiceReading("stripe-checkout", network: "stripe")
        let index = page.begins("pay") ? 1 : 2
        let session = try page.segment(index, "session")
        try page.limit(index + 1)
        guard session.hasPrefix("cs_test_") || session.hasPrefix("cs_live_") else {
            throw page.path[index].defect(.malformed, "session", "must begin with cs_test_ or cs_live_")
        }
        reading.setReference("session", session)
        reading.setMode(isLive: session.hasPrefix("cs_live_"))
        return reading
    }

    private static func invoice(_ page: ServicePage) throws(StandardDefect) -> ServiceReading {
        guard page.begins("i") else { throw page.unknown() }
        var reading = ServiceReading("stripe-invoice", network: "stripe")
        let account = try page.segment(1, "account")
        guard account.hasPrefix("acct_") else {
            throw page.path[1].defect(.malformed, "account", "must begin with acct_")
        }
        let token = try page.segment(2, "invoice")
        try page.limit(3)
        guard token.hasPrefix("live_") || token.hasPrefix("test_") else {
            throw page.path[2].defect(.malformed, "invoice", "must begin with live_ or test_")
        }
        reading.fields.set("account", account)
        reading.payee = account
        reading.reference = token
        reading.setMode(isLive: token.hasPrefix("live_"))
        return reading
    }
}

extension ServiceReading {
    /// Sets the field, and warns of a test link: its payment moves no real money.
    fileprivate mutating func setMode(isLive: Bool) {
        fields.set("livemode", isLive)
        if !isLive { warnings.append(.testNetwork) }
    }
}

// MARK: - Mercado Pago

/// Links of Mercado Pago: shortened links, a seller's alias, and a checkout.
///
/// Source: Mercado Pago developer documentation and public usage, on the hosts of its countries.
struct MercadoPagoLink: ServiceLink {
    static let id = "mercadopago-short"
    static let ids = [id, "mercadopago-alias", "mercadopago-checkout"]
    static let specification = "Mercado Pago links"
    static let patterns: [StandardPattern] =
        shortHosts.map { .host($0) } + countries.flatMap { [.host("link.\($0)"), .host("www.\($0)")] }

    private static let shortHosts = ["mpago.la", "mpago.li"]
    private static let countries =
        ["ar", "br", "mx", "co", "pe", "uy", "ve"].map { "mercadopago.com.\($0)" } + ["mercadopago.cl"]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["pref_id"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        if Self.shortHosts.contains(page.host) {
            var reading = ServiceReading(Self.id, network: "mercado-pago")
            reading.setReference("id", try page.segment(0, "id"))
            try page.limit(1)
            self.reading = reading
        } else if page.host.hasPrefix("link.") {
            var reading = ServiceReading("mercadopago-alias", network: "mercado-pago")
            reading.setPayee(try page.segment(0, "alias"))
            try page.limit(1)
            self.reading = reading
        } else {
            guard page.begins("checkout", "v1", "redirect") else { throw page.foreign() }
            var reading = ServiceReading("mercadopago-checkout", network: "mercado-pago")
            reading.setReference("preference", try ServicePage.token(page.required("pref_id"), "pref_id"))
            self.reading = reading
        }
    }
}

// MARK: - Square

/// Payment links of Square. Source: Square's Checkout API reference. Only Square knows payee and amount.
struct SquareLink: ServiceLink {
    static let id = "square-payment-link"
    static let specification = "Square payment links"
    static let patterns: [StandardPattern] = [.host("square.link"), .host("sandbox.square.link")]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source)
        guard page.begins("u") else { throw page.unknown() }
        var reading = ServiceReading(Self.id, network: "square")
        reading.setReference("id", try page.segment(1, "id"))
        try page.limit(2)
        if page.host.hasPrefix("sandbox.") { reading.warnings.append(.testNetwork) }
        self.reading = reading
    }
}
