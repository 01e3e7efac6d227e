/// A payment that was agreed on over a private channel, and made.
public struct PaykitChannelPayment: Sendable, Hashable {
    /// The record that both sides keep of it.
    public let receipt: PaykitReceipt
    /// The proof of payment.
    public let proof: PaykitProof?
    /// True if the payee has confirmed its arrival. It is paid without that, too.
    public let isConfirmed: Bool
}

extension PaykitReceipt {
    /// The id by which it is found again.
    public var id: ChannelReceipt.ID { ChannelReceipt.ID(payer: payer, payee: payee, name: receiptId) }

    init(_ receipt: ChannelReceipt) {
        self.init(
            receiptId: receipt.id.name, payer: receipt.id.payer, payee: receipt.id.payee, methodId: receipt.method,
            amount: receipt.amount, currency: receipt.currency, createdAt: receipt.createdAt,
            metadataJson: receipt.metadata.text)
    }
}
