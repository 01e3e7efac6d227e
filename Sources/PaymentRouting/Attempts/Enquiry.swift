import PaymentCore

/// Asks a service about a payment, outside any attempt: nothing is written and nothing is moved.
struct Enquiry: Sendable {
    let service: any PaymentService
    let descriptor: ProviderDescriptor
    let payer: Payer
    let effects: RouterEffects

    /// The service as one that payers pay at.
    ///
    /// - Throws: ``PaymentError``, `unsupported`, when it is a merchant's.
    var provider: any PaymentProvider {
        get throws(PaymentError) {
            guard let provider = service as? any PaymentProvider else {
                throw PaymentError(
                    .unsupported,
                    "\(descriptor.name) is registered as a merchant's service, which payers do not pay at",
                    provider: descriptor.id)
            }
            return provider
        }
    }

    /// Asks the provider what is to be paid and marks what this payer cannot fulfil.
    func quote(_ request: QuoteRequest) async throws -> PaymentQuote {
        let context = effects.context(
            for: descriptor, payer: payer, steps: NoAttempt(provider: descriptor.id), link: request.link)
        var quote = try await self.provider.quote(request, in: context)
        guard quote.reference == request.reference else {
            throw PaymentError(
                .integrity, "the quote is for another payment than the link", provider: descriptor.id)
        }
        try quote.checkOptionIDs()
        quote.link = Redacted(request.link)
        for index in quote.options.indices {
            quote.options[index].unmet = quote.options[index].needs.filter { !payer.canFulfil($0) }
        }
        return quote
    }

    /// What has become of `payment`.
    func status(of payment: PaymentReference) async throws -> PaymentOutcome {
        try checkIsPayment(payment)
        let context = effects.context(for: descriptor, payer: payer, steps: NoAttempt(provider: descriptor.id))
        return try checked(try await service.status(of: payment, in: context), of: payment)
    }

    /// A refund's id names nothing that a provider could pay, ask about or call off as a payment.
    func checkIsPayment(_ payment: PaymentReference) throws(PaymentError) {
        guard payment.subject == .payment else {
            throw PaymentError(
                .notAPayment, "this is a refund; ask for it again, as before, to learn what has become of it",
                provider: descriptor.id)
        }
    }

    /// A receipt must be for the payment that was asked about.
    func checked(_ outcome: PaymentOutcome, of payment: PaymentReference) throws -> PaymentOutcome {
        if case .succeeded(let receipt) = outcome, receipt.reference != payment {
            throw PaymentError(
                .integrity, "the receipt is for another payment", provider: descriptor.id, phase: .maybeSent)
        }
        return outcome
    }

    /// Refuses to take `attempt`, which has the same name as the payment of `link`, for one at it when it is about
    /// something else.
    func distinguish(_ link: PaymentLink?, from attempt: PaymentAttempt) throws(PaymentError) {
        guard let link, let provider = service as? any PaymentDistinguishingProvider else { return }
        try provider.distinguish(link, from: attempt)
    }

    /// Carries payments on, writing through `journal`.
    func engine(_ journal: LeasedJournal) -> AttemptEngine {
        AttemptEngine(service: service, descriptor: descriptor, payer: payer, effects: effects, journal: journal)
    }
}
