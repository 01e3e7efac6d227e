public import PaymentCore
public import PaymentReview
import Synchronization
public import WalletConnectPayProvider

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The vendor's client: four calls from a payment link to a paid payment.
///
/// The calls, their parameters and results are those of the vendor's integration guides. `WalletConnectPay.instance` is
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
    ///   - transport: sends the requests. The client does its own retries, and the transport need not.
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
    /// The id is read from the link on this device, as the vendor's client does. This does not establish trust in the
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
    /// Call it once, when the payer has decided. ``PaymentOption/actions`` is for previews. If the option has
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

// MARK: - Confirmation

extension PayClient {
    /// Submits the signatures and waits for the settlement. This moves money.
    ///
    /// After a lost answer, the payment's status shows if the confirmation arrived. The identical confirmation is sent
    /// again only while the payment still waits for it.
    ///
    /// - Parameters:
    ///   - paymentId: the payment.
    ///   - optionId: the option whose actions were signed.
    ///   - signatures: one result for each action, in the actions' order: a signature, or a transaction hash.
    ///   - collectedData: the payer's data from the application's own form. Nil after the service's form, which submits
    ///     it itself.
    ///   - maxPollMs: the maximum wait for the settlement, in milliseconds from now, including the confirmation itself.
    ///     A failing network can add to it. The service receives the value, too. Nil (and 0 or less) waits until a few
    ///     minutes after the payment's expiry if that is known, otherwise five minutes.
    /// - Returns: the final status of the payment: ``PaymentStatus/succeeded``, ``PaymentStatus/failed`` or
    ///   ``PaymentStatus/expired``. If the time is over first: the service's latest status, usually
    ///   ``PaymentStatus/processing``, with ``ConfirmPaymentResultResponse/isFinal`` false. Then call
    ///   ``getPaymentStatus(paymentId:)`` later, and do not pay again. A payment that failed or expired while a
    ///   signature can still pay it is not final either.
    /// - Throws: ``ConfirmPaymentError``: a refusal by its case; ``ConfirmPaymentError/http(_:)`` for everything else,
    ///   also when the payment was cancelled, when its state is unknown to this version and when the network fails
    ///   while waiting. Every failure and every ending but success is ``ConfirmPaymentError/http(_:)`` for coins that
    ///   the wallet sent: the service's answer does not bring them back. `CancellationError` when the task was
    ///   cancelled before anything was sent.
    public func confirmPayment(
        paymentId: String, optionId: String, signatures: [String], collectedData: [CollectDataFieldResult]? = nil,
        maxPollMs: Int64? = nil
    ) async throws -> ConfirmPaymentResultResponse {
        let body = ConfirmRequestBody(
            optionId: optionId, results: signatures.map(ConfirmRequestBody.Result.init(text:)),
            collectedData: (collectedData ?? []).map(CollectedBody.init))
        return try await confirm(paymentId, body, signatures, maxPollMs: maxPollMs)
    }

    /// Confirms as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)`` without data. The
    /// vendor's newer guide refers to the function in this form.
    ///
    /// - Throws: as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``.
    public func confirmPayment(
        paymentId: String, optionId: String, signatures: [String], maxPollMs: Int64?
    ) async throws -> ConfirmPaymentResultResponse {
        try await confirmPayment(
            paymentId: paymentId, optionId: optionId, signatures: signatures, collectedData: nil, maxPollMs: maxPollMs)
    }

    /// Confirms as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``, with results of any
    /// form: a text that is a JSON object or array is sent as JSON, any other one as text. Wallets of some chains
    /// return objects.
    ///
    /// - Throws: as ``confirmPayment(paymentId:optionId:signatures:collectedData:maxPollMs:)``.
    public func confirmPayment(
        paymentId: String, optionId: String, data: [String], collectedData: [CollectDataFieldResult]? = nil,
        maxPollMs: Int64? = nil
    ) async throws -> ConfirmPaymentResultResponse {
        let body = ConfirmRequestBody(
            optionId: optionId, results: data.map(ConfirmRequestBody.Result.init(data:)),
            collectedData: (collectedData ?? []).map(CollectedBody.init))
        return try await confirm(paymentId, body, data, maxPollMs: maxPollMs)
    }

    /// The wait when neither the caller nor an expiry limits it.
    private static let usualWait = Duration.seconds(300)
    /// The time after the payment's expiry during which signatures remain valid and the payment may settle.
    private static let grace = Duration.seconds(300)
    /// The minimum wait when the caller sets no limit.
    private static let shortestWait = Duration.seconds(60)

    private func confirm(
        _ id: String, _ body: ConfirmRequestBody, _ results: [String], maxPollMs: Int64?
    ) async throws -> ConfirmPaymentResultResponse {
        let hold = maxPollMs.flatMap { $0 > 0 ? $0 : nil }
        let deadline = hold.map { clock.uptime + .milliseconds($0) }
        log(message: "confirmPayment: \(body.results.count) results")
        let (flow, confirmed) = try await call(
            "confirmPayment", of: id, { ConfirmPaymentError($0) }, unusable: { .http($0) }
        ) { flow throws(GatewayError) in
            recordConfirmation(of: id, body.optionId, results, flow)
            return (flow, try await sent(id, body, hold: hold, flow))
        }
        let limit = deadline.map { max($0 - clock.uptime, .zero) } ?? wait(for: id)
        return try await settled(id, confirmed, within: limit, isHeld: hold != nil, flow)
    }

    /// Sends the confirmation until its outcome is known.
    private func sent(
        _ id: String, _ body: ConfirmRequestBody, hold: Int64?, _ flow: PaymentFlow
    ) async throws(GatewayError) -> StatusBody {
        do { return try await flow.confirm(id, body, hold: hold) } catch {
            let cause = GatewayError(behind: error)
            guard case .cancelled(let mayHaveArrived) = cause, mayHaveArrived || mayHaveMovedMoney(paymentId: id) else {
                throw cause
            }
            // A silent end would be wrong: money may move.
            throw .unusableAnswer("cancelled \(mayHaveArrived ? "after" : "before") the confirmation was sent")
        }
    }

    /// Waits for the end of a confirmed payment, or of the time limit.
    private func settled(
        _ id: String, _ confirmed: StatusBody, within limit: Duration, isHeld: Bool, _ flow: PaymentFlow
    ) async throws -> ConfirmPaymentResultResponse {
        let last: StatusBody
        do { last = try await flow.settle(id, confirmed, within: limit, isHeld: isHeld) } catch {
            log(message: "confirmPayment failed while waiting: \(error.text)")
            throw failure(error, of: id, ConfirmPaymentError.init(polling:))
        }
        log(message: "confirmPayment: \(last.status.printable)\(last.isFinal ? "" : ", not settled in time")")
        do throws(GatewayError) {
            return try ConfirmPaymentResultResponse(last, try judge(last.status, of: id))
        } catch { throw failure(error, of: id) { ConfirmPaymentError.http($0.text) } }
    }

    private func wait(for id: String) -> Duration {
        guard let end = cache.withLock({ $0.expiry(of: id) }) else { return Self.usualWait }
        // A date far ahead or in the past must neither overflow nor end the wait at once.
        let left = min(max(Double(end) - clock.now.timeIntervalSince1970, 0), 86_400)
        return max(.milliseconds(Int64(left * 1000)) + Self.grace, Self.shortestWait)
    }
}

// MARK: - Actions that were handed out

/// A status of the service, judged by the actions that were handed out.
struct PaymentEnding: Sendable {
    /// True if money may have moved although the status does not say so.
    let mayHaveMovedMoney: Bool
}

extension PayClient {
    /// Returns true if actions that this client handed out for a payment may have paid it, or still can, and the
    /// service has not reported it as paid. Then do not pay it again. Not among the vendor's calls.
    public func mayHaveMovedMoney(paymentId: String) -> Bool { warning(of: paymentId) != nil }

    /// States that the wallet acted on none of the actions of a payment, for example because the user declined: nothing
    /// was signed, nothing was sent. Another option can then be chosen. Not among the vendor's calls.
    ///
    /// - Throws: ``GetPaymentRequestError/http(_:)`` when results of the wallet were confirmed.
    public func discardActions(paymentId: String) throws {
        let now = clock.now
        do throws(GatewayError) {
            try handedOut.withLock { handedOut throws(GatewayError) in try handedOut.withdraw(paymentId, now: now) }
        } catch { throw failure(error, of: paymentId, GetPaymentRequestError.init) }
    }

    func list(of option: String, of id: String, now: Date) throws(GatewayError) -> HandedOut.List? {
        let end = expiry(of: id)
        return try handedOut.withLock { handedOut throws(GatewayError) in
            try handedOut.list(of: option, of: id, until: end, now: now)
        }
    }

    func handOut(_ list: HandedOut.List, of id: String) throws(GatewayError) -> HandedOut.List {
        let (now, end) = (clock.now, expiry(of: id))
        return try handedOut.withLock { handedOut throws(GatewayError) in
            try handedOut.handOut(list, of: id, until: end, now: now)
        }
    }

    /// Records the wallet's results before they are sent. They may be those of an option whose preview alone was shown.
    func recordConfirmation(of id: String, _ option: String, _ results: [String], _ flow: PaymentFlow) {
        let now = clock.now
        let (known, payer) = cache.withLock { ($0.option(option, of: id, now: -.infinity), $0.payer(of: id)) }
        let calls = known.map { OptionActions.ready($0.listed) } ?? []
        let preview = known.flatMap { known in
            (try? flow.review(calls, for: known.agreed, of: id, payer: payer)).map {
                HandedOut.List(
                    option: known.body, optionID: option, calls: calls, review: $0,
                    reach: HandedOut.Reach(calls, $0, now: now))
            }
        }
        handedOut.withLock { $0.confirm(option, of: id, results: results, preview: preview, now: now) }
    }

    /// Judges a status by what was handed out.
    ///
    /// - Throws: ``GatewayError/unsupported(_:)`` for a payment that ended unpaid although coins may have been sent.
    func judge(_ state: PaymentState, of id: String) throws(GatewayError) -> PaymentEnding {
        switch state {
        case .succeeded: handedOut.withLock { $0.pay(id) }
        case .failed, .expired, .cancelled:
            guard case .transfer? = warning(of: id) else { break }
            throw .unsupported("the service reports the payment as '\(state.printable)'")
        case .requiresAction, .processing, .unknown: break
        }
        return PaymentEnding(mayHaveMovedMoney: mayHaveMovedMoney(paymentId: id))
    }

    /// Returns the vendor's error for `error`: ``VendorError/http(_:)`` while handed-out actions can pay.
    func failure<Failure: VendorError>(
        _ error: GatewayError, of payment: String?, _ failure: (GatewayError) -> Failure
    ) -> Failure {
        guard let payment, let warning = warning(of: payment) else { return failure(error) }
        return .http("\(error.text); \(warning.text)")
    }

    private func warning(of id: String) -> HandedOut.Warning? {
        let (now, end) = (clock.now, expiry(of: id))
        return handedOut.withLock { $0.warning(of: id, until: end, now: now) }
    }

    func expiry(of id: String) -> Int64? { cache.withLock { $0.expiry(of: id) } }
}

// MARK: - Parts

/// The state that a client keeps between the calls of a payment, per payment and option.
struct ActionCache: Sendable {
    /// One option.
    struct Option: Sendable {
        /// The option that the payer saw.
        let body: OptionBody
        /// The actions as the service listed them, `build` actions not yet fetched.
        var listed: [ActionBody]
        /// The option that the payer saw, as the measure of its calls.
        var agreed: AgreedOption { AgreedOption(body) }

        init(_ body: OptionBody) {
            self.body = body
            listed = body.actions
        }
    }

    private struct Payment {
        var expiresAt: Int64?
        var payer: [AccountID] = []
        var options: [String: Option] = [:]
    }

    /// The maximum number of payments. The oldest is evicted first, which costs at most one additional request.
    static let capacity = 256

    private var payments: [String: Payment] = [:]
    private var order: [String] = []

    /// Stores the options that `payer` was offered for a payment, as they are shown, replacing the earlier state.
    mutating func store(_ shown: [OptionBody], _ body: OptionsBody, of payment: String, payer: [AccountID]) {
        var options: [String: Option] = [:]
        for option in shown {
            options[option.id] = Option(option)
        }
        // Without info the known expiry remains valid: it never changes.
        let expiresAt = body.info?.expiresAt ?? payments[payment]?.expiresAt
        set(Payment(expiresAt: expiresAt, payer: payer, options: options), payment)
    }

    /// Returns the state of a listed option. After its price has expired at `now` (Unix seconds), that is only the
    /// option that the payer saw: its actions must be fetched again.
    func option(_ id: String, of payment: String, now: Double) -> Option? {
        guard var option = payments[payment]?.options[id] else { return nil }
        if let end = option.body.expiresAt, Double(end) <= now { option.listed = [] }
        return option
    }

    /// Returns the accounts whose options were requested for a payment.
    func payer(of payment: String) -> [AccountID] { payments[payment]?.payer ?? [] }

    /// Returns the expiry of the payment: Unix seconds.
    func expiry(of payment: String) -> Int64? { payments[payment]?.expiresAt }

    private mutating func set(_ payment: Payment, _ id: String) {
        if payments.updateValue(payment, forKey: id) == nil { order.append(id) }
        if order.count > Self.capacity { payments[order.removeFirst()] = nil }
    }
}

/// The transport of a client that does its own retries: if the transport retried too, one call would be sent many
/// times.
struct OneTryTransport: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.replay = .never
        return try await base.send(request)
    }
}

/// A log of a client's steps, a line at a time. Lines never hold links, keys, signatures or personal data.
public struct PayLog: Sendable {
    private let sink: (@Sendable (String) -> Void)?

    /// Creates a log that passes every line to `sink`, which may be called from any task.
    public init(_ sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

    private init() { sink = nil }

    /// Drops every line.
    public static let silent = PayLog()

    /// Writes to the process's standard error.
    public static let standardError = PayLog { line in
        let bytes = Array((line + "\n").utf8)
        // A failing log must not disturb a payment.
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    /// Writes `message` in the vendor's form.
    func callAsFunction(_ message: @autoclosure () -> String) {
        sink?("💳 [WalletConnectPay] \(message())")
    }
}
