import PaymentCore

/// The choice of an option, and the handling of a choice that no longer holds.
extension AttemptEngine {
    enum Choice {
        case option(PaymentMethodOption)
        /// An option that may be paid without a question, and the attempt that it is reserved for.
        case unasked(PaymentMethodOption, AttemptID)
        case ended(CheckedReport)
    }

    /// Takes an option that may be paid without a question, or asks the payer or their policy to choose.
    func choose(from quote: PaymentQuote) async throws -> Choice {
        guard quote.options.contains(where: \.unmet.isEmpty) else {
            return .ended(Self.noUsableOption(quote))
        }
        if let decided = try await decided(by: intent, from: quote) { return decided }
        var whyAsked: String?
        switch try await reserveUnasked(quote) {
        case .reserved(let option, let id)?: return .unasked(option, id)
        case .none(let why)?: whyAsked = why
        case nil: break
        }
        guard let chooser = payer.chooser else {
            // A policy is no question to the payer.
            guard let whyAsked else { return try chooseByPolicy(quote) }
            return .ended(
                .refused(
                    .overLimit, "nothing is paid without a question: \(whyAsked); ask the payer", of: quote.reference))
        }
        let choice: PaymentMethodOption.ID?
        do {
            choice = try await chooser(quote)
        } catch {
            guard !(error is CancellationError) else {
                throw self.error(.cancelled, "stopped before an option was chosen", cause: error)
            }
            throw self.error(.payer, "no option was chosen: the chooser failed (\(type(of: error)))", cause: error)
        }
        guard let choice else { return .ended(.cancelled(quote.reference)) }
        return .option(try serviceClient.option(choice, of: quote))
    }

    /// Takes the option that the intent has chosen; nil where the payer is to choose.
    private func decided(by intent: PaymentIntent?, from quote: PaymentQuote) async throws -> Choice? {
        guard let intent else { return nil }
        do { try await bind(intent.bound(to: quote), quote) } catch {
            throw self.error(.journal, "what was quoted could not be stored: \(error)", cause: error)
        }
        switch intent.choice {
        case .asked: return nil
        case .option(let id): return .option(try serviceClient.option(id, of: quote))
        case .within(let limits):
            switch OptionPolicy.first(upTo: limits).choice(from: quote) {
            case .option(let option): return .option(option)
            case .none(let why):
                return .ended(
                    .refused(.outsidePolicy, "no option is within the limits: \(why)", of: quote.reference))
            }
        case .shown(let id, let amount):
            let option = try serviceClient.option(id, of: quote)
            guard intent.covers(option) else {
                throw error(
                    .unusableOption, "'\(id)' costs \(option.amount) now, and \(amount) was shown; ask for a new quote")
            }
            return .option(option)
        }
    }

    /// Returns the outcome of a payment of which the payer takes no option.
    func decline(_ quote: PaymentQuote) async throws -> PaymentOutcome {
        let canPay = quote.options.contains(where: \.unmet.isEmpty)
        return try await state(canPay ? .cancelled(quote.reference) : Self.noUsableOption(quote), of: quote.reference)
    }

    private func chooseByPolicy(_ quote: PaymentQuote) throws -> Choice {
        guard let policy = payer.policy else {
            throw error(
                .noChooser,
                "no option was chosen; give the payer a chooser, or a policy such as .first(upTo:) with a limit")
        }
        switch policy.choice(from: quote) {
        case .option(let option): return .option(option)
        case .none(let why): return .ended(.refused(.outsidePolicy, "no option is taken: \(why)", of: quote.reference))
        }
    }

    private static func noUsableOption(_ quote: PaymentQuote) -> CheckedReport {
        guard !quote.options.isEmpty else {
            return .refused(
                .noUsableOption, "none of the payer's accounts can pay this; the service offers no option",
                of: quote.reference)
        }
        let needs = Set(quote.options.flatMap(\.unmet).map(\.description)).sorted().joined(separator: ", ")
        return .refused(
            .noUsableOption, "every option needs something the payer does not have: \(needs)", of: quote.reference)
    }

    /// Returns the error for a provider's report that the choice no longer holds. Once anything was sent, even in vain,
    /// no new choice is made automatically.
    func changedOption(_ failure: PaymentError, _ steps: StepLog) async -> PaymentError {
        PaymentError(
            .optionChanged, "\(failure.message); the attempt was abandoned, choose again from the link",
            provider: failure.provider ?? descriptor.id,
            phase: await steps.hasBegunMutation ? .answered : failure.phase, retry: .later,
            vendorCode: failure.vendorCode, cause: failure.cause)
    }
}
