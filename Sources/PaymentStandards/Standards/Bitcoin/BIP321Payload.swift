import PaymentCore

/// What can be paid inside a `bitcoin:` link besides its address, each by the key of its parameter.
///
/// The one place where payloads are read: a new kind of instruction is a case here. What a payload's own standard reads
/// from it becomes an alternative of the link's instruction.
enum BIP321Payload {
    /// The keys whose values are payment instructions and may repeat. `bc`, `tb` and `bcrt` hold addresses.
    static let keys: Set<String> = ["lightning", "lno", "sp", "pay", "bc", "tb", "bcrt", "creq"]

    /// What a payload says.
    struct Reading {
        /// Which chain it is of; nil where it does not tell.
        var network: BitcoinAddress.Network?
        /// The common reading; nil while its standard is not read.
        var instruction: PaymentInstruction?
    }

    /// Reads the value of parameter `key`.
    ///
    /// - Throws: ``StandardDefect`` when the payload is not sound.
    static func read(_ key: String, _ value: TextPart) throws(StandardDefect) -> Reading {
        guard !value.isEmpty else { throw value.defect(.missing, key, "is empty; leave it out or give it a value") }
        switch key {
        case "bc", "tb", "bcrt": return try address(key, value)
        case "sp":
            let address = try SilentPaymentAddress(value, key)
            return Reading(network: address.isMainnet ? .mainnet : .testnet)
        case "lightning": return try lightning(value)
        case "lno": return try offer(value)
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

    /// A BOLT 11 invoice; an LNURL or an offer stand there too, in the wild.
    private static func lightning(_ value: TextPart) throws(StandardDefect) -> Reading {
        if value.startsIgnoringCase("lno1") { return try offer(value) }
        let decoded = try Bech32(value, "lightning", limit: PaymentLink.maximumLength)
        guard decoded.variant == .bech32 else {
            throw value.defect(.checksum, "lightning", "has the wrong kind of checksum; ask for a new invoice")
        }
        if decoded.prefix == "lnurl" { return Reading() }
        guard let network = network(ofInvoice: decoded.prefix) else {
            throw value.defect(.malformed, "lightning", "is no invoice; those begin with lnbc, lntb or lnbcrt")
        }
        return Reading(network: network)
    }

    /// The chain that an invoice's prefix names. `lntbs` is signet's, whose addresses are testnet's.
    private static func network(ofInvoice prefix: String) -> BitcoinAddress.Network? {
        if prefix.hasPrefix("lnbcrt") { return .regtest }
        if prefix.hasPrefix("lnbc") { return .mainnet }
        return prefix.hasPrefix("lntb") ? .testnet : nil
    }

    /// The outer form of a BOLT 12 offer, which has no checksum.
    private static func offer(_ value: TextPart) throws(StandardDefect) -> Reading {
        guard value.startsIgnoringCase("lno1"), value.count > 4 else {
            throw value.defect(.malformed, "lno", "is no offer; those begin with lno1")
        }
        let alphabet = Set("qpzry9x8gf2tvdw0s3jn54khce6mua7l+".utf8)
        for index in value.bytes.indices.dropFirst(4) where !alphabet.contains(value.bytes[index].lowercasedASCII) {
            throw StandardDefect(
                .malformed, "lno", at: value.place(index), "has a character that offers do not use; copy it again")
        }
        return Reading()
    }
}
