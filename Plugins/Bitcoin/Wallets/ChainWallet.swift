public import PaymentCore
import PaymentCrypto

/// A wallet that pays to addresses on Bitcoin's chain, in two calls. A transaction is made and noted here before it is
/// published, so its outcome can be asked for by its id.
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
    /// - Returns: the proof in the answer.
    func publish(_ transaction: ChainTransaction) async -> WalletAnswer

    /// Returns the wallet's own record of a transaction, which it is asked for by the transaction's id. Changes
    /// nothing.
    ///
    /// - Throws: ``PaymentError``, when the wallet does not answer.
    func record(of transaction: ChainTransaction) async throws(PaymentError) -> ChainRecord

    /// Discards a transaction that was not published.
    ///
    /// - Returns: true if it can never be published now; false if the wallet cannot say so. False proves nothing.
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

/// Payments on the chain: a transaction is prepared, stored as an order, and then published, once.
extension WalletSettler {
    /// The number of blocks in two weeks. After them nodes have forgotten a transaction that is not on the chain, and a
    /// wallet that has not seen it there never will.
    private static let forgettingBlocks: UInt64 = 2016

    func transfer(
        _ settlement: Settlement, over amount: UInt64, from wallet: any ChainWallet
    ) async throws -> SettlementState {
        let account: WalletAccount
        let transaction: ChainTransaction
        do throws(PaymentError) {
            account = try await self.account()
            transaction = try await wallet.prepare(payingTo: settlement.endpoint.text, amount)
        } catch {
            // A transaction that was not stored is never published.
            return try await refuse(settlement.key, nil, because: error.message)
        }
        do throws(PaymentError) {
            guard transaction.fee <= chainFeeLimit.limit(for: amount * 1000) / 1000 else {
                throw PaymentError(.payer, "it would cost \(transaction.fee) satoshi, above the limit of fees")
            }
            // A transaction that cannot be asked about would stay open permanently.
            guard try await wallet.record(of: transaction) == .none else {
                throw PaymentError(.payer, "\(wallet.name) has published the transaction that it has just prepared")
            }
        } catch {
            _ = try? await wallet.discard(transaction)
            return try await refuse(settlement.key, nil, because: error.message)
        }
        let order = WalletOrder(
            name: settlement.key, wallet: account.id, payment: .transaction(transaction), placedAt: clock.now,
            state: .sending)
        switch try await orders.begin(order, alone: false) {
        case .known(let order):
            _ = try? await wallet.discard(transaction)
            return try await state(of: order)
        case .busy:
            _ = try? await wallet.discard(transaction)
            throw PaymentError(.payer, "the orders kept a transaction waiting", phase: .beforeSend, retry: .later)
        case .begun(let request):
            return try await finish(request, await orders.send(request) { await wallet.publish(transaction) })
        }
    }

    /// Asks the wallet for the outcome of a transaction.
    func state(
        of transaction: ChainTransaction, _ order: WalletOrder, _ account: WalletAccount
    ) async throws -> SettlementState {
        guard let wallet = wallet as? any ChainWallet else {
            throw PaymentError(
                .payer, "this payment was ordered on the chain, which \(wallet.name) cannot be asked about",
                phase: .maybeSent, retry: .later)
        }
        // While it is being published, a wallet may keep it and drop it again.
        guard case .asked(_, let isDealtWith, _) = order.state else { return .inFlight(retryAfter: Self.pause) }
        switch try await wallet.record(of: transaction) {
        case .published: return try await settle(order, .transaction(transaction.id), fee: transaction.fee * 1000)
        // A wallet that has said that it published it keeps it. One that has not may be trying, and drop it.
        case .kept where isDealtWith:
            return try await settle(order, .transaction(transaction.id), fee: transaction.fee * 1000)
        case .kept: return .inFlight(retryAfter: Self.blockPause)
        case .none: break
        }
        let isForgotten = try await isOver(order, account, after: Self.forgettingBlocks)
        // If the wallet discards it, a request that is still on its way finds nothing to publish.
        var isOver = try await wallet.discard(transaction)
        // It may have arrived between the two questions.
        if !isOver, isForgotten {
            isOver = try await wallet.record(of: transaction) == .none
        }
        guard isOver else { return .inFlight(retryAfter: Self.blockPause) }
        let reason = "\(wallet.name) has not published the transaction, and never will"
        try await orders.refuse(order.name, because: reason)
        return .nothingSent(reason: reason)
    }
}

/// A transaction as wallets return it: what it spends, and what it pays. Source: BIP-144 for the two forms; the older
/// one has no witnesses.
struct TransactionBytes {
    /// An output that is spent.
    struct Source: Hashable {
        let transaction: String
        let index: UInt32
    }

    /// The id, as the chain writes it: the digest of the older form.
    let id: String
    let sources: [Source]
    /// The amounts of its outputs, in satoshi.
    let amounts: [UInt64]

    /// Reads a transaction; nil if it is truncated or spends nothing.
    ///
    /// - Parameter isSigned: true for one whose id is final. One that is not must have no scripts with what it spends,
    ///   because its id could still change with them, and no witnesses.
    init?(_ bytes: [UInt8], isSigned: Bool = false) {
        var rest = bytes[...]
        func take(_ count: UInt64) -> ArraySlice<UInt8>? {
            guard count <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }
        func number(_ count: UInt64) -> UInt64? { take(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        func size() -> UInt64? {
            guard let first = number(1) else { return nil }
            return first < 0xFD ? first : number(1 << (first - 0xFC))
        }
        guard let version = take(4) else { return nil }
        let hasWitnesses = isSigned && rest.starts(with: [0, 1])
        if hasWitnesses { rest = rest.dropFirst(2) }
        let body = rest
        guard let sourceCount = size(), sourceCount > 0 else { return nil }
        var sources: [Source] = []
        for _ in 0..<sourceCount {
            guard let hash = take(32), let index = number(4), let script = size(), isSigned || script == 0,
                take(script) != nil, take(4) != nil
            else { return nil }
            sources.append(Source(transaction: Hex.encode(hash.reversed()), index: UInt32(index)))
        }
        guard let amountCount = size(), amountCount > 0 else { return nil }
        var amounts: [UInt64] = []
        for _ in 0..<amountCount {
            guard let amount = number(8), let length = size(), take(length) != nil else { return nil }
            amounts.append(amount)
        }
        let core = version + body[..<rest.startIndex]
        for _ in 0..<(hasWitnesses ? sourceCount : 0) {
            guard let parts = size() else { return nil }
            for _ in 0..<parts { guard let length = size(), take(length) != nil else { return nil } }
        }
        guard let lock = take(4), rest.isEmpty else { return nil }
        id = Hex.encode(Digest.sha256.hash(Digest.sha256.hash(Array(core + lock))).reversed())
        (self.sources, self.amounts) = (sources, amounts)
    }

    /// Returns true if it pays an amount, and in addition no more than the change.
    func pays(_ amount: UInt64) -> Bool { amounts.contains(amount) && amounts.count <= 2 }

    /// Returns the fee by the amounts of `known` outputs; nil if one that is spent is not among them, or less is
    /// spent than paid.
    func fee(_ known: [Source: UInt64]) -> UInt64? {
        guard let spent = Self.sum(sources.map { known[$0] }), let paid = Self.sum(amounts), paid <= spent,
            Set(sources).count == sources.count
        else { return nil }
        return spent - paid
    }

    private static func sum(_ amounts: [UInt64?]) -> UInt64? {
        var total: UInt64 = 0
        for amount in amounts {
            guard let amount else { return nil }
            let (sum, isOver) = total.addingReportingOverflow(amount)
            guard !isOver else { return nil }
            total = sum
        }
        return total
    }
}
