public import PaymentCore
import PaymentCrypto
public import PaymentTesting

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
