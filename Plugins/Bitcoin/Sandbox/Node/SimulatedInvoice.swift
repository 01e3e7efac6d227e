package import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
package import PaymentStandards

/// An invoice of a simulated payee, and the proof of its payment.
package struct SimulatedInvoice: Sendable {
    /// The text (BOLT 11).
    package let text: String
    /// In thousandths of a satoshi; nil if the payer chooses.
    package let amount: UInt64?
    let preimage: [UInt8]
    private let network: Bolt11.Network

    /// The payment hash in hexadecimal digits.
    package var hash: String { Hex.encode(Digest.sha256.hash(preimage)) }

    /// The invoice as the destination of a settler.
    package var endpoint: SettlementEndpoint {
        SettlementEndpoint(.bolt11, text: text, network: network.rawValue, paymentHash: hash)
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
        self.network = network
        preimage = Digest.sha256.hash(Array("simulated preimage \(number)".utf8))
        let node = try Secp256k1PrivateKey(Digest.sha256.hash(Array("simulated payee".utf8)))
        text = try Bolt11Draft(
            network, amountMsat: amount, paymentHash: Digest.sha256.hash(preimage),
            paymentSecret: Digest.sha256.hash(Array("simulated secret \(number)".utf8)), purpose: purpose,
            timestamp: time, lifetime: lifetime
        ).text(signedBy: node)
    }
}
