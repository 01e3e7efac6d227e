public import PaymentCore

/// A wallet that pays to addresses on Bitcoin's chain, in two calls: a transaction is made and noted here before it is
/// published, so that what became of it can be asked for by its id.
public protocol ChainWallet: LightningWallet {
    /// Makes a transaction, and publishes nothing. The wallet reserves what it spends.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - amount: the amount in satoshi.
    /// - Throws: ``PaymentError``; nothing is ever sent then.
    func prepare(payingTo address: String, _ amount: UInt64) async throws(PaymentError) -> ChainTransaction

    /// Publishes a prepared transaction, in one request that is sent once.
    ///
    /// - Returns: what the answer proves.
    func publish(_ transaction: ChainTransaction) async -> WalletAnswer

    /// Returns the wallet's own record of a transaction, which it is asked for by the transaction's id. Changes
    /// nothing.
    ///
    /// - Throws: ``PaymentError``, when the wallet does not answer.
    func record(of transaction: ChainTransaction) async throws(PaymentError) -> ChainRecord

    /// Discards a transaction that was not published.
    ///
    /// - Returns: true if it can never be published now; false where the wallet cannot say so, which proves nothing.
    /// - Throws: ``PaymentError``, when the wallet does not answer.
    func discard(_ transaction: ChainTransaction) async throws(PaymentError) -> Bool
}

/// A wallet's own record of a transaction.
@nonexhaustive
public enum ChainRecord: Sendable, Hashable {
    /// There is none.
    case none
    /// The wallet keeps it, and may drop it again: the chain's nodes may still refuse it.
    case kept
    /// It was published, or is on the chain.
    case published
}

/// A transaction that a wallet has prepared. Amounts are in satoshi.
public struct ChainTransaction: Sendable, Hashable {
    /// The transaction's id: 64 hexadecimal digits in lower case, as the chain writes it.
    public let id: String
    /// The address that is paid.
    public let address: String
    /// The amount that arrives there.
    public let amount: UInt64
    /// The fee.
    public let fee: UInt64
    /// The signed transaction, of a wallet that does not keep it until it is published. It is never stored.
    public let signed: [UInt8]

    /// Creates a transaction.
    public init(id: String, address: String, amount: UInt64, fee: UInt64, signed: [UInt8] = []) {
        (self.id, self.address, self.amount, self.fee, self.signed) = (id, address, amount, fee, signed)
    }
}
