package import PaymentCore
package import PayrailsTypes
import Synchronization

/// The one flow of a payment, for the router and for the vendor's client alike: where it stands, the request to pay,
/// what the payer has to do, and how it ended.
///
/// What differs between the two is given to it: a context, which keeps the steps in a journal or in memory, and what is
/// known at the ``Start``. Whatever protects a payer is done here, and so for both.
///
/// The request to pay is sent once and never again, because nothing says for how long the service would recognise a
/// repetition. Whether it arrived is asked of the statuses.
package struct PaymentFlow: Sendable {
    /// The payment, as the router calls it.
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

    /// What is paid, and with what.
    package struct Terms: Sendable {
        /// What the request says.
        let amount: PayrailsAmount
        /// What the payer has agreed to, where that may be another thing than the session.
        let agreed: Money?
        /// The kind of payment, where that is known before ``means``.
        let type: Payrails.PaymentType?
        /// What it is paid with; nil where a payment that was begun can only be gone on with.
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

    /// What is known of the payment before the flow.
    package enum Start: Sendable {
        /// Something may have been begun: the service is asked first, and again right before the request to pay.
        ///
        /// - Parameter afterLeaving: whether the payer has left an earlier attempt's page for another way to pay. A
        ///   page that still waits for its payer gives way to it then.
        case mayBeBegun(afterLeaving: Bool)
        /// Init data that were made for this payment say that nothing is under way, and nothing was begun with them
        /// since: the request to pay goes out at once, as the vendor's client was recorded to send it. The mark is what
        /// was tried before.
        case untouched(StatusHistory.Mark)
    }

    /// Under which keys the service recognises repetitions.
    package struct Keys: Sendable {
        /// The key of a request to pay that may have arrived, though nothing shows it.
        package struct Unanswered: Sendable {
            /// The key.
            package let key: String
            /// What there was before that request.
            package let mark: StatusHistory.Mark
        }

        let authorize: String
        let confirm: String
        let unanswered: Unanswered?

        /// Creates keys.
        ///
        /// - Parameter unanswered: an earlier request's, which a new request takes over as long as nothing else was
        ///   begun, so that the service takes it for a copy where it got the first.
        package init(authorize: String, confirm: String, unanswered: Unanswered? = nil) {
            self.authorize = authorize
            self.confirm = confirm
            self.unanswered = unanswered
        }
    }

    /// How it ended, so far as anybody knows.
    package enum End: Sendable {
        /// Paid.
        case success
        /// Declined, for a reason in the service's words.
        case declined(String)
        /// The shop called it off.
        case cancelled
        /// It goes on without the payer.
        case pending
        /// The payer left a page in this way, or closed it; the service tells of no ending.
        case left(ReturnURLs.Kind?)
    }

    /// Creates the flow of one payment.
    ///
    /// - Parameters:
    ///   - execution: the payment of `payload`.
    ///   - hold: how long the service may hold a question.
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
        api = PayrailsAPI(payload, http: context.http, random: context.random)
    }

    /// What there was before the request to pay.
    struct Before: Codable, Sendable {
        let status: StatusHistory.Status
        /// What belongs to earlier attempts.
        let mark: StatusHistory.Mark
        /// The key of a later confirmation, as older versions drew and stored it.
        var confirmKey: String?
    }

    /// Carries the payment through.
    ///
    /// - Throws: ``PaymentError``; its phase says whether the payment may have been made.
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

    /// Where the payment stands.
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
            // What somebody else has begun is gone on with as if it were this attempt's.
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
                // Sent, perhaps, with an answer that was lost or that says no to a repetition: the statuses tell.
                let isOpen = error.phase == .maybeSent && ![.journal, .inUse, .cancelled].contains(error.code)
                guard isOpen else { throw error }
                // What stands in the way of a refused one may be somebody else's.
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
            // The statuses do not tell either; why they were asked says more. A refused token is for the caller to
            // mend.
            throw error.code == .unauthorized ? error : doubt ?? error
        }
        guard case .pending(let execution) = ending, execution.actionRequired != nil else { return End(ending) }
        return try await act(on: execution, isOwn: isOwn, before)
    }

    // MARK: Authorising

    /// Asks to pay, unless somebody else did since the first look.
    ///
    /// What can be done again is done in a step before: the payer may take long to enter a card, and an attempt that is
    /// interrupted then must not pass for one that was sent. The card is never stored; where the second step begins
    /// without it, after an interruption between the two, it is asked for again.
    ///
    /// - Returns: whether it was asked; nil when the payer gave nothing to pay with.
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

    /// Whether nobody has begun anything since the first look.
    private func isUntouched(since before: Before) async throws -> Bool {
        if case .untouched = start { return true }
        return try await call { () throws(PayrailsError) in
            StatusHistory(try await api.execution(home).status).mark == before.mark
        }
    }

    /// What the payer pays with is asked for once in a run, and never stored.
    private static let means = "means of payment"

    /// What is sent to pay with what was chosen; nil when the payer gave nothing to pay with.
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

    /// Where the payment is asked about before it is begun.
    private var home: String { execution.links.me }

    /// Where the payment is asked about: where the answer to the request to pay says, in this run.
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
