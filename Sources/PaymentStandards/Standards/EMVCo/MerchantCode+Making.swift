public import PaymentCore

extension MerchantCode: WritablePaymentStandard {
    /// The canonical text: the objects in their order.
    public var text: String { objects.map { Self.object($0.tag, $0.value.text) }.joined() }

    /// Creates a code of one account template.
    ///
    /// - Parameters:
    ///   - template: The account's tag, `26` to `51`.
    ///   - account: The template's objects in order; the first is `00`, the identifier of the scheme.
    ///   - category: The merchant category code of ISO 18245.
    ///   - currency: The letters of ISO 4217.
    ///   - minorUnits: The amount in minor units of `currency`, or nil to let the payer enter it.
    ///   - country: The two letters of ISO 3166-1.
    ///   - name: The merchant's name.
    ///   - city: The merchant's city.
    ///   - isForOnePayment: True if the code is made for one payment (tag 01 is 12), false if it is printed for many
    ///     (11); nil leaves it out.
    ///   - additional: The objects of template 62: `05` the reference, `08` the purpose …
    /// - Throws: ``StandardDefect`` where the resulting code could not be read, and for texts that are not ASCII.
    public init(
        template: String, account: [(tag: String, value: String)], category: String = "0000", currency: String,
        minorUnits: UInt64? = nil, country: String, name: String, city: String, isForOnePayment: Bool? = nil,
        additional: [(tag: String, value: String)] = []
    ) throws(StandardDefect) {
        guard let number = ISO4217Numbers.number(of: currency), let exponent = ISO4217.exponent(of: currency) else {
            throw StandardDefect(.range, "currency (53)", at: 0, "is none of ISO 4217")
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
    ///   - transaction: 1 to 25 letters and digits by which the payee recognises the payment; nil for none.
    ///   - information: A text for the payer.
    /// - Returns: The code.
    /// - Throws: ``StandardDefect`` where the resulting code could not be read.
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

    /// Returns one object, whose value is not too long for two digits of length.
    private static func checked(_ tag: String, _ value: String) throws(StandardDefect) -> String {
        guard tag.utf8.count == 2, tag.utf8.allSatisfy(\.isASCIIDigit) else {
            throw StandardDefect(.malformed, "tag", at: 0, "must be two digits")
        }
        guard 1...99 ~= value.unicodeScalars.count else {
            throw StandardDefect(.length, "object \(tag)", at: 0, "must have 1 to 99 characters")
        }
        // EMVCo QRCPS MPM 1.1: these are of format `ans`, the printable characters of ASCII. Of others some
        // readers count the bytes, some the characters.
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
