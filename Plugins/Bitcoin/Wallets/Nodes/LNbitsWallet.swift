public import PaymentCore

/// A wallet at an LNbits server (version 1.0 or later), paid from with its admin key.
///
/// | answer to the request to pay | proves |
/// | --- | --- |
/// | 400, 401, 403, 404, 429 with LNbits' own body | nothing was sent |
/// | 520: bad, amountless or too large invoice, too little balance or reserve | nothing was sent |
/// | 201, every other 520, 500 with LNbits' own body | the records say: a server stores a payment before it sends it |
/// | no answer, a proxy's answer | nothing |
///
/// The server asks its node when it is asked for a payment in flight. A server that ended between storing a payment and
/// sending it leaves it in flight permanently; its operator has to repair that. A failed invoice is not tried again.
public struct LNbitsWallet: LightningWallet {
    private let connection: WalletConnection

    /// `LNbits`.
    public var name: String { connection.name }
    /// A minute: the longest that proxies usually hold a request.
    public var quietTime: Duration { .seconds(60) }

    /// Creates the wallet.
    ///
    /// - Parameters:
    ///   - url: the server's address, ``/PaymentCore/HTTPURL/init(service:)``.
    ///   - key: the wallet's admin key.
    ///   - transport: the way there.
    public init(at url: HTTPURL, key: Redacted<String>, over transport: any HTTPTransport) {
        connection = WalletConnection(to: "LNbits", at: url, over: transport, "X-Api-Key", key)
    }

    /// Returns the wallet's id at the server, with its balance.
    ///
    /// - Throws: ``PaymentError``; `unauthorized` for a key that is not the admin key.
    public func account() async throws(PaymentError) -> WalletAccount {
        let response = try await connection.ask(.get, ["api", "v1", "wallet"])
        if response.status == 404, response.json?["detail"] == "Wallet not found." {
            throw PaymentError(.unauthorized, "LNbits does not know the key of the wallet", phase: .answered)
        }
        guard response.status == 200, let body = response.json, body["name"] != nil else {
            throw connection.unusable(response)
        }
        guard let id = body["id"]?.string, !id.isEmpty else {
            throw PaymentError(
                .unauthorized, "LNbits takes the key for invoices only; use the wallet's admin key", phase: .answered)
        }
        return WalletAccount(id: id, balance: body["balance"]?.uint64)
    }

    /// Objects to invoices without an amount, and to a reserve for fees above the limit: the server takes no limit from
    /// its callers, and spends up to its reserve.
    ///
    /// - Throws: ``PaymentError``, when the server does not answer.
    public func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? {
        guard !invoice.isAmountless else { return "LNbits pays no invoice that leaves the amount open" }
        let response = try await connection.ask(
            .get, ["api", "v1", "payments", "fee-reserve"], query: [("invoice", invoice.text)])
        guard response.status == 200, let reserve = response.json?["fee_reserve"]?.amount else {
            throw connection.unusable(response)
        }
        return reserve <= invoice.feeLimit
            ? nil : "LNbits would spend up to \(reserve) millisatoshi on fees, above the limit of \(invoice.feeLimit)"
    }

    /// Asks the server to pay.
    public func pay(_ invoice: WalletInvoice) async -> WalletAnswer {
        let ordered = await connection.order(
            ["api", "v1", "payments"], .json(["out": true, "bolt11": .string(invoice.text)]), timeout: .seconds(60))
        switch ordered {
        case .unanswered(let answer): return answer
        case .answered(let response): return Self.reading(response)
        }
    }

    static func reading(_ response: HTTPResponse) -> WalletAnswer {
        guard let body = response.json else { return .nothing }
        if response.status == 429, let error = body["error"]?.string { return .sentNothing(reason: error.asReason) }
        if response.status == 201, body["payment_hash"] != nil { return .dealtWith }
        guard let detail = body["detail"] else { return .nothing }
        let reason = (detail.string ?? "LNbits refuses the request").asReason
        switch response.status {
        case 400, 401, 403, 404: return .sentNothing(reason: reason)
        case 500: return .dealtWith
        case 520: return refusals.contains { reason.hasPrefix($0) } ? .sentNothing(reason: reason) : .dealtWith
        default: return .nothing
        }
    }

    /// The beginnings of refusals that come before the server stores or sends anything. One of an internal invoice that
    /// is already paid is none of them: it also follows this wallet's own payment.
    private static let refusals = [
        "Bolt11 decoding failed.", "Amountless invoices not supported.", "Invoice amount ", "Insufficient balance.",
        "You must reserve at least",
    ]

    /// Returns the record of an outgoing payment of this wallet. Without the wallet's key the server also answers,
    /// about any wallet's payment: an answer counts only with its details.
    ///
    /// - Throws: ``PaymentError``, when the server does not answer, or its record is about another payment.
    public func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> WalletRecord {
        let response = try await connection.ask(.get, ["api", "v1", "payments", invoice.paymentHash])
        if response.status == 404, response.json?["detail"] == "Payment does not exist." { return .none }
        guard response.status == 200, let body = response.json, let details = body["details"] else {
            throw connection.unusable(response)
        }
        let text = (details["bolt11"] ?? details["payment_request"])?.string
        guard details["wallet_id"]?.string == account.id, details["payment_hash"]?.string == invoice.paymentHash,
            text.map({ $0.lowercased() == invoice.text.lowercased() }) ?? true
        else { throw connection.foreign() }
        guard let amount = details["amount"]?.int64, amount < 0 else {
            throw PaymentError(.payer, "the invoice is this wallet's own; LNbits would pay it to itself")
        }
        guard amount.magnitude == invoice.amount else { throw connection.foreign() }
        switch details["status"]?.string {
        case "success":
            guard body["paid"] == true, let preimage = (body["preimage"] ?? details["preimage"])?.string else {
                throw connection.unusable(response)
            }
            return .paid(preimage: preimage, fee: details["fee"]?.int64.map(\.magnitude))
        case "failed": return .failed(reason: "LNbits failed to pay it, and does not try an invoice again")
        default: return .inFlight
        }
    }
}
