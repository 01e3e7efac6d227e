import PaymentCore

/// The payment instructions of a `bitcoin:` link besides its address, each by the key of its parameter.
///
/// The one place where payloads are read: a new kind of instruction is a case here. A payload's reading by its own
/// standard becomes an alternative of the link's instruction.
enum BIP321Payload {
    /// The keys whose values are payment instructions and may repeat. `bc`, `tb` and `bcrt` hold addresses.
    static let keys: Set<String> = ["lightning", "lno", "sp", "pay", "bc", "tb", "bcrt", "creq"]

    /// The reading of a payload.
    struct Reading {
        /// The chain; nil where the payload does not state it.
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

    /// Reads a BOLT 11 invoice; in practice, an LNURL or an offer occurs there too.
    private static func lightning(_ value: TextPart) throws(StandardDefect) -> Reading {
        if value.startsIgnoringCase("lno1") { return try offer(value) }
        if value.startsIgnoringCase("lnurl1") {
            return Reading(instruction: try LNURL(value, "lightning", isBare: false).instruction)
        }
        let invoice = try Bolt11(value, "lightning")
        return Reading(network: invoice.network.addresses, instruction: invoice.instruction.leaving(invoice.skipped))
    }

    /// Reads a BOLT 12 offer.
    private static func offer(_ value: TextPart) throws(StandardDefect) -> Reading {
        let offer = try Bolt12(value, "lno")
        return Reading(network: offer.network, instruction: offer.instruction.leaving(offer.skipped))
    }
}
