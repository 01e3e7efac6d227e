public import PaymentCore
public import PaymentReview
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// WalletConnect Pay: merchants are paid in tokens from the payer's wallet.
///
/// Claims links to `pay.walletconnect.com` and its subdomains, short links on `pay.wct.me`, `wc:` URIs that carry
/// such a link, and bare `pay_…` ids (unverified). The payer needs accounts and a signer.
public struct WalletConnectPayProvider: UnresolvedPaymentsProvider {
    /// `walletconnect-pay`.
    public static let id: ProviderID = "walletconnect-pay"

    private let id: ProviderID
    private let configuration: GatewayConfiguration
    private let appLinks: AppLinks
    private let reviewer: SigningReviewer

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - id: another one for each account or environment in one registry or journal, and the same for ever.
    ///   - appLinks: the application's own links, which may carry payment links. They raise no trust.
    ///   - reviewer: what the wallet may be asked to sign, and whom the payer knows.
    public init(
        id: ProviderID = WalletConnectPayProvider.id, configuration: GatewayConfiguration,
        appLinks: AppLinks = AppLinks(), reviewer: SigningReviewer = SigningReviewer()
    ) {
        self.id = id
        self.configuration = configuration
        self.appLinks = appLinks
        self.reviewer = reviewer
    }

    /// Who the provider is and what it claims.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "WalletConnect Pay",
            patterns: [
                .hostSuffix(PaymentID.linkHost), .host(PaymentID.shortLinkHost), .scheme("wc"), .textPrefix("pay_"),
            ] + appLinks.patterns,
            outboundHosts: [configuration.baseURL.authority])
    }

    /// Verified only for https links on a WalletConnect Pay host with one well-formed id, and for `wc:` URIs whose
    /// payment link is one.
    public func recognize(_ link: PaymentLink) -> LinkMatch? {
        LinkReading.match(link, in: appLinks)
    }

    /// Whether a payment is named by a short link.
    public func isUnresolved(_ payment: PaymentReference) -> Bool { !PaymentID.isWellFormed(payment.id) }

    /// Asks for the payment and the options that the payer's accounts have.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let accounts = context.payer.accounts.map(\.text)
        guard !accounts.isEmpty else {
            throw error(.payer, "the payer has no accounts; WalletConnect Pay needs at least one CAIP-10 account")
        }
        let gateway = gateway(context)
        let answer: OptionsBody
        do {
            answer = try await translated { () throws(GatewayError) in
                try await gateway.options(request.reference.id, accounts: accounts)
            }
        } catch let error as PaymentError where error.code == .payerRefused {
            return PaymentQuote(
                reference: request.reference, payee: Payee(name: "an unnamed merchant"), amount: nil, options: [],
                outcome: Self.refused(error))
        }
        guard let info = answer.info else { throw error(.invalidResponse, "the service left out what is to be paid") }
        let status = StatusBody(status: info.status, isFinal: info.status.isFinal, info: answer.resultInfo)
        let isOpen = info.status == .requiresAction
        return PaymentQuote(
            reference: request.reference, payee: Payee(name: info.merchant.name, iconURL: info.merchant.iconUrl),
            amount: try money(info.amount),
            options: isOpen ? try options(answer.options ?? [], of: request.reference, context) : [],
            expiresAt: Date(timeIntervalSince1970: Double(info.expiresAt)),
            outcome: isOpen ? nil : status.outcome(of: request.reference))
    }

    /// Gathers data where the option asks for it, resolves the option's actions, has the payer sign them in order,
    /// confirms once and waits for the settlement.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        let gateway = gateway(context)
        do {
            return try await carryOut(attempt, gateway, context)
        } catch let error as PaymentError where error.code == Expiry.code {
            // This device's clock says so; only the service knows.
            let outcome = try await status(of: attempt.reference, in: context)
            guard !outcome.isFinal else { return outcome }
            throw self.error(
                .unusableOption,
                "the payment's time is over by this device's clock, but the service has not ended it; check the clock")
        } catch let error as PaymentError where error.code == .payerRefused && error.phase == .answered {
            return Self.refused(error)
        } catch let error as PaymentError where error.code == .requestRefused && error.phase == .answered {
            // Often the payment has ended meanwhile: expired, cancelled, paid by another device.
            let outcome = try? await gateway.status(attempt.reference.id).outcome(of: attempt.reference)
            guard let outcome, outcome.isFinal else { throw error }
            return outcome
        }
    }

    private func carryOut(
        _ attempt: PaymentAttempt, _ gateway: PayGateway, _ context: ProviderContext
    ) async throws -> PaymentOutcome {
        let id = attempt.reference.id
        guard let account = attempt.option.account, let signer = context.payer.signer else {
            throw error(.payer, "the payer has no signer")
        }
        guard let stored = try? attempt.option.providerData?.decode(OptionActions.Stored.self) else {
            throw error(.invalidResponse, "the option does not say what the wallet has to do")
        }
        let data = PayerData(stored.collectData, allowsLoopback: configuration.baseURL.isLoopback)
        // First of all: the service builds no actions before it has the data.
        guard try await data.gather(in: context, payment: id, gateway: gateway) else { return .cancelled }
        let isFresh = Mutex(false)
        let calls = try await context.step("fetch actions", .query) {
            isFresh.withLock { $0 = true }
            return try await translated { () throws(GatewayError) in
                try await OptionActions.resolve(stored.actions) { data throws(GatewayError) in
                    try await gateway.fetch(id, optionID: attempt.option.id, data: data)
                }
            }
        }
        let agreed = AgreedOption(attempt.option, account: account, symbol: stored.symbol)
        let expiry = Expiry(attempt, context.clock)
        let bodies = try calls.map { try $0.decode(WalletCallBody.self) }
        // Once before any step that the wallet has a part in: what is refused here has begun nothing. Coins that were
        // sent before, by a version that reviewed otherwise, are gone; the service has to hear of them.
        if await !hasSentCoins(bodies, context) {
            try checkIdentity(attempt.reference, sends: OptionActions.isSent(agreed.unit))
            _ = try await context.step("review calls", .query) {
                try self.review(agreed, calls, context, isStored: !isFresh.withLock { $0 }).warnings.map(\.rawValue)
            }
        }
        var results: [String] = []
        for (index, call) in bodies.enumerated() {
            // Once something was sent to the chain, the service has to hear of it, however late.
            let mayGiveUp = !bodies[..<index].contains { $0.method == OptionActions.sendTransaction }
            results.append(
                try await context.step(
                    Self.signing(index, of: calls.count), OptionActions.stepKind(of: call, among: calls.count)
                ) {
                    if mayGiveUp { try expiry.check() }
                    // And before each signature: the time has gone on, and the step may have been stored long ago.
                    let review = try self.review(agreed, calls, context, isStored: false)
                    return try await Self.sign(
                        SigningRequest(
                            account: account, method: call.method, parameters: call.params, review: review,
                            index: index, count: calls.count), with: signer)
                })
        }
        let mayGiveUp = !bodies.contains { $0.method == OptionActions.sendTransaction }
        let body = ConfirmRequestBody(
            optionId: attempt.option.id, results: results.map(ConfirmRequestBody.Result.init(data:)),
            collectedData: data.values)
        let confirmed: StatusBody
        do {
            confirmed = try await context.step("confirm", .mutation(replay: .never)) {
                if mayGiveUp { try expiry.check() }
                return try await translated(isMutation: true) { () throws(GatewayError) in
                    try await gateway.confirm(id, body)
                }
            }
        } catch let error as PaymentError where error.code == .payerRefused && !mayGiveUp {
            // What the wallet sent to the chain is under way, whatever the service thinks of the payer: calling this
            // declined would let the next attempt send it again.
            throw PaymentError(error.code, error.message, provider: Self.id, phase: .maybeSent)
        }
        return try await settled(confirmed, attempt, gateway, context)
    }

    /// Asks the service for the payment's state.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        let gateway = gateway(context)
        return try await translated { () throws(GatewayError) in try await gateway.status(payment.id) }
            .outcome(of: payment)
    }

    // MARK: Steps

    private static func signing(_ index: Int, of count: Int) -> String { "sign \(index + 1) of \(count)" }

    private func hasSentCoins(_ calls: [WalletCallBody], _ context: ProviderContext) async -> Bool {
        for (index, call) in calls.enumerated()
        where OptionActions.stepKind(of: call, among: calls.count) == .walletTransfer {
            if await context.hasRun(Self.signing(index, of: calls.count)) { return true }
        }
        return false
    }

    /// - Parameter isStored: whether the calls were fetched by an earlier run, and nothing of them has been signed: what
    ///   does not fit then is chosen anew.
    private func review(
        _ option: AgreedOption, _ calls: [JSONValue], _ context: ProviderContext, isStored: Bool
    ) throws -> SigningReview {
        do {
            return try reviewer.review(
                option, calls: calls, payer: context.payer.accounts, now: context.clock.now)
        } catch {
            guard isStored else { throw error.paymentError }
            throw self.error(
                .optionChanged, "what was stored of the payment is not to be signed any more: \(error.reason)")
        }
    }

    /// A failing wallet may have broadcast a transaction; only its own word says that it has not.
    private static func sign(_ request: SigningRequest, with signer: any PaymentSigner) async throws -> String {
        do { return try await signer.sign(request) } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PaymentError(
                .payer, "the wallet failed to answer \(request.method) (\(type(of: error)))",
                provider: WalletConnectPayProvider.id,
                phase: request.method == OptionActions.sendTransaction ? .maybeSent : .beforeSend)
        }
    }

    /// Polls until the status is final or the time for settling is over.
    private func settled(
        _ confirmed: StatusBody, _ attempt: PaymentAttempt, _ gateway: PayGateway, _ context: ProviderContext
    ) async throws -> PaymentOutcome {
        let poll = SettlementPoll(clock: context.clock, note: { context.log($0) })
        return try await translated(isMutation: true) { () throws(GatewayError) in
            try await poll.settle(confirmed, within: configuration.settlementTimeout) { _ throws(GatewayError) in
                try await gateway.status(attempt.reference.id)
            }
        }.outcome(of: attempt.reference)
    }

    // MARK: Helpers

    private static func refused(_ error: PaymentError) -> PaymentOutcome {
        .declined(DeclineReason(.compliance, error.message))
    }

    private func gateway(_ context: ProviderContext) -> PayGateway {
        PayGateway(configuration: configuration, http: context.http)
    }

    /// The options whose own statements hold, and which may be paid from such a link. One that is left out is said;
    /// when no other is left, the payment cannot be made.
    private func options(
        _ bodies: [OptionBody], of payment: PaymentReference, _ context: ProviderContext
    ) throws -> [PaymentCore.PaymentOption] {
        var options: [PaymentCore.PaymentOption] = []
        var refusal: PaymentError?
        for body in bodies {
            do {
                try checkIdentity(payment, sends: OptionActions.isSent(body.amount.unit))
                options.append(try option(body, try checked(body, context)))
            } catch let error as PaymentError {
                context.log("an option is left out: \(error.message)")
                refusal = refusal ?? error
            }
        }
        if options.isEmpty, let refusal { throw refusal }
        return options
    }

    private func checked(_ body: OptionBody, _ context: ProviderContext) throws -> CheckedOption {
        do { return try reviewer.check(AgreedOption(body), payer: context.payer.accounts) } catch {
            throw error.paymentError
        }
    }

    /// The wallet sends money only for a payment that has one name here, however its link is spelt.
    private func checkIdentity(_ payment: PaymentReference, sends: Bool) throws {
        guard sends, isUnresolved(payment) else { return }
        throw error(.unusableOption, PaymentID.unresolved)
    }

    private func option(_ body: OptionBody, _ checked: CheckedOption) throws -> PaymentCore.PaymentOption {
        let amount = try money(body.amount)
        let title = "\(checked.symbol) on \(checked.networkName)"
        return PaymentCore.PaymentOption(
            id: body.id, title: checked.isVerified ? title : "\(title), as the service calls it", amount: amount,
            // Recorded payments in native coins were settled at another amount than quoted.
            isEstimate: amount.currency.isNativeCoin, account: checked.account, needs: OptionActions.needs(of: body),
            expiresAt: body.expiresAt.map { Date(timeIntervalSince1970: Double($0)) },
            providerData: try JSONValue.encode(OptionActions.Stored(body)))
    }

    private func money(_ amount: PayAmount) throws -> Money {
        do { return try amount.money() } catch {
            throw self.error(.invalidResponse, "the service stated an amount that is not valid: \(error)")
        }
    }

    private func error(_ code: PaymentError.Code, _ message: String) -> PaymentError {
        PaymentError(code, message, provider: Self.id)
    }
}
