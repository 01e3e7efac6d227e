import PaykitProvider
import PaymentCore
import PaymentTesting
import SandboxSupport
import TestSupport
import Testing

@testable import PaykitSandbox

/// The pages of the sandbox's apps with private links.
@Suite("The Pubky sandbox's pages of private links") struct LinkConsoleTests {
    private let world = PubkyWorld()
    private let root = "/sandbox/paykit/links"

    /// A user of another program.
    private func wallet(
        _ seed: UInt64 = 1, _ random: any RandomSource = SeededRandomSource(seed: 2)
    ) throws -> SandboxLinks {
        try SandboxLinks(
            PrivateSettings(seed: seed), at: HTTPURL(world.origin), over: SandboxTransport(world.sandbox),
            clock: world.clock, random: random)
    }

    /// Draws one number again and again: all its requests have one id.
    private struct Stuck: RandomSource {
        func next() -> UInt64 { 7 }
    }

    /// Begins a link, and polls it.
    private func link(_ wallet: SandboxLinks, _ key: String) async throws -> PrivateLinkEntry {
        // A token is taken once.
        world.clock.advance(by: .seconds(1))
        _ = try await wallet.add(key)
        for _ in 0..<5 { _ = try await poll(wallet, key) }
        return try await poll(wallet, key)
    }

    private func poll(_ wallet: SandboxLinks, _ key: String) async throws -> PrivateLinkEntry {
        world.clock.advance(by: .seconds(1))
        return try #require(try await wallet.poll(key).first)
    }

    /// Creates an app on the page.
    ///
    /// - Returns: the path of its page, and its key.
    private func create(_ scenario: PubkySandbox.LinkScenario) async throws -> (path: String, key: String) {
        let created = try await world.post(root, ["scenario": scenario.rawValue])
        #expect(created.status == 303)
        let path = try #require(created.headers["Location"])
        return (path, try #require(path.split(separator: "/").last.map(String.init)))
    }

    @Test("An id that two users have chosen names no request: none is accepted or paid by it")
    func doubled() async throws {
        let (asking, asked) = (try [1, 3].map { try wallet($0, Stuck()) }, try wallet(4))
        for one in asking + [asked] { _ = try await one.poll(nil) }
        var ids: Set<String> = []
        for one in asking {
            world.clock.advance(by: .seconds(1))
            _ = try await one.add(asked.user)
            _ = try await asked.add(one.user)
            for side in [one, asked, one, asked] {
                world.clock.advance(by: .seconds(1))
                _ = try await side.poll(nil)
            }
            let amount = try Money(minorUnits: 2100, currency: .satoshi)
            ids.insert(try await one.ask(asked.user, for: amount, reference: "tea", every: nil))
        }
        world.clock.advance(by: .seconds(1))
        let requests = try await asked.poll(nil).flatMap(\.requests)
        let id = try #require(ids.first)
        #expect(requests.map(\.id) == [id, id])
        await #expect(throws: PaykitNetworkError.self) { try await asked.answer(id, .accept) }
        await #expect(throws: PaykitNetworkError.self) { try await asked.payment(of: id) }
        #expect(try await asked.links().flatMap(\.requests).allSatisfy { $0.phase == "proposed" })
    }

    @Test("An app is created on the page, and shows what it has agreed with whom, its requests and receipts")
    func shown() async throws {
        #expect(try await world.get(root).text.contains("None yet"))
        let (path, key) = try await create(.asks)
        let before = try await world.get(path)
        let listed: any ListedService = world.sandbox
        #expect(await listed.facts(of: key).kind == "app with private links")
        #expect(before.status == 200 && before.text.contains(PageStyle.banner) && !before.text.contains("<script"))
        #expect(before.text.contains("payroute links add \(key)") && before.text.contains("No links yet."))
        let wallet = try wallet()
        let link = try await link(wallet, key)
        #expect(link.status == "linked")
        let request = try #require(link.requests.first)
        let page = try await world.get(path).text
        for text in [wallet.user, "linked", "2,100 sat", "tea", "proposed", request.id] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(try await world.get(root).text.contains("asks for a payment"))
        #expect(await world.sandbox.pages(of: key).map(\.path).contains(path))
    }

    @Test("What the page does not know is refused, with a reason")
    func refused() async throws {
        for (items, type) in [
            (["scenario": "none"], "application/x-www-form-urlencoded"), (["scenario": "asks"], "text/plain"),
        ] {
            let page = try await world.post(root, items, type: type)
            #expect(page.status == 422 && page.text.contains("Choose what the app does"))
        }
        for unknown in ["\(root)/nobody", "\(root)/\(try PubkyWorld.pair(7).publicKey)"] {
            #expect(try await world.get(unknown).status == 404, "\(unknown)")
        }
        let deleted = await world.sandbox.respond(to: HTTPRequest(.delete, try HTTPURL(world.origin + root)))
        #expect(deleted.status == 405)
    }

    @Test("Reading an app's description has it look at links, once at a time, and reading anything else does not")
    func looks() async throws {
        let (_, key) = try await create(.asks)
        let wallet = try wallet()
        world.clock.advance(by: .seconds(1))
        _ = try await wallet.add(key)
        let owner = try PubkyKey(key)
        let before = await world.sandbox.paths(of: owner)
        _ = try await world.send("GET", "/pub/pubky.app/profile.json", of: owner)
        #expect(await world.sandbox.paths(of: owner) == before)
        async let first = world.send("GET", "/pub/paykit/v0/bitkit/wallet/receiver.json", of: owner)
        async let second = world.send("GET", "/pub/paykit/v0/bitkit/wallet/receiver.json", of: owner)
        #expect(try await [first.status, second.status] == [200, 200])
        #expect(await world.sandbox.paths(of: owner) != before)
    }
}
