import PaymentCore
import PaymentCrypto
import PaymentSettlement
import PaymentTesting
import PaymentWallet
import SandboxSupport
import TestSupport

/// A shop whose orders `payroute serve` pays: it takes money for every new key, and counts how often.
actor Shop: SandboxService {
    private var keys: [String: Set<String>] = [:]
    private var refunds: [String: Set<String>] = [:]
    private var held: (arrival: Gate, gate: Gate)?
    private var cancelled: Set<String> = []
    /// The number of requests of any kind.
    private(set) var requests = 0

    /// Returns how often money was taken for an order.
    func charges(of order: String) -> Int { keys[order]?.count ?? 0 }

    /// The preimage of the payment hash of an order's invoice.
    static func preimage(of order: String) -> [UInt8] { Digest.sha256.hash(Array(order.utf8)) }

    /// The invoice of an order.
    static func invoice(of order: String) -> SettlementEndpoint {
        SettlementEndpoint(
            .bolt11, text: "invoice-\(order)", network: "regtest",
            paymentHash: Hex.encode(Digest.sha256.hash(preimage(of: order))))
    }

    /// The number of charges of all orders.
    var charges: Int { keys.values.reduce(0) { $0 + $1.count } }

    /// Returns how often money of an order was refunded.
    func refunds(of order: String) -> Int { refunds[order]?.count ?? 0 }

    /// Takes the money of the next order, and answers once `gate` is open.
    ///
    /// - Returns: a gate that opens once the money is taken.
    func holdNext(until gate: Gate) -> Gate {
        let arrival = Gate()
        held = (arrival, gate)
        return arrival
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        requests += 1
        let path = request.url.path.split(separator: "/").map(String.init)
        guard path.count >= 2, path[0] == "orders" else { return HTTPResponse(status: 404) }
        let (order, key) = (path[1], request.headers["Idempotency-Key"])
        if order == "payroute-doctor" {
            return HTTPResponse(status: request.headers["X-Key"] == "sk-shop" ? 404 : 401)
        }
        switch (path.dropFirst(2).first, key) {
        case ("pay", let key?):
            keys[order, default: []].insert(key)
            if let (arrival, gate) = held {
                held = nil
                await arrival.open()
                await gate.pass()
            }
        case ("refund", let key?): refunds[order, default: []].insert(key)
        case ("cancel", _): if keys[order] == nil { cancelled.insert(order) }
        default: break
        }
        let state = keys[order] != nil ? "paid" : cancelled.contains(order) ? "void" : "open"
        let body: JSONValue = ["id": .string(order), "state": .string(state)]
        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}

/// Pays at a ``Shop``: `https://shop.example/order/7` is an order, `https://shop.example/payee/ann` a payee.
struct ShopProvider: PayeeProvider, RefundingService, CancellingService, NotificationReadingService,
    RedirectCompletingProvider
{
    let gateway: HTTPURL
    var id: ProviderID = "shop"
    /// The merchant's key.
    var key: Redacted<String>?
    static let price = price("4.80")

    static func price(_ text: String) -> Money {
        do { return try Money(decimal: text, currency: .eur) } catch { preconditionFailure("\(error)") }
    }

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Shop", patterns: id == "shop" ? [.host("shop.example")] : [],
            outboundHosts: [gateway.authority],
            replayWindow: .seconds(600))
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        let path = link.path.split(separator: "/").map(String.init)
        guard path.count == 2 else { return nil }
        switch path[0] {
        case "order": return LinkMatch(.payment(path[1]))
        case "doubtful": return LinkMatch(.payment(path[1]), trust: .unverified(reason: "it may be another shop"))
        case "unclear": return LinkMatch(.payment(path[1]), trust: .unclear(reason: "'currency' is not known"))
        case "payee": return LinkMatch(.payee("to-" + path[1]))
        case "back": return LinkMatch(.payment(path[1]), role: .callback)
        default: return nil
        }
    }

    func payee(of option: PaymentMethodOption) -> String? { option.providerData?.string }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let report = try await status(of: request.reference, in: context)
        let isOpen = !report.isFinal
        let needs: [(String, [PayerNeed])] = [
            ("tab", []), ("signed", [.signing(method: "personal_sign")]), ("form", [.data]), ("page", [.page]),
            ("coin", [.settlement(.bolt11, network: nil)]), ("foreign", [.signing(method: "other_sign")]),
        ]
        let payee = request.match.payee
        let options = needs.map { id, needs in
            PaymentMethodOption(
                id: id, title: "By \(id)", amount: Self.price, needs: needs,
                providerData: payee.map { .string($0) })
        }
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: "The shop"), amount: Self.price,
            options: isOpen ? options : [], report: isOpen ? nil : report)
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let payer = context.payer
        switch attempt.option.id {
        case "signed":
            let account = try payer.accounts.first ?? AccountID("eip155:1:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")
            let review = SigningReview(effects: [], warnings: [], digest: nil, lines: ["Pays 4.80 EUR to the shop."])
            let _: String = try await context.step("sign", .interaction) {
                try await payer.signer?.sign(
                    SigningRequest(account: account, method: "personal_sign", parameters: ["0x00"], review: review))
                    ?? ""
            }
        case "form":
            let request = DataRequest(fields: [.init(id: "name", name: "Name", kind: .text, isRequired: true)])
            guard try await payer.dataCollector?(request) != nil else { return .cancelled }
        case "page":
            let page = PageRequest(
                url: try gateway.appending(["page"]), returnURLs: ["https://shop.example/back/\(attempt.reference.id)"])
            _ = try await payer.browser?(page)
        case "coin": _ = try await context.settle(attempt, to: Shop.invoice(of: attempt.reference.id))
        default: break
        }
        return try await post("pay", attempt.reference, key: attempt.idempotencyKey, in: context)
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let headers: HTTPHeaders = key.map { ["X-Key": $0.reveal()] } ?? [:]
        return report(try await context.json(.get, try url(payment), headers: headers), payment)
    }

    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        try await status(of: attempt.reference, in: context)
    }

    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await post("cancel", payment, key: payment.id, in: context)
    }

    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        _ = try await post("refund", request.payment, key: request.id, in: context)
        return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
    }

    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        .unknown(UnknownOutcome(reference: refund.reference, message: "the shop does not say"))
    }

    func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        let order = try? JSONValue(parsing: notification.body)["order"]?.string
        guard notification.headers["X-Shop"] == "genuine", notification.headers["Authorization"] == nil, let order
        else { throw PaymentError(.untrustedNotification, "it is not the shop's", provider: "shop") }
        let reference = PaymentReference(provider: "shop", id: order)
        return PaymentNotification(
            reference: reference, report: .succeeded(PaymentReceipt(reference: reference, amount: Self.price)))
    }

    private func post(
        _ word: String, _ payment: PaymentReference, key: String, in context: ProviderContext
    ) async throws -> ServiceReport {
        let url = try url(payment, [word])
        let answer: JSONValue = try await context.step(word, .mutation(replay: .sameKey)) {
            try await context.json(.post, url, body: [:], idempotencyKey: key)
        }
        return report(answer, payment)
    }

    private func url(_ payment: PaymentReference, _ rest: [String] = []) throws -> HTTPURL {
        try gateway.appending(["orders", payment.id.replacing("/", with: "-")] + rest)
    }

    private func report(_ order: JSONValue, _ payment: PaymentReference) -> ServiceReport {
        switch order["state"]?.string {
        case "paid": .succeeded(PaymentReceipt(reference: payment, amount: Self.price, transactionID: "tx-1"))
        case "void": .cancelled
        default: .pending(retryAfter: nil)
        }
    }
}

/// The shop for the command line, whose only vendor it is.
struct ShopVendor: SandboxVendor {
    let id: ProviderID = "shop"

    func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        let url = try settings.accounts[id]?["url"].map { try HTTPURL($0) }
        return [ShopProvider(gateway: try settings.sandbox ?? url ?? HTTPURL("https://api.shop.example"))]
    }

    let accountMembers: [VendorAccount.Member] = [
        .init("url", "the shop's address", isRequired: true), .init("keyFile", "the key", isRequired: true),
        .init("certificateFile", "a certificate"), .init("certificateKeyFile", "its private key"),
    ]

    func merchants(of account: VendorAccount) throws -> [any PaymentService] {
        guard let url = try account["url"].map({ try HTTPURL(service: $0) }) else { return [] }
        return [ShopProvider(gateway: url, id: "shop-desk", key: account.secrets("keyFile").first)]
    }

    func payer(_ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport) -> Payer? {
        Payer(signer: Stamp(), dataCollector: { _ in ["name": Redacted("Ann")] }, browser: { _ in nil })
    }
    var pagePaths: [String] { ["/page"] }

    private struct Stamp: PaymentSigner {
        func supports(method: String) -> Bool { method == "personal_sign" }
        func sign(_ request: SigningRequest) -> String { "0x01" }
    }
}
