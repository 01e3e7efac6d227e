import PaymentCore
import PaymentTesting
import Synchronization

/// Takes every 4xx as a refusal of the only copy.
private struct Believer: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let response = try await base.send(request)
        return (400..<500).contains(response.status) ? HTTPResponse(status: 400) : response
    }
}

/// Reads no more of an answer than its status and amount: each one is about the payment that was asked about.
private struct Incurious: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var response = try await base.send(request)
        guard var body = try? JSONValue(parsing: response.body) else { return response }
        body["id"] = .string(request.url.path.split(separator: "/").dropFirst().first.map(String.init) ?? "")
        response.body = body.serialized()
        return response
    }
}

/// Sends a secret, and repeats each answer in the log.
private struct Quoter: HTTPTransport {
    let base: any HTTPTransport
    let log: @Sendable (String) -> Void

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.headers["X-Session"] = Subjects.secret
        let response = try await base.send(request)
        log("the service says \(String(decoding: response.body, as: UTF8.self))")
        return response
    }
}

/// A service that answers a second copy of a request with a refusal.
actor CopyRefusingService: SandboxService {
    let base: KeyedService
    private var keys: Set<String> = []

    init(_ base: KeyedService) { self.base = base }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let key = request.headers["Idempotency-Key"], !keys.insert(key).inserted { return HTTPResponse(status: 409) }
        return await base.respond(to: request)
    }
}

/// The reference provider with one flaw.
struct BrokenProvider: PaymentProvider {
    enum Flaw: Sendable, CaseIterable {
        case changesDescriptor, claimsNothing, trustsEverybody, paysNothing, hopes, believes, undoes, tells, wanders,
            asksAgain, waitsForEver, namesAnew, readsFirstSegment, ignoresNames, givesUp, quotes

        /// The probe that has to find it.
        var probe: ProviderConformance.Probe {
            switch self {
            case .changesDescriptor: .descriptor
            case .claimsNothing: .patterns
            case .trustsEverybody: .links
            case .paysNothing: .payment
            case .hopes: .hostileAnswers
            case .believes: .rejections
            case .undoes: .laterRequests
            case .tells: .secrets
            case .wanders: .hosts
            case .asksAgain: .crashes
            case .waitsForEver: .polling
            case .namesAnew: .stepNames
            case .readsFirstSegment: .spellings
            case .ignoresNames: .paymentDetails
            case .givesUp: .questions
            case .quotes: .echoes
            }
        }
    }

    let flaw: Flaw
    private let base = KeyedProvider()
    private let looks = Looks()

    init(_ flaw: Flaw) { self.flaw = flaw }

    private final class Looks: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }

    var descriptor: ProviderDescriptor {
        let sound = base.descriptor
        return ProviderDescriptor(
            id: sound.id, name: flaw == .changesDescriptor ? "Look \(looks.next())" : sound.name,
            patterns: flaw == .claimsNothing
                ? [.host("")]
                : flaw == .trustsEverybody ? sound.patterns + [.hostSuffix("evil.example")] : sound.patterns,
            outboundHosts: sound.outboundHosts, replayWindow: sound.replayWindow)
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        guard flaw == .readsFirstSegment else { return base.recognize(link) }
        return link.path.split(separator: "/").first.map { LinkMatch(.payment(String($0))) }
    }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        if flaw == .tells { context.log("asking with \(Subjects.secret)") }
        let quote = try await base.quote(request, in: context)
        guard flaw == .asksAgain, let amount = quote.amount else { return quote }
        // It also offers a payment that is already in progress.
        return ProviderQuote(
            reference: quote.reference, payee: quote.payee, amount: amount,
            options: [PaymentMethodOption(id: "charge", title: "Charge", amount: amount)])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let paid = ServiceReport.succeeded(PaymentReceipt(reference: attempt.reference))
        switch flaw {
        case .paysNothing: return paid
        case .hopes:
            do { return try await base.pay(attempt, in: context) } catch { return paid }
        case .believes:
            return try await base.pay(attempt, in: context.copy(http: Believer(base: context.http)))
        case .undoes:
            // It says of its charge that it changes nothing.
            return try await SeveralRequestsProvider(requests: 2, hidesCharge: true).pay(attempt, in: context)
        case .wanders:
            _ = try? await context.http.send(HTTPRequest(.get, try HTTPURL("https://other.example/payments/p1")))
        case .asksAgain:
            // A charge disguised as an inquiry, with a new key each time.
            let id = attempt.reference.id
            _ = try await context.step("ask", .query) {
                let url = try HTTPURL("https://\(KeyedService.host)/payments/\(id)/charge")
                let headers: HTTPHeaders = ["Idempotency-Key": context.random.uuid()]
                let body = Array(#"{"amount":"1000"}"#.utf8)
                let request = HTTPRequest(.post, url, headers: headers, body: body, replay: .safe)
                return try await context.http.send(request).status
            }
            return paid
        case .waitsForEver:
            var outcome = try await base.pay(attempt, in: context)
            for _ in 0..<5000 where !outcome.isFinal {
                try await context.clock.sleep(for: .seconds(1))
                outcome = try await base.status(of: attempt.reference, in: context)
            }
            return outcome
        case .ignoresNames:
            return try await base.pay(attempt, in: context.copy(http: Incurious(base: context.http)))
        case .quotes:
            return try await base.pay(attempt, in: context.copy(http: Quoter(base: context.http) { context.log($0) }))
        case .namesAnew: _ = try await context.step("look \(attempt.id)", .query) { 1 }
        default: break
        }
        return try await base.pay(attempt, in: context)
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        do { return try await base.status(of: payment, in: context) } catch let error as PaymentError
            where flaw == .givesUp && error.phase == .answered
        { return .expired }
    }
}
