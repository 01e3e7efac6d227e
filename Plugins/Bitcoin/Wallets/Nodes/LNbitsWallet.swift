public import PaymentCore

/// A wallet at an LNbits server (version 1.0 or later), paid from with its admin key.
///
/// | answer to the request to pay | proves |
/// | --- | --- |
/// | 401, 403, 404, 429 and 400 in the words that LNbits writes before it stores anything | nothing was sent |
/// | 520: bad, amountless or too large invoice, too little balance or reserve | nothing was sent |
/// | 201, and 520 about a payment that is stored | the request is over: a server stores a payment before it sends it |
/// | every other answer, no answer | nothing |
///
/// The server asks its node when it is asked for a payment in flight. It may later call a payment paid that it has
/// called failed, as its node may know better: only its record of a paid one is final. All payments of a wallet wait
/// for each other, and one that waits has no record. A server that ended between storing a payment and sending it
/// leaves it in flight permanently; its operator has to repair that. A failed invoice is not tried again.
public struct LNbitsWallet: LightningWallet {
    private let connection: WalletConnection

    /// `LNbits`.
    public var name: String { connection.name }
    /// The payments of a wallet take turns, and expired invoices are paid.
    public var conduct: WalletConduct { WalletConduct(refusesExpired: false, takesTurns: true) }

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
        if response.status == 201, body["payment_hash"]?.string != nil { return .dealtWith }
        let text = (response.status == 429 ? body["error"] : body["detail"])?.string ?? ""
        if refusals.contains(where: { $0.0 == response.status && text.hasPrefix($0.1) }) {
            return .sentNothing(reason: text.asReason)
        }
        return response.status == 520 && stored.contains { text.hasPrefix($0) } ? .dealtWith : .nothing
    }

    /// The statuses and beginnings of refusals that come before the server stores or sends anything. It answers 400
    /// with other words also after its node has sent. The refusal of an internal invoice that is already paid is not
    /// one of them: it also follows this wallet's own payment.
    private static let refusals: [(Int, String)] = [
        (400, "Missing BOLT11 invoice"), (401, "No Api Key provided."), (403, "Invoice (or Admin) key required."),
        (404, "Wallet not found."), (429, "Rate limit exceeded"),
        (520, "Bolt11 decoding failed."), (520, "Amountless invoices not supported."), (520, "Invoice amount "),
        (520, "Insufficient balance."), (520, "You must reserve at least"),
    ]

    /// The beginnings of answers about a payment that the server has stored.
    private static let stored = [
        "Payment failed:", "Payment is still pending.", "Payment already paid.", "Internal invoice already paid.",
        "Payment is failed node, retrying is not possible.", "Failed payment was already paid on the fundingsource.",
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
            guard body["paid"] == true else { throw connection.unusable(response) }
            // A payment on the same server may have none.
            let preimage = body["preimage"]?.string ?? details["preimage"]?.string
            return .paid(preimage: preimage, fee: details["fee"]?.int64.map(\.magnitude))
        case "failed": return .failed(reason: "it does not try an invoice again", isFinal: false)
        default: return .inFlight
        }
    }
}
