import PaymentCore
import PaymentCrypto
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// A card as the payer typed it. It leaves the sandbox only as ``network``, ``bin`` and ``suffix``.
    struct Card: Sendable {
        private let number: Redacted<String>
        let holderName: String
        let month: String
        /// The year, with four digits.
        let year: String

        /// Creates a card by reading the decrypted content of a client's message.
        ///
        /// - Throws: ``PayrailsSandboxError`` if a member is missing or impossible for a card.
        init(_ plaintext: JSONValue, holder: String) throws(PayrailsSandboxError) {
            guard plaintext["holderReference"]?.string == holder else {
                throw .invalid("encryptedData.holderReference", "is not the execution's holder")
            }
            guard let number = plaintext["cardNumber"]?.string, (12...19).contains(number.utf8.count),
                number.utf8.allSatisfy(\.isASCIIDigit)
            else { throw .invalid("encryptedData.cardNumber", "must be 12 to 19 digits") }
            guard let month = plaintext["expiryMonth"]?.string, month.utf8.count == 2, let value = Int(month),
                (1...12).contains(value)
            else { throw .invalid("encryptedData.expiryMonth", "must be 01 to 12") }
            // Clients send two digits or four, as the payer typed them.
            guard let year = plaintext["expiryYear"]?.string, [2, 4].contains(year.utf8.count),
                year.utf8.allSatisfy(\.isASCIIDigit)
            else { throw .invalid("encryptedData.expiryYear", "must be two or four digits") }
            if let code = plaintext["securityCode"]?.string {
                guard [3, 4].contains(code.utf8.count), code.utf8.allSatisfy(\.isASCIIDigit) else {
                    throw .invalid("encryptedData.securityCode", "must be three or four digits")
                }
            }
            self.number = Redacted(number)
            self.month = month
            self.year = year.utf8.count == 2 ? "20" + year : year
            holderName = plaintext["holderName"]?.string ?? ""
        }

        var bin: String { String(number.reveal().prefix(6)) }
        var suffix: String { String(number.reveal().suffix(4)) }

        var network: String {
            switch number.reveal().utf8.first {
            case UInt8(ascii: "3"): "amex"
            case UInt8(ascii: "4"): "visa"
            case UInt8(ascii: "2"), UInt8(ascii: "5"): "mastercard"
            default: "unknown"
            }
        }

        /// True if the number's check digit is right (ISO/IEC 7812-1, annex B).
        var isPlausible: Bool {
            var sum = 0
            for (position, digit) in number.reveal().utf8.reversed().enumerated() {
                let value = Int(digit - UInt8(ascii: "0")) << (position & 1)
                sum += value > 9 ? value - 9 : value
            }
            return sum % 10 == 0
        }

        /// Returns true if the card's last month is over at `time`.
        func isExpired(at time: Timestamp) -> Bool {
            // Dates of this form compare as text.
            "\(year)-\(month)" < String(time.text.prefix(7))
        }
    }

    /// A payment instrument that is stored for a holder.
    struct Instrument: Sendable {
        let id: String
        /// The method, `card` or `payPal`.
        let method: String
        let createdAt: Timestamp
        /// The status, `created`, `enabled` or `disabled`; deleted instruments are removed.
        var status: String
        var isDefault: Bool
        var data: JSONValue
        /// The merchant's notes on the instrument.
        var notes: [String: JSONValue] = [:]

        init(
            id: String, method: String, createdAt: Timestamp, status: String = "enabled", isDefault: Bool = false,
            data: JSONValue
        ) {
            self.id = id
            self.method = method
            self.createdAt = createdAt
            self.status = status
            self.isDefault = isDefault
            self.data = data
        }

        init(_ card: Card, id: String, createdAt: Timestamp) {
            self.init(
                id: id, method: "card", createdAt: createdAt, status: "created",
                data: [
                    "bin": .string(card.bin), "suffix": .string(card.suffix), "network": .string(card.network),
                    "holderName": .string(card.holderName), "expiryMonth": .string(card.month),
                    "expiryYear": .string(card.year),
                ])
        }

        static func card(
            _ id: String, bin: String, suffix: String, network: String, at time: Timestamp, isDefault: Bool = false
        ) -> Instrument {
            Instrument(
                id: id, method: "card", createdAt: time, isDefault: isDefault,
                data: [
                    "bin": .string(bin), "suffix": .string(suffix), "network": .string(network),
                    "holderName": "Ada Example", "expiryMonth": "12", "expiryYear": "2040",
                ])
        }

        /// True if the instrument can be paid with.
        var isUsable: Bool { status == "enabled" || status == "created" }

        /// Returns the instrument in the form of a session's options.
        func listed(holderID: String) -> JSONValue {
            [
                "id": .string(id), "createdAt": .string(createdAt.text), "status": .string(status),
                "paymentMethod": .string(method), "holderId": .string(holderID), "default": .bool(isDefault),
                "data": data,
            ]
        }

        /// Returns the instrument in the form of the calls that create and change instruments.
        func body(holderID: String, futureUsage: String?) -> JSONValue {
            var body = listed(holderID: holderID)
            if method == "card" { body["data"]?["binLookup"] = binLookup }
            for (name, note) in notes { body[name] = note }
            body["fingerprint"] = .string("fingerprint-of-\(id)")
            if let futureUsage { body["futureUsage"] = .string(futureUsage) }
            return body
        }
    }

    /// A payer with their stored instruments.
    struct Holder: Sendable {
        let id: String
        var instruments: [Instrument]

        mutating func makeDefault(_ id: String) {
            for index in instruments.indices { instruments[index].isDefault = instruments[index].id == id }
        }
    }
}

extension PayrailsSandbox.Instrument {
    /// Changes a member as the service documents it.
    ///
    /// - Throws: ``PayrailsSandbox/PayrailsSandboxError`` for any other member.
    mutating func change(_ name: String, to value: JSONValue) throws(PayrailsSandbox.PayrailsSandboxError) {
        switch name {
        case "status":
            // Documented: deletion is a separate call.
            guard let word = value.string, ["enabled", "disabled"].contains(word) else {
                throw .invalid("status", "must be enabled or disabled")
            }
            status = word
        case "default":
            guard value.bool != nil || value.isNull else { throw .invalid("default", "must be true, false or null") }
            isDefault = value.bool ?? false
        case "networkTransactionReference", "merchantReference":
            guard value.string?.isEmpty == false else { throw .invalid(name, "must be a text") }
            notes[name] = value
        case "paymentMethod":
            // A stored instrument cannot change its method.
            guard value.string == method else { throw .invalid("paymentMethod", "is not the instrument's") }
        default:
            throw .invalid(
                "the body",
                "has a member that cannot be changed: only status, default, "
                    + "networkTransactionReference, merchantReference and paymentMethod can")
        }
    }

    /// The data of a card that the service derives from its first digits.
    fileprivate var binLookup: JSONValue {
        [
            "bin": data["bin"] ?? "", "network": data["network"] ?? "", "issuer": "Sandbox Bank", "type": "credit",
            "issuerCountry": ["code": "AT", "name": "Austria", "iso3": "AUT"],
        ]
    }
}

// MARK: - Calls

/// The stored instruments of a holder: listing, saving, changing and deleting, for clients and for merchants.
extension PayrailsSandbox {
    func instruments(_ request: HTTPRequest, _ path: [String], isPublic: Bool) throws(PayrailsSandboxError)
        -> HTTPResponse
    {
        if isPublic, path == ["tokenize"], request.method == .post { return tokenize(request) }
        var owner: String?
        if isPublic { owner = try holder(of: request) } else { try requireMerchant(request) }
        switch (request.method, path.count) {
        case (.post, 0): return try save(request, owner: owner)
        case (.get, 0): return try list(request, owner: owner)
        case (.get, 1):
            let (holder, index) = try find(path[0], owner: owner)
            return .json(instrumentBody(holder, index))
        case (.delete, 1): return try delete(path[0], owner: owner)
        case (.patch, 1): return try update(request, path[0], owner: owner)
        case (_, 0), (_, 1): throw .wrongMethod
        default: throw .unknownPath
        }
    }

    /// Saves an instrument, `POST /payment/instruments`.
    private func save(_ request: HTTPRequest, owner: String?) throws(PayrailsSandboxError) -> HTTPResponse {
        try once(request) { () throws(PayrailsSandboxError) in
            let body = try object(request)
            guard let holder = body["holderReference"]?.string, owner == nil || owner == holder else {
                throw .invalid("holderReference", "is not the session's holder")
            }
            let usage = try Self.futureUsage(body, isRequired: true)
            let id = random.uuid()
            let instrument: Instrument
            switch body["paymentMethod"]?.string {
            case "card":
                let card = try card(body["data"], holder: holder)
                guard card.isPlausible, !card.isExpired(at: now) else {
                    throw .invalid("data.encryptedData", "holds a card that cannot be used")
                }
                instrument = Instrument(card, id: id, createdAt: now)
            case "applePay":
                let network = try Self.applePayNetwork(body["data"]?["paymentToken"]?.string)
                instrument = Instrument(
                    id: id, method: "applePay", createdAt: now, status: "created",
                    data: ["network": .string(String(network.lowercased()))])
            default: throw .invalid("paymentMethod", "must be card or applePay")
            }
            return kept(
                instrument, for: holder, stores: body["storeInstrument"]?.bool ?? true, usage: usage)
        }
    }

    /// Lists a holder's instruments, `GET /payment/instruments?filter[holderReference]=…`.
    private func list(_ request: HTTPRequest, owner: String?) throws(PayrailsSandboxError) -> HTTPResponse {
        let filter = QueryItems(Substring(request.url.query ?? ""))
            .first { PercentCoding.decode($0.name) == "filter[holderReference]" }?.decodedValue
        guard let reference = owner ?? filter else { throw .missing("filter[holderReference]") }
        let holder = holders[reference]
        return .json([
            "results": .array(holder?.instruments.map { $0.body(holderID: holder?.id ?? "", futureUsage: nil) } ?? [])
        ])
    }

    private func delete(_ id: String, owner: String?) throws(PayrailsSandboxError) -> HTTPResponse {
        let (holder, index) = try find(id, owner: owner)
        holders[holder]?.instruments.remove(at: index)
        return .json(["success": true])
    }

    /// Changes an instrument, `PATCH /payment/instruments/{id}`. Checks the whole change before any effect. The data of
    /// a card (its name, its expiry) cannot be changed: a member that is not documented is refused rather than ignored.
    private func update(_ request: HTTPRequest, _ id: String, owner: String?) throws(PayrailsSandboxError)
        -> HTTPResponse
    {
        try once(request) { () throws(PayrailsSandboxError) in
            let change = try object(request)
            let (holder, index) = try find(id, owner: owner)
            guard var instrument = holders[holder]?.instruments[index] else { throw .unknownInstrument }
            for (name, value) in (change.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                try instrument.change(name, to: value)
            }
            holders[holder]?.instruments[index] = instrument
            if change["default"]?.bool == true { holders[holder]?.makeDefault(instrument.id) }
            return .json(instrumentBody(holder, index))
        }
    }

    private func instrumentBody(_ holder: String, _ index: Int) -> JSONValue {
        guard let known = holders[holder] else { return .null }
        return known.instruments[index].body(holderID: known.id, futureUsage: nil)
    }

    private func find(_ segment: String, owner: String?) throws(PayrailsSandboxError) -> (holder: String, index: Int) {
        let id = PercentCoding.decode(segment) ?? segment
        for (reference, holder) in holders where owner == nil || owner == reference {
            if let index = holder.instruments.firstIndex(where: { $0.id == id }) { return (reference, index) }
        }
        throw .unknownInstrument
    }
}

// MARK: - Encryption

extension PayrailsSandbox {
    /// The key for the encryption of card data by clients. Its private half is public in this file: it protects
    /// nothing, and no real service uses it.
    enum CardKey {
        /// Standard base64 of the SubjectPublicKeyInfo of a 2048-bit RSA key.
        static let publicKey = """
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAspNX8a1jqF+gD5ghiB6aeddPlY6yyw4BIIMBRuxgKryGG9r1O67S\
            OVOHjPQnfJbrzzDcH8Ie4MUAUAs/ttqzy8KOsKdkJ/yjgPhOpSw7VSxfFqPDcBajeCKpcKM+wmQQLjo+wg17+ubsdKbnRP9O\
            Dk0kdYLI5InM69XbG60y2/OctRa3+oJiWduNpWkmQNrDLBijKOuzaXaK5x/4Nau8NC7gdKZ8YZE39DeCwNqNTFxpGxDs5NA1\
            0a8T1SH0E5vhgwfhRaDsB0EL5qUPrkND2OdIQu7vtt+JxG8tfS8uZ2+KiwI9P8JE/pjmAOnPeCbePSwKpKjpQl8Npbs/U991\
            QwIDAQAB
            """

        /// Returns the content of `message`, a compact JWE.
        ///
        /// - Throws: ``PayrailsSandboxError`` if the message was not made for this key in the one way that clients
        ///   encrypt.
        static func open(_ message: String) throws(PayrailsSandboxError) -> JSONValue {
            guard let der = Data(base64Encoded: privateKey), let key = try? RSAPrivateKey(pkcs8: Array(der)) else {
                throw .internalError
            }
            let plaintext = try? JWE.decrypt(message, with: key, readHeader: header)
            guard let plaintext, let value = try? JSONValue(parsing: plaintext), value.object != nil else {
                throw .invalid("encryptedData", "cannot be decrypted")
            }
            return value
        }

        /// Returns the members of a header if all of them are texts; otherwise nil.
        private static func header(_ bytes: [UInt8]) -> [String: String]? {
            guard let members = (try? JSONValue(parsing: bytes))?.object else { return nil }
            let texts = members.compactMapValues(\.string)
            return texts.count == members.count ? texts : nil
        }

        /// Standard base64 of the key in PKCS #8 form.
        private static let privateKey = """
            MIIEuwIBADANBgkqhkiG9w0BAQEFAASCBKUwggShAgEAAoIBAQCyk1fxrWOoX6APmCGIHpp510+VjrLLDgEggwFG7GAqvIYb\
            2vU7rtI5U4eM9Cd8luvPMNwfwh7gxQBQCz+22rPLwo6wp2Qn/KOA+E6lLDtVLF8Wo8NwFqN4Iqlwoz7CZBAuOj7CDXv65ux0\
            pudE/04OTSR1gsjkiczr1dsbrTLb85y1Frf6gmJZ242laSZA2sMsGKMo67NpdornH/g1q7w0LuB0pnxhkTf0N4LA2o1MXGkb\
            EOzk0DXRrxPVIfQTm+GDB+FFoOwHQQvmpQ+uQ0PY50hC7u+234nEby19Ly5nb4qLAj0/wkT+mOYA6c94Jt49LAqkqOlCXw2l\
            uz9T33VDAgMBAAECgf96btbv7t4iiQ6mYA+50f9GzHSxFWeAHDZdvrZtSL927GI1mnfK2/UNWMXZPPSmR7a6hoLqE9haL+aV\
            M4AARpyzDXh7bKem6LXI77fyfXP3pa1AQLto5Uv/Lm9JRfibh3qs9L1nybEHs710FzNvZrfIMs/fYqXVAWMowBgan0YjAY5l\
            JeCAnDgYdKKuWX3D1Ui+ov0FRBPTQXNj/i1Ek2rsbwvEVCb+6L9bQF5tAd4g+hv6XEuL9fZiWjZyD539N+71iPRTA6Ztglp/\
            20Jph0KeXQQxIkdbyLZQkijsQF080F7ENjeTMnbgHP9IqwJM6Iyb6dgW4xztpgENsTK8aJkCgYEA4fEKQobbaH39bvkaRTdi\
            TXY0cw3oTSKtxp4th6zU9d26kYlc+63U4sVAIp+a/r9gLRYdr0SzUMHaZdmwGk6PDT0Zg87dazVXj7XffRsoQvSzl0PMbuvF\
            n6m7vSeXN0aMwlnSr4gnWfMxvDhH1285q3QsNXp5fUn+LsCYuTe2VOUCgYEAylUlLmKug0hGEXR5MgH5jLDEU9ONYqHcrPpn\
            RGXsu7lB2BtbxW2i4sKapV4smZacfPZ9Zz957jps5rpGmO1Dt96qDFC5tX4qP/IgaFE9nyvXT0ZwF2J7NYi0XgDwWvI5FWd9\
            vom7fR3Koy5ofy89NHYbNUMMVngovA4J5uIfZwcCgYBNhJqFiqk6Z4eNDHAj8UWL2BNUqh/aXxyJ+XkbhIOoO0OobR12yAQz\
            LYO8nU/bOSOxNFZI7OQsv+XDbfWKgQt5ek4Ht/CluK5rAvZDgQ7GMhhvvHYmVEQAbIaZ9jxeXZkrkQ/E44zEwrh8oD6dvm5l\
            0bzdOED4aGuJ9NAxM9kdtQKBgEjwzQid1p/JTEk6nf5jK92GVCCMIWovQ+iwFM5ZmDBMpuoLYtgXoCLzWODIxHdSDnQWQDsa\
            bRBuy5eaC51R25nLka4C5BADvaNz3C7/KqHZIjOYBwzHGffAopVI7V07+Uw4FOK9sHN4a/bL4iwHkZ75/PEEjMwXYUf6H6O2\
            XO+9AoGBALnvo6W/LVamIYRHbx1qt0o+Bm4gM9Ihnoh0jWLcrf+74OWWt0aAjjjf9sjQ/djIWBc3K+yKTUi1MFPISYwsE/LK\
            Yco+ITVxHRdBq0g0BkB36rQrjxEQ67lHnTkWZA4YZuii+dXT0lgN6ui1SOlD2XcOIg7hUPeXDYkpokROobSf
            """
    }
}
