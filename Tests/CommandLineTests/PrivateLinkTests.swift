import Foundation
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

/// Two wallets of the command line that ask each other for payments.
@Suite("links: requests between two wallets")
struct PrivateLinkTests {
    private let site = PubkySandbox()
    private let server: LoopbackServer
    private let folder = ScratchFolder()

    init() throws { server = try LoopbackServer(SharedAddress(site.routes())) }

    private func run(_ wallet: Int, _ words: [String]) async -> Captured {
        await payroute(
            words + [
                "--sandbox", server.baseURL.text, "--journal", folder.file("\(wallet).db"), "--wallet", "\(wallet)",
            ], input: [])
    }

    private func links(_ wallet: Int, _ words: String...) async -> Captured { await run(wallet, ["links"] + words) }

    /// The links as `--json` shows them.
    private func polled(_ wallet: Int) async throws -> [JSONValue] {
        try await links(wallet, "poll", "--json").objects
    }

    private func user(_ wallet: Int) async throws -> String {
        let first = try #require(await links(wallet, "list").lines.first)
        return try #require(first.split(separator: " ").last.map(String.init))
    }

    /// Links wallet 1 and wallet 2.
    private func link() async throws -> (String, String) {
        let (one, two) = (try await user(1), try await user(2))
        for wallet in 1...2 { _ = await links(wallet, "poll") }
        #expect(await links(1, "add", two).code == 0)
        #expect(await links(2, "add", one).code == 0)
        for wallet in [1, 2, 1] { _ = await links(wallet, "poll") }
        #expect(try await polled(2).first?["status"]?.string == "linked")
        return (one, two)
    }

    private func requests(_ wallet: Int) async throws -> [JSONValue] {
        try await polled(wallet).first?["requests"]?.array ?? []
    }

    @Test("One asks, the other pays once, and the proof and the receipt arrive", .timeLimit(.minutes(3)))
    func paid() async throws {
        defer { server.stop() }
        let (one, two) = try await link()
        let asked = try await links(1, "ask", two, "--amount", "2100", "--for", "two teas", "--json").ending
        let id = try #require(asked["request"]?.string)
        let request = try #require(try await requests(2).first)
        #expect(
            request == [
                "amount": "0.00002100", "for": "two teas", "from": "them", "phase": "proposed", "receipts": 0,
                "request": .string(id),
            ])
        for _ in 0..<2 {
            let result = await links(2, "pay", id)
            #expect(result.code == 0, "\(result.output)\(result.errors)")
        }
        #expect(await site.ledger.captures(of: one) == 1)
        for wallet in [1, 2] {
            let request = try #require(try await requests(wallet).first)
            #expect(request["phase"]?.string == "proven" && request["receipts"]?.int64 == 1, "\(request.text)")
        }
        let table = await links(2, "list").output
        #expect(table.contains("two teas") && table.contains("2100 sat") && table.contains(two))
        #expect(await links(1, "pay", id).errors.contains("No other user has asked"))
    }

    @Test("A request that recurs is paid for its period, once, and the next period gets its own invoice")
    func recurring() async throws {
        defer { server.stop() }
        let (one, two) = try await link()
        #expect(await links(1, "ask", two, "--amount", "2100", "--for", "tea", "--every", "dawn").code == 64)
        let asked = try await links(1, "ask", two, "--amount", "2100", "--for", "tea", "--every", "day", "--json")
            .ending
        let id = try #require(asked["request"]?.string)
        _ = await links(2, "poll")
        for _ in 0..<2 {
            let result = await links(2, "pay", id)
            #expect(result.code == 0, "\(result.output)\(result.errors)")
        }
        #expect(await site.ledger.captures(of: one) == 1)
        for wallet in [1, 2] {
            let request = try #require(try await requests(wallet).first)
            #expect(request["phase"]?.string == "active" && request["receipts"]?.int64 == 1, "\(request.text)")
        }
        // What was sent for the next period is a separate list, which a payment without a request may use.
        let result = await run(2, ["pay", "pubky://\(one)", "--private"])
        #expect(result.code == 0, "\(result.output)\(result.errors)")
        #expect(await site.ledger.captures(of: one) == 2)
    }

    private func phases() async throws -> [String?] {
        _ = await links(2, "poll")
        return [try await requests(1), try await requests(2)].map { $0.first?["phase"]?.string }
    }

    @Test("A request that recurs is accepted and cancelled, and nothing is paid for it any more")
    func answered() async throws {
        defer { server.stop() }
        let (one, two) = try await link()
        let asked = await links(1, "ask", two, "--amount", "2100", "--for", "rent", "--every", "month", "--json")
        let id = try #require(try asked.ending["request"]?.string)
        _ = await links(2, "poll")
        #expect(await links(1, "accept", id).errors.contains("the other side pays"))
        let accepted = await links(2, "accept", id)
        #expect(accepted.code == 0 && accepted.output.contains("active"), "\(accepted.output)\(accepted.errors)")
        #expect(try await phases() == ["active", "active"])
        #expect(await links(1, "cancel", id, "--reason", "sold").code == 0)
        #expect(try await phases() == ["cancelled", "cancelled"])
        #expect(await links(2, "pay", id).code == 1)
        #expect(await site.ledger.captures(of: one) == 0)
        #expect(await links(2, "accept", id, "--reason", "why").code == 64, "an acceptance has no reason")
    }

    @Test("What was cancelled since the payer's last poll is not paid")
    func cancelledMeanwhile() async throws {
        defer { server.stop() }
        let (one, two) = try await link()
        let id = try #require(
            try await links(1, "ask", two, "--amount", "2100", "--for", "tea", "--json").ending["request"]?.string)
        _ = await links(2, "poll")
        #expect(await links(2, "accept", id).code == 0)
        #expect(await links(1, "cancel", id, "--reason", "sold").code == 0)
        let late = await links(2, "pay", id)
        #expect(late.code == 1, "\(late.output)\(late.errors)")
        #expect(await site.ledger.captures(of: one) == 0)
        #expect(try await phases() == ["cancelled", "cancelled"])
    }

    @Test("A request is rejected, with the reason, and not paid")
    func rejected() async throws {
        defer { server.stop() }
        let (one, two) = try await link()
        let id = try #require(
            try await links(1, "ask", two, "--amount", "2100", "--for", "tea", "--json").ending["request"]?.string)
        _ = await links(2, "poll")
        #expect(await links(2, "reject", id, "--reason", "too much").code == 0)
        #expect(try await phases() == ["rejected", "rejected"])
        #expect(await links(2, "pay", id).code == 1)
        #expect(await site.ledger.captures(of: one) == 0)
        #expect(await links(2, "reject", "11111111-1111-4111-8111-000000000002").errors.contains("links list"))
    }

    @Test("With --private a user is paid from what they have sent over a link, and not otherwise")
    func privately() async throws {
        defer { server.stop() }
        let (one, two) = try await link()
        _ = await links(1, "ask", two, "--amount", "2100", "--for", "tea")
        _ = await links(2, "poll")
        let result = await run(2, ["pay", "pubky://\(one)", "--private"])
        #expect(result.code == 0, "\(result.output)\(result.errors)")
        #expect(await site.ledger.captures(of: one) == 1)
        let stranger = await run(3, ["pay", "pubky://\(one)", "--private", "--amount", "2100"])
        #expect(stranger.code == 1 && stranger.output.contains("cannot be paid privately"), "\(stranger.output)")
    }

    @Test("What is missing or wrong is said, with what to do")
    func wrong() async throws {
        defer { server.stop() }
        let usage = await payroute("links", "list", "--sandbox", server.baseURL.text)
        #expect(usage.code == 64 && usage.errors.contains("links are stored beside it"))
        let own = try await user(1)
        for (words, text) in [
            (["add", "nobody"], "'nobody' is no user"), (["add", own], "with oneself is not possible"),
            (["ask", own, "--amount", "1", "--for", "tea"], "add it first"),
            (["pay", "11111111-1111-4111-8111-000000000002"], "'payroute links list' shows them"),
        ] {
            let result = await run(1, ["links"] + words)
            #expect(result.code == 1 && result.errors.contains(text), "\(words) \(result.errors)")
        }
        for words in [["ask", own, "--for", "tea"], ["ask", own, "--amount", "0", "--for", "tea"], ["ask", own]] {
            #expect(await run(1, ["links"] + words).code == 64, "\(words)")
        }
    }
}
