import PaymentCore

// MARK: - Vipps MobilePay

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

// MARK: - TWINT

/// The link that a web shop on a phone uses to open a bank's TWINT app:
/// `twint-issuer2://applinks/?al_applink_data={…}`.
///
/// Source: TWINT's guide to app switches on iOS. The JSON holds a code of five digits, valid for some minutes. Only the
/// service knows the payee and amount of the code. The numbers of issuers are not published. 1 to 39 are accepted.
struct TwintLink: ServiceLink {
    static let id = "twint-app"
    static let specification = "TWINT app switch"
    static let patterns: [StandardPattern] = (1...39).map { .scheme("twint-issuer\($0)") }

    let reading: ServiceReading

    private static let parameters = ServicePage.parameters(["al_applink_data"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        guard page.host == "applinks", page.path.isEmpty else { throw page.unknown() }
        let data = try page.required("al_applink_data")
        guard let json = try? JSONValue(parsing: data.text), json.object != nil else {
            throw data.defect(.malformed, "al_applink_data", "must be a JSON object")
        }
        // The code is among the extras, or a direct member.
        guard let code = (json["extras"]?["code"] ?? json["code"])?.string, code.utf8.count == 5,
            code.utf8.allSatisfy(\.isASCIIDigit)
        else { throw data.defect(.malformed, "code in al_applink_data", "must be five digits") }
        var reading = ServiceReading(Self.id, network: "twint")
        reading.setReference("code", code)
        self.reading = reading
    }
}

// MARK: - Payconiq

/// Codes of Payconiq and Bancontact Pay, in capitals or small letters: `payconiq.com/t/1/…` with amount, reference and
/// description, and `/l/1/…` for stickers.
///
/// Source: public generators. The service's own pages are no longer published. Amounts are euro cents.
struct PayconiqLink: ServiceLink {
    static let id = "payconiq"
    static let specification = "Payconiq codes"
    static let patterns: [StandardPattern] = [.host("payconiq.com"), .host("www.payconiq.com")]

    let reading: ServiceReading

    private static let parameters = QueryReader(
        QueryRules(plusIsSpace: true, foldsNames: true), known: ["a", "r", "d"])
    private static let amountRules = DecimalRules(fractionDigits: 0, wholeDigits: 6)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let page = try ServicePage(&source, Self.parameters)
        let kinds = page.path.prefix(2).map(\.lowercased)
        guard kinds == ["t", "1"] || kinds == ["l", "1"] else { throw page.foreign() }
        var reading = ServiceReading(Self.id, network: "payconiq")
        reading.setPayee(try page.segment(2, "id", limit: 64))
        try page.limit(3)
        reading.amount = .open
        // Zero leaves the amount to the payer.
        if let cents = try page["a"].map({ part throws(StandardDefect) in try DecimalText(part, "A", Self.amountRules) }
        ),
            !cents.isZero
        {
            reading.setAmount(cents.text.hundredthsAsUnits, "EUR", isFixed: true)
        }
        if let reference = try page["r"]?.limited(to: 35, "R").text { reading.setReference("reference", reference) }
        reading.setMemo("description", try page["d"]?.limited(to: 140, "D").text)
        self.reading = reading
    }
}

// MARK: - SBP

/// Codes of Russia's faster payments system (СБП): `qr.nspk.ru/AS…?type=02&bank=…&sum=…&cur=RUB&crc=…`.
///
/// Source: codes of banks. The system's operator does not publish the format. `sum` is in kopecks. `crc` is not
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

// MARK: - Pages of banks

/// Links to pages that many banks share: iDEAL's codes, and deposits by Interac e-Transfer. A deposit brings the reader
/// money.
///
/// Source: public usage. Neither publishes a grammar of its tokens.
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

// MARK: - Wallet passes

/// Links that put a pass into a phone's wallet. They look like payments but are not.
///
/// Source: Google Wallet API (save links). Apple's passes are recognised by the extension of their files, on any host.
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
