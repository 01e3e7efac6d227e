import Foundation
import PaymentCore
import PaymentRouting
import PaymentStandards
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

    /// A reader that knows one text, with an amount and an end.
    private struct OneText: InstructionReader {
        func read(_ link: PaymentLink) -> InstructionReading {
            guard link.scheme == "tea" else { return .none }
            var instruction = PaymentInstruction(
                standard: "tea", fields: [:], name: .init("a tea order", opensIn: "a teapot"))
            instruction.payee = .init(account: "pot-7", name: "Tea House")
            instruction.amount = (try? Money(decimal: "4.80", currency: .eur)).map { .fixed($0) } ?? .open
            instruction.expiresAt = Date(timeIntervalSince1970: 1_000_000)
            return .instruction(instruction)
        }
    }

    /// The line for people, and the notes beside it.
    private static func reading(of text: String, _ router: PaymentRouter, at now: Date) -> (String, [String])? {
        guard case .recognized(let instruction) = router.route(text) else { return nil }
        let line = instruction.summary(at: now)
        let notes = instruction.warnings(at: now).map(instruction.explanation(of:))
        return (line, notes)
    }

    @Test("The common reading says who gets how much until when, by the clock")
    func reading() throws {
        let router = PaymentRouter(
            registry: try ProviderRegistry([]), transport: ScriptedTransport([]), journal: InMemoryJournal(),
            readers: [OneText()])
        let late = try #require(Self.reading(of: "tea:7", router, at: Date(timeIntervalSince1970: 2_000_000)))
        #expect(late.0 == "Tea order · 4.80 EUR to Tea House (pot-7) · expired 1970-01-12")
        #expect(late.1 == ["the text is not valid any more; ask the payee for a new one"])
        let early = try #require(Self.reading(of: "tea:7", router, at: Date(timeIntervalSince1970: 0)))
        #expect(early.0.hasSuffix("valid until 1970-01-12"))
        #expect(Self.reading(of: "hello", router, at: Date(timeIntervalSince1970: 0)) == nil)
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

    @Test("A quote is shown, an option chosen, and the outcome reported")
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

    @Test("Without a chooser, a limit decides")
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
