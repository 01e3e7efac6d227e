import PaymentCore
import PayrailsTypes
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One attempt of a router, in durable steps.
///
/// The request to pay is sent once and never again, because nothing says for how long the service would recognise a
/// repetition. Whether it arrived is asked of the statuses.
struct AttemptRun: Sendable {
    let attempt: PaymentAttempt
    let choice: PaymentChoice
    let session: ProviderSession
    let context: ProviderContext

    /// What there was before the request to pay.
    private struct Before: Codable, Sendable {
        let standing: StatusHistory.Standing
        /// What belongs to earlier attempts.
        let mark: StatusHistory.Mark
        /// The key of a later confirmation, as older versions drew and stored it.
        var confirmKey: String?
    }

    private var reference: PaymentReference { attempt.reference }

    /// Carries the attempt through.
    func outcome() async throws -> PaymentOutcome {
        let before = try await look()
        switch before.standing {
        case .paid: return .succeeded(PaymentReceipt(reference: reference))
        case .cancelled: return .cancelled
        case .ready where choice.kind == .page:
            throw PaymentError(
                .unusableOption, "the payment that was to be gone on with has ended; quote again",
                provider: PayrailsProvider.id)
        case .ready, .underWay: break
        }
        do { return try await carriedOut(before) } catch let error as PaymentError
            where error.phase == .maybeSent && error.code != .inUse && before.mark.failures > 0
        {
            // Whoever asks for the status knows nothing of this attempt: the decline before it would be taken for its
            // ending.
            return .unknown(UnknownOutcome(reference: reference, message: error.message))
        }
    }

    private func look() async throws -> Before {
        try await context.step("look", .query) {
            let history = StatusHistory(try await session.execution().status)
            var mark = history.mark
            // What somebody else has begun is gone on with as if it were this attempt's.
            if history.standing == .underWay { mark.requests -= 1 }
            return Before(standing: history.standing, mark: mark)
        }
    }

    private func carriedOut(_ before: Before) async throws -> PaymentOutcome {
        if before.standing == .ready {
            do { try await authorize(before) } catch let error as PaymentError {
                if error.code == CardCollection.declined { return .cancelled }
                // Sent, perhaps, with an answer that was lost or that says no to a repetition: the statuses tell.
                let isOpen = error.phase == .maybeSent && ![.journal, .inUse, .cancelled].contains(error.code)
                guard isOpen else { throw error }
            }
        }
        let poll = poll(before)
        let ending = try await waiting { () throws(PayrailsError) in
            try await poll.ending(of: session.url, knowsPending: true)
        }
        guard case .pending(let execution) = ending, execution.actionRequired != nil else {
            return PaymentOutcome(ending, of: reference)
        }
        return try await act(on: execution, before)
    }

    private func poll(_ before: Before) -> ExecutionPoll {
        var poll = session.poll
        poll.before = before.mark
        return poll
    }

    // MARK: Authorising

    /// Asks to pay, unless somebody else did since the first look.
    ///
    /// What can be done again is done in a step before: the payer may take long to enter a card, and an attempt that is
    /// interrupted then must not pass for one that was sent. The card is never stored; where the second step begins
    /// without it, after an interruption between the two, it is asked for again.
    private func authorize(_ before: Before) async throws {
        let prepared = Mutex<JSONValue?>(nil)
        let isReady = try await context.step("prepare", .interaction) {
            let body = try await body()
            prepared.withLock { $0 = body }
            return try await isUntouched(since: before)
        }
        guard isReady else { return }
        _ = try await context.step("authorize", .mutation(replay: .never)) {
            var body = prepared.withLock { $0 }
            if body == nil {
                body = try await self.body()
                guard try await isUntouched(since: before) else { return false }
            }
            guard let body else { return false }
            _ = try await translated(isMutation: true) { () throws(PayrailsError) in
                try await session.api.authorize(
                    body, session.payload.execution.authorize, key: attempt.idempotencyKey.uppercased())
            }
            return true
        }
    }

    /// Whether nobody has begun anything since the first look.
    private func isUntouched(since before: Before) async throws -> Bool {
        StatusHistory(try await session.execution().status).mark == before.mark
    }

    /// What is sent to pay with what was chosen.
    private func body() async throws -> JSONValue {
        let means = try await means()
        let body = PaymentBody(
            payload: session.payload, amount: session.payload.amount, returnURLs: session.returnURLs)
        return try await translated { () throws(PayrailsError) in try body.make(means) }
    }

    private func means() async throws -> PaymentMeans {
        switch choice.kind {
        case .stored:
            let type = choice.paymentType
            guard let instrument = session.payload.instruments(type).first(where: { $0.id == choice.id }) else {
                throw PaymentError(
                    .unusableOption, "the session does not offer the stored instrument any more",
                    provider: PayrailsProvider.id)
            }
            return .stored(instrument)
        case .card:
            let now = YearAndMonth(context.clock.now, timeZone: .gmt)
            let card = try await CardCollection.card(of: context.payer, now: now)
            let encrypted = try await translated { () throws(PayrailsError) in
                try CardEncryption(session.payload, random: context.random).encrypt(card)
            }
            return .card(encryptedData: encrypted, save: false)
        case .payPal: return .payPal(save: false)
        case .redirect: return .redirect(code: choice.id)
        case .page:
            throw PaymentError(
                .unusableOption, "a payment that was begun is gone on with, not begun", provider: PayrailsProvider.id)
        }
    }

    // MARK: The payer's part

    /// How a visit to a page ended, where that is worth keeping.
    private enum Visited: Codable, Sendable {
        case finished(PendingAction.Returned)
        case paid
        case declined(String)
        case cancelled
    }

    /// The payer did not finish the page; they may do so later.
    private struct Unfinished: Error {}

    private func act(on execution: ExecutionBody, _ before: Before) async throws -> PaymentOutcome {
        let type = before.standing == .ready ? choice.paymentType : PendingAction.type(of: execution)
        let action = try await waiting { () throws(PayrailsError) in
            try PendingAction(execution, type, session.payload.addresses, session.returnURLs)
        }
        let poll = poll(before)
        guard let browser = context.payer.browser else {
            throw PaymentError(
                .payer, "the payer has to see a page of the bank; give the payer a browser and go on from the link",
                provider: PayrailsProvider.id, phase: .maybeSent)
        }
        let visited: Visited
        do {
            visited = try await visit(PageVisit(page: action.page, show: browser), action.approval, poll)
        } catch is Unfinished {
            let ending = try await waiting { () throws(PayrailsError) in
                try await poll.lastLooks(at: session.url)
            }
            return ending.map { PaymentOutcome($0, of: reference) } ?? .pending(retryAfter: nil)
        }
        switch visited {
        case .paid: return .succeeded(PaymentReceipt(reference: reference))
        case .declined(let reason): return PaymentOutcome(.failed(reason), of: reference)
        case .cancelled: return .cancelled
        case .finished(let returned):
            if let approval = action.approval {
                do { try await confirm(approval, returned, before) } catch let error as PaymentError {
                    // Whatever is said of the confirmation, the payment was begun.
                    throw error.code == .inUse ? error : error.afterSending
                }
            }
            return PaymentOutcome(
                try await waiting { () throws(PayrailsError) in
                    try await poll.ending(of: session.url, knowsPending: false)
                }, of: reference)
        }
    }

    private func visit(
        _ visit: PageVisit, _ approval: PendingAction.Approval?, _ poll: ExecutionPoll
    ) async throws -> Visited {
        // An unfinished visit throws, so that it is not kept and the page is shown again when the payment goes on; so does
        // one that comes back with another order.
        try await context.step("page", .interaction) {
            switch await visit.run(besides: poll, of: session.url) {
            case .ending(.success): return .paid
            case .ending(.failed(let reason)): return .declined(reason)
            case .ending(.cancelled): return .cancelled
            case .ending(.pending): throw Unfinished()
            case .left(let link):
                let returned = PendingAction.Returned(link, session.returnURLs)
                try await waiting { () throws(PayrailsError) in try approval?.check(returned) }
                guard returned.isFinished else { throw Unfinished() }
                return .finished(returned)
            case .notShown(let type):
                throw PaymentError(PayrailsError.unknown(error: PayrailsFault.presenterFailed(type)), isMutation: true)
            case .gaveUp(let error): throw PaymentError(error, isMutation: true)
            }
        }
    }

    /// Tells that the payer approved, up to three times while answers are lost, as the vendor's client does: it names
    /// one order at PayPal, and telling it twice changes nothing. A refusal is left to the statuses.
    private func confirm(
        _ approval: PendingAction.Approval, _ returned: PendingAction.Returned, _ before: Before
    ) async throws {
        guard let body = approval.confirmation(returned) else { return }
        // The same for whoever carries the payment through and whoever brings its payer back.
        let key = before.confirmKey ?? attempt.key(for: "confirm").uppercased()
        _ = try await context.step("confirm", .mutation(replay: .sameKey)) {
            var round: Int64 = 0
            while true {
                do throws(PaymentError) {
                    _ = try await translated(isMutation: true) { () throws(PayrailsError) in
                        try await session.api.confirm(body, approval.link, key: key)
                    }
                    return true
                } catch {
                    if error.code == .requestRefused || error.phase == .answered && error.code != .unauthorized {
                        return false
                    }
                    round += 1
                    guard error.phase == .maybeSent, round < 3 else { throw error }
                    try await context.clock.sleep(for: .seconds(round))
                }
            }
        }
    }

    /// What has become of the payment whose payer came back through `callback`. A return of another order is refused before
    /// anything is done.
    func completed(by callback: PaymentLink) async throws -> PaymentOutcome {
        let execution = try await waiting { () throws(PayrailsError) in try await session.api.execution(session.url) }
        let returned = PendingAction.Returned(callback, session.returnURLs)
        let approval = PendingAction.Approval(execution.links.confirm)
        try await waiting { () throws(PayrailsError) in try approval?.check(returned) }
        let before = try await look()
        if let approval, returned.isFinished, returned.payerID != nil, execution.actionRequired != nil,
            case .pending = PaymentOutcome(execution, of: reference)
        {
            try await confirm(approval, returned, before)
        }
        let poll = poll(before)
        let ending = try await waiting { () throws(PayrailsError) in
            try await poll.lastLooks(at: session.url)
        }
        return ending.map { PaymentOutcome($0, of: reference) } ?? .pending(retryAfter: nil)
    }

    /// Runs a question about a payment that was sent: its failure leaves the payment's fate open.
    private func waiting<Answer>(_ call: () async throws(PayrailsError) -> Answer) async throws -> Answer {
        do { return try await translated(isMutation: true, call) } catch { throw error.afterSending }
    }
}

extension PaymentError {
    /// The error of a payment that was begun before: what has become of that is open.
    fileprivate var afterSending: PaymentError {
        guard phase != .maybeSent else { return self }
        return PaymentError(
            code, message, provider: provider, phase: .maybeSent, retry: retry, vendorCode: vendorCode)
    }
}
