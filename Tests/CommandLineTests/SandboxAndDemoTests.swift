import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentSandbox
import PaymentTesting
import PaymentTransport
import SandboxHome
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

@Suite("sandbox and demo")
struct SandboxAndDemoTests {
    @Test(
        "The sandbox prints links that can be paid, ends with 0 at a signal and reports what happened",
        arguments: [SIGINT, SIGTERM])
    func sandbox(signal: Int32) async throws {
        let program = try Program(["sandbox", "--list"])
        var iterator = program.lines.makeAsyncIterator()
        var announced: [String] = []
        while let line = await iterator.next(), line != "Ctrl-C stops it." { announced.append(line) }
        let url = try #require(announced.first?.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") })
        let commands = announced.filter { $0.contains(" pay '") && $0.contains(" --sandbox \(url)") }
        #expect(commands.count == SandboxServices(.all).all.map(\.scenarios.count).reduce(0, +))
        #expect(announced.count > 300, "the list of this version")
        let links = commands.compactMap { $0.split(separator: "'").dropFirst().first.map(String.init) }
        #expect(links.count == commands.count)

        #expect(await payroute("pay", links[0], "--sandbox", String(url)).code == 0)
        program.signal(signal)
        var ending: [String] = []
        while let line = await iterator.next() { ending.append(line) }
        // The payer's requests are reported as they arrive.
        #expect(ending.contains { $0.contains("request       POST /v1/gateway/payment/") && $0.contains("-> 200") })
        #expect(ending.contains { $0.contains("ledger        captured") })
        ending = Array(ending.drop { !$0.hasPrefix("PAYMENT ") })
        #expect(!ending.isEmpty)
        #expect(
            ending.contains { $0.hasSuffix("paid-at-once             created, confirm requested, captured, settled") })
        #expect(ending.contains { $0.hasSuffix("already-paid             created") })
        let (code, errors) = await program.end()
        #expect(code == 0)
        #expect(errors == "")
    }

    @Test("Pubky's users, their relay and the relay of authorisations are behind the sandbox's address")
    func pubky() async throws {
        let sites = SandboxServices(.all)
        let base = try HTTPURL("http://127.0.0.1:6286")
        let site = try #require(sites["paykit"])
        #expect(Set(site.scenarios).count == site.scenarios.count && !site.scenarios.isEmpty)
        let user = try #require(await site.make("ready", amount: nil, at: base))
        #expect(await site.make("no such scenario", amount: nil, at: base) == nil)
        func status(_ method: HTTPRequest.Method, _ words: [String], body: [UInt8] = []) async throws -> Int {
            await sites.service.respond(to: HTTPRequest(method, try base.appending(words), body: body)).status
        }
        #expect(try await status(.get, ["pkarr", user.id]) == 200)
        #expect(try await status(.post, ["inbox", "box"], body: [1, 2, 3]) == 200)
        #expect(try await status(.get, ["inbox", "box"]) == 200)
        #expect(user.link == "pubky://\(user.id)")
    }

    @Test(
        "Started by a test suite it says in a file where it is, in a dozen lines where to look, and answers any language"
    )
    func process() async throws {
        let folder = ScratchFolder()
        let file = folder.path + "/ready.json"
        let program = try Program(["sandbox", "--port", "0", "--ready-file", file])
        var iterator = program.lines.makeAsyncIterator()
        var announced: [String] = []
        while let line = await iterator.next(), line != "Ctrl-C stops it." { announced.append(line) }
        #expect((6...14).contains(announced.count), "\(announced.count) lines")
        let ready = try await Program.ready(in: file)
        let url = try #require(ready["url"]?.string)
        #expect(announced.contains { $0.contains(url + "/playground") })
        func get(_ path: String) async throws -> HTTPResponse {
            try await StandardTransport().send(HTTPRequest(.get, try HTTPURL(url + path)))
        }
        #expect(try await get("/health").status == 200)
        #expect(try await get("/").headers["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(try await get("/checkout").status == 200)
        // Another program creates a payment, as a merchant does; it is not paid.
        let made = await payroute("sandbox", "new", "--sandbox", url, "--json")
        let id = try #require(try JSONValue(parsing: Array(made.output.utf8))["payment"]?.string)
        // Another program that watches sees it once its connection is open; no server gets notifications of it.
        let tail = try Program(["sandbox", "tail", "--sandbox", url, "--kind", "ledger"])
        var told = tail.lines.makeAsyncIterator()
        let shop = Task {
            while !Task.isCancelled { _ = await payroute("sandbox", "new", "--sandbox", url, "--json") }
        }
        #expect(await told.next()?.contains("ledger        created") == true)
        shop.cancel()
        tail.signal(SIGTERM)
        #expect(await tail.end().code == 0)
        let notified = await payroute("sandbox", "notify", id, "--sandbox", url)
        #expect(notified.code == 1 && notified.errors.contains("no receiver for it"))
        // And a payment created through the interface is paid by this program's payer.
        let scenarios = try JSONValue(parsing: try await get("/_sandbox/scenarios").body)["services"]?.array ?? []
        #expect(scenarios.map { $0["service"] } == ["walletconnect-pay", "citcon", "payrails", "paykit"])
        for (service, scenario) in [
            ("walletconnect-pay", "paid-at-once"), ("citcon", "card"), ("payrails", "challenge"),
            ("paykit", "ready"), ("paykit", "open-amount"),
        ] {
            func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
                let request = HTTPRequest(
                    .post, try HTTPURL(url + "/_sandbox/" + path), headers: ["Content-Type": "application/json"],
                    body: body.serialized())
                return try JSONValue(parsing: try await StandardTransport().send(request).body)
            }
            let payment = try await post("payments", ["service": .string(service), "scenario": .string(scenario)])
            let paid = try await post("payments/\(try #require(payment["id"]?.string))/pay", [:])
            #expect(paid["outcome"] == "succeeded", "\(service): \(paid.text)")
            #expect(paid["events"]?.array?.contains("captured") == true)
            #expect(paid["journal"]?.array?.isEmpty == false)
        }
        program.signal(SIGTERM)
        var ending: [String] = []
        while let line = await iterator.next() { ending.append(line) }
        #expect(
            ending.contains { $0.hasPrefix(id) && $0.contains("made by another program") && $0.hasSuffix("created") })
        #expect(await program.end().code == 0)
        #expect(!FileManager.default.fileExists(atPath: file), "nobody calls what has ended")
    }

    @Test("The page reads texts as the command line does, and draws what it may show")
    func actions() throws {
        let actions = try HomeActions(.all)
        let link = actions.read("https://pay.walletconnect.com/?pid=pay_1")
        #expect(link.decision == "matched" && link.provider == "walletconnect-pay" && link.trust == "verified")
        #expect(link.reference == "pay_1" && link.error == nil && !link.hidesSecret)
        let other = actions.read("https://pay.walletconnect.com.evil.example/?pid=pay_1")
        #expect(other.decision == "unroutable" && other.lookAlike?.contains("pay.walletconnect.com") == true)
        let address = actions.read("bitcoin:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx")
        #expect(address.decision == "recognized" && address.warnings.map(\.name).contains("test-network"))
        #expect(address.warnings.allSatisfy { !$0.words.isEmpty })
        let secret = actions.read("payrails:session?version=1&data=e30")
        #expect(secret.hidesSecret && !secret.shown.contains("e30"))
        #expect(!secret.fields.contains { $0.value.contains("e30") })
        for text in ["\u{202E}x", "a\u{0}b", "\u{1B}[2J", String(repeating: "\u{200B}", count: 9000)] {
            let reading = actions.read(text)
            for shown in [reading.shown, reading.reason] + reading.fields.map(\.value) {
                #expect(!shown.unicodeScalars.contains { Printable.isUnsafe($0) })
            }
        }
        #expect(actions.picture(of: "x")?.hasPrefix("<svg ") == true)
        #expect(actions.picture(of: String(repeating: "x", count: 9000)) == nil)
    }

    /// A merchant's server that accepts everything.
    private struct Shop: SandboxService {
        func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 200) }
    }

    @Test("Citcon's notifications reach a server on this machine, and no other")
    func notifications() async throws {
        let shop = FaultInjector(Shop())
        let server = try LoopbackServer(shop)
        defer { server.stop() }
        let site = try #require(SandboxServices(.all)["citcon"] as? CitconSandbox)
        for url in [server.baseURL.origin + "/ipn", "https://shop.example/ipn"] {
            let charge = await site.createCharge(.paidAtConfirm, ipn: url)
            let token = await site.accessToken().reveal()
            let answer = await site.respond(
                to: HTTPRequest(
                    .post, try HTTPURL("https://api.sandbox.citconpay.com/v1/charges/\(charge.token)"),
                    headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                    body: Array("{}".utf8)))
            #expect(answer.status == 200)
            while shop.requests.isEmpty { await Task.yield() }
        }
        #expect(shop.requests.map(\.path) == ["/ipn"])
        #expect(site.hint?.contains(CitconSandbox.privateKey.reveal()) == true)
        let local = LocalTransport(base: SandboxTransport(shop))
        await #expect(throws: TransportError.self) {
            try await local.send(HTTPRequest(.post, try HTTPURL("https://shop.example/ipn")))
        }
        #expect(shop.requests.count == 1)
    }

    @Test("A fresh payment is made at a running sandbox, as a merchant does, and can be paid")
    func newPayment() async throws {
        let sites = SandboxServices(.all)
        let server = try LoopbackServer(sites.service)
        defer { server.stop() }
        let url = server.baseURL.text
        let made = await payroute(
            "sandbox", "new", "--sandbox", url, "--amount", "20", "--currency", "EUR", "--reference", "ORDER-9",
            "--json")
        #expect(made.code == 0 && made.errors == "")
        let object = try JSONValue(parsing: Array(made.output.utf8))
        #expect(
            object.object?.keys.sorted() == [
                "amount", "currency", "expires", "link", "merchant", "mode", "payment", "reference",
            ])
        #expect(object["amount"] == "20.00" && object["currency"] == "EUR" && object["mode"] == "test")
        #expect(object["reference"] == "ORDER-9" && object["merchant"]?.string == WalletConnectPaySandbox.merchantID)
        let link = try #require(object["link"]?.string)
        let paid = await payroute("pay", link, "--sandbox", url)
        #expect(paid.code == 0 && paid.output.contains("20.00 EUR"))
        let id = try #require(object["payment"]?.string)
        let site = try #require(sites["walletconnect-pay"] as? WalletConnectPaySandbox)
        #expect(await site.ledger.captures(of: id) == 1)
        // An order's name is its key: another order of that name is refused.
        let words = ["sandbox", "new", "--sandbox", url, "--currency", "EUR", "--reference", "ORDER-10", "--json"]
        #expect(await payroute(words, input: []).code == 0)
        let other = await payroute(words + ["--amount", "21"], input: [])
        #expect(other.code == 1 && other.errors.contains("idempotency key"))

        let shown = await payroute("sandbox", "new", "--sandbox", url, "--live")
        #expect(shown.code == 0 && shown.lines.first?.hasPrefix("https://pay.walletconnect.com/?pid=pay_") == true)
        #expect(shown.output.contains("12.50 USD") && shown.output.contains("(live)"))
        #expect(shown.output.contains("--sandbox \(url)"))
        #expect(!shown.output.contains("\u{2588}"), "no picture where nobody looks")
    }

    @Test("A payment of any service's scenario is made by name, and its command pays it")
    func newScenario() async throws {
        let home = try SandboxHome(
            SandboxServices(.all).all, showsTampered: false, actions: HomeActions(.all), clock: SandboxClock()
        ) { _ in }
        let server = try LoopbackServer(home)
        defer { server.stop() }
        let url = server.baseURL.text
        for (name, flags) in [("citcon/alipay", []), ("payrails/paid", ["--trust-host"])] {
            let made = await payroute("sandbox", "new", name, "--sandbox", url, "--json")
            #expect(made.code == 0, "\(made)")
            let object = try JSONValue(parsing: Array(made.output.utf8))
            #expect(object["scenario"]?.string == String(name.split(separator: "/")[1]))
            let link = try #require(object["link"]?.string)
            #expect(await payroute(["pay", link, "--sandbox", url] + flags, input: []).code == 0)
            let shown = await payroute("sandbox", "new", name, "--sandbox", url)
            #expect(shown.lines.last?.contains("payroute pay '") == true, "\(shown)")
        }
        for (name, advice) in [
            ("citcon/alipa", "Did you mean 'citcon/alipay'?"), ("tea/x", "no service 'tea'; name one of"),
            ("citcon", "name one of its scenarios as well, as in 'citcon/wechatpay'"),
        ] {
            let refused = await payroute("sandbox", "new", name, "--sandbox", url)
            #expect(refused.code == 1 && refused.errors.contains(advice), "\(refused)")
        }
        #expect(await payroute("sandbox", "new", "citcon/alipay", "--live", "--sandbox", url).code == 64)
    }

    @Test(
        "Payments that cannot be made say why",
        arguments: [
            (["--amount", "0.10"], 1, "refused the request's data"), (["--merchant", "mrch_x"], 1, "this merchant"),
            (["--currency", "CHF"], 1, "refused the request's data"), (["--currency", "??"], 64, "currency"),
            (["--amount", "1.234"], 64, "amount"), (["--amount", "-1"], 64, "amount"),
            (["--reference", "_"], 1, "3 to 35"),
        ] as [([String], Int32, String)])
    func newPaymentRefused(_ words: [String], _ code: Int32, _ why: String) async throws {
        let server = try LoopbackServer(SandboxServices(.all).service)
        defer { server.stop() }
        let result = await payroute(["sandbox", "new", "--sandbox", server.baseURL.text] + words, input: [])
        #expect(result.code == code && result.output == "")
        #expect(result.errors.contains(why), "\(result.errors)")
    }

    @Test("On a terminal, a fresh payment is shown as a QR code, too")
    func newPaymentOnTerminal() async throws {
        let server = try LoopbackServer(SandboxServices(.all).service)
        defer { server.stop() }
        let (ending, shown) = try await payrouteOnTerminal(["sandbox", "new", "--sandbox", server.baseURL.text])
        #expect(ending == .done)
        let link = try #require(shown.firstMatch(of: /https:\/\/pay\.walletconnect\.com\/\?pid=pay_[A-Za-z0-9]+/))
            .output
        let code = try #require(QRCode(String(link)))
        for line in code.lines(Style(isColored: true)) { #expect(shown.contains(line)) }
    }

    @Test("Only a sandbox on this machine is asked for payments")
    func newPaymentElsewhere() async {
        #expect(await payroute("sandbox", "new").code == 64)
        #expect(await payroute("sandbox", "new", "--sandbox", "https://api.pay.walletconnect.com").code == 64)
        #expect(await payroute("sandbox", "old").code == 64)
    }

    @Test("WalletConnect Pay's webhooks reach a server on this machine, and refunds find their own service")
    func webhooks() async throws {
        let shop = FaultInjector(Shop())
        let inbox = try LoopbackServer(shop)
        defer { inbox.stop() }
        let sites = SandboxServices(.all, webhooks: try inbox.baseURL.appending(["hooks"]))
        let site = try #require(sites["walletconnect-pay"] as? WalletConnectPaySandbox)
        _ = await site.make("already-paid", amount: nil, at: inbox.baseURL)
        await site.finishDeliveries()
        #expect(shop.requests.map(\.path) == ["/hooks"])
        #expect(shop.requests[0].headerNames.contains("svix-signature"))
        #expect(site.hint?.contains(WalletConnectPaySandbox.testKey.reveal()) == true)
        // Two services have a call of this name: the credentials distinguish them.
        func refund(_ headers: HTTPHeaders) async throws -> JSONValue {
            var headers = headers
            headers["Content-Type"] = "application/json"
            return try JSONValue(
                parsing: await sites.service.respond(
                    to: HTTPRequest(
                        .post, try HTTPURL("https://sandbox.example/v1/refunds"), headers: headers,
                        body: Array(#"{"paymentId":"pay_1"}"#.utf8))
                ).body)
        }
        let ours = try await refund([
            "Api-Key": WalletConnectPaySandbox.liveKey.reveal(), "Merchant-Id": WalletConnectPaySandbox.merchantID,
        ])
        #expect(ours["code"] == "not_found")
        let theirs = try await refund(["Authorization": "Bearer x"])
        #expect(theirs["data"]?["code"] != nil)
    }

    @Test("A port in use is named, with exit code 1")
    func portInUse() async throws {
        let server = try LoopbackServer(WalletConnectPaySandbox())
        defer { server.stop() }
        let port = server.baseURL.port
        let result = await payroute("sandbox", "--port", "\(port)")
        #expect(result.errors.hasPrefix("Error: Port \(port) is in use"))
        #expect(result.code == 1)
    }

    @Test("A seed makes the same numbers, and another one others")
    func seeds() {
        func numbers(_ seed: UInt64) -> [UInt64] {
            let random = SeededRandomSource(seed: seed)
            return (0..<3).map { _ in random.next() }
        }
        // The published first outputs of SplitMix64 for the seed 1234567.
        #expect(
            numbers(1_234_567) == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
        #expect(numbers(1) != numbers(2))
    }

    @Test(
        "The demonstration agrees with the sandbox's ledger: a line a scenario, or every step",
        arguments: [false, true])
    func demo(isVerbose: Bool) async throws {
        let result = try await isVerbose ? Program.run("demo", "--verbose") : Program.run("demo")
        #expect(result.code == 0)
        #expect(result.errors == "")
        for item in MixedBag.samples(of: .all) { #expect(result.output.contains(" \(item.title) ")) }
        let table = result.lines.drop { !$0.hasPrefix("SERVICE ") }
        #expect(table.count == SandboxVendors.all.list.flatMap(\.demo).count + 1)
        #expect(table.dropFirst().allSatisfy { $0.hasSuffix(" yes") })
        #expect(
            result.output.contains("\n  step    ") == isVerbose && result.output.contains("\n  sign    ") == isVerbose)
        #expect(isVerbose || result.lines.drop { !$0.hasPrefix("2. ") }.allSatisfy { $0.count <= 80 })
        #expect(
            Set(SandboxVendors.all.list.flatMap(\.demo).map(\.ending)).isSuperset(of: [
                .succeeded, .declined, .expired, .cancelled,
            ]))
        #expect(
            Set(SandboxVendors.all.list.filter { !$0.demo.isEmpty }.map(\.id)) == [
                "walletconnect-pay", "citcon", "payrails", "paykit",
            ])
    }

    @Test("The mixed bag notices a link that goes elsewhere")
    func bag() throws {
        let registry = try SandboxVendors.all.registry()
        let item = try #require(MixedBag.samples(of: .all).first)
        #expect(item.agrees(with: RouteReport(item.text, Installation.route(item.text, registry), of: .all)))
        #expect(!item.agrees(with: RouteReport("pay_1", Installation.route("pay_1", registry), of: .all)))
        #expect(!item.agrees(with: RouteReport("x", Installation.route("x", registry), of: .all)))
    }

    @Test("A scenario notices a wrong outcome and money taken twice or not at all")
    func agreement() async throws {
        let sandbox = WalletConnectPaySandbox()
        let payment = await sandbox.createPayment()
        let untouched = await sandbox.ledger
        let paid = try #require(SandboxVendors.all.list.flatMap(\.demo).first { $0.title == "paid at once" })
        let declined = try #require(SandboxVendors.all.list.flatMap(\.demo).first { $0.title == "payer declines" })
        #expect(declined.agrees(.cancelled, untouched, payment: payment.id))
        #expect(!declined.agrees(.succeeded, untouched, payment: payment.id))
        #expect(!paid.agrees(.succeeded, untouched, payment: payment.id))
    }
}
