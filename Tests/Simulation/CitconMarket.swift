import CitconProvider
import PaymentCore
import PaymentSandbox
import PaymentTesting
import Synchronization

/// Citcon: its provider, its sandbox with everything that the sandbox can play, and the payer's wallets.
struct CitconMarket: Market {
    private static let host = "api.sandbox.citconpay.com"
    private static let scheme = "com.citcon.citconpay"
    private static let token = Redacted("simulated")
    /// The header that names the attempt: the real service does not hear of attempts.
    private static let mark = "X-Simulated-Attempt"

    /// Most are ordinary payments: they have the most to lose.
    private static let scenarios: [CitconSandbox.Scenario] = {
        let all = CitconSandbox.Scenario.allCases
        return all + all.flatMap { _ in [.wechatPay, .unionPay, .payPal, .toss] }
    }()

    static func maker(share: Int) -> MarketMaker {
        MarketMaker(share: share) { try CitconMarket($0) }
    }

    let provider: any PaymentProvider
    private let sandbox: CitconSandbox
    private let wallets: Payer
    private let books = Books()

    init(_ world: SimulatedWorld) throws {
        var pace = CitconSandbox.Configuration()
        // Whoever loses what a wallet is started with has to wait for the end of the charge.
        pace.chargeLifetime = 1200
        sandbox = CitconSandbox(pace, clock: world.clock, random: world.random)
        world.connect(Front(sandbox: sandbox, books: books, token: Self.token.reveal()), to: Self.host)
        let citcon = CitconProvider(
            configuration: CitconConfiguration(
                endpoint: try CPayEndpoint(.UAT), accessToken: Self.token,
                application: .init(
                    scheme: Self.scheme, universalLink: "https://app.example/",
                    places: CPayReturnPlaces(bundleIDs: [Self.scheme], pages: ["\(Self.scheme)://"]))))
        provider = Marking(base: citcon)
        wallets = CitconSandbox.payer(
            at: try HTTPURL("https://landing.uat01.citconpay.com"), over: DirectTransport(service: sandbox))
    }

    /// Wallets and pages are the payer's own device: neither faults nor crashes of the process reach them.
    func equip(_ payer: inout Payer) {
        payer.browser = wallets.browser
        payer.appLauncher = wallets.appLauncher
        payer.codeDisplay = wallets.codeDisplay
    }

    func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        let charge = await sandbox.createCharge(random.pick(Self.scenarios))
        books.note(charge)
        return MarketPayment(
            reference: PaymentReference(provider: CitconProvider.id, id: "uat/\(charge.reference)"), link: charge.link)
    }

    func captures(of payment: PaymentReference) async -> Int {
        await sandbox.ledger.captures(of: books.charge(called: payment.id))
    }

    /// Money that is set aside for the payee counts.
    func isPaid(_ payment: PaymentReference) async -> Bool {
        await sandbox.ledger.events(of: books.charge(called: payment.id)).contains { event in
            switch event {
            case .settled, .authorized: true
            default: false
            }
        }
    }

    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        guard books.hasConfirmed(attempt.id) else { return false }
        return await isPaid(attempt.reference)
    }

    func payment(movedBy request: HTTPRequest) -> String? {
        let path = request.url.path.split(separator: "/")
        guard request.url.authority == Self.host, path.count == 3, path[1] == "charges" else { return nil }
        return books.reference(of: String(path[2]))
    }

    /// What is known of the charges, and which attempts' confirmations arrived.
    private final class Books: Sendable {
        private let charges = Mutex<[CitconSandbox.Charge]>([])
        private let confirming = Mutex<Set<AttemptID>>([])

        func note(_ charge: CitconSandbox.Charge) { charges.withLock { $0.append(charge) } }

        func charge(called name: String) -> String {
            charges.withLock { $0.first { "uat/\($0.reference)" == name }?.id } ?? ""
        }

        func reference(of token: String) -> String? {
            charges.withLock { $0.first { $0.token == token }.map { "uat/\($0.reference)" } }
        }

        func noteConfirmation(by attempt: AttemptID) { confirming.withLock { _ = $0.insert(attempt) } }

        func hasConfirmed(_ attempt: AttemptID) -> Bool { confirming.withLock { $0.contains(attempt) } }
    }

    /// The provider, with a mark on what it sends for an attempt.
    private struct Marking: PaymentProvider {
        let base: CitconProvider

        var descriptor: ProviderDescriptor { base.descriptor }

        func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }

        func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
            try await base.quote(request, in: context)
        }

        func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
            let marking = Network(base: context.http, attempt: attempt.id)
            return try await base.pay(attempt, in: context.sending(over: marking))
        }

        func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
            try await base.status(of: payment, in: context)
        }

        private struct Network: HTTPTransport {
            let base: any HTTPTransport
            let attempt: AttemptID

            func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
                var request = request
                request.headers[CitconMarket.mark] = attempt.rawValue
                return try await base.send(request)
            }
        }
    }

    /// Takes the provider's access token for one of the sandbox's own, which are made late.
    private struct Front: SandboxService {
        let sandbox: CitconSandbox
        let books: Books
        let token: String

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            guard case .response(let response) = await answer(to: request) else { return HTTPResponse(status: 500) }
            return response
        }

        func answer(to request: HTTPRequest) async -> SandboxAnswer {
            var request = request
            guard request.headers["Authorization"] == "Bearer \(token)" else {
                return .response(HTTPResponse(status: 401))
            }
            if request.url.path.hasPrefix("/v1/charges/"), let attempt = request.headers[CitconMarket.mark] {
                books.noteConfirmation(by: AttemptID(rawValue: attempt))
            }
            request.headers["Authorization"] = "Bearer \(await sandbox.accessToken().reveal())"
            return await sandbox.answer(to: request)
        }
    }
}
