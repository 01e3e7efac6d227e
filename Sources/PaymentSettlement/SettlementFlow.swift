package import PaymentCore

/// The quoting and paying of endpoints from any publisher. It is the same for every provider whose payer has a settler.
package enum SettlementFlow {
    /// Returns the quote: an option for each endpoint that can still be paid.
    ///
    /// If the payee leaves the amount open, the payer states it, once. Then only endpoints that can be paid with
    /// exactly that amount are offered.
    ///
    /// - Parameters:
    ///   - offers: the endpoints with their ids as options and a few words for people, best first.
    ///   - reference: the payment.
    ///   - payee: the payee, as shown.
    ///   - payeeID: the payee's own name if the payment is one of several to them; stored with the option.
    ///   - context: the payer and the clock.
    /// - Throws: ``PaymentError``; nothing was paid then.
    package static func quote(
        _ offers: [(id: String, title: String, offer: SettlementOffer)], of reference: PaymentReference,
        payee: Payee, payeeID: String?, in context: ProviderContext
    ) async throws -> ProviderQuote {
        let now = context.clock.now
        let current = offers.filter { $0.offer.expiresAt.map { now < $0 } ?? true }
        guard !current.isEmpty else {
            throw PaymentError(
                .unusableOption, "every invoice is over by this device's clock; ask the payee for a new one",
                phase: .answered)
        }
        let answer = try await chosenAmount(current.map(\.offer.amount), payee, context)
        if case .declined = answer {
            return ProviderQuote(reference: reference, payee: payee, amount: nil, options: [], report: .cancelled)
        }
        var options: [PaymentMethodOption] = []
        for (id, title, offer) in current {
            guard let amount = answer.amount(for: offer) else { continue }
            var data: JSONValue = ["endpoint": try JSONValue.encode(offer.endpoint)]
            data["payee"] = payeeID.map { .string($0) }
            options.append(
                PaymentMethodOption(
                    id: id, title: title, amount: amount,
                    needs: [.settlement(offer.endpoint.kind, network: offer.endpoint.network)],
                    expiresAt: offer.expiresAt, providerData: data))
        }
        guard !options.isEmpty else {
            throw PaymentError(
                .unusableOption, "the payee takes this amount by none of their endpoints", phase: .answered)
        }
        let amounts = Set(options.map(\.amount))
        return ProviderQuote(
            reference: reference, payee: payee, amount: amounts.count == 1 ? amounts.first : nil, options: options)
    }

    /// Returns the payee of an option made by ``quote(_:of:payee:payeeID:in:)``; nil if its link names the payment.
    package static func payee(of option: PaymentMethodOption) -> String? { option.providerData?["payee"]?.string }

    /// Throws if `attempt` is not for the present demand. The owner of a preimage can make any number of invoices of
    /// one payment hash, and a link may name an address next to another party's invoice.
    ///
    /// - Parameter offers: the present demand.
    /// - Throws: ``PaymentError``, `integrity`.
    package static func distinguish(_ offers: [SettlementOffer], from attempt: PaymentAttempt) throws(PaymentError) {
        // Payments to a payee have separate names.
        guard payee(of: attempt.option) == nil else { return }
        let endpoint = try? attempt.option.providerData?["endpoint"]?.decode(SettlementEndpoint.self)
        guard offers.contains(where: { $0.endpoint == endpoint && $0.takes(attempt.option.amount) }) else {
            throw PaymentError(
                .integrity,
                "another payment of this name was begun or made, to another endpoint or over another amount; ask the payee "
                    + "for a new invoice")
        }
    }

    /// Pays the chosen option: reads the endpoint again from its own text, compares it with what the payer saw, and
    /// passes it to the settler.
    ///
    /// - Throws: ``PaymentError``; phase `maybeSent` when money may have moved.
    package static func pay(
        _ attempt: PaymentAttempt, _ reader: any InstructionReader, in context: ProviderContext
    ) async throws -> ServiceReport {
        let endpoint = try reviewed(attempt.option, reader)
        return try await pay(attempt, to: endpoint, in: context)
    }

    /// The name of the core's step in which a settler pays, to ask if it has begun.
    package static let step = StepKind.settlementName

    /// Returns the name at the settler (``/PaymentCore/Settlement/key``) of the payment by the attempts that have this
    /// idempotency key.
    package static func name(for idempotencyKey: String) -> String {
        PaymentAttempt.key(for: step, of: idempotencyKey)
    }

    /// Passes an endpoint that was found to be the payer's choice to the settler.
    ///
    /// - Parameter check: a last check, each time before the settler is asked to pay. If it throws, the settler is not
    ///   asked.
    /// - Throws: ``PaymentError``; phase `maybeSent` when money may have moved.
    package static func pay(
        _ attempt: PaymentAttempt, to endpoint: SettlementEndpoint, in context: ProviderContext,
        unless check: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> ServiceReport {
        try await settle(attempt, to: endpoint, in: context, unless: check).report
    }

    /// Does the same, and returns the endpoint that was paid: the first that was requested under the attempt's name.
    package static func settle(
        _ attempt: PaymentAttempt, to endpoint: SettlementEndpoint, in context: ProviderContext,
        unless check: @escaping @Sendable () async throws -> Void
    ) async throws -> (report: ServiceReport, endpoint: SettlementEndpoint) {
        if let reason = try await otherPayment(of: attempt, to: endpoint, in: context) {
            return (.declined(reason), endpoint)
        }
        do {
            let paid = try await context.settle(attempt, to: endpoint, unless: check)
            let receipt = PaymentReceipt(
                reference: attempt.reference, amount: attempt.option.amount, proof: paid.proof)
            return (.succeeded(receipt), paid.endpoint)
        } catch let error as PaymentError where error.code == .notSettled {
            let code: DeclineReason.Code = error.cause is SettledElsewhereError ? .paidElsewhere : .refused
            return (.declined(DeclineReason(code, error.message)), endpoint)
        }
    }

    /// Returns the reason not to begin a payment of an invoice that another payment has paid. The payee may publish the
    /// invoice permanently, and no money would move. The settler itself keeps two payments from paying it at once.
    ///
    /// - Throws: ``PaymentError`` while another payment is paying it.
    private static func otherPayment(
        of attempt: PaymentAttempt, to endpoint: SettlementEndpoint, in context: ProviderContext
    ) async throws(PaymentError) -> DeclineReason? {
        let name = name(for: attempt.idempotencyKey)
        guard await !context.hasRun(step),
            let other = try await context.payer.order(paying: endpoint, except: name)
        else { return nil }
        if case .settled = other.state {
            return DeclineReason(
                .paidElsewhere,
                "the invoice was paid before, by another payment; nothing was sent: ask the payee for a new one")
        }
        throw PaymentError(
            .unusableOption,
            "another payment is paying the payee's invoice; nothing was sent: ask them for a new one, or wait",
            phase: .answered, retry: .later)
    }

    /// Returns the endpoint of an option, if its own text still contains all of it.
    private static func reviewed(
        _ option: PaymentMethodOption, _ reader: any InstructionReader
    ) throws(PaymentError) -> SettlementEndpoint {
        guard let stored = option.providerData?["endpoint"],
            let endpoint = try? stored.decode(SettlementEndpoint.self),
            let offer = SettlementOffer.offer(endpoint, reader), offer.takes(option.amount)
        else {
            throw PaymentError(
                .integrity, "the endpoint does not ask for what was chosen; nothing is handed to the settler")
        }
        return endpoint
    }

    // MARK: Amounts

    /// The payer's answer about the amount.
    private enum Answer {
        /// The payer was not asked, because each endpoint states it.
        case notAsked
        case amount(Money)
        case declined

        /// Returns the amount that is paid by `offer`; nil if it cannot be paid in this way.
        func amount(for offer: SettlementOffer) -> Money? {
            switch (self, offer.amount) {
            case (.amount(let money), _): offer.takes(money) ? money : nil
            case (.notAsked, .fixed(let money)): offer.takes(money) ? money : nil
            default: nil
            }
        }
    }

    /// Asks the payer if an endpoint leaves the amount open.
    private static func chosenAmount(
        _ amounts: [PaymentInstruction.Amount], _ payee: Payee, _ context: ProviderContext
    ) async throws -> Answer {
        var isOpen = false
        var (fixed, suggested, minimum): (Money?, Money?, Money?)
        for amount in amounts {
            switch amount {
            case .fixed(let money): fixed = fixed ?? money
            case .suggested(let money): (suggested, isOpen) = (suggested ?? money, true)
            case .minimum(let money): (minimum, isOpen) = (minimum ?? money, true)
            case .open, .onService: isOpen = true
            case .uncounted, .several: break
            }
        }
        guard isOpen else { return .notAsked }
        guard let choose = context.payer.amountChooser else {
            if fixed != nil { return .notAsked }
            throw PaymentError(
                .noChooser,
                "the payee leaves the amount to the payer, and no amount was given; give the payer an amountChooser")
        }
        // With several endpoints, the minimum of one does not limit the others.
        let least = amounts.count == 1 ? minimum : nil
        let request = AmountRequest(
            payee: payee, currency: .satoshi, minimum: least, suggested: fixed ?? suggested ?? minimum)
        let answer: Money?
        do { answer = try await choose(request) } catch {
            guard !(error is CancellationError) else {
                throw PaymentError(.cancelled, "stopped before an amount was chosen", cause: error)
            }
            throw PaymentError(
                .payer, "no amount was said: the amount chooser failed (\(type(of: error)))", cause: error)
        }
        guard let money = answer else { return .declined }
        guard money.minorUnits > 0, money.currency == .satoshi else {
            throw PaymentError(.payer, "the amount has to be more than nothing, and in bitcoin")
        }
        return .amount(money)
    }
}
