public import PaymentCore

/// EMVCo's merchant-presented code. Most national schemes build on it: Pix, PayNow, PromptPay, VietQR, QRIS …
///
/// Source: EMV QR Code Specification for Payment Systems, Merchant-Presented Mode 1.1. `MerchantScheme` reads the
/// national schemes' own parts.
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

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
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
        // Tags 65 to 79 are reserved, 80 to 99 are free for all.
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

    /// The currency's letters; its digits if no letters are known.
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

    /// Pays the account of the national scheme, otherwise the first one.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            let name = [value("59"), value("60")].compactMap { $0 }.joined(separator: ", ")
            instruction.payee = .init(
                account: scheme?.account ?? accounts.first?.value, name: name.isEmpty ? nil : name, check: .textChecksum
            )
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
        }
    }
}

extension MerchantCode: WritablePaymentStandard {
    /// The canonical text: the objects in their order.
    public var text: String { objects.map { Self.object($0.tag, $0.value.text) }.joined() }

    /// Creates a code of one account template.
    ///
    /// - Parameters:
    ///   - template: The account's tag, `26` to `51`.
    ///   - account: The template's objects in order. The first is `00`, the identifier of the scheme.
    ///   - category: The merchant category code of ISO 18245.
    ///   - currency: The letters of ISO 4217.
    ///   - minorUnits: The amount in minor units of `currency`, or nil to let the payer enter it.
    ///   - country: The two letters of ISO 3166-1.
    ///   - name: The merchant's name.
    ///   - city: The merchant's city.
    ///   - isForOnePayment: True if the code is made for one payment (tag 01 is 12), false if it is printed for many
    ///     (11); nil leaves it out.
    ///   - additional: The objects of template 62: `05` the reference, `08` the purpose …
    /// - Throws: ``StandardDefect`` if the resulting code cannot be read, and for texts that are not ASCII.
    public init(
        template: String, account: [(tag: String, value: String)], category: String = "0000", currency: String,
        minorUnits: UInt64? = nil, country: String, name: String, city: String, isForOnePayment: Bool? = nil,
        additional: [(tag: String, value: String)] = []
    ) throws(StandardDefect) {
        guard let number = ISO4217Numbers.number(of: currency), let exponent = ISO4217.exponent(of: currency) else {
            throw StandardDefect(.range, "currency (53)", at: 0, "is not a code of ISO 4217")
        }
        guard minorUnits != 0 else {
            throw StandardDefect(
                .range, "amount (54)", at: 0, "must be above zero; leave it out for the payer to enter")
        }
        guard "26"..."51" ~= template else {
            throw StandardDefect(.range, "account", at: 0, "must have a tag from 26 to 51")
        }
        let money = minorUnits.flatMap {
            try? Money(minorUnits: UInt128($0), currency: .fiat(FiatCurrency(currency)), exponent: exponent)
        }
        var objects: [(String, String?)] = [("00", "01"), ("01", isForOnePayment.map { $0 ? "12" : "11" })]
        objects.append((template, try Self.template(account)))
        objects += [("52", category), ("53", number), ("54", money?.decimalText), ("58", country)]
        objects += [("59", name), ("60", city), ("62", additional.isEmpty ? nil : try Self.template(additional))]
        var text = ""
        for (tag, value) in objects {
            guard let value else { continue }
            text += try Self.checked(tag, value)
        }
        text += "6304"
        let sum = CyclicRedundancy.crc16(text.utf8, initial: 0xFFFF)
        try self.init(text: text + Hex.encode([UInt8(sum >> 8), UInt8(sum & 0xFF)]).uppercased())
    }

    /// Creates a Pix code of a key, to be printed.
    ///
    /// Source: Banco Central do Brasil, manual of the BR Code.
    ///
    /// - Parameters:
    ///   - key: The payee's Pix key: a phone number with `+55`, a tax number, an e-mail address or a random key.
    ///   - name: The payee's name.
    ///   - city: The payee's city.
    ///   - centavos: The amount, or nil to let the payer enter it.
    ///   - transaction: 1 to 25 letters and digits for the payee to recognise the payment; nil for none.
    ///   - information: A text for the payer.
    /// - Returns: The code.
    /// - Throws: ``StandardDefect`` if the resulting code cannot be read.
    public static func pix(
        key: String, name: String, city: String, centavos: UInt64? = nil, transaction: String? = nil,
        information: String? = nil
    ) throws(StandardDefect) -> MerchantCode {
        let isPlain = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit }
        if let transaction, !(1...25 ~= transaction.utf8.count && transaction.utf8.allSatisfy(isPlain)) {
            throw StandardDefect(.malformed, "transaction", at: 0, "must be 1 to 25 letters and digits")
        }
        guard 1...77 ~= key.utf8.count else {
            throw StandardDefect(.length, "key", at: 0, "must have 1 to 77 characters")
        }
        var account = [(tag: "00", value: "br.gov.bcb.pix"), (tag: "01", value: key)]
        if let information { account.append((tag: "02", value: information)) }
        return try MerchantCode(
            template: "26", account: account, currency: "BRL", minorUnits: centavos, country: "BR", name: name,
            city: city, additional: [(tag: "05", value: transaction ?? "***")])
    }

    private static func template(_ objects: [(tag: String, value: String)]) throws(StandardDefect) -> String {
        var text = ""
        for (tag, value) in objects { text += try checked(tag, value) }
        return text
    }

    /// Returns one object. Its value must not be too long for two digits of length.
    private static func checked(_ tag: String, _ value: String) throws(StandardDefect) -> String {
        guard tag.utf8.count == 2, tag.utf8.allSatisfy(\.isASCIIDigit) else {
            throw StandardDefect(.malformed, "tag", at: 0, "must be two digits")
        }
        guard 1...99 ~= value.unicodeScalars.count else {
            throw StandardDefect(.length, "object \(tag)", at: 0, "must have 1 to 99 characters")
        }
        // EMVCo QRCPS MPM 1.1: these are of format `ans`, the printable characters of ASCII. For others, some readers
        // count bytes and some count characters.
        guard value.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw StandardDefect(
                .malformed, "object \(tag)", at: 0, "has letters beyond ASCII; write it without accents")
        }
        return object(tag, value)
    }

    private static func object(_ tag: String, _ value: String) -> String {
        tag + twoDigits(value.unicodeScalars.count) + value
    }
}

/// One object of a merchant-presented code: two digits of id, two of length, a value.
struct TagLengthValue: Sendable, Hashable {
    /// The two digits.
    let tag: String
    let value: TextPart
    /// The place where the object begins.
    let offset: Int

    /// Reads all objects of `text`. Lengths count characters (Unicode scalars), as in the vectors.
    ///
    /// - Parameter countsBytes: True if lengths count bytes, as some generators do, against the specification.
    /// - Throws: ``StandardDefect`` if a tag or length is not two digits, a value is truncated or a tag occurs twice.
    static func all(
        in text: TextPart, _ name: String, countsBytes: Bool = false
    ) throws(StandardDefect) -> [TagLengthValue] {
        var objects: [TagLengthValue] = []
        var seen: UInt128 = 0
        let bytes = text.bytes
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard let tag = number(bytes, at: index) else {
                throw StandardDefect(.malformed, name, at: text.place(index), "a tag of two digits must stand here")
            }
            guard let length = number(bytes, at: index + 2) else {
                throw StandardDefect(
                    .malformed, "\(name) \(two(tag))", at: text.place(index + 2),
                    "a length of two digits must stand here")
            }
            guard seen & 1 << UInt128(tag) == 0 else {
                throw StandardDefect(
                    .duplicate, "\(name) \(two(tag))", at: text.place(index), "stands twice; one counts")
            }
            seen |= 1 << UInt128(tag)
            var end = index + 4
            for _ in 0..<length {
                guard end < bytes.endIndex else {
                    throw StandardDefect(
                        .length, "\(name) \(two(tag))", at: text.place(index),
                        "says \(length) characters, but the text ends before; scan it again")
                }
                end += 1
                while !countsBytes, end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 { end += 1 }
            }
            objects.append(
                TagLengthValue(tag: two(tag), value: text[index + 4..<end], offset: text.place(index)))
            index = end
        }
        return objects
    }

    private static func number(_ bytes: ArraySlice<UInt8>, at index: Int) -> Int? {
        guard index + 1 < bytes.endIndex, bytes[index].isASCIIDigit, bytes[index + 1].isASCIIDigit else { return nil }
        return Int(bytes[index] - 0x30) * 10 + Int(bytes[index + 1] - 0x30)
    }

    private static func two(_ number: Int) -> String { twos[number] }

    private static let twos = (0..<100).map { $0 < 10 ? "0\($0)" : String($0) }
}
