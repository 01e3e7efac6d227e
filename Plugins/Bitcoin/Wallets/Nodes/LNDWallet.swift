public import PaymentCore
import PaymentCrypto

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
    /// The time in which the node starts attempts; those in flight go on.
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

    /// Parts of errors by which the node leaves an invoice to a payment that it knows.
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
