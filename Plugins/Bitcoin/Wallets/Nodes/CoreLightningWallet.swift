public import PaymentCore

/// A Core Lightning node's REST interface, the plugin `clnrest` (version 24.11 or later).
///
/// | answer to the request to pay | proves |
/// | --- | --- |
/// | 401, 403, 404, 405, 406, and 500 with code −32602 or 213 | nothing was sent |
/// | 201, and 500 with any other code but −1 | the call is over, and the records say |
/// | code −1, no answer | nothing |
///
/// A failure counts only while no part of the payment is in flight, which the node is asked for in addition.
public struct CoreLightningWallet: LightningWallet {
    let connection: WalletConnection

    /// `Core Lightning`.
    public var name: String { connection.name }
    /// Three minutes: a call goes on without its connection, and between two tries its record says that it failed.
    public var quietTime: Duration { .seconds(180) }
    /// The time in which the node starts attempts; those in flight go on.
    private static let attempts = 30

    /// Creates the wallet.
    ///
    /// - Parameters:
    ///   - url: the address of `clnrest`, such as `https://127.0.0.1:3010`.
    ///   - rune: a rune for `getinfo`, `decode`, `xpay`, `listpays` and `listsendpays`; for offers also `fetchinvoice`,
    ///     and for payments on the chain `txprepare`, `txsend`, `txdiscard`, `listfunds` and `listtransactions`.
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
        return WalletAccount(id: id, network: WalletAccount.network(network))
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
        switch (response.status, code) {
        case (401, _), (403, _), (404, _), (405, _), (406, _), (500, -32602), (500, 213):
            return .sentNothing(reason: reason)
        // A plugin that ends answers so, too, and leaves parts behind.
        case (500, -1): return .nothing
        case (500, _): return .dealtWith
        default: return .nothing
        }
    }

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
            guard let preimage = paid["preimage"]?.string else { throw unreadable("payments") }
            let sent = paid["amount_sent_msat"]?.amount
            return .paid(preimage: preimage, fee: sent.flatMap { $0 >= invoice.amount ? $0 - invoice.amount : nil })
        }
        guard payments.allSatisfy({ $0["status"] == "failed" }) else { return .inFlight }
        guard let parts = try await call("listsendpays", query)["payments"]?.array else { throw unreadable("payments") }
        guard parts.allSatisfy({ $0["status"] == "failed" }) else { return .inFlight }
        return payments.isEmpty && parts.isEmpty ? .none : .failed(reason: "Core Lightning found no way to pay it")
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
