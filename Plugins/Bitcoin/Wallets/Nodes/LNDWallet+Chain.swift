public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payments on the chain. The node chooses what to spend and signs; the signed transaction is known here alone until it
/// is published. So one that was published in vain, as by a request that is lost, stays open: the request could arrive
/// late. Source: `lnrpc/walletrpc`.
extension LNDWallet: ChainWallet {
    /// The number of blocks in which the transaction should be confirmed: what `lncli` asks for.
    private static let target = 6

    /// Has the node reserve what it spends for ten minutes, and sign, at its fee for six blocks.
    ///
    /// - Throws: ``PaymentError``, also for a transaction that is not what was asked for; nothing is ever sent then.
    public func prepare(
        payingTo address: String, _ amount: UInt64
    ) async throws(PaymentError) -> ChainTransaction {
        let outputs: JSONValue = .object([address: .string("\(amount)")])
        let funded = try await call(
            ["psbt", "fund"], ["raw": ["outputs": outputs], "target_conf": .number(JSONNumber(Self.target))])
        let leases = funded["locked_utxos"]?.array ?? []
        do throws(PaymentError) {
            guard let draft = funded["funded_psbt"]?.string else { throw unreadable }
            let signed = try await call(["psbt", "finalize"], ["funded_psbt": .string(draft)])["raw_final_tx"]?.string
            guard let bytes = signed.flatMap({ Data(base64Encoded: $0) }).map(Array.init),
                let transaction = TransactionBytes(bytes, isSigned: true), transaction.pays(amount),
                let fee = transaction.fee(Self.amounts(of: leases))
            else { throw unreadable }
            return ChainTransaction(id: transaction.id, address: address, amount: amount, fee: fee, signed: bytes)
        } catch {
            await release(leases)
            throw error
        }
    }

    private static func amounts(of leases: [JSONValue]) -> [TransactionBytes.Source: UInt64] {
        var amounts: [TransactionBytes.Source: UInt64] = [:]
        for lease in leases { if let source = source(of: lease) { amounts[source] = lease["value"]?.amount } }
        return amounts
    }

    private static func source(of lease: JSONValue) -> TransactionBytes.Source? {
        guard let id = lease["outpoint"]?["txid_str"]?.string,
            let index = lease["outpoint"]?["output_index"]?.uint64.flatMap(UInt32.init(exactly:))
        else { return nil }
        return TransactionBytes.Source(transaction: id, index: index)
    }

    /// Has the node publish it.
    public func publish(_ transaction: ChainTransaction) async -> WalletAnswer {
        let body: JSONValue = ["tx_hex": .string(Data(transaction.signed).base64EncodedString())]
        switch await connection.order(["v2", "wallet", "tx"], .json(body), timeout: .seconds(60)) {
        case .unanswered(let answer): return answer
        case .answered(let response):
            let isPublished = response.status == 200 && response.json?["publish_error"]?.string == ""
            if isPublished { return .dealtWith }
            // Only a refusal of the call itself: what the chain's nodes say of a transaction is not final.
            guard case .sentNothing(let reason) = Self.reading(response) else { return .nothing }
            return .sentNothing(reason: reason)
        }
    }

    /// Asks for the transaction by its id. The node keeps one while it broadcasts it, and drops it where the chain's
    /// nodes refuse it, so one that is in no block is only kept.
    ///
    /// - Throws: ``PaymentError``, when the node does not answer.
    public func record(of transaction: ChainTransaction) async throws(PaymentError) -> ChainRecord {
        let response = try await connection.ask(.get, ["v2", "wallet", "tx"], query: [("txid", transaction.id)])
        if response.status == 200, let body = response.json, body["tx_hash"]?.string == transaction.id {
            return body["num_confirmations"]?.int64 ?? 0 > 0 ? .published : .kept
        }
        guard let message = Self.error(in: response)?.message, Self.absences.contains(where: message.contains) else {
            throw refusal(response)
        }
        return .none
    }

    /// Parts of the errors about a transaction that the wallet does not have.
    private static let absences = ["can not find transaction", "transaction not found", "tx not found"]

    /// Frees what a transaction that was prepared by this program reserves.
    ///
    /// - Returns: false: nothing that the node does prevents a signed transaction from being published.
    /// - Throws: ``PaymentError``, when the node does not answer.
    public func discard(_ transaction: ChainTransaction) async throws(PaymentError) -> Bool {
        guard let sources = TransactionBytes(transaction.signed, isSigned: true)?.sources else { return false }
        let leases = try await call(["utxos", "leases"])["locked_utxos"]?.array ?? []
        await release(leases.filter { lease in Self.source(of: lease).map(sources.contains) ?? false })
        return false
    }

    /// Frees what is reserved; what this fails for is free after ten minutes.
    private func release(_ leases: [JSONValue]) async {
        for lease in leases {
            guard let id = lease["id"], let outpoint = lease["outpoint"] else { continue }
            _ = try? await call(["utxos", "release"], ["id": id, "outpoint": outpoint])
        }
    }

    private func call(_ path: [String], _ body: JSONValue? = nil) async throws(PaymentError) -> JSONValue {
        let response = try await connection.ask(
            .post, ["v2", "wallet"] + path, body.map { .json($0) } ?? .none)
        guard response.status == 200, let answer = response.json else { throw refusal(response) }
        return answer
    }

    private var unreadable: PaymentError {
        PaymentError(.payer, "LND's transaction is not the one that was asked for", phase: .answered, retry: .later)
    }
}
