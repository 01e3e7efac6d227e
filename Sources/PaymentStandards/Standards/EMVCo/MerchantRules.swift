import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The requirements of EMVCo for each object of a merchant-presented code.
enum MerchantRules {
    /// Returns the objects of `text` after checking its checksum.
    ///
    /// - Throws: ``StandardDefect``. For a code whose lengths count bytes, it names the first such object.
    static func objects(in text: TextPart) throws(StandardDefect) -> [TagLengthValue] {
        do throws(StandardDefect) {
            let objects = try TagLengthValue.all(in: text, "object")
            try checkSum(text, objects)
            return objects
        } catch {
            guard let objects = try? TagLengthValue.all(in: text, "object", countsBytes: true),
                (try? checkSum(text, objects)) != nil,
                let object = objects.first(where: { !$0.value.bytes.allSatisfy { $0 < 0x80 } })
            else { throw error }
            throw StandardDefect(
                .length, "object \(object.tag)", at: object.offset,
                "has its length in bytes (\(object.value.count)), where it has \(object.value.scalarCount) characters; "
                    + "the code's maker must count characters")
        }
    }

    /// Checks that the checksum is the last object and fits all objects before it.
    static func checkSum(_ text: TextPart, _ objects: [TagLengthValue]) throws(StandardDefect) {
        guard let index = objects.firstIndex(where: { $0.tag == "63" }) else {
            throw StandardDefect(.missing, "checksum (63)", at: text.end, "is missing; scan the code again")
        }
        let sum = objects[index].value
        guard index == objects.count - 1 else {
            throw StandardDefect(
                .malformed, "checksum (63)", at: objects[index + 1].offset, "must be the last; something follows it")
        }
        guard sum.count == 4, let bytes = Hex.decode(sum.text), bytes.count == 2 else {
            throw sum.defect(.malformed, "checksum (63)", "must be four hexadecimal digits")
        }
        let expected = CyclicRedundancy.crc16(text.bytes.dropLast(4), initial: 0xFFFF)
        guard expected == UInt16(bytes[0]) << 8 | UInt16(bytes[1]) else {
            let scalars = text.dropLast(4).text.unicodeScalars
            let latin = scalars.compactMap { UInt8(exactly: $0.value) }
            let isLatin = latin.count == scalars.count && latin.contains { $0 >= 0x80 }
            if isLatin, CyclicRedundancy.crc16(latin, initial: 0xFFFF) == UInt16(bytes[0]) << 8 | UInt16(bytes[1]) {
                throw sum.defect(
                    .checksum, "checksum (63)",
                    "is that of the text in ISO-8859-1, where UTF-8 is read; the code's maker must use UTF-8")
            }
            throw sum.defect(.checksum, "checksum (63)", "is wrong: the code was misread or changed; scan it again")
        }
    }

    /// Returns the accounts: tags 02 to 51. From tag 26 on, they are templates that begin with the identifier of their
    /// scheme.
    static func accounts(_ objects: [TagLengthValue]) throws(StandardDefect) -> [MerchantCode.Account] {
        var accounts: [MerchantCode.Account] = []
        for object in objects where "02"..."51" ~= object.tag {
            guard object.tag >= "26" else {
                try checkIsPlain(object.value, "account (\(object.tag))")
                accounts.append(.init(tag: object.tag, value: object.value.text, fields: nil))
                continue
            }
            let fields = try TagLengthValue.all(in: object.value, "account \(object.tag), object")
            guard let owner = fields.first(where: { $0.tag == "00" && !$0.value.isEmpty }) else {
                throw object.value.defect(
                    .missing, "account \(object.tag)", "does not say whose it is: object 00 is missing")
            }
            try checkIsPlain(owner.value, "account \(object.tag), object 00")
            accounts.append(.init(tag: object.tag, value: object.value.text, fields: fields))
        }
        return accounts
    }

    /// Checks that `value` is ASCII. EMVCo QRCPS MPM 1.1 allows only ASCII (the format `ans`) outside templates of
    /// schemes, the names of template 64 and unreserved templates. An account with another letter may be taken for
    /// another payee's.
    static func checkIsPlain(_ value: TextPart, _ name: String) throws(StandardDefect) {
        guard value.bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw value.defect(.malformed, name, "has letters beyond ASCII; no account has them")
        }
    }

    /// Returns true if the name, the city, the postal code or an object of template 62 has letters beyond ASCII.
    /// Generators often keep the accents of a merchant's language there, and readers then count the length differently.
    static func hasAccents(_ objects: [TagLengthValue], _ additional: [TagLengthValue]) -> Bool {
        let named = objects.filter { ["59", "60", "61"].contains($0.tag) }
        return (named + additional).contains { !$0.value.bytes.allSatisfy { $0 < 0x80 } }
    }

    /// Returns the objects of template `tag`; none if it does not occur.
    static func template(_ tag: String, _ objects: [TagLengthValue]) throws(StandardDefect) -> [TagLengthValue] {
        guard let object = objects.first(where: { $0.tag == tag }) else { return [] }
        return try TagLengthValue.all(in: object.value, "template \(tag), object")
    }

    /// Checks each object, and that no required one is missing.
    ///
    /// - Returns: True if an object is missing that generators of national schemes often omit.
    static func check(_ objects: [TagLengthValue], text: TextPart, isNational: Bool) throws(StandardDefect) -> Bool {
        for object in objects { try check(object) }
        let tags = Set(objects.map(\.tag))
        guard tags.contains(where: { "02"..."51" ~= $0 }) else {
            throw StandardDefect(.missing, "account (02 to 51)", at: text.end, "is missing: there is no payee")
        }
        var isIncomplete = false
        for (tag, name) in demanded where !tags.contains(tag) {
            guard isNational, omissible.contains(tag) else {
                throw StandardDefect(.missing, "\(name) (\(tag))", at: text.end, "is missing")
            }
            isIncomplete = true
        }
        try checkFees(objects, tags)
        return isIncomplete
    }

    private static let demanded = [
        ("52", "merchant category"), ("53", "currency"), ("58", "country"), ("59", "merchant name"), ("60", "city"),
    ]
    private static let omissible: Set<String> = ["52", "59", "60"]
    /// EMVCo QRCPS MPM 1.1, Transaction Amount (54) and Value of Convenience Fee Fixed (56): not zero. A mark may end
    /// them (`98.`).
    private static let amount = DecimalRules(needsFraction: false, allowsZero: false)

    private static func check(_ object: TagLengthValue) throws(StandardDefect) {
        let value = object.value
        func digits(_ count: Int, _ name: String) throws(StandardDefect) {
            guard value.count == count, value.isDigits else {
                throw value.defect(.malformed, "\(name) (\(object.tag))", "must be \(count) digits")
            }
        }
        switch object.tag {
        case "01":
            // EMVCo QRCPS MPM 1.1, Point of Initiation Method: all other values are reserved.
            guard ["11", "12"].contains(value.text) else {
                throw value.defect(.malformed, "point of initiation (01)", "must be 11 or 12")
            }
        case "52": try digits(4, "merchant category")
        case "53": try digits(3, "currency")
        case "54", "56":
            guard value.count <= 13 else {
                throw value.defect(.length, "amount (\(object.tag))", "has more than 13 characters")
            }
            _ = try DecimalText(value, "amount (\(object.tag))", amount)
        case "55":
            guard ["01", "02", "03"].contains(value.text) else {
                throw value.defect(.malformed, "tip indicator (55)", "must be 01, 02 or 03")
            }
        case "57":
            let percent = try DecimalText(
                value, "fee in percent (57)",
                DecimalRules(fractionDigits: 2, needsFraction: false, allowsZero: false))
            guard let hundredths = percent.units(exponent: 2), hundredths <= 9999 else {
                throw value.defect(.range, "fee in percent (57)", "must be at most 99.99")
            }
        case "58":
            guard CountryCodes.contains(value.text) else {
                throw value.defect(.malformed, "country (58)", "must be two capital letters of ISO 3166-1")
            }
        case "59": _ = try value.limited(to: 25, "merchant name (59)")
        case "60": _ = try value.limited(to: 15, "city (60)")
        case "61": _ = try value.limited(to: 10, "postal code (61)")
        default: break
        }
    }

    /// Checks the name in another language. The language and the name are required.
    static func check(language objects: [TagLengthValue], in text: TextPart) throws(StandardDefect) {
        guard !objects.isEmpty else { return }
        for (tag, name) in [("00", "language (64, 00)"), ("01", "name (64, 01)")] {
            guard objects.contains(where: { $0.tag == tag && !$0.value.isEmpty }) else {
                throw StandardDefect(.missing, name, at: text.end, "is missing beside the others of template 64")
            }
        }
        for object in objects {
            switch object.tag {
            case "00":
                guard object.value.count == 2, object.value.bytes.allSatisfy(\.isASCIILetter) else {
                    throw object.value.defect(.malformed, "language (64, 00)", "must be two letters of ISO 639")
                }
            case "01": _ = try object.value.limited(to: 25, "name (64, 01)")
            case "02": _ = try object.value.limited(to: 15, "city (64, 02)")
            default: break
            }
        }
    }

    /// Checks the fees by the indicator. Indicator 01 asks for a tip, but some generators add fees to it anyway.
    private static func checkFees(_ objects: [TagLengthValue], _ tags: Set<String>) throws(StandardDefect) {
        guard let indicator = objects.first(where: { $0.tag == "55" }) else {
            if let fee = objects.first(where: { $0.tag == "56" || $0.tag == "57" }) {
                throw fee.value.defect(.mismatch, "fee (\(fee.tag))", "stands without the indicator 55")
            }
            return
        }
        for (value, tag, other) in [("02", "56", "57"), ("03", "57", "56")] where indicator.value.text == value {
            guard tags.contains(tag) else {
                throw indicator.value.defect(
                    .missing, "fee (\(tag))", "is missing, though the indicator 55 announces it")
            }
            if let fee = objects.first(where: { $0.tag == other }) {
                throw fee.value.defect(
                    .mismatch, "fee (\(other))", "stands beside the one that the indicator 55 announces")
            }
        }
    }
}

// MARK: - National schemes

/// The national schemes on top of ``MerchantCode``: their account templates, and the meaning of the parts.
///
/// A new scheme takes one line in ``all``, and a function if its parts have their own fields. Globally unique ids are
/// compared without regard to case.
struct MerchantScheme: Sendable {
    typealias Account = MerchantCode.Account

    /// The value of the field `scheme`.
    let id: String
    /// The tags that the template may have.
    let tags: ClosedRange<String>
    /// The value of its sub-object 00; nil if that is an account of the form `user@bank`.
    let identifier: String?
    /// The sub-objects that name the account. The first present one counts.
    var accountFields: [String] = ["01"]
    /// The sub-object with the code's expiry.
    var expiryField: String?
    /// Adds the scheme's own fields.
    var describe: @Sendable (Account, inout InstructionFields) -> Void = { _, _ in }

    /// All known schemes. If several fit a code, the first decides.
    static let all: [MerchantScheme] = [
        .init(
            id: "pix", tags: "26"..."51", identifier: "br.gov.bcb.pix", accountFields: ["01", "25"], describe: pix),
        .init(
            id: "paynow", tags: "26"..."51", identifier: "SG.PAYNOW", accountFields: ["02"], expiryField: "04",
            describe: payNow),
        .init(
            id: "promptpay", tags: "29"..."29", identifier: "A000000677010111", accountFields: ["01", "02", "03"],
            describe: promptPay),
        .init(id: "promptpay", tags: "30"..."30", identifier: "A000000677010112"),
        .init(id: "vietqr", tags: "38"..."38", identifier: "A000000727"),
        .init(id: "vnpayqr", tags: "26"..."26", identifier: "A000000775"),
        .init(
            id: "qris", tags: "51"..."51", identifier: "ID.CO.QRIS.WWW", accountFields: ["02"],
            describe: { $1.set("nmid", $0.field("02")?.text) }),
        .init(id: "duitnow", tags: "26"..."26", identifier: "A0000006150001", accountFields: ["02"]),
        .init(
            id: "fps-hk", tags: "26"..."26", identifier: "hk.com.hkicl", accountFields: ["02", "03", "04"],
            expiryField: "05", describe: fasterPayment),
        .init(id: "qrph", tags: "27"..."27", identifier: "com.p2pqrpay", accountFields: ["04", "02"]),
        .init(id: "qrph", tags: "28"..."28", identifier: "ph.ppmi.p2m", accountFields: ["04", "02"]),
        .init(id: "khqr", tags: "29"..."30", identifier: nil, accountFields: ["00"]),
        .init(
            id: "bharatqr-rupay", tags: "26"..."27", identifier: "A000000524",
            describe: { account, fields in
                if account.tag == "26" { fields.set("vpa", account.field("01")?.text) }
            }),
    ]

    private func fits(_ account: Account) -> Bool {
        guard tags ~= account.tag, let own = account.field("00") else { return false }
        guard let identifier else { return own.split(at: "@").count == 2 }
        return own.text.equalsIgnoringASCIICase(identifier)
    }

    /// Returns the scheme of one of `accounts`, and that account.
    static func match(_ accounts: [Account]) -> Match? {
        for (index, scheme) in all.enumerated() {
            if let account = accounts.first(where: scheme.fits) { return Match(index: index, account: account) }
        }
        return nil
    }

    /// A scheme in a code.
    struct Match: Sendable, Hashable {
        fileprivate let index: Int
        private let template: Account

        fileprivate init(index: Int, account: Account) {
            self.index = index
            template = account
        }

        private var scheme: MerchantScheme { MerchantScheme.all[index] }
        var id: String { scheme.id }
        var account: String? { part?.text }
        private var part: TextPart? { scheme.accountFields.lazy.compactMap { template.field($0) }.first }

        /// Checks that the account has no letters beyond ASCII. No scheme has such accounts.
        func checkAccount() throws(StandardDefect) {
            if let part { try MerchantRules.checkIsPlain(part, "account \(template.tag)") }
        }

        /// Returns the end of a day, or a day and time, in Singapore and Hong Kong, eight hours ahead of UTC.
        private static func moment(_ part: TextPart) -> Date? {
            guard let day = try? CalendarDay(part.prefix(8), "expiry", .yyyyMMdd) else { return nil }
            if part.count == 8 { return day.date(seconds: 86_400 - 8 * 3600) }
            guard let time = try? ClockTime(part.dropFirst(8), "expiry") else { return nil }
            return day.date(seconds: time.seconds - 8 * 3600)
        }

        /// Adds `scheme` and the scheme's own fields.
        func add(to fields: inout InstructionFields) {
            fields.set("scheme", id)
            scheme.describe(template, &fields)
        }

        /// Adds the meaning of the scheme's fields for the payer.
        func complete(_ instruction: inout PaymentInstruction) {
            if instruction.fields["pixUrl"] != nil {
                instruction.warnings.append(.followsURL)
                if case .open = instruction.amount { instruction.amount = .onService }
            }
            if let end = scheme.expiryField.flatMap({ template.field($0) }).flatMap(Self.moment) {
                instruction.expiresAt = end
                instruction.warnings.append(.expires)
            }
            if instruction.fields["amountEditable"]?.bool == true, case .fixed(let money) = instruction.amount {
                instruction.amount = .suggested(money)
                instruction.warnings.append(.amountEditable)
            }
        }
    }
}

extension MerchantScheme {
    /// Adds Brazil's fields: a key, or the address of a document that names the payment.
    private static func pix(_ account: Account, _ fields: inout InstructionFields) {
        if let key = account.field("01") {
            fields.set("pixKey", key.text)
            fields.set("pixKeyKind", pixKind(of: key))
        }
        let url = account.field("25")
        fields.set("pixUrl", url?.text)
        fields.set("pixKind", url == nil ? "static" : "dynamic")
    }

    private static func pixKind(of key: TextPart) -> String? {
        if key.starts(with: "+") { return "phone" }
        if key.isDigits { return key.count == 11 ? "cpf" : key.count == 14 ? "cnpj" : nil }
        if key.bytes.contains(UInt8(ascii: "@")) { return "email" }
        return key.count == 36 ? "random" : nil
    }

    /// Adds Singapore's fields.
    private static func payNow(_ account: Account, _ fields: inout InstructionFields) {
        let kinds = ["0": "mobile", "2": "uen"]
        fields.set("proxyKind", account.field("01").flatMap { kinds[$0.text] })
        fields.set("proxy", account.field("02")?.text)
        fields.set("amountEditable", account.field("03").map { $0.equals("1") })
        fields.set("expiry", account.field("04")?.text)
    }

    /// Adds Thailand's fields.
    private static func promptPay(_ account: Account, _ fields: inout InstructionFields) {
        let kinds = [("01", "phone"), ("02", "tax-or-national-id"), ("03", "ewallet")]
        fields.set("promptpayKind", kinds.first { account.field($0.0) != nil }?.1)
    }

    /// Adds Hong Kong's fields.
    private static func fasterPayment(_ account: Account, _ fields: inout InstructionFields) {
        fields.set("fpsId", account.field("02")?.text)
        fields.set("fpsMobile", account.field("03")?.text)
        fields.set("fpsEmail", account.field("04")?.text)
    }
}

// MARK: - Codes of ISO

/// The numbers of currencies, for codes that use digits. Source: ISO 4217.
enum ISO4217Numbers {
    /// Returns the letters of the currency `number`, three digits; nil for a number that is not listed.
    static func code(of number: String) -> String? { codes[number] }

    /// Returns the digits of the currency `code`, three letters.
    static func number(of code: String) -> String? { codes.first { $0.value == code }?.key }

    private static let codes: [String: String] = {
        var codes: [String: String] = [:]
        let words = list.split { $0 == " " || $0 == "\n" }
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            codes[String(words[index])] = String(words[index + 1])
        }
        return codes
    }()

    private static let list = """
        008 ALL 012 DZD 032 ARS 036 AUD 044 BSD 048 BHD 050 BDT 051 AMD 052 BBD 060 BMD 064 BTN 068 BOB 072 BWP 084 BZD
        090 SBD 096 BND 104 MMK 108 BIF 116 KHR 124 CAD 132 CVE 136 KYD 144 LKR 152 CLP 156 CNY 170 COP 174 KMF 188 CRC
        191 HRK 192 CUP 203 CZK 208 DKK 214 DOP 222 SVC 230 ETB 232 ERN 238 FKP 242 FJD 262 DJF 270 GMD 292 GIP 320 GTQ
        324 GNF 328 GYD 332 HTG 340 HNL 344 HKD 348 HUF 352 ISK 356 INR 360 IDR 364 IRR 368 IQD 376 ILS 388 JMD 392 JPY
        398 KZT 400 JOD 404 KES 408 KPW 410 KRW 414 KWD 417 KGS 418 LAK 422 LBP 426 LSL 430 LRD 434 LYD 446 MOP 454 MWK
        458 MYR 462 MVR 480 MUR 484 MXN 496 MNT 498 MDL 504 MAD 512 OMR 516 NAD 524 NPR 532 ANG 533 AWG 548 VUV 554 NZD
        558 NIO 566 NGN 578 NOK 586 PKR 590 PAB 598 PGK 600 PYG 604 PEN 608 PHP 634 QAR 643 RUB 646 RWF 654 SHP 682 SAR
        690 SCR 702 SGD 704 VND 706 SOS 710 ZAR 728 SSP 748 SZL 752 SEK 756 CHF 760 SYP 764 THB 776 TOP 780 TTD 784 AED
        788 TND 800 UGX 807 MKD 818 EGP 826 GBP 834 TZS 840 USD 858 UYU 860 UZS 882 WST 886 YER 901 TWD 925 SLE 928 VES
        929 MRU 930 STN 933 BYN 934 TMT 936 GHS 938 SDG 941 RSD 943 MZN 944 AZN 946 RON 949 TRY 950 XAF 951 XCD 952 XOF
        953 XPF 967 ZMW 968 SRD 969 MGA 971 AFN 972 TJS 973 AOA 975 BGN 976 CDF 977 BAM 978 EUR 980 UAH 981 GEL 985 PLN
        986 BRL
        """
}

/// The countries of ISO 3166-1.
enum CountryCodes {
    /// Returns true if `code` is two capital letters of a country.
    static func contains(_ code: String) -> Bool { codes.contains(code) }

    private static let codes = Set(list.split { $0 == " " || $0 == "\n" }.map(String.init))

    // XK is not in the standard. SWIFT and the European Commission use it for Kosovo.
    private static let list = """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
        CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
        FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
        JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
        MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
        PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
        TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
        """
}
