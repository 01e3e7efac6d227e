import PaymentCore

/// Links of Vipps MobilePay: personal and merchants' codes, the app's links, and MobilePay's payment links.
///
/// Source: Vipps MobilePay developer documentation (QR), MobilePay's guide to payment links. The app's own scheme is
/// not documented.
struct VippsLink: ServiceLink {
    static let id = "vipps-personal"
    static let ids = [id, "vipps-token", "vipps-app", "mobilepay-link"]
    static let specification = "Vipps MobilePay links"
    static let patterns: [StandardPattern] =
        [.host("qr.vipps.no"), .host("qr-mt.vipps.no"), .scheme("vipps")]
        + ["mobilepay.dk", "www.mobilepay.dk", "mobilepay.fi", "www.mobilepay.fi"].map { .host($0) }

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["token", "phone", "amount", "comment", "lock"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        if page.scheme == "vipps" {
            var reading = ServiceReading("vipps-app", network: "vipps")
            reading.setReference("token", try ServicePage.token(page.required("token"), "token"))
            self.reading = reading
        } else if page.host.hasSuffix("vipps.no") {
            var reading = try Self.code(page)
            // The merchants' test system.
            if page.host == "qr-mt.vipps.no" { reading.warnings.append(.testNetwork) }
            self.reading = reading
        } else {
            reading = try Self.paymentLink(page)
        }
    }

    private static func code(_ page: ServicePage) throws(StandardDefect) -> ServiceReading {
        if page.begins("p") || page.begins("r") {
            var reading = ServiceReading("vipps-token", network: "vipps")
            reading.setReference("token", try page.segment(1, "token"))
            try page.limit(2)
            return reading
        }
        guard page.begins("28", "2", "01", "031") else { throw page.unknown() }
        var reading = ServiceReading(id, network: "vipps")
        let number = try page.segment(4, "phone number", limit: 15)
        try page.limit(5)
        guard page.path[4].isDigits else {
            throw page.path[4].defect(.malformed, "phone number", "may hold only digits")
        }
        reading.fields.set("msisdn", number)
        reading.payee = number
        reading.amount = .open
        return reading
    }

    private static func paymentLink(_ page: ServicePage) throws(StandardDefect) -> ServiceReading {
        let isDanish = page.begins("erhverv", "betalingslink", "betalingslink-svar")
        guard isDanish || page.begins("Yrityksille", "Maksulinkki", "maksulinkki-vastaus") else { throw page.foreign() }
        try page.limit(3)
        var reading = ServiceReading("mobilepay-link", network: "mobilepay")
        let phone = try page.required("phone")
        guard 4...15 ~= phone.count, phone.isDigits else {
            throw phone.defect(.malformed, "phone", "must be 4 to 15 digits")
        }
        reading.setPayee(phone.text)
        let isLocked = page["lock"]?.equals("1") == true
        reading.setAmount(
            try page["amount"].map { part throws(StandardDefect) in try ServicePage.amount(part) },
            isDanish ? "DKK" : "EUR", isFixed: isLocked)
        reading.setMemo("comment", try page["comment"]?.limited(to: 60, "comment").text)
        reading.fields.set("locked", isLocked)
        return reading
    }
}
