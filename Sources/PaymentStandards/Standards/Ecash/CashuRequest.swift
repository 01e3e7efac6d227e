import PaymentCore
import PaymentCrypto

/// A request to be paid in ecash. Source: Cashu NUT-18 (CBOR) and NUT-26 (bech32m).
struct CashuRequest: PaymentStandard {
    static let id = "cashu-request"
    static let specification = "Cashu NUT-18, NUT-26"
    static let patterns: [StandardPattern] = [
        .scheme("cashu", payloads: ["creqA", "creqb1"]), .webValue("creqa"), .webValue("creqb1"),
        .bare(BareShape("creqA", lengths: 7...8192, .visible)),
        .bare(BareShape("creqb1", ignoresCase: true, lengths: 8...8192, .alphanumeric)),
    ]

    /// `A` or `B`.
    let version: String
    /// The content of a text of version A; nil for B.
    private let content: CBORValue?
    /// The records of version B; empty for A.
    private let bytes: [UInt8]
    /// The requested amount; nil if the payer decides.
    let amount: UInt64?
    /// The amount's unit; nil if the payer decides.
    let unit: String?
    /// The accepted mints; empty for any.
    let mints: [String]
    /// An id for the payee to recognise the payment.
    let paymentID: String?
    /// The purpose of the payment, as the request claims.
    let details: String?
    /// The ways to deliver ecash to the payee: kind and address.
    private let transports: [String]

    /// Creates a value by reading `source`, bare or after `cashu:`.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        try self.init(Cashu.payload(of: &source, "creq"), "request")
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        self = try part.startsIgnoringCase("creqb1") ? Self(bech32: part, name) : Self(cbor: part, name)
    }

    /// Reads a map of CBOR.
    private init(cbor part: TextPart, _ name: String) throws(StandardDefect) {
        guard part.starts(with: "creqA") else {
            throw part.defect(.foreign, name, "is no request; those begin with creqA or creqb1")
        }
        let data = part.dropFirst(5)
        guard let bytes = Base64Text.decode(data), !bytes.isEmpty else {
            throw data.defect(.encoding, name, "must be base64; copy all of it")
        }
        guard let content = try? CBORValue(parsing: bytes), case .map = content else {
            throw data.defect(.malformed, name, "does not hold a request; copy all of it")
        }
        func check(_ key: String, _ isSound: (CBORValue) -> Bool) throws(StandardDefect) {
            guard let value = content[key], value != .null, !isSound(value) else { return }
            throw data.defect(.malformed, "\(name) \(key)", "is of the wrong kind; ask for a new request")
        }
        for key in ["i", "u", "d"] { try check(key) { $0.text != nil } }
        try check("a") { $0.unsigned != nil }
        for key in ["m", "t"] { try check(key) { $0.array != nil } }
        version = "A"
        self.content = content
        self.bytes = []
        amount = content["a"]?.unsigned
        unit = content["u"]?.text
        mints = content["m"]?.array?.compactMap(\.text) ?? []
        paymentID = content["i"]?.text
        details = content["d"]?.text
        transports = content["t"]?.array?.compactMap { $0["a"]?.text } ?? []
    }

    /// Reads records of a type of one byte, a length of two and a value.
    private init(bech32 part: TextPart, _ name: String) throws(StandardDefect) {
        let decoded = try Bech32(part, name, limit: PaymentLink.maximumLength)
        guard decoded.variant == .bech32m, decoded.prefix == "creqb" else {
            throw part.defect(.checksum, name, "has the checksum of another kind of text; ask for a new request")
        }
        guard let bytes = Bech32.bytes(of: decoded.groups) else {
            throw part.defect(.malformed, name, "has stray bits at its end; ask for a new request")
        }
        let records = try Self.records(bytes, part, name)
        func texts(_ type: UInt8) throws(StandardDefect) -> [String] {
            var texts: [String] = []
            for record in records where record.type == type {
                guard let text = String(validating: record.value, as: UTF8.self) else {
                    throw part.defect(.encoding, "\(name) record \(type)", "is no UTF-8 text; ask for a new request")
                }
                texts.append(text)
            }
            return texts
        }
        version = "B"
        content = nil
        self.bytes = bytes
        paymentID = try texts(1).first
        amount = try records.first { $0.type == 2 }.map { record throws(StandardDefect) in
            guard record.value.count == 8 else {
                throw part.defect(.length, "\(name) amount", "must have 8 bytes; ask for a new request")
            }
            return record.value.reduce(0) { $0 << 8 | UInt64($1) }
        }
        unit = try records.first { $0.type == 3 }.map { record throws(StandardDefect) in
            record.value.elementsEqual([0]) ? "sat" : try texts(3).first ?? ""
        }
        mints = try texts(5)
        details = try texts(6).first
        transports = []
    }

    private static func records(
        _ bytes: [UInt8], _ part: TextPart, _ name: String
    ) throws(StandardDefect) -> [(type: UInt8, value: ArraySlice<UInt8>)] {
        var records: [(type: UInt8, value: ArraySlice<UInt8>)] = []
        var rest = bytes[...]
        while let type = rest.popFirst() {
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 2 + length else {
                throw part.defect(.length, name, "breaks off within a record; copy all of it")
            }
            let repeats = [4, 5, 7].contains(type)
            guard repeats || !records.contains(where: { $0.type == type }) else {
                throw part.defect(.duplicate, "\(name) record \(type)", "stands twice; one counts")
            }
            records.append((type, rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        return records
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["version": .string(version)]
        if let content { fields["request"] = content.json } else { fields.set("tlvHex", Hex.encode(bytes)) }
        return fields
    }

    /// Pays by sending ecash as the request says.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: transports.first, check: version == "B" ? .textChecksum : .none)
            instruction.network = mints.first ?? "cashu"
            if let amount { instruction.amount = Cashu.amount(amount, unit ?? "sat") }
            instruction.memo = details
            instruction.reference = paymentID
            if mints.count > 1 { instruction.warnings.append(.severalPayees) }
            instruction.warnings.append(.followsURL)
        }
    }
}
