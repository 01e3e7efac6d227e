public import PaymentCore

/// EMVCo's merchant-presented code, which most national schemes build on: Pix, PayNow, PromptPay, VietQR, QRIS …
///
/// Source: EMV QR Code Specification for Payment Systems, Merchant-Presented Mode 1.1. The national schemes' own parts
/// are read by `MerchantScheme`.
public struct MerchantCode: PaymentStandard {
    /// `emv-mpm`.
    public static let id = "emv-mpm"
    /// The specification that it follows.
    public static let specification = "EMVCo QRCPS MPM 1.1"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.prefix("000201")]

    /// The objects in order.
    let objects: [TagLengthValue]
    /// The account templates and card numbers (tags 02 to 51) in order.
    let accounts: [Account]
    /// The national scheme whose account is used.
    let scheme: MerchantScheme.Match?
    private let additional: [TagLengthValue]
    private let language: [TagLengthValue]
    private let isIncomplete: Bool

    /// One account that can be paid.
    struct Account: Sendable, Hashable {
        let tag: String
        let value: String
        /// The template's objects; nil for card numbers, which are opaque.
        let fields: [TagLengthValue]?

        /// Returns the value of sub-object `tag`.
        func field(_ tag: String) -> TextPart? { fields?.first { $0.tag == tag }?.value }
    }

    /// Creates a value by reading `link`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        objects = try MerchantRules.objects(in: text)
        accounts = try MerchantRules.accounts(objects)
        scheme = MerchantScheme.match(accounts)
        try scheme?.checkAccount()
        isIncomplete = try MerchantRules.check(objects, text: text, isNational: scheme != nil)
        additional = try MerchantRules.template("62", objects)
        language = try MerchantRules.template("64", objects)
        try MerchantRules.check(language: language, in: text)
        // 65 to 79 are reserved, 80 to 99 free for all.
        for object in objects where object.tag >= "65" {
            source.leave("object \(object.tag)", object.value.text)
        }
    }

    /// Returns the value of object `tag`.
    func value(_ tag: String) -> String? { objects.first { $0.tag == tag }?.value.text }

    /// The kind of code: printed for many payments (`static`) or made for one (`dynamic`).
    private var initiation: String? {
        switch value("01") {
        case "11": "static"
        case "12": "dynamic"
        default: nil
        }
    }

    /// The currency's letters; its digits where no letters are known.
    private var currency: String? { value("53").map { ISO4217Numbers.code(of: $0) ?? $0 } }

    private static func list(_ objects: [TagLengthValue]) -> JSONValue {
        .array(objects.map { .array([.string($0.tag), .string($0.value.text)]) })
    }

    /// The fields of `emv-mpm`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["tags": Self.list(objects)]
        fields.set("poi", initiation)
        fields.set("mcc", value("52"))
        fields.set("currency", currency)
        fields.set("amount", value("54"))
        fields.set("country", value("58"))
        fields.set("merchantName", value("59"))
        fields.set("city", value("60"))
        fields.set("postalCode", value("61"))
        fields.set("crc", value("63"))
        fields["accounts"] = .array(
            accounts.map { account in
                var object: JSONValue = ["tag": .string(account.tag)]
                if let fields = account.fields {
                    object["fields"] = Self.list(fields)
                } else {
                    object["value"] = .string(account.value)
                }
                return object
            })
        if !additional.isEmpty { fields["additionalData"] = Self.list(additional) }
        if !language.isEmpty { fields["language"] = Self.list(language) }
        fields.set("tipIndicator", value("55"))
        fields.set("fixedFee", value("56"))
        fields.set("percentFee", value("57"))
        scheme?.add(to: &fields)
        return fields
    }

    /// Pays the account of the national scheme, or else the first one.
    public var instruction: PaymentInstruction {
        var instruction = bareInstruction
        let name = [value("59"), value("60")].compactMap { $0 }.joined(separator: ", ")
        instruction.payee = .init(
            account: scheme?.account ?? accounts.first?.value, name: name.isEmpty ? nil : name, check: .textChecksum)
        instruction.network = scheme?.id ?? "emv:\(accounts.first?.tag ?? "")"
        if scheme != nil, let name = instruction.networkName {
            instruction.name = .init("a merchant QR code (EMV, \(name))", opensIn: "an app that pays by \(name)")
        }
        instruction.amount = .init(value("54"), iso: currency)
        instruction.reference = additional.first { $0.tag == "05" && !$0.value.equals("***") }?.value.text
        instruction.memo = additional.first { $0.tag == "08" }?.value.text
        if accounts.count > 1 { instruction.warnings.append(.severalPayees) }
        if value("55") != nil { instruction.warnings.append(.amountAdded) }
        if isIncomplete { instruction.warnings.append(.missingField) }
        if MerchantRules.hasAccents(objects, additional) { instruction.warnings.append(.irregular) }
        scheme?.complete(&instruction)
        return instruction
    }
}
