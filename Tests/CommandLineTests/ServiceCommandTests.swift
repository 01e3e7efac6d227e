import ChildProcesses
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting
import SandboxHome
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

/// The commands for an existing payment: `quote`, `status`, `refund`, `cancel`.
@Suite("quote, status, refund and cancel")
struct ServiceCommandTests {
    private let folder = ScratchFolder()
    private let sites = SandboxServices(.all, pace: 10)

    /// A payment at a served sandbox.
    private func payment(_ provider: ProviderID, _ scenario: String, _ server: LoopbackServer) async throws
        -> SandboxPayment
    {
        let site = try #require(sites[provider])
        return try #require(await site.make(scenario, amount: nil, at: server.baseURL))
    }

    @Test("serve pays at every sandbox for a program in Python", .enabled(if: Python.isThere), arguments: 0..<4)
    func served(index: Int) async throws {
        let (server, site) = (try LoopbackServer(sites.service), sites.all[index])
        let payment = try #require(await site.make(site.scenarios[0].name, amount: nil, at: server.baseURL))
        let paid = try await ServedClient.pay(payment.link, at: server.baseURL)
        #expect(paid.code == 0, "\(payment.scenario): \(paid)")
    }

    // MARK: quote

    @Test("quote lists the options with amounts as people write them, and pays nothing", arguments: [false, true])
    func quote(isJSON: Bool) async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let payment = try await payment("walletconnect-pay", "paid-at-once", server)
        let words = ["quote", payment.link, "--sandbox", server.baseURL.text] + (isJSON ? ["--json"] : [])
        let result = await payroute(words, input: Array("1\n".utf8))
        #expect(result.code == 0 && result.errors == "", "\(result)")
        if isJSON {
            let object = try JSONValue(parsing: Array(result.output.utf8))
            #expect(object["amount"] == "12.50" && object["unit"] == "iso4217/USD")
            #expect(object["options"]?.array?.count == 4 && object["reference"]?.string == payment.id)
            #expect(object["options"]?.array?.first?["amount"] == "12.500000")
            #expect(object["options"]?.array?.first?["unit"]?.string?.hasPrefix("caip19/eip155:8453/erc20:") == true)
        } else {
            #expect(result.output.contains("asks for 12.50 USD"))
            #expect(result.output.contains("12.50 USDC on Base"))
            #expect(!result.output.contains("Pay with which"), "nobody is there to be asked")
        }
        #expect(await sites["walletconnect-pay"]?.ledger.confirmRequests(of: payment.id) == 0)
    }

    @Test(
        "On a terminal quote asks, and pays with what was chosen, or nothing",
        arguments: [("1\n", true), ("9\nx\n2\n", true), ("\n", false), ("0\n9\n-1\n", false), ("\u{4}", false)])
    func choosing(typed: String, isPaid: Bool) async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let payment = try await payment("walletconnect-pay", "paid-at-once", server)
        let (code, shown) = try await payrouteOnTerminal(
            ["quote", payment.link, "--sandbox", server.baseURL.text], typed: typed)
        #expect(code == .done, "\(shown)")
        #expect(shown.contains("Pay with which one (1-4, or Enter for none)?"))
        #expect(shown.contains("Nothing was paid.") == !isPaid)
        #expect(await sites["walletconnect-pay"]?.ledger.captures(of: payment.id) == (isPaid ? 1 : 0))
    }

    @Test(
        "A signal is noticed while the option chosen on a terminal is paid, as it was while the quote was requested",
        .timeLimit(.minutes(2)), arguments: [SIGINT, SIGTERM])
    func interruptedAfterChoosing(signal: Int32) async throws {
        let sandbox = WalletConnectPaySandbox()
        let gate = GatedService(sandbox, holding: "/confirm")
        let server = try LoopbackServer(gate)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let terminal = try PseudoTerminal()
        terminal.type("1\n")
        let child = try ChildProcess(
            try #require(Program.url("payroute")).path, ["quote", payment.link, "--sandbox", server.baseURL.text],
            input: terminal.terminal, output: terminal.terminal, errors: terminal.terminal)
        for await _ in gate.arrivals { break }
        child.signal(signal)
        #expect(await child.end() == 128 + signal)
        let shown = terminal.close()
        #expect(shown.contains("outcome      unknown"), "\(shown)")
        #expect(shown.contains("stopped while the payment was in progress"))
    }

    @Test("quote says of a payment that is over that nothing is left to pay, and of no payment why")
    func quoteOver() async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let over = try await payment("walletconnect-pay", "already-paid", server)
        let result = await payroute("quote", over.link, "--sandbox", server.baseURL.text)
        #expect(result.code == 0 && result.output.contains("Nothing is left to pay: paid"), "\(result)")
        let none = await payroute("quote", "https://example.com/", "--sandbox", server.baseURL.text)
        #expect(none.code == 1 && none.output.contains("no registered provider claims links to example.com"))
    }

    // MARK: status

    @Test(
        "status reports every vendor's payment, by link and by name, and ends with 0 only when it is paid",
        arguments: [
            ("walletconnect-pay", "paid-at-once", 1250), ("citcon", "wechatpay", 1250), ("payrails", "paid", 9900),
        ])
    func status(provider: String, scenario: String, cents: UInt128) async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let name = try #require(sites[ProviderID(rawValue: provider)]?.scenarios.first { $0.name == scenario }?.name)
        let payment = try await payment(ProviderID(rawValue: provider), name, server)
        let place = ["--sandbox", server.baseURL.text]
        let before = await payroute(["status", payment.link] + place, input: [])
        #expect(before.code == 1, "\(before)")
        #expect(await payroute(["pay", payment.link, "--trust-host"] + place, input: []).code == 0)
        let after = await payroute(["status", payment.link, "--json"] + place, input: [])
        #expect(after.code == 0 && after.errors == "", "\(after)")
        let object = try JSONValue(parsing: Array(after.output.utf8))
        #expect(object["outcome"] == "succeeded")
        let id = try #require(object["reference"]?.string), asked = try #require(object["provider"]?.string)
        #expect(await payroute(["status", "\(asked)/\(id)"] + place, input: []).code == 0)
        #expect(!after.output.contains("token"))
    }

    // MARK: refund

    @Test(
        "refund refunds once, however often the same command is typed",
        arguments: [("walletconnect-pay", "paid-at-once"), ("citcon", "wechatpay")])
    func refund(provider: String, scenario: String) async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let payment = try await payment(ProviderID(rawValue: provider), scenario, server)
        let place = ["--sandbox", server.baseURL.text]
        let paid = await payroute(["pay", payment.link, "--trust-host", "--json"] + place, input: [])
        let price = try #require(try paid.ending["amount"]?.string)
        let unit = try #require(try paid.ending["unit"]?.string)
        // In the merchant's currency, not in the wallet's.
        let amount = provider == "walletconnect-pay" ? "12.50 USD" : "\(price) \(unit.dropFirst("iso4217/".count))"
        let words = ["refund", payment.link, "--amount", amount, "--json"] + place
        for _ in 0..<2 {
            let result = await payroute(words, input: [])
            #expect(result.code == 0, "\(result)")
            #expect(try JSONValue(parsing: Array(result.output.utf8))["outcome"] == "succeeded")
        }
        let told = await payroute(["refund", payment.link, "--amount", amount] + place, input: [])
        #expect(told.output.contains("reason       refunded") && !told.output.contains("paid"), "\(told.output)")
        let events = await sites[ProviderID(rawValue: provider)]?.ledger.events(of: payment.id) ?? []
        #expect(events.count { if case .refunded = $0 { true } else { false } } == 1)
    }

    @Test("Reserved money is not refunded: a capture comes first, and the message says so")
    func refundAuthorised() async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let payment = try await payment("payrails", "paid", server)
        let place = ["--sandbox", server.baseURL.text]
        #expect(await payroute(["pay", payment.link, "--trust-host"] + place, input: []).code == 0)
        let result = await payroute(["refund", payment.link, "--amount", "99.00 EUR"] + place, input: [])
        #expect(result.code == 1 && result.output.contains("no money went back"), "\(result)")
    }

    @Test("A payment of the world of tests, which a merchant made, is found there")
    func testWorld() async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let place = ["--sandbox", server.baseURL.text]
        let made = await payroute(["sandbox", "new", "--json"] + place, input: [])
        let link = try #require(JSONValue(parsing: Array(made.output.utf8))["link"]?.string)
        #expect(await payroute(["cancel", link] + place, input: []).code == 0)
        #expect(await payroute(["pay", link] + place, input: []).code == 1)
    }

    @Test("A refund is in the journal, under its own id")
    func refundJournal() async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let payment = try await payment("citcon", "wechatpay", server)
        let place = ["--sandbox", server.baseURL.text, "--journal", folder.file("journal")]
        #expect(await payroute(["pay", payment.link] + place, input: []).code == 0)
        let done = await payroute(
            ["refund", payment.link, "--amount", "1.00 USD", "--id", "credit-7"] + place, input: [])
        #expect(done.code == 0, "\(done)")
        let list = await payroute("journal", "list", "--journal", folder.file("journal"), "--json")
        #expect(list.output.contains(#""reference":"credit-7""#) && list.output.contains(#""subject":"refund""#))
        let refund = try #require(
            try list.objects.first { $0["reference"] == "credit-7" && $0["subject"] == "refund" }?["attempt"]?.string)
        let shown = await payroute("journal", "show", refund, "--journal", folder.file("journal"))
        #expect(shown.output.contains("refunded") && !shown.output.contains("paid"), "\(shown.output)")
    }

    @Test("An unpaid payment is not refunded")
    func refundUnpaid() async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let payment = try await payment("walletconnect-pay", "paid-at-once", server)
        let result = await payroute(
            "refund", payment.link, "--amount", "12.50 USD", "--sandbox", server.baseURL.text)
        #expect(result.code == 1 && result.output.contains("outcome      declined"), "\(result)")
    }

    // MARK: cancel

    @Test(
        "cancel cancels an unpaid payment, twice like once, and says of a paid payment that it is paid",
        arguments: [("walletconnect-pay", "paid-at-once"), ("citcon", "wechatpay"), ("payrails", "paid")])
    func cancel(provider: String, scenario: String) async throws {
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let place = ["--sandbox", server.baseURL.text]
        let open = try await payment(ProviderID(rawValue: provider), scenario, server)
        let paid = try await payment(ProviderID(rawValue: provider), scenario, server)
        #expect(await payroute(["pay", paid.link, "--trust-host"] + place, input: []).code == 0)
        let late = await payroute(["cancel", paid.link, "--json"] + place, input: [])
        #expect(late.code == 1, "\(late)")
        #expect(try late.ending["outcome"] == "succeeded", "\(late)")
        // A session at Payrails has nothing to cancel before its payer does something.
        guard provider != "payrails" else { return }
        for _ in 0..<2 {
            let result = await payroute(["cancel", open.link] + place, input: [])
            #expect(result.code == 0 && result.output.contains("outcome      cancelled"), "\(result)")
        }
        #expect(await payroute(["pay", open.link] + place, input: []).code == 1)
    }

    // MARK: Usage

    @Test(
        "What names no payment, or no amount, is refused with 64 and says what to give",
        arguments: [
            (["status", "https://example.com/"], "names no payment"), (["status", "nobody/pay_1"], "names no payment"),
            (["status", "citcon/"], "names no payment"), (["refund", "citcon/x"], "Missing '--amount <amount>'"),
            (["refund", "citcon/x", "--amount", "12.50"], "write '12.50 USD'"),
            (["refund", "citcon/x", "--amount", "12.505 USD"], "write '12.50 USD'"),
            (["refund", "citcon/x", "--amount", "+1 USD"], "write '12.50 USD'"),
            (["cancel"], "Missing expected argument '<payment>'"), (["quote"], "Missing expected argument '<uri>'"),
        ])
    func usage(words: [String], message: String) async {
        let result = await payroute(words + ["--sandbox", "http://127.0.0.1:1"], input: [])
        #expect(result.code == 64 && result.output == "", "\(result)")
        #expect(result.errors.contains(message), "\(result.errors)")
        let elsewhere = await payroute(words + ["--sandbox", "https://api.pay.walletconnect.com"], input: [])
        #expect(elsewhere.code == 64)
    }

    @Test("Without a server at the address the error says so, with exit code 1", arguments: ["status", "cancel"])
    func nobody(command: String) async throws {
        let server = try LoopbackServer(sites.service)
        let url = server.baseURL.text
        server.stop()
        let result = await payroute(command, "citcon-merchant/order-7", "--sandbox", url)
        #expect(result.code == 1 && result.output.contains("reason"), "\(result)")
    }
}
