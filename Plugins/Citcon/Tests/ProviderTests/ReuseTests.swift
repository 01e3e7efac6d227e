import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// A merchant's reference that was used before, or is also used elsewhere.
@Suite struct ReuseTests {
    private static let first = LinkTests.good
    /// The same reference, for something else.
    static let others = [
        LinkTests.good.replacing("62d5c1e0242011eda300f59379b812ce", with: "ffffffffffffffffffffffffffffffff")
            .replacing("amount=1250", with: "amount=99999"),
        LinkTests.good.replacing("62d5c1e0242011eda300f59379b812ce", with: "ffffffffffffffffffffffffffffffff"),
        LinkTests.good.replacing("amount=1250", with: "amount=99999"),
        LinkTests.good.replacing("currency=USD", with: "currency=EUR"),
    ]

    private static func router(
        _ service: ScriptedCitcon, _ journal: InMemoryJournal, _ mode: CPayENVMode = .UAT, merchant: String? = nil,
        seed: UInt64 = 1
    ) throws -> PaymentRouter {
        var configuration = try Shop.configuration(mode)
        configuration.merchant = merchant
        return try PaymentRouter(
            CitconProvider(configuration: configuration), over: service, journal: journal, seed: seed)
    }

    private static let payer = Payer(appLauncher: { _ in nil }, policy: .firstWhateverItCosts)

    private static func expectIntegrity(_ work: () async throws -> Void) async {
        let error = await failure(work)
        #expect(error?.code == .integrity && error?.phase == .beforeSend, "\(String(describing: error))")
        #expect(error?.message.contains("ffffffff") == false && error?.message.contains("62d5") == false)
    }

    @Test("An earlier success over other terms is none of this link's", arguments: others)
    func earlierSuccess(_ other: String) async throws {
        let service = ScriptedCitcon()
        let journal = InMemoryJournal()
        let router = try Self.router(service, journal)
        #expect(try await router.pay(Self.first, as: Self.payer).description.hasPrefix("paid"))
        let calls = service.calls.count
        await Self.expectIntegrity { _ = try await router.pay(other, as: Self.payer) }
        guard case .matched(let route) = router.route(other) else {
            Issue.record("not matched")
            return
        }
        let quote = try await router.quote(route, as: Self.payer)
        await Self.expectIntegrity { _ = try await router.pay(quote, option: quote.options[0].id, as: Self.payer) }
        #expect(service.calls.count == calls, "nothing was sent")
        // The payment itself is still known as paid.
        #expect(try await router.pay(Self.first, as: Self.payer).description.hasPrefix("paid"))
    }

    @Test("A payment in progress is not resumed by a link over other terms", arguments: others)
    func underWay(_ other: String) async throws {
        let service = ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction("pending")))
        let journal = InMemoryJournal()
        let router = try Self.router(service, journal)
        #expect(try await router.pay(Self.first, as: Self.payer) == .pending(retryAfter: nil))
        let calls = service.calls.count
        await Self.expectIntegrity { _ = try await router.pay(other, as: Self.payer) }
        #expect(service.calls.count == calls)
        #expect(await journal.unfinished().count == 1)
    }

    @Test("Two links at once: the second does not join the first", arguments: others)
    func atOnce(_ other: String) async throws {
        let (stream, isAway) = AsyncStream<Void>.makeStream()
        let (gate, goOn) = AsyncStream<Void>.makeStream()
        let service = ScriptedCitcon()
        let router = try Self.router(service, InMemoryJournal())
        let slow = Payer(
            appLauncher: { _ in
                isAway.yield()
                for await _ in gate { break }
                return nil
            }, policy: .firstWhateverItCosts)
        let one = Task { try await router.pay(Self.first, as: slow) }
        for await _ in stream { break }
        let two = Task { try await router.pay(other, as: Self.payer) }
        // Lets the second call join.
        for _ in 0..<50 { await Task.yield() }
        goOn.yield()
        #expect(try await one.value.description.hasPrefix("paid"))
        await Self.expectIntegrity { _ = try await two.value }
        #expect(service.confirmations == 1)
    }

    @Test("The same link, spelt otherwise, is the same payment")
    func sameLink() async throws {
        let service = ScriptedCitcon()
        let router = try Self.router(service, InMemoryJournal())
        _ = try await router.pay(Self.first, as: Self.payer)
        let again = try await router.pay(Self.first.replacing("env=uat", with: "env=UAT"), as: Self.payer)
        #expect(again.description.hasPrefix("paid"))
        #expect(service.confirmations == 1)
    }

    @Test("An attempt that does not say which charge it is for is none of any link's")
    func namelessCharge() async throws {
        let provider = try Shop.provider()
        let link = try PaymentLink(Self.first)
        let order = try CitconOrderLink(link)
        func attempt(_ data: JSONValue?) -> PaymentAttempt {
            let option = PaymentMethodOption(
                id: order.method, title: "WeChat Pay", amount: order.amount, providerData: data)
            return PaymentAttempt(
                id: AttemptID(rawValue: "att_1"),
                reference: PaymentReference(provider: CitconProvider.id, id: "uat/order-1"), option: option,
                idempotencyKey: "k", startedAt: VirtualClock().now, expiresAt: nil)
        }
        try provider.distinguish(link, from: attempt(try JSONValue.encode(OrderTerms(order.token))))
        for data: JSONValue? in [nil, .null, [:], ["charge": ""]] {
            await Self.expectIntegrity { try provider.distinguish(link, from: attempt(data)) }
        }
    }

    @Test("Environment and merchant are part of what a payment is")
    func elsewhere() async throws {
        let journal = InMemoryJournal()
        let uat = ScriptedCitcon()
        _ = try await Self.router(uat, journal).pay(Self.first, as: Self.payer)
        let live = ScriptedCitcon()
        let other = Self.first.replacing("env=uat", with: "env=prod")
        _ = try await Self.router(live, journal, .PROD, seed: 2).pay(other, as: Self.payer)
        #expect(live.confirmations == 1, "real money is not paid by a test")
        let second = ScriptedCitcon()
        _ = try await Self.router(second, journal, merchant: "shop/2", seed: 3).pay(Self.first, as: Self.payer)
        #expect(second.confirmations == 1)
        // No other environment or merchant is asked about the journal's attempts.
        let before = live.calls.count
        let reference = PaymentReference(provider: CitconProvider.id, id: "uat/order-1")
        #expect(await journal.histories(of: reference).count == 1)
        #expect(
            await failure { _ = try await Self.router(live, journal, .PROD).status(of: reference) }?.code == .integrity)
        #expect(live.calls.count == before)
        // A merchant's bare reference belongs to the provider's environment and merchant.
        let bare = PaymentReference(provider: CitconProvider.id, id: "order-1")
        #expect(try await Self.router(uat, journal).status(of: bare).description.hasPrefix("paid"))
    }
}
