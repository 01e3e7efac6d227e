package import PaymentCore
import Synchronization

/// The one flow of a payment, for the router and for the vendor's client alike: the status, the request to pay, the
/// payer's actions, and the end.
///
/// The two differ in the flow's input: a context, which stores the steps in a journal or in memory, and the knowledge
/// at the ``Start``. Every protection of the payer is implemented here, for both.
///
/// The request to pay is sent once and never again, because the service does not document for how long it recognises a
/// repetition. The statuses show whether it arrived.
package struct PaymentFlow: Sendable {
    /// The router's reference of the payment.
    package let payment: PaymentReference
    let payload: SessionPayload
    let execution: SessionPayload.ExecutionSetup
    let returnURLs: ReturnURLs
    let terms: Terms
    let start: Start
    let keys: Keys
    let context: ProviderContext
    let api: PayrailsAPI
    let state = RunState()
    private let hold: Duration

    /// The amount and the means of a payment.
    package struct Terms: Sendable {
        /// The amount in the request.
        let amount: PayrailsAmount
        /// The amount that the payer has agreed to, if it may differ from the session's.
        let agreed: Money?
        /// The type of the payment, if it is known before ``means``.
        let type: Payrails.PaymentType?
        /// The means of payment; nil if the flow can only resume a payment in progress.
        let means: (@Sendable () async throws -> PaymentMeans?)?

        /// Creates terms.
        package init(
            amount: PayrailsAmount, agreed: Money? = nil, type: Payrails.PaymentType? = nil,
            means: (@Sendable () async throws -> PaymentMeans?)?
        ) {
            self.amount = amount
            self.agreed = agreed
            self.type = type
            self.means = means
        }
    }

    /// The knowledge of the payment before the flow.
    package enum Start: Sendable {
        /// A payment may have been begun: the flow queries the service first, and again right before the request to
        /// pay.
        ///
        /// - Parameter afterLeaving: true if the payer has left an earlier attempt's page for another way to pay. A
        ///   page that still waits for its payer then gives way to the new attempt.
        case mayBeBegun(afterLeaving: Bool)
        /// No payment is in progress by the init data, which were made for this payment, and none was begun with them
        /// since: the request to pay is sent at once, as recorded from the vendor's client. The mark covers the earlier
        /// attempts.
        case untouched(StatusHistory.Mark)
    }

    /// The keys that let the service recognise repetitions.
    package struct Keys: Sendable {
        /// The key of a request to pay that may have arrived, although no status shows it.
        package struct Unanswered: Sendable {
            /// The key.
            package let key: String
            /// The statuses before that request.
            package let mark: StatusHistory.Mark
        }

        let authorize: String
        let confirm: String
        let unanswered: Unanswered?

        /// Creates keys.
        ///
        /// - Parameter unanswered: the key of an earlier request. A new request uses it as long as no other was begun,
        ///   so that the service treats the new one as a copy if it received the earlier one.
        package init(authorize: String, confirm: String, unanswered: Unanswered? = nil) {
            self.authorize = authorize
            self.confirm = confirm
            self.unanswered = unanswered
        }
    }

    /// The end of a payment, as far as it is known.
    package enum End: Sendable {
        /// Paid.
        case success
        /// Declined, with the service's reason.
        case declined(String)
        /// The shop cancelled it.
        case cancelled
        /// It continues without the payer.
        case pending
        /// The payer left a page in this way, or closed it. The service reports no end.
        case left(ReturnURLs.Kind?)
    }

    /// Creates the flow of one payment.
    ///
    /// - Parameters:
    ///   - execution: the payment of `payload`.
    ///   - hold: the maximum time that the service may hold a query.
    package init(
        _ payment: PaymentReference, payload: SessionPayload, execution: SessionPayload.ExecutionSetup,
        returnURLs: ReturnURLs, terms: Terms, start: Start, keys: Keys, hold: Duration, context: ProviderContext
    ) {
        self.payment = payment
        self.payload = payload
        self.execution = execution
        self.returnURLs = returnURLs
        self.terms = terms
        self.start = start
        self.keys = keys
        self.hold = hold
        self.context = context
        api = PayrailsAPI(payload, over: terms.amount, http: context.http, random: context.random)
    }

    /// The state of the execution before the request to pay.
    struct Before: Codable, Sendable {
        let status: StatusHistory.Status
        /// The statuses of earlier attempts.
        let mark: StatusHistory.Mark
        /// The key of a later confirmation, as older versions generated and stored it.
        var confirmKey: String?
    }

    /// Runs the payment to its end.
    ///
    /// - Throws: ``PaymentError``; its phase determines whether the payment may have been made.
    package func run() async throws -> End {
        let before = try await look()
        switch before.status {
        case .paid: return .success
        case .cancelled: return .cancelled
        case .ready where terms.means == nil:
            throw error(.unusableOption, "the payment that was to be resumed has ended; quote again")
        case .ready, .inFlight: return try await carriedOut(before)
        }
    }

    /// Returns the status of the payment before the request to pay.
    func look() async throws -> Before {
        let before: Before = try await context.step("look", .query) {
            let afterLeaving: Bool
            switch start {
            case .untouched(let mark): return Before(status: .ready, mark: mark)
            case .mayBeBegun(let isAfterLeaving): afterLeaving = isAfterLeaving
            }
            let execution = try await call { () throws(PayrailsError) in try await api.execution(home) }
            let history = StatusHistory(execution.status)
            var mark = history.mark
            guard history.status == .inFlight else { return Before(status: history.status, mark: mark) }
            if afterLeaving, execution.actionRequired != nil { return Before(status: .ready, mark: mark) }
            // An attempt begun by another process is resumed as if it were this one.
            mark.requests -= 1
            return Before(status: .inFlight, mark: mark)
        }
        state[\.mark] = before.mark
        return before
    }

    private func carriedOut(_ before: Before) async throws -> End {
        var isOwn = false
        var doubt: PaymentError?
        if before.status == .ready {
            do {
                guard let isAsked = try await authorize(before) else { return .cancelled }
                isOwn = isAsked
            } catch let error as PaymentError {
                // The request may have been sent. Its answer was lost, or rejects a repetition: the statuses decide.
                let isOpen = error.phase == .maybeSent && ![.journal, .inUse, .cancelled].contains(error.code)
                guard isOpen else { throw error }
                // An attempt of another process may have caused the rejection.
                isOwn = error.code != .requestRefused
                doubt = error
            }
        }
        state[\.hasBegun] = true
        let poll = poll(since: before)
        let ending: ExecutionPoll.Ending
        do {
            ending = try await waiting { () throws(PayrailsError) in
                try await poll.ending(of: url, knowsPending: true)
            }
        } catch let error as PaymentError {
            // The statuses do not decide either, and the first error says more. A caller can remedy a refused token.
            throw error.code == .unauthorized ? error : doubt ?? error
        }
        guard case .pending(let execution) = ending, execution.actionRequired != nil else { return End(ending) }
        return try await act(on: execution, isOwn: isOwn, before)
    }

    // MARK: Authorising

    /// Sends the request to pay, unless another process did so since the first query.
    ///
    /// Repeatable work is done in a separate step before: the payer may take long to enter a card, and an attempt that
    /// is interrupted then must not count as sent. The card is never stored; if the second step begins without it,
    /// after an interruption between the two, the payer enters it again.
    ///
    /// - Returns: true if the request was sent; nil if the payer provided no means of payment.
    private func authorize(_ before: Before) async throws -> Bool? {
        let isReady = try await context.stepIfFinished("prepare", .interaction) {
            try await body() == nil ? nil : try await isUntouched(since: before)
        }
        guard isReady == true else { return isReady }
        return try await context.stepIfFinished("authorize", .mutation(replay: .never)) {
            let isFresh = context.answer(to: Self.means, as: JSONValue.self) != nil
            guard let body = try await body() else { return nil }
            if !isFresh, try await !isUntouched(since: before) { return false }
            let key = key(for: before)
            state[\.sentKey] = key
            let answer = try await call(isMutation: true) { () throws(PayrailsError) in
                try await api.authorize(body, execution.authorize, key: key)
            }
            state[\.url] = answer.links.execution?.nonEmpty
            return true
        }
    }

    private func key(for before: Before) -> String {
        guard let earlier = keys.unanswered, earlier.mark == before.mark else { return keys.authorize }
        return earlier.key
    }

    /// Returns true if no attempt was begun since the first query.
    private func isUntouched(since before: Before) async throws -> Bool {
        if case .untouched = start { return true }
        return try await call { () throws(PayrailsError) in
            StatusHistory(try await api.execution(home).status).mark == before.mark
        }
    }

    /// The key of the payer's means, which are requested once in a run, and never stored.
    private static let means = "means of payment"

    /// Returns the body of the request to pay with the chosen means; nil if the payer provided none.
    private func body() async throws -> JSONValue? {
        if let known = context.answer(to: Self.means, as: JSONValue.self) { return known }
        if let agreed = terms.agreed {
            guard let price = try? payload.amount.money(), price == agreed else {
                throw error(
                    .integrity,
                    "the session is over \(payload.amount.value) \(payload.amount.currency), but \(agreed) was agreed; "
                        + "nothing was sent: quote again")
            }
        }
        guard let means = terms.means else {
            throw error(.unusableOption, "a payment that was begun is resumed, not begun")
        }
        let given: PaymentMeans?
        do { given = try await means() } catch let error as PayrailsError {
            throw paymentError(from: error, isMutation: false)
        }
        guard let chosen = given else { return nil }
        state[\.type] = chosen.type
        let body = PaymentBody(payload: payload, amount: terms.amount, returnURLs: returnURLs)
        let made = try await call { () throws(PayrailsError) in try body.make(chosen) }
        return try await context.ask(Self.means) { made }
    }

    // MARK: Asking

    /// The address of the payment's status before the request to pay.
    private var home: String { execution.links.me }

    /// The address of the payment's status: the one in the answer to the request to pay, in this run.
    var url: String { state[\.url] ?? home }

    func poll(since before: Before) -> ExecutionPoll {
        var poll = ExecutionPoll(api: api, clock: context.clock, hold: hold)
        poll.before = before.mark
        return poll
    }
}

extension PaymentFlow.End {
    init(_ ending: ExecutionPoll.Ending) {
        self =
            switch ending {
            case .success: .success
            case .failed(let reason): .declined(reason)
            case .cancelled: .cancelled
            case .pending: .pending
            }
    }
}

// MARK: - The payer's page

/// The payer's actions in a payment.
extension PaymentFlow {
    /// The result of a visit to a page, if it is final.
    private enum Visited: Codable, Sendable {
        case finished(PendingAction.Returned)
        case paid
        case declined(String)
        case cancelled
    }

    /// Shows the page that `execution` requires, and waits for the result.
    ///
    /// - Parameter isOwn: true if this flow began the payment, and so with the chosen means.
    func act(on execution: ExecutionBody, isOwn: Bool, _ before: Before) async throws -> End {
        let chosen = isOwn ? state[\.type] ?? terms.type : nil
        let action = try await waiting { () throws(PayrailsError) in
            try PendingAction(
                execution, chosen ?? PendingAction.type(of: execution), payload.addresses,
                returnURLs: returnURLs)
        }
        let poll = poll(since: before)
        guard let browser = context.payer.browser else {
            throw error(
                .payer, "the payer has to see a page of the bank; give the payer a browser and resume from the link",
                phase: .maybeSent, cause: PayrailsError.unknown(error: PayrailsUnderlyingError.noPresenter))
        }
        switch try await visit(PageVisit(page: action.page, show: browser), action.approval, poll) {
        case nil: return try await lastLooks(poll) ?? .left(state[\.left])
        case .paid: return .success
        case .declined(let reason): return .declined(reason)
        case .cancelled: return .cancelled
        case .finished(let returned):
            if let approval = action.approval {
                do { try await confirm(approval, returned, before) } catch let error as PaymentError {
                    // The payment was begun, whatever the error of the confirmation.
                    throw error.code == .inUse ? error : error.with(phase: .maybeSent)
                }
            }
            return End(
                try await waiting { () throws(PayrailsError) in
                    try await poll.ending(of: url, knowsPending: false)
                })
        }
    }

    /// Visits the page as a step.
    ///
    /// - Returns: nil if the payer did not finish the page. It is shown again when the payment is resumed, as after a
    ///   return with another order.
    private func visit(
        _ visit: PageVisit, _ approval: PendingAction.Approval?, _ poll: ExecutionPoll
    ) async throws -> Visited? {
        try await context.stepIfFinished("page", .interaction) {
            switch await visit.run(besides: poll, of: url) {
            case .ending(.success): return .paid
            case .ending(.failed(let reason)): return .declined(reason)
            case .ending(.cancelled): return .cancelled
            case .ending(.pending): return nil
            case .left(let link):
                let returned = PendingAction.Returned(link, returnURLs)
                if approval?.disagreement(with: returned) != nil {
                    // Only the service's status counts, not the return URL.
                    switch try await lastLooks(poll) {
                    case .success: return .paid
                    case .declined(let reason): return .declined(reason)
                    case .cancelled: return .cancelled
                    case .pending, .left, nil: break
                    }
                }
                try await waiting { () throws(PayrailsError) in try approval?.check(returned) }
                state[\.left] = link.flatMap(returnURLs.kind)
                guard returned.isFinished else { return nil }
                return .finished(returned)
            case .notShown(let type):
                throw paymentError(
                    from: .unknown(error: PayrailsUnderlyingError.presenterFailed(type)), isMutation: true)
            case .abandoned(let error): throw paymentError(from: error, isMutation: true)
            }
        }
    }

    private func lastLooks(_ poll: ExecutionPoll) async throws -> End? {
        try await waiting { () throws(PayrailsError) in try await poll.lastLooks(at: url) }.map { End($0) }
    }

    /// Confirms that the payer approved, up to three times while answers are lost or the token is refused, as the
    /// vendor's client does: the call names one order at PayPal, and repeating it changes nothing. After a refusal the
    /// statuses decide.
    private func confirm(
        _ approval: PendingAction.Approval, _ returned: PendingAction.Returned, _ before: Before
    ) async throws {
        guard let body = approval.confirmation(returned) else { return }
        // The run that makes the payment and the one that completes its callback use the same key.
        let key = before.confirmKey ?? keys.confirm
        _ = try await context.step("confirm", .mutation(replay: .sameKey)) {
            var round: Int64 = 0
            while true {
                do {
                    _ = try await call(isMutation: true) { () throws(PayrailsError) in
                        try await api.confirm(body, approval.link, key: key)
                    }
                    return true
                } catch let error as PaymentError {
                    let isTokenRefused = error.code == .unauthorized
                    if error.code == .requestRefused || error.phase == .answered && !isTokenRefused { return false }
                    round += 1
                    guard error.phase == .maybeSent || isTokenRefused, round < 3 else { throw error }
                    try await context.clock.sleep(for: .seconds(round))
                }
            }
        }
    }

    /// Returns the report of the payment whose payer came back through `callback`. A return of another order is
    /// rejected before any effect.
    package func completed(by callback: PaymentLink) async throws -> ServiceReport {
        let execution = try await waiting { () throws(PayrailsError) in try await api.execution(url) }
        let returned = PendingAction.Returned(callback, returnURLs)
        let approval = PendingAction.Approval(execution.links.confirm)
        try await waiting { () throws(PayrailsError) in try approval?.check(returned) }
        let before = try await look()
        if let approval, returned.isFinished, returned.payerID != nil, execution.actionRequired != nil,
            case .pending = ServiceReport(execution, of: payment)
        {
            try await confirm(approval, returned, before)
        }
        return ServiceReport(try await lastLooks(poll(since: before)) ?? .pending, of: payment)
    }
}

// MARK: - The state of a run

/// The state of one run of a flow that no step stores.
final class RunState: Sendable {
    struct Content: Sendable {
        /// The address of the payment's status in the answer to the request to pay.
        var url: String?
        /// The statuses before the request to pay.
        var mark: StatusHistory.Mark?
        /// The key of the request to pay, from the time of sending it.
        var sentKey: String?
        /// The type of the payment that was begun.
        var type: Payrails.PaymentType?
        /// True if the payment is known to be begun.
        var hasBegun = false
        /// The kind of return URL that ended the payer's visit.
        var left: ReturnURLs.Kind?
    }

    private let content = Mutex(Content())

    subscript<Value: Sendable>(_ member: any WritableKeyPath<Content, Value> & Sendable) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }
}

/// The state of a run, for the vendor's client.
extension PaymentFlow {
    /// True if the payment was begun, by this run or before it.
    package var hasBegun: Bool { state[\.hasBegun] }

    /// The statuses before the request to pay; nil until they are known.
    package var mark: StatusHistory.Mark? { state[\.mark] }

    /// The request to pay that this run sent.
    package var sent: Keys.Unanswered? {
        guard let key = state[\.sentKey], let mark = state[\.mark] else { return nil }
        return Keys.Unanswered(key: key, mark: mark)
    }

    /// Returns the cause of an error of the run, for the vendor's client.
    package func cause(of error: any Error) -> PayrailsError {
        switch error {
        case let error as PayrailsError: error
        case let error as PaymentError: error.cause as? PayrailsError ?? .unknown(error: error)
        case is CancellationError where !hasBegun:
            .unknown(error: self.error(.cancelled, "it was cancelled before anything was sent"))
        case is CancellationError: .pollingFailed("it was cancelled")
        default: .unknown(error: error)
        }
    }
}

// MARK: - Errors and reports

/// Errors: the steps and the router receive ``PaymentError``, whose cause is the vendor's error.
extension PaymentFlow {
    /// Runs a call of the service.
    ///
    /// - Parameter isMutation: true if the call could move money.
    func call<Answer>(
        isMutation: Bool = false, _ call: () async throws(PayrailsError) -> Answer
    ) async throws -> Answer {
        do { return try await call() } catch { throw paymentError(from: error, isMutation: isMutation) }
    }

    /// Runs a query about a payment that was sent: if it fails, the payment's report is unknown.
    func waiting<Answer>(_ call: () async throws(PayrailsError) -> Answer) async throws -> Answer {
        do { return try await call() } catch {
            throw paymentError(from: error, isMutation: true).with(phase: .maybeSent)
        }
    }

    func paymentError(from error: PayrailsError, isMutation: Bool) -> PaymentError {
        PaymentError(error, isMutation: isMutation, at: payment.provider)
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        PaymentError(code, message, provider: payment.provider, phase: phase, cause: cause)
    }
}

extension ServiceReport {
    /// Creates the report for the end of a flow.
    init(_ end: PaymentFlow.End, of payment: PaymentReference) {
        self =
            switch end {
            case .success: .succeeded(PaymentReceipt(reference: payment))
            case .declined(let reason): .declined(DeclineReason(.refused, "the payment was declined: \(reason)"))
            case .cancelled: .cancelled
            case .pending, .left: .pending(retryAfter: nil)
            }
    }

    /// Creates the report for the statuses of `execution`. Only a final status of the latest attempt counts.
    init(_ execution: ExecutionBody, of payment: PaymentReference) {
        let end: PaymentFlow.End =
            switch StatusHistory(execution.status).verdict(knowsPending: true) {
            case .success: .success
            case .failed(let reason): .declined(reason)
            case .cancelled: .cancelled
            case .pending, .open: .pending
            }
        self.init(end, of: payment)
    }
}
