import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Carries one payment or refund out, durably, while its lease is held.
///
/// The stages follow in the order in which they run: the choice of an option, the opening of an attempt and its run,
/// the service's status if the run leaves the payment's fate open, and its end. `EarlierAttempts.swift` has what comes
/// before, `OutsideEvents.swift` what comes from outside: returns of payers, captures, refunds, cancellations and
/// notifications.
struct AttemptEngine: Sendable {
    /// The service that is paid at, and the payer.
    var serviceClient: ServiceClient
    /// The journal, for writing about this payment.
    let journal: LeasedJournal
    /// The request that is carried out; nil if a payer pays by itself.
    var intent: PaymentIntent?
    /// Called with the end of an attempt.
    var hasEnded: @Sendable (PaymentReference, PaymentOutcome) async -> Void = { _, _ in }
    /// Releases the reservations of attempts that have ended, or never began.
    var settleOthers: @Sendable () async -> Void = {}
    /// Called with the first quote for the intent, before an option is taken.
    var bind: PaymentIntent.Binding = { _, _ in }

    var descriptor: ProviderDescriptor { serviceClient.descriptor }
    var payer: Payer { serviceClient.payer }
    var effects: RouterEffects { serviceClient.effects }

    /// Pays the payment of `request`: resumes an earlier attempt, otherwise quote, choice, attempt.
    ///
    /// - Parameter shown: the quote that the payer has seen, which is tried first; nil for none.
    func pay(_ request: QuoteRequest, shown: PaymentQuote? = nil) async throws -> PaymentOutcome {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: request.link) {
            return outcome
        }
        try await checkMayBegin(request.reference)
        var shown = shown
        // A quote that was made before another attempt ended may be of a payment that is over.
        if shown != nil, try await histories(of: request.reference).contains(where: \.hasBegunMutation) { shown = nil }
        // A service may change its demand while the payer chooses. The number of repetitions is limited.
        var repetitions = 2
        while true {
            do {
                let (quote, report) = try await quote(request, shown)
                shown = nil
                if let outcome = try await attemptUnderAnotherID(quote, report) { return outcome }
                if let report { return try await state(report, of: quote.reference) }
                switch try await choose(from: quote) {
                case .option(let option): return try await open(quote, option)
                case .unasked(let option, let id): return try await openReserved(quote, option, id)
                case .ended(let report): return try await state(report, of: request.reference)
                }
            } catch let failure as PaymentError
                where failure.code == .optionChanged && failure.phase == .beforeSend && repetitions > 0
            {
                repetitions -= 1
                effects.emit(.note(failure.message), at: descriptor.id, request.reference)
            }
        }
    }

    private func quote(
        _ request: QuoteRequest, _ shown: PaymentQuote?
    ) async throws -> (terms: PaymentQuote, report: CheckedReport?) {
        guard let shown else { return try await serviceClient.quote(request) }
        return (
            serviceClient.marked(shown), try shown.outcome.map { try CheckedReport($0.report, of: shown.reference) }
        )
    }

    /// Returns the outcome of a payment for which no attempt was opened. The answer of the service or the payer may
    /// have taken long, so "nothing was paid" holds only while no other worker has taken the payment over.
    func state(_ report: CheckedReport, of payment: PaymentReference) async throws -> PaymentOutcome {
        if report.deniesPayment {
            try await journaled { try await journal.renew(at: effects.clock.now) }
        }
        let outcome = Ledger(try await histories(of: payment), effects).verdict(on: report, at: .question)
        effects.emit(.outcome(outcome), at: descriptor.id, payment)
        return outcome
    }

    /// Pays `option` of `quote`, which the payer has chosen.
    func pay(_ quote: PaymentQuote, _ option: PaymentMethodOption) async throws -> PaymentOutcome {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: quote.reference, for: quote.link?.reveal()) {
            return outcome
        }
        let report = try quote.outcome.map { try CheckedReport($0.report, of: quote.reference) }
        if let outcome = try await attemptUnderAnotherID(quote, report) { return outcome }
        return try await open(quote, option)
    }

    // MARK: Shared

    /// Returns the journal's present record of `attempt`.
    func history(of attempt: PaymentAttempt) async throws -> AttemptHistory? {
        try await journaled { try await journal.base.history(of: attempt.id) }
    }

    /// Returns the journal's records of a payment or refund, oldest first.
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await journaled { try await journal.base.histories(of: payment) }
    }

    /// Uses the journal, and maps its failures.
    func journaled<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch JournalError.leaseLost {
            throw PaymentError.inUse(descriptor.id)
        } catch JournalError.finishedAttempt {
            throw AttemptEndedError()
        } catch is SealedWriter.SealFormatError {
            throw self.error(.integrity, "the journal's record of the attempt was changed by another program")
        } catch {
            throw self.error(.journal, "the journal failed: \(error)", cause: error)
        }
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        serviceClient.error(code, message, phase: phase, cause: cause)
    }
}

// MARK: - Choosing

/// The choice of an option, and the handling of a choice that no longer holds.
extension AttemptEngine {
    enum Choice {
        case option(PaymentMethodOption)
        /// An option that may be paid without a question, and the attempt that it is reserved for.
        case unasked(PaymentMethodOption, AttemptID)
        case ended(CheckedReport)
    }

    /// Takes an option that may be paid without a question, or asks the payer or their policy to choose.
    func choose(from quote: PaymentQuote) async throws -> Choice {
        guard quote.options.contains(where: \.unmet.isEmpty) else {
            return .ended(Self.noUsableOption(quote))
        }
        if let decided = try await decided(by: intent, from: quote) { return decided }
        var whyAsked: String?
        switch try await reserveUnasked(quote) {
        case .reserved(let option, let id)?: return .unasked(option, id)
        case .none(let why)?: whyAsked = why
        case nil: break
        }
        guard let chooser = payer.chooser else {
            // A policy is no question to the payer.
            guard let whyAsked else { return try chooseByPolicy(quote) }
            return .ended(
                .refused(
                    .overLimit, "nothing is paid without a question: \(whyAsked); ask the payer", of: quote.reference))
        }
        let choice: PaymentMethodOption.ID?
        do {
            choice = try await chooser(quote)
        } catch {
            guard !(error is CancellationError) else {
                throw self.error(.cancelled, "stopped before an option was chosen", cause: error)
            }
            throw self.error(.payer, "no option was chosen: the chooser failed (\(type(of: error)))", cause: error)
        }
        guard let choice else { return .ended(.cancelled(quote.reference)) }
        return .option(try serviceClient.option(choice, of: quote))
    }

    /// Takes the option that the intent has chosen; nil if the payer is to choose.
    private func decided(by intent: PaymentIntent?, from quote: PaymentQuote) async throws -> Choice? {
        guard let intent else { return nil }
        do { try await bind(intent.bound(to: quote), quote) } catch {
            throw self.error(.journal, "what was quoted could not be stored: \(error)", cause: error)
        }
        switch intent.choice {
        case .asked: return nil
        case .option(let id): return .option(try serviceClient.option(id, of: quote))
        case .within(let limits):
            switch OptionPolicy.first(upTo: limits).choice(from: quote) {
            case .option(let option): return .option(option)
            case .none(let why):
                return .ended(
                    .refused(.outsidePolicy, "no option is within the limits: \(why)", of: quote.reference))
            }
        case .shown(let id, let amount):
            let option = try serviceClient.option(id, of: quote)
            guard intent.covers(option) else {
                throw error(
                    .unusableOption, "'\(id)' costs \(option.amount) now, and \(amount) was shown; ask for a new quote")
            }
            return .option(option)
        }
    }

    /// Returns the outcome of a payment if the payer takes no option.
    func decline(_ quote: PaymentQuote) async throws -> PaymentOutcome {
        let canPay = quote.options.contains(where: \.unmet.isEmpty)
        return try await state(canPay ? .cancelled(quote.reference) : Self.noUsableOption(quote), of: quote.reference)
    }

    private func chooseByPolicy(_ quote: PaymentQuote) throws -> Choice {
        guard let policy = payer.policy else {
            throw error(
                .noChooser,
                "no option was chosen; give the payer a chooser, or a policy such as .first(upTo:) with a limit")
        }
        switch policy.choice(from: quote) {
        case .option(let option): return .option(option)
        case .none(let why): return .ended(.refused(.outsidePolicy, "no option is taken: \(why)", of: quote.reference))
        }
    }

    private static func noUsableOption(_ quote: PaymentQuote) -> CheckedReport {
        guard !quote.options.isEmpty else {
            return .refused(
                .noUsableOption, "none of the payer's accounts can pay this; the service offers no option",
                of: quote.reference)
        }
        let needs = Set(quote.options.flatMap(\.unmet).map(\.description)).sorted().joined(separator: ", ")
        return .refused(
            .noUsableOption, "every option needs something the payer does not have: \(needs)", of: quote.reference)
    }

    /// Returns the error for a provider's report that the choice no longer holds. Once anything was sent, even in vain,
    /// no new choice is made automatically.
    func changedOption(_ failure: PaymentError, _ steps: StepLog) async -> PaymentError {
        PaymentError(
            .optionChanged, "\(failure.message); the attempt was abandoned, choose again from the link",
            provider: failure.provider ?? descriptor.id,
            phase: await steps.hasBegunMutation ? .answered : failure.phase, retry: .later,
            vendorCode: failure.vendorCode, cause: failure.cause)
    }
}

// MARK: - Running

/// The opening and the run of attempts: every payment, capture and refund goes through `run`.
extension AttemptEngine {
    /// Opens an attempt at the payment of `quote` with `option`, and runs it.
    ///
    /// - Parameters:
    ///   - id: the id of the attempt; nil for a new one.
    ///   - key: the key by which the service or the settler recognises the attempt; nil derives it from the payment if
    ///     a settler pays it, and otherwise draws a random one.
    func open(
        _ quote: PaymentQuote, _ option: PaymentMethodOption, as id: AttemptID? = nil, under key: String? = nil
    ) async throws -> PaymentOutcome {
        effects.emit(.chosen(option), at: descriptor.id, quote.reference)
        switch try await checkTime(of: quote.reference, until: quote.expiresAt, option) {
        case .enough:
            return try await open(
                quote.reference, option, as: id, under: key, until: quote.expiresAt, link: quote.link?.reveal())
        case .paymentEnded(let report): return try await state(report, of: quote.reference)
        case .priceEnded(let failure): throw failure
        }
    }

    /// Opens an attempt and runs it.
    func open(
        _ reference: PaymentReference, _ option: PaymentMethodOption, as id: AttemptID? = nil, under key: String? = nil,
        until end: Date? = nil, link: PaymentLink? = nil
    ) async throws -> PaymentOutcome {
        var key = key
        if key == nil { key = try await settledKey(["payment"] + reference.parts, of: reference) }
        let attempt = PaymentAttempt(
            id: id ?? newAttemptID(), reference: reference, option: option,
            idempotencyKey: key ?? effects.random.uuid(), startedAt: effects.clock.now, expiresAt: end)
        try await journal.inTurn {
            // Its callers may have heard that nothing was sent.
            guard !Task.isCancelled else { throw error(.cancelled, "stopped before anything was sent") }
            if reference.isPayment, await journal.steps.isPaymentEnded {
                throw error(.cancelled, "the payment ended while it was chosen how to pay")
            }
            try await journaled { try await journal.open(attempt) }
        }
        effects.emit(.began(option), of: attempt)
        return try await run(AttemptHistory(attempt: attempt), link)
    }

    /// Returns the key by which the payer's settler recognises an attempt; nil if a service recognises it. The key
    /// follows from what is paid and from the number of refusals, by the settler and by people's decisions. Each
    /// refusal is final under its key. So a restored journal, and another device with the same settler, find what was
    /// begun. Services know keys of other payers, too, so theirs are random.
    ///
    /// - Parameter words: what is paid.
    func settledKey(_ words: [String], of payment: PaymentReference) async throws -> String? {
        guard serviceClient.isSettledByPayer, payment.isPayment else { return nil }
        let refusals = try await histories(of: payment).count { effects.isSound($0) && $0.hasSpentName }
        let text = (words + ["\(refusals)"]).joined(separator: "\n")
        return "settled-" + Hex.encode(Digest.sha256.hash(Array(text.utf8))).prefix(48)
    }

    /// Resumes an attempt that has sent nothing, unless its payment or its time is over, or another attempt is open at
    /// what may be the same payment. In that case the service's status, which may never be understood, is not waited
    /// for.
    func resumeUnsent(_ history: AttemptHistory) async throws -> PaymentOutcome {
        if let payment = history.attempt.reference.cancelledPayment {
            let outcome = try await cancel(payment)
            return await storedEnding(of: history.attempt) ?? outcome
        }
        // Its end was lost in a crash.
        if Self.isCancellation(history.attempt) {
            let failure = error(.cancelled, "it was cancelled before anything was sent")
            try await close(history.attempt, .abandoned(reason: failure.message))
            throw failure
        }
        if let outcome = try await endAsDuplicate(history) { return outcome }
        let attempt = history.attempt
        switch try await checkTime(of: attempt.reference, until: attempt.expiresAt, attempt.option) {
        case .enough:
            if let report = try await ending(of: attempt) { return try await end(attempt, asUnsent: report) }
            return try await resume(history)
        case .paymentEnded(let report): return try await end(attempt, asUnsent: report)
        case .priceEnded(let failure):
            // The payment can still be paid, with another attempt.
            try await close(attempt, .abandoned(reason: failure.message))
            throw failure
        }
    }

    /// Returns the service's report if it has ended the payment since the attempt was opened: by another device, or by
    /// an attempt that this journal knew before it was restored from an older copy.
    private func ending(of attempt: PaymentAttempt) async throws -> CheckedReport? {
        guard attempt.reference.isPayment, !serviceClient.isSettledByPayer else { return nil }
        do {
            let report = try await serviceClient.status(of: attempt.reference)
            return report.isFinal ? report : nil
        } catch let error as PaymentError where error.phase == .answered {
            // Some services know a payment only once it was begun.
            return nil
        }
    }

    /// Ends an attempt that had sent nothing when the service was asked: a visitor may have sent something since.
    func end(_ attempt: PaymentAttempt, asUnsent report: CheckedReport) async throws -> PaymentOutcome {
        let now = try await history(of: attempt) ?? AttemptHistory(attempt: attempt)
        return try await end(attempt, as: report.checked(against: now, isUnsent: true))
    }

    /// Starts or resumes an attempt: lets the provider take its steps, checks the reported outcome, and stores the end.
    func run(_ history: AttemptHistory, _ link: PaymentLink? = nil) async throws -> PaymentOutcome {
        if let outcome = try await endAsDuplicate(history) { return outcome }
        try await endAsSecondRefund(history)
        let attempt = history.attempt
        let steps = StepLog(history, replayWindow: descriptor.replayWindow, journal: journal, effects: effects)
        let context = effects.context(
            for: descriptor, payer: try await payer(of: attempt), steps: steps, about: attempt.reference,
            attempt: attempt.id,
            journal: journal,
            link: link)
        do {
            let report = try await serviceClient.perform(attempt, in: context).checked(against: attempt)
            if report.deniesPayment, await steps.mayHaveMovedMoney {
                let doubt = self.error(.network, "money may have moved; ask the service for its status")
                // If the request was answered, the provider may have a more precise reason for the refusal.
                let reason = await steps.hasUnresolvedMutation ? nil : report
                return try await end(
                    attempt, as: await settle(attempt, after: doubt, claimed: reason, in: context))
            }
            return try await end(attempt, as: report)
        } catch {
            if await steps.hasEndedElsewhere, let outcome = await storedEnding(of: attempt),
                await steps.agrees(with: outcome)
            {
                return outcome
            }
            let failure = PaymentError(thrown: error, at: descriptor.id)
            // The worker that took the payment over settles it. Asking here as well would only repeat that.
            if failure.code == .inUse { throw failure }
            let mayHaveMovedMoney = await steps.mayHaveMovedMoney
            guard mayHaveMovedMoney || failure.phase == .maybeSent else {
                try await abandon(attempt, after: failure)
                throw failure.code == .optionChanged ? await changedOption(failure, steps) : failure
            }
            return try await end(attempt, as: await settle(attempt, after: failure, in: context))
        }
    }

    /// Resumes an attempt that was begun before.
    func resume(_ history: AttemptHistory, _ link: PaymentLink? = nil) async throws -> PaymentOutcome {
        effects.emit(.continued(history.attempt.option), of: history.attempt)
        return try await run(history, link)
    }

    // MARK: Time

    private enum TimeLeft {
        case enough
        /// The service reports that the payment has ended.
        case paymentEnded(CheckedReport)
        /// Only the option's price is no longer valid, or there is no service that could end the payment.
        case priceEnded(PaymentError)
    }

    /// Returns whether a payment can still be paid with `option`, as of now.
    ///
    /// This device's clock alone decides nothing final: another device may have paid, and the clock may be wrong. So
    /// the service is asked about a payment whose time is over by this clock.
    ///
    /// - Throws: ``PaymentError``, `unusableOption`, when the service has not ended such a payment.
    private func checkTime(
        of payment: PaymentReference, until end: Date?, _ option: PaymentMethodOption
    ) async throws -> TimeLeft {
        let now = effects.clock.now
        if let end, end <= now, serviceClient.isSettledByPayer {
            return .priceEnded(error(.unusableOption, "the payment's time is over by this device's clock"))
        }
        if let end, end <= now {
            let report = try await serviceClient.status(of: payment)
            guard !report.isFinal else { return .paymentEnded(report) }
            throw error(
                .unusableOption,
                "the payment's time is over by this device's clock, but its service has not ended it (\(report)); check "
                    + "the clock, or ask again later")
        }
        if let end = option.expiresAt, end <= now {
            return .priceEnded(
                error(.unusableOption, "the price of this option has expired; quote again for a new one"))
        }
        return .enough
    }
}

// MARK: - Settling

/// The service's status of an attempt, and the rules for believing it.
extension AttemptEngine {
    /// Asks for the status, a few times, after an ending that leaves the payment's fate open.
    ///
    /// - Parameter claimed: the provider's report: believed instead of the status when both say that no money moved.
    func settle(
        _ attempt: PaymentAttempt, after failure: PaymentError, claimed: CheckedReport? = nil,
        in context: ProviderContext
    ) async -> CheckedReport {
        var waits = RetryPolicy.settling.waits()
        // If there is no service, the settler has been asked already.
        while !Task.isCancelled, !serviceClient.isSettledByPayer {
            let (report, wish) = await askStatus(of: attempt, in: context)
            if let report { return report.deniesPayment ? claimed ?? report : report }
            guard let wait = waits.next(askedFor: wish) else { break }
            effects.emit(.waiting(wait), of: attempt)
            guard (try? await effects.clock.sleep(for: wait)) != nil else { break }
        }
        let message = failure.code == .cancelled ? "stopped while the payment was in progress" : failure.message
        return .unknown(message, of: attempt.reference)
    }

    /// Returns the report to store if a message says `report` of `attempt`. A report that money moved is always stored.
    /// A report that none moved, once anything was sent for the attempt, is stored only if the service's status
    /// confirms it. Nil if that is not known. A message that names a refund needs no confirmation, unless an earlier
    /// refund under its id has failed.
    ///
    /// - Returns: `seen`: the number of entries of the attempt for which it was confirmed; nil if nothing sent later
    ///   can refute it.
    func confirm(
        _ report: CheckedReport, of attempt: PaymentAttempt
    ) async throws -> (report: CheckedReport, seen: Int?)? {
        guard report.deniesPayment, let before = try await history(of: attempt) else { return (report, nil) }
        let seen = before.entries.count
        guard before.mayHaveMovedMoney else { return (report, seen) }
        if attempt.refund != nil, try await histories(of: attempt.reference).count == 1 { return (report, seen) }
        guard let status = await askStatus(of: attempt).report else { return nil }
        // Requests sent in the meantime are not in the status yet.
        return (status.deniesPayment ? report : status, seen)
    }

    /// Returns the outcome of an attempt that a message would have ended.
    func unconfirmed(_ attempt: PaymentAttempt) -> PaymentOutcome {
        .unknown(
            UnknownOutcome(
                reference: attempt.reference,
                message: "money may have moved, and the service's status is not final yet; ask again later"))
    }

    /// Asks for the status.
    ///
    /// - Returns: the service's status, if it is final and sound; otherwise the wait that the service asks for, if any.
    private func askStatus(
        of attempt: PaymentAttempt, in context: ProviderContext? = nil
    ) async -> (report: CheckedReport?, wish: Duration?) {
        let report: CheckedReport
        do { report = try await serviceClient.status(of: attempt, in: context) } catch {
            return (nil, (error as? PaymentError)?.retry.wait)
        }
        guard report.isFinal else { return (nil, report.wait) }
        if let history = try? await history(of: attempt) { return (try? report.checked(against: history), nil) }
        return (try? report.checked(against: attempt), nil)
    }

    /// Returns the outcome to store for an attempt that is reported as ended.
    ///
    /// - Parameter seen: the number of the attempt's entries for which the report was confirmed; nil if nothing sent
    ///   later can refute it.
    /// - Returns: nil when more has been sent since the report was confirmed.
    func storable(_ report: CheckedReport, seen: Int?, of attempt: PaymentAttempt) async throws -> PaymentOutcome? {
        // What is paid is paid, whatever the journal says.
        let history = report.affirmsPayment ? nil : try await history(of: attempt)
        if let history, let seen, report.deniesPayment, history.entries.count != seen,
            history.mayHaveMovedMoney
        {
            return nil
        }
        return Ledger(history.map { [$0] } ?? [], effects).verdict(on: report, at: .run)
    }
}

// MARK: - Ending

/// The endings of attempts in the journal.
extension AttemptEngine {
    /// Stores the reported end of an attempt, if the report still holds then. Nothing more is begun between the check
    /// of its entries and the ending.
    ///
    /// - Parameter seen: the number of entries for which the report was confirmed; nil if nothing refutes it.
    /// - Returns: the outcome, or the one that another worker has stored before.
    func end(_ attempt: PaymentAttempt, as report: CheckedReport, seen: Int? = nil) async throws -> PaymentOutcome {
        try await journal.inTurn {
            guard let outcome = try await storable(report, seen: seen, of: attempt) else {
                return unconfirmed(attempt)
            }
            return try await store(outcome, of: attempt)
        }
    }

    private func store(_ outcome: PaymentOutcome, of attempt: PaymentAttempt) async throws -> PaymentOutcome {
        do {
            try await write(.outcome(outcome), to: attempt)
            if outcome.isFinal { await hasEnded(attempt.reference, outcome) }
            // Storing may have taken longer than the lease, and another attempt may be in progress by now.
            if outcome.deniesPayment {
                try await journaled { try await journal.renew(at: effects.clock.now) }
            }
        } catch let failure as PaymentError
            where failure.code == .inUse && outcome.deniesPayment
        {
            // Another worker has taken the payment over, and may have paid it since.
            throw failure
        } catch is AttemptEndedError {
            // A success stays a success, whichever caller received it first. A transfer that may have moved money here
            // is not undone there.
            if case .succeeded = outcome {
                try? await effects.settleSpending(of: attempt.id, isPaid: true)
                return outcome
            }
            if let stored = await storedEnding(of: attempt), outcome.isFinal || !stored.deniesPayment {
                return stored
            }
        } catch {
            // The outcome is true even if it cannot be stored. The next look asks the service again.
        }
        effects.emit(.outcome(outcome), of: attempt)
        return outcome
    }

    /// Stores a notification's end of an attempt, if the report still holds then.
    ///
    /// - Throws: also when it cannot be stored: the service sends it again then.
    func end(_ attempt: PaymentAttempt, byMessage report: CheckedReport, seen: Int?) async throws {
        let outcome = try await journal.inTurn { () async throws -> PaymentOutcome? in
            guard let outcome = try await storable(report, seen: seen, of: attempt) else { return nil }
            try await write(.outcome(outcome), to: attempt)
            return outcome
        }
        guard let outcome else { return }
        effects.emit(.outcome(outcome), of: attempt)
        await hasEnded(attempt.reference, outcome)
    }

    /// Stores that an attempt that has moved nothing is abandoned.
    ///
    /// - Throws: `failure` with another phase when it cannot be stored: recovery then resumes the attempt, and a caller
    ///   that heard that nothing was sent may have paid otherwise.
    func abandon(_ attempt: PaymentAttempt, after failure: PaymentError) async throws {
        do { try await close(attempt, .abandoned(reason: failure.message)) } catch is AttemptEndedError {
        } catch {
            throw PaymentError(
                failure.code,
                "\(failure.message); nothing was sent, but that could not be stored, so the attempt \(attempt.id) may "
                    + "still be resumed: resume it before you pay otherwise",
                provider: descriptor.id, phase: .maybeSent, retry: .later, vendorCode: failure.vendorCode,
                cause: failure.cause)
        }
    }

    /// Stores an event that ends an attempt, or an outcome that leaves it open.
    ///
    /// - Throws: ``AttemptEndedError``, ``PaymentError``.
    func close(_ attempt: PaymentAttempt, _ event: JournalEntry.Event) async throws {
        try await journal.inTurn { try await write(event, to: attempt) }
        if case .abandoned(let reason) = event { effects.emit(.abandoned(reason: reason), of: attempt) }
    }

    /// Within the journal's turn.
    private func write(_ event: JournalEntry.Event, to attempt: PaymentAttempt) async throws {
        let entry = JournalEntry(date: effects.clock.now, event: event)
        try await journaled { try await journal.write(entry, to: attempt.id) }
        // A settlement that cannot be stored here is repeated by the next recovery.
        await effects.settleSpending(of: attempt.id)
    }

    /// Returns the ending of `attempt` that another worker has stored.
    func storedEnding(of attempt: PaymentAttempt) async -> PaymentOutcome? {
        guard let history = try? await history(of: attempt), effects.isSound(history) else { return nil }
        return history.outcome.flatMap { $0.isFinal ? $0 : nil }
    }
}

/// Another worker has ended the attempt, for example one that handled the payer's return or a notification.
struct AttemptEndedError: Error {}

extension AttemptHistory {
    /// True if the settler, or a person in its place, has stated that nothing was sent under the attempt's name at the
    /// settler. The next attempt then has another name. Before that, all attempts at the payment have the same.
    var hasSpentName: Bool {
        if case .declined(let reason)? = outcome, reason.code == .decided { return true }
        return authorities.settlerHasRefused
    }
}
