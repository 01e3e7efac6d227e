import PaymentCore

/// The requirements of EMVCo for each object of a merchant-presented code.
enum MerchantRules {
    /// Returns the objects of `text`, whose checksum fits.
    ///
    /// - Throws: ``StandardDefect``; of a code whose lengths count bytes, it names the first such object.
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

    /// Returns the accounts: tags 02 to 51. Those from 26 on are templates that begin with the identifier of their
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

    /// EMVCo QRCPS MPM 1.1 has ASCII alone (the format `ans`) in everything but templates of schemes, the names of
    /// template 64 and unreserved templates. An account with another letter may be taken for another payee's.
    static func checkIsPlain(_ value: TextPart, _ name: String) throws(StandardDefect) {
        guard value.bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw value.defect(.malformed, name, "has letters beyond ASCII; no account has them")
        }
    }

    /// True if the name, the city, the postal code or an object of template 62 has letters beyond ASCII. Generators
    /// often leave the accents of a merchant's language there; readers then count its length differently.
    static func hasAccents(_ objects: [TagLengthValue], _ additional: [TagLengthValue]) -> Bool {
        let named = objects.filter { ["59", "60", "61"].contains($0.tag) }
        return (named + additional).contains { !$0.value.bytes.allSatisfy { $0 < 0x80 } }
    }

    /// Returns the objects of template `tag`; none where it does not occur.
    static func template(_ tag: String, _ objects: [TagLengthValue]) throws(StandardDefect) -> [TagLengthValue] {
        guard let object = objects.first(where: { $0.tag == tag }) else { return [] }
        return try TagLengthValue.all(in: object.value, "template \(tag), object")
    }

    /// Checks each object, and that no required one is missing.
    ///
    /// - Returns: True if an object is missing that national schemes' own generators often leave out.
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
    /// EMVCo QRCPS MPM 1.1, Transaction Amount (54) and Value of Convenience Fee Fixed (56): different from zero; a
    /// mark may end them (`98.`).
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

    /// Checks the name in another language: its language and the name itself are needed.
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

    /// Checks the fees by the indicator. Indicator 01 asks for a tip; some generators add fees to it nevertheless.
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
