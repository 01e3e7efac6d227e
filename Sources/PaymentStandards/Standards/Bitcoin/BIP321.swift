public import PaymentCore

/// A `bitcoin:` link: an address and other ways to make the same payment.
///
/// Sources: BIP-321, which replaces BIP-21, BIP-72 for requests, BIP-77 and BIP-78 for payjoin parameters. Scheme, keys
/// and bech32 values may be in lower or upper case; QR codes have them in capitals.
public struct BIP321: WritablePaymentStandard {
    /// `bip321`.
    public static let id = "bip321"
    /// The specification that it follows.
    public static let specification = "BIP-321 (BIP-21), BIP-72, BIP-77, BIP-78"
    /// True.
    public static let ignoresUnknownParts = true
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.scheme("bitcoin")]

    package private(set) var address: BitcoinAddress?
    /// The amount in bitcoin, as written.
    private(set) var amount: String?
    /// The amount in satoshi.
    private(set) var amountSat: UInt64?
    private(set) var label: String?
    private(set) var message: String?
    /// Payment instructions, by key, in order: `lightning`, `lno`, `sp`, `bc` …
    private(set) var payloads: [Payload] = []
    /// The address of a service that holds the request to pay. A Bitcoin address next to it is for wallets that cannot
    /// fetch it (BIP-72).
    private(set) var request: String?
    /// The address for arranging a payjoin.
    private(set) var payjoin: String?
    /// The value of `pjos`: whether outputs may be replaced in a payjoin.
    private(set) var payjoinSubstitution: String?
    /// A URI to open with the proof of payment.
    private(set) var proofURI: String?
    /// True if the payee demands the proof.
    private(set) var requiresProof = false
    /// Parameters of other standards, in order.
    private(set) var unknown: [Payload] = []
    /// The chain of all instructions; nil if none states it.
    private(set) var network: BitcoinAddress.Network?
    private var inner: [PaymentInstruction] = []

    /// A parameter as written.
    struct Payload: Sendable, Hashable {
        /// The key in lower case.
        let key: String
        let value: String
    }

    private static let limit = DecimalRules(fractionDigits: 8)
    private static let maximum: UInt128 = 21_000_000_00_000_000
    private static let known: Set<String> = BIP321Payload.keys.union([
        "label", "message", "amount", "pop", "pj", "pjos", "r",
    ])
    private static let reader = QueryReader(
        QueryRules(foldsNames: true, required: "req-", repeatable: BIP321Payload.keys), known: known)

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let path = source.path()
        guard source.link.form == .opaque else {
            throw StandardDefect(.malformed, "address", at: 8, "must follow the colon; remove the //")
        }
        if !path.isEmpty {
            try path.checkQueryMark()
            let address = try Self.sound(path, "address")
            self.address = address
            network = address.network
        }
        var swallowed: [(String, String)] = []
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            try take(key, parameter)
            if key == "label" || key == "message" { swallowed += Self.swallowed(by: parameter.value) }
        }
        for (name, value) in swallowed { source.leave(name, value) }
        guard address != nil || !payloads.isEmpty || request != nil else {
            throw StandardDefect(
                .missing, "address", at: path.end, "is missing, and nothing else in the link can be paid")
        }
    }

    /// Creates a link to pay `address`; nil if the amount is above 21 million bitcoin.
    public init?(address: BitcoinAddress, amountSat: UInt64? = nil, label: String? = nil, message: String? = nil) {
        self.address = address
        self.label = label
        self.message = message
        network = address.network
        if let amountSat {
            guard let money = try? Money(minorUnits: UInt128(amountSat), currency: .satoshi), amountSat <= Self.maximum
            else { return nil }
            self.amountSat = amountSat
            amount = money.decimalText
        }
    }

    /// Returns a sound address. One whose checksum fails is a defect here: the scheme shows that one was meant.
    private static func sound(_ part: TextPart, _ name: String) throws(StandardDefect) -> BitcoinAddress {
        let (scheme, rest) = part.cut(at: ":")
        if rest != nil, !scheme.isEmpty, scheme.count <= 20, scheme.bytes.allSatisfy(\.isASCIILetter) {
            throw part.defect(
                .mismatch, name,
                "begins with \(scheme.lowercased): and is another coin's, not Bitcoin's")
        }
        do throws(StandardDefect) {
            return try BitcoinAddress(part, name)
        } catch {
            throw error.kind == .foreign ? part.defect(.checksum, name, error.advice) : error
        }
    }

    // MARK: Parameters

    private mutating func take(_ key: String, _ parameter: QueryParameter) throws(StandardDefect) {
        let isRequired = key.hasPrefix("req-")
        let name = isRequired ? String(key.dropFirst(4)) : key
        switch name {
        case "amount": try takeAmount(parameter.value)
        case "label": label = try text(parameter, name)
        case "message": message = try text(parameter, name)
        case "pj": payjoin = try text(parameter, name)
        case "r": request = try Self.request(parameter, try text(parameter, name))
        case "pjos": payjoinSubstitution = try text(parameter, name)
        case "pop": try takeProof(parameter, isRequired: isRequired)
        case _ where BIP321Payload.keys.contains(name): try takePayload(name, parameter)
        default:
            unknown.append(Payload(key: key, value: try text(parameter, "parameter")))
        }
    }

    /// Returns the parameters inside a text whose author wrote a second `?` in place of `&`. By RFC 3986 they are part
    /// of the text, but they are most likely meant as parameters.
    private static func swallowed(by value: TextPart) -> [(String, String)] {
        value.split(at: "?").dropFirst().compactMap { part in
            let (name, rest) = part.cut(at: "=")
            guard let rest, known.contains(name.lowercased) else { return nil }
            return (name.lowercased, PercentCoding.decodeLeniently(rest.text))
        }
    }

    private func text(_ parameter: QueryParameter, _ name: String) throws(StandardDefect) -> String {
        try Self.reader.text(parameter, name).text
    }

    /// True if only a service's request states the payment.
    private var isRequestAlone: Bool { request != nil && address == nil && payloads.isEmpty }

    /// Returns the address of a request at a service.
    static func request(_ parameter: QueryParameter, _ text: String) throws(StandardDefect) -> String {
        guard (try? PaymentLink(text))?.isHTTP == true else {
            throw parameter.value.defect(.malformed, "r", "must be the web address of a request (BIP-72)")
        }
        return text
    }

    private mutating func takeAmount(_ value: TextPart) throws(StandardDefect) {
        let decimal = try DecimalText(value, "amount", Self.limit)
        guard let units = decimal.units(exponent: 8), units <= Self.maximum else {
            throw value.defect(.range, "amount", "is more than the 21 million bitcoin there can ever be")
        }
        amount = decimal.text
        amountSat = UInt64(units)
    }

    private mutating func takePayload(_ key: String, _ parameter: QueryParameter) throws(StandardDefect) {
        let value = try Self.reader.text(parameter, key)
        let reading: BIP321Payload.Reading
        do throws(StandardDefect) {
            reading = try BIP321Payload.read(key, value)
        } catch {
            // The key shows which parameter is at fault.
            guard error.part != key else {
                throw error.kind == .foreign ? value.defect(.malformed, key, error.advice) : error
            }
            let fault = error.advice.prefix { $0 != ";" }
            throw StandardDefect(
                error.kind == .foreign ? .malformed : error.kind, key, at: error.offset,
                "cannot be read: its \(error.part) \(fault)")
        }
        if let other = reading.network {
            guard network == nil || network == other else {
                throw value.defect(.mismatch, key, "is of another network than the rest of the link")
            }
            network = other
        }
        payloads.append(Payload(key: key, value: value.text))
        if let instruction = reading.instruction { inner.append(instruction) }
    }

    /// A proof that opens in a browser would reveal the payer to a stranger. It is ignored if offered, and refused if
    /// demanded.
    private mutating func takeProof(_ parameter: QueryParameter, isRequired: Bool) throws(StandardDefect) {
        let uri = try text(parameter, "pop")
        guard Self.mayOpen(uri) || !isRequired else {
            throw parameter.value.defect(
                .unsupported, "req-pop", "demands to open a web page or script with the proof of payment; do not pay")
        }
        proofURI = uri
        requiresProof = isRequired
    }

    private static func mayOpen(_ uri: String) -> Bool {
        let scheme = uri.prefix { $0 != ":" }
        guard scheme.count < uri.count, let first = scheme.utf8.first, first.isASCIILetter else { return false }
        return !["http", "https", "file", "javascript", "mailto", "data", "blob", "vbscript", "about"]
            .contains(scheme.lowercased())
    }

    // MARK: Fields and instruction

    private func values(_ key: String) -> [String] { payloads.filter { $0.key == key }.map(\.value) }

    /// The fields of `bip321`.
    public var fields: InstructionFields {
        var fields = InstructionFields()
        fields.set("address", address?.text)
        fields.set("network", network?.rawValue)
        fields.set("amount", amount)
        fields.set("amountSat", amountSat)
        fields.set("label", label)
        fields.set("message", message)
        for key in ["lightning", "lno", "sp", "pay", "creq"] {
            let values = values(key)
            if values.count > 1 { fields.set(key, values) } else { fields.set(key, values.first) }
        }
        for key in ["bc", "tb", "bcrt"] { fields.set(key, values(key)) }
        fields.set("r", request)
        fields.set("pj", payjoin)
        fields.set("pjos", payjoinSubstitution)
        if let proofURI {
            fields.set("pop", proofURI)
            fields.set("popMayOpen", Self.mayOpen(proofURI))
            fields.set("popRequired", requiresProof)
            // With several ways to pay, the used one decides which link is opened.
            if Self.mayOpen(proofURI), address == nil || payloads.isEmpty {
                fields.set("popOpen", "\(proofURI)\(address == nil ? payloads.first?.key ?? "" : "onchain")=")
            }
        }
        fields.set("unknown", Dictionary(unknown.map { ($0.key, $0.value) }) { first, _ in first })
        return fields
    }

    /// The instruction that completes what the link leaves open. One for a single payment comes first.
    private var used: PaymentInstruction? {
        let order = ["bolt11", "bolt12-offer", "lnurl", "bitcoin-address", "cashu-request"]
        return inner.enumerated().min { one, other in
            let rank = { (instruction: PaymentInstruction) in order.firstIndex(of: instruction.standard) ?? .max }
            return (rank(one.element), one.offset) < (rank(other.element), other.offset)
        }?.element
    }

    /// Pays the address, or one of the alternatives. The alternative that is paid completes what the link leaves open.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            if let address {
                address.describe(&instruction)
                instruction.payee?.name = label
            } else if let used {
                instruction.payee = used.payee
                if let label { instruction.payee?.name = label }
                instruction.expiresAt = used.expiresAt
                instruction.warnings = used.warnings
                instruction.network = network?.chain
            } else {
                let isRequest = isRequestAlone
                instruction.payee = .init(
                    account: isRequest ? request : payloads.first?.value, name: label,
                    check: isRequest ? .none : .checksum)
                instruction.network = isRequest ? BitcoinAddress.Network.mainnet.chain : network?.chain
            }
            if network ?? .mainnet != .mainnet, !instruction.warnings.contains(.testNetwork) {
                instruction.warnings.append(.testNetwork)
            }
            if let amountSat, let money = try? Money(minorUnits: UInt128(amountSat), currency: .satoshi) {
                instruction.amount = .fixed(money)
            } else if let used, address == nil || used.amount.money != nil {
                // An address takes any amount, so only the invoice states the requested one.
                instruction.amount = used.amount
                if address != nil { instruction.warnings.append(.amountInside) }
            } else if isRequestAlone {
                instruction.amount = .onService
            }
            instruction.memo = message ?? (address == nil ? used?.memo : nil)
            instruction.alternatives = inner
            let amount = instruction.amount
            let isOther = { (other: PaymentInstruction) in
                if case .fixed = other.amount { other.amount != amount } else { false }
            }
            if inner.contains(where: isOther) { instruction.warnings.append(.amountsDiffer) }
            if request != nil || payjoin != nil { instruction.warnings.append(.followsURL) }
            if let payjoin {
                // BIP-78: https, or http of an onion service.
                let host = payjoin.lowercased().dropFirst("http://".count).prefix { !"/:?#".contains($0) }
                if payjoin.lowercased().hasPrefix("http://"), !host.hasSuffix(".onion") {
                    instruction.warnings.append(.unencryptedURL)
                }
            }
            if let proofURI, !Self.mayOpen(proofURI) { instruction.warnings.append(.opensNothing) }
        }
    }

    /// The canonical link.
    public var text: String {
        let items =
            [("amount", amount), ("label", label), ("message", message)] + payloads.map { ($0.key, $0.value) }
            + [
                ("r", request), ("pj", payjoin), ("pjos", payjoinSubstitution),
                (requiresProof ? "req-pop" : "pop", proofURI),
            ] + unknown.map { ($0.key, $0.value) }
        return "bitcoin:\(address?.text ?? "")\(PercentCoding.query(items) { Self.staysBare($0) })"
    }

    /// Returns true for bytes that RFC 3986 leaves bare in a query, without the marks that separate parameters.
    private static func staysBare(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-_.~!$'()*,;:@/?+".utf8.contains(byte)
    }
}

/// The payment instructions of a `bitcoin:` link in addition to its address, each by the key of its parameter.
///
/// All payloads are read here: a new kind of instruction is a new case. A payload's reading by its own standard becomes
/// an alternative of the link's instruction.
enum BIP321Payload {
    /// The keys whose values are payment instructions and may repeat. `bc`, `tb` and `bcrt` hold addresses.
    static let keys: Set<String> = ["lightning", "lno", "sp", "pay", "bc", "tb", "bcrt", "creq"]

    struct Reading {
        /// The chain; nil if the payload does not state it.
        var network: BitcoinAddress.Network?
        /// The common reading; nil if this library does not read its standard.
        var instruction: PaymentInstruction?
    }

    /// Reads the value of parameter `key`.
    ///
    /// - Throws: ``StandardDefect`` if the payload is not sound.
    static func read(_ key: String, _ value: TextPart) throws(StandardDefect) -> Reading {
        guard !value.isEmpty else { throw value.defect(.missing, key, "is empty; leave it out or give it a value") }
        switch key {
        case "bc", "tb", "bcrt": return try address(key, value)
        case "sp":
            let address = try SilentPaymentAddress(value, key)
            return Reading(network: address.isMainnet ? .mainnet : .testnet)
        case "lightning": return try lightning(value)
        case "lno": return try offer(value)
        case "creq": return Reading(instruction: try CashuRequest(value, key).instruction)
        default: return Reading()
        }
    }

    private static func address(_ key: String, _ value: TextPart) throws(StandardDefect) -> Reading {
        let address = try BitcoinAddress(value, key)
        guard address.network.prefix == key, address.witnessVersion != nil else {
            throw value.defect(.mismatch, key, "must hold a segwit address that begins with \(key)1")
        }
        return Reading(network: address.network, instruction: address.instruction)
    }

    /// Reads a BOLT 11 invoice. In practice, an LNURL or an offer occurs here too.
    private static func lightning(_ value: TextPart) throws(StandardDefect) -> Reading {
        if value.startsIgnoringCase("lno1") { return try offer(value) }
        if value.startsIgnoringCase("lnurl1") {
            return Reading(instruction: try LNURL(value, "lightning", isBare: false).instruction)
        }
        let invoice = try Bolt11(value, "lightning")
        return Reading(network: invoice.network.addresses, instruction: invoice.instruction(leaving: invoice.skipped))
    }

    /// Reads a BOLT 12 offer.
    private static func offer(_ value: TextPart) throws(StandardDefect) -> Reading {
        let offer = try Bolt12(value, "lno")
        return Reading(network: offer.network, instruction: offer.instruction(leaving: offer.skipped))
    }
}
