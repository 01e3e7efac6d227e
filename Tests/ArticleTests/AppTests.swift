import PaymentCore
import PaymentRouting
import PaymentTesting
import Testing
import WalletConnectPaySandbox

/// The code of Apps.md.
@Suite("Article: in an app")
struct AppTests {
    /// The texts that the application shows, in place of a screen.
    @MainActor private final class Screen {
        private(set) var lines: [String] = []
        private(set) var mayBeLeft = true

        func show(_ line: String, mayBeLeft: Bool = true) {
            lines.append(line)
            self.mayBeLeft = mayBeLeft
        }
    }

    @Test("A screen follows a payment from its beginning to its outcome")
    @MainActor
    func progress() async throws {
        let world = await ArticleWorld()
        let (router, payer, screen) = (try world.router, world.wallet.payer(), Screen())
        guard case .matched(let route) = router.route(world.link) else { Issue.record("no route"); return }
        let quote = try await router.quote(route, as: payer)
        let id = try #require(quote.options.first?.id)
        let events = router.events(of: quote.reference)
        let paying = Task { try await router.pay(quote, option: id, as: payer) }
        var stage = PaymentStage()
        for await event in events {
            stage.take(event)
            screen.show(stage.description, mayBeLeft: !stage.mayHaveMovedMoney)
        }
        let outcome = try await paying.value
        #expect(outcome.isFinal && screen.lines.last == outcome.description)
        #expect(screen.lines.contains { $0.hasPrefix("Waiting for ") } && !screen.mayBeLeft)
    }

    @Test("A payer who leaves before anything was sent has paid nothing, and the link can be paid again")
    func leaving() async throws {
        let world = await ArticleWorld()
        let (router, link) = (try world.router, world.link)
        let (asked, isAsked) = AsyncStream<Void>.makeStream()
        var undecided = world.wallet.payer()
        undecided.policy = nil
        undecided.chooser = { _ in
            isAsked.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return nil
        }
        let payer = undecided
        let paying = Task { try await router.pay(link, as: payer) }
        for await _ in asked { break }
        paying.cancel()
        switch await paying.result {
        case .success(let outcome): #expect(outcome == .cancelled)
        case .failure(let error): #expect((error as? PaymentError)?.phase == .beforeSend)
        }
        guard case .matched(let route) = router.route(link), let id = route.match.reference else {
            Issue.record("no route")
            return
        }
        #expect(await world.sandbox.ledger.confirmRequests(of: id) == 0)
        guard case .succeeded = try await router.pay(link, as: world.wallet.payer()) else {
            Issue.record("it is not paid")
            return
        }
    }

    @Test("A URL that is no payment's is left to the application")
    @MainActor
    func returns() async throws {
        let world = await ArticleWorld()
        let (router, payer, screen) = (try world.router, world.wallet.payer(), Screen())
        /// Called with every URL by which the application is opened; says whether it was a payment's.
        func open(_ url: String) async throws -> Bool {
            guard let outcome = try await router.handle(url, as: payer) else { return false }
            screen.show(outcome.description)
            return true
        }
        #expect(try await open("https://shop.example/news") == false)
        #expect(screen.lines.isEmpty)
    }
}
