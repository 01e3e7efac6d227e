import PaymentCore
import PaymentLoopback
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// The commands about payments that an external provider has made.
@Suite("Commands with external providers", .enabled(if: Python.isThere))
struct ExternalCommandTests {
    private let programs = ExternalPrograms()

    /// A gateway that carries the payment out, and whose answer to it is lost.
    private final class LossyGateway: SandboxService {
        private let orders = Mutex((state: "open", payments: 0))
        var payments: Int { orders.withLock(\.payments) }
        func settle() { orders.withLock { $0.state = "paid" } }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            guard request.method != .post else {
                orders.withLock { $0 = ("brewing", $0.payments + 1) }
                return HTTPResponse(status: 504)
            }
            let order: JSONValue = [
                "id": "42", "shop": "Kaffeehaus", "price": "4.80", "state": .string(orders.withLock(\.state)),
            ]
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: order.serialized())
        }
    }

    @Test("A payment whose answer was lost is settled by resume, and known to status", .timeLimit(.minutes(5)))
    func lostAnswer() async throws {
        let gateway = LossyGateway()
        let server = try LoopbackServer(gateway)
        defer { server.stop() }
        let link = "https://coffee.example/order/42"
        let place = ["--sandbox", server.baseURL.text, "--journal", programs.folder.file("journal")]
        let with = ["--with", "coffee", "--json"]

        let paid = await programs.run(["pay", link] + place + with)
        #expect(try paid.code == 1 && paid.ending["outcome"] == "unknown", "\(paid)")

        let without = await programs.run(["journal", "resume"] + place)
        #expect(without.code == 1 && without.output.contains("--with coffee"), "\(without)")
        let early = await programs.run(["journal", "resume"] + place + with)
        #expect(try early.code == 1 && early.ending["outcome"] == "unknown", "\(early)")
        let asked = await programs.run(["status", "coffee/42"] + place + with)
        #expect(try asked.code == 1 && asked.ending["outcome"] == "pending", "\(asked)")

        gateway.settle()
        let resumed = await programs.run(["journal", "resume"] + place + with)
        #expect(try resumed.code == 0 && resumed.ending["outcome"] == "succeeded", "\(resumed)")
        for name in [link, "coffee/42"] {
            let status = await programs.run(["status", name] + place + with)
            #expect(try status.code == 0 && status.ending["outcome"] == "succeeded", "\(status)")
        }
        #expect(gateway.payments == 1)
    }

    /// A program with one answer to `pay` and others to `status`, which it sends in turn.
    private func program(_ name: String, pay: String, status: String) throws {
        _ = try programs.program(
            name,
            ExternalPrograms.start + """

                say({"type": "provider", "protocol": 1, "id": "\(name)", "name": "\(name)", "hosts": ["127.0.0.1:9"],
                     "links": [{"host": "\(name).example", "path": "/order", "reference": {"segment": 1}}]})
                while True:
                    call = hear()
                    if call["call"] == "quote":
                        say({"type": "quote", "payee": "Shop", "options": [{"id": "tab", "title": "Tab",
                             "amount": {"value": "4.80", "unit": "iso4217/EUR"}}]})
                    elif call["call"] == "pay": say({"type": "outcome", "outcome": "\(pay)"})
                    else: say({"type": "outcome", "outcome": "\(status)"})
                """)
    }

    @Test("A payment that the journal has as paid is not said to be declined", arguments: ["declined", "expired"])
    func contradicted(status: String) async throws {
        try program("liar", pay: "succeeded", status: status)
        let place = [
            "--sandbox", "http://127.0.0.1:9", "--with", "liar", "--json", "--journal", programs.folder.file("journal"),
        ]
        var paid = await programs.run(["pay", "https://liar.example/order/7"] + place)
        while paid.errors.contains("Text file busy") {
            paid = await programs.run(["pay", "https://liar.example/order/7"] + place)
        }
        #expect(try paid.ending["outcome"] == "succeeded", "\(paid)")
        let asked = await programs.run(["status", "liar/7"] + place)
        #expect(try asked.ending["outcome"] == "succeeded", "\(asked)")
    }

    @Test("What no external provider can do is refused with its reason, not as wrong usage")
    func unsupported() async throws {
        let server = try LoopbackServer(LossyGateway())
        defer { server.stop() }
        let place = ["--sandbox", server.baseURL.text, "--with", "coffee"]
        let refunded = await programs.run(["refund", "coffee/42", "--amount", "4.80 EUR"] + place)
        #expect(refunded.code == 1 && refunded.output.contains("makes no refunds"), "\(refunded)")
        let cancelled = await programs.run(["cancel", "coffee/42"] + place)
        #expect(cancelled.code == 1 && cancelled.output.contains("cannot cancel"), "\(cancelled)")
    }

    @Test("With an external provider the network ends at this machine, whatever hosts it declares")
    func network() async throws {
        let provider = try ExternalProvider(
            name: "coffee", path: ExternalPrograms.example + "/payroute-provider-coffee",
            environment: ["PATH": ExternalPrograms.path])
        let base = SandboxTransport(ExternalPrograms.Silent())
        let request = HTTPRequest(.get, try HTTPURL("https://api.coffee.example/"))
        #expect(try await [ExternalProvider]().network(base).send(request).status == 200)
        await #expect(throws: TransportError.self) { try await [provider].network(base).send(request) }
    }

    @Test("The last line states the amount of the chosen option if no receipt states one")
    func amounts() async throws {
        _ = try programs.program(
            "tea",
            ExternalPrograms.ready + """

                def euros(text): return {"value": text, "unit": "iso4217/EUR"}
                while True:
                    if call["call"] == "quote":
                        say({"type": "quote", "payee": "Shop", "amount": euros("1.00"),
                             "options": [{"id": "cup", "title": "A cup", "amount": euros("4.80")}]})
                    else: say({"type": "outcome", "outcome": "succeeded" if call["call"] == "pay" else "pending"})
                    call = hear()
                """)
        for (number, consent) in [["--auto-within", "5 EUR/day"], ["--yes"], ["--option", "cup"]].enumerated() {
            let paid = await programs.run(
                ["pay", "https://tea.example/?order=\(number)", "--json", "--with", "tea"] + consent
                    + ["--sandbox", "http://127.0.0.1:9", "--journal", programs.folder.file("journal \(number)")])
            #expect(try paid.ending["outcome"] == "succeeded" && paid.ending["amount"] == "4.80", "\(paid)")
        }
    }

    @Test("Every command that touches payments takes the same options")
    func options() {
        let payers: [CommandSyntax] = [
            QuoteCommand.syntax, PayCommand.syntax, StatusCommand.syntax, JournalResumeCommand.syntax,
        ]
        let merchants = [RefundCommand.syntax, CancelCommand.syntax]
        for syntax in payers + merchants {
            // A merchant has no wallet.
            let names =
                ["sandbox", "journal", "with"] + (merchants.contains { $0.path == syntax.path } ? [] : ["wallet"])
            for name in names { #expect(syntax.option(name) != nil, "\(syntax.path) --\(name)") }
        }
    }
}
