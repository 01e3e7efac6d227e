import PaymentCore

/// One registered service and one payer: all calls of the service, and the checks of its answers.
///
/// What the service says of a payment leaves this file as a ``CheckedReport``. Nothing is written here.
struct ServiceClient: Sendable {
    private let service: any PaymentService
    let descriptor: ProviderDescriptor
    let payer: Payer
    let effects: RouterEffects
    /// The rules that decide if two records of the service are of the same payment.
    let identity: PaymentIdentity

    init(_ service: any PaymentService, _ descriptor: ProviderDescriptor, payer: Payer, effects: RouterEffects) {
        (self.service, self.descriptor, self.payer, self.effects) = (service, descriptor, payer, effects)
        identity = PaymentIdentity(at: descriptor.id, service)
    }

    /// Returns the client of another payer.
    func with(_ payer: Payer) -> ServiceClient { ServiceClient(service, descriptor, payer: payer, effects: effects) }

    // MARK: What the service can do

    private var provider: any PaymentProvider {
        get throws(PaymentError) {
            try able("is registered as a merchant's service, which payers do not pay at") { $0 as? any PaymentProvider }
        }
    }
    var capturer: any CapturingService {
        get throws(PaymentError) { try able("captures no payments") { $0 as? any CapturingService } }
    }
    var refunder: any RefundingService {
        get throws(PaymentError) { try able("makes no refunds") { $0 as? any RefundingService } }
    }
    var canceller: any CancellingService {
        get throws(PaymentError) { try able("cannot cancel payments") { $0 as? any CancellingService } }
    }
    var completer: any RedirectCompletingProvider {
        get throws(PaymentError) { try able("takes no return URLs") { $0 as? any RedirectCompletingProvider } }
    }
    private var reader: any NotificationReadingService {
        get throws(PaymentError) { try able("takes no notifications") { $0 as? any NotificationReadingService } }
    }

    /// Returns the service as one with an ability.
    ///
    /// - Throws: ``PaymentError``, `unsupported`, with `lack`, when it has not.
    private func able<Ability>(
        _ lack: String, _ cast: (any PaymentService) -> Ability?
    ) throws(PaymentError) -> Ability {
        guard let ability = cast(service) else { throw error(.unsupported, "\(descriptor.name) \(lack)") }
        return ability
    }

    /// True if only the payer's settler sees the payments.
    var isSettledByPayer: Bool { service is any SettlingProvider }

    // MARK: Asking

    /// Asks the provider for the terms and marks the options that this payer cannot fulfil.
    ///
    /// - Returns: the terms without an outcome, and what the service reports of a payment that is over or in progress.
    func quote(_ request: QuoteRequest) async throws -> (terms: PaymentQuote, report: CheckedReport?) {
        effects.emit(.quoting, at: descriptor.id, request.reference)
        let claim = try await provider.quote(request, in: queries(about: request.reference, request.link))
        guard claim.reference == request.reference else {
            throw error(.integrity, "the quote is for another payment than the link")
        }
        let report = try claim.report.map { try CheckedReport($0, of: claim.reference) }
        var quote = PaymentQuote(claim)
        try quote.checkOptionIDs()
        quote.link = Redacted(request.link)
        quote = marked(quote)
        effects.emit(.quoted(quote), at: descriptor.id, request.reference)
        return (quote, report)
    }

    /// Returns the amounts of the options that are offered now; none for a quote of another payment. No quote is
    /// reported, because nothing is about to be paid.
    func amounts(of request: QuoteRequest) async throws -> [Money] {
        let quote = try await provider.quote(request, in: queries(about: request.reference, request.link))
        return quote.reference == request.reference ? quote.options.map(\.amount) : []
    }

    /// Returns the quote with what this payer cannot fulfil of its options, and what they may cost it beyond their
    /// amounts.
    func marked(_ quote: PaymentQuote) -> PaymentQuote {
        var quote = quote
        for (index, option) in quote.options.enumerated() {
            quote.options[index].unmet = payer.unmet(of: option.needs)
            for case .settlement(let kind, _) in option.needs {
                quote.options[index].feeLimit = payer.settler?.feeLimit(for: option.amount, to: kind)
            }
        }
        return quote
    }

    /// Returns the report of the payer's settler on an attempt that it was asked to pay. Nil if it was not asked, or
    /// another settler was.
    ///
    /// - Throws: any error, if the settler does not answer.
    func settlement(of history: AttemptHistory) async throws -> CheckedReport? {
        guard let provider = service as? any SettlingProvider, let settler = history.authorities.settler,
            settler == payer.settler?.name
        else { return nil }
        let attempt = history.attempt
        let report = try await provider.settlement(of: attempt, in: queries(about: attempt.reference))
        return try CheckedReport(report, of: attempt.reference).checked(against: attempt)
    }

    func status(of payment: PaymentReference) async throws -> CheckedReport {
        try checkIsPayment(payment)
        return try CheckedReport(try await service.status(of: payment, in: queries(about: payment)), of: payment)
    }

    /// Asks for the status of the payment, capture or refund of `attempt`.
    ///
    /// - Parameter context: the context of the attempt's run; without one, one that only asks.
    func status(of attempt: PaymentAttempt, in context: ProviderContext? = nil) async throws -> CheckedReport {
        let payment = attempt.reference
        let context = context ?? queries(about: payment)
        let report: ServiceReport
        if let capture = attempt.capture {
            report = try await capturer.status(of: capture, in: context)
        } else if let refund = attempt.refundAtService {
            report = try await refunder.status(of: refund, in: context)
        } else {
            try checkIsPayment(payment)
            report = try await service.status(of: payment, in: context)
        }
        return try CheckedReport(report, of: payment)
    }

    // MARK: Paying

    /// Has the provider pay, or the service capture or refund.
    func perform(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> CheckedReport {
        let report: ServiceReport
        if let capture = attempt.capture {
            report = try await capturer.capture(capture, in: context)
        } else if let refund = attempt.refundAtService {
            report = try await refunder.refund(refund, in: context)
        } else {
            try checkIsPayment(attempt.reference)
            report = try await provider.pay(attempt, in: context)
        }
        return try CheckedReport(report, of: attempt.reference)
    }

    /// Completes `attempt`, whose payer returned through `callback`.
    ///
    /// - Throws: any error; ``PaymentError``, `unsupported`, when the provider takes no return URLs.
    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> CheckedReport {
        try CheckedReport(try await completer.complete(callback, for: attempt, in: context), of: attempt.reference)
    }

    /// Has the service cancel a payment.
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> CheckedReport {
        try CheckedReport(try await canceller.cancel(payment, in: context), of: payment)
    }

    /// Refuses a notification that is not genuine, or about another service's payment.
    func verify(_ notification: IncomingNotification) throws -> GenuineNotification {
        let genuine = try reader.verify(notification)
        guard genuine.reference.provider == descriptor.id else {
            throw error(.integrity, "the notification is about another provider's payment")
        }
        return GenuineNotification(
            reference: genuine.reference, report: try CheckedReport(genuine.report, of: genuine.reference))
    }

    /// Has the payee of a paid attempt notified, if that is left to this side. A payer that paid elsewhere notifies the
    /// payee itself.
    func notifyPayee(of history: AttemptHistory) async {
        let attempt = history.attempt
        guard case .succeeded(let receipt)? = history.outcome, history.authorities.haveSettlement,
            receipt.decision == nil, let notifier = service as? any PayeeNotifyingProvider
        else { return }
        do { try await notifier.notifyPayee(receipt.fact, of: attempt, in: queries(about: attempt.reference)) } catch {
            let reason = PaymentError(thrown: error, at: descriptor.id).message
            effects.emit(.note("it is paid, but the payee cannot be notified now: \(reason)"), of: attempt)
        }
    }

    /// Returns a context that permits only queries.
    private func queries(about payment: PaymentReference, _ link: PaymentLink? = nil) -> ProviderContext {
        effects.context(
            for: descriptor, payer: payer, steps: QueriesOnly(provider: descriptor.id), about: payment, link: link)
    }

    // MARK: Checking

    /// Returns the option of `quote` with this `id`, if this payer can fulfil it. The only place that decides this.
    ///
    /// - Throws: ``PaymentError``, `unusableOption`.
    func option(_ id: PaymentMethodOption.ID, of quote: PaymentQuote) throws(PaymentError) -> PaymentMethodOption {
        guard let option = quote.options.first(where: { $0.id == id }) else {
            throw error(.unusableOption, "there is no option '\(id)'; the quote's options are listed with it")
        }
        let unmet = payer.unmet(of: option.needs)
        guard unmet.isEmpty else {
            let needs = unmet.map(\.description).joined(separator: ", ")
            throw error(.unusableOption, "the option '\(id)' needs \(needs)")
        }
        return option
    }

    /// Throws for a capture or a refund: a provider cannot pay it, ask about it or cancel it as a payment.
    func checkIsPayment(_ payment: PaymentReference) throws(PaymentError) {
        guard payment.isPayment else {
            let kind = payment.subject.kind
            throw error(.notAPayment, "this is a \(kind); ask for it again, as before, to learn what has become of it")
        }
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        PaymentError(code, message, provider: descriptor.id, phase: phase, cause: cause)
    }
}

/// A notification that a service really sent, and what it reports.
struct GenuineNotification: Sendable {
    let reference: PaymentReference
    let report: CheckedReport
}

/// Steps outside an attempt. Queries run. Any other step is a fault of the provider.
private struct QueriesOnly: StepRunner {
    let provider: ProviderID

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        guard kind == .query else {
            throw PaymentError(
                .providerFault, "the step '\(name)' needs an attempt; quotes and status queries only ask",
                provider: provider)
        }
        return try await body()
    }

    func hasRun(_ name: String) async -> Bool { false }

    func ensureInCharge() async throws {
        throw PaymentError(.providerFault, "only an attempt has a caller in charge", provider: provider)
    }
}
