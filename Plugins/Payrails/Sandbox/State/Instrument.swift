import PaymentCore

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
