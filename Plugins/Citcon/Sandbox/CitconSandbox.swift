public import PaymentCore
public import PaymentTesting

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
    ///   - clock: decides when charges and tokens expire; notifications are repeated on it.
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
    ///   - returnURL: the address to which payment pages return payers.
    public func createCharge(
        _ scenario: Scenario = .wechatPay, ipn: String? = nil, returnURL: String = "com.citcon.citconpay://"
    ) -> Charge {
        makeCharge(scenario, amount: scenario.plan.price.amount, ipn: ipn, returnURL: returnURL)
    }

    /// Creates a charge of a scenario over another amount; nil when its currency is not the scenario's.
    package func createCharge(
        _ scenario: Scenario, over amount: Money, ipn: String? = nil, returnURL: String = "com.citcon.citconpay://"
    ) -> Charge? {
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

    /// Pays a charge without an app, as by a code at the counter; the scenario can override the outcome. Does nothing
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

    /// Answers one request; a connection that the scenario drops becomes status 500 here.
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
            // A capture has set the amount; otherwise the full amount is captured.
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
