import Foundation
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting
import PaymentTransport
import SandboxHome
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("The start of a sandbox") struct SandboxStartTests {
    private let folder = ScratchFolder()

    @Test("On a terminal the address is shown as a QR code, too")
    func terminal() throws {
        let terminal = try PseudoTerminal()
        let console = Console(vendors: .all, output: terminal.terminal, environment: { _ in nil })
        SandboxCommand.welcome(try HTTPURL("http://127.0.0.1:8080"), console)
        console.output.flush()
        let shown = terminal.close()
        let code = try #require(QRCode("http://127.0.0.1:8080"))
        for line in code.lines(console.style) { #expect(shown.contains(line)) }
        #expect(shown.contains("http://127.0.0.1:8080/playground"))
    }

    /// Replaces the program that opens browsers by a script.
    private func browser(_ script: String) throws -> [String: String] {
        for name in ["open", "xdg-open"] {
            let file = folder.file(name)
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        }
        return ["PATH": folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")]
    }

    @Test("--open opens the home page in the browser, once it can be called")
    func opened() async throws {
        let told = folder.file("told")
        let environment = try browser("echo \"$1\" >'\(told).new' && mv '\(told).new' '\(told)'")
        let program = try Program(["sandbox", "--open"], environment: environment)
        while !FileManager.default.fileExists(atPath: told) { await Task.yield() }
        let url = try String(contentsOfFile: told, encoding: .utf8).split(separator: "\n").first.map(String.init)
        let home = try await StandardTransport().send(HTTPRequest(.get, try HTTPURL(try #require(url))))
        #expect(home.status == 200 && String(decoding: home.body, as: UTF8.self).contains("Payment sandbox"))
        program.signal(SIGTERM)
        let end = await program.end()
        #expect(end.code == 0 && end.errors == "")
    }

    @Test("Each part of a testnet answers at its own port as it does at the sandbox")
    func testnet() async throws {
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 1))
        let declared = try #require(sandbox.testnet)
        #expect(declared.port == 6286 && declared.parts.map(\.port) == [15_411, 15_412])
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let free = ListedTestnet(port: 0, parts: declared.parts.map { (0, $0.path) })
        let ports = try TestnetPorts(free, of: sandbox, at: server.baseURL)
        defer { ports.stop() }
        func body(_ url: String, posting message: String? = nil) async throws -> [UInt8] {
            let response = try await StandardTransport().send(
                HTTPRequest(message == nil ? .get : .post, try HTTPURL(url), body: Array((message ?? "").utf8)))
            #expect(response.status == 200)
            return response.body
        }
        // The homeserver's packet names the port of the homeserver, wherever the relay is asked.
        let key = "\(sandbox.homeserver)"
        let packet = try await body("\(ports.parts[0].address.text)/\(key)?policy=NetworkOnly")
        #expect(try await body("\(server.baseURL.text)/pkarr/\(key)") == packet)
        _ = try await body(ports.parts[1].address.text + "/inbox/a", posting: "sealed")
        #expect(try await body(server.baseURL.text + "/inbox/a") == Array("sealed".utf8))
        #expect(throws: SandboxError.self) {
            try TestnetPorts(
                ListedTestnet(port: 0, parts: [(ports.parts[0].address.port, "")]), of: sandbox, at: server.baseURL)
        }
    }

    @Test("A testnet's port is not chosen")
    func testnetPort() async throws {
        let end = await (try Program(["sandbox", "--pubky-testnet", "--port", "1"])).end()
        #expect(end.code == 64 && end.errors.contains("6286"))
    }

    @Test("Paykit's payments have pages, are found by their invoices, and send no notifications")
    func paykit() async throws {
        let sites = SandboxServices(.all)
        let home = SandboxHome(
            sites.all, actions: try HomeActions(.all),
            clock: SandboxClock())
        let base = try HTTPURL("http://127.0.0.1:8080")
        func send(
            _ method: HTTPRequest.Method, _ path: String, _ type: String = "application/x-www-form-urlencoded",
            body: String = ""
        ) async throws -> HTTPResponse {
            await home.respond(
                to: HTTPRequest(
                    method, try HTTPURL(base.origin + path), headers: ["Content-Type": type], body: Array(body.utf8)))
        }
        let payment = try #require(await home.make("ready", of: "paykit", at: base))
        let page = String(decoding: try await send(.get, "/ledger/\(payment.id)").body, as: UTF8.self)
        #expect(page.contains("/sandbox/paykit/payer/\(payment.id)") && !page.contains("Notify again"))
        let root = String(decoding: try await send(.get, "/").body, as: UTF8.self)
        #expect(root.contains("href=\"/sandbox/paykit/payees\""))
        // A request that names only the invoice's hash concerns this payment: its fault applies.
        let wallet = String(
            decoding: try await send(.get, "/sandbox/paykit/payer/\(payment.id)").body, as: UTF8.self)
        let invoice = String(try #require(wallet.firstMatch(of: /value="(lnbcrt[0-9a-z]+)"/)).output.1)
        let hash = try #require(
            Inspection(Installation.route(invoice, try SandboxVendors.all.registry()), of: .all)
                .fields["paymentHash"]?.string)
        let fault = #"{"kind":"status-500","payment":"\#(payment.id)"}"#
        #expect(try await send(.post, "/_sandbox/faults", "application/json", body: fault).status == 201)
        let asked = #"{"endpoint":"\#(invoice)"}"#
        let path = "/sandbox/paykit/settlements/\(hash)"
        #expect(try await send(.post, path, "application/json", body: asked).status == 500)
        #expect(try await send(.post, path, "application/json", body: asked).status == 200)
        #expect(await home.closing().first?.words.last == .settled)
    }

    @Test("A picture of a code is read as 'inspect --image' reads it, and its problems are said to people")
    func picture() throws {
        let actions = try HomeActions(.all)
        let code = try #require(QRCode("pay_1"))
        if SystemLibraries.all.first(where: { $0.name == "libzbar" })?.isThere == true {
            #expect(try actions.texts(in: QRImage.png.bytes(of: code)) == ["pay_1"])
        }
        for bytes in [[], Array("pay_1".utf8), Array(QRImage.png.bytes(of: code).prefix(40))] as [[UInt8]] {
            do throws(PictureError) {
                _ = try actions.texts(in: bytes)
                Issue.record("\(bytes) was read")
            } catch {
                #expect(error.words.hasPrefix("The picture ") && error.words.hasSuffix("."), "\(error.words)")
            }
        }
    }

    @Test(
        "Each service takes the amounts that its page asks for", arguments: ["walletconnect-pay", "citcon", "payrails"])
    func amounts(_ service: String) async throws {
        let site = try #require(SandboxServices(.all)[ProviderID(stringLiteral: service)])
        let base = try HTTPURL("http://127.0.0.1:8080")
        #expect(site.currency != nil)
        let (scenario, currency) =
            ["citcon": ("wechatpay", "USD"), "payrails": ("paid", "EUR")][service]
            ?? ("paid-at-once", "USD")
        let amount = try Money(decimal: "10000000000.00", currency: .fiat(FiatCurrency(currency)))
        let payment = try #require(await site.make(scenario, amount: amount, at: base))
        #expect(await site.ledger.events(of: payment.id) == [.created])
        let other = try Money(decimal: "5", currency: .fiat(FiatCurrency("CHF")))
        #expect((await site.make(scenario, amount: other, at: base) != nil) == (service == "payrails"))
    }
}
