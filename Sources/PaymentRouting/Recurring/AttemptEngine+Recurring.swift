import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One period of a recurring payment: chosen by the plan, without a question.
extension AttemptEngine {
    /// Pays a period: resumes an earlier attempt for it, otherwise endpoint, amount, limits, attempt.
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
    /// - Throws: ``PaymentError``, `unusableOption`: nothing is paid that the payer has not agreed to.
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

    /// Returns true if an option is an invoice that was paid before: a second payment would count as paid without
    /// moving money.
    private func isSpent(_ option: PaymentMethodOption) async throws -> Bool {
        guard let endpoint = try? option.providerData?["endpoint"]?.decode(SettlementEndpoint.self) else {
            return false
        }
        do { return try await payer.order(paying: endpoint) != nil } catch {
            throw self.error(error.code, error.message, cause: error.cause)
        }
    }

    /// Returns the key by which the payer's settler recognises a period: the same in every try and on every device that
    /// has the plan, so that two of them that pay from one wallet pay once. It names the payee, as the router knows
    /// them, and not the plan's link: links of one payee have several spellings.
    private func key(of charge: PlannedPeriod, to payee: String) async throws -> String? {
        let words = [
            "period", charge.reference.description, payee, "\(charge.amount)",
            "\(Int64(charge.period.start.timeIntervalSince1970))",
        ]
        return try await settledKey(words, of: charge.reference)
    }

    // MARK: What was begun

    /// Resumes an earlier attempt for a period, and cancels the period's tries where nothing was sent.
    func settle(_ charge: PlannedPeriod) async throws -> PaymentOutcome? {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: charge.reference, for: nil) { return outcome }
        if try await cancellations(of: charge.reference) < charge.attempts { try await cancelCharge(charge) }
        // Reservations for an attempt that was never opened, and never will be.
        await settleOthers()
        return nil
    }

    private static let mark = "calledOff"

    /// Returns the number of the last cancelled try at a payment; zero where none was.
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
