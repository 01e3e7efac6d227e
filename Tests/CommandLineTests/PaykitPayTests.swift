import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentStore
import PaymentTesting
import SandboxHome
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("pay with a settler")
struct PaykitPayTests {
    private let site = PubkySandbox()

    @Test(
        "People, invoices and bare texts are paid at the sandbox, and it is said that no real funds move",
        arguments: ["ready", "chain-only", "invoice", "bare-invoice", "bare-address"])
    func pays(scenario: String) async throws {
        let server = try LoopbackServer(SharedAddress(site.routes()))
        defer { server.stop() }
        let payment = try #require(await site.make(scenario, amount: nil, at: server.baseURL))
        let amount = payment.satoshi.map { ["--amount", String($0)] } ?? []
        let result = await payroute(["pay", payment.link, "--sandbox", server.baseURL.text] + amount, input: [])
        #expect(result.code == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("simulated, no real funds move"))
        #expect(await site.ledger.captures(of: payment.id) == 1)
    }

    @Test("A bare key is shown as a payee, and paid like one")
    func bareKey() async throws {
        let server = try LoopbackServer(SharedAddress(site.routes()))
        defer { server.stop() }
        let payment = try #require(await site.make("ready", amount: nil, at: server.baseURL))
        let inspected = await payroute("inspect", "--json", payment.id)
        for part in [#""provider":"paykit""#, #""standard":"pubky""#, #""role":"payment""#, #""trust":"verified""#] {
            #expect(inspected.output.contains(part), "\(inspected.output)")
        }
        let result = await payroute("pay", payment.id, "--sandbox", server.baseURL.text)
        #expect(result.code == 0, "\(result.output)\(result.errors)")
        #expect(await site.ledger.captures(of: payment.id) == 1)
    }

    @Test("Where the amount is open, nothing is paid until it is said")
    func amount() async throws {
        let server = try LoopbackServer(SharedAddress(site.routes()))
        defer { server.stop() }
        let payment = try #require(await site.make("chain-only", amount: nil, at: server.baseURL))
        let result = await payroute("pay", payment.link, "--sandbox", server.baseURL.text)
        #expect(result.code == 1 && result.output.contains("--amount"))
        for command in ["pay", "quote"] {
            let usage = await payroute(command, payment.link, "--sandbox", server.baseURL.text, "--amount", "0")
            #expect(usage.code == 64)
        }
        let quoted = await payroute(
            ["quote", "--json", payment.link, "--sandbox", server.baseURL.text, "--amount", "700"], input: [])
        #expect(quoted.code == 0 && quoted.output.contains("0.000007"), "\(quoted)")
        #expect(await site.ledger.captures(of: payment.id) == 0)
    }

    @Test(
        "With --private people are paid by a separate invoice, or not at all, with the reason",
        arguments: [
            ("private-ready", 0, "the payee has confirmed the payment"),
            ("private-unconfirming", 0, "has not confirmed it yet"),
            ("private-refuses", 1, "the payee refuses (DECLINED)"),
            ("private-another-amount", 1, "confirms another amount"),
            ("private-nobody-listens", 1, "Connection refused"),
            ("ready", 1, "cannot be paid privately: they publish no address for private channels"),
            ("invoice", 1, "--private asks a person for an invoice, and this link names none"),
        ])
    func privately(scenario: String, code: Int32, words: String) async throws {
        let server = try LoopbackServer(SharedAddress(site.routes()))
        defer { server.stop() }
        let payment = try #require(await site.make(scenario, amount: nil, at: server.baseURL))
        let result = await payroute("pay", payment.link, "--sandbox", server.baseURL.text, "--private")
        #expect(result.code == code && result.output.contains(words), "\(result.output)\(result.errors)")
        #expect(await site.ledger.captures(of: payment.id) == (code == 0 ? 1 : 0))
        // Without it, published endpoints are paid if there is no agreement; but no payee that misstates the agreement.
        let other = await payroute("pay", payment.link, "--sandbox", server.baseURL.text)
        #expect(other.code == (scenario == "private-another-amount" ? 1 : 0), "\(other.output)")
    }

    @Test("With a journal, what was agreed on is kept beside it")
    func receipts() async throws {
        let server = try LoopbackServer(SharedAddress(site.routes()))
        defer { server.stop() }
        let payment = try #require(await site.make("private-ready", amount: nil, at: server.baseURL))
        let folder = ScratchFolder()
        let journal = folder.file("journal")
        let result = await payroute(
            "pay", payment.link, "--sandbox", server.baseURL.text, "--private", "--journal", journal)
        #expect(result.code == 0, "\(result.output)")
        let kept = try await Receipts(SQLiteRecords(path: journal + ".private", creating: false)).receipts(
            before: nil, limit: 10)
        #expect(kept.map(\.stage) == [.paid] && kept.first?.id.payee == payment.id)
    }

    @Test("Outside of a sandbox bare texts are recognised and no provider pays them")
    func recognized() async throws {
        let user = await site.createUser(.ready)
        let invoice = await site.createInvoice(2100, for: user.key)
        let result = await payroute("route", "lightning:\(invoice)", "--json")
        #expect(result.output.contains(#""decision":"recognized""#))
        let link = await payroute("route", user.link, "--json")
        #expect(link.output.contains(#""provider":"paykit""#) && link.output.contains(#""trust":"verified""#))
    }
}
