import PaykitProvider
import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentStandards

/// A Lightning invoice of one of the sandbox's users, and the proof of its payment.
struct PubkyInvoice: Sendable {
    let payee: PubkyKey
    /// In satoshi; nil if the payer chooses.
    let amount: UInt64?
    /// The time of its expiry, in seconds of Unix time.
    let end: UInt64
    let preimage: [UInt8]
    /// The published text (BOLT 11).
    let text: String
    var isPaid = false

    /// The payment hash, by which it is identified.
    var hash: String { Hex.encode(Digest.sha256.hash(preimage)) }

    /// Writes an invoice.
    ///
    /// - Parameters:
    ///   - time: the time of its creation, in seconds of Unix time.
    ///   - secrets: 32 bytes each, for the preimage, the payment secret and the node that signs.
    init(
        _ amount: UInt64?, for payee: PubkyKey, at time: UInt64, lifetime: UInt64, chain: PubkySandbox.Chain,
        secrets: (preimage: [UInt8], payment: [UInt8], node: [UInt8])
    ) throws {
        self.payee = payee
        self.amount = amount
        end = time + lifetime
        preimage = secrets.preimage
        text = try Bolt11Draft(
            chain == .mainnet ? .mainnet : .regtest,
            amountMsat: amount.map { min($0, PubkySandbox.mostSatoshi) * 1000 },
            paymentHash: Digest.sha256.hash(secrets.preimage), paymentSecret: secrets.payment,
            purpose: .words("Paykit sandbox"), timestamp: time, lifetime: lifetime
        ).text(signedBy: Secp256k1PrivateKey(secrets.node))
    }
}
