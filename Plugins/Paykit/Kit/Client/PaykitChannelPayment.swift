public import PaykitProvider
import PaymentCore

/// What a wallet says of a payment that it was asked to make.
@nonexhaustive
public enum PaykitSettlement: Sendable, Hashable {
    /// It is paid.
    case paid(PaykitProof)
    /// Not one coin has moved, nor will it: the reason, for people.
    case notPaid(String)

    var flow: ChannelCheckout.Settlement {
        switch self {
        case .paid(let proof): .paid(proof)
        case .notPaid(let reason): .notPaid(reason)
        }
    }
}

/// A payment that was agreed upon privately, and made.
public struct PaykitChannelPayment: Sendable, Hashable {
    /// What both sides hold of it.
    public let receipt: PaykitReceipt
    /// What proves it.
    public let proof: PaykitProof?
    /// Whether the payee has said that it has arrived. It is paid without that, too.
    public let isConfirmed: Bool
}

extension PaykitReceipt {
    /// By what it is found again.
    public var id: ChannelReceipt.ID { ChannelReceipt.ID(payer: payer, payee: payee, name: receiptId) }

    init(_ receipt: ChannelReceipt) {
        self.init(
            receiptId: receipt.id.name, payer: receipt.id.payer, payee: receipt.id.payee, methodId: receipt.method,
            amount: receipt.amount, currency: receipt.currency, createdAt: receipt.createdAt,
            metadataJson: receipt.metadata.text)
    }
}
