public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An LND node's REST interface (version 0.18 or later).
///
/// | answer to the request to pay | proves |
/// | --- | --- |
/// | an error before any line: 3, 7, 16; 2 for an expired or own invoice, an amount, a locked node | nothing was sent |
/// | an error of code 6 about a payment of the invoice; a last line `SUCCEEDED` or `FAILED` | the request is over |
/// | any other error, no last line, no answer | nothing |
///
/// The node's `FAILED` is final for what was attempted: no part of the payment is in flight. It keeps payments until
/// their records are deleted: never delete those of payments that are open here.
public struct LNDWallet: LightningWallet {
    let connection: WalletConnection

    /// `LND`.
    public var name: String { connection.name }
    /// An expired invoice is refused before its payment is stored.
    public var conduct: WalletConduct { WalletConduct(refusesExpired: true, takesTurns: false) }
    /// The time that the node starts attempts. Those in flight continue.
    private static let attempts = 30

    /// Creates the wallet.
    ///
    /// - Parameters:
    ///   - url: the node's REST address, such as `https://127.0.0.1:8080`.
    ///   - macaroon: a macaroon in hexadecimal digits that may `info:read`, `offchain:read` and `offchain:write`, for
    ///     addresses on the chain `onchain:read` and `onchain:write` as well.
    ///   - transport: the way there.
    public init(at url: HTTPURL, macaroon: Redacted<String>, over transport: any HTTPTransport) {
        connection = WalletConnection(to: "LND", at: url, over: transport, "Grpc-Metadata-macaroon", macaroon)
    }

    /// Returns the node's public key, network and balance in channels.
    ///
    /// - Throws: ``PaymentError``.
    public func account() async throws(PaymentError) -> WalletAccount {
        let response = try await connection.ask(.get, ["v1", "getinfo"])
        guard response.status == 200, let body = response.json, let key = body["identity_pubkey"]?.string, !key.isEmpty
        else { throw refusal(response) }
        let balance = try await connection.ask(.get, ["v1", "balance", "channels"])
        return WalletAccount(
            id: key, network: (body["chains"]?[0]?["network"]?.string).map(WalletAccount.network),
            balance: balance.status == 200 ? balance.json?["local_balance"]?["msat"]?.amount : nil,
            // A node that catches up sees many blocks in a moment.
            height: body["synced_to_chain"] == true ? body["block_height"]?.uint64 : nil)
    }

    /// Objects to an invoice that the node reads in another way, and to one that can be paid several times (AMP).
    ///
    /// - Throws: ``PaymentError``, when the node does not answer.
    public func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? {
        let response = try await connection.ask(.get, ["v1", "payreq", invoice.text])
        guard response.status == 200, let body = response.json else {
            if let message = Self.error(in: response)?.message { return "LND refuses the invoice: \(message.asReason)" }
            throw connection.unusable(response)
        }
        guard body["payment_hash"]?.string == invoice.paymentHash,
            body["num_msat"]?.amount == (invoice.isAmountless ? 0 : invoice.amount)
        else { return "LND reads the invoice in another way" }
        let features = body["features"]?.object ?? [:]
        return features["30"] == nil && features["31"] == nil ? nil : "the invoice can be paid several times (AMP)"
    }

    /// Asks the node to pay, and waits for the last line of its answer.
    public func pay(_ invoice: WalletInvoice) async -> WalletAnswer {
        var body: JSONValue = [
            "payment_request": .string(invoice.text), "timeout_seconds": .number(JSONNumber(Self.attempts)),
            "fee_limit_msat": .string("\(Int64(clamping: invoice.feeLimit))"), "no_inflight_updates": true,
        ]
        if invoice.isAmountless { body["amt_msat"] = .string("\(invoice.amount)") }
        let ordered = await connection.order(
            ["v2", "router", "send"], .json(body), timeout: .seconds(Self.attempts + 30))
        switch ordered {
        case .unanswered(let answer): return answer
        case .answered(let response): return Self.reading(response)
        }
    }

    static func reading(_ response: HTTPResponse) -> WalletAnswer {
        let lines = Self.lines(response)
        if let status = lines.last?["result"]?["status"]?.string {
            return response.status == 200 && ["SUCCEEDED", "FAILED"].contains(status) ? .dealtWith : .nothing
        }
        // An error behind a line says nothing of what the line is about.
        guard lines.count == 1, let (code, message) = error(in: response) else { return .nothing }
        if refusals.contains(where: { $0.0 == code && message.contains($0.1) }) {
            return .sentNothing(reason: message.asReason)
        }
        return code == 6 && others.contains { message.contains($0) } ? .dealtWith : .nothing
    }

    /// The codes of errors that come before the node stores or sends anything, with a part of their words. Those of a
    /// request that is malformed or not permitted come before the call; the others have the general code.
    private static let refusals: [(Int64, String)] = [
        (3, ""), (7, ""), (16, ""), (2, "invoice expired"), (2, "amount must be specified"),
        (2, "amount must not be specified"), (2, "self-payments not allowed"), (2, "wallet locked"),
        (2, "waiting to start"), (2, "not yet ready to accept calls"), (2, "permission denied"),
        (2, "cannot determine data integrity"), (2, "verification failed"),
    ]

    /// Parts of the errors of a node that leaves an invoice to a payment that it knows.
    private static let others = ["invoice is already paid", "payment is in transition", "payment already exists"]

    /// Returns the node's record. The node answers when a payment ends: without an answer it is in flight.
    ///
    /// - Throws: ``PaymentError``, when the node does not answer, or its record is about another payment.
    public func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> WalletRecord {
        guard let hash = Hex.decode(invoice.paymentHash) else { return .none }
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await connection.send(
                .get, ["v2", "router", "track", Base64URL.encode(hash) + "="],
                query: [("no_inflight_updates", "true")], timeout: .seconds(5))
        } catch {
            if error.reason == .timedOut { return .inFlight }
            throw PaymentError(.network, "LND does not answer: \(error.reason)", retry: .later, cause: error)
        }
        guard let payment = Self.lines(response).last?["result"] else {
            if Self.error(in: response)?.code == 5 { return .none }
            throw refusal(response)
        }
        let text = payment["payment_request"]?.string ?? ""
        guard payment["payment_hash"]?.string == invoice.paymentHash,
            text.isEmpty || text.lowercased() == invoice.text.lowercased(),
            payment["value_msat"]?.amount == invoice.amount
        else { throw connection.foreign() }
        switch payment["status"]?.string {
        case "SUCCEEDED":
            return .paid(preimage: payment["payment_preimage"]?.string, fee: payment["fee_msat"]?.amount)
        case "FAILED":
            return .failed(
                reason: (payment["failure_reason"]?.string ?? "LND failed to pay it").asReason, isFinal: true)
        default: return .inFlight
        }
    }

    // MARK: Lines

    /// The lines of a streamed answer. A line that is cut off counts as one that says nothing.
    private static func lines(_ response: HTTPResponse) -> [JSONValue] {
        response.body.split(separator: UInt8(ascii: "\n")).map { (try? JSONValue(parsing: $0)) ?? .null }
    }

    /// The error of an answer, in the form of a stream or of a call.
    static func error(in response: HTTPResponse) -> (code: Int64, message: String)? {
        guard let first = lines(response).first else { return nil }
        let error = first["error"]?.object == nil ? first : first["error"] ?? .null
        guard let code = error["code"]?.int64, let message = error["message"]?.string else { return nil }
        return (code, message)
    }

    func refusal(_ response: HTTPResponse) -> PaymentError {
        guard let (_, message) = Self.error(in: response) else { return connection.unusable(response) }
        return PaymentError(.payer, "LND refuses: \(message.asReason)", phase: .answered, retry: .later)
    }
}

/// Payments on the chain. The node chooses what to spend and signs; the signed transaction is known here alone until it
/// is published. So one whose publication failed, as by a lost request, stays open: the request could arrive late.
/// Source: `lnrpc/walletrpc`.
extension LNDWallet: ChainWallet {
    /// The number of blocks until the transaction should be confirmed, as in `lncli`.
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

    /// Asks for the transaction by its id. The node keeps one while it broadcasts it, and drops it if the chain's
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

    /// Frees reserved outputs. An output that cannot be freed here is free after ten minutes.
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
