package import PaymentCore
package import PaymentReview
import ServiceSupport

/// The single implementation of the way from a payment's name to its settlement, call by call.
///
/// The router's provider runs it in one attempt (``PaymentFlow/pay(_:)``), over stored steps; the vendor's client runs
/// it as the application calls it, over steps that exist for one call. The same checks apply to both.
package struct PaymentFlow: Sendable {
    package let context: ProviderContext
    let provider: ProviderID
    let configuration: GatewayConfiguration
    let reviewer: SigningReviewer
    private let gateway: RetryingGateway

    /// Creates a flow over the network and the steps of `context`.
    ///
    /// - Parameters:
    ///   - limits: the retry limits of its calls.
    ///   - provider: the provider named in errors.
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

    /// Gets the terms of the payment, and the options with which `accounts` (CAIP-10) can pay it.
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

    /// Gets the wallet calls of an option, completely and in order. They are not reviewed yet.
    ///
    /// - Parameter listed: the actions in the options.
    package func calls(
        of id: String, option: String, listed: [ActionBody]
    ) async throws(GatewayError) -> [JSONValue] {
        try await OptionActions.resolve(listed) { data throws(GatewayError) in
            try await gateway.query { gateway throws(GatewayError) in
                try await gateway.fetch(id, optionID: option, data: data)
            }
        }
    }

    /// Returns the effect of `calls`, after comparing everything with what the payer agreed to.
    package func review(
        _ calls: [JSONValue], for option: AgreedOption, of id: String, payer: [AccountID]
    ) throws(GatewayError) -> SigningReview {
        try Self.checkIdentity(of: id, paying: option.unit)
        do throws(SigningError) {
            return try reviewer.review(option, calls: calls, payer: payer, now: context.clock.now)
        } catch { throw .dangerousCalls(error) }
    }

    /// Checks that a payment for which the wallet sends money has one name here, however its link is spelt.
    static func checkIdentity(of id: String, paying unit: String) throws(GatewayError) {
        guard PaymentID.isWellFormed(id) || !OptionActions.isSent(unit) else { throw .unnamedPayment }
    }

    // MARK: Moving money

    /// Submits the results: the one request that moves money, in one step.
    ///
    /// - Parameters:
    ///   - hold: the time that the service may wait for a change before it answers, in milliseconds.
    ///   - check: the final check before the request is sent.
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
    /// - Parameter isHeld: true if the service may wait for a change before it answers.
    /// - Returns: the latest status, which is not final when the time ran out.
    package func settle(
        _ id: String, _ confirmed: StatusBody, within limit: Duration, isHeld: Bool = false
    ) async throws(GatewayError) -> StatusBody {
        let deadline = context.clock.uptime + limit
        let poll = SettlementPoll(clock: context.clock, note: { context.log($0) })
        return try await poll.settle(confirmed, within: limit) { left throws(GatewayError) in
            // The remaining time only; the vendor's client requests the full time again, and gets its answer after the
            // deadline.
            let hold = isHeld && left > 0 ? left : nil
            return try await gateway.query(until: deadline) { gateway throws(GatewayError) in
                try await gateway.status(id, hold: hold)
            }
        }
    }

    /// Gets the status of the payment.
    package func status(_ id: String) async throws(GatewayError) -> StatusBody {
        try await gateway.query { gateway throws(GatewayError) in try await gateway.status(id) }
    }

    /// Cancels the payment, in one step.
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

    /// Runs `call` and maps its failure to the core's error, which steps understand.
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
