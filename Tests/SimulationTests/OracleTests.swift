import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import SimulatedShop
import Testing

@testable import PaymentSimulation
@testable import VendorSimulation

/// The oracle's counts and comparisons, checked separately.
@Suite("Oracle")
struct OracleTests {
    private static let payment = PaymentReference(provider: "shop", id: "order0")

    /// A world with a shop, one payment, and an attempt at it.
    private struct Setup {
        let world = SimulatedWorld(seed: 3)
        let markets: Markets
        let witness: Witness
        let oracle: Oracle
        let attempt: PaymentAttempt

        init(device: Int = 0) throws {
            let markets = try Markets([MarketMaker.shop()], in: world)
            self.markets = markets
            witness = Witness(clock: world.clock) { markets.identity(of: $0) }
            oracle = Oracle(
                markets, witness,
                Circumstances(isUpgraded: false, hasWrongClocks: false, hasRefusedCopies: false))
            attempt = PaymentAttempt(
                id: AttemptID(rawValue: "a1"), reference: payment,
                option: PaymentMethodOption(
                    id: "coins", title: "Coins",
                    amount: try Money(minorUnits: 1000, currency: try Currency(unit: "iso4217/EUR"))),
                idempotencyKey: "k1", startedAt: world.clock.now, expiresAt: nil)
        }

        /// The breaches after `events` if `content` was stated to device 0.
        func breaches(
            _ content: Statement.Content, call: Int = 100, _ events: @escaping @Sendable () async -> Void
        ) throws -> [String] {
            try world.run {
                _ = try await markets.makePayments(1, SeededRandomSource(seed: 5))
                await Acting.$doer.withValue(Doer(device: 0, process: 1)) {
                    await Acting.$call.withValue(call) {
                        await Acting.$attempt.withValue(attempt) { await events() }
                    }
                }
                let told = witness.tick()
                await oracle.hear(
                    Statement(
                        call: "pay", subject: .payment(payment), content: content, doer: Doer(device: 0, process: 1),
                        begun: 100, told: told))
                return await oracle.finish().map(\.text)
            }
        }

        let transfer = Chain.Transfer(from: "a", to: "b", chain: "eip155:1", value: 1000, hash: "0x1")
    }

    @Test("A negative status after the wallet has sent coins is found; before, and an unknown one, are not")
    func broadcasts() throws {
        let negative: [Statement.Content] = [
            .outcome(PaymentOutcome(stating: .expired)), .outcome(PaymentOutcome(stating: .cancelled)),
            .outcome(PaymentOutcome(stating: .declined(DeclineReason(.refused, "no")))),
            .failure(PaymentError(.network, "no", phase: .beforeSend)),
            .failure(PaymentError(.network, "no", phase: .answered)),
        ]
        for content in negative {
            let setup = try Setup()
            let found = try setup.breaches(content) {
                setup.witness.sees(setup.attempt)
                setup.witness.broadcast(setup.transfer)
            }
            #expect(found.count == 1 && found[0].contains("but money moved by a1"), "\(found)")
            #expect(try Setup().breaches(content) {}.isEmpty)
        }
        for content in [
            .outcome(.unknown(UnknownOutcome(reference: Self.payment, message: "?"))),
            .outcome(.pending(retryAfter: .seconds(1))),
            .failure(PaymentError(.network, "?", phase: .maybeSent)),
        ] as [Statement.Content] {
            let setup = try Setup()
            #expect(
                try setup.breaches(content) {
                    setup.witness.sees(setup.attempt)
                    setup.witness.broadcast(setup.transfer)
                }.isEmpty)
        }
    }

    @Test("Money that another call has moved is not denied by an error of this one; a final status denies it")
    func otherCalls() throws {
        let setup = try Setup()
        let error = Statement.Content.failure(PaymentError(.journal, "full", phase: .beforeSend))
        #expect(
            try setup.breaches(error, call: 7) {
                setup.witness.sees(setup.attempt)
                setup.witness.broadcast(setup.transfer)
            }.isEmpty)
        let other = try Setup()
        #expect(
            try other.breaches(.outcome(PaymentOutcome(stating: .expired)), call: 7) {
                other.witness.sees(other.attempt)
                other.witness.broadcast(other.transfer)
            }.count == 1)
    }

    @Test("A payment that is called paid must be, and its receipt must be true")
    func receipts() throws {
        let receipt = PaymentReceipt(reference: Self.payment, transactionID: "tx-order0")
        #expect(
            try Setup().breaches(.outcome(PaymentOutcome(stating: .succeeded(receipt)))) {}.contains {
                $0.contains("but it is not paid")
            })
        let market = try #require(try Setup().markets["shop"])
        let untruths = try SimulatedWorld(seed: 1).run {
            let payment = try await market.makePayment(0, SeededRandomSource(seed: 1)).reference
            let receipts = [
                PaymentReceipt(reference: payment, transactionID: "tx-\(payment.id)"),
                PaymentReceipt(reference: payment, amount: try Money(minorUnits: 1000, currency: .eur)),
                PaymentReceipt(reference: payment, transactionID: "tx-other"),
                PaymentReceipt(reference: payment, amount: try Money(minorUnits: 1, currency: .eur)),
                PaymentReceipt(reference: payment, amount: try Money(minorUnits: 1000, currency: .usd)),
            ]
            var untruths: [String?] = []
            for receipt in receipts { untruths.append(await market.untruth(in: receipt, of: payment)) }
            return untruths
        }
        #expect(untruths.map { $0 == nil } == [true, true, false, false, false], "\(untruths)")
    }

    @Test("Coins leave one account for another, and an approval moves nothing")
    func chain() {
        let chain = Chain(random: SeededRandomSource(seed: 1))
        let sent = chain.broadcast(["from": "0xa", "to": "0xb", "value": "0x10"], on: "eip155:1")
        #expect(sent.transfer?.value == 16)
        #expect(chain.broadcast(["from": "0xa", "to": "0xb", "data": "0x095ea7b3"], on: "eip155:1").transfer == nil)
        #expect(chain.balance(of: "0xa", on: "eip155:1") == -16 && chain.balance(of: "0xb", on: "eip155:1") == 16)
        #expect(chain.transfers.count == 1)
    }

    @Test("Watched providers can still do whatever the provider can")
    func refinements() throws {
        let world = SimulatedWorld(seed: 2)
        let markets = try Markets(MarketMaker.all, in: world)
        let witness = Witness(clock: world.clock) { $0 }
        let apps = markets.registry(.renamed, witness)
        for id in markets.ids {
            let base = try #require(markets[id]).provider
            let watched = try #require(apps.provider(id))
            #expect((base is any RedirectCompletingProvider) == (watched is any RedirectCompletingProvider), "\(id)")
            #expect((base is any CancellingService) == (watched is any CancellingService), "\(id)")
            #expect((base is any RefundingService) == (watched is any RefundingService), "\(id)")
            #expect(
                (base is any NotificationReadingService) == (watched is any NotificationReadingService), "\(id)")
        }
        #expect(apps.provider("payrails") is any RedirectCompletingProvider)
        #expect(markets.merchants(.first, witness).service("citcon") is any RefundingService)
        #expect(markets.registry(.first, witness, without: ["shop"]).provider("shop") == nil)
    }
}
