import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPaySandbox

/// Queries of payments and waiting for them (Protocol 4).
@Suite struct ListTests {
    @Test("Shows a payment with what became of it")
    func views() async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        let before = try await world.client.payment(payment.reference)
        #expect(before.reference == "ORDER-1" && before.rawStatus == "requires_action")
        #expect(before.report == .pending(retryAfter: nil) && before.settlementTransactionID == nil)
        _ = try await world.router.pay(payment.link, as: SandboxWallet().payer())
        let after = try await world.client.payment(payment.reference)
        let receipt = try #require(after.report.receipt, "\(after)")
        #expect(receipt.reference == payment.reference && receipt.transactionID?.hasPrefix("0x") == true)
        #expect(receipt.amount?.currency.isNativeCoin == false)
        #expect(after.settlementTransactionID == receipt.transactionID)
        #expect(
            await failure { _ = try await world.client.payment(.init(provider: Shop.id, id: "pay_1")) }?.code
                == .notFound)
    }

    @Test("Lists page by page, filtered and sorted")
    func lists() async throws {
        let world = try ShopWorld()
        var made: [Shop.CreatedPayment] = []
        for number in 1...7 {
            let price = try Money(minorUnits: UInt128(2000 - 100 * number), currency: .usd)
            made.append(try await world.client.createPayment(ShopWorld.order("ORDER-\(number)", price)))
            world.clock.advance(by: .seconds(10))
        }
        _ = try await world.router.pay(made[2].link, as: SandboxWallet().payer())
        _ = try await world.router.cancel(made[4].reference)
        let ids = made.map(\.reference)

        var pages: [[PaymentReference]] = []
        var cursor: String?
        repeat {
            let page = try await world.client.payments(Shop.Filter(limit: 3), after: cursor)
            pages.append(page.payments.map(\.payment))
            #expect(page.totalCount == 7)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(pages == [Array(ids[4...].reversed()), Array(ids[1...3].reversed()), [ids[0]]])

        func references(_ filter: Shop.Filter) async throws -> [String] {
            try await world.client.payments(filter).payments.map(\.reference)
        }
        #expect(try await references(.init()).count == 7)
        #expect(world.wire.requests.last?.url.query == "limit=50")
        #expect(try await references(.init(limit: 1)) == ["ORDER-7"])
        #expect(try await references(.init(sorting: .amount, isAscending: false, limit: 2)) == ["ORDER-1", "ORDER-2"])
        #expect(try await references(.init(statuses: ["succeeded"])) == ["ORDER-3"])
        #expect(try await references(.init(statuses: ["succeeded", "cancelled"])) == ["ORDER-5", "ORDER-3"])
        #expect(try await references(.init(reference: "ER-2")) == ["ORDER-2"])
        #expect(try await references(.init(tokenSymbols: ["USDC"])) == ["ORDER-3"])
        #expect(try await references(.init(networks: ["eip155:8453"])) == ["ORDER-3"])
        #expect(try await references(.init(networks: ["eip155:1"])) == [])
        #expect(try await references(.init(sorting: .amount, isAscending: true, limit: 2)) == ["ORDER-7", "ORDER-6"])
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(
            try await references(.init(from: start.addingTimeInterval(10), until: start.addingTimeInterval(20))) == [
                "ORDER-2"
            ])

        let row = try #require(try await world.client.payments(.init(statuses: ["succeeded"])).payments.first)
        #expect(row.price?.minorUnits == 1700 && row.paid?.exponent == 6 && row.isSettled && row.isFinal)
        #expect(row.merchantID == WalletConnectPaySandbox.merchantID && row.buyer?.hasPrefix("eip155:8453:") == true)
        let unpaid = try #require(try await world.client.payments(.init(reference: "ORDER-1")).payments.first)
        #expect(!unpaid.isSettled && !unpaid.isFinal && unpaid.paid == nil && unpaid.settledAt == nil)
        #expect(row.fee?.minorUnits == 14 + 6 && row.transactionID?.hasPrefix("0x") == true)
        #expect(row.createdAt == start.addingTimeInterval(20) && row.settledAt != nil && row.changedAt == row.settledAt)
    }

    @Test("Filters that no list takes are not sent")
    func unfitFilters() async throws {
        let world = try ShopWorld()
        for filter in [Shop.Filter(limit: 0), .init(limit: 201), .init(reference: "AB"), .init(reference: "a_b")] {
            let error = await failure { _ = try await world.client.payments(filter) }
            #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        }
        #expect(world.faults.requests.isEmpty)
        let error = await failure { _ = try await world.client.payments(after: "made-up") }
        #expect(error?.vendorCode == "invalid_params")
    }

    @Test("Payments of another merchant in a list are not handed on")
    func otherMerchants() async throws {
        let world = try ShopWorld()
        let other = try await world.accounts.createMerchant(
            .init(name: "Second", email: Redacted("a@b.example")), idempotencyKey: "m")
        let second = try ShopWorld.merchant(id: "second", merchantID: other.id, clock: world.clock)
        let client = second.client(over: world.wire, clock: world.clock)
        let theirs = try await client.createPayment(ShopWorld.order())
        let ours = try await world.payment()
        #expect(try await world.client.payments().payments.map(\.payment) == [ours.reference])
        let all = try await world.client.partnerPayments()
        #expect(Set(all.payments.map(\.merchantID)) == [other.id, WalletConnectPaySandbox.merchantID])
        #expect(
            try await world.client.partnerPayments(of: [other.id]).payments.map(\.payment.id) == [theirs.reference.id])
        // A service that mixes them up.
        let mixed: JSONValue = try JSONValue(
            parsing: await world.sandbox.respond(
                to: HTTPRequest(
                    .get, try HTTPURL("https://api.pay.walletconnect.com/v1/payments"),
                    headers: ["Api-Key": WalletConnectPaySandbox.liveKey.reveal()])
            ).body)
        world.lie("/v1/merchants/payments", mixed)
        #expect(await failure { _ = try await world.client.payments() }?.code == .integrity)
        world.lie("/v1/payments", mixed)
        #expect(await failure { _ = try await world.client.partnerPayments(of: [other.id]) }?.code == .integrity)
    }

    // MARK: Waiting

    @Test("Waits until it is paid, with requests that the service holds")
    func waits() async throws {
        let world = try ShopWorld { $0.settlementPolls = 30 }
        let payment = try await world.payment()
        let body = try await world.confirmed(payment)
        #expect(body == "processing")
        #expect(try await world.client.report(of: payment.reference, waiting: .seconds(60)).receipt != nil, "not paid")
        let asked = world.wire.requests.filter { $0.url.path == "/v1/payments/\(payment.reference.id)/status" }
        #expect(asked.count <= 3 && asked.allSatisfy { $0.url.query?.hasPrefix("maxPollMs=") == true })
        #expect(asked[0].url.query == "maxPollMs=25000" && asked[0].timeout == .seconds(55))
    }

    @Test("Ends its waiting in time, with the latest status", arguments: [0, 1, 40])
    func waitsInVain(_ seconds: Int) async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        world.clock.advance(by: .seconds(60))
        let start = world.clock.uptime
        let outcome = try await world.client.report(of: payment.reference, waiting: .seconds(seconds))
        #expect(outcome.isPending)
        let waited = world.clock.uptime - start
        #expect(waited >= .seconds(seconds) && waited <= .seconds(seconds + 2), "\(waited)")
        #expect(world.requests("GET", "/v1/payments/\(payment.reference.id)/status") <= 5)
    }

    @Test(
        "A request is held as long as the caller waits, up to 25 seconds",
        arguments: [(0, nil), (1, "maxPollMs=1"), (24_999, "maxPollMs=24999"), (25_001, "maxPollMs=25000")])
    func holds(_ milliseconds: Int, _ query: String?) async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        let count = world.wire.requests.count
        _ = try await world.client.report(of: payment.reference, waiting: .milliseconds(milliseconds))
        #expect(world.wire.requests[count].url.query == query)
    }

    @Test("A state that this version does not know is neither success nor failure")
    func unknownStates() async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        world.lie("/v1/payments/\(payment.reference.id)/status", ["status": "held", "isFinal": true])
        let unknown = try #require(try await world.client.report(of: payment.reference).unknownOutcome, "known")
        #expect(unknown.rawStatus == "held")
    }
}

extension ShopWorld {
    /// Confirms a payment as a wallet does, and returns its state then.
    func confirmed(_ payment: Shop.CreatedPayment) async throws -> String? {
        let wallet = SandboxWallet()
        let payer = wallet.payer()
        let gateway = "https://api.pay.walletconnect.com/v1/gateway/payment/\(payment.reference.id)"
        func post(_ verb: String, _ body: JSONValue) async throws -> JSONValue {
            let request = HTTPRequest(
                .post, try HTTPURL("\(gateway)/\(verb)"),
                headers: ["Api-Key": "w", "Content-Type": "application/json"],
                body: body.serialized())
            return try JSONValue(parsing: await sandbox.respond(to: request).body)
        }
        let options = try await post("options", ["accounts": .array(payer.accounts.map { .string($0.text) })])
        let option = try #require(options["options"]?[0])
        let call = try #require(option["actions"]?[0]?["data"])
        let signature = try await wallet.sign(
            SigningRequest(
                account: try AccountID(try #require(option["account"]?.string)),
                method: try #require(call["method"]?.string), parameters: call["params"] ?? []))
        return try await post(
            "confirm",
            [
                "optionId": option["id"] ?? nil,
                "results": [["type": "walletRpc", "data": [.string(signature)]]],
            ])["status"]?.string
    }
}
