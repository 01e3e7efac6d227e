public import PaymentCore
import PaymentCrypto

/// A Core Lightning node's REST interface, the plugin `clnrest` (version 24.11 or later).
///
/// | answer to the request to pay | proves |
/// | --- | --- |
/// | codes 1501 to 1503 and −32601 of `clnrest`, and 500 with code −32602 or 213 | nothing was sent |
/// | 201, and 500 with code 203, 205, 207 or 219 | the call is over, and the records say |
/// | any other code (−1, −3, −4, 209), no answer | nothing |
///
/// A plugin that ends leaves parts in flight. A failure counts only while no part of the payment is in flight, which
/// the node is asked for in addition.
public struct CoreLightningWallet: LightningWallet {
    let connection: WalletConnection

    /// `Core Lightning`.
    public var name: String { connection.name }
    /// An expired invoice is refused before any part is sent.
    public var conduct: WalletConduct { WalletConduct(refusesExpired: true, takesTurns: false) }
    /// The time that the node starts attempts. Those in flight continue.
    private static let attempts = 30

    /// Creates the wallet.
    ///
    /// - Parameters:
    ///   - url: the address of `clnrest`, such as `https://127.0.0.1:3010`.
    ///   - rune: a rune for `getinfo`, `decode`, `xpay`, `listpays` and `listsendpays`; for offers also `fetchinvoice`,
    ///     and for payments on the chain `txprepare`, `txsend`, `txdiscard`, `listfunds` and `sql`.
    ///   - transport: the way there.
    public init(at url: HTTPURL, rune: Redacted<String>, over transport: any HTTPTransport) {
        connection = WalletConnection(to: "Core Lightning", at: url, over: transport, "Rune", rune)
    }

    /// Returns the node's public key and network.
    ///
    /// - Throws: ``PaymentError``.
    public func account() async throws(PaymentError) -> WalletAccount {
        let body = try await call("getinfo", [:])
        guard let id = body["id"]?.string, !id.isEmpty, let network = body["network"]?.string else {
            throw PaymentError(.invalidResponse, "Core Lightning does not say which node it is", phase: .answered)
        }
        // A node that catches up sees many blocks in a moment.
        let isSynced = body["warning_bitcoind_sync"] == nil && body["warning_lightningd_sync"] == nil
        return WalletAccount(
            id: id, network: WalletAccount.network(network), height: isSynced ? body["blockheight"]?.uint64 : nil)
    }

    /// Objects to an invoice that the node reads in another way.
    ///
    /// - Throws: ``PaymentError``, when the node does not answer.
    public func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? {
        let body = try await call("decode", ["string": .string(invoice.text)])
        let member = invoice.isOffered ? "invoice_" : ""
        guard body["valid"] == true, body[member + "payment_hash"]?.string == invoice.paymentHash,
            body[member + "amount_msat"]?.amount == (invoice.isAmountless ? nil : invoice.amount)
        else { return "Core Lightning reads the invoice in another way" }
        return nil
    }

    /// Asks the node to pay, and waits for the end of the call.
    public func pay(_ invoice: WalletInvoice) async -> WalletAnswer {
        var body: JSONValue = [
            "invstring": .string(invoice.text), "maxfee": .number(JSONNumber(invoice.feeLimit)),
            "retry_for": .number(JSONNumber(Self.attempts)),
        ]
        if invoice.isAmountless { body["amount_msat"] = .number(JSONNumber(invoice.amount)) }
        let ordered = await connection.order(["v1", "xpay"], .json(body), timeout: .seconds(Self.attempts + 30))
        switch ordered {
        case .unanswered(let answer): return answer
        case .answered(let response): return Self.reading(response)
        }
    }

    static func reading(_ response: HTTPResponse) -> WalletAnswer {
        guard let body = response.json else { return .nothing }
        if response.status == 201 { return body["payment_preimage"] == nil ? .nothing : .dealtWith }
        guard let code = body["code"]?.int64 else { return .nothing }
        let reason = (body["message"]?.string ?? "Core Lightning refuses the request").asReason
        if refusals.contains(where: { $0 == (response.status, code) }) { return .sentNothing(reason: reason) }
        return ends.contains { $0 == (response.status, code) } ? .dealtWith : .nothing
    }

    /// The statuses and codes of errors that come before any part is sent.
    private static let refusals: [(Int, Int64)] = [
        (401, 1501), (401, 1502), (401, 1503), (403, 1501), (403, 1502), (403, 1503), (404, -32601), (500, -32602),
        (500, 213),
    ]

    /// The statuses and codes that end the call to pay: the payee's refusal, no route, an expired invoice, one
    /// that is paid. The call sends no part afterwards.
    private static let ends: [(Int, Int64)] = [(500, 203), (500, 205), (500, 207), (500, 219)]

    /// Returns the node's record.
    ///
    /// - Throws: ``PaymentError``, when the node does not answer, or its record is about another payment.
    public func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> WalletRecord {
        let query: JSONValue = ["payment_hash": .string(invoice.paymentHash)]
        guard let payments = try await call("listpays", query)["pays"]?.array else { throw unreadable("payments") }
        let paid = payments.first { $0["status"] == "complete" }
        if let paid {
            let text = paid[invoice.isOffered ? "bolt12" : "bolt11"]?.string
            guard text.map({ $0.lowercased() == invoice.text.lowercased() }) ?? true,
                paid["amount_msat"].map({ $0.amount == invoice.amount }) ?? true
            else { throw connection.foreign() }
            let sent = paid["amount_sent_msat"]?.amount
            return .paid(
                preimage: paid["preimage"]?.string,
                fee: sent.flatMap { $0 >= invoice.amount ? $0 - invoice.amount : nil })
        }
        guard payments.allSatisfy({ $0["status"] == "failed" }) else { return .inFlight }
        guard let parts = try await call("listsendpays", query)["payments"]?.array else { throw unreadable("payments") }
        guard parts.allSatisfy({ $0["status"] == "failed" }) else { return .inFlight }
        return payments.isEmpty && parts.isEmpty
            ? .none : .failed(reason: "Core Lightning found no way to pay it", isFinal: true)
    }

    func call(
        _ method: String, _ parameters: JSONValue, timeout: Duration = .seconds(20)
    ) async throws(PaymentError) -> JSONValue {
        let response = try await connection.ask(.post, ["v1", method], .json(parameters), timeout: timeout)
        guard response.status == 201, let body = response.json else {
            if let message = response.json?["message"]?.string {
                throw PaymentError(
                    response.status == 401 || response.status == 403 ? .unauthorized : .payer,
                    "Core Lightning refuses '\(method)': \(message.asReason)", phase: .answered, retry: .later)
            }
            throw connection.unusable(response)
        }
        return body
    }

    func unreadable(_ what: String) -> PaymentError {
        PaymentError(
            .invalidResponse, "the \(what) of Core Lightning cannot be read here", phase: .answered, retry: .later)
    }
}

extension CoreLightningWallet: OfferWallet {
    /// Has the offer's node make an invoice. It may take half a minute.
    ///
    /// - Throws: ``PaymentError``; nothing was paid then.
    public func invoice(of offer: String, over amount: UInt64) async throws(PaymentError) -> String {
        let body = try await call(
            "fetchinvoice",
            ["offer": .string(offer), "amount_msat": .number(JSONNumber(amount)), "timeout": 30], timeout: .seconds(60))
        guard let text = body["invoice"]?.string else { throw unreadable("invoice") }
        return text
    }
}

/// Payments on the chain. The node has a prepared transaction in its memory until it is sent or discarded; each call
/// takes it off before anything else is done, so only one of two calls finds it.
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
            // The reserved outputs would be free again after twelve hours only.
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
