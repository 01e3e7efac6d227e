package import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One period of a recurring payment, as a router pays it: by the plan, without a question.
package struct PlannedPeriod: Sendable {
    /// The payee's link, and the option to pay by.
    package struct Order: Sendable {
        let link: String
        let option: PaymentMethodOption.ID?
        let paysByItself: Bool

        /// Creates an order.
        ///
        /// - Parameters:
        ///   - link: a link that names a payee and no single payment.
        ///   - option: the option, by its id; nil for the first that costs the plan's amount.
        ///   - paysByItself: true if the period may be paid without a question, within the router's limits.
        package init(link: String, option: PaymentMethodOption.ID?, paysByItself: Bool) {
            self.link = link
            self.option = option
            self.paysByItself = paysByItself
        }
    }

    /// The period's payment, whose provider pays it.
    let reference: PaymentReference
    let amount: Money
    let period: RecurringPeriod
    let attempts: Int
    let isApproved: Bool

    var provider: ProviderID { reference.provider }

    /// Creates a period.
    ///
    /// - Parameters:
    ///   - reference: the period's payment: always the same for one period.
    ///   - amount: the exact amount.
    ///   - period: the period, with its beginning and end.
    ///   - attempts: the number of this try, from 1 on.
    ///   - isApproved: true if the payer has approved it.
    package init(
        _ reference: PaymentReference, amount: Money, period: RecurringPeriod, attempts: Int, isApproved: Bool
    ) {
        self.reference = reference
        self.amount = amount
        self.period = period
        self.attempts = attempts
        self.isApproved = isApproved
    }
}

/// Recurring payments: to payees, under names that are not drawn.
extension PaymentRouter {
    /// Pays a period under its own name, or resumes an earlier attempt for it.
    ///
    /// - Throws: ``PaymentError``.
    package func pay(
        _ charge: PlannedPeriod, as order: PlannedPeriod.Order, with payer: Payer
    ) async throws(PaymentError) -> PaymentOutcome {
        let (request, payee) = try request(for: charge, order)
        let serviceClient = try serviceClient(for: charge.provider, payer: payer)
        return try await carryOnce(request.reference) { journal in
            do { try await abandonUnsent(to: payee, besides: request.reference, serviceClient) } catch let failure
                as PaymentError
                where failure.code == .inUse
            {
                throw serviceClient.error(.unusableOption, "another payment to the same payee is in progress")
            }
            return try await engine(serviceClient, journal, request.reference).pay(charge, as: order, request)
        }
    }

    /// Returns the outcome of a period that was begun; nil if nothing was sent for it. In that case all tries up to
    /// this one are cancelled, also those of processes that have not reached the journal yet.
    ///
    /// - Throws: ``PaymentError``, and any error of the journal.
    package func settle(_ charge: PlannedPeriod, with payer: Payer) async throws -> PaymentOutcome? {
        let serviceClient = try serviceClient(for: charge.provider, payer: payer)
        return try await leases.with(charge.reference) { journal in
            try await engine(serviceClient, journal, charge.reference).settle(charge)
        } orElse: {
            $0
        }
    }

    /// Returns true if no attempt at a payment is open; false if that cannot be read.
    package func isIdle(_ payment: PaymentReference) async -> Bool {
        (try? await effects.journal.histories(of: payment).allSatisfy(\.isFinished)) ?? false
    }

    /// Returns the payee of a plan's link, the same for all of their links; the link itself if it names no payee.
    package func payee(of link: String) -> String {
        guard case .matched(let route) = route(link), let payee = route.match.reference else { return link }
        return "\(route.provider) \(payee)"
    }

    private func request(
        for charge: PlannedPeriod, _ order: PlannedPeriod.Order
    ) throws(PaymentError) -> (QuoteRequest, payee: String) {
        guard case .matched(let route) = route(order.link), route.provider == charge.provider else {
            throw PaymentError(
                .unroutable, "the plan's link does not lead to \(charge.provider); make the plan anew",
                provider: charge.provider)
        }
        // No person looks at the link again before each period.
        let payee = try trustedID(in: route)
        guard route.match.payee != nil else {
            throw PaymentError(
                .notAPayment, "the plan's link names no payee for repeated payments; make a new plan",
                provider: charge.provider)
        }
        return (
            QuoteRequest(link: route.link, match: route.match, reference: charge.reference, period: charge.period),
            payee
        )
    }
}

/// One period of a recurring payment: chosen by the plan, without a question.
extension AttemptEngine {
    /// Pays a period. Resumes an earlier attempt for it. Otherwise checks endpoint, amount and limits, and opens an
    /// attempt.
    func pay(
        _ charge: PlannedPeriod, as order: PlannedPeriod.Order, _ request: QuoteRequest
    ) async throws -> PaymentOutcome {
        guard try await cancellations(of: charge.reference) < charge.attempts else {
            throw error(.cancelled, "this try was cancelled meanwhile")
        }
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: request.link) {
            return outcome
        }
        var (quote, report) = try await serviceClient.quote(request)
        if case .unknown(let other)? = try await attemptUnderAnotherID(quote, report) {
            throw error(.unusableOption, other.message)
        }
        if let report {
            return try await state(report.checked(over: charge.amount, isEstimate: false), of: quote.reference)
        }
        let option = try await option(of: quote, for: charge, order)
        let payee = serviceClient.identity.payee(of: option) ?? request.match.reference ?? order.link
        let key = try await key(of: charge, to: payee)
        guard !charge.isApproved else { return try await open(quote, option, under: key) }
        guard order.paysByItself else { return try await ask("the plan says so", quote) }
        quote.options = [option]
        switch try await reserveUnasked(quote) {
        case .reserved(let option, let id)?: return try await openReserved(quote, option, id, under: key)
        case .none(let why)?: return try await ask(why, quote)
        case nil: return try await ask("the router has no limits for \(descriptor.id)", quote)
        }
    }

    private func ask(_ why: String, _ quote: PaymentQuote) async throws -> PaymentOutcome {
        let payment = quote.reference
        return try await state(
            .refused(.overLimit, "it is not paid without a question: \(why)", of: payment), of: payment)
    }

    // MARK: What is paid

    /// Returns the option that the plan names, for exactly the plan's amount.
    ///
    /// - Throws: ``PaymentError``, `unusableOption`, if the payer has not agreed to any option that is offered.
    private func option(
        of quote: PaymentQuote, for charge: PlannedPeriod, _ order: PlannedPeriod.Order
    ) async throws -> PaymentMethodOption {
        var objections: [String] = []
        for option in quote.options where order.option.map({ $0 == option.id }) ?? true {
            guard option.amount == charge.amount, !option.isEstimate else {
                objections.append(
                    "the payee asks for \(option.amount) by '\(option.id)', and the plan says \(charge.amount)")
                continue
            }
            guard payer.unmet(of: option.needs).isEmpty else {
                let needs = payer.unmet(of: option.needs).map(\.description).joined(separator: ", ")
                objections.append("'\(option.id)' needs \(needs)")
                continue
            }
            guard try await !isSpent(option) else {
                objections.append("the payee still publishes an invoice that was paid before, by '\(option.id)'")
                continue
            }
            return option
        }
        throw error(
            .unusableOption,
            objections.isEmpty
                ? "the payee takes nothing by '\(order.option ?? "any option")'" : objections.joined(separator: "; "))
    }

    /// Returns true if an option is an invoice that was paid before. A second payment would count as paid without
    /// moving money.
    private func isSpent(_ option: PaymentMethodOption) async throws -> Bool {
        guard let endpoint = try? option.providerData?["endpoint"]?.decode(SettlementEndpoint.self) else {
            return false
        }
        do { return try await payer.order(paying: endpoint) != nil } catch {
            throw self.error(error.code, error.message, cause: error.cause)
        }
    }

    /// Returns the key by which the payer's settler recognises a period. It is the same in every try and on every
    /// device that has the plan, so two devices that pay from one wallet pay once. It names the payee, as the router
    /// knows them, and not the plan's link: links of one payee have several spellings.
    private func key(of charge: PlannedPeriod, to payee: String) async throws -> String? {
        let words = [
            "period", charge.reference.description, payee, "\(charge.amount)",
            "\(Int64(charge.period.start.timeIntervalSince1970))",
        ]
        return try await settledKey(words, of: charge.reference)
    }

    // MARK: What was begun

    /// Resumes an earlier attempt for a period, and cancels the period's tries if nothing was sent.
    func settle(_ charge: PlannedPeriod) async throws -> PaymentOutcome? {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: charge.reference, for: nil) { return outcome }
        if try await cancellations(of: charge.reference) < charge.attempts { try await cancelCharge(charge) }
        // Reservations may remain of an attempt that was never opened, and never will be.
        await settleOthers()
        return nil
    }

    private static let mark = "calledOff"

    /// Returns the number of the last cancelled try at a payment; zero if there is none.
    private func cancellations(of payment: PaymentReference) async throws -> Int {
        try await histories(of: payment).compactMap {
            $0.attempt.option.providerData?[Self.mark]?.number?.exactly(Int.self)
        }
        .max() ?? 0
    }

    /// Stores in the journal that the tries up to this one are cancelled.
    private func cancelCharge(_ charge: PlannedPeriod) async throws {
        try await forbid(
            charge.reference, amount: charge.amount, data: [Self.mark: .number(JSONNumber(charge.attempts))],
            "cancelled: try \(charge.attempts) sent nothing")
    }
}
