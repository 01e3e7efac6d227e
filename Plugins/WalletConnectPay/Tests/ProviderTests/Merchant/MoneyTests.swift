import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPaySandbox

/// Cancellations and refunds, through the router (Protocol 5).
@Suite struct MoneyTests {
    // MARK: Refunding

    @Test("Marks a whole payment, once")
    func refunds() async throws {
        let (world, payment) = try await ShopWorld.paid()
        let request = world.refund(payment)
        let expected = ServiceReport.succeeded(
            PaymentReceipt(reference: request.reference, amount: ShopWorld.price))
        #expect(try await world.router.refund(request) == expected)
        #expect(try await world.router.refund(request) == expected)
        #expect(await world.refunds(payment.reference.id).count == 1)
        #expect(world.requests("POST", "/v1/refunds") == 1)
        // The price is searched for by the order's reference.
        #expect(world.wire.requests.contains { $0.url.query == "limit=200&referenceId=ORDER-1" })
        // Another server, whose journal does not have it, asks for the same refund, and it is made.
        let other = try world.router(of: world.merchant, journal: InMemoryJournal(), seed: 8)
        let second = try await other.refund(request)
        let earlier = PaymentReceipt(reference: request.reference, amount: ShopWorld.price, isEarlier: true)
        #expect(second == .succeeded(earlier) && second.description == "refunded, by an earlier request")
        #expect(try await other.refund(request) == second)
        #expect(await world.refunds(payment.reference.id).count == 1)
    }

    @Test("Another amount or currency than the price is not asked for")
    func otherAmounts() async throws {
        let (world, payment) = try await ShopWorld.paid()
        for amount in [
            try Money(minorUnits: 1249, currency: .usd), try Money(minorUnits: 1251, currency: .usd),
            try Money(minorUnits: 0, currency: .usd), try Money(minorUnits: 1250, currency: .eur),
            try Money(minorUnits: 125_000, currency: .usd, exponent: 4),
        ] {
            let error = await failure { _ = try await world.router.refund(world.refund(payment, amount)) }
            #expect(error?.code == .requestRefused && error?.phase != .maybeSent, "\(amount)")
        }
        #expect(world.requests("POST", "/v1/refunds") == 0)
    }

    @Test("A payment is found among all if its reference is too short to search for")
    func unsearchable() async throws {
        let world = try ShopWorld()
        let body: JSONValue = ["referenceId": "A1", "amount": ["unit": "iso4217/USD", "value": "1250"]]
        let answer = await world.sandbox.respond(
            to: HTTPRequest(
                .post, try HTTPURL("https://api.pay.walletconnect.com/v1/payments"),
                headers: [
                    "Api-Key": WalletConnectPaySandbox.liveKey.reveal(), "WCP-Version": "2026-02-19.preview",
                    "Merchant-Id": WalletConnectPaySandbox.merchantID, "Content-Type": "application/json",
                ], body: body.serialized()))
        let id = try #require(try JSONValue(parsing: answer.body)["paymentId"]?.string)
        _ = try await world.router.pay("https://pay.walletconnect.com/?pid=\(id)", as: SandboxWallet().payer())
        let request = RefundRequest(
            of: PaymentReference(provider: Shop.id, id: id), amount: ShopWorld.price, id: "credit-1")
        #expect(try await world.router.refund(request).receipt != nil, "it was not refunded")
    }

    @Test("Any text is a refund's id, and no second one refunds the payment")
    func names() async throws {
        let (world, payment) = try await ShopWorld.paid()
        let named = RefundRequest(of: payment.reference, amount: ShopWorld.price, id: "CN 2024/117 é")
        #expect(try await world.router.refund(named).receipt != nil, "it was not refunded")
        let error = await failure { _ = try await world.router.refund(world.refund(payment)) }
        #expect(error?.code == .integrity && error?.phase == .beforeSend)
        #expect(error?.message.contains("CN 2024/117") == true)
        #expect(await world.refunds(payment.reference.id).count == 1)
        #expect(world.requests("POST", "/v1/refunds") == 1)
    }

    @Test("Only a paid payment is refunded")
    func unpaid() async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        #expect(try await world.router.refund(world.refund(payment)).isDeclined, "an unpaid payment was refunded")
        #expect(await world.refunds(payment.reference.id).isEmpty)
        let unknown = RefundRequest(
            of: PaymentReference(provider: Shop.id, id: "pay_nobody"), amount: ShopWorld.price, id: "credit-2")
        #expect(await failure { _ = try await world.router.refund(unknown) }?.code == .notFound)
    }

    @Test(
        "A lost answer is got back by asking for the same refund again",
        arguments: [FaultInjector.Fault.dropAfter, .dropBefore, .status(500), .status(409), .garbage])
    func lostAnswers(_ fault: FaultInjector.Fault) async throws {
        let (world, payment) = try await ShopWorld.paid()
        let request = world.refund(payment)
        world.faults.inject(fault) { $1 == "/v1/refunds" }
        let first = await failure { _ = try await world.router.refund(request) }
        #expect(first == nil || first?.phase == .maybeSent, "\(String(describing: first))")
        let receipt = try #require(try await world.router.refund(request).receipt, "it was not settled")
        // The first request may be another server's, as far as the service says.
        let wasMarked = if case .dropAfter = fault { true } else { false }
        #expect(receipt.isEarlier == wasMarked)
        #expect(await world.refunds(payment.reference.id).count == 1)
    }

    @Test(
        "It is got back at any time, also after a clock was ahead or behind by years",
        arguments: [FaultInjector.Fault.dropAfter, .dropBefore], [-4 * 365, -1, 20 * 365])
    func lostAnswersAtAnyTime(_ fault: FaultInjector.Fault, days: Int) async throws {
        let (world, payment) = try await ShopWorld.paid()
        let request = world.refund(payment)
        world.faults.inject(fault) { $1 == "/v1/refunds" }
        let first = await failure { _ = try await world.router.refund(request) }
        #expect(first == nil || first?.phase == .maybeSent, "\(String(describing: first))")
        world.clock.advance(by: .seconds(days * 86_400))
        #expect(try await world.router.refund(request).receipt != nil, "it was not settled")
        #expect(await world.refunds(payment.reference.id).count == 1)
    }

    @Test(
        "Another payment's refund, or a failure with a code of refusals, proves nothing",
        arguments: [
            (200, ["paymentId": "pay_other"]), (500, ["code": "payment_not_succeeded", "message": "m"]),
            (500, ["code": "already_refunded", "message": "m"]), (409, ["code": "version_conflict", "message": "m"]),
        ] as [(Int, JSONValue)])
    func unprovenAnswers(_ status: Int, _ body: JSONValue) async throws {
        let (world, payment) = try await ShopWorld.paid()
        world.lie("/v1/refunds", body, status: status)
        do throws(PaymentError) {
            // Open, if it is an outcome at all.
            let outcome = try await world.router.refund(world.refund(payment))
            #expect(outcome.isUnknown)
        } catch { #expect(error.phase == .maybeSent && (error.code == .integrity || status != 200), "\(error)") }
        #expect(world.requests("POST", "/v1/refunds") == 1)
        #expect(await world.refunds(payment.reference.id).isEmpty)
    }

    @Test("What lists say of the price is compared, whatever is lied about")
    func lyingLists() async throws {
        let (world, payment) = try await ShopWorld.paid()
        let id = payment.reference.id
        let good = Self.row(id)
        func list(_ change: (inout JSONValue) -> Void) -> JSONValue {
            var row = good
            change(&row)
            return Self.list([row])
        }
        let lies: [JSONValue] = [
            list { $0["merchant"] = ["id": "mrch_other"] }, list { $0["paymentId"] = "pay_other" },
            list { $0["fiatAmount"]?["value"] = "1251" }, list { $0["fiatAmount"]?["unit"] = "iso4217/EUR" },
            list { $0["fiatAmount"] = nil }, list { $0["referenceId"] = "ORDER-2" },
            Self.list([]),
        ]
        for lie in lies {
            world.lie("/v1/merchants/payments", lie)
            let error = await failure { _ = try await world.router.refund(world.refund(payment)) }
            #expect(error != nil && error?.phase != .maybeSent, "\(lie.text)")
        }
        #expect(world.requests("POST", "/v1/refunds") == 0)
        world.lie("/v1/merchants/payments", list { _ in })
        _ = try await world.router.refund(world.refund(payment))
        #expect(await world.refunds(payment.reference.id).count == 1)
    }

    @Test(
        "Only the refusal to refund an unpaid payment declines the refund",
        arguments: [
            (400, "payment_not_succeeded", nil), (500, "payment_not_succeeded", .maybeSent),
            (400, "invalid_state", .answered),
        ] as [(Int, String, PaymentError.Phase?)])
    func declined(_ status: Int, _ code: String, _ phase: PaymentError.Phase?) async throws {
        let (world, payment) = try await ShopWorld.paid()
        let context = ProviderContext(
            http: world.wire, payer: Payer(), clock: world.clock, random: SeededRandomSource(seed: 8),
            secrets: NoSecrets(), steps: UnstoredSteps(), remark: { _ in })
        world.lie("/v1/refunds", ["code": .string(code), "message": "m"], status: status)
        let error = await failure {
            let report = try await world.merchant.refund(world.refund(payment), in: context)
            #expect(report.isDeclined)
        }
        #expect(error?.phase == phase)
    }

    @Test("A list that never ends is abandoned")
    func endlessLists() async throws {
        let (world, payment) = try await ShopWorld.paid()
        for page in 0..<40 {
            world.lie("/v1/merchants/payments", Self.list([Self.row("pay_\(page)")], next: .string("c\(page)")))
        }
        #expect(await failure { _ = try await world.router.refund(world.refund(payment)) } != nil)
        #expect(world.requests("GET", "/v1/merchants/payments") == 25)
    }

    @Test("A list whose next page is the same one is read no further")
    func repeatedPage() async throws {
        let (world, payment) = try await ShopWorld.paid()
        for _ in 0..<3 { world.lie("/v1/merchants/payments", Self.list([Self.row("pay_1")], next: "c")) }
        #expect(await failure { _ = try await world.router.refund(world.refund(payment)) } != nil)
        #expect(world.requests("GET", "/v1/merchants/payments") == 2)
    }

    @Test("A price of zero is no price to refund")
    func noPrice() async throws {
        let (world, payment) = try await ShopWorld.paid()
        var row = Self.row(payment.reference.id)
        row["fiatAmount"]?["value"] = "0"
        world.lie("/v1/merchants/payments", Self.list([row]))
        let zero = try Money(minorUnits: 0, currency: .usd)
        let error = await failure { _ = try await world.router.refund(world.refund(payment, zero)) }
        #expect(error?.code == .requestRefused)
        #expect(world.requests("POST", "/v1/refunds") == 0)
    }

    private static func list(_ rows: [JSONValue], next: JSONValue = nil) -> JSONValue {
        [
            "data": .array(rows), "nextCursor": next,
            "stats": ["totalRevenue": [], "totalTransactions": 1, "totalCustomers": 1],
        ]
    }

    private static func row(_ id: String) -> JSONValue {
        [
            "paymentId": .string(id), "merchant": ["id": .string(WalletConnectPaySandbox.merchantID)],
            "referenceId": "ORDER-1", "status": "succeeded", "isTerminal": true,
            "createdAt": "2027-01-15T08:00:00.000Z", "lastUpdatedAt": "2027-01-15T08:00:00Z",
            "fiatAmount": [
                "unit": "iso4217/USD", "value": "1250",
                "display": ["assetSymbol": "USD", "assetName": "US Dollar", "decimals": 2],
            ],
        ]
    }

    // MARK: Cancelling

    @Test("Cancels an unpaid payment, once")
    func cancels() async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        #expect(try await world.router.cancel(payment.reference) == .cancelled)
        #expect(try await world.router.cancel(payment.reference) == .cancelled)
        #expect(await world.events(payment.reference.id) == [.created, .cancelled])
        #expect(world.requests("POST", "/v1/payments/\(payment.reference.id)/cancel") == 1)
        #expect(world.wire.requests.last { $0.method == .post }?.replay == .never)
    }

    @Test("A payment that was paid meanwhile is reported as paid")
    func paidMeanwhile() async throws {
        let (world, payment) = try await ShopWorld.paid()
        #expect(try await world.router.cancel(payment.reference).receipt != nil, "a paid payment is not cancelled")
        // Also if it is paid between the inquiry and the request.
        let other = try await world.payment("ORDER-2")
        world.lie(
            "/v1/payments/\(other.reference.id)/status",
            ["status": "requires_action", "isFinal": false, "pollInMs": 1000])
        _ = try await world.router.pay(other.link, as: SandboxWallet().payer())
        #expect(try await world.router.cancel(other.reference).receipt != nil, "a paid payment is not cancelled")
    }

    @Test(
        "Another payment in the answer to a cancellation is seen",
        arguments: [("pay_other", "cancelled"), ("", "processing")])
    func otherCancellation(_ id: String, _ status: String) async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        world.lie(
            "/v1/payments/\(payment.reference.id)/cancel",
            [
                "paymentId": .string(id.isEmpty ? payment.reference.id : id), "status": .string(status),
                "cancelledReason": "cancelled_by_merchant", "cancelledAt": "2027-01-15T08:00:00Z",
            ])
        let error = await failure { _ = try await world.router.cancel(payment.reference) }
        #expect(error?.code == .integrity && error?.phase == .maybeSent)
    }
}

extension ShopWorld {
    /// A world with a payment that was paid.
    static func paid() async throws -> (ShopWorld, Shop.CreatedPayment) {
        let world = try ShopWorld()
        return (world, try await world.paid())
    }

    /// A world with a payment that is not paid.
    static func unpaid() async throws -> (ShopWorld, Shop.CreatedPayment) {
        let world = try ShopWorld()
        return (world, try await world.payment())
    }
}
