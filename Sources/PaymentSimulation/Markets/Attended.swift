package import PaymentCore
import PaymentTesting

/// A provider or merchant's service as applications have it, with a witness: its work for an attempt is recorded as
/// such, and an upgrade may have renamed its steps. It has the capabilities of the provider.
struct Attended<Base: PaymentService>: PaymentService {
    let base: Base
    let witness: Witness
    var edition = Edition.first
    /// Wraps the provider's context as the application does.
    var surround: @Sendable (ProviderContext) -> ProviderContext = { $0 }

    var descriptor: ProviderDescriptor { base.descriptor }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: payment, in: surround(context))
    }
}

extension Attended: PaymentProvider where Base: PaymentProvider {
    func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await base.quote(request, in: surround(context))
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        witness.sees(attempt)
        return try await Acting.$attempt.withValue(attempt) {
            try await base.pay(attempt, in: edition.steps(surround(context)))
        }
    }
}

/// The release of an application that runs.
enum Edition: Sendable, Hashable {
    case first
    /// The release with other names of steps.
    case renamed

    fileprivate func steps(_ context: ProviderContext) -> ProviderContext {
        self == .first ? context : context.copy(steps: RenamedSteps(context: context))
    }
}

/// Steps under other names, except the settlement, which no provider has named.
private struct RenamedSteps: StepRunner {
    let context: ProviderContext

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        if case .settlement = kind { return try await context.durable(name, kind, body) }
        return try await context.durable(renamed(name), kind, body)
    }

    func hasRun(_ name: String) async -> Bool { await context.hasRun(name == "settle" ? name : renamed(name)) }

    func ensureInCharge() async throws { try await context.ensureInCharge() }

    private func renamed(_ name: String) -> String { "\(name), as of late" }
}

extension Attended: RedirectCompletingProvider where Base: RedirectCompletingProvider {
    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        witness.sees(attempt)
        return try await Acting.$attempt.withValue(attempt) {
            try await base.complete(callback, for: attempt, in: edition.steps(surround(context)))
        }
    }
}

extension Attended: CancellingService where Base: CancellingService {
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.cancel(payment, in: edition.steps(surround(context)))
    }
}

extension Attended: RefundingService where Base: RefundingService {
    var refundsOnce: Bool { base.refundsOnce }

    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.refund(request, in: edition.steps(surround(context)))
    }

    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: refund, in: surround(context))
    }
}

extension Attended: CapturingService where Base: CapturingService {
    func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.capture(request, in: edition.steps(surround(context)))
    }

    func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: capture, in: surround(context))
    }
}

extension Attended: NotificationReadingService where Base: NotificationReadingService {
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        try base.verify(notification)
    }
}

extension Attended: AliasedPaymentProvider where Base: AliasedPaymentProvider {
    func isUnresolved(_ payment: PaymentReference) -> Bool { base.isUnresolved(payment) }
}

extension Attended: ReusableReferenceProvider where Base: ReusableReferenceProvider {
    func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        try base.distinguish(link, from: attempt)
    }
}

extension Attended: SettlingProvider where Base: SettlingProvider {
    func settlement(of attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try await base.settlement(of: attempt, in: edition.steps(surround(context)))
    }
}

extension Attended: PayeeProvider where Base: PayeeProvider {
    func payee(of option: PaymentMethodOption) -> String? { base.payee(of: option) }
}

/// A device or a merchant's server, and the process on it.
package struct Doer: Sendable, Hashable {
    /// The number of the journal: 0 for the first device.
    package let device: Int
    /// The number of the process.
    package let process: Int

    package init(device: Int, process: Int) {
        self.device = device
        self.process = process
    }
}

/// The origin of an action. Tasks inherit it, so the wallet and the network need no parameter for it.
package enum Acting {
    /// The caller of the router.
    @TaskLocal package static var doer: Doer?
    /// The number of the call. A caller that joins a payment in progress receives another call's events.
    @TaskLocal package static var call: Int?
    /// The attempt that a provider performs.
    @TaskLocal package static var attempt: PaymentAttempt?
}
