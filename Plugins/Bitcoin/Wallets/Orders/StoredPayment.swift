/// A payment as orders are stored with it: a transaction on the chain has its address as the text, and its fee as the
/// limit. Amounts are in thousandths of a satoshi.
struct StoredPayment {
    let id: String
    let text: String
    let isOnChain: Bool
    let amount: UInt64
    let isAmountless: Bool
    let feeLimit: UInt64
}

extension StoredPayment {
    init(_ payment: WalletOrder.Payment) {
        switch payment {
        case .invoice(let invoice):
            self.init(
                id: invoice.paymentHash, text: invoice.text, isOnChain: false, amount: invoice.amount,
                isAmountless: invoice.isAmountless, feeLimit: invoice.feeLimit)
        case .transaction(let transaction):
            self.init(
                id: transaction.id, text: transaction.address, isOnChain: true, amount: transaction.amount * 1000,
                isAmountless: false, feeLimit: transaction.fee * 1000)
        }
    }

    /// The payment.
    var payment: WalletOrder.Payment {
        isOnChain
            ? .transaction(ChainTransaction(id: id, address: text, amount: amount / 1000, fee: feeLimit / 1000))
            : .invoice(
                WalletInvoice(
                    text: text, paymentHash: id, amount: amount, isAmountless: isAmountless, feeLimit: feeLimit))
    }
}
