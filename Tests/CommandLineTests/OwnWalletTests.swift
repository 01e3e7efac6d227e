import BitcoinSandbox
import ChildProcesses
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("the user's own wallet")
struct OwnWalletTests {
    private static let kinds: [(SimulatedNode.Face, String)] = [
        (.lnbits, "lnbits"), (.lnd, "lnd+http"), (.coreLightning, "cln+http"), (.phoenixd, "phoenixd"),
    ]

    /// A node on this machine, and the words of a line that pays from it.
    private struct Place {
        let node: SimulatedNode
        let server: LoopbackServer
        let words: [String]
        private let folder = ScratchFolder()

        init(
            _ face: SimulatedNode.Face, _ scheme: String, key: String = SimulatedNode.key, isOnMainnet: Bool = false
        ) throws {
            node = SimulatedNode(face, isOnMainnet: isOnMainnet)
            server = try LoopbackServer(node)
            let file = folder.file("key")
            try Data((key + "\n").utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            words =
                [
                    "--wallet", "\(scheme)://127.0.0.1:\(server.baseURL.port)", "--wallet-key-file", file,
                    "--wallet-network", isOnMainnet ? "mainnet" : "regtest",
                    "--journal", folder.file("journal"),
                ]
        }

        var journal: [String] { ["--journal", folder.file("journal")] }
    }

    @Test("A text with a part that could change the payment is paid with the named consent only")
    func unclear() async throws {
        let place = try Place(.lnd, "lnd+http")
        defer { place.server.stop() }
        let text = "bitcoin:?lightning=\(try place.node.invoice(21_000).text)&currency=USD"
        for consent in [[], ["--trust-host"], ["--auto-within", "100000 sat/day"]] {
            let refused = await payroute(["pay", text] + consent + place.words, input: [])
            #expect(refused.code == 1, "\(refused.output)")
            let said = refused.output + refused.errors
            #expect(said.contains("'currency' is not known") && said.contains("--accept-unclear"), "\(said)")
        }
        #expect(place.node.attemptCount == 0)
        let paid = await payroute(["pay", text, "--accept-unclear", "--json"] + place.words, input: [])
        #expect(try paid.ending["outcome"] == "succeeded", "\(paid.output) \(paid.errors)")
        #expect(place.node.attemptCount == 1)
    }

    @Test("An invoice is paid once by each kind of wallet, and its key is printed nowhere", arguments: kinds)
    func pays(face: SimulatedNode.Face, scheme: String) async throws {
        let place = try Place(face, scheme)
        defer { place.server.stop() }
        let invoice = try place.node.invoice(21_000)
        for _ in 0..<2 {
            let result = await payroute(["pay", invoice.text, "--json"] + place.words, input: [])
            #expect(try result.ending["outcome"] == "succeeded", "\(result.output) \(result.errors)")
            #expect(result.code == 0)
            #expect(!(result.output + result.errors).contains(SimulatedNode.key))
        }
        #expect(place.node.attemptCount == 1)
        let status = await payroute(["status", "bitcoin/\(invoice.hash)"] + place.words, input: [])
        #expect(status.code == 0, "\(status.output) \(status.errors)")
    }

    @Test("What the wallet refuses is not called paid, and what is in flight stays unknown until it says")
    func others() async throws {
        let place = try Place(.lnbits, "lnbits")
        defer { place.server.stop() }
        let balance = place.node.balance
        place.node.balance = 0
        let refused = await payroute(["pay", try place.node.invoice(21_000).text, "--json"] + place.words, input: [])
        #expect(try ["failed", "declined"].contains(refused.ending["outcome"]?.string), "\(refused.output)")
        #expect(refused.code == 1)
        place.node.balance = balance
        // LNbits may correct what it calls failed.
        place.node.scenario = .refuses
        let failed = await payroute(["pay", try place.node.invoice(21_000).text, "--json"] + place.words, input: [])
        #expect(try failed.ending["outcome"] == "unknown", "\(failed.output)")
        place.node.scenario = .staysInFlight
        let open = await payroute(["pay", try place.node.invoice(21_000).text, "--json"] + place.words, input: [])
        #expect(try open.ending["outcome"] == "unknown", "\(open.output)")
        #expect(open.code == 1)
    }

    @Test("A person ends what the wallet never does: in the journal and at the wallet")
    func ends() async throws {
        let place = try Place(.lnbits, "lnbits")
        defer { place.server.stop() }
        let invoice = try place.node.invoice(21_000).text
        let (pay, list) = (["pay", invoice, "--json"] + place.words, ["journal", "list", "--open"] + place.journal)
        place.node.scenario = .refuses
        #expect(try await payroute(pay, input: []).ending["outcome"] == "unknown")
        place.node.scenario = .pays
        #expect(try await payroute(pay, input: []).ending["outcome"] == "unknown")
        let open = try #require(await payroute(list, input: []).lines.last?.prefix { $0 != " " })
        func words(_ attempt: String) -> [String] {
            [
                "journal", "end", attempt, "--by", "Mina", "--evidence", "the node's record", "--as", "not-paid",
                "--json",
            ]
                + place.words
        }
        let ended = await payroute(words(String(open)), input: [])
        #expect(try ended.code == 0 && ended.ending["outcome"] == "declined", "\(ended)")
        #expect(await payroute(list, input: []).lines.count == 1)
        // It is requested anew, in another attempt. LNbits tries no invoice a second time.
        #expect(try await payroute(pay, input: []).ending["outcome"] == "unknown")
        let anew = try #require(await payroute(list, input: []).lines.last?.prefix { $0 != " " })
        #expect(anew.hasPrefix("att_") && anew != open)
        #expect(await payroute(words(String(anew)), input: []).code == 0)
        // What the wallet says is in flight is not ended as unpaid, whatever a person has seen.
        place.node.scenario = .inFlight(for: 1000, arrives: true)
        let slow = try place.node.invoice(21_000).text
        #expect(try await payroute(["pay", slow, "--json"] + place.words, input: []).ending["outcome"] == "unknown")
        let moving = try #require(await payroute(list, input: []).lines.last?.prefix { $0 != " " })
        let refused = await payroute(words(String(moving)), input: [])
        #expect(refused.code == 1 && (refused.output + refused.errors).contains("resume the attempt"), "\(refused)")
    }

    @Test("Limits hold for it as for any payer")
    func limits() async throws {
        let place = try Place(.phoenixd, "phoenixd")
        defer { place.server.stop() }
        let words = place.words + ["--auto-within", "50 sat/day", "--json"]
        let first = await payroute(["pay", try place.node.invoice(21_000).text] + words, input: [])
        #expect(try first.ending["outcome"] == "succeeded", "\(first.output) \(first.errors)")
        let second = await payroute(["pay", try place.node.invoice(21_000).text] + words, input: [])
        #expect(try second.ending["outcome"] != "succeeded")
        #expect(place.node.attemptCount == 1)
    }

    @Test(
        "Real money is paid only after yes at a terminal, where payee, amount and fees are shown",
        .timeLimit(.minutes(2)),
        arguments: [("yes\n", true), ("YES\n", true), ("y\n", false), ("no\n", false), ("\n", false), ("\u{4}", false)])
    func asks(typed: String, isPaid: Bool) async throws {
        let place = try Place(.lnbits, "lnbits", isOnMainnet: true)
        defer { place.server.stop() }
        let (code, text) = try await payrouteOnTerminal(
            ["pay", try place.node.invoice(2_100_000).text] + place.words, typed: typed)
        let shown = text.replacing("\r\n", with: " ").split(separator: " ").joined(separator: " ")
        #expect(code == (isPaid ? .done : .failed), "\(shown)")
        #expect(shown.contains("Pay 2100 sat to "), "\(shown)")
        #expect(shown.contains("from LNbits at \(place.server.baseURL.origin) and at most 31 sat of fees?"), "\(shown)")
        #expect(shown.contains("Nothing was paid.") == !isPaid)
        #expect(place.node.attemptCount == (isPaid ? 1 : 0))
    }

    @Test("Without a terminal real money needs --yes or limits, and is asked for nothing before")
    func consent() async throws {
        let place = try Place(.lnbits, "lnbits", isOnMainnet: true)
        defer { place.server.stop() }
        let invoice = try place.node.invoice(21_000).text
        for words in [[], ["--json"]] {
            let refused = await payroute(["pay", invoice] + place.words + words, input: [])
            #expect(refused.code == 64 && refused.errors.contains("add '--yes'"), "\(refused)")
        }
        // On a terminal as well: a program reads the objects.
        #expect(try await payrouteOnTerminal(["pay", invoice, "--json"] + place.words, typed: "yes\n").code == .usage)
        let declined = await payroute(
            ["pay", invoice, "--json", "--auto-within", "20 sat/day"] + place.words, input: [])
        #expect(try declined.ending["outcome"] != "succeeded" && place.node.attemptCount == 0)
        let paid = await payroute(["pay", invoice, "--json", "--yes"] + place.words, input: [])
        #expect(try paid.ending["outcome"] == "succeeded", "\(paid)")
        #expect(place.node.attemptCount == 1)
    }

    @Test("A payment that is made already is stated without a question", .timeLimit(.minutes(2)))
    func asksOnce() async throws {
        let place = try Place(.lnbits, "lnbits", isOnMainnet: true)
        defer { place.server.stop() }
        let invoice = try place.node.invoice(21_000).text
        _ = await payroute(["pay", invoice, "--yes"] + place.words, input: [])
        let (code, shown) = try await payrouteOnTerminal(["pay", invoice] + place.words)
        #expect(code == .done)
        #expect(!shown.contains("Type yes") && shown.contains("succeeded"), "\(shown)")
        #expect(place.node.attemptCount == 1)
    }

    @Test("A signal ends the question, and nothing is paid", .timeLimit(.minutes(2)), arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        let place = try Place(.lnbits, "lnbits", isOnMainnet: true)
        defer { place.server.stop() }
        let terminal = try PseudoTerminal()
        let child = try ChildProcess(
            try #require(Program.url("payroute")).path, ["pay", try place.node.invoice(21_000).text] + place.words,
            input: terminal.terminal, output: terminal.terminal, errors: terminal.terminal)
        var shown = ""
        while !shown.contains("Type yes to pay: ") { shown += try terminal.read() }
        child.signal(signal)
        #expect(await child.end() == 128 + signal)
        shown += terminal.close()
        #expect(shown.contains("outcome      cancelled"), "\(shown)")
        #expect(place.node.attemptCount == 0)
    }

    @Test("doctor asks the wallet", arguments: kinds)
    func doctor(face: SimulatedNode.Face, scheme: String) async throws {
        let place = try Place(face, scheme)
        defer { place.server.stop() }
        let words = place.words.dropLast(2) + ["--json"]
        let good = await payroute(["doctor"] + words, input: [])
        let finding = try good.objects.first { $0["what"] == "wallet" }
        #expect(finding?["state"] == "ok", "\(good.output)")
        let wrong = try Place(face, scheme, key: "00ff00ff")
        defer { wrong.server.stop() }
        let bad = await payroute(["doctor"] + wrong.words.dropLast(2) + ["--json"], input: [])
        #expect(try bad.objects.first { $0["what"] == "wallet" }?["state"] == "bad", "\(bad.output)")
        #expect(!bad.output.contains("00ff00ff") && bad.code == 1)
    }

    /// A wallet whose payees' services are simulated.
    private struct AddressVendor: SandboxVendor {
        let base = BitcoinVendor()
        let service: any SandboxService
        var id: ProviderID { base.id }
        var paysStandards: Bool { base.paysStandards }

        func providers(_ settings: VendorSettings) throws -> [any PaymentService] { try base.providers(settings) }

        func wallet(_ settings: WalletSettings) async throws -> OpenedWallet? {
            var settings = settings
            settings.services = SandboxTransport(service)
            return try await base.wallet(settings)
        }
    }

    /// The service behind `ann@pay.example`, which answers with the payer's comment.
    private struct AddressService: SandboxService {
        let node: SimulatedNode

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            guard request.url.path == "/invoice", let query = request.url.query else {
                return answer([
                    "tag": "payRequest", "callback": "https://pay.example/invoice", "minSendable": 1000,
                    "maxSendable": 100_000, "metadata": #"[["text/plain","coffee"]]"#, "commentAllowed": 20,
                ])
            }
            let invoice = try? node.invoice(21_000)
            return answer([
                "pr": .string(invoice?.text ?? ""),
                "successAction": ["tag": "message", "message": .string("\u{1B}[2J\(query)")],
            ])
        }

        private func answer(_ body: JSONValue) -> HTTPResponse { HTTPResponse(status: 200, body: body.serialized()) }
    }

    @Test("A Lightning address is paid with a comment, and what its service says is shown, once")
    func address() async throws {
        let place = try Place(.lnbits, "lnbits")
        defer { place.server.stop() }
        let output = ScratchFile()
        defer { close(output.descriptor) }
        let console = Console(
            vendors: SandboxVendors([AddressVendor(service: AddressService(node: place.node))]),
            output: output.descriptor, environment: { _ in nil })
        let words = ["pay", "ann@pay.example", "--amount", "21", "--comment", "hi"] + place.words
        #expect(await CommandLineTool.run(words, console) == .done)
        let shown = String(decoding: output.content, as: UTF8.self)
        #expect(shown.components(separatedBy: "amount=21000&comment=hi").count == 2, "\(shown)")
        #expect(!shown.contains("\u{1B}") && place.node.attemptCount == 1)
        let sandbox = await payroute(
            "pay", "ann@pay.example", "--comment", "hi", "--sandbox", "http://127.0.0.1:1")
        #expect(sandbox.code == 64 && sandbox.errors.contains("your own wallet"))
    }

    #if os(Linux)
        @Test(
            "The certificate of a node is trusted where its file is named, and no other one",
            .enabled(if: TLSServer.isAvailable, "needs the openssl command"))
        func certificates() async throws {
            func answer(_ body: String) -> String {
                "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n\(body)"
            }
            let pages = [
                "v1/getinfo": answer(
                    #"{"identity_pubkey":"02ab","version":"0.19","chains":[{"chain":"bitcoin","network":"regtest"}]}"#),
                "v1/balance/channels": answer(#"{"local_balance":{"sat":"5","msat":"5000"}}"#),
            ]
            let (node, other) = (try TLSServer(pages: pages), try TLSServer())
            let place = try Place(.lnd, "lnd")
            defer {
                for server in [node, other] { server.stop() }
                place.server.stop()
            }
            func state(_ words: String...) async throws -> JSONValue? {
                let own = place.words.dropLast(2) + ["--wallet", "lnd://\(try node.url().authority)", "--json"] + words
                return try await payroute(["doctor"] + own, input: []).objects.first { $0["what"] == "wallet" }
            }
            let good = try await state("--wallet-certificate", node.certificateFile)
            #expect(good?["state"] == "ok", "\(String(describing: good))")
            #expect(try await state()?["state"] == "bad")
            let wrong = try await state("--wallet-certificate", other.certificateFile)
            #expect(wrong?["state"] == "bad" && wrong?["detail"]?.string?.contains("given certificates") == true)
            let noFile = await payroute(
                ["doctor"] + place.words + ["--wallet-certificate", place.words[3]], input: [])
            #expect(noFile.code == 1 && noFile.errors.contains("no certificate in it"), "\(noFile)")
        }
    #endif

    @Test("A line that could pay twice, or show the key, is refused before anything is sent")
    func refusals() async throws {
        let place = try Place(.lnbits, "lnbits")
        defer { place.server.stop() }
        let invoice = try place.node.invoice(21_000).text
        let withoutJournal = await payroute(["pay", invoice] + place.words.dropLast(2), input: [])
        #expect(withoutJournal.code == 64 && withoutJournal.errors.contains("from being made twice"))
        let sandbox = await payroute(["pay", invoice, "--sandbox", "http://127.0.0.1:1"] + place.words, input: [])
        #expect(sandbox.code == 64 && sandbox.errors.contains("exclude each other"))
        for address in ["lnbits+http://node.example", "ftp://node.example", "lnbits://", "lnbits://a/?k=v"] {
            let result = await payroute(["pay", invoice] + place.words + ["--wallet", address], input: [])
            #expect(result.code == 64, "\(address): \(result.output) \(result.errors)")
        }
        let file = place.words[3]
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let readable = await payroute(["pay", invoice] + place.words, input: [])
        #expect(readable.code != 0 && readable.errors.contains("chmod 600"))
        #expect(place.node.attemptCount == 0)
    }
}
