public import PaymentCore
import PaymentCrypto
public import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A simulated Payrails: the merchant's calls, the client's calls and the pages that payers see, with executions whose
/// state really changes as time passes. Offline; no money, no card network.
///
/// It knows nothing of this package's client: what it accepts and answers is written from the service's documentation
/// and from what the vendor's own client sends. A request to pay is checked as a whole before anything changes, and
/// card data is really decrypted.
public actor PayrailsSandbox: SandboxService {
    let configuration: Configuration
    let clock: any PaymentClock
    let random: any RandomSource
    var log = SandboxLedger()
    var sent: [Notification] = []
    /// Deliveries that are on their way, by the places of their notifications.
    var deliveries: [Int: Task<Void, Never>] = [:]
    var executions: [String: Execution] = [:]
    /// Sessions for storing cards, which have no execution.
    var tokenizations: [String: Tokenization] = [:]
    var holders: [String: Holder] = [:]
    /// The merchant's access tokens and when they end.
    var accessTokens: [String: Timestamp] = [:]
    /// What was answered to a call with an idempotency key.
    var answers: [String: HTTPResponse] = [:]
    /// Which execution, or session for storing cards, a merchant's idempotency key made.
    var inits: [String: String] = [:]

    /// Creates an empty sandbox.
    ///
    /// - Parameters:
    ///   - configuration: its pace and what it lets in.
    ///   - clock: decides when statuses show and tokens end; held requests wait on it.
    ///   - random: makes ids and tokens.
    public init(
        _ configuration: Configuration = Configuration(), clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
    }

    /// What happened so far to executions: `captured` is an authorisation that went through, with what it was paid
    /// from; `confirmRequested` a request to authorise, acceptable or not.
    public var ledger: SandboxLedger {
        advanceAll()
        return log
    }

    /// The notifications that a merchant would have been sent, oldest first.
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

    /// The execution called `id` as it is now.
    func current(_ id: String) throws(PayrailsSandboxError) -> Execution {
        advance(id)
        guard let execution = executions[id] else { throw .unknownExecution }
        return execution
    }

    /// Writes the statuses of all executions whose time has come. Most have none that is still to come.
    private func advanceAll() {
        let canBeAbandoned = configuration.abandonedAfter != nil
        let open = executions.lazy.filter { canBeAbandoned || !$0.value.due.isEmpty }.map(\.key)
        for id in open.sorted() { advance(id) }
    }

    /// Writes the statuses of `id` whose time has come.
    func advance(_ id: String) {
        guard var execution = executions[id] else { return }
        let now = now
        var shown = execution.due.filter { $0.time <= now }
        if let end = configuration.abandonedAfter.map({ execution.createdAt + $0 }), end <= now,
            !execution.isCancelled, !execution.has("authorizeSuccessful"),
            !shown.contains(where: { $0.code == "authorizeSuccessful" && $0.time <= end })
        {
            // Nothing that was planned for later happens any more, and its page is gone.
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
        // What happened may have set off what happens at once.
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

    /// Keeps what was paid with, when the payer asked for it.
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
    /// The paths at which it answers, for sharing one address; see ``SharedAddress``.
    public static let paths = ["/auth", "/merchant", "/payment", "/public", "/agreements", "/html", "/checkout"]
}
