import PaymentCore

extension PaymentError {
    /// Creates a payment error of the provider that was asked from the error it threw: it may be registered by another
    /// id than its vendor's. Foreign errors may hold anything, so the message names only their type; they stay its
    /// cause.
    init(thrown error: any Error, at provider: ProviderID) {
        self =
            switch error {
            case let error as PaymentError: error.from(provider)
            case let error as TransportError: PaymentError(error, provider: provider, isMutation: false)
            case is AttemptEndedError:
                PaymentError(
                    .journal, "the attempt has ended meanwhile; ask again for its outcome", provider: provider,
                    cause: error)
            case is CancellationError:
                PaymentError(.cancelled, "cancelled before anything was sent", provider: provider, cause: error)
            case is MoneyError, is JSONError, is CAIPError, is LinkDefect:
                PaymentError(
                    .invalidResponse, "the provider could not read its service's answer: \(error)",
                    provider: provider, phase: .answered, cause: error)
            default:
                PaymentError(
                    .providerFault, "the provider failed with \(type(of: error))", provider: provider, cause: error)
            }
    }

    /// Another worker has the payment, and may move money.
    static func inUse(_ provider: ProviderID) -> PaymentError {
        PaymentError(
            .inUse, "another process is paying this; ask again for its outcome, or resume the payment later",
            provider: provider, phase: .maybeSent, retry: .later)
    }

    /// A payment that waits for the callback from which it was called for.
    static func waitsForCallback(_ provider: ProviderID) -> PaymentError {
        PaymentError(
            .inUse, "this payment waits for the callback that asks for it; return from that first", provider: provider,
            phase: .maybeSent, retry: .later)
    }

    /// A period of a plan at the same payee has no end that is known; nothing was sent beside it.
    static func openPeriod(_ period: PaymentReference) -> PaymentError {
        // Plans' names may hold slashes; numbers do not.
        let parts = period.id.split(separator: "/", omittingEmptySubsequences: false)
        let (plan, number) = (parts.dropLast().joined(separator: "/"), parts.last ?? "")
        return PaymentError(
            .openPeriod,
            "the period \(number) of the plan '\(plan)' is open at the same payee, and may have been paid; nothing else is "
                + "paid there before its end is known: let the plan go on, or resume the payment \(period.id)",
            provider: period.provider, retry: .later)
    }

    /// The same about an attempt: when it may have moved money before, this error does not prove that none has moved,
    /// because it only says that nothing left now. Nor does a refusal of another start of the payment that this one
    /// joined.
    func about(_ history: AttemptHistory) -> PaymentError {
        guard phase != .maybeSent, history.mayHaveMovedMoney || history.outcome != nil else { return self }
        return withOpenFate
    }

    /// The same error where the action may have been done all the same.
    var withOpenFate: PaymentError {
        var open = self
        open.phase = .maybeSent
        if retry == .never { open.retry = .later }
        return open
    }

    private func from(_ provider: ProviderID) -> PaymentError {
        var error = self
        error.provider = provider
        return error
    }
}
