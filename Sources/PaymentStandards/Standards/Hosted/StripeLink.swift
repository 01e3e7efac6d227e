import PaymentCore

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
    /// Sets the field, and warns of a link whose payment moves no real money.
    fileprivate mutating func setMode(isLive: Bool) {
        fields.set("livemode", isLive)
        if !isLive { warnings.append(.testNetwork) }
    }
}
