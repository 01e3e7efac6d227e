public import PaymentCore
import PaymentCrypto
package import PaymentSecp256k1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Lightning invoice. Source: BOLT 11; feature bits of BOLT 9.
///
/// The signature is checked against the payee's key if the invoice names it. Otherwise, the key is recovered from the
/// signature.
public struct Bolt11: PaymentStandard {
    /// `bolt11`.
    public static let id = "bolt11"
    /// The specification that it follows.
    public static let specification = "BOLT 11, BOLT 9"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] =
        [.scheme("lightning", payloads: ["lnbc", "lntb"])]
        + [.webParameter("lightning")]
        + ["lnbc", "lntb"].map { .bare(BareShape($0, ignoresCase: true, lengths: 8...8192, .alphanumeric)) }

    /// The Lightning network of an invoice.
    package enum Network: String, Sendable, Hashable {
        /// The network of Bitcoin's main chain.
        case mainnet
        /// The network of testnet3 or testnet4.
        case testnet
        /// The network of a signet.
        case signet
        /// A developer's own network.
        case regtest

        /// The networks by the letters after `ln` in an invoice.
        static let prefixes: [(String, Network)] = [
            ("bcrt", .regtest), ("tbs", .signet), ("bc", .mainnet), ("tb", .testnet),
        ]

        /// The network of the chain's addresses.
        var addresses: BitcoinAddress.Network {
            switch self {
            case .mainnet: .mainnet
            case .testnet, .signet: .testnet
            case .regtest: .regtest
            }
        }
    }

    package let network: Network
    /// The amount in thousandths of a satoshi; nil if the payer chooses.
    package let amountMsat: UInt64?
    /// The time at which it was made, in seconds of Unix time.
    package let timestamp: UInt64
    /// The content of its tagged fields.
    let content: Bolt11Fields
    /// The payee's node: the signer's key, 33 bytes.
    let payee: [UInt8]
    /// The 64 bytes of the signature.
    package let signature: [UInt8]
    /// The signature's recovery id.
    package let recoveryID: UInt8
    /// True if the signature is in its lower form.
    package let hasLowS: Bool

    /// Creates a value by reading `source`: an invoice, bare or after `lightning:`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = try LightningText.payload(of: &source)
        // Other standards' texts, and names such as `lnbc1@host`.
        guard part.startsIgnoringCase("lnbc") || part.startsIgnoringCase("lntb"),
            !part.bytes.contains(UInt8(ascii: "@"))
        else { throw part.defect(.foreign, "invoice", "is another text") }
        try self.init(part, "invoice")
        source.leave(skipped)
    }

    /// The fields that readers skip, as parts of the text.
    var skipped: [UnreadPart] {
        content.skipped.map { UnreadPart(name: "field \($0)", value: nil, couldChangePayment: false) }
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let decoded = try Bech32(part, name, limit: PaymentLink.maximumLength)
        guard decoded.variant == .bech32 else {
            throw part.defect(.checksum, name, "has the checksum of another kind of text; ask for a new invoice")
        }
        (network, amountMsat) = try Self.readPrefix(part, decoded.prefix, name)
        let dataStart = part.bytes.startIndex + decoded.prefix.utf8.count + 1
        guard decoded.groups.count >= 7 + 104 else {
            throw part.defect(.length, name, "is too short to hold a time and a signature; copy all of it")
        }
        timestamp = decoded.groups[..<7].reduce(0) { $0 << 5 | UInt64($1) }
        let end = decoded.groups.count - 104
        content = try Bolt11Fields(decoded.groups[7..<end], network) { part.place(dataStart + $0) }

        guard let seal = Bech32.bytes(of: decoded.groups[end...]), seal.count == 65,
            let sign = try? RecoverableSignature(
                r: Array(seal[..<32]), s: Array(seal[32..<64]), recoveryID: seal[64], allowingHighS: true)
        else { throw StandardDefect(.signature, "signature", at: part.place(dataStart + end), "is not one at all") }
        let message = Array(decoded.prefix.utf8) + Self.packed(decoded.groups[..<end])
        let recovered = Self.signer(sign, Digest.sha256.hash(message), content.payee)
        guard let recovered else {
            throw StandardDefect(
                .signature, "signature", at: part.place(dataStart + end),
                "does not fit the invoice, which was changed; ask for a new one")
        }
        payee = recovered
        signature = Array(seal[..<64])
        recoveryID = seal[64]
        hasLowS = sign.hasLowS
    }

    /// Returns the signer's key; nil without a valid signature. A key that the invoice names must have signed with a
    /// low S: only then is the signature unique.
    private static func signer(
        _ signature: RecoverableSignature, _ digest: [UInt8], _ named: Secp256k1PublicKey?
    ) -> [UInt8]? {
        guard let recovered = try? Secp256k1PublicKey.recover(digest: digest, signature: signature) else { return nil }
        guard let named else { return recovered.compressed }
        return named == recovered && signature.hasLowS ? recovered.compressed : nil
    }

    /// Returns the signed bytes: the groups as bytes, filled up with zeros.
    private static func packed(_ groups: ArraySlice<UInt8>) -> [UInt8] {
        // Eight groups are five bytes. Zeros after the last group do not change the bytes before them.
        let filler = [UInt8](repeating: 0, count: (8 - groups.count % 8) % 8)
        let bytes = Bech32.bytes(of: groups + filler) ?? []
        return Array(bytes.prefix((groups.count * 5 + 7) / 8))
    }

    /// Returns the network and amount before the last `1`.
    private static func readPrefix(
        _ part: TextPart, _ prefix: String, _ name: String
    ) throws(StandardDefect) -> (Network, UInt64?) {
        let head = part.prefix(prefix.utf8.count)
        let lower = Array(prefix.utf8)
        let found = Network.prefixes.first { entry in
            guard lower.starts(with: "ln\(entry.0)".utf8) else { return false }
            let next = lower.dropFirst(2 + entry.0.utf8.count).first
            return next == nil || next?.isASCIIDigit == true
        }
        guard let (letters, network) = found else {
            throw head.defect(
                .malformed, "network", "must be lnbc, lntb, lntbs or lnbcrt and then an amount or nothing")
        }
        let written = head.dropFirst(2 + letters.utf8.count)
        guard let last = written.bytes.last else { return (network, nil) }
        // The thousandths of a satoshi in each unit. A pico-bitcoin is a tenth of one.
        let units: [UInt8: UInt128] = [
            UInt8(ascii: "m"): 100_000_000, UInt8(ascii: "u"): 100_000, UInt8(ascii: "n"): 100, UInt8(ascii: "p"): 1,
        ]
        let unit = units[last.lowercasedASCII]
        let decimal = try DecimalText(
            unit == nil ? written : written.dropLast(1), "amount", DecimalRules(fractionDigits: 0, wholeDigits: 18))
        guard var msat = decimal.units(exponent: 0) else {
            throw written.defect(.range, "amount", "has too many digits")
        }
        if last.lowercasedASCII == UInt8(ascii: "p") {
            guard msat % 10 == 0 else {
                throw written.defect(.range, "amount", "is finer than a thousandth of a satoshi, the least there is")
            }
            msat /= 10
        } else {
            msat *= unit ?? 100_000_000_000
        }
        guard msat <= 21_000_000 * 100_000_000_000 else {
            throw written.defect(.range, "amount", "is more than the 21 million bitcoin there can ever be")
        }
        return (network, UInt64(msat))
    }

    /// The expiry, in seconds of Unix time.
    package var expiresAt: UInt64 { timestamp + min(content.expirySeconds, UInt64(UInt32.max)) }

    /// The fields of `bolt11`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["network": .string(network.rawValue)]
        fields["amountMsat"] = amountMsat.map { .number(JSONNumber($0)) } ?? .null
        fields.set("timestamp", timestamp)
        fields.set("expirySeconds", content.expirySeconds)
        fields.set("expiresAt", expiresAt)
        fields.set("minFinalCltv", content.minFinalCltv)
        fields["fallbacks"] = .array(content.fallbacks.map { .string($0.text) })
        fields.set("routes", content.routes)
        fields.set("paymentSecret", Hex.encode(content.paymentSecret))
        fields.set("paymentHash", Hex.encode(content.paymentHash))
        fields.set("description", content.description)
        fields.set("descriptionHash", content.descriptionHash.map { Hex.encode($0) })
        fields.set("metadata", content.metadata.map { Hex.encode($0) })
        fields["features"] = .array(content.features.map { .number(JSONNumber($0)) })
        fields.set("skipped", content.skipped)
        fields.set("lowS", hasLowS)
        fields.set("payee", Hex.encode(payee))
        fields.set("signature", Hex.encode(signature))
        fields.set("recoveryId", recoveryID)
        return fields
    }

    /// Pays the invoice, over Lightning or to a fallback address.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: Hex.encode(payee), check: .signature)
            instruction.network = "lightning"
            if let amountMsat { instruction.amount = LightningText.amount(msat: amountMsat) }
            instruction.memo = content.description
            instruction.reference = Hex.encode(content.paymentHash)
            instruction.expiresAt = Date(timeIntervalSince1970: Double(expiresAt))
            instruction.alternatives = content.fallbacks.map { address in
                var other = address.instruction
                other.amount = instruction.amount
                return other
            }
            instruction.warnings.append(.expires)
            if network != .mainnet { instruction.warnings.append(.testNetwork) }
        }
    }
}

/// The tagged fields of a BOLT 11 invoice. Fields of unknown type or wrong length are skipped, as in the test vectors
/// of BOLT 11. Each required field must occur in valid form.
struct Bolt11Fields: Sendable, Hashable {
    private(set) var paymentHash: [UInt8] = []
    private(set) var paymentSecret: [UInt8] = []
    private(set) var description: String?
    private(set) var descriptionHash: [UInt8]?
    private(set) var payee: Secp256k1PublicKey?
    private(set) var metadata: [UInt8]?
    private(set) var expirySeconds: UInt64 = 3600
    private(set) var minFinalCltv: UInt64 = 18
    private(set) var fallbacks: [BitcoinAddress] = []
    private(set) var routes = 0
    /// The feature bits that are set, ascending.
    private(set) var features: [Int] = []
    /// The letters of fields that were skipped.
    private(set) var skipped: [String] = []

    /// The even feature bits that an invoice may demand: readers of the current BOLT 9 understand them.
    private static let understood: Set<Int> = [8, 14, 16, 24, 48]
    private static let letters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

    /// Reads `groups`. `place` returns the place in the text of the group at an index.
    init(_ groups: ArraySlice<UInt8>, _ network: Bolt11.Network, _ place: (Int) -> Int) throws(StandardDefect) {
        var seen: Set<UInt8> = []
        var index = groups.startIndex
        while index < groups.endIndex {
            let letter = String(UnicodeScalar(Self.letters[Int(groups[index])]))
            guard index + 3 <= groups.endIndex, case let length = Int(groups[index + 1]) << 5 | Int(groups[index + 2]),
                index + 3 + length <= groups.endIndex
            else {
                throw StandardDefect(.length, "field \(letter)", at: place(index), "is cut off; ask for a new invoice")
            }
            let value = groups[index + 3..<index + 3 + length]
            let field = Field(type: groups[index], letter: letter, value: value, offset: place(index))
            if try !take(field, network) {
                skipped.append(letter)
            } else if !Self.repeatable.contains(field.type), !seen.insert(field.type).inserted {
                throw field.defect(.duplicate, "stands twice; readers would disagree which counts")
            }
            index += 3 + length
        }
        let end = place(groups.endIndex)
        if paymentHash.isEmpty { throw Self.missing("p (payment hash)", end) }
        if paymentSecret.isEmpty { throw Self.missing("s (payment secret)", end) }
        guard (description == nil) != (descriptionHash == nil) else {
            throw StandardDefect(
                description == nil ? .missing : .mismatch, "field d (description)", at: end,
                "must stand once, or h in its place; ask for a new invoice")
        }
    }

    private struct Field {
        let type: UInt8
        let letter: String
        let value: ArraySlice<UInt8>
        let offset: Int

        func defect(_ kind: StandardDefect.Kind, _ advice: String) -> StandardDefect {
            StandardDefect(kind, "field \(letter)", at: offset, advice)
        }
    }

    /// `f` and `r`.
    private static let repeatable: Set<UInt8> = [9, 3]

    private static func missing(_ name: String, _ offset: Int) -> StandardDefect {
        StandardDefect(.missing, "field \(name)", at: offset, "is missing; ask for a new invoice")
    }

    /// Reads a field. Returns false if it is to be skipped.
    private mutating func take(_ field: Field, _ network: Bolt11.Network) throws(StandardDefect) -> Bool {
        switch field.type {
        case 1:
            guard let bytes = Self.bytes32(field) else { return false }
            paymentHash = bytes
        case 16:
            guard let bytes = Self.bytes32(field) else { return false }
            paymentSecret = bytes
        case 23:
            guard let bytes = Self.bytes32(field) else { return false }
            descriptionHash = bytes
        case 19:
            guard field.value.count == 53, let bytes = Bech32.bytes(of: field.value) else { return false }
            guard let key = try? Secp256k1PublicKey(parsing: bytes) else {
                throw field.defect(.range, "holds no public key of the curve; ask for a new invoice")
            }
            payee = key
        case 13:
            guard let bytes = Bech32.bytes(of: field.value), let text = String(validating: bytes, as: UTF8.self) else {
                throw field.defect(.encoding, "is no UTF-8 text; ask for a new invoice")
            }
            description = text
        case 27:
            guard let bytes = Bech32.bytes(of: field.value) else {
                throw field.defect(.malformed, "has stray bits at its end; ask for a new invoice")
            }
            metadata = bytes
        case 6: expirySeconds = try Self.number(field)
        case 24: minFinalCltv = try Self.number(field)
        case 9: return try takeFallback(field, network)
        case 3:
            guard let bytes = Bech32.bytes(of: field.value), !bytes.isEmpty, bytes.count % 51 == 0 else { return false }
            routes += 1
        case 5: try takeFeatures(field)
        default: return false
        }
        return true
    }

    private static func bytes32(_ field: Field) -> [UInt8]? {
        field.value.count == 52 ? Bech32.bytes(of: field.value) : nil
    }

    private static func number(_ field: Field) throws(StandardDefect) -> UInt64 {
        var number: UInt64 = 0
        for group in field.value {
            guard number >> 59 == 0 else { throw field.defect(.range, "is larger than any such number can be") }
            number = number << 5 | UInt64(group)
        }
        return number
    }

    private mutating func takeFeatures(_ field: Field) throws(StandardDefect) {
        for (place, group) in field.value.reversed().enumerated() {
            for bit in 0..<5 where group & 1 << UInt8(bit) != 0 { features.append(place * 5 + bit) }
        }
        if let unknown = features.first(where: { $0 % 2 == 0 && !Self.understood.contains($0) }) {
            throw field.defect(.unsupported, "demands feature \(unknown), which is not known; use another wallet")
        }
    }

    private mutating func takeFallback(_ field: Field, _ network: Bolt11.Network) throws(StandardDefect) -> Bool {
        guard let version = field.value.first else { return false }
        let addresses = network.addresses
        let program = field.value.dropFirst()
        let text: String
        switch version {
        case 17, 18:
            guard let hash = Bech32.bytes(of: program), hash.count == 20 else { return false }
            let mark: UInt8 =
                switch (version, addresses) {
                case (17, .mainnet): 0x00
                case (17, _): 0x6F
                case (_, .mainnet): 0x05
                default: 0xC4
                }
            text = Base58Check.encode([mark] + hash)
        case 0...16:
            text = Bech32.encode(
                prefix: addresses.prefix, groups: Array(field.value), version == 0 ? .bech32 : .bech32m)
        default: return false
        }
        do throws(StandardDefect) {
            fallbacks.append(
                try BitcoinAddress(TextPart(decoded: text, at: field.offset), "field f (fallback address)"))
        } catch {
            throw field.defect(.malformed, "holds a fallback address that cannot be paid; ask for a new invoice")
        }
        return true
    }
}

/// A Lightning invoice before it is signed, for simulated nodes (BOLT 11).
package struct Bolt11Draft: Sendable {
    /// The purpose of the payment.
    package enum Purpose: Sendable {
        /// A description in words.
        case words(String)
        /// The hash of a text that the payer gets elsewhere.
        case hash([UInt8])
    }

    package let network: Bolt11.Network
    /// The amount in thousandths of a satoshi; nil if the payer chooses.
    package let amountMsat: UInt64?
    package let paymentHash: [UInt8]
    package let paymentSecret: [UInt8]
    package let purpose: Purpose
    /// The time of creation, in seconds of Unix time.
    package let timestamp: UInt64
    /// In seconds.
    package let lifetime: UInt64

    package init(
        _ network: Bolt11.Network, amountMsat: UInt64?, paymentHash: [UInt8], paymentSecret: [UInt8], purpose: Purpose,
        timestamp: UInt64, lifetime: UInt64
    ) {
        self.network = network
        self.amountMsat = amountMsat
        self.paymentHash = paymentHash
        self.paymentSecret = paymentSecret
        self.purpose = purpose
        self.timestamp = timestamp
        self.lifetime = lifetime
    }

    /// Returns the invoice, signed by the payee's node.
    ///
    /// - Throws: `Secp256k1Error`.
    package func text(signedBy node: Secp256k1PrivateKey) throws -> String {
        let letters = Bolt11.Network.prefixes.first { $0.1 == network }?.0 ?? ""
        let prefix = "ln" + letters + (amountMsat.map(Self.amount) ?? "")
        var groups = Self.number(timestamp, count: 7)
        groups += Self.field("p", Bech32.groups(of: paymentHash))
        groups += Self.field("s", Bech32.groups(of: paymentSecret))
        switch purpose {
        case .words(let words): groups += Self.field("d", Bech32.groups(of: words.utf8))
        case .hash(let hash): groups += Self.field("h", Bech32.groups(of: hash))
        }
        groups += Self.field("x", Self.number(lifetime))
        // The number of blocks for the last hop, and support for payment secrets (BOLT 9: bits 8 and 14).
        groups += Self.field("c", Self.number(40)) + Self.field("9", [16, 8, 0])
        let filler = [UInt8](repeating: 0, count: (8 - groups.count % 8) % 8)
        let packed = (Bech32.bytes(of: groups + filler) ?? []).prefix((groups.count * 5 + 7) / 8)
        let signature = try node.sign(digest: Digest.sha256.hash(Array(prefix.utf8) + packed))
        groups += Bech32.groups(of: signature.r + signature.s + [signature.recoveryID])
        return Bech32.encode(prefix: prefix, groups: groups, .bech32)
    }

    /// Returns the amount in the largest unit that needs no fraction.
    private static func amount(_ msat: UInt64) -> String {
        let units: [(UInt64, String)] = [
            (100_000_000_000, ""), (100_000_000, "m"), (100_000, "u"), (100, "n"),
        ]
        for (unit, name) in units where msat % unit == 0 { return "\(msat / unit)\(name)" }
        return "\(UInt128(msat) * 10)p"
    }

    private static func field(_ tag: Character, _ groups: [UInt8]) -> [UInt8] {
        let letters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
        let type = UInt8(letters.firstIndex(of: tag) ?? 0)
        return [type, UInt8(groups.count >> 5), UInt8(groups.count & 31)] + groups
    }

    /// Returns `value` in groups of five bits: as few as possible, or `count`.
    private static func number(_ value: UInt64, count: Int? = nil) -> [UInt8] {
        let count = count ?? max(1, (64 - value.leadingZeroBitCount + 4) / 5)
        return (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(5 * (count - 1 - $0)) & 31) }
    }
}
