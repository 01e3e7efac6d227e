import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

/// A text with a part that is not known and could change the payment takes a person's consent to exactly this text.
@Suite("Texts that are not clear")
struct UnclearTests {
    private static let reason = "'currency' is not known, and could change coin, amount, payee or time"

    private static func world() -> World {
        var world = World()
        world.provider.match = { _ in LinkMatch(.payment("p1"), trust: .unclear(reason: reason)) }
        return world
    }

    private static let chooser: Payer.Chooser = { $0.options.first?.id }

    private static func isUnclear(_ error: any Error) -> Bool {
        (error as? PaymentError)?.code == .unclearText && "\(error)".contains(reason)
    }

    @Test("Nothing is asked before a person consents, and consent to the link's destination is not enough")
    func consent() async throws {
        let world = Self.world()
        let router = try world.router
        let payer = Payer(chooser: Self.chooser)
        for acceptsUnverified in [false, true] {
            await #expect {
                try await router.pay(ScriptedProvider.link, as: payer, acceptingUnverified: acceptsUnverified)
            } throws: { Self.isUnclear($0) }
        }
        let route = try #require(router.route(ScriptedProvider.link).route)
        await #expect { try await router.quote(route, as: payer) } throws: { Self.isUnclear($0) }
        await #expect { try await router.pay(route, as: payer) } throws: { Self.isUnclear($0) }
        #expect(world.provider.calls["quote"] == 0)
        let outcome = try await router.pay(ScriptedProvider.link, as: payer, acceptingUnclear: true)
        #expect(outcome == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
    }

    @Test("A policy never decides on it, with consent neither")
    func policy() async throws {
        let world = Self.world()
        #expect(
            await failure { try await world.router.pay(ScriptedProvider.link, as: .careless, acceptingUnclear: true) }?
                .code == .noChooser)
        #expect(world.provider.calls["pay"] == 0)
    }

    @Test("Limits never decide on it, with consent neither")
    func limits() async throws {
        var world = Self.world()
        world.autoPay = AutoPay(within: [SpendingLimit(.cents(1_000_000), per: .day)], timeZone: .gmt)
        let outcome = try await world.router.pay(ScriptedProvider.link, as: .careless, acceptingUnclear: true)
        let reason = try #require(outcome.declineReason, "\(outcome)")
        #expect(reason.code == .overLimit)
        #expect(world.provider.calls["pay"] == 0)
    }

    @Test("An intent without consent begins nothing; one within limits has none")
    func intents() async throws {
        let world = Self.world()
        let router = try world.router
        let limit = Money.cents(1_000_000)
        let choices: [(PaymentIntent.Choice, Bool)] = [(.asked, false), (.within([limit]), true)]
        for (index, (choice, accepts)) in choices.enumerated() {
            let intent = PaymentIntent(
                of: ScriptedProvider.link, key: "k\(index)", choice: choice, acceptsUnverified: true,
                acceptsUnclear: accepts)
            guard case .notBegun(let reason) = await router.carryOut(intent, as: Payer(chooser: Self.chooser)) else {
                Issue.record("\(choice) began it")
                continue
            }
            #expect(reason.fact.code == .unclearText)
        }
        #expect(world.provider.calls["quote"] == 0)
        let consented = PaymentIntent(of: ScriptedProvider.link, key: "k", acceptsUnclear: true)
        guard case .stated(let outcome) = await router.carryOut(consented, as: Payer(chooser: Self.chooser)) else {
            Issue.record("nothing is stated")
            return
        }
        #expect(outcome == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
    }
}
