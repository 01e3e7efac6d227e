public import PaymentCore
import PaymentCrypto

/// An LND node's REST interface (version 0.18 or later).
///
/// | answer to the request to pay | proves |
/// | --- | --- |
/// | an error before any line: 3, 7, 16; 2 for an expired or own invoice, an amount, a locked node | nothing was sent |
/// | an error of code 6; a last line `SUCCEEDED` or `FAILED` | the records say |
/// | any other error, no last line, no answer | nothing |
///
/// The node's `FAILED` means that no part of the payment is in flight. It keeps payments until their records are
/// deleted: never delete those of payments that are open here.
public struct LNDWallet: LightningWallet {
    let connection: WalletConnection

    /// `LND`.
    public var name: String { connection.name }
    /// Two minutes.
    public var quietTime: Duration { .seconds(120) }
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
            balance: balance.status == 200 ? balance.json?["local_balance"]?["msat"]?.amount : nil)
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
            return ["SUCCEEDED", "FAILED"].contains(status) ? .dealtWith : .nothing
        }
        // An error behind a line says nothing of what the line is about.
        guard lines.count == 1, let (code, message) = error(in: response) else { return .nothing }
        switch code {
        case 6: return .dealtWith
        case 3, 7, 16: return .sentNothing(reason: message.asReason)
        case 2 where refusals.contains { message.contains($0) }: return .sentNothing(reason: message.asReason)
        default: return .nothing
        }
    }

    /// Parts of errors without a code that come before the node stores or sends anything.
    private static let refusals = [
        "invoice expired", "amount must be specified", "amount must not be specified", "self-payments not allowed",
        "wallet locked", "waiting to start", "not yet ready to accept calls", "permission denied",
        "cannot determine data integrity", "verification failed",
    ]

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
            guard let preimage = payment["payment_preimage"]?.string else { throw connection.unusable(response) }
            return .paid(preimage: preimage, fee: payment["fee_msat"]?.amount)
        case "FAILED": return .failed(reason: (payment["failure_reason"]?.string ?? "LND failed to pay it").asReason)
        default: return .inFlight
        }
    }

    // MARK: Lines

    /// The lines of a streamed answer. A line that is cut off counts as one that says nothing.
    private static func lines(_ response: HTTPResponse) -> [JSONValue] {
        response.body.split(separator: UInt8(ascii: "\n")).map { (try? JSONValue(parsing: $0)) ?? .null }
    }

    /// The error of an answer, in the form of a stream or of a call.
    private static func error(in response: HTTPResponse) -> (code: Int64, message: String)? {
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
