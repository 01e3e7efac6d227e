import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The national schemes on top of ``MerchantCode``: their account templates, and the meaning of the parts.
///
/// To add a scheme: one line in ``all``, and a function where its parts have own fields. Globally unique ids are
/// compared without regard to case.
struct MerchantScheme: Sendable {
    typealias Account = MerchantCode.Account

    /// The value of the field `scheme`.
    let id: String
    /// The tags that the template may have.
    let tags: ClosedRange<String>
    /// The value of its sub-object 00; nil where that is an account of the form `user@bank`.
    let identifier: String?
    /// The sub-objects that name the account, the first present one counts.
    var accountFields: [String] = ["01"]
    /// The sub-object with the code's expiry.
    var expiryField: String?
    /// Adds the scheme's own fields.
    var describe: @Sendable (Account, inout InstructionFields) -> Void = { _, _ in }

    /// All known schemes. Where several fit a code, the first decides.
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
        /// The scheme's name.
        var id: String { scheme.id }
        var account: String? { part?.text }
        private var part: TextPart? { scheme.accountFields.lazy.compactMap { template.field($0) }.first }

        /// Checks that the account has no letters beyond ASCII: no scheme has accounts with others.
        func checkAccount() throws(StandardDefect) {
            if let part { try MerchantRules.checkIsPlain(part, "account \(template.tag)") }
        }

        /// Returns the end of a day, or a day and time, in Singapore and Hong Kong: eight hours ahead of UTC.
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
    /// Brazil: a key, or the address of a document that names the payment.
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

    /// Singapore.
    private static func payNow(_ account: Account, _ fields: inout InstructionFields) {
        let kinds = ["0": "mobile", "2": "uen"]
        fields.set("proxyKind", account.field("01").flatMap { kinds[$0.text] })
        fields.set("proxy", account.field("02")?.text)
        fields.set("amountEditable", account.field("03").map { $0.equals("1") })
        fields.set("expiry", account.field("04")?.text)
    }

    /// Thailand.
    private static func promptPay(_ account: Account, _ fields: inout InstructionFields) {
        let kinds = [("01", "phone"), ("02", "tax-or-national-id"), ("03", "ewallet")]
        fields.set("promptpayKind", kinds.first { account.field($0.0) != nil }?.1)
    }

    /// Hong Kong.
    private static func fasterPayment(_ account: Account, _ fields: inout InstructionFields) {
        fields.set("fpsId", account.field("02")?.text)
        fields.set("fpsMobile", account.field("03")?.text)
        fields.set("fpsEmail", account.field("04")?.text)
    }
}
