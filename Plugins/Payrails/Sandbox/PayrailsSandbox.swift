public import PaymentCore
import PaymentCrypto
public import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A simulated Payrails: the merchant's calls, the client's calls and the payers' pages, with executions whose status
/// changes as time passes. Offline; no money, no card network.
///
/// The sandbox does not use this package's client: its checks and answers follow the service's documentation and the
/// requests of the vendor's own client. A request to pay is checked as a whole before any effect, and card data is
/// decrypted.
public actor PayrailsSandbox: SandboxService {
    let configuration: Configuration
    let clock: any PaymentClock
    let random: any RandomSource
    var log = SandboxLedger()
    var sent: [Notification] = []
    /// Deliveries in flight, by the indexes of their notifications.
    var deliveries: [Int: Task<Void, Never>] = [:]
    var executions: [String: Execution] = [:]
    /// Sessions for storing cards, which have no execution.
    var tokenizations: [String: Tokenization] = [:]
    var holders: [String: Holder] = [:]
    /// The merchant's access tokens with their expiries.
    var accessTokens: [String: Timestamp] = [:]
    /// The delay from the answer to a merchant's action until it begins visibly, and its duration.
    var actionPace = (delay: Duration.zero, length: Duration.milliseconds(200))
    /// The kinds of the next actions that fail.
    var failing: [MerchantAction.Verb] = []
    /// The answers to calls with an idempotency key.
    var answers: [String: HTTPResponse] = [:]
    /// The ids of executions, or sessions for storing cards, by the idempotency key that created them.
    var inits: [String: String] = [:]

    /// Creates an empty sandbox.
    ///
    /// - Parameters:
    ///   - configuration: the pace, and the credentials that it accepts.
    ///   - clock: determines the times of statuses and the expiry of tokens; held requests wait on it.
    ///   - random: the source of ids and tokens.
    public init(
        _ configuration: Configuration = Configuration(), clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
    }

    /// The events of executions so far: `captured` is a successful authorisation, with the source of the payment;
    /// `confirmRequested` is a request to authorise, acceptable or not.
    public var ledger: SandboxLedger {
        advanceAll()
        return log
    }

    /// The notifications to a merchant so far, oldest first.
    public var notifications: [Notification] {
        advanceAll()
        return sent
    }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        do { return try await route(request) } catch { return error.response(random) }
    }

    private func route(_ request: HTTPRequest) async throws(PayrailsSandboxError) -> HTTPResponse {
        var path = request.url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let isPublic = path.first == "public"
        if isPublic { path.removeFirst() }
        switch path.first {
        case "auth" where !isPublic && path.count == 3 && path[1] == "token": return try accessToken(request, path[2])
        case "merchant" where !isPublic && path == ["merchant", "client", "init"]: return try initClient(request)
        case "merchant" where !isPublic && path == ["merchant", "vault", "public-info"]: return try vaultInfo(request)
        case "merchant" where path.count >= 5 && path[1] == "workflows" && path[3] == "executions":
            return try await execution(request, path[4], Array(path.dropFirst(5)), isPublic: isPublic)
        case "payment" where path.count >= 2 && path[1] == "instruments":
            return try instruments(request, Array(path.dropFirst(2)), isPublic: isPublic)
        case "payment" where !isPublic && path.count == 2 && path[1] == "payments": return try payments(request)
        case "redirect" where isPublic: return try page(request, path)
        case "agreements" where path == ["agreements", "approve"]: return try payPalPage(request)
        case "html" where path.count == 2: return try returnPage(path[1])
        default: throw .unknownPath
        }
    }

    // MARK: State

    var now: Timestamp { Timestamp(clock.now) }

    func note(_ id: String, _ event: SandboxLedger.Event) {
        log.record(event, of: id)
    }

    /// Returns the execution `id` in its present state.
    func current(_ id: String) throws(PayrailsSandboxError) -> Execution {
        advance(id)
        guard let execution = executions[id] else { throw .unknownExecution }
        return execution
    }

    /// Writes the due statuses of all executions. Most have none left.
    private func advanceAll() {
        let canBeAbandoned = configuration.abandonedAfter != nil
        let open = executions.lazy.filter { canBeAbandoned || !$0.value.due.isEmpty }.map(\.key)
        for id in open.sorted() { advance(id) }
    }

    /// Writes the due statuses of the execution `id`.
    func advance(_ id: String) {
        guard var execution = executions[id] else { return }
        let now = now
        var shown = execution.due.filter { $0.time <= now }
        if let end = configuration.abandonedAfter.map({ execution.createdAt + $0 }), end <= now,
            !execution.isCancelled, !execution.has("authorizeSuccessful"),
            !shown.contains(where: { $0.code == "authorizeSuccessful" && $0.time <= end })
        {
            // Later statuses are dropped, and the execution's page stops working.
            execution.due.removeAll { $0.time > end }
            execution.action = nil
            execution.schedule([Step("cancelRequested"), Step("cancelSuccessful")], from: end)
            shown = execution.due
        }
        execution.due.removeAll { $0.time <= now }
        guard !shown.isEmpty else { return }
        for status in shown {
            execution.entries.append(.init(code: status.code, time: status.stamp, reason: status.reason))
        }
        executions[id] = execution
        for status in shown { happened(status, execution) }
        // An event may have scheduled another one that is due at once.
        if executions[id]?.due.contains(where: { $0.time <= now }) == true { advance(id) }
    }

    private func happened(_ status: Execution.Due, _ execution: Execution) {
        switch status.code {
        case "authorizeSuccessful":
            guard let tender = execution.tender else { break }
            let amount = "\(execution.amount.value) \(execution.amount.currency)"
            note(execution.id, .captured(option: tender.method, amount: amount, account: tender.label))
            keep(tender, execution)
            captureByItself(execution)
        case "authorizeFailed": note(execution.id, .failed)
        default: ended(status, of: execution.id)
        }
        notify(status, execution)
    }

    /// Stores the instrument of the payment, if the payer asked for it.
    private func keep(_ tender: Tender, _ execution: Execution) {
        guard tender.stores else { return }
        switch tender.means {
        case .card(let card):
            holders[execution.holder]?.instruments.append(Instrument(card, id: random.uuid(), createdAt: now))
        case .payPal:
            holders[execution.holder]?.instruments.append(
                Instrument(
                    id: random.uuid(), method: "payPal", createdAt: now, status: "created",
                    data: ["email": "payer@example.com"]))
        case .stored, .applePay, .redirect: break
        }
    }
}

extension PayrailsSandbox {
    /// The paths that the sandbox answers, for sharing one address; see ``SharedAddress``.
    public static let paths = ["/auth", "/merchant", "/payment", "/public", "/agreements", "/html", "/checkout"]
}

extension PayrailsSandbox {
    /// The behaviour of the sandbox, and the credentials that it accepts.
    public struct Configuration: Sendable {
        /// The origin of the links of sessions that ``PayrailsSandbox/createSession(_:amount:holder:base:)`` creates
        /// without an address. Nil: a host name of the real service, for clients whose transport is the sandbox.
        public var baseURL: HTTPURL?
        /// The lifetime of a client's token, in seconds. The service's own is unknown. The default is the lifetime that
        /// the service documents for its card encryption key.
        public var tokenLifetime: Int64 = 3300
        /// The lifetime of a merchant's access token, in seconds.
        public var accessTokenLifetime: Int64 = 3600
        /// The maximum time that a request with `waitWhile` is held. The service's own limit is unknown.
        public var longestHold = Duration.seconds(30)
        /// The age of unpaid executions that merchants cancel, as shops clear orders away. Nil: they never do.
        public var abandonedAfter: Duration?
        /// The merchant's client id, as in the path of `/auth/token/…`.
        public var clientID = "sandbox-merchant"
        /// The merchant's secret, as sent in `x-api-key`.
        public var clientSecret = Redacted("sandbox-secret")
        /// The secret that notifications are signed with.
        public var webhookSecret = Redacted("sandbox-webhook-secret")
        /// True if the secret spells the key in hexadecimal digits; false if it is the key. The service's own form is
        /// unknown.
        public var spellsWebhookKey = false
        /// The addresses that receive notifications. Executions keep the addresses of the time of their creation.
        public var notificationURLs: [String] = []
        /// The transport for notifications. Nil: they are only kept, see ``PayrailsSandbox/notifications``.
        public var notificationTransport: (any HTTPTransport)?
        /// The pauses before a notification is sent again. Up to ten repetitions with growing pauses in about six hours
        /// are documented; the pauses themselves are not.
        public var notificationPauses: [Duration] = (0..<10).map { .seconds(21 << $0) }
        /// True if the service states the records of payments.
        public var statesRecords = true
        /// The delay from authorisation to automatic capture. Nil: the merchant requests the capture.
        public var capturesAfter: Duration?

        /// Creates a configuration with the pace of the real service.
        public init() {}
    }
}

// MARK: - Requests

/// The requirements of every call, and the answers to repeated requests.
extension PayrailsSandbox {
    /// Returns the JSON object in the body.
    func object(_ request: HTTPRequest) throws(PayrailsSandboxError) -> JSONValue {
        guard request.mediaType == "application/json",
            let body = try? JSONValue(parsing: request.body), body.object != nil
        else { throw .notJSON }
        return body
    }

    /// Accepts a client's request only with the token of its session.
    func requireClient(_ request: HTTPRequest, _ execution: Execution) throws(PayrailsSandboxError) {
        guard let token = execution.token, token.expiresAt > now, let sent = bearer(request),
            ConstantTime.equal(Array(sent.utf8), Array(token.text.utf8))
        else { throw .unauthorized }
    }

    /// Returns the holder of the session that the request's token belongs to.
    func holder(of request: HTTPRequest) throws(PayrailsSandboxError) -> String {
        let now = now
        guard let sent = bearer(request) else { throw .unauthorized }
        func isSent(_ token: (text: String, expiresAt: Timestamp)?) -> Bool {
            token.map { $0.text == sent && $0.expiresAt > now } ?? false
        }
        if let execution = executions.values.first(where: { isSent($0.token) }) { return execution.holder }
        if let session = tokenizations.values.first(where: { isSent($0.token) }) { return session.holder }
        throw .unauthorized
    }

    /// Returns the session for storing cards that the request's token belongs to.
    func tokenization(of request: HTTPRequest) throws(PayrailsSandboxError) -> Tokenization {
        let now = now
        guard let sent = bearer(request),
            let session = tokenizations.values.first(where: { session in
                session.token.map { $0.text == sent && $0.expiresAt > now } ?? false
            })
        else { throw .unauthorized }
        return session
    }

    /// Accepts a merchant's request only with a valid access token.
    func requireMerchant(_ request: HTTPRequest) throws(PayrailsSandboxError) {
        guard let token = bearer(request), let end = accessTokens[token], end > now else { throw .unauthorized }
    }

    private func bearer(_ request: HTTPRequest) -> String? {
        guard let value = request.headers["Authorization"], value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }

    /// Returns the earlier answer to the same key at the same address, or the answer made now.
    ///
    /// Refusals are not stored: a corrected request may come with the same key.
    func once(
        _ request: HTTPRequest, _ make: () throws(PayrailsSandboxError) -> HTTPResponse
    ) throws(PayrailsSandboxError) -> HTTPResponse {
        guard let key = request.headers["x-idempotency-key"], !key.isEmpty else { throw .keyMissing }
        let name = "\(request.method.rawValue) \(request.url.path) \(key)"
        if let earlier = answers[name] { return earlier }
        let answer = try make()
        answers[name] = answer
        return answer
    }

    /// Returns the error that the execution's scenario has in place of an answer to `call`; nil if it has none.
    func fault(_ call: Scenario.Plan.Call, _ id: String) -> HTTPResponse? {
        guard let execution = executions[id], let fault = execution.scenario.plan.fault, fault.call == call,
            execution.faults < fault.times
        else { return nil }
        // Reads before the request to pay are outside the scenario.
        guard call != .read || execution.tender != nil else { return nil }
        executions[id]?.faults += 1
        switch fault.kind {
        case .unauthorized:
            expireSession(id)
            return PayrailsSandboxError.unauthorized.response(random)
        case .serverError: return PayrailsSandboxError.internalError.response(random)
        case .invalid:
            return PayrailsSandboxError.invalid("paymentComposition", "is not accepted for this workflow").response(
                random)
        case .withheld: return PayrailsSandboxError.withheld.response(random)
        case .garbage:
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "text/html"], body: Array("<html>Please wait</html>".utf8))
        }
    }
}
