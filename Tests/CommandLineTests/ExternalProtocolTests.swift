import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// The messages of providers that are separate programs.
@Suite("Messages of external providers", .enabled(if: Python.isThere))
struct ExternalProtocolTests {
    private let programs = ExternalPrograms()
    private static let payment = PaymentReference(provider: "tea", id: "7")

    @Test(
        "An outcome that is late, of another call or of none answers no call",
        arguments: [
            // The outcome of the call before, said when the next one is asked.
            "before = call; hear(); call = before; say({'type': 'outcome', 'outcome': 'succeeded'})",
            "call = hear(); say({'type': 'outcome', 'outcome': 'succeeded', 'id': call['id'] + 1})",
            "call = hear(); say({'type': 'outcome', 'outcome': 'succeeded', 'id': str(call['id'])})",
            "call = hear(); say({'type': 'outcome', 'outcome': 'succeeded', 'id': None})",
            "hear(); call = {}; say({'type': 'outcome', 'outcome': 'succeeded'})",
        ])
    func foreignOutcome(lines: String) async throws {
        let file = try programs.program(
            "tea",
            ExternalPrograms.ready + "\nsay({'type': 'outcome', 'outcome': 'pending'})\n\(lines)\ntime.sleep(60)")
        let provider = try programs.provider(file)
        #expect(
            try await provider.status(of: Self.payment, in: ExternalPrograms.context()) == .pending(retryAfter: nil))
        let error = await #expect(throws: PaymentError.self) {
            try await provider.pay(ExternalPrograms.attempt, in: ExternalPrograms.context())
        }
        #expect(error?.code == .providerFault && error?.phase == .beforeSend)
        #expect(error?.message.contains("not the id of this call") == true, "\(error?.message ?? "")")
    }

    @Test("A request of another call is not sent, even in a step that moves money")
    func foreignRequest() async throws {
        let file = try programs.program(
            "tea",
            ExternalPrograms.ready + """

                say({'type': 'step', 'name': 'pay', 'kind': 'mutation', 'replay': 'never'}); hear()
                say({'type': 'request', 'id': 0, 'method': 'POST', 'url': 'https://api.tea.example/pay'})
                time.sleep(60)
                """)
        let error = await #expect(throws: PaymentError.self) {
            try await programs.provider(file).pay(ExternalPrograms.attempt, in: ExternalPrograms.context())
        }
        #expect(error?.code == .providerFault && error?.phase == .beforeSend, "\(error?.message ?? "")")
    }

    /// The answers to the second request of a step whose first one has charged.
    static let later: [(String, String)] = [
        ("POST", "receipt"), ("GET", "receipt"), ("POST", "elsewhere"), ("GET", "elsewhere"), ("GET", "nothing"),
    ]

    @Test("A request that fails undoes none before it in its step", arguments: later)
    func severalRequests(method: String, place: String) async throws {
        let charges = Mutex(0)
        let gateway = AnyService { request in
            guard request.url.path == "/charge" else { return HTTPResponse(status: place == "nothing" ? 501 : 404) }
            charges.withLock { $0 += 1 }
            return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
        }
        let host = place == "elsewhere" ? "elsewhere.example" : "api.tea.example"
        let file = try programs.program(
            "tea",
            ExternalPrograms.ready + """

                while True:
                    if call["call"] == "quote":
                        say({"type": "quote", "payee": "Shop", "options": [{"id": "cup", "title": "A cup",
                             "amount": {"value": "4.80", "unit": "iso4217/EUR"}}]})
                    elif call["call"] == "pay":
                        say({"type": "step", "name": "pay", "kind": "mutation", "replay": "never"})
                        if hear()["type"] == "run":
                            say({"type": "request", "method": "POST", "url": "https://api.tea.example/charge"}); hear()
                            say({"type": "request", "method": "\(method)", "url": "https://\(host)/\(place)"}); hear()
                            say({"type": "done", "result": 1}); hear()
                        say({"type": "outcome", "outcome": "succeeded"})
                    else: say({"type": "outcome", "outcome": "pending"})
                    call = {}; call = hear()
                """)
        let journal = InMemoryJournal()
        let router = PaymentRouter(
            registry: try ProviderRegistry([try programs.provider(file)]), transport: SandboxTransport(gateway),
            journal: journal)
        for _ in 0..<3 {
            do {
                let outcome = try await router.pay(
                    "https://tea.example/?order=7", as: Payer(policy: .firstWhateverItCosts))
                #expect(!outcome.isFinal, "\(outcome)")
            } catch { #expect(error.phase == .maybeSent, "\(error)") }
        }
        #expect(charges.withLock { $0 } == 1)
        #expect(await journal.unfinished().count == 1)
    }

    private struct AnyService: SandboxService {
        let answer: @Sendable (HTTPRequest) -> HTTPResponse
        func respond(to request: HTTPRequest) async -> HTTPResponse { answer(request) }
    }

    @Test("Null is the same as nothing in every member that may be left out")
    func nulls() async throws {
        let file = try programs.program(
            "tea",
            ExternalPrograms.start + """

                say({"type": "provider", "protocol": 1, "id": "tea", "name": "Tea", "hosts": ["api.tea.example"],
                     "links": [{"host": "tea.example", "path": None, "scheme": None, "secret": None,
                                "reference": {"query": "order", "segment": None}}],
                     "secrets": None, "replayWindow": None})
                call = hear()
                price = {"value": "4.80", "unit": "iso4217/EUR", "digits": None}
                say({"type": "quote", "payee": "Tea house", "amount": None, "expires": None, "outcome": None,
                     "options": [{"id": "cup", "title": "A cup", "amount": price, "data": None}]})
                call = hear()
                say({"type": "step", "name": "look", "kind": "query", "replay": None}); hear()
                say({"type": "request", "method": "GET", "url": "https://api.tea.example/", "headers": None, "body": None,
                     "accept": None, "key": None}); hear()
                say({"type": "done", "result": None}); hear()
                say({"type": "wait", "seconds": None}); hear()
                say({"type": "log", "message": None})
                say({"type": "outcome", "outcome": "succeeded", "amount": None, "transaction": None, "message": None})
                call = hear()
                say({"type": "outcome", "outcome": "pending", "after": None})
                call = hear()
                say({"type": "quote", "payee": "Tea house", "options": None, "outcome": {"outcome": "expired"}})
                hear()
                """)
        let provider = try programs.provider(file)
        let link = try PaymentLink("https://tea.example/?order=7")
        let match = try #require(provider.recognize(link))
        let request = QuoteRequest(link: link, match: match, reference: Self.payment)
        let quote = try await provider.quote(request, in: ExternalPrograms.context())
        #expect(quote.amount == nil && quote.expiresAt == nil && quote.report == nil)
        #expect(quote.options.map(\.providerData) == [nil])
        let outcome = try await provider.pay(ExternalPrograms.attempt, in: ExternalPrograms.context())
        #expect(outcome == .succeeded(PaymentReceipt(reference: Self.payment)))
        #expect(
            try await provider.status(of: Self.payment, in: ExternalPrograms.context()) == .pending(retryAfter: nil))
        #expect(try await provider.quote(request, in: ExternalPrograms.context()).report == .expired)
    }

    @Test("A status that the protocol does not have is unknown, and people see it, escaped")
    func ownStatus() async throws {
        for (message, reason) in [("None", "does not know"), ("'at the bar'", "at the bar")] {
            let file = try programs.program(
                "tea",
                ExternalPrograms.ready
                    + "\nsay({'type': 'outcome', 'outcome': 'steeping\\x1b[2J', 'message': \(message)})\nhear()")
            let outcome = try await programs.provider(file).status(
                of: Self.payment, in: ExternalPrograms.context())
            guard case .unknown(let unknown) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(unknown.rawStatus == #"steeping\u{1B}[2J"#)
            #expect(unknown.message.contains(reason) && unknown.message.contains("(its status: steeping"))
            for json in [[], ["--json"]] {
                let shown = await programs.run(
                    ["status", "tea/7", "--with", "tea", "--sandbox", "http://127.0.0.1:1"] + json)
                #expect(shown.output.contains("steeping") && !shown.output.contains("\u{1B}[2J"), "\(shown)")
            }
        }
    }

    // MARK: Secrets

    /// The handshake of a provider with this secret.
    private static func asking(_ provider: String, for secret: String) -> String {
        ExternalPrograms.start
            + "\nsay({'type': 'provider', 'protocol': 1, 'id': '\(provider)', 'name': 'P', 'hosts': [], "
            + "'links': [{'scheme': '\(provider)', 'reference': {'segment': 0}}], 'secrets': ['\(secret)']})\nhear()"
    }

    @Test("No provider is given another one's secret, however alike their names are")
    func alike() async throws {
        let names = [
            ("coffee", "coffee.shop.key"), ("coffee-shop", "coffee-shop.key"), ("coffee", "coffee.shop-key"),
            ("coffee-shop-key", "coffee-shop-key.a"), ("coffee", "coffee.shop.key.a"),
        ]
        let providers = try names.enumerated().map { index, name in
            let file = try programs.program("\(name.0)\(index)", Self.asking(name.0, for: name.1))
            return try programs.provider(file, name: name.0)
        }
        let variables = Set(names.map { ExternalSecrets.variable($0.1) })
        #expect(variables.count == names.count, "\(variables)")
        let store = ExternalSecrets(base: NoSecrets(), providers: providers) {
            $0 == "PAYROUTE_SECRET_COFFEE_SHOP__KEY" ? "the shop's" : nil
        }
        #expect(try await store.secret("coffee-shop.key")?.reveal() == "the shop's")
        for name in names where name.1 != "coffee-shop.key" { #expect(try await store.secret(name.1) == nil) }
    }

    @Test(
        "A secret's name that could share its variable with another is refused",
        arguments: [
            "tea.", "tea.a--b", "tea.-a", "tea.a-", "tea.a..b", "tea.Key", "tea.a_b", "tea.a b", "tea.\u{E9}", "te.a",
        ])
    func ambiguous(name: String) throws {
        let file = try programs.program("tea", Self.asking("tea", for: name))
        let error = #expect(throws: ExternalManifest.Defect.self) { try programs.provider(file) }
        #expect(error?.description.contains("'secrets'") == true, "\(error?.description ?? "")")
    }
}
