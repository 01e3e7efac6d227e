import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconMerchant
@testable import CitconProvider

/// Several accounts of one vendor in one registry and one journal.
@Suite("Several accounts")
struct SeveralAccountsTests {
    private func provider(_ id: ProviderID, token: String?) throws -> CitconProvider {
        CitconProvider(id: id, configuration: try Shop.configuration(token: token.map { Redacted($0) }))
    }

    private struct Secrets: SecretStore {
        func secret(_ name: String) async throws -> Redacted<String>? { Redacted("token of \(name)") }
    }

    private func router(_ services: [any PaymentService], _ wire: any HTTPTransport, _ journal: InMemoryJournal) throws
        -> PaymentRouter
    {
        PaymentRouter(
            registry: try ProviderRegistry(services, equalClaims: .reportAmbiguous), transport: wire, journal: journal,
            clock: VirtualClock(), random: SeededRandomSource(seed: 1), secrets: Secrets())
    }

    private let payer = Payer(
        browser: { _ in nil }, appLauncher: { _ in nil }, policy: .firstWhateverItCosts)

    @Test("The same reference at two accounts is two payments, each with its own token")
    func apart() async throws {
        let service = ScriptedCitcon(before: ScriptedCitcon.waiting)
        let journal = InMemoryJournal()
        let router = try router(
            [try provider("citcon-eu", token: nil), try provider("citcon-us", token: nil)], service, journal)
        guard case .ambiguous(let routes) = router.route(LinkTests.good) else {
            Issue.record("both accounts take such links")
            return
        }
        #expect(Set(routes.map(\.provider)) == ["citcon-eu", "citcon-us"])
        for id: ProviderID in ["citcon-eu", "citcon-us"] {
            let route = try #require(routes.first { $0.provider == id })
            let receipt = try #require(try await router.pay(route, as: payer).receipt, "\(id) is not paid")
            #expect(receipt.reference == PaymentReference(provider: id, id: "uat/order-1"))
            #expect(service.seen.last?.headers["Authorization"] == "Bearer token of \(id).access-token")
        }
        #expect(service.calls.count { $0.hasPrefix("POST charges") } == 2, "neither is taken for the other's")
    }

    @Test("Errors and references of an account have its own id")
    func ids() async throws {
        let service = ScriptedCitcon { _, _ in .fail(401, "4010", "unauthorized") }
        let router = try router([try provider("citcon-eu", token: "t")], service, InMemoryJournal())
        let error = await failure { _ = try await router.pay(LinkTests.good, as: payer) }
        #expect(error?.provider == "citcon-eu" && error?.code == .unauthorized)
        let merchant = CitconMerchant(
            id: "shop-eu", endpoint: try CitconEndpoint(.UAT), privateKey: CitconSandbox.privateKey)
        let refused = await failure {
            _ = try await merchant.client(over: service, clock: VirtualClock()).appToken()
        }
        #expect(refused?.provider == "shop-eu")
    }

    @Test("A return that two accounts could take is brought to the payments of both")
    func returns() async throws {
        let state = Mutexed("pending")
        let service = ScriptedCitcon(
            gateway: "upop", confirm: .ok(ScriptedCitcon.charge(#"{"tn":"1"}"#)), state: state)
        let journal = InMemoryJournal()
        let router = try router(
            [try provider("citcon-eu", token: "t"), try provider("citcon-us", token: "t")], service, journal)
        guard case .ambiguous(let routes) = router.route(LinkTests.good) else { return }
        let route = try #require(routes.first { $0.provider == "citcon-us" })
        #expect(try await !router.pay(route, as: payer).isFinal)
        state.change { $0 = "succeeded" }
        let outcome = try await router.handle("\(Shop.scheme)://uppayresult?code=success")
        #expect(outcome?.description.hasPrefix("paid") == true)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("A provider and a merchant's service share a registry and a journal; neither acts for the other")
    func provider() async throws {
        let world = CitconWorld()
        let merchant = CitconMerchant(endpoint: try CitconEndpoint(.UAT), privateKey: CitconSandbox.privateKey)
        let router = try world.router(of: try await world.provider(), merchant)
        let charge = await world.sandbox.createCharge(.card)
        let outcome = try await router.pay(charge.link, as: world.payer())
        let receipt = try #require(outcome.receipt)
        let amount = try #require(receipt.amount)
        #expect(receipt.reference.provider == "citcon")
        let asMerchant = PaymentReference(provider: merchant.id, id: charge.reference)
        let refund = RefundRequest(of: asMerchant, amount: amount, id: "credit-1")
        #expect(try await router.refund(refund).description.hasPrefix("refunded"))
        let refused = await failure {
            _ = try await router.refund(RefundRequest(of: receipt.reference, amount: amount, id: "credit-2"))
        }
        #expect(refused?.code == .unsupported, "the payer's provider gives nothing back")
        let unpayable = await failure { _ = try await router.cancel(receipt.reference) }
        #expect(unpayable?.code == .unsupported)
        #expect(router.registry.providers.count == 1 && router.registry.services.count == 2)
        #expect(await world.journal.unfinished().isEmpty)
    }
}
