package import PaymentCore
import Synchronization

/// The one flow of a payment, for the router and for the vendor's client alike: the status, the request to pay, the
/// payer's actions, and the end.
///
/// The two differ in the flow's input: a context, which stores the steps in a journal or in memory, and the knowledge
/// at the ``Start``. Every protection of the payer is implemented here, and so for both.
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
        /// The amount that the payer has agreed to, where it may differ from the session's.
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

    /// The keys by which the service recognises repetitions.
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
        /// The payer left a page in this way, or closed it; the service reports no report.
        case left(ReturnURLs.Kind?)
    }

    /// Creates the flow of one payment.
    ///
    /// - Parameters:
    ///   - execution: the payment of `payload`.
    ///   - hold: the maximum time for which the service may hold a query.
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
                // The request may have been sent; its answer was lost, or rejects a repetition: the statuses decide.
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
