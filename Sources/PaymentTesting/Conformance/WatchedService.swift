import PaymentCore

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

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
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
