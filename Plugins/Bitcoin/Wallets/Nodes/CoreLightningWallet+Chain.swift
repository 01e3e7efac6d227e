public import PaymentCore
import PaymentCrypto

/// Payments on the chain. The node has a prepared transaction in its memory until it is sent or discarded; each call
/// takes it off before anything else is done, so that one of two calls finds it.
extension CoreLightningWallet: ChainWallet {
    /// Has the node choose what to spend, at its normal rate of fees.
    ///
    /// - Throws: ``PaymentError``, also for a transaction that is not what was asked for; nothing is ever sent then.
    public func prepare(
        payingTo address: String, _ amount: UInt64
    ) async throws(PaymentError) -> ChainTransaction {
        let body = try await call("txprepare", ["outputs": [.object([address: .number(JSONNumber(amount))])]])
        guard let id = body["txid"]?.string else { throw unreadable("transaction") }
        do throws(PaymentError) {
            guard let bytes = body["unsigned_tx"]?.string.flatMap({ Hex.decode($0) }),
                let transaction = TransactionBytes(bytes), transaction.id == id.lowercased(),
                transaction.pays(amount)
            else { throw unreadable("transaction") }
            return ChainTransaction(
                id: transaction.id, address: address, amount: amount, fee: try await fee(of: transaction))
        } catch {
            // What is reserved for it would be free again after twelve hours only.
            _ = try? await call("txdiscard", ["txid": .string(id)])
            throw error
        }
    }

    private func fee(of transaction: TransactionBytes) async throws(PaymentError) -> UInt64 {
        guard let outputs = try await call("listfunds", [:])["outputs"]?.array else { throw unreadable("funds") }
        var known: [TransactionBytes.Source: UInt64] = [:]
        for output in outputs {
            guard let id = output["txid"]?.string, let index = output["output"]?.uint64.flatMap(UInt32.init(exactly:)),
                let amount = output["amount_msat"]?.amount
            else { continue }
            known[TransactionBytes.Source(transaction: id, index: index)] = amount / 1000
        }
        guard let fee = transaction.fee(known) else { throw unreadable("funds") }
        return fee
    }

    /// Has the node sign and publish it.
    public func publish(_ transaction: ChainTransaction) async -> WalletAnswer {
        switch await connection.order(
            ["v1", "txsend"], .json(["txid": .string(transaction.id)]), timeout: .seconds(60))
        {
        case .unanswered(let answer): return answer
        case .answered(let response): return response.status == 201 ? .dealtWith : Self.reading(response)
        }
    }

    /// Asks for the transaction by its id. `listtransactions` has no filter, and `sql` reads its table at the node. The
    /// node stores a transaction once it was broadcast.
    ///
    /// - Throws: ``PaymentError``, when the node does not answer.
    public func record(of transaction: ChainTransaction) async throws(PaymentError) -> ChainRecord {
        guard let id = Hex.decode(transaction.id), id.count == 32 else { throw unreadable("transaction") }
        let query = "SELECT hash FROM transactions WHERE hash = x'\(Hex.encode(id))'"
        let body = try await call("sql", ["query": .string(query)])
        guard body["warning_db_failure"] == nil, let rows = body["rows"]?.array else {
            throw unreadable("transactions")
        }
        return rows.contains { $0[0]?.string == transaction.id } ? .published : .none
    }

    /// Has the node discard it.
    ///
    /// - Throws: ``PaymentError``, when the node does not answer.
    public func discard(_ transaction: ChainTransaction) async throws(PaymentError) -> Bool {
        let response = try await connection.ask(.post, ["v1", "txdiscard"], .json(["txid": .string(transaction.id)]))
        if response.status == 201, response.json?["txid"]?.string == transaction.id { return true }
        guard response.status == 500, response.json?["code"]?.int64 == -32602 else {
            throw connection.unusable(response)
        }
        return false
    }
}
