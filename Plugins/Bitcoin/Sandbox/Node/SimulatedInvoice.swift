package import PaymentCore
import PaymentCrypto
package import PaymentSecp256k1
package import PaymentStandards

/// An invoice of a simulated payee, and the proof of its payment.
package struct SimulatedInvoice: Sendable {
    /// The text (BOLT 11, or BOLT 12 for an offer).
    package let text: String
    /// The amount in thousandths of a satoshi; nil if the payer chooses.
    package let amount: UInt64?
    /// The proof of its payment.
    package let preimage: [UInt8]
    /// Its content.
    let draft: Bolt11Draft
    /// The payee's key in hexadecimal digits.
    let payee: String
    /// The payee's signature: in DER, or of 64 bytes for an offer.
    let signature: [UInt8]

    /// The payment hash in hexadecimal digits.
    package var hash: String { Hex.encode(Digest.sha256.hash(preimage)) }

    /// True for an invoice for an offer.
    var isOffered: Bool { text.hasPrefix("lni") }

    /// The invoice as the destination of a settler.
    package var endpoint: SettlementEndpoint {
        SettlementEndpoint(.bolt11, text: text, network: draft.network.rawValue, paymentHash: hash)
    }

    /// Writes an invoice.
    ///
    /// - Parameters:
    ///   - amount: in thousandths of a satoshi; nil if the payer chooses.
    ///   - number: makes the preimage: equal numbers have equal payment hashes.
    ///   - purpose: what is paid for.
    ///   - time: the time of its creation, in seconds of Unix time.
    ///   - lifetime: in seconds.
    ///   - network: the network of the money.
    package init(
        _ amount: UInt64?, number: Int, purpose: Bolt11Draft.Purpose = .words("a simulated invoice"), at time: UInt64,
        lifetime: UInt64 = 3600, on network: Bolt11.Network = .regtest
    ) throws {
        self.amount = amount
        preimage = Digest.sha256.hash(Array("simulated preimage \(number)".utf8))
        let node = try Secp256k1PrivateKey(Digest.sha256.hash(Array("simulated payee".utf8)))
        draft = Bolt11Draft(
            network, amountMsat: amount, paymentHash: Digest.sha256.hash(preimage),
            paymentSecret: Digest.sha256.hash(Array("simulated secret \(number)".utf8)), purpose: purpose,
            timestamp: time, lifetime: lifetime)
        text = try draft.text(signedBy: node)
        payee = Hex.encode(node.publicKey.compressed)
        let parts = try Bolt11(PaymentLink(text)).signature
        let numbers = Self.number(parts.prefix(32)) + Self.number(parts.dropFirst(32))
        signature = [0x30, UInt8(numbers.count)] + numbers
    }

    /// Makes an invoice for an offer (BOLT 12).
    ///
    /// - Parameters:
    ///   - amount: in thousandths of a satoshi.
    ///   - number: makes the preimage.
    ///   - time: the time of its creation, in seconds of Unix time.
    package init(for offer: SimulatedOffer, over amount: UInt64, number: Int, at time: UInt64) throws {
        self.amount = amount
        preimage = Digest.sha256.hash(Array("simulated preimage \(number)".utf8))
        draft = Bolt11Draft(
            offer.network, amountMsat: amount, paymentHash: Digest.sha256.hash(preimage), paymentSecret: [],
            purpose: .words(SimulatedOffer.purpose), timestamp: time, lifetime: SimulatedOffer.lifetime)
        let signed = try offer.invoice(over: amount, paymentHash: draft.paymentHash, at: time)
        (text, signature) = (signed.text, signed.signature.bytes)
        payee = Hex.encode(offer.node.publicKey.compressed)
    }

    /// Returns a number of at most 32 bytes in DER.
    private static func number(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } ?? true ? [0] : []
        return [0x02, UInt8(sign.count + digits.count)] + sign + digits
    }
}

/// An offer of a simulated payee (BOLT 12), whose node makes invoices for it.
package struct SimulatedOffer: Sendable {
    static let purpose = "a simulated offer"
    /// The lifetime of its invoices, in seconds.
    static let lifetime: UInt64 = 600
    /// The chain of regtest, as BOLT 12 names it.
    private static let regtest = Hex.decode("06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f") ?? []

    /// The text.
    package let text: String
    let network: Bolt11.Network
    let node: Secp256k1PrivateKey
    private let records: [UInt64: [UInt8]]

    /// - Parameters:
    ///   - amount: in thousandths of a satoshi; nil if the payer chooses.
    ///   - network: `mainnet` or `regtest`.
    package init(_ amount: UInt64?, on network: Bolt11.Network = .regtest) throws {
        self.network = network
        node = try Secp256k1PrivateKey(Digest.sha256.hash(Array("simulated payee".utf8)))
        var records: [UInt64: [UInt8]] = [10: Array(Self.purpose.utf8), 22: node.publicKey.compressed]
        if network != .mainnet { records[2] = Self.regtest }
        records[8] = amount.map(Self.number)
        self.records = records
        text = Bolt12Draft("lno", records).text
    }

    /// Returns the text of an invoice, and its signature.
    ///
    /// - Parameters:
    ///   - changes: records that are not as they should be, for tests.
    ///   - isForeign: true if another node makes it.
    package func invoice(
        over amount: UInt64, paymentHash: [UInt8], at time: UInt64, changes: [UInt64: [UInt8]] = [:],
        isForeign: Bool = false
    ) throws -> (text: String, signature: SchnorrSignature) {
        let payer = try Secp256k1PrivateKey(Digest.sha256.hash(Array("simulated payer".utf8))).publicKey.compressed
        let signer = isForeign ? try Secp256k1PrivateKey(Digest.sha256.hash(Array("another node".utf8))) : node
        let own = node.publicKey.compressed
        var invoice = records
        invoice[0] = Array(paymentHash.prefix(16))
        if network != .mainnet { invoice[80] = Self.regtest }
        invoice[82] = Self.number(amount)
        invoice[88] = payer
        // One path of one hop, to the node itself, and its terms: nothing to pay on the way.
        invoice[160] = own + own + [1] + own + [0, 0]
        invoice[162] = [UInt8](repeating: 0, count: 28)
        invoice[164] = Self.number(time)
        invoice[166] = Self.number(Self.lifetime)
        invoice[168] = paymentHash
        invoice[170] = Self.number(amount)
        invoice[176] = signer.publicKey.compressed
        invoice.merge(changes) { $1 }
        return try Bolt12Draft("lni", invoice).signed("invoice", by: signer)
    }

    /// Returns a number in as few bytes as it needs.
    private static func number(_ value: UInt64) -> [UInt8] {
        Array((0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }.drop { $0 == 0 })
    }
}
