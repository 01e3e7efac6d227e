package import PaymentCore
package import PaymentReview

/// The way from a payment's name to its settlement, call by call: the only one there is.
///
/// The router's provider goes it in one attempt (``PaymentFlow/pay(_:)``), over steps that are stored; the vendor's
/// client goes it as the application calls it, over steps that live as long as one call. Both are held to the same
/// checks.
package struct PaymentFlow: Sendable {
    package let context: ProviderContext
    let provider: ProviderID
    let configuration: GatewayConfiguration
    let reviewer: SigningReviewer
    private let gateway: RetryingGateway

    /// Creates a flow over the network and the steps of `context`.
    ///
    /// - Parameters:
    ///   - provider: whose errors these are.
    ///   - patience: who sends again what failed.
    package init(
        _ configuration: GatewayConfiguration, reviewer: SigningReviewer, limits: RetryingGateway.Limits,
        provider: ProviderID = WalletConnectPayProvider.id, context: ProviderContext
    ) {
        self.context = context
        self.provider = provider
        self.configuration = configuration
        self.reviewer = reviewer
        gateway = RetryingGateway(
            gateway: PayGateway(configuration: configuration, http: context.http), limits: limits,
            clock: context.clock, random: context.random, note: { context.log($0) })
    }

    // MARK: What is to be paid, and how

    /// What the payment asks for, and the ways in which `accounts` (CAIP-10) can pay it.
    package func options(
        of id: String, accounts: [String], includeInfo: Bool = true
    ) async throws(GatewayError) -> OptionsBody {
        let body = try await gateway.query { gateway throws(GatewayError) in
            try await gateway.options(id, accounts: accounts, includeInfo: includeInfo)
        }
        let ids = (body.options ?? []).map(\.id)
        guard Set(ids).count == ids.count, !ids.contains("") else {
            throw .unusableAnswer("the service gives two options one id, or one none; none of them can be chosen")
        }
        return body
    }

    /// The calls that an option asks of the wallet, completely and in order. Nothing is said yet about what they do.
    ///
    /// - Parameter listed: what the options said of them.
    package func calls(
        of id: String, option: String, listed: [ActionBody]
    ) async throws(GatewayError) -> [JSONValue] {
        try await OptionActions.resolve(listed) { data throws(GatewayError) in
            try await gateway.query { gateway throws(GatewayError) in
                try await gateway.fetch(id, optionID: option, data: data)
            }
        }
    }

    /// What `calls` will do, after everything was compared with what the payer agreed to.
    package func review(
        _ calls: [JSONValue], for option: AgreedOption, of id: String, payer: [AccountID]
    ) throws(GatewayError) -> SigningReview {
        try Self.checkIdentity(of: id, paying: option.unit)
        do throws(SigningError) {
            return try reviewer.review(option, calls: calls, payer: payer, now: context.clock.now)
        } catch { throw .dangerousCalls(error) }
    }

    /// The wallet sends money only for a payment that has one name here, however its link is spelt.
    static func checkIdentity(of id: String, paying unit: String) throws(GatewayError) {
        guard PaymentID.isWellFormed(id) || !OptionActions.isSent(unit) else { throw .unnamedPayment }
    }

    // MARK: Moving money

    /// Hands in the results: the one request that moves money, in one step.
    ///
    /// - Parameters:
    ///   - hold: how long the service may wait for a change before it answers, in milliseconds.
    ///   - check: the last word before it is sent.
    package func confirm(
        _ id: String, _ body: ConfirmRequestBody, hold: Int64? = nil,
        check: @escaping @Sendable () throws -> Void = {}
    ) async throws -> StatusBody {
        try await context.step("confirm", .mutation(replay: .never)) {
            try check()
            return try await mapped(isMutation: true) { () throws(GatewayError) in
                try await gateway.mutate(id) { gateway throws(GatewayError) in
                    try await gateway.confirm(id, body, hold: hold)
                } settledBy: {
                    $0.status == .requiresAction ? nil : $0
                }
            }
        }
    }

    /// Waits until a confirmed payment is settled, or `limit` has passed.
    ///
    /// - Parameter isHeld: whether the service may wait for a change before it answers.
    /// - Returns: the last status, which is not final when the time ran out.
    package func settle(
        _ id: String, _ confirmed: StatusBody, within limit: Duration, isHeld: Bool = false
    ) async throws(GatewayError) -> StatusBody {
        let deadline = context.clock.uptime + limit
        let poll = SettlementPoll(clock: context.clock, note: { context.log($0) })
        return try await poll.settle(confirmed, within: limit) { left throws(GatewayError) in
            // Not the whole time again, as the vendor's client asks: the answer would come after the deadline.
            let hold = isHeld && left > 0 ? left : nil
            return try await gateway.query(until: deadline) { gateway throws(GatewayError) in
                try await gateway.status(id, hold: hold)
            }
        }
    }

    /// Where the payment stands.
    package func status(_ id: String) async throws(GatewayError) -> StatusBody {
        try await gateway.query { gateway throws(GatewayError) in try await gateway.status(id) }
    }

    /// Calls the payment off, in one step.
    package func cancel(_ id: String) async throws -> CancelBody {
        try await context.step("cancel", .mutation(replay: .never)) {
            try await mapped(isMutation: true) { () throws(GatewayError) in
                try await gateway.mutate(id) { gateway throws(GatewayError) in
                    try await gateway.cancel(id)
                } settledBy: {
                    $0.status == .cancelled
                        ? CancelBody(status: .cancelled, cancelledReason: nil, cancelledAt: nil) : nil
                }
            }
        }
    }

    // MARK: Errors

    /// Runs `call` and maps its failure to the core's error, which is what steps understand.
    func mapped<Answer>(
        isMutation: Bool = false, _ call: () async throws(GatewayError) -> Answer
    ) async throws -> Answer {
        do { return try await call() } catch { throw paymentError(from: error, isMutation: isMutation) }
    }

    func paymentError(from error: GatewayError, isMutation: Bool = false) -> PaymentError {
        ErrorTable.walletConnectPay.paymentError(from: error, isMutation: isMutation, at: provider)
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        PaymentError(code, message, provider: provider, phase: phase, cause: cause)
    }
}
