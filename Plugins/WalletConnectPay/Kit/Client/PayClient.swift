public import PaymentCore
public import PaymentReview
import Synchronization
public import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The vendor's client: four calls from a payment link to a paid payment.
///
/// The calls, their parameters and results are those of the vendor's integration guides; `WalletConnectPay.instance` is
/// one such client. Servers and tests create their own. The client keeps the latest options of each payment, and the
/// actions that it handed out.
///
/// Once actions were handed out, the payment may have been made. Until they can pay no more, every failure of a call
/// for that payment is its `.http` with a text that says so, whatever the service answers, and no other actions of the
/// payment are handed out. See ``mayHaveMovedMoney(paymentId:)`` and ``discardActions(paymentId:)``.
///
/// Queries are retried up to five times (1 s, then 2 s apart, and some jitter; HTTP 429 may name up to 2 s). A
/// cancelled task makes a call throw `CancellationError`, unless a confirmation may already have been sent.
public final class PayClient: Sendable {
    private typealias Service = (configuration: GatewayConfiguration, transport: any HTTPTransport)
    private let service: Result<Service, ConfigError>
    let clock: any PaymentClock
    private let random: any RandomSource
    let cache = Mutex(ActionCache())
    let handedOut = Mutex(HandedOut())
    private let reviewer: SigningReviewer
    private let logger: PayLog

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: the service and its credentials.
    ///   - transport: sends the requests. The client does its own retries; the transport need not.
    ///   - clock: the clock for expiry, polling and back-off.
    ///   - random: the source of jitter for the back-off.
    ///   - log: receives a line for each step of the client.
    ///   - reviewer: the rules for the wallet's signatures, and the contacts of the payer.
    public convenience init(
        configuration: GatewayConfiguration, transport: any HTTPTransport,
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource(),
        log: PayLog = .silent, reviewer: SigningReviewer = SigningReviewer()
    ) {
        self.init(
            .success((configuration, transport)), clock: clock, random: random, log: log, reviewer: reviewer)
    }

    /// Creates a client all of whose calls throw an error with the reason.
    convenience init(unusable reason: ConfigError, log: PayLog = .silent) {
        self.init(
            .failure(reason), clock: SystemPaymentClock(), random: SystemRandomSource(), log: log,
            reviewer: SigningReviewer())
    }

    private init(
        _ service: Result<Service, ConfigError>, clock: any PaymentClock, random: any RandomSource, log: PayLog,
        reviewer: SigningReviewer
    ) {
        self.service = service
        self.clock = clock
        self.random = random
        self.reviewer = reviewer
        logger = log
    }

    /// Returns true if `string` may be a payment link, by the vendor's quick test; see ``PaymentLinkDetector``.
    public func isPaymentLink(_ string: String) -> Bool { PaymentLinkDetector.isPaymentLink(string) }

    /// Writes `message` to the log, in the vendor's form.
    public func log(message: String) { logger(message) }

    /// Gets the terms of a payment link and the options of these accounts for paying it.
    ///
    /// The id is read from the link on this device, as the vendor's client does; this does not establish trust in the
    /// link. Routing does.
    ///
    /// - Parameters:
    ///   - paymentLink: the scanned or opened link.
    ///   - accounts: CAIP-10 accounts, `eip155:8453:0x…`.
    ///   - includePaymentInfo: true to fill ``PaymentOptionsResponse/info``.
    /// - Returns: the options. None for a payment that has succeeded, failed or expired: see its
    ///   ``PaymentInfo/status``. While a signature of an option can pay, that option is listed unchanged.
    /// - Throws: ``GetPaymentOptionsError``, ``GetPaymentOptionsError/http(_:)`` also when the info says that the
    ///   payment was cancelled or is in a state unknown to this version, or ended although coins may have been sent for
    ///   it; `CancellationError`.
    public func getPaymentOptions(
        paymentLink: String, accounts: [String], includePaymentInfo: Bool = true
    ) async throws -> PaymentOptionsResponse {
        let link = PaymentID.extract(from: paymentLink)
        return try await call(
            "getPaymentOptions", of: link, GetPaymentOptionsError.init, unusable: { .invalidRequest($0) }
        ) { flow throws(GatewayError) in
            // The message omits the link: a pairing URI holds a key.
            guard let id = link else { throw .invalidRequest("unsupported payment link format") }
            let body = try await flow.options(of: id, accounts: accounts, includeInfo: includePaymentInfo)
            let payer = accounts.compactMap { try? AccountID($0) }
            let ending = try body.info.map { info throws(GatewayError) in try judge(info.status, of: id) }
            let (now, end) = (clock.now, body.info?.expiresAt ?? expiry(of: id))
            let shown = handedOut.withLock { $0.shown(body.options ?? [], of: id, now: now) }
            cache.withLock { $0.store(shown, body, of: id, payer: payer) }
            log(message: "getPaymentOptions: \(shown.count) options")
            return try PaymentOptionsResponse(
                id, body, options: shown,
                mayHaveMovedMoney: ending?.mayHaveMovedMoney ?? mayHaveMovedMoney(paymentId: id)
            ) { option in
                let calls =
                    handedOut.withLock { $0.preview(of: option.id, of: id, until: end, now: now) }
                    ?? OptionActions.ready(option.actions)
                let isGood = (try? flow.review(calls, for: AgreedOption(option), of: id, payer: payer)) != nil
                return isGood ? calls.compactMap(Action.init) : []
            }
        }
    }

    /// Gets the wallet's actions for an option, completely and in order.
    ///
    /// Call it once, when the payer has decided; ``PaymentOption/actions`` is for previews. If the option has
    /// ``PaymentOption/collectData``, submit that data first: until then the service refuses.
    ///
    /// While the wallet can pay with these actions, the same ones are returned for this option, and none for another
    /// option of the payment: signatures until their deadline, coins until the payment is paid. Once a transaction was
    /// confirmed, its action is not returned again. If the wallet acted on none of them, because the user declined,
    /// call ``discardActions(paymentId:)`` before another option.
    ///
    /// The whole list is reviewed against the option that
    /// ``getPaymentOptions(paymentLink:accounts:includePaymentInfo:)`` returned: actions that would do anything other
    /// than pay it are not returned. ``signingReview(paymentId:optionId:)`` describes their effect.
    ///
    /// - Throws: ``GetPaymentRequestError``, ``GetPaymentRequestError/http(_:)`` when the review refuses them or others
    ///   were handed out, and ``GetPaymentRequestError/optionNotFound(_:)`` when this client has not received the
    ///   option; `CancellationError`.
    public func getRequiredPaymentActions(paymentId: String, optionId: String) async throws -> [Action] {
        try await call(
            "getRequiredPaymentActions", of: paymentId, GetPaymentRequestError.init, unusable: { .http($0) }
        ) { flow throws(GatewayError) in
            let now = clock.now
            let (option, payer) = cache.withLock {
                ($0.option(optionId, of: paymentId, now: now.timeIntervalSince1970), $0.payer(of: paymentId))
            }
            let earlier = try list(of: optionId, of: paymentId, now: now)
            let calls: [JSONValue]
            if let earlier {
                calls = earlier.calls
            } else {
                calls = try await flow.calls(of: paymentId, option: optionId, listed: option?.listed ?? [])
            }
            // The request is sent before this check, because the service may have a more specific error; without an
            // option there is nothing to review against.
            guard let body = earlier?.option ?? option?.body else { throw .unknownOption }
            let review = try flow.review(calls, for: AgreedOption(body), of: paymentId, payer: payer)
            let list = HandedOut.List(
                option: body, optionID: optionId, calls: calls, review: review,
                reach: HandedOut.Reach(calls, review, now: now))
            let leaving = try handOut(list, of: paymentId)
            log(message: "getRequiredPaymentActions: \(leaving.calls.count) actions")
            return leaving.calls.compactMap(Action.init)
        }
    }

    /// Returns the review of the actions that ``getRequiredPaymentActions(paymentId:optionId:)`` last returned for an
    /// option: show it before signing. Nil when it returned none. Not among the vendor's calls.
    public func signingReview(paymentId: String, optionId: String) -> SigningReview? {
        handedOut.withLock { $0.review(of: optionId, of: paymentId) }
    }

    /// Gets the status of a payment. Changes nothing.
    ///
    /// - Throws: ``GetPaymentStatusError``, ``GetPaymentStatusError/http(_:)`` also for a payment that was cancelled or
    ///   is in a state unknown to this version, or ended although coins may have been sent for it; `CancellationError`.
    public func getPaymentStatus(paymentId: String) async throws -> PaymentStatusResponse {
        try await call("getPaymentStatus", of: paymentId, GetPaymentStatusError.init, unusable: { .http($0) }) {
            flow throws(GatewayError) in
            let body = try await flow.status(paymentId)
            log(message: "getPaymentStatus: \(body.status.printable)")
            return try PaymentStatusResponse(paymentId, body, try judge(body.status, of: paymentId))
        }
    }

    /// Cancels an unpaid payment. Cancelling it twice is harmless.
    ///
    /// - Throws: ``PayError``, ``PayError/api(_:)`` when the payment can no longer be cancelled, ``PayError/http(_:)``
    ///   when the service answers with another state than "cancelled", and when it cancels although coins may have been
    ///   sent for the payment; `CancellationError`.
    public func cancelPayment(paymentId: String) async throws -> CancelPaymentResponse {
        try await call("cancelPayment", of: paymentId, PayError.init, unusable: { .http($0) }) {
            flow throws(GatewayError) in
            let body: CancelBody
            do { body = try await flow.cancel(paymentId) } catch { throw GatewayError(behind: error) }
            return try CancelPaymentResponse(paymentId, body, try judge(body.status, of: paymentId))
        }
    }

    // MARK: Calling

    /// Runs `body` with its own flow, and maps its failures to the vendor's error of the call `name`.
    ///
    /// - Parameter payment: the payment that the call is about. While actions that were handed out for it can pay, its
    ///   failures are `.http` and say so.
    func call<Answer, Failure: VendorError>(
        _ name: String, of payment: String?, _ failure: (GatewayError) -> Failure, unusable: (String) -> Failure,
        _ body: (PaymentFlow) async throws(GatewayError) -> Answer
    ) async throws -> Answer {
        let flow: PaymentFlow
        switch service {
        case .success(let service): flow = self.flow(service)
        case .failure(let reason): throw unusable(reason.description)
        }
        do { return try await body(flow) } catch {
            log(message: "\(name) failed: \(error.text)")
            if case .cancelled = error { throw CancellationError() }
            throw self.failure(error, of: payment, failure)
        }
    }

    private func flow(_ service: Service) -> PaymentFlow {
        PaymentFlow(
            service.configuration, reviewer: reviewer, limits: .vendor,
            context: .unstored(
                hosts: [service.configuration.baseURL.authority], http: OneTryTransport(base: service.transport),
                clock: clock,
                random: random, remark: { self.log(message: $0) }))
    }
}

extension PaymentOptionsResponse {
    /// - Parameter preview: the actions of an option that may already be shown.
    init(
        _ paymentID: String, _ body: OptionsBody, options: [OptionBody], mayHaveMovedMoney: Bool,
        preview: (OptionBody) -> [Action]
    ) throws(GatewayError) {
        let info: PaymentInfo? = if let body = body.info { try PaymentInfo(body) } else { nil }
        self.init(
            paymentId: paymentID, info: info,
            options: options.map { option in
                PaymentOption(
                    id: option.id, account: option.account, amount: PayAmount(option.amount), etaS: option.etaS ?? 0,
                    expiresAt: option.expiresAt, actions: preview(option),
                    collectData: option.collectData.map(CollectDataAction.init))
            },
            collectData: body.collectData.map(CollectDataAction.init),
            resultInfo: body.resultInfo.map(PaymentResultInfo.init), mayHaveMovedMoney: mayHaveMovedMoney)
    }
}
