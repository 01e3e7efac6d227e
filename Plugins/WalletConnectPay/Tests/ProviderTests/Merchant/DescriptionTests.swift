import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPaySandbox

/// The library's requests and the sandbox's answers, checked against the facts of the published API descriptions.
@Suite struct DescriptionTests {
    /// Statuses that are missing in the descriptions but known from other sources: 404 and 409 of a payment's creation,
    /// prices and payments that have expired, refused signatures and payers, rates.
    private static let undeclared: Set<Int> = [409, 410, 422, 429, 451]
    /// The values of scenarios for a later service: statuses and actions that no description has.
    private static let futures: [WalletConnectPaySandbox.Scenario: String] = [
        .unknownStatus: "'held_for_review'", .unknownAction: "\"showHologram\"",
    ]

    @Test("The checker judges every published sample as the published schemas do")
    func samples() throws {
        let description = try APIDescription.published()
        #expect(description.samples.count == 67 && description.operations.count == 23)
        for sample in description.samples {
            let problems = description.problems(
                of: sample["value"] ?? nil, schema: sample["schema"]?.string ?? "",
                version: sample["version"]?.string ?? "")
            #expect(
                problems.isEmpty == sample["valid"]?.bool,
                "\(sample["schema"]?.text ?? ""), \(sample["note"]?.text ?? ""): \(problems)")
        }
    }

    @Test("Payers' scenarios keep to the description", arguments: WalletConnectPaySandbox.Scenario.allCases)
    func payers(_ scenario: WalletConnectPaySandbox.Scenario) async throws {
        let description = try APIDescription.published()
        let record = try Record()
        let payment = await record.sandbox.createPayment(scenario)
        _ = await record.pay(payment.link)
        _ = try await record.send(.get, "/v1/gateway/payment/\(payment.id)", wallet: true)
        #expect(record.exchanges.count > 1)
        let future = Self.futures[scenario]
        for exchange in record.exchanges {
            let all: [String] = description.problems(of: exchange, undeclared: Self.undeclared)
            let problems = all.filter { problem in future.map { !problem.contains($0) } ?? true }
            #expect(problems.isEmpty, "\(problems)")
        }
    }

    @Test("Scenarios of a service that has grown are the only ones that leave it")
    func futures() async throws {
        let description = try APIDescription.published()
        for (scenario, word) in Self.futures {
            let record = try Record()
            let payment = await record.sandbox.createPayment(scenario)
            _ = await record.pay(payment.link)
            let problems = record.exchanges.flatMap { description.problems(of: $0, undeclared: Self.undeclared) }
            #expect(problems.contains { $0.contains(word) }, "\(scenario)")
        }
    }

    @Test("Everything that a merchant does keeps to the description, and every operation is done")
    func merchants() async throws {
        let description = try APIDescription.published()
        let record = try Record()
        try await record.doEverything()
        for exchange in record.exchanges {
            let problems = description.problems(of: exchange, undeclared: Self.undeclared)
            #expect(problems.isEmpty, "\(problems)")
        }
        let done = Set(record.exchanges.compactMap { description.operation(of: $0.request)?.id })
        #expect(done == Set(description.operations.map(\.id)))
        let statuses = Set(record.exchanges.map(\.response.status))
        #expect(statuses.isSuperset(of: [200, 201, 400, 401, 404, 409]))
    }

    @Test("The generally available version keeps to its own description")
    func olderVersion() async throws {
        let description = try APIDescription.published()
        let record = try Record()
        let order: JSONValue = ["referenceId": "ORDER-1", "amount": ["unit": "iso4217/USD", "value": "1250"]]
        for _ in 0..<2 { _ = try await record.send(.post, "/v1/payments", order, version: "2026-02-18") }
        let made = try JSONValue(parsing: try #require(record.exchanges.last).response.body)["paymentId"]
        _ = try await record.send(.post, "/v1/payments/\(made?.string ?? "")/cancel", [:], version: "2026-02-18")
        _ = try await record.send(.get, "/v1/merchants/payments", version: "2026-02-18")
        let list = try JSONValue(parsing: try #require(record.exchanges.last).response.body)
        #expect(list["data"]?.array?.count == 1, "what was cancelled has no word there")
        _ = try await record.send(.get, "/v1/merchants/payments?status=cancelled", version: "2026-02-18")
        #expect(record.exchanges.last?.response.status == 400)
        for exchange in record.exchanges.dropLast() {
            #expect(description.problems(of: exchange).isEmpty, "\(description.problems(of: exchange))")
        }
        #expect(description.problems(of: try #require(record.exchanges.last)).contains { $0.contains("'cancelled'") })
    }

    /// Proves that the test above can fail.
    @Test("Whatever is taken from an exchange, or spoilt in it, is noticed")
    func notices() async throws {
        let description = try APIDescription.published()
        let record = try Record()
        try await record.doEverything()
        let payment = await record.sandbox.createPayment(.paidAtOnce)
        _ = await record.pay(payment.link)
        func isNoticed(_ exchange: APIDescription.Exchange) -> Bool {
            !description.problems(of: exchange, undeclared: Self.undeclared).isEmpty
        }
        var spoilt = 0
        for exchange in record.exchanges {
            let operation = try #require(description.operation(of: exchange.request))
            guard operation.json["responses"]?[String(exchange.response.status)] != nil else { continue }
            var odd = exchange
            odd.response.status = 299
            #expect(isNoticed(odd))
            odd.response = HTTPResponse(status: exchange.response.status, body: Array("[]".utf8))
            #expect(isNoticed(odd))
            guard let body = try JSONValue(parsing: exchange.response.body).object else { continue }
            let schema = operation.json["responses"]?[String(exchange.response.status)]?["body"]?.string?.dropFirst()
            let members = description.schemas[String(schema ?? "")]?["members"]?.object ?? [:]
            for (name, type) in members where type["required"] == true {
                for replacement: JSONValue? in [nil, ["x": 1]] {
                    var less = body
                    less[name] = replacement
                    odd.response.body = JSONValue.object(less).serialized()
                    odd.response.headers = exchange.response.headers
                    #expect(isNoticed(odd), "\(operation.id) \(name)")
                    spoilt += 1
                }
            }
            let bare = HTTPRequest(exchange.request.method, exchange.request.url, body: exchange.request.body)
            #expect(isNoticed(.init(request: bare, response: exchange.response)))
        }
        #expect(spoilt > 100)
        let stray = HTTPRequest(.get, try HTTPURL("https://api.pay.walletconnect.com/v1/nothing"))
        #expect(isNoticed(.init(request: stray, response: HTTPResponse(status: 200, body: Array("{}".utf8)))))
    }
}

/// A sandbox that records every exchange.
private final class Record: SandboxService {
    let sandbox: WalletConnectPaySandbox
    let clock = VirtualClock()
    private let state = Mutex<[APIDescription.Exchange]>([])

    init() throws {
        var pace = WalletConnectPaySandbox.Configuration()
        pace.pollInMs = 10
        sandbox = WalletConnectPaySandbox(pace, clock: clock, random: SeededRandomSource(seed: 5))
    }

    var exchanges: [APIDescription.Exchange] { state.withLock { $0 } }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let response = await sandbox.respond(to: request)
        // The form for payers is a page, and not part of the API.
        if request.url.path.hasPrefix("/v1/") {
            state.withLock { $0.append(.init(request: request, response: response)) }
        }
        return response
    }

    /// Pays with the library's provider; the outcome is not checked here.
    func pay(_ link: String) async -> PaymentOutcome? {
        guard let provider = try? ShopWorld.provider() else { return nil }
        let router = try? PaymentRouter(provider, over: SandboxTransport(self), clock: clock)
        return try? await router?.pay(link, as: SandboxWallet().payer())
    }

    /// Sends a request that the library has no method for.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, wallet: Bool = false,
        key: String = WalletConnectPaySandbox.liveKey.reveal(), merchant: String = WalletConnectPaySandbox.merchantID,
        more: [String: String] = [:], version: String = APIDescription.preview
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(method, try HTTPURL("https://api.pay.walletconnect.com\(path)"))
        request.headers["Api-Key"] = wallet ? "wallet" : key
        request.headers["WCP-Version"] = version
        if !wallet { request.headers["Merchant-Id"] = merchant }
        for (name, value) in more { request.headers[name] = value }
        if let body {
            request.headers["Content-Type"] = "application/json"
            request.body = body.serialized()
        }
        return await respond(to: request)
    }

    /// Every call of the merchant's side, and every refusal of the sandbox.
    func doEverything() async throws {
        let wire = SandboxTransport(self)
        let merchant = try ShopWorld.merchant(clock: clock)
        let client = merchant.client(over: wire, clock: clock)
        let accounts = merchant.accounts(over: wire)
        let router = try PaymentRouter(merchant, over: wire, clock: clock)
        func order(_ name: String) -> Shop.Order {
            Shop.Order(
                reference: name, amount: ShopWorld.price, expiresAt: clock.now.addingTimeInterval(900),
                returns: ShopWorld.returns)
        }
        let paid = try await client.createPayment(order("ORDER-1"))
        _ = try await client.createPayment(order("ORDER-1"))
        _ = await pay(paid.link)
        _ = await pay(await sandbox.createPayment(.nativeCoin).link)
        let called = try await client.createPayment(order("ORDER-2"))
        _ = try await router.cancel(called.reference)
        let open = try await client.createPayment(order("ORDER-3"))
        for payment in [paid, called, open] {
            _ = try await client.payment(payment.reference)
            _ = try await client.report(of: payment.reference, waiting: .milliseconds(20))
            _ = try? await router.refund(RefundRequest(of: payment.reference, amount: ShopWorld.price, id: "credit-1"))
        }
        for filter in [
            Shop.Filter(), .init(limit: 1),
            .init(
                from: Date(timeIntervalSince1970: 1), until: clock.now.addingTimeInterval(1), statuses: ["succeeded"],
                reference: "ORDER", tokenSymbols: ["USDC", "USDT"], networks: ["eip155:8453"], sorting: .amount,
                isAscending: true),
        ] {
            _ = try await client.payments(filter)
            _ = try await client.partnerPayments(filter, of: [WalletConnectPaySandbox.merchantID])
        }
        let details = Shop.MerchantDetails(
            name: "Second", email: Redacted("a@b.example"), icon: .copied(from: "https://b.example/a.png"))
        let second = try await accounts.createMerchant(details, idempotencyKey: "m-1")
        _ = try await accounts.merchants(search: "sec", status: .active, limit: 1)
        _ = try await accounts.merchant(second.id)
        _ = try await accounts.updateMerchant(second.id, .init(icon: Shop.MerchantDetails.Icon.none))
        let asset = try AssetID("eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
        let payee = try AccountID("eip155:8453:0x00000000000000000000000000000000000000ab")
        let settlements = try await accounts.addSettlements(
            [.init(asset: asset, destination: payee)], to: second.id, idempotencyKey: "s-1")
        _ = try? await accounts.addSettlements(
            [.init(asset: asset, destination: payee)], to: second.id, idempotencyKey: "s-2")
        _ = try await accounts.settlements(of: second.id)
        _ = try await accounts.changeSettlement(settlements[0], to: payee, of: second.id)
        try await accounts.deleteSettlement(settlements[0].id, of: second.id)
        try await accounts.deleteMerchant(second.id)

        // Calls that the library has no method for, and refusals.
        let id = paid.reference.id
        _ = try await send(.post, "/v1/gateway/payment/\(open.reference.id)/cancel", wallet: true)
        _ = try await send(.get, "/v1/gateway/payment/pay_1", wallet: true)
        _ = try await send(.get, "/v1/merchants/\(WalletConnectPaySandbox.merchantID)/payments?limit=2")
        _ = try await send(.post, "/v1/refunds", ["paymentId": .string(id)])
        for path in ["/v1/payments/\(id)", "/v1/merchants/payments", "/v1/merchants", "/v1/payments"] {
            _ = try await send(.get, path, key: "wcp_unknown")
        }
        _ = try await send(.get, "/v1/payments/pay_1")
        _ = try await send(.get, "/v1/merchants/mrch_unknown")
        _ = try await send(.get, "/v1/merchants/payments", merchant: "")
        _ = try await send(.get, "/v1/payments?cursor=unknown")
        _ = try await send(
            .post, "/v1/merchants", ["merchantName": "b", "merchantEmail": "a@b.example"],
            more: ["Idempotency-Key": "m-1"])
    }
}
