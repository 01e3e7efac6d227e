import PaymentCore

/// Payments on the chain: a transaction is prepared, stored as an order, and then published, once.
extension WalletSettler {
    /// The time after which nodes have forgotten a transaction that is not on the chain, and a wallet that has not seen
    /// it there never will.
    private static let forgotten = Duration.seconds(336 * 3600)

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
        guard transaction.fee <= chainFeeLimit.limit(for: amount * 1000) / 1000 else {
            _ = try? await wallet.discard(transaction)
            return try await refuse(
                settlement.key, nil, because: "it would cost \(transaction.fee) satoshi, above the limit of fees")
        }
        let order = WalletOrder(
            name: settlement.key, wallet: account.id, payment: .transaction(transaction), placedAt: clock.now,
            state: .sending)
        switch try await orders.begin(order) {
        case .known(let order):
            _ = try? await wallet.discard(transaction)
            return try await state(of: order)
        case .begun(let request):
            return try await finish(settlement.key, await request { await wallet.publish(transaction) })
        }
    }

    /// Asks the wallet what became of a transaction.
    ///
    /// - Parameter since: the time since the end of the request to publish it; nil while that is being sent.
    func state(
        of transaction: ChainTransaction, _ name: String, _ since: Duration?
    ) async throws -> SettlementState {
        guard let wallet = wallet as? any ChainWallet else {
            throw PaymentError(
                .payer, "this payment was ordered on the chain, which \(wallet.name) cannot be asked about",
                phase: .maybeSent, retry: .later)
        }
        if try await wallet.hasPublished(transaction) {
            let proof = SettlementProof.transaction(transaction.id)
            try await orders.settle(name, proof, fee: transaction.fee * 1000)
            return .settled(proof)
        }
        guard let since else { return .inFlight(retryAfter: Self.pause) }
        // Where the wallet lets go of it, a request that is still on its way finds nothing to publish.
        var isOver = try await wallet.discard(transaction)
        // It may have arrived between the two questions.
        if !isOver, since >= Self.forgotten { isOver = try await !wallet.hasPublished(transaction) }
        guard isOver else { return .inFlight(retryAfter: .seconds(600)) }
        let reason = "\(wallet.name) has not published the transaction, and never will"
        try await orders.refuse(name, because: reason)
        return .nothingSent(reason: reason)
    }
}
