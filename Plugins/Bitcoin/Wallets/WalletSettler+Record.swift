import PaymentCore
import PaymentCrypto

/// The wallet of a settler: its account on the settler's network, and what it knows of an invoice.
extension WalletSettler {
    /// A wallet's record whose preimage was checked.
    enum CheckedRecord {
        case none
        case inFlight
        case paid(SettlementProof, fee: UInt64?)
        case failed(reason: String, isFinal: Bool)
    }

    func account() async throws(PaymentError) -> WalletAccount {
        let account = try await wallet.account()
        guard account.network == nil || account.network == network else {
            throw PaymentError(
                .payer, "\(wallet.name) is on \(account.network ?? "another network"), and the payment on \(network)")
        }
        return account
    }

    /// Returns the wallet's record, with a preimage that fits, or none.
    func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> CheckedRecord {
        switch try await wallet.record(of: invoice, in: account) {
        case .none: return .none
        case .inFlight: return .inFlight
        case .failed(let reason, let isFinal): return .failed(reason: reason, isFinal: isFinal)
        case .paid(let text, let fee):
            // Wallets write zeros for a preimage that they do not have.
            guard let text, !text.allSatisfy({ $0 == "0" }) else {
                return .paid(.unproven(paymentHash: invoice.paymentHash), fee: fee)
            }
            guard let preimage = Hex.decode(text), preimage.count == 32,
                Hex.encode(Digest.sha256.hash(preimage)) == invoice.paymentHash
            else {
                throw PaymentError(
                    .integrity,
                    "\(wallet.name) says that it paid, but its preimage does not fit the invoice: look into the "
                        + "wallet before you pay again", phase: .maybeSent)
            }
            return .paid(.preimage(Hex.encode(preimage)), fee: fee)
        }
    }
}
