import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

@Suite("pay")
struct PayTests {
    typealias Scenario = WalletConnectPaySandbox.Scenario

    /// A sandbox that answers fast.
    private static func sandbox() -> WalletConnectPaySandbox {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        return WalletConnectPaySandbox(configuration)
    }

    /// The command's status for each outcome of a scenario. A refused request leaves the payment open: `failed`.
    private static func word(_ outcome: Scenario.Outcome) -> String {
        switch outcome {
        case .paid: "succeeded"
        case .error: "failed"
        default: outcome.rawValue
        }
    }

    @Test(
        "Every scenario ends as it should, and only a payment that was made ends with 0", arguments: Scenario.allCases)
    func scenarios(scenario: Scenario) async throws {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        configuration.retryAfter = 0
        let sandbox = WalletConnectPaySandbox(configuration)
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        // The timeout is a minute, too long for the test.
        if scenario == .slowSettlement { return }
        let payment = await sandbox.createPayment(scenario)
        let result = await payroute("pay", payment.link, "--sandbox", server.baseURL.text, "--json")
        let object = try result.ending
        #expect(
            object.object?.keys.sorted()
                == [
                    "amount", "askAgain", "event", "input", "outcome", "provider", "reason", "reference", "transaction",
                    "unit",
                ])
        #expect(object["event"] == "outcome")
        #expect(object["askAgain"] == .bool(["unknown", "pending"].contains(object["outcome"]?.string ?? "")))
        #expect(object["outcome"]?.string == Self.word(scenario.statedOutcome), "\(object.text)")
        #expect(object["reference"]?.string == payment.id)
        #expect(object["provider"] == "walletconnect-pay")
        #expect((object["transaction"]?.string != nil) == (scenario.statedOutcome == .paid))
        #expect(object["reason"]?.string?.isEmpty == false)
        for event in try result.objects.dropLast() {
            let keys = Set(event.object?.keys ?? [:].keys)
            #expect(keys.isSuperset(of: ["event", "message"]))
            switch event["event"] {
            case "route": #expect(keys.isSuperset(of: ["provider", "reference", "trust"]))
            case "quote": #expect(keys.isSuperset(of: ["payee", "amount", "unit", "expires"]))
            case "option": #expect(keys.isSuperset(of: ["id", "title", "amount", "unit", "estimate", "unmet"]))
            case "choice": #expect(event["option"]?.string != nil)
            case "step", "done":
                #expect(event["step"]?.string != nil)
                let isSignature = event["kind"] == "signature"
                #expect(isSignature || event["kind"]?.string.flatMap { StepKind(rawValue: $0) } != nil)
                #expect((event["until"]?.string?.hasSuffix("Z") == true) == isSignature)
            case "does":
                #expect(keys == ["event", "message", "effects", "warnings", "digest"])
                let effects = try #require(event["effects"]?.array)
                #expect(!effects.isEmpty && effects.allSatisfy { $0["kind"]?.string != nil && $0["asset"] != nil })
                #expect(event["message"]?.string?.contains("The asset is ") == true)
            case "sign": #expect(keys.isSuperset(of: ["number", "of", "method"]))
            default: break
            }
            #expect(event["event"] != "outcome")
        }
        #expect(result.code == (scenario.statedOutcome == .paid ? 0 : 1))
    }

    @Test("A request that is sent again names its host, its reason and its pause, however long")
    func retry() {
        func event(_ pause: Duration) -> [String: JSONValue] {
            SessionEvent(RequestRetry(origin: "https://a.example", reason: "status 503", pause: pause), "asks again")
                .json
        }
        #expect(
            event(.milliseconds(2500)) == [
                "event": "retry", "message": "asks again", "origin": "https://a.example", "pauseInMs": 2500,
                "reason": "status 503",
            ])
        #expect(event(.seconds(Int64.max))["pauseInMs"] == 1_000_000_000_000_000)
    }

    @Test("A token in no table is paid only where it is allowed by name, and then shown by its units")
    func unlistedToken() async throws {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        configuration.offersUnlistedTokenOnly = true
        let sandbox = WalletConnectPaySandbox(configuration)
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let token = "eip155:8453/erc20:0x5a0b00000000000000000000000000000000D011"
        let payment = await sandbox.createPayment()
        func pay(_ options: String...) async -> Captured {
            await payroute(["pay", payment.link, "--sandbox", server.baseURL.text] + options, input: [])
        }
        let refused = await pay()
        #expect(refused.code == 1)
        #expect((refused.output + refused.errors).contains("does not allow it by name"), "\(refused)")
        // The name of another token helps nothing, nor does the same one on another chain.
        for other in [
            "eip155:8453/erc20:0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D", token.replacing("8453", with: "1"),
        ] {
            #expect(await pay("--allow-token", other).code == 1)
        }
        let paid = await pay("--allow-token", token)
        #expect(paid.code == 0, "\(paid)")
        #expect(paid.output.contains("(12500000 units)"), "\(paid.output)")
    }

    @Test("The steps are shown as they happen, and the ending with payee, amount and transaction")
    func steps() async throws {
        let sandbox = Self.sandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let long = String(repeating: "x", count: 5_000)
        let payment = await sandbox.createPayment(merchant: "Café \u{1B}[31mÖ\u{2028}\u{202E}" + long)
        let result = try await Program.run("pay", payment.link, "--sandbox=\(server.baseURL.text)")
        let labels = result.lines.prefix { !$0.isEmpty }.map { $0.split(separator: " ")[0] }
        #expect(
            labels == [
                "route", "quote", "option", "option", "option", "option", "choice", "step", "done", "step", "done",
                "step", "sign",
                "does", "does", "done", "step", "done", "outcome", "reason", "payee", "amount", "payment",
                "transaction",
            ])
        #expect(result.output.contains(#"Café \u{1B}[31mÖ\u{2028}\u{202E}xxx"#))
        #expect(result.output.contains("x… asks for 12.50 USD"))
        #expect(!result.output.contains(String(repeating: "x", count: 200)))
        // The effects are printed before they happen, in terms that the payer can check.
        #expect(result.output.contains("sign    1 of 1: eth_signTypedData_v4\n"))
        #expect(
            result.output.contains(
                "does    Pays 12.5 USDC on Base (eip155:8453) to 0x35e6Cb35647076539F8c4d14F51e03841bCd1f0e"))
        #expect(result.output.contains("\noutcome      succeeded\n"))
        #expect(result.output.contains("is the first of 4 options that can be paid; --option names another"))
        #expect(!result.output.contains("\u{1B}"))
        #expect(result.code == 0)
    }

    @Test("The chosen option is paid with; one that does not exist, or that the wallet cannot pay, is refused")
    func options() async throws {
        let sandbox = Self.sandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let wrong = await payroute("pay", payment.link, "--sandbox", server.baseURL.text, "--option", "nothing")
        #expect(wrong.code == 1)
        #expect(wrong.output.contains("no option 'nothing'"))
        let ids = wrong.lines.filter { $0.hasPrefix("  option") }.map { $0.dropFirst(10).prefix { $0 != ":" } }
        #expect(ids.count == 4)
        #expect(await sandbox.ledger.confirmRequests(of: payment.id) == 0)
    }

    @Test("A link that does not prove where it leads is refused before anything is sent, unless trusted")
    func unverified() async throws {
        let sandbox = Self.sandbox()
        let faults = FaultInjector(sandbox)
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let refused = await payroute("pay", payment.id, "--sandbox", server.baseURL.text, "--json")
        let object = try refused.ending
        #expect(object["outcome"] == "failed")
        #expect(
            object["reason"]
                == "the link is not trusted: a bare id does not say which service it belongs to; pass --trust-host if you know where it comes from"
        )
        #expect(refused.code == 1)
        #expect(faults.requests.isEmpty)
        #expect(await payroute("pay", payment.id, "--sandbox", server.baseURL.text, "--trust-host").code == 0)
    }

    @Test("Where no sandbox answers, the reason says how to start one", arguments: ["pay", "quote"])
    func noSandbox(command: String) async throws {
        let result = await payroute(command, "https://pay.walletconnect.com/pay_1", "--sandbox", "http://127.0.0.1:1")
        #expect(result.code == 1)
        #expect((result.output + result.errors).contains("Start one with 'payroute sandbox'"), "\(result)")
    }

    @Test("Paying twice takes the money once")
    func twice() async throws {
        let sandbox = Self.sandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        #expect(await payroute("pay", payment.link, "--sandbox", server.baseURL.text).code == 0)
        let again = await payroute("pay", payment.link, "--sandbox", server.baseURL.text, "--json")
        #expect(again.code == 0)
        #expect(again.output.contains(#""reason":"already over: paid (transaction 0x"#))
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
    }

    @Test(
        "What makes no sense or is not allowed is refused with 64",
        arguments: [
            (["pay"], "Missing expected argument '<uri>'"),
            (["pay", "pay_1"], "never for real money"),
            (["pay", "pay_1", "--sandbox", "https://api.pay.walletconnect.com"], "must be on this machine"),
            (["pay", "pay_1", "--sandbox", "http://127.0.0.1.evil.example"], "must be on this machine"),
            (["pay", "pay_1", "--sandbox", "nonsense"], "The value 'nonsense' is invalid for '--sandbox <url>'"),
            (["journal", "list"], "Missing '--journal <file>'"),
            (["journal", "show", "--journal", "x"], "Missing expected argument '<attempt>'"),
            (["journal", "resume", "--journal", "x"], "never for real money"),
            (["journal", "lost"], "Unknown subcommand 'lost'. Did you mean 'list'?"),
            (["pay", "pay_1", "--sandbox", "http://127.0.0.1:1", "--wallet", "-"], "The value '-' is invalid"),
            (
                ["sandbox", "--port", "65536"],
                "The value '65536' is invalid for '--port <number>': give a number from 0 to 65535"
            ),
        ])
    func refusals(words: [String], message: String) async {
        let result = await payroute(words, input: [])
        #expect(result.code == 64)
        #expect(result.errors.contains(message))
        #expect(result.output == "")
    }

    @Test("No sandbox at the address: nothing was sent, exit 1")
    func nobodyThere() async throws {
        let server = try LoopbackServer(Self.sandbox())
        let url = server.baseURL.text
        server.stop()
        for words in [
            ["pay", "https://pay.walletconnect.com/pay_1"], ["status", "citcon/order-7"], ["cancel", "citcon/order-7"],
            ["refund", "citcon/order-7", "--amount", "2.40 USD"],
        ] {
            let result = await payroute(words + ["--sandbox", url, "--json"], input: [])
            let object = try result.ending
            #expect(object["outcome"] == "failed")
            let reason = object["reason"]?.string ?? "none"
            #expect(reason.contains("nothing was sent. Is a sandbox running there? "), "\(words[0]): \(reason)")
            #expect(result.code == 1)
        }
    }

    @Test(
        "A signal while the quote is asked for: nothing was sent",
        arguments: [SIGINT, SIGTERM])
    func interruptedEarly(signal: Int32) async throws {
        let sandbox = Self.sandbox()
        let gate = GatedService(sandbox, holding: "/options")
        let server = try LoopbackServer(gate)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let program = try Program(["pay", payment.link, "--sandbox", server.baseURL.text, "--json"])
        for await _ in gate.arrivals { break }
        program.signal(signal)
        let result = await program.captured()
        #expect(try result.ending["outcome"] == "cancelled")
        #expect(result.errors == "")
        #expect(result.code == 128 + signal)
    }

    @Test("A signal while the confirmation is in progress: the outcome is unknown, and the output says how to resume")
    func interruptedLate() async throws {
        let sandbox = Self.sandbox()
        let gate = GatedService(sandbox, holding: "/confirm")
        let server = try LoopbackServer(gate)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let program = try Program(["pay", payment.link, "--sandbox", server.baseURL.text])
        for await _ in gate.arrivals { break }
        program.signal(SIGINT)
        let result = await program.captured()
        #expect(result.output.contains("\n  step    confirm …\n"))
        #expect(result.output.contains("\noutcome      unknown\n"))
        #expect(result.output.contains("\npayment      \(payment.id)\n"))
        #expect(result.errors == "Ask again before paying in any other way: run the same command again.\n")
        #expect(result.code == 130)
    }

    @Test("Two signals at once are one: the state is still printed", arguments: [SIGINT, SIGTERM])
    func doubledSignal(second: Int32) async throws {
        let sandbox = Self.sandbox()
        let gate = GatedService(sandbox, holding: "/confirm")
        let server = try LoopbackServer(gate)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let program = try Program(["pay", payment.link, "--sandbox", server.baseURL.text])
        for await _ in gate.arrivals { break }
        program.signal(SIGINT)
        program.signal(second)
        let result = await program.captured()
        #expect(result.output.contains("\noutcome      unknown\n"))
        #expect(result.errors == "Ask again before paying in any other way: run the same command again.\n")
        #expect(result.code == 128 + SIGINT || result.code == 128 + second)
    }
}
