import PaymentCore
import PaymentCrypto

/// The wallet of a settler: its account on the settler's network, and what it knows of an invoice.
extension WalletSettler {
    func account() async throws(PaymentError) -> WalletAccount {
        let account = try await wallet.account()
        guard account.network == nil || account.network == network else {
            throw PaymentError(
                .payer, "\(wallet.name) is on \(account.network ?? "another network"), and the payment on \(network)")
        }
        return account
    }

    /// Returns the wallet's record, with a preimage that fits.
    func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> WalletRecord {
        let record = try await wallet.record(of: invoice, in: account)
        guard case .paid(let text, let fee) = record else { return record }
        guard let preimage = Hex.decode(text), preimage.count == 32,
            Hex.encode(Digest.sha256.hash(preimage)) == invoice.paymentHash
        else {
            throw PaymentError(
                .integrity,
                "\(wallet.name) says that it paid, but its preimage does not fit the invoice: look into the "
                    + "wallet before you pay again", phase: .maybeSent)
        }
        return .paid(preimage: Hex.encode(preimage), fee: fee)
    }
}
