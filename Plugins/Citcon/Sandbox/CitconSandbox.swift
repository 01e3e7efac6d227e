public import PaymentCore
package import PaymentLoopback
public import PaymentTesting
package import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A simulated Citcon UPI: access tokens, charges, captures, cancellations, refunds and notifications, the payment
/// pages, and the payers' wallets. Offline; no money.
///
/// Shape-strict: unknown paths, missing credentials and malformed bodies get the service's own errors. Wallets start
/// only with exactly the issued payload.
public actor CitconSandbox: SandboxService {
    /// The merchant's secret that sandboxes accept by default. It need not be kept secret: it opens nothing else.
    public static let privateKey = Redacted("sk-development-00000000000000000000000000000000")

    /// The events so far. Payments are named by the ids of their charges.
    public private(set) var ledger = SandboxLedger()
    /// Every notification so far, oldest first, sent or not.
    public internal(set) var notifications: [Notification] = []

    let configuration: Configuration
    let clock: any PaymentClock
    let random: any RandomSource
    let ids: CitconIDs
    var tokens = CitconTokens()
    /// The charges by charge token.
    var charges: [String: CitconCharge] = [:]
    /// The charge tokens by the ids of charges, captures and refunds.
    var tokensByID: [String: String] = [:]
    /// The charge tokens by the ids of pages.
    var tokensByPage: [String: String] = [:]
    /// Every used reference, with the token of its charge.
    var references: [String: String] = [:]
    /// Card nonces and grants that were issued and not yet used.
    var nonces: Set<String> = []
    /// The tokens that card libraries were started with.
    var clientTokens: Set<String> = []
    /// The payers' stored accounts, by their ids.
    var vault: [String: CitconStored] = [:]
    /// Deliveries in progress, by the indices of their notifications.
    var deliveries: [Int: Task<Void, Never>] = [:]

    /// Creates an empty sandbox.
    ///
    /// - Parameters:
    ///   - configuration: the simulated version and its timing.
    ///   - clock: decides when charges and tokens expire. Notifications are repeated on it.
    ///   - random: makes ids, tokens and nonces.
    public init(
        _ configuration: Configuration = Configuration(), clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
        ids = CitconIDs(layer: configuration.layer, random: random)
    }

    /// Returns an access token of the kind that apps get from their merchant's server.
    public func accessToken() -> Redacted<String> {
        Redacted(token(.client).text)
    }

    /// Creates a charge with the behaviour of `scenario`.
    ///
    /// - Parameters:
    ///   - scenario: the behaviour.
    ///   - ipn: the address for notifications about it.
    ///   - returnURL: the address for payers who return from payment pages.
    public func createCharge(
        _ scenario: Scenario = .wechatPay, ipn: String? = nil, returnURL: String = "com.citcon.citconpay://"
    ) -> Charge {
        makeCharge(scenario, amount: scenario.plan.price.amount, ipn: ipn, returnURL: returnURL)
    }

    /// Creates a charge of a scenario over another amount, or nil for its own. Returns nil when the currency is not the
    /// scenario's.
    package func createCharge(
        _ scenario: Scenario, over amount: Money?, ipn: String? = nil, returnURL: String = "com.citcon.citconpay://"
    ) -> Charge? {
        guard let amount else { return createCharge(scenario, ipn: ipn, returnURL: returnURL) }
        guard amount.currency.description == scenario.plan.price.currency,
            let units = Int64(exactly: amount.minorUnits), units > 0, units < Int64.max / 100
        else { return nil }
        return makeCharge(scenario, amount: units, ipn: ipn, returnURL: returnURL)
    }

    private func makeCharge(_ scenario: Scenario, amount: Int64, ipn: String?, returnURL: String) -> Charge {
        let plan = scenario.plan
        var charge = CitconCharge(
            token: ids.uuid(), id: ids.transaction(), reference: "sandbox-\(charges.count + 1)-\(random.hex(6))",
            amount: amount, currency: plan.price.currency, country: plan.price.country, autoCapture: plan.autoCapture,
            method: plan.method,
            urls: .init(ipn: ipn, success: returnURL, fail: returnURL, cancel: returnURL), createdAt: now,
            expiresAt: now + (plan.isOver ? -60 : configuration.chargeLifetime))
        charge.scenario = scenario
        charge.plan = plan
        add(charge)
        let items = [
            ("token", charge.token), ("method", plan.method), ("reference", charge.reference),
            ("amount", String(charge.amount)), ("currency", charge.currency), ("country", charge.country),
            ("env", "UAT"),
        ]
        let link = "citcon:charge?" + items.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
        return Charge(
            token: charge.token, id: charge.id, reference: charge.reference, title: scenario.summary, link: link,
            scenario: scenario)
    }

    /// Pays a charge without an app, as by a code at the counter. The scenario can override the outcome. Does nothing
    /// when the charge can no longer be paid.
    public func pay(_ charge: Charge) { try? act(.pay, on: charge.token) }

    /// Captures the whole authorised amount of a charge, as a merchant does in the portal. Does nothing if there is
    /// nothing to capture.
    public func capture(_ charge: Charge) {
        if charges[charge.token]?.status == .authorized { move(charge.token, to: .succeeded) }
    }

    /// Creates one charge for each scenario, in the order of their declaration.
    public func createAllScenarios() -> [Charge] {
        Scenario.allCases.map { createCharge($0) }
    }

    /// Answers one request. A connection that the scenario drops becomes status 500 here.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard case .response(let response) = handle(request) else { return HTTPResponse(status: 500) }
        return response
    }

    /// Answers one request, or drops the connection when the scenario demands it.
    public func answer(to request: HTTPRequest) async -> SandboxAnswer {
        handle(request)
    }

    private func handle(_ request: HTTPRequest) -> SandboxAnswer {
        do throws(CitconSandboxError) { return try route(request) } catch { return .response(envelope.failure(error)) }
    }

    private func route(_ request: HTTPRequest) throws(CitconSandboxError) -> SandboxAnswer {
        var path = request.url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()[...]
        // The prefix of pages behind the accelerator for mainland China.
        if path.starts(with: ["upi", "u_landing"]) { path = path.dropFirst(2) }
        let words = path.map(String.init)
        if words == ["sandbox", "citcon", "wallet"] {
            guard request.method == .post else { throw .notFound }
            return .response(try wallet(request))
        }
        guard words.first == "v1", words.count <= 3 else { throw .notFound }
        let argument = words.count == 3 ? PercentCoding.decode(words[2]) : nil
        switch (request.method, words.dropFirst().first, argument) {
        case (.post, "access-tokens", nil): return .response(try accessToken(request))
        case (.post, "config", nil): return .response(try config(request))
        case (.post, "charges", nil): return .response(try create(request))
        case (.post, "charges", let token?): return try confirm(request, token)
        case (.get, "transactions", let name?): return .response(try inquire(request, name))
        case (.post, "captures", nil): return .response(try capture(request))
        case (.post, "cancels", nil): return .response(try cancel(request))
        case (.post, "refunds", nil): return .response(try refund(request))
        case (_, "vault", _): return .response(try vault(request, argument))
        case (.get, "consults", nil): return .response(try consult(request))
        case (.get, "landing", let id?), (.get, "qr", let id?): return .response(try showPage(id, request))
        case (.post, "landing", let id?), (.post, "qr", let id?): return .response(try submitPage(id, request))
        default: throw .notFound
        }
    }

    // MARK: State

    /// The time in Unix seconds.
    var now: Int64 { Int64(clock.now.timeIntervalSince1970) }

    var envelope: CitconEnvelope { CitconEnvelope(version: configuration.layer.version) }

    func token(_ kind: CitconTokens.Kind) -> CitconTokens.Token {
        tokens.token(kind, now: now, lifetime: configuration.tokenLifetime, random: random)
    }

    func record(_ id: String, _ event: SandboxLedger.Event) {
        ledger.record(event, of: id)
    }

    func add(_ charge: CitconCharge) {
        charges[charge.token] = charge
        tokensByID[charge.id] = charge.token
        references[charge.reference] = charge.token
        record(charge.id, .created)
    }

    /// Returns the charge of this token, with due changes of state applied.
    func charge(_ token: String) throws(CitconSandboxError) -> CitconCharge {
        guard let charge = charges[token] else { throw .notFound }
        if charge.status == .pending, let end = charge.pendingUntil, end <= now {
            move(token, to: .failed)
        } else if charge.status == .initiated, charge.expiresAt <= now {
            move(token, to: .expired)
        }
        return charges[token] ?? charge
    }

    /// Changes the state of a charge, if the rules allow it, and records and notifies the change.
    func move(_ token: String, to status: CitconCharge.Status) {
        guard var charge = charges[token], charge.status.allows(status) else { return }
        let wasAuthorized = charge.status == .authorized
        charge.status = status
        switch status {
        case .initiated: break
        case .pending: charge.pendingUntil = charge.plan?.isEndless == true ? .max : now + configuration.pendingTime
        case .authorized:
            record(charge.id, .authorized(option: charge.method ?? "", amount: charge.worth(charge.amount)))
        case .succeeded:
            // A capture has set the amount. Otherwise the full amount is captured.
            if charge.amountCaptured == 0 { charge.amountCaptured = charge.amount }
            charge.capturedAt = now
            record(
                charge.id,
                .captured(
                    option: charge.method ?? "", amount: charge.worth(charge.amountCaptured), account: "sandbox payer"))
            record(charge.id, .settled)
        case .failed: record(charge.id, .failed)
        case .canceled:
            charge.canceledAt = now
            record(charge.id, .cancelled)
        case .expired: record(charge.id, .expired)
        }
        charges[token] = charge
        if status == .authorized || status == .succeeded { store(token) }
        notify(about: charge, wasAuthorized: wasAuthorized)
    }

    /// Applies an act of a payer, a wallet or a card issuer to a charge. The scenario's act takes precedence.
    func act(_ act: CitconAct, on token: String) throws(CitconSandboxError) {
        let charge = try charge(token)
        guard charge.status == .initiated else { return }
        switch charge.plan?.act ?? act {
        case .pay where charge.plan?.isPending == true: move(token, to: .pending)
        case .pay: move(token, to: charge.autoCapture ? .succeeded : .authorized)
        case .cancel: move(token, to: .canceled)
        case .fail: move(token, to: .failed)
        }
    }
}

extension CitconSandbox {
    /// The paths that the sandbox answers, for sharing one address; see ``SharedAddress``.
    public static let paths =
        [
            "access-tokens", "config", "charges", "transactions", "captures", "cancels", "refunds", "vault", "consults",
            "landing", "qr",
        ]
        .map { "/v1/\($0)" } + ["/upi/u_landing", "/sandbox/citcon"]
}

// MARK: - Configuration

extension CitconSandbox {
    /// The simulated version of the service: versions differ in their stated number, in units of time and in ids.
    @nonexhaustive
    public enum Layer: Sendable, Hashable, CaseIterable {
        /// As recorded in 2025: `v1.0.0`, seconds, ids of 22 digits.
        case recent
        /// As in the documents of 2022: `v0.1.1`, milliseconds, ids of 32 hexadecimal digits.
        case early

        var version: String { self == .recent ? "v1.0.0" : "v0.1.1" }

        /// Returns a time in the unit of this version's answers, from Unix seconds.
        func stamp(_ seconds: Int64) -> Int64 { self == .recent ? seconds : seconds * 1000 }
    }

    /// The form of amount and currency in answers. The first three keep their meaning, the others change it.
    @nonexhaustive
    public enum Echo: String, Sendable, Hashable, CaseIterable {
        /// The form of the request.
        case asSent = "as-sent"
        /// The currency in lower case.
        case lowerCase = "lower-case"
        /// The amount with a point and a zero.
        case fraction
        /// Ten times the amount.
        case otherAmount = "other-amount"
        /// Another currency.
        case otherCurrency = "other-currency"
        /// No currency at all.
        case noCurrency = "no-currency"

        /// True if the repeated amount and currency mean the requested ones.
        public var isTrue: Bool { self == .asSent || self == .lowerCase || self == .fraction }

        /// Returns `data` of an answer in this form.
        func reported(_ data: WireJSON) -> WireJSON {
            switch self {
            case .asSent: return data
            case .lowerCase: return data.changing("currency") { .string(($0.string ?? "").lowercased()) }
            case .fraction:
                return data.changing("amount") {
                    $0.number.flatMap { JSONNumber("\($0.text).0") }.map { .number($0) } ?? $0
                }
            case .otherAmount: return data.changing("amount") { $0.int64.map { .number(JSONNumber($0 * 10)) } ?? $0 }
            case .otherCurrency: return data.changing("currency") { $0 == "KWD" ? "BHD" : "KWD" }
            case .noCurrency: return data.changing("currency") { _ in .null }
            }
        }
    }

    /// The behaviour of the sandbox.
    public struct Configuration: Sendable {
        /// The simulated version of the service.
        public var layer = Layer.recent
        /// The merchant's secret: the key for access tokens and for the signature of notifications.
        public var privateKey = CitconSandbox.privateKey
        /// The payee's name on pages.
        public var merchant = "Kaffeehaus am Platz"
        /// The lifetime of access tokens, in seconds.
        public var tokenLifetime: Int64 = 24 * 3600
        /// The lifetime of a charge when its creator specifies none, in seconds. The service's own value is not known.
        public var chargeLifetime: Int64 = 2 * 3600
        /// The time after which the scenario ``Scenario/pending`` fails, in seconds.
        public var pendingTime: Int64 = 600
        /// The transport of notifications to `urls.ipn`. If nil, notifications are only kept; see
        /// ``CitconSandbox/notifications``.
        public var notifications: (any HTTPTransport)?
        /// The pauses before a notification is sent again. The service's own pauses are not documented.
        public var notificationPauses: [Duration] = [
            .seconds(10), .seconds(60), .seconds(300), .seconds(1800), .seconds(7200),
        ]

        /// The form of the amount and the currency in answers.
        public var echo = Echo.asSent

        /// Creates a configuration with the timing of the real service, as far as it is known.
        public init() {}
    }
}

// MARK: - Listing

extension CitconSandbox: ListedService {
    package nonisolated var id: String { CitconVendor().id.rawValue }
    package nonisolated var title: String { "Citcon" }
    package nonisolated var hint: String? {
        "For a server: the private key is \(Self.privateKey.reveal()); notifications go to a urls.ipn on this machine."
    }

    package nonisolated var scenarios: [SimulatedScenario] { Scenario.allCases.map { SimulatedScenario($0) } }

    package nonisolated func routes() -> [SharedAddress.Tenant] { [.init(self, paths: Self.paths)] }

    package func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = Scenario(rawValue: scenario), let charge = createCharge(scenario, over: amount) else {
            return nil
        }
        return SandboxPayment(
            id: charge.id, scenario: scenario.rawValue, summary: scenario.summary, link: charge.link)
    }

    package func payment(named word: String) -> String? {
        (charges[word] ?? tokensByID[word].flatMap { charges[$0] } ?? tokensByPage[word].flatMap { charges[$0] })?.id
    }

    package func facts(of payment: String) -> ListedFacts {
        ListedFacts(payee: configuration.merchant, amount: tokensByID[payment].flatMap { charges[$0]?.money })
    }

    package func pages(of payment: String) -> [ListedPage] {
        guard let token = tokensByID[payment], var charge = charges[token] else { return [] }
        if charge.pages.isEmpty {
            // A page replaces the wallet for users without one.
            charge.pages = makePages(of: charge, for: ["mobile_browser"])
            charges[token] = charge
        }
        return charge.pages.map { page in
            page.format == "qr"
                ? ListedPage("Code to scan", "/v1/qr/\(page.id)?from=home")
                : ListedPage("Payment page", "/v1/landing/\(page.id)?from=home")
        }
    }

    package func notifications(from index: Int) -> [SentNotification]? { notifications.dropFirst(index).map(summary) }

    package func notifyAgain(about payment: String) async -> SentNotification? {
        guard let index = notifications.lastIndex(where: { $0.charge == payment }),
            let transport = configuration.notifications, let url = try? HTTPURL(notifications[index].url)
        else { return nil }
        await send(index, to: url, over: transport)
        return summary(notifications[index])
    }

    private func summary(_ notification: Notification) -> SentNotification {
        SentNotification(
            payment: notification.charge, kind: notification.status, attempts: notification.attempts,
            isDelivered: notification.isDelivered,
            isSent: configuration.notifications != nil && (try? HTTPURL(notification.url)) != nil)
    }

    package func expire() {
        for token in Array(charges.keys) { _ = try? charge(token) }
    }
}
