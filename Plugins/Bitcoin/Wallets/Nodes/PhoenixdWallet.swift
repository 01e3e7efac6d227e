public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A phoenixd wallet (version 0.5 or later).
///
/// | answer to the request to pay | proves |
/// | --- | --- |
/// | 400 and 401 in the daemon's words; 200 with a reason that precedes every attempt | nothing was sent |
/// | 200 with a preimage or a reason that ends a payment | the request is over, and the records say |
/// | any other answer, no answer | nothing |
///
/// The daemon takes no limit of fees: its trampoline node costs 4 satoshi and 0.4 %, which is compared with the limit
/// beforehand.
public struct PhoenixdWallet: LightningWallet {
    private let connection: WalletConnection
    private static let fee = FeeLimit(satoshi: 4, partsPerMillion: 4000)

    /// `phoenixd`.
    public var name: String { connection.name }
    /// Requests wait in the daemon's queue, each for itself, and expired invoices are tried.
    public var conduct: WalletConduct { WalletConduct(refusesExpired: false, takesTurns: false) }

    /// Creates the wallet.
    ///
    /// - Parameters:
    ///   - url: the daemon's address, such as `http://127.0.0.1:9740`.
    ///   - password: the `http-password` of its `phoenix.conf`.
    ///   - transport: the way there.
    public init(at url: HTTPURL, password: Redacted<String>, over transport: any HTTPTransport) {
        let key = Redacted("Basic " + Data((":" + password.reveal()).utf8).base64EncodedString())
        connection = WalletConnection(to: "phoenixd", at: url, over: transport, "Authorization", key)
    }

    /// Returns the node's public key, chain and balance.
    ///
    /// - Throws: ``PaymentError``.
    public func account() async throws(PaymentError) -> WalletAccount {
        let response = try await connection.ask(.get, ["getinfo"])
        guard response.status == 200, let body = response.json, let id = body["nodeId"]?.string, !id.isEmpty else {
            throw connection.unusable(response)
        }
        let balance = try await connection.ask(.get, ["getbalance"])
        guard balance.status == 200, let satoshi = balance.json?["balanceSat"]?.uint64, satoshi < 1 << 53 else {
            throw connection.unusable(balance)
        }
        return WalletAccount(
            id: id, network: (body["chain"]?.string).map(WalletAccount.network), balance: satoshi * 1000,
            height: body["blockHeight"]?.uint64)
    }

    /// Objects to an amount that is no whole satoshi if the invoice leaves it open, and to fees above the limit.
    ///
    /// - Throws: nothing: the daemon is not asked.
    public func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? {
        guard !invoice.isAmountless || invoice.amount % 1000 == 0 else { return "phoenixd pays whole satoshi only" }
        let fee = Self.fee.limit(for: invoice.amount)
        return fee <= invoice.feeLimit
            ? nil : "phoenixd takes \(fee) millisatoshi of fees, above the limit of \(invoice.feeLimit)"
    }

    /// Asks the daemon to pay, and waits for the payment's end.
    public func pay(_ invoice: WalletInvoice) async -> WalletAnswer {
        var items = [(name: "invoice", value: invoice.text)]
        // It would replace the amount of an invoice that states one.
        if invoice.isAmountless { items.append(("amountSat", "\(invoice.amount / 1000)")) }
        switch await connection.order(["payinvoice"], .form(items), timeout: .seconds(60)) {
        case .unanswered(let answer): return answer
        case .answered(let response): return Self.reading(response)
        }
    }

    static func reading(_ response: HTTPResponse) -> WalletAnswer {
        switch response.status {
        case 200:
            guard let body = response.json else { return .nothing }
            guard let reason = body["reason"]?.string else {
                return body["paymentPreimage"]?.string != nil ? .dealtWith : .nothing
            }
            if refusals.contains(reason) { return .sentNothing(reason: reason.asReason) }
            return ends.contains { reason.hasPrefix($0) } ? .dealtWith : .nothing
        case 400, 401:
            guard errors.contains(where: { $0.0 == response.status && response.text.hasPrefix($0.1) }) else {
                return .nothing
            }
            return .sentNothing(reason: "phoenixd refuses the request: \(response.text.asReason)")
        default: return .nothing
        }
    }

    /// The statuses and beginnings of errors that come before the daemon reads an invoice.
    private static let errors: [(Int, String)] = [
        (400, "Missing parameter"), (400, "Cannot parse parameter"), (400, "Invalid parameter"),
        (401, "Invalid authentication"),
    ]

    /// Reasons that come before the daemon stores or sends anything.
    private static let refusals: Set<String> = [
        "payment amount must be positive", "payment request features not supported", "payment ID must be unique",
    ]

    /// The beginnings of reasons of a payment that has ended, or that are about another call's payment.
    private static let ends = [
        "this invoice has already been paid", "another payment is in progress for that invoice",
        "not enough funds in wallet to afford payment", "channel is not connected yet",
        "channel creation is in progress", "channel closing is in progress",
        "the recipient was offline or did not have enough liquidity", "payment attempts exhausted without success",
        "payment could not be sent through existing channels", "wallet restarted while a payment was ongoing",
    ]

    /// Returns the record of the best attempt.
    ///
    /// - Throws: ``PaymentError``, when the daemon does not answer, or its record is about another payment.
    public func record(
        of invoice: WalletInvoice, in account: WalletAccount
    ) async throws(PaymentError) -> WalletRecord {
        let response = try await connection.ask(.get, ["payments", "outgoingbyhash", invoice.paymentHash])
        if response.status == 404, response.text.hasPrefix("Not found") { return .none }
        guard response.status == 200, let body = response.json, let isPaid = body["isPaid"]?.bool,
            body["paymentHash"]?.string == invoice.paymentHash
        else { throw connection.unusable(response) }
        guard body["invoice"]?.string.map({ $0.lowercased() == invoice.text.lowercased() }) ?? true else {
            throw connection.foreign()
        }
        guard isPaid else {
            return body["completedAt"].map { !$0.isNull } ?? false
                ? .failed(reason: "phoenixd found no way to pay it", isFinal: true) : .inFlight
        }
        guard let sent = body["sent"]?.uint64 else { throw connection.unusable(response) }
        // `sent` has the fees in it, in whole satoshi; less than the amount was another payment.
        guard sent < 1 << 53, sent * 1000 + 999 >= invoice.amount else { throw connection.foreign() }
        return .paid(preimage: body["preimage"]?.string, fee: body["fees"]?.amount)
    }
}
