public import PaymentCore
import PaymentCrypto
import PaymentSecp256k1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Lightning invoice. Source: BOLT 11; feature bits of BOLT 9.
///
/// The signature is checked: against the payee's key where the invoice names it, otherwise the key is recovered from
/// it.
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

        /// The networks by the letters behind `ln` in an invoice.
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
    /// The amount in thousandths of a satoshi; nil where the payer chooses.
    package let amountMsat: UInt64?
    /// The time at which it was made, in seconds of Unix time.
    package let timestamp: UInt64
    /// The content of its tagged fields.
    let content: Bolt11Fields
    /// The payee's node, 33 bytes: the key that made the signature.
    let payee: [UInt8]
    /// The 64 bytes of the signature.
    package let signature: [UInt8]
    /// The signature's recovery id.
    package let recoveryID: UInt8
    /// True if the signature is in its lower form.
    package let hasLowS: Bool

    /// Creates a value by reading `link`: an invoice, bare or behind `lightning:`.
    ///
    /// - Throws: ``StandardDefect``; of kind `foreign` when the text was not meant to be of this standard at all.
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

    /// Returns the key that signed, or nil. A key that the invoice names must have signed, and only a low S is unique
    /// to it.
    private static func signer(
        _ signature: RecoverableSignature, _ digest: [UInt8], _ named: Secp256k1PublicKey?
    ) -> [UInt8]? {
        guard let recovered = try? Secp256k1PublicKey.recover(digest: digest, signature: signature) else { return nil }
        guard let named else { return recovered.compressed }
        return named == recovered && signature.hasLowS ? recovered.compressed : nil
    }

    /// Returns the signed bytes: the groups as bytes, filled up with zeros.
    private static func packed(_ groups: ArraySlice<UInt8>) -> [UInt8] {
        // Eight groups are five bytes; zeros behind the last group do not change the bytes before them.
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
        // The number of thousandths of a satoshi in one of the unit; a pico-bitcoin is a tenth of one.
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
        var instruction = bareInstruction
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
        return instruction
    }
}
