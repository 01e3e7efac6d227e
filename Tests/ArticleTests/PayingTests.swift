import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Testing
import WalletConnectPaySandbox

/// The code of RouteALink.md, Paying.md and LinkTrust.md.
@Suite("Article: routing and paying")
struct PayingTests {
    /// The texts that the application shows, in place of a screen.
    private final class Screen: Sendable {
        func choose(among options: [PaymentMethodOption], for amount: Money?) async -> PaymentMethodOption.ID? {
            options.first?.id
        }
        func show(_ text: String) {}
    }

    @Test("A text is routed, and what cannot be paid says why")
    func route() async throws {
        let world = await ArticleWorld()
        let (router, text, payer) = (try world.router, world.link, world.wallet.payer())
        var outcome: PaymentOutcome?
        switch router.route(text) {
        case .matched(let route):
            // route.provider, route.match.reference, route.match.trust
            outcome = try await router.pay(route, as: payer)
        case let other:
            print(other.explanation)
        }
        #expect(outcome?.isFinal == true)
    }

    @Test("A quote is shown, an option chosen, and what came of it told")
    func pay() async throws {
        let world = await ArticleWorld()
        let screen = Screen()
        let (router, text) = (try world.router, world.link)
        var payer = world.wallet.payer()
        payer.policy = nil
        payer.chooser = { quote in await screen.choose(among: quote.options, for: quote.amount) }
        switch try await router.pay(text, as: payer) {
        case .succeeded(let receipt): screen.show("Paid: \(receipt.reference.id)")
        case .declined(let reason): screen.show(reason.message)
        case .cancelled, .expired: screen.show("Nothing was paid.")
        case .pending, .unknown: screen.show("Not known yet. Please do not pay again.")
        @unknown default: screen.show("Not known yet. Please do not pay again.")
        }
        #expect(await world.sandbox.ledger.entries.isEmpty == false)
    }

    @Test("Without anybody to ask, a limit decides")
    func policy() async throws {
        let world = await ArticleWorld()
        let (router, text, wallet) = (try world.router, world.link, world.wallet)
        let usdc = try Currency(unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
        var payer = wallet.payer()
        payer.policy = .first(upTo: [try Money(decimal: "25", currency: usdc, exponent: 6)])
        let outcome = try await router.pay(text, as: payer)
        guard case .succeeded = outcome else { Issue.record("\(outcome)"); return }
    }

    @Test("Errors say whether money can have moved")
    func errors() async throws {
        let world = await ArticleWorld()
        let screen = Screen()
        let (router, text, payer) = (try world.router, "https://shop.example/7", world.wallet.payer())
        do {
            _ = try await router.pay(text, as: payer)
            Issue.record("nobody claims the link")
        } catch {
            switch error.phase {
            case .beforeSend, .answered: screen.show("Nothing was paid: \(error.message)")
            case .maybeSent: screen.show("Not known yet: \(error.message)")
            }
            #expect(error.phase == .beforeSend)
        }
    }

    @Test("A link that does not prove where it leads is paid only by who says so")
    func trust() async throws {
        let world = await ArticleWorld()
        let (router, payer) = (try world.router, world.wallet.payer())
        let text = String(try #require(world.link.split(separator: "=").last))
        await #expect(throws: PaymentError.self) { try await router.pay(text, as: payer) }
        let outcome = try await router.pay(text, as: payer, acceptingUnverified: true)
        #expect(outcome.isFinal)
    }
}
