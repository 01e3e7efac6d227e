import PaymentCore

// MARK: - Venmo

/// Links of Venmo, on the web and for its app.
///
/// Source: Venmo's help pages, the deep links of its former developer pages, and the links that its web site makes
/// (`?txn=pay&recipients=…`). `txn=charge` asks the other person for money.
struct VenmoLink: ServiceLink {
    static let id = "venmo"
    static let specification = "Venmo links"
    static let patterns: [StandardPattern] = [
        .host("venmo.com"), .host("www.venmo.com"), .host("account.venmo.com"),
        .scheme("venmo", payloads: ["paycharge"]),
    ]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters([
        "txn", "recipients", "amount", "note", "audience", "user_id",
    ])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        var reading = ServiceReading(Self.id, network: "venmo")
        if page.scheme == Self.id {
            guard page.host == "paycharge", page.path.isEmpty else { throw page.unknown() }
            reading.setPayee(try Self.recipient(page.required("recipients")))
            _ = try page.required("txn")
        } else if page.begins("u") {
            reading.setPayee(try page.segment(1, "user", limit: 64))
            try page.limit(2)
        } else if page.begins("code") {
            try page.limit(1)
            reading.setPayee(try ServicePage.token(page.required("user_id"), "user_id", limit: 64))
        } else if page.path.isEmpty || page.path.count == 1 && page.begins("pay") {
            // The site's own start page has neither.
            guard let recipients = page["recipients"] else {
                throw page["txn"] == nil ? page.foreign() : page.missing("recipients")
            }
            reading.setPayee(try Self.recipient(recipients))
        } else {
            // Any page of the site has a path. Only a payment has `txn`.
            guard page.path.count == 1, page["txn"] != nil else { throw page.foreign() }
            reading.setPayee(try page.segment(0, "user", limit: 64))
        }
        reading.setAmount(try page["amount"].map { part throws(StandardDefect) in try ServicePage.amount(part) }, "USD")
        reading.setMemo("memo", page["note"]?.text)
        if let audience = page["audience"] {
            reading.fields.set("audience", try ServicePage.token(audience, "audience", limit: 64))
        }
        if let action = page["txn"] {
            guard action.equals("pay") || action.equals("charge") else {
                throw action.defect(.unsupported, "txn", "must be pay or charge")
            }
            reading.fields.set("action", action.text)
            if action.equals("charge") { reading.setNotPayable(.pull) }
        }
        self.reading = reading
    }

    /// Returns the one recipient: a name, a phone number or an e-mail address. The site's links begin with a comma.
    private static func recipient(_ list: TextPart) throws(StandardDefect) -> String {
        let names = list.split(at: ",").filter { !$0.isEmpty }
        guard let name = names.first, names.count == 1 else {
            throw list.defect(.unsupported, "recipients", "must be one; each of several would be paid on its own")
        }
        guard name.bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-_.~@+".utf8.contains($0) }) else {
            throw name.defect(.malformed, "recipients", "may hold only letters, digits and - _ . ~ @ +")
        }
        return try name.limited(to: 64, "recipients").text
    }
}

// MARK: - Cash App

/// Cashtags of Cash App: `https://cash.app/$tag`, or the tag alone. `£` was the sign of its former service in Britain.
///
/// Source: Cash App's help pages.
struct CashAppLink: ServiceLink {
    static let id = "cash-app"
    static let specification = "Cash App cashtags"
    static let patterns: [StandardPattern] = [
        .host("cash.app"), .host("cash.me"), .prefix("cash.app/"), .prefix("cash.me/"),
        .bare(BareShape("$", lengths: 2...21, .visible)), .bare(BareShape("£", lengths: 3...22, .line)),
    ]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        var reading = ServiceReading(Self.id, network: "cash-app")
        reading.amount = .open
        guard source.link.form != .text || !["$", "£"].contains(source.link.text.unicodeScalars.first) else {
            guard let tag = Self.tag(source.all().trimmed) else {
                throw StandardDefect(.foreign, "cashtag", at: 0, "is not valid")
            }
            reading.setPayee(tag)
            self.reading = reading
            return
        }
        let page = try ServicePage(&source)
        guard let first = page.path.first else { throw page.unknown() }
        let decoded = try first.decoded("cashtag")
        guard let tag = Self.tag(decoded) else {
            throw first.defect(.malformed, "cashtag", "must be $ and up to 20 letters and digits, with a letter")
        }
        reading.setPayee(tag)
        try page.limit(2)
        if page.path.count == 2 {
            reading.setAmount(try ServicePage.amount(page.path[1]), decoded.starts(with: "$") ? "USD" : "GBP")
        }
        self.reading = reading
    }

    /// Returns `part` if it is a sign and 1 to 20 letters and digits, one of them a letter.
    private static func tag(_ part: TextPart) -> String? {
        let sign = part.starts(with: "$") ? 1 : part.starts(with: "£") ? 2 : 0
        let name = part.dropFirst(sign).bytes
        guard sign > 0, 1...20 ~= name.count, name.contains(where: \.isASCIILetter),
            name.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit })
        else { return nil }
        return part.text
    }
}

// MARK: - Revolut

/// Links of Revolut: a user's page, and a request for money.
///
/// Source: public usage. Revolut publishes no grammar of amount and note.
struct RevolutLink: ServiceLink {
    static let id = "revolut-me"
    static let ids = [id, "revolut-request"]
    static let specification = "Revolut.me links"
    static let patterns: [StandardPattern] = [.host("revolut.me"), .prefix("revolut.me/")]

    let reading: ServiceReading

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source)
        if page.begins("r") {
            var reading = ServiceReading("revolut-request", network: "revolut")
            reading.setReference("token", try page.segment(1, "token"))
            try page.limit(2)
            self.reading = reading
            return
        }
        var reading = ServiceReading(Self.id, network: "revolut")
        reading.setPayee(try page.segment(0, "user", limit: 64))
        reading.amount = .open
        try page.limit(3)
        if page.path.count > 1 {
            let part = page.path[1]
            reading.setAmount(
                try ServicePage.amount(part.dropFirst(3)), try ServicePage.currency(part.prefix(3)))
        }
        if page.path.count > 2 { reading.setMemo("memo", try page.path[2].decoded("note").text) }
        self.reading = reading
    }
}

// MARK: - Wise

/// Links of Wise: a person's page, a business's, and a request for money.
///
/// Source: Wise's help pages on payment links.
struct WiseLink: ServiceLink {
    static let id = "wise-me"
    static let ids = [id, "wise-business", "wise-request"]
    static let specification = "Wise payment links"
    static let patterns: [StandardPattern] = [.host("wise.com"), .host("www.wise.com")]

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["amount", "currency", "description"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        guard page.begins("pay"), page.path.count > 1 else { throw page.foreign() }
        try page.limit(3)
        switch page.path[1].text {
        case "me": reading = try Self.person(page, ServiceReading(Self.id, network: "wise"))
        case "business": reading = try Self.person(page, ServiceReading("wise-business", network: "wise"))
        case "r":
            var reading = ServiceReading("wise-request", network: "wise")
            reading.setReference("token", try page.segment(2, "token"))
            self.reading = reading
        default: throw page.foreign()
        }
    }

    private static func person(
        _ page: ServicePage, _ empty: ServiceReading
    ) throws(StandardDefect) -> ServiceReading {
        var reading = empty
        reading.setPayee(try page.segment(2, "name", limit: 64))
        reading.amount = .open
        if let amount = page["amount"] {
            reading.setAmount(try ServicePage.amount(amount), try ServicePage.currency(page.required("currency")))
        }
        reading.setMemo("description", page["description"]?.text)
        return reading
    }
}
