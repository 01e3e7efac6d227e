import PaymentCore

extension PaymentError {
    /// Creates the payment error of the provider that was asked from the error that it threw. The provider may be
    /// registered by another id than its vendor's. Foreign errors may hold anything, so the message names only their
    /// type. They stay its cause.
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

    /// Returns the error if another worker has the payment, and may move money.
    static func inUse(_ provider: ProviderID) -> PaymentError {
        PaymentError(
            .inUse, "another process is paying this; ask again for its outcome, or resume the payment later",
            provider: provider, phase: .maybeSent, retry: .later)
    }

    /// Returns the error if a callback pays the payment that waits for it.
    static func waitsForCallback(_ provider: ProviderID) -> PaymentError {
        PaymentError(
            .inUse, "this payment waits for the callback that asks for it; return from that first", provider: provider,
            phase: .maybeSent, retry: .later)
    }

    /// Returns the error if the end of a plan's period at the same payee is not known. Nothing else was sent.
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

    /// Returns the same error about an attempt. If the attempt may have moved money before, the error does not prove
    /// that none has moved: it only says that nothing was sent now. A refusal of another start of the payment, which
    /// this one joined, proves nothing either.
    func about(_ history: AttemptHistory) -> PaymentError {
        guard phase != .maybeSent, history.mayHaveMovedMoney || history.outcome != nil else { return self }
        return withOpenFate
    }

    /// The same error for an action that may have been done.
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
