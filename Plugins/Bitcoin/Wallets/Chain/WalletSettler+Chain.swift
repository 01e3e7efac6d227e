import PaymentCore

/// Payments on the chain: a transaction is prepared, stored as an order, and then published, once.
extension WalletSettler {
    /// The number of blocks, two weeks', after which nodes have forgotten a transaction that is not on the chain, and a
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
            // What was not stored is never published.
            return try await refuse(settlement.key, nil, because: error.message)
        }
        do throws(PaymentError) {
            guard transaction.fee <= chainFeeLimit.limit(for: amount * 1000) / 1000 else {
                throw PaymentError(.payer, "it would cost \(transaction.fee) satoshi, above the limit of fees")
            }
            // What cannot be asked about would stay open permanently.
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
            return try await finish(settlement.key, await request { await wallet.publish(transaction) })
        }
    }

    /// Asks the wallet what became of a transaction.
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
        // A wallet that has said that it published it keeps it; one that has not may be trying, and drop it.
        case .kept where isDealtWith:
            return try await settle(order, .transaction(transaction.id), fee: transaction.fee * 1000)
        case .kept: return .inFlight(retryAfter: Self.blockPause)
        case .none: break
        }
        let isForgotten = try await isOver(order, account, after: Self.forgettingBlocks)
        // Where the wallet lets go of it, a request that is still on its way finds nothing to publish.
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
