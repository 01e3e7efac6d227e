package import PaymentCore
import PaymentRouting
import Synchronization

/// A provider or merchant's service under observation, with the capabilities of its base.
struct WatchedService<Base: PaymentService>: PaymentService {
    let base: Base
    let observation: Observation

    var descriptor: ProviderDescriptor { base.descriptor }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: payment, in: watched(context))
    }

    fileprivate func watched(_ context: ProviderContext) -> ProviderContext {
        context.copy(
            http: WatchedTransport(base: context.http, observation: observation),
            steps: WatchedSteps(context: context, observation: observation))
    }
}

extension Observation {
    /// Returns `service` under observation.
    func watching(_ service: any PaymentService) -> any PaymentService {
        func watch(_ service: some PaymentService) -> any PaymentService {
            WatchedService(base: service, observation: self)
        }
        return watch(service)
    }
}

extension WatchedService: PaymentProvider where Base: PaymentProvider {
    func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await base.quote(request, in: watched(context))
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        observation.agree(attempt.option.amount)
        return try await base.pay(attempt, in: watched(context))
    }
}

extension WatchedService: RedirectCompletingProvider where Base: RedirectCompletingProvider {
    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        observation.noteReturn()
        return try await base.complete(callback, for: attempt, in: watched(context))
    }
}

extension WatchedService: ReusableReferenceProvider where Base: ReusableReferenceProvider {
    func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        try base.distinguish(link, from: attempt)
    }
}

extension WatchedService: AliasedPaymentProvider where Base: AliasedPaymentProvider {
    func isUnresolved(_ payment: PaymentReference) -> Bool { base.isUnresolved(payment) }
}

extension WatchedService: SettlingProvider where Base: SettlingProvider {
    func settlement(of attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try await base.settlement(of: attempt, in: watched(context))
    }
}

extension WatchedService: PayeeProvider where Base: PayeeProvider {
    func payee(of option: PaymentMethodOption) -> String? { base.payee(of: option) }
}

extension WatchedService: CapturingService where Base: CapturingService {
    func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.capture(request, in: watched(context))
    }

    func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: capture, in: watched(context))
    }
}

extension WatchedService: RefundingService where Base: RefundingService {
    var refundsOnce: Bool { base.refundsOnce }

    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.refund(request, in: watched(context))
    }

    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: refund, in: watched(context))
    }
}

extension WatchedService: CancellingService where Base: CancellingService {
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.cancel(payment, in: watched(context))
    }
}

extension WatchedService: NotificationReadingService where Base: NotificationReadingService {
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        try base.verify(notification)
    }
}

private struct WatchedTransport: HTTPTransport {
    let base: any HTTPTransport
    let observation: Observation

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        observation.note(
            Observation.Sent(step: WatchedSteps.current?.name, kind: WatchedSteps.current?.kind, request: request))
        observation.moment()
        let response = try await base.send(request)
        observation.moment()
        return response
    }
}

private struct WatchedSteps: StepRunner {
    struct Step: Sendable {
        let name: String
        let kind: StepKind
    }

    @TaskLocal static var current: Step?

    let context: ProviderContext
    let observation: Observation

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        observation.moment()
        let step = Step(name: name, kind: kind)
        let result: JSONValue = try await context.durable(name, kind) {
            try await Self.$current.withValue(step) { try await body() }
        }
        observation.moment()
        return result
    }

    func hasRun(_ name: String) async -> Bool { await context.hasRun(name) }

    func ensureInCharge() async throws { try await context.ensureInCharge() }
}

// MARK: - Observation

/// The requests, journal and log of a provider under observation.
final class Observation: Sendable {
    /// A request as the provider sent it.
    struct Sent: Sendable {
        let step: String?
        let kind: StepKind?
        let request: HTTPRequest

        /// True if it could move money.
        var isMutation: Bool {
            guard case .mutation? = kind else { return false }
            return !request.method.isSafe
        }
    }

    private struct State {
        var sent: [Sent] = []
        var responses: [HTTPResponse] = []
        var events: [PaymentEvent] = []
        var agreed: Money?
        var moments = 0
        var hasCompleted = false
        var refuses = true
    }

    private let state = Mutex(State())
    /// The moment at which the provider's task is cancelled, or nil.
    let cancellation: Int?

    init(cancellation: Int? = nil) { self.cancellation = cancellation }

    var sent: [Sent] { state.withLock { $0.sent } }
    var responses: [HTTPResponse] { state.withLock { $0.responses } }
    var events: [PaymentEvent] { state.withLock { $0.events } }
    var agreed: Money? { state.withLock { $0.agreed } }
    var moments: Int { state.withLock { $0.moments } }
    /// True if a return was passed to the provider.
    var hasCompleted: Bool { state.withLock { $0.hasCompleted } }

    /// True until the first process and the calls after it are over.
    var refuses: Bool { state.withLock { $0.refuses } }
    /// The number of the first request that could move money; nil if there was none.
    var firstMutation: Int? { sent.firstIndex(where: \.isMutation) }

    func endRefusals() { state.withLock { $0.refuses = false } }
    func note(_ sent: Sent) { state.withLock { $0.sent.append(sent) } }
    func note(_ event: PaymentEvent) { state.withLock { $0.events.append(event) } }
    func note(_ response: HTTPResponse) { state.withLock { $0.responses.append(response) } }
    func noteReturn() { state.withLock { $0.hasCompleted = true } }
    func agree(_ amount: Money) { state.withLock { $0.agreed = amount } }

    /// A moment at which the provider could be cancelled.
    func moment() {
        let number = state.withLock { state in
            defer { state.moments += 1 }
            return state.moments
        }
        if number == cancellation { withUnsafeCurrentTask { $0?.cancel() } }
    }
}

extension ProviderContext {
    /// Returns a copy with another network, or with another runner of its steps.
    ///
    /// - Parameters:
    ///   - http: The copy's network; nil for the same.
    ///   - steps: Runs the copy's steps; nil for this context.
    package func copy(http: (any HTTPTransport)? = nil, steps: (any StepRunner)? = nil) -> ProviderContext {
        ProviderContext(
            http: http ?? self.http, payer: payer, clock: clock, random: random, secrets: secrets, link: link,
            steps: steps ?? ContextSteps(context: self), remark: { log($0) })
    }
}

/// The steps of a context.
private struct ContextSteps: StepRunner {
    let context: ProviderContext

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        try await context.durable(name, kind, body)
    }

    func hasRun(_ name: String) async -> Bool { await context.hasRun(name) }

    func ensureInCharge() async throws { try await context.ensureInCharge() }
}
