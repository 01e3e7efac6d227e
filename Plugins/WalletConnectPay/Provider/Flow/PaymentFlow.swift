package import PaymentCore
package import PaymentReview
import ServiceSupport
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The single implementation of the way from a payment's name to its settlement, call by call.
///
/// The router's provider runs it in one attempt (``PaymentFlow/pay(_:)``), over stored steps. The vendor's client runs
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

    // MARK: Terms and options

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

    /// Checks that a payment by a transfer of the wallet has one name here, however its link is spelt.
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
            // Only the remaining time. The vendor's client requests the full time again, and gets its answer after the
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

// MARK: - Quote

extension PaymentFlow {
    /// Gets the payment and the options of the payer's accounts.
    func quote(_ payment: PaymentReference) async throws -> ProviderQuote {
        let accounts = context.payer.accounts.map(\.text)
        guard !accounts.isEmpty else {
            throw error(.payer, "the payer has no accounts; WalletConnect Pay needs at least one CAIP-10 account")
        }
        let answer: OptionsBody
        do {
            answer = try await mapped { () throws(GatewayError) in
                try await options(of: payment.id, accounts: accounts)
            }
        } catch let error as PaymentError where error.code == .payerRefused {
            return ProviderQuote(
                reference: payment, payee: Payee(name: "an unnamed merchant"), amount: nil, options: [],
                report: .refusedPayer(error))
        }
        guard let info = answer.info else { throw error(.invalidResponse, "the service left out what is to be paid") }
        let status = StatusBody(status: info.status, isFinal: info.status.isFinal, info: answer.resultInfo)
        let isOpen = info.status == .requiresAction
        return ProviderQuote(
            reference: payment, payee: Payee(name: info.merchant.name, iconURL: info.merchant.iconUrl),
            amount: try money(info.amount), options: isOpen ? try offers(answer.options ?? [], of: payment) : [],
            expiresAt: Date(timeIntervalSince1970: Double(info.expiresAt)),
            report: isOpen ? nil : status.report(of: payment))
    }

    /// Returns the options that are consistent and allowed for such a link, and logs the others. When none is left, the
    /// payment cannot be made.
    private func offers(_ bodies: [OptionBody], of payment: PaymentReference) throws -> [PaymentMethodOption] {
        var options: [PaymentMethodOption] = []
        var refusal: PaymentError?
        for body in bodies {
            do {
                options.append(try offer(body, try checked(body, of: payment)))
            } catch let error as PaymentError {
                context.log("an option is left out: \(error.message)")
                refusal = refusal ?? error
            }
        }
        if options.isEmpty, let refusal { throw refusal }
        return options
    }

    private func checked(_ body: OptionBody, of payment: PaymentReference) throws -> CheckedOption {
        do throws(GatewayError) {
            try Self.checkIdentity(of: payment.id, paying: body.amount.unit)
            do throws(SigningError) {
                return try reviewer.check(AgreedOption(body), payer: context.payer.accounts)
            } catch { throw .dangerousCalls(error) }
        } catch {
            throw paymentError(from: error)
        }
    }

    private func offer(_ body: OptionBody, _ checked: CheckedOption) throws -> PaymentMethodOption {
        let amount = try money(body.amount)
        let title = "\(checked.symbol) on \(checked.networkName)"
        return PaymentMethodOption(
            id: body.id, title: checked.isVerified ? title : "\(title), as the service calls it", amount: amount,
            // Recorded payments in native coins were settled at another amount than quoted.
            isEstimate: amount.currency.isNativeCoin, account: checked.account, needs: OptionActions.needs(of: body),
            expiresAt: body.expiresAt.map { Date(timeIntervalSince1970: Double($0)) },
            providerData: try JSONValue.encode(OptionActions.Stored(body)))
    }

    private func money(_ amount: AmountBody) throws -> Money {
        do { return try amount.money() } catch {
            throw self.error(.invalidResponse, "the service stated an amount that is not valid: \(error)")
        }
    }
}

extension ServiceReport {
    /// Returns the report for a payer that the service refuses.
    static func refusedPayer(_ error: PaymentError) -> ServiceReport {
        .declined(DeclineReason(.compliance, error.message))
    }
}

// MARK: - Attempt

extension PaymentFlow {
    /// Gathers data if the option requests it, resolves the option's actions, has the payer sign them in order,
    /// confirms once and waits for the settlement.
    func pay(_ attempt: PaymentAttempt) async throws -> ServiceReport {
        let id = attempt.reference.id
        guard let account = attempt.option.account, let signer = context.payer.signer else {
            throw error(.payer, "the payer has no signer")
        }
        guard let stored = try? attempt.option.providerData?.decode(OptionActions.Stored.self) else {
            throw error(.invalidResponse, "the option does not say what the wallet has to do")
        }
        let data = PayerData(stored.collectData, allowsLoopback: configuration.baseURL.isLoopback)
        // This comes first: the service builds no actions before it has the data.
        guard try await data.gather(for: id, in: self) else { return .cancelled }
        let isFresh = Mutex(false)
        let calls = try await context.step("fetch actions", .query) {
            isFresh.withLock { $0 = true }
            return try await mapped { () throws(GatewayError) in
                try await self.calls(of: id, option: attempt.option.id, listed: stored.actions)
            }
        }
        let agreed = AgreedOption(attempt.option, account: account, symbol: stored.symbol)
        let bodies = try calls.map { try $0.decode(WalletCallBody.self) }
        // Review once before any step of the wallet, so that a rejection leaves nothing begun. Coins that an earlier
        // version with other review rules sent are gone. The service has to receive their transaction.
        var ends: [Int64] = []
        if await !hasSentCoins(bodies) {
            ends = try await context.step("review calls", .query) {
                let review = try reviewed(calls, agreed, id, isStored: !isFresh.withLock { $0 })
                let now = context.clock.now
                return bodies.indices.map {
                    Int64(OptionActions.signatureEnd(review, of: $0, now: now).timeIntervalSince1970)
                }
            }
        }
        let expiry = Expiry(attempt, context.clock, provider)
        var results: [String] = []
        for (index, call) in bodies.enumerated() {
            // Once a transaction was sent to the chain, the service has to receive it, however late.
            let mayAbandon = !bodies[..<index].contains { $0.method == OptionActions.sendTransaction }
            results.append(
                try await context.step(
                    Self.signing(index, of: calls.count),
                    OptionActions.stepKind(
                        of: call, among: calls.count,
                        until: Date(timeIntervalSince1970: index < ends.count ? Double(ends[index]) : 0))
                ) {
                    if mayAbandon { try expiry.check() }
                    // Review again before each signature: time has passed, and the step may have been stored long ago.
                    let review = try reviewed(calls, agreed, id, isStored: false)
                    return try await sign(
                        SigningRequest(
                            account: account, method: call.method, parameters: call.walletParams, review: review,
                            index: index, count: calls.count), with: signer)
                })
        }
        let mayAbandon = !bodies.contains { $0.method == OptionActions.sendTransaction }
        let confirmed = try await confirm(
            id,
            ConfirmRequestBody(
                optionId: attempt.option.id, results: results.map(ConfirmRequestBody.Result.init(data:)),
                collectedData: data.values)
        ) { if mayAbandon { try expiry.check() } }
        return try await mapped(isMutation: true) { () throws(GatewayError) in
            try await settle(id, confirmed, within: configuration.settlementTimeout)
        }.report(of: attempt.reference)
    }

    private static func signing(_ index: Int, of count: Int) -> String { "sign \(index + 1) of \(count)" }

    private func hasSentCoins(_ calls: [WalletCallBody]) async -> Bool {
        for (index, call) in calls.enumerated()
        where OptionActions.isTransfer(call, among: calls.count) {
            if await context.hasRun(Self.signing(index, of: calls.count)) { return true }
        }
        return false
    }

    /// - Parameter isStored: true if an earlier run fetched the calls and none of them has been signed. Calls that do
    ///   not pass the review then require a new choice of option.
    private func reviewed(
        _ calls: [JSONValue], _ option: AgreedOption, _ id: String, isStored: Bool
    ) throws -> SigningReview {
        do throws(GatewayError) {
            return try review(calls, for: option, of: id, payer: context.payer.accounts)
        } catch {
            guard isStored, case .dangerousCalls(let refusal) = error else {
                throw paymentError(from: error)
            }
            throw self.error(
                .optionChanged, "what was stored of the payment is not to be signed any more: \(refusal.reason)",
                cause: error)
        }
    }

    /// Requests a signature. A failing wallet may have broadcast a transaction. Only its own error can exclude that.
    private func sign(_ request: SigningRequest, with signer: any PaymentSigner) async throws -> String {
        do { return try await signer.sign(request) } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw self.error(
                .payer, "the wallet failed to answer \(request.method) (\(type(of: error)))",
                phase: request.method == OptionActions.sendTransaction ? .maybeSent : .beforeSend, cause: error)
        }
    }
}

/// The time limits of an attempt: the expiry of the payment, and that of its option's price.
struct Expiry: Sendable {
    /// The code of the error for an expired payment. It never leaves the provider.
    static let code = PaymentError.Code(rawValue: "expired")

    private let attempt: PaymentAttempt
    private let clock: any PaymentClock
    private let provider: ProviderID

    init(_ attempt: PaymentAttempt, _ clock: any PaymentClock, _ provider: ProviderID) {
        self.provider = provider
        self.attempt = attempt
        self.clock = clock
    }

    /// - Throws: ``PaymentError``: with ``code`` when the payment has expired, with
    ///   ``PaymentError/Code/unusableOption`` when only the option's price has expired. Another option may still be
    ///   usable.
    func check() throws {
        if let end = attempt.expiresAt, end <= clock.now {
            throw PaymentError(Self.code, "the payment has expired", provider: provider)
        }
        if let end = attempt.option.expiresAt, end <= clock.now {
            throw PaymentError(
                .unusableOption, "the price of this option has expired; pay from the link again for a new one",
                provider: provider, retry: .later)
        }
    }
}

// MARK: - Settlement

/// Polling until a confirmed payment is settled.
package struct SettlementPoll: Sendable {
    /// The pause if the service states none, in milliseconds.
    private static let usualPause: Int64 = 1000
    // These bounds prevent a wrong answer from flooding the service or from hanging here.
    private static let shortestPause: Int64 = 10
    private static let longestPause: Int64 = 10_000

    private let clock: any PaymentClock
    private let note: @Sendable (String) -> Void

    /// Creates a poll.
    ///
    /// - Parameter note: receives every state and pause.
    package init(clock: any PaymentClock, note: @escaping @Sendable (String) -> Void) {
        self.clock = clock
        self.note = note
    }

    /// Polls until the status is final or `limit` has passed since now. The last inquiry is at the limit itself.
    ///
    /// - Returns: the latest status, which is not final when the time ran out.
    package func settle(
        _ first: StatusBody, within limit: Duration,
        ask: (_ millisecondsLeft: Int64) async throws(GatewayError) -> StatusBody
    ) async throws(GatewayError) -> StatusBody {
        func turn(_ status: StatusBody) -> PollingLoop.Turn<Result<StatusBody, GatewayError>> {
            guard !status.isFinal else { return .last(.success(status)) }
            let pause = min(max(status.pollInMs ?? Self.usualPause, Self.shortestPause), Self.longestPause)
            return .again(.success(status), after: .milliseconds(pause))
        }
        let loop = PollingLoop(clock: clock, limit: .time(limit))
        let last = await loop.run(from: turn(first)) { _ in
            .failure(GatewayError.cancelled(mayHaveArrived: true))
        } ask: { left in
            do throws(GatewayError) { return turn(try await ask(left.milliseconds)) } catch {
                return .last(.failure(error))
            }
        } willPause: { answer, pause in
            guard case .success(let status) = answer else { return }
            note("\(status.status.printable); asking again in \(pause.milliseconds) ms")
        }
        return try last.get()
    }
}

extension Duration {
    /// The nearest whole number of milliseconds, at most the largest representable one.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1000)
        guard !whole.overflow else { return .max }
        return whole.partialValue.addingReportingOverflow((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
            .partialValue
    }
}
