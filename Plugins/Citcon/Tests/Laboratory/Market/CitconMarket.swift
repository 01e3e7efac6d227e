import CitconMerchant
import CitconProvider
import CitconSandbox
package import MarketModel
package import PaymentCore
package import PaymentTesting
import Synchronization

/// Citcon: its provider, its sandbox with all its scenarios, and the payer's wallets.
package struct CitconMarket: Market {
    private static let host = "api.sandbox.citconpay.com"
    private static let scheme = "com.citcon.citconpay"
    private static let token = Redacted("simulated")
    /// The header that names the attempt: the real service does not receive attempts.
    private static let mark = "X-Simulated-Attempt"
    /// The address of notifications; the sandbox only keeps them, and the history delivers them in any order.
    private static let ipn = "https://shop.example/ipn"

    /// Most are ordinary payments: they have the most to lose.
    private static let scenarios: [CitconSandbox.Scenario] = {
        let all = CitconSandbox.Scenario.allCases
        return all + all.flatMap { _ in [.wechatPay, .unionPay, .payPal, .toss] }
    }()

    package static func maker(share: Int) -> MarketMaker {
        MarketMaker(share: share) { try CitconMarket($0) }
    }

    package let provider: any PaymentProvider
    package let merchant: (any PaymentService)?
    private let sandbox: CitconSandbox
    /// The same service for another merchant, with another secret.
    private let foreigner: CitconSandbox
    private let wallets: Payer
    private let books = Books()

    init(_ world: SimulatedWorld) throws {
        var pace = CitconSandbox.Configuration()
        // A payer that loses the launch data of a wallet has to wait for the end of the charge.
        pace.chargeLifetime = 1200
        sandbox = CitconSandbox(pace, clock: world.clock, random: world.random)
        pace.privateKey = Redacted("sk-of-somebody-else")
        foreigner = CitconSandbox(pace, clock: world.clock, random: world.random)
        world.connect(Front(sandbox: sandbox, books: books, token: Self.token.reveal()), to: Self.host)
        let endpoint = try CitconEndpoint(.UAT)
        merchant = CitconMerchant(id: CitconProvider.id, endpoint: endpoint, privateKey: CitconSandbox.privateKey)
        provider = CitconProvider(
            configuration: CitconConfiguration(
                endpoint: endpoint, accessToken: Self.token,
                application: .init(
                    scheme: Self.scheme, universalLink: "https://app.example/",
                    places: CitconConfiguration.ReturnPlaces(bundleIDs: [Self.scheme], pages: ["\(Self.scheme)://"]))))
        wallets = CitconSandbox.payer(
            at: try HTTPURL("https://landing.uat01.citconpay.com"), over: DirectTransport(service: sandbox))
    }

    /// Marks each request of an attempt with its id.
    package func surround(_ context: ProviderContext) -> ProviderContext {
        context.copy(http: Marking(base: context.http))
    }

    /// Wallets and pages are the payer's device: neither faults nor crashes of the process reach them.
    package func equip(_ payer: inout Payer) {
        payer.browser = wallets.browser
        payer.appLauncher = wallets.appLauncher
        payer.codeDisplay = wallets.codeDisplay
    }

    package func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        let charge = await sandbox.createCharge(random.pick(Self.scenarios), ipn: Self.ipn)
        books.note(charge)
        await foreigner.pay(foreigner.createCharge(.unionPay, ipn: Self.ipn))
        return MarketPayment(
            reference: PaymentReference(provider: CitconProvider.id, id: charge.reference), links: [charge.link])
    }

    /// Payers' attempts name the environment, too.
    package func identity(of reference: String) -> String {
        reference.hasPrefix("uat/") ? String(reference.dropFirst(4)) : reference
    }

    package func captures(of payment: PaymentReference) async -> Int {
        await sandbox.ledger.captures(of: books.charge(called: payment.id))
    }

    /// Money that is reserved for the payee counts.
    package func isPaid(_ payment: PaymentReference) async -> Bool {
        await sandbox.ledger.events(of: books.charge(called: payment.id)).contains { event in
            switch event {
            case .settled, .authorized: true
            default: false
            }
        }
    }

    /// Only the last accepted confirmation can have moved the money. Reserved money that was released was not taken.
    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        let payment = PaymentReference(provider: CitconProvider.id, id: identity(of: attempt.reference.id))
        guard books.confirming(payment.id) == attempt.id, await isPaid(payment) else {
            return false
        }
        return await !sandbox.ledger.events(of: books.charge(called: payment.id)).contains(.cancelled)
    }

    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        let charge = books.charge(called: payment.id)
        if let id = receipt.transactionID, id != charge { return "names the transaction \(id) instead of \(charge)" }
        guard let amount = receipt.amount else { return nil }
        let taken = "\(amount.minorUnits) iso4217/\(amount.currency.description)"
        let isTrue = await sandbox.ledger.events(of: charge).contains { event in
            switch event {
            case .captured(_, taken, _), .authorized(_, taken): true
            default: false
            }
        }
        return isTrue ? nil : "states \(amount), which was not taken"
    }

    // MARK: What comes from outside

    package func returns(of payment: PaymentReference) -> [String] {
        ["\(Self.scheme)://", "\(Self.scheme)://uppayresult?code=success", "\(Self.scheme)://uppayresult?code=cancel"]
    }

    package func notifications() async -> [IncomingNotification] {
        await sandbox.notifications.map { IncomingNotification(headers: [:], body: $0.body) }
    }

    /// Altered notifications, and the same content with another merchant's secret.
    package func forgeries(about payment: PaymentReference) async -> [IncomingNotification] {
        func altered(_ body: [UInt8], _ name: String, _ value: String) -> [UInt8] {
            guard var json = try? JSONValue(parsing: body) else { return body }
            json[name] = .string(value)
            return json.serialized()
        }
        var bodies = await foreigner.notifications.map(\.body)
        for sent in await sandbox.notifications.prefix(3) {
            let status = sent.status == "success" ? "fail" : "success"
            bodies += [altered(sent.body, "status", status), altered(sent.body, "reference", "another")]
        }
        return bodies.map { IncomingNotification(headers: [:], body: $0) }
    }

    /// A distinct amount for each refund.
    package func refund(_ number: Int, of payment: PaymentReference) async -> RefundRequest? {
        let units = UInt128(number == MarketPayment.excessive ? 900_000_000 : 11 + number)
        guard let code = books.currency(of: payment.id), let currency = try? FiatCurrency(code),
            let amount = try? Money(minorUnits: units, currency: .fiat(currency))
        else { return nil }
        return RefundRequest(of: payment, amount: amount, id: "credit-\(payment.id)-\(number)")
    }

    package func givenBack(_ refund: RefundRequest) async -> Int {
        let amount = "\(refund.amount.minorUnits) iso4217/\(refund.amount.currency.description)"
        return await sandbox.ledger.events(of: books.charge(called: refund.payment.id))
            .count { $0 == .refunded(amount: amount) }
    }

    package func givenBack(of payment: PaymentReference) async -> [UInt128] {
        await sandbox.ledger.events(of: books.charge(called: payment.id)).compactMap { event in
            guard case .refunded(let amount) = event else { return nil }
            return amount.split(separator: " ").first.flatMap { UInt128($0) }
        }
    }

    package func cancellations(of payment: PaymentReference) async -> Int {
        await sandbox.ledger.events(of: books.charge(called: payment.id)).count { $0 == .cancelled }
    }

    package func payment(movedBy request: HTTPRequest) -> String? {
        guard let path = request.path(at: Self.host), path.count == 3, path[1] == "charges" else { return nil }
        return books.reference(of: String(path[2]))
    }

    /// The known charges, and the attempt whose confirmation was accepted last.
    private final class Books: Sendable {
        private let charges = Mutex<[CitconSandbox.Charge]>([])
        /// By the charges' references.
        private let confirming = Mutex<[String: AttemptID]>([:])

        func note(_ charge: CitconSandbox.Charge) { charges.withLock { $0.append(charge) } }

        func charge(called name: String) -> String {
            charges.withLock { $0.first { $0.reference == name }?.id } ?? ""
        }

        func currency(of reference: String) -> String? {
            let charge = charges.withLock { $0.first { $0.reference == reference } }
            return charge?.link.split(separator: "&").first { $0.hasPrefix("currency=") }.map {
                String($0.dropFirst(9))
            }
        }

        func reference(of token: String) -> String? {
            charges.withLock { $0.first { $0.token == token }?.reference }
        }

        func note(_ attempt: AttemptID?, confirming reference: String) {
            confirming.withLock { $0[reference] = attempt }
        }

        func confirming(_ reference: String) -> AttemptID? { confirming.withLock { $0[reference] } }
    }

    /// The network, which adds the attempt's mark to its requests.
    private struct Marking: HTTPTransport {
        let base: any HTTPTransport

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            var request = request
            request.headers[CitconMarket.mark] = Acting.attempt?.id.rawValue
            return try await base.send(request)
        }
    }

    /// Replaces the provider's access token by one of the sandbox's, which are created late.
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
            // Merchants have other tokens.
            guard request.headers["Authorization"] == "Bearer \(token)" else {
                return await sandbox.answer(to: request)
            }
            request.headers["Authorization"] = "Bearer \(await sandbox.accessToken().reveal())"
            let path = request.url.path.split(separator: "/")
            guard path.count == 3, path[1] == "charges", let name = request.headers[CitconMarket.mark],
                let reference = books.reference(of: String(path[2]))
            else { return await sandbox.answer(to: request) }
            let before = books.confirming(reference)
            // Before the answer: the effect of the request may already be visible.
            books.note(AttemptID(rawValue: name), confirming: reference)
            let answer = await sandbox.answer(to: request)
            if case .response(let response) = answer, (400..<500).contains(response.status) {
                books.note(before, confirming: reference)
            }
            return answer
        }
    }
}
