import PaymentCore

/// One registered service and one payer: the queries outside of any attempt, and the checks of the service's answers.
/// Nothing is written here and nothing is moved.
struct ServiceClient: Sendable {
    let service: any PaymentService
    let descriptor: ProviderDescriptor
    let payer: Payer
    let effects: RouterEffects

    /// The service as a payers' provider.
    ///
    /// - Throws: ``PaymentError``, `unsupported`, when it is a merchant's.
    var provider: any PaymentProvider {
        get throws(PaymentError) {
            guard let provider = service as? any PaymentProvider else {
                throw error(
                    .unsupported,
                    "\(descriptor.name) is registered as a merchant's service, which payers do not pay at")
            }
            return provider
        }
    }

    /// The service as one that makes refunds.
    ///
    /// - Throws: ``PaymentError``, `unsupported`, when it does not.
    var refunder: any RefundingService {
        get throws(PaymentError) {
            guard let refunder = service as? any RefundingService else {
                throw error(.unsupported, "\(descriptor.name) makes no refunds")
            }
            return refunder
        }
    }

    /// True if only the payer's settler sees the payments.
    var isSettledByPayer: Bool { service is any SettlingProvider }

    /// Returns the payee of an option, where its link names no single payment; nil otherwise.
    func payee(of option: PaymentMethodOption) -> String? { (service as? any PayeeProvider)?.payee(of: option) }

    // MARK: Asking

    /// Asks the provider for the terms and marks the options that this payer cannot fulfil.
    func quote(_ request: QuoteRequest) async throws -> PaymentQuote {
        effects.emit(.quoting, at: descriptor.id, request.reference)
        var quote = try await provider.quote(request, in: queries(about: request.reference, request.link))
        guard quote.reference == request.reference else {
            throw error(.integrity, "the quote is for another payment than the link")
        }
        if let outcome = quote.outcome { _ = try checked(outcome, of: quote.reference) }
        try quote.checkOptionIDs()
        quote.link = Redacted(request.link)
        for index in quote.options.indices {
            quote.options[index].unmet = payer.unmet(of: quote.options[index].needs)
        }
        effects.emit(.quoted(quote), at: descriptor.id, request.reference)
        return quote
    }

    /// Asks for the outcome of `payment`.
    func status(of payment: PaymentReference) async throws -> PaymentOutcome {
        try checkIsPayment(payment)
        return try checked(try await service.status(of: payment, in: queries(about: payment)), of: payment)
    }

    /// Asks for the outcome of the payment or refund of `attempt`; the answer is not checked yet.
    ///
    /// - Parameter context: the context of the attempt's run; without one, one that only asks.
    func status(of attempt: PaymentAttempt, in context: ProviderContext? = nil) async throws -> PaymentOutcome {
        let context = context ?? queries(about: attempt.reference)
        guard let refund = attempt.refund else { return try await service.status(of: attempt.reference, in: context) }
        return try await refunder.status(of: refund, in: context)
    }

    /// Has the payee of a paid attempt notified, where that is left to this side. A payer that paid elsewhere notifies
    /// the payee itself.
    func notifyPayee(of history: AttemptHistory) async {
        let attempt = history.attempt
        guard case .succeeded(let receipt)? = history.outcome, history.hasOpenSettlement,
            receipt.decision == nil, let notifier = service as? any PayeeNotifyingProvider
        else { return }
        do { try await notifier.notifyPayee(receipt, of: attempt, in: queries(about: attempt.reference)) } catch {
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

    /// Refuses a refund's id, which names nothing that a provider could pay, ask about or cancel as a payment.
    func checkIsPayment(_ payment: PaymentReference) throws(PaymentError) {
        guard payment.subject == .payment else {
            throw error(.notAPayment, "this is a refund; ask for it again, as before, to learn what has become of it")
        }
    }

    /// Checks the service's outcome of a payment: a receipt must be for the payment that was asked about.
    func checked(_ outcome: PaymentOutcome, of payment: PaymentReference) throws(PaymentError) -> PaymentOutcome {
        if case .succeeded(let receipt) = outcome, receipt.reference != payment {
            throw error(.integrity, "the receipt is for another payment", phase: .maybeSent)
        }
        return outcome
    }

    /// Checks the service's outcome of an attempt: a receipt must be for its payment and, where it states an amount,
    /// over the amount that the payer agreed to.
    func checked(_ outcome: PaymentOutcome, of attempt: PaymentAttempt) throws(PaymentError) -> PaymentOutcome {
        try checked(
            try checked(outcome, of: attempt.reference), over: attempt.option.amount,
            isEstimate: attempt.option.isEstimate)
    }

    /// Checks the amount of a receipt, where it states one, against the agreed one.
    func checked(
        _ outcome: PaymentOutcome, over agreed: Money, isEstimate: Bool
    ) throws(PaymentError) -> PaymentOutcome {
        guard case .succeeded(let receipt) = outcome, let paid = receipt.amount else { return outcome }
        guard paid.currency.denotesSame(as: agreed.currency), paid.exponent == agreed.exponent else {
            throw error(.integrity, "the receipt is in another currency than the chosen option", phase: .maybeSent)
        }
        guard paid.minorUnits == agreed.minorUnits || isEstimate else {
            throw error(.integrity, "the receipt is over \(paid), but \(agreed) was agreed", phase: .maybeSent)
        }
        return outcome
    }

    /// Throws when `attempt`, which has the same name as the payment of `link`, is about something else.
    func distinguish(_ link: PaymentLink?, from attempt: PaymentAttempt) throws(PaymentError) {
        guard let link, let provider = service as? any ReusableReferenceProvider else { return }
        try provider.distinguish(link, from: attempt)
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        PaymentError(code, message, provider: descriptor.id, phase: phase, cause: cause)
    }
}

/// Steps outside an attempt: queries run, any other step is a fault of the provider.
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
