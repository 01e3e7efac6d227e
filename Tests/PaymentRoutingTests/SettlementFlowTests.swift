import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentSettlement
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// The parts that providers share whose payments a settler makes.
@Suite("Settling for providers")
struct SettlementFlowTests {
    /// Its links, `?id=`, all lead to one invoice.
    private struct FlowProvider: SettlingProvider {
        let base = InvoiceProvider()
        var check: @Sendable () async throws -> Void = {}

        var descriptor: ProviderDescriptor { base.descriptor }

        func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }

        func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
            try await base.quote(request, in: context)
        }

        func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
            try await SettlementFlow.pay(attempt, to: InvoiceProvider.endpoint, in: context, unless: check)
        }
    }

    private func router(_ provider: any PaymentProvider) throws -> PaymentRouter {
        try PaymentRouter(provider)
    }

    private static func link(_ id: String) -> String { "https://pay.acme.example/?id=\(id)" }

    @Test("An invoice that another payment has paid is not begun, and its payment is declined as paid elsewhere")
    func paidElsewhere() async throws {
        let (settler, router) = (TestSettler(), try router(FlowProvider()))
        #expect(try await router.pay(Self.link("one"), as: .careless(settler)).receipt != nil, "it is not paid")
        let reason = try #require(
            try await router.pay(Self.link("two"), as: .careless(settler)).declineReason, "it is paid")
        #expect(reason.code == .paidElsewhere && settler.settlements.count == 1)
    }

    /// A settler that reports another payment's order of every invoice.
    private struct CrowdedSettler: PassingSettler {
        let base: TestSettler
        let other: SettlementState

        func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
            SettlementOrder(name: "other", endpoint: endpoint, amount: .cents(2100, .satoshi), state: other)
        }
    }

    @Test(
        "A payment whose answer was lost is resumed by its own order, also next to another payment's order",
        arguments: [.settled(.preimage(String(repeating: "07", count: 32))), .inFlight(retryAfter: nil)]
            as [SettlementState])
    func resumed(other: SettlementState) async throws {
        let (settler, router) = (TestSettler(.losesAnswer), try router(FlowProvider()))
        #expect(
            try await router.pay(Self.link("one"), as: .careless(settler)).unknownOutcome != nil,
            "a lost answer was believed")
        let payer = Payer(
            policy: .firstWhateverItCosts, settler: CrowdedSettler(base: settler, other: other))
        let outcome = try await router.pay(Self.link("one"), as: payer)
        #expect(outcome.receipt != nil, "\(outcome)")
        #expect(settler.settlements.count == 1 && settler.payments == 1)
    }

    @Test("A check that fails before the settler is asked is no refusal")
    func check() async throws {
        let settler = TestSettler()
        let router = try router(
            FlowProvider { throw PaymentError(.network, "offline", provider: "acme") })
        let error = await failure { try await router.pay(Self.link("one"), as: .careless(settler)) }
        #expect(error?.code == .network && settler.settlements.isEmpty)
    }

    @Test("An attempt is for a demand of the same endpoint and amount, and for no other")
    func distinguish() throws {
        let endpoint = InvoiceProvider.endpoint
        func attempt(_ payee: String? = nil) throws -> PaymentAttempt {
            var data: JSONValue = ["endpoint": try JSONValue.encode(endpoint)]
            data["payee"] = payee.map { .string($0) }
            let option = PaymentMethodOption(
                id: "only", title: "only", amount: .cents(2100, .satoshi), providerData: data)
            return PaymentAttempt(
                at: InvoiceProvider.invoiceReference, option: option, from: Date(timeIntervalSince1970: 0))
        }
        func offer(_ endpoint: SettlementEndpoint, _ satoshi: UInt128) -> SettlementOffer {
            SettlementOffer(endpoint: endpoint, amount: .fixed(.cents(satoshi, .satoshi)), expiresAt: nil)
        }
        try SettlementFlow.distinguish(
            [offer(InvoiceProvider.address, 1), offer(endpoint, 2100)], from: attempt())
        for offers in [[], [offer(endpoint, 2101)], [offer(InvoiceProvider.address, 2100)]] {
            let error = #expect(throws: PaymentError.self) {
                try SettlementFlow.distinguish(offers, from: attempt())
            }
            #expect(error?.code == .integrity)
            // Payments to a payee have separate names.
            try SettlementFlow.distinguish(offers, from: attempt("mina"))
        }
    }

    /// Quotes an invoice at another amount than it states, or at its own.
    private struct ReviewingProvider: SettlingProvider {
        static let invoice =
            "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq"
            + "5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qf"
            + "egext0eh0ymjpf39tuven09sam30g4vgpfna3rh"
        var added: UInt128 = 0

        var descriptor: ProviderDescriptor { InvoiceProvider().descriptor }

        func recognize(_ link: PaymentLink) -> LinkMatch? { InvoiceProvider().recognize(link) }

        func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
            let offer = try #require(SettlementOffer.offers(in: Self.invoice, StandardsReader()).first)
            guard case .fixed(let asked) = offer.amount else { throw PaymentError(.integrity, "it states no amount") }
            let amount = try Money(
                minorUnits: asked.minorUnits + added, currency: asked.currency, exponent: asked.exponent)
            let option = PaymentMethodOption(
                id: "only", title: "only", amount: amount, needs: [.settlement(.bolt11, network: "mainnet")],
                providerData: ["endpoint": try JSONValue.encode(offer.endpoint)])
            return ProviderQuote(
                reference: request.reference, payee: Payee(name: "Mina"), amount: amount, options: [option])
        }

        func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
            try await SettlementFlow.pay(attempt, StandardsReader(), in: context)
        }
    }

    @Test("An amount that the invoice does not ask for is not handed to the settler")
    func otherAmount() async throws {
        for added in [0, 1] as [UInt128] {
            let settler = TestSettler(.refuses)
            let result = try? await router(ReviewingProvider(added: added))
                .pay(Self.link("one"), as: .careless(settler))
            #expect(settler.settlements.count == (added == 0 ? 1 : 0), "\(String(describing: result))")
        }
    }

    // MARK: Proofs and amounts

    /// A settler that has paid every name, with one proof.
    private struct ProvingSettler: StubSettler {
        let endpoint: SettlementEndpoint
        let proof: SettlementProof
        var state: SettlementState?

        func order(named name: String) async throws -> SettlementOrder? {
            SettlementOrder(
                name: name, endpoint: endpoint, amount: .cents(2100, .satoshi), state: state ?? .settled(proof))
        }
        func settle(_ settlement: Settlement) async throws -> SettlementState { .settled(proof) }
        func abandon(_ name: String) async throws -> SettlementState { .settled(proof) }
    }

    private static let (chain, address) = (
        SettlementEndpoint(.bitcoinAddress, text: "bcrt1address", network: "regtest"),
        SettlementEndpoint(.lightningAddress, text: "ann@pay.example")
    )

    /// An invoice whose preimage is so many bytes long.
    private static func invoice(of length: Int) -> SettlementEndpoint {
        let hash = Digest.sha256.hash([UInt8](repeating: 7, count: length))
        return SettlementEndpoint(.bolt11, text: "lnbcrt1", paymentHash: String(Hex.encode(hash)))
    }

    @Test(
        "Lightning is proved by a preimage of 32 bytes, a chain by a transaction, and neither by the other's proof",
        arguments: [
            (address, .preimage(String(repeating: "07", count: 32)), true),
            (address, .preimage(String(repeating: "07", count: 31)), false), (address, .preimage("no digits"), false),
            (address, .unproven(paymentHash: String(repeating: "07", count: 32)), true),
            (address, .unproven(paymentHash: "07"), false),
            (chain, .unproven(paymentHash: String(repeating: "07", count: 32)), false),
            (address, .transaction("tx-1"), false), (chain, .transaction("tx-1"), true),
            (chain, .transaction(String(repeating: "a", count: 256)), true),
            (chain, .transaction(String(repeating: "a", count: 257)), false), (chain, .transaction(""), false),
            (chain, .transaction("tx 1"), false), (chain, .transaction("tx\u{7F}"), false),
            (chain, .preimage(String(repeating: "07", count: 32)), false),
            (chain, .transaction("!"), true), (chain, .transaction("~"), true),
            (invoice(of: 32), .preimage(String(repeating: "07", count: 32)), true),
            (invoice(of: 32), .preimage(String(repeating: "08", count: 32)), false),
            (invoice(of: 31), .preimage(String(repeating: "07", count: 31)), false),
            (invoice(of: 32), .preimage("no digits"), false),
        ] as [(SettlementEndpoint, SettlementProof, Bool)])
    func proofs(endpoint: SettlementEndpoint, proof: SettlementProof, isProof: Bool) async throws {
        let settler = ProvingSettler(endpoint: endpoint, proof: proof)
        let payer = Payer(policy: .firstWhateverItCosts, settler: settler)
        let outcome = try await router(FlowProvider()).pay(Self.link("one"), as: payer)
        if case .succeeded = outcome { #expect(isProof) } else { #expect(!isProof, "\(outcome)") }
    }

    @Test("Amounts of an order are compared by their values, whatever their exponents")
    func amounts() throws {
        func money(_ units: UInt128, _ exponent: UInt8 = 8) throws -> Money {
            try Money(minorUnits: units, currency: .satoshi, exponent: exponent)
        }
        func isFor(_ paid: Money, _ expected: Money) -> Bool {
            let order = SettlementOrder(name: "a", endpoint: nil, amount: paid, state: .registered)
            return (try? order.requireAmount(expected)) != nil
        }
        #expect(try isFor(money(21), money(21)) && !isFor(money(21), money(22)))
        #expect(try isFor(money(21_000, 11), money(21)) && isFor(money(21), money(21_000, 11)))
        #expect(try !isFor(money(21_001, 11), money(21)) && !isFor(money(21), money(21_001, 11)))
        #expect(try !isFor(money(1 << 100, 0), money(1, 11)) && !isFor(.cents(21), money(21)))
        // Ten times this is more than the type can hold, by four.
        #expect(try !isFor(money(UInt128.max / 10 + 1, 7), money(4)))
        try SettlementOrder(name: "a", endpoint: nil, amount: nil, state: .registered).requireAmount(money(21))
    }

    @Test(
        "A payee's own name is shown without what could pass for something else",
        arguments: [
            ("Shop", "\u{201C}Shop\u{201D} (k)"), (" Shop  of\u{202E} Ann ", "\u{201C}Shop of Ann\u{201D} (k)"),
            ("<b>\u{201D}Shop\n", "\u{201C}bShop\u{201D} (k)"), (" ", "k"), (nil, "k"),
            (String(repeating: "a", count: 60), "\u{201C}\(String(repeating: "a", count: 50))\u{201D} (k)"),
        ] as [(String?, String)])
    func names(name: String?, shown: String) {
        #expect(Payee(claiming: name, knownAs: "k").name == shown)
    }

    @Test("An end at the settler without this payment is a refusal, and says where another one has paid")
    func ends() async throws {
        for (state, code) in [
            (.nothingSent(reason: "no route"), .refused), (.settledElsewhere(name: "other"), .paidElsewhere),
        ] as [(SettlementState, DeclineReason.Code)] {
            let settler = ProvingSettler(endpoint: Self.address, proof: .preimage(""), state: state)
            let payer = Payer(policy: .firstWhateverItCosts, settler: settler)
            let reason = try #require(
                try await router(FlowProvider()).pay(Self.link("one"), as: payer).declineReason, "\(state)")
            #expect(reason.code == code)
        }
    }

    @Test("A payee's picture and id stay what they are")
    func picture() {
        let payee = Payee(claiming: "Shop", knownAs: "k", iconURL: "https://shop.example/icon", id: "42")
        #expect(payee.iconURL == "https://shop.example/icon" && payee.id == "42")
    }
}
