public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The charge for one period of a plan, and its progress.
public struct RecurringCharge: Sendable, Hashable, Identifiable {
    /// The period's name. It is the payment's name as well (``RecurringCharge/reference``), and a second payment under
    /// it joins the first.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        /// The plan.
        public let plan: RecurringPlan.ID
        /// The period's number.
        public let number: Int

        /// Creates the name of a period.
        public init(plan: RecurringPlan.ID, number: Int) {
            self.plan = plan
            self.number = number
        }

        /// The plan, a slash and the number. No two periods have the same.
        public var description: String { "\(plan.rawValue)/\(number)" }
    }

    /// Why a period was not charged, and never will be.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// No scheduler ran when it began, and the policy does not catch up with it.
        case absence
        /// The plan was paused.
        case paused
        /// The plan was ended.
        case ended
        /// The payer was asked, and has not answered in time.
        case notApproved
        /// The payer has declined it.
        case refused
        /// The payment was declined as often as the policy tries; the text gives the reason.
        case declined(String)
        /// It could not be paid for as long as the policy tries; the text gives the reason.
        case failed(String)
        /// The time zone left the day out.
        case noSuchDay
    }

    /// The progress of a charge.
    @nonexhaustive
    public enum State: Sendable, Hashable {
        /// It is to be paid, and no worker has it.
        case due
        /// It is to be paid later. The payer was notified in advance.
        case announced
        /// A worker has begun to pay. Only its payer knows if money moved.
        case started
        /// The payer is asked to approve or refuse it; the text gives the reason for asking.
        case waiting(String)
        /// It is unknown if it was paid; the text gives the reason. The outcome is asked for, and the period is not
        /// paid again.
        case unknown(String)
        /// It was paid. Has the transaction's id if there is one.
        case paid(transactionID: String?)
        /// It was not paid, and will not be.
        case missed(Reason)

        /// True if nothing changes any more.
        public var isFinal: Bool {
            switch self {
            case .paid, .missed: true
            case .due, .announced, .started, .waiting, .unknown: false
            }
        }

        /// True if money may have moved, and the outcome is not known yet.
        public var isOpen: Bool {
            switch self {
            case .started, .unknown: true
            case .due, .announced, .waiting, .paid, .missed: false
            }
        }
    }

    /// The period's name.
    public let id: ID
    /// The provider that pays it.
    public let provider: ProviderID
    /// The amount of the plan when the period was opened.
    public let amount: Money
    /// The period.
    public let period: RecurringPeriod
    /// The date on which it is abandoned, unless it was begun.
    public let deadline: Date
    /// The progress.
    public var state: State
    /// The number of times that a worker has begun to pay it.
    public var attempts: Int
    /// The number of consecutive failures.
    public var failures: Int
    /// The date before which no worker looks at it.
    public var notBefore: Date
    /// True if the payer has approved it.
    public var isApproved: Bool
    /// The terms that the payer was asked about, was notified of or has approved (``RecurringPayer/terms(of:)``); nil
    /// before that. Under other terms the period is not paid, and the payer is asked again.
    public var terms: JSONValue?

    /// Creates a charge.
    public init(
        id: ID, provider: ProviderID, amount: Money, period: RecurringPeriod, deadline: Date, state: State = .due,
        attempts: Int = 0, failures: Int = 0, notBefore: Date, isApproved: Bool = false,
        terms: JSONValue? = nil
    ) {
        self.id = id
        self.provider = provider
        self.amount = amount
        self.period = period
        self.deadline = deadline
        self.state = state
        self.attempts = attempts
        self.failures = failures
        self.notBefore = notBefore
        self.isApproved = isApproved
        self.terms = terms
    }

    init(of plan: RecurringPlan, _ period: RecurringPeriod, missed reason: Reason?, at now: Date) {
        self.init(
            id: ID(plan: plan.id, number: period.number), provider: plan.provider, amount: plan.amount, period: period,
            deadline: max(period.start, now.addingTimeInterval(plan.policy.notice / .seconds(1)))
                .addingTimeInterval(plan.policy.grace / .seconds(1)),
            state: reason.map(State.missed) ?? .due, notBefore: now)
    }

    /// True if no worker has begun to pay it, and the payer has not answered about it. Such a period can be opened
    /// again, even if it is missed.
    public var isUntouched: Bool {
        guard attempts == 0, !isApproved else { return false }
        switch state {
        case .due, .announced: return true
        case .missed(.refused), .missed(.noSuchDay): return false
        case .missed: return true
        case .started, .waiting, .unknown, .paid: return false
        }
    }

    /// Returns the period as it is opened in its time. Nil if its time has come by `now`, or something was sent or
    /// answered for it.
    func reopened(at now: Date, of plan: RecurringPlan) -> RecurringCharge? {
        let opening = opening(in: plan)
        guard isUntouched, opening > now else { return nil }
        return RecurringCharge(
            id: id, provider: provider, amount: amount, period: period,
            deadline: period.start.addingTimeInterval(plan.policy.grace / .seconds(1)), notBefore: opening)
    }

    /// Returns the date from which the period is opened, and the payer is notified of it.
    func opening(in plan: RecurringPlan) -> Date {
        period.start.addingTimeInterval(-(plan.policy.opening / .seconds(1)))
    }

    /// The permanent name of the period's payment in leases, attempts and outcomes.
    public var reference: PaymentReference { PaymentReference(provider: provider, id: id.description) }
}

extension RecurringCharge.Reason: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .absence: "no application was running to pay it"
        case .paused: "it was paused"
        case .ended: "it was ended"
        case .notApproved: "it was not approved"
        case .refused: "the payer said no"
        case .declined(let text): "declined: \(text)"
        case .failed(let text): "it could not be paid: \(text)"
        case .noSuchDay: "the time zone has no such day"
        }
    }
}

// MARK: - Carrying a period out

/// The work on one period, from due to paid or missed.
extension RecurringScheduler {
    // MARK: The payer's answers

    /// Approves a period, which is then paid immediately. Returns when it is paid, or when the time for one period is
    /// over. In that case the payment continues.
    ///
    /// - Parameter id: a period that waits (``RecurringEvent/waiting(_:)``), is due, or of which the payer was notified
    ///   in advance.
    /// - Throws: ``RecurringAnswerError`` when the answer has no effect, or the storage's failure.
    public func approve(_ id: RecurringCharge.ID) async throws {
        let now = clock.now
        try await answer(id) { held in
            guard now < held.charge.deadline, let plan = try await records.plan(id.plan) else {
                throw RecurringAnswerError.tooLate(id)
            }
            guard plan.status == .active, abandoning(held.charge, plan, now) == nil else {
                throw RecurringAnswerError.notCharged(id)
            }
            guard isAgreed(held.charge, plan) else { return try await ask(Self.changed, &held, of: plan) }
            held.charge.state = .due
            held.charge.isApproved = true
            held.charge.terms = payer.terms(of: plan)
            held.charge.notBefore = now
            try await records.write(held.charge, under: held.lease, at: now)
        }
        await settleWithin(id, at: now)
        // The plan may have been changed before the answer, or between the answer and the payment.
        switch try await records.charge(id)?.state {
        case .missed(.paused), .missed(.ended): throw RecurringAnswerError.notCharged(id)
        case .waiting: throw RecurringAnswerError.changed(id)
        default: break
        }
    }

    /// Refuses a period, which is then missed.
    ///
    /// - Parameter id: a period that waits, is due, or is to come.
    /// - Throws: ``RecurringAnswerError`` when the answer has no effect, or the storage's failure.
    public func refuse(_ id: RecurringCharge.ID) async throws {
        try await answer(id) { try await end(&$0, .missed(.refused)) }
    }

    /// Stores the payer's answer, as soon as no other worker has the period.
    private func answer(_ id: RecurringCharge.ID, _ work: (inout Held) async throws -> Void) async throws {
        let end = clock.uptime + RecurringAnswerError.longestWait
        while true {
            guard let charge = try await records.charge(id) else { throw RecurringAnswerError.notOpened(id) }
            guard charge.state.isUndecided else { throw RecurringAnswerError.tooLate(id) }
            let isAnswered = try await leased(charge) { held in
                // Another worker may have begun it since.
                guard held.charge.state.isUndecided else { throw RecurringAnswerError.tooLate(id) }
                try await work(&held)
            }
            if isAnswered { return }
            guard clock.uptime < end else { throw RecurringAnswerError.inUse(id) }
            try await clock.sleep(for: .milliseconds(200))
        }
    }

    // MARK: Seeing it through

    /// Advances one period as far as possible by `now`. A failure is reported, and the next look tries again.
    func settle(_ id: RecurringCharge.ID, at now: Date) async {
        do {
            guard let charge = try await records.charge(id) else { return }
            var upcoming: RecurringCharge?
            try await leased(charge) { held in
                guard held.charge.notBefore <= now, let plan = try await records.plan(id.plan) else { return }
                try await settle(&held, of: plan, now)
                upcoming = held.upcoming
            }
            guard let upcoming else { return }
            await listener(.upcoming(upcoming))
            // Unless the payer has answered, or another worker announces it. After a crash it is announced again.
            try await leased(upcoming) { held in
                guard held.charge.isUnreported else { return }
                held.charge.state = .announced
                held.charge.terms = upcoming.terms
                held.charge.notBefore = upcoming.notBefore
                try await records.write(held.charge, under: held.lease, at: clock.now)
            }
        } catch RecordError.leaseLost {
            // Another worker took over while the payer was at work. That worker asks for the outcome.
        } catch { await listener(.error("the period \(id) could not be looked at: \(error)")) }
    }

    /// Opens a period again that a clock that was ahead has opened, unless another worker has it.
    func reopen(_ id: RecurringCharge.ID, of plan: RecurringPlan, at now: Date) async throws {
        guard let known = try await records.charge(id) else { return }
        let lease = newLease(of: known)
        guard try await records.store.acquire(lease, at: clock.now) else { return }
        let result: Result<RecurringCharge?, any Error>
        do {
            // Read again, because another worker may have had it until just now.
            let charge = try await records.charge(id)
            let reopened = charge?.reopened(at: now, of: plan)
            if let reopened { try await records.reopen(reopened, under: lease, at: clock.now) }
            result = .success(charge?.state.isFinal == true ? reopened : nil)
        } catch { result = .failure(error) }
        try? await records.store.release(lease)
        if let reopened = try result.get() { await listener(.reopened(reopened)) }
    }

    private func newLease(of charge: RecurringCharge) -> RecordLease {
        RecurringPlans.lease(of: charge.id, holder: random.hex(32), duration: lease)
    }

    /// A period whose lease is held, and the events to report. They are reported after the release, because a listener
    /// may answer during the call.
    private struct Held {
        var charge: RecurringCharge
        let lease: RecordLease
        var events: [RecurringEvent] = []
        /// The period as it is to be announced.
        var upcoming: RecurringCharge?
    }

    /// Does `work` under the lease of a period, with the period as it is then. Does nothing if another worker has it,
    /// or it has ended.
    ///
    /// - Returns: true if the work was done.
    @discardableResult
    private func leased(_ known: RecurringCharge, _ work: (inout Held) async throws -> Void) async throws -> Bool {
        let lease = newLease(of: known)
        guard try await records.store.acquire(lease, at: clock.now) else { return false }
        var held = Held(charge: known, lease: lease)
        let result: Result<Bool, any Error>
        do {
            // Read again, because another worker may have had it until just now.
            let charge = try await records.charge(known.id).flatMap { $0.state.isFinal ? nil : $0 }
            if let charge {
                held.charge = charge
                try await work(&held)
            }
            result = .success(charge != nil)
        } catch { result = .failure(error) }
        // Otherwise the lease ends by itself.
        try? await records.store.release(lease)
        for event in held.events { await listener(event) }
        return try result.get()
    }

    private func settle(
        _ held: inout Held, of plan: RecurringPlan, _ now: Date
    ) async throws {
        if held.charge.state.isOpen {
            // A worker has begun to pay. Nothing is paid before that outcome is known.
            let fate: RecurringAnswer?
            do { fate = try await payer.fate(of: held.charge, in: plan) } catch { fate = .unknown("\(error)") }
            if let fate { return try await take(fate, &held, of: plan, at: now) }
            held.charge.state = .due
        }
        if case .waiting = held.charge.state { return try await end(&held, .missed(.notApproved)) }
        if let reason = abandoning(held.charge, plan, now) { return try await end(&held, .missed(reason)) }
        let opening = opening(held.charge, plan)
        if !isAgreed(held.charge, plan) {
            // The payer has agreed to other terms, by an answer or by not refusing after a notification.
            var unreported = held.charge
            (unreported.state, unreported.terms) = (.due, nil)
            guard plan.policy.notice > .zero, plan.status == .active, unreported.isUnreported else {
                return try await ask(Self.changed, &held, of: plan)
            }
            held.charge = unreported
        }
        if plan.policy.notice > .zero, held.charge.isUnreported, plan.status == .active {
            held.upcoming = held.charge
            held.upcoming?.state = .announced
            held.upcoming?.terms = payer.terms(of: plan)
            held.upcoming?.notBefore = max(opening, now.addingTimeInterval(plan.policy.notice / .seconds(1)))
            // No other worker announces it in the meantime.
            held.charge.notBefore = now.addingTimeInterval(lease / .seconds(1))
            return try await records.write(held.charge, under: held.lease, at: clock.now)
        }
        guard opening <= now || (held.charge.isApproved && plan.status == .active) else {
            // It has not begun. It waits for a pause to end, or the clock was set back since it was opened.
            held.charge.notBefore = opening
            return try await records.write(held.charge, under: held.lease, at: clock.now)
        }
        held.charge.state = .started
        held.charge.attempts += 1
        // On the disk before anything is sent.
        try await records.write(held.charge, under: held.lease, at: clock.now)
        let answer: RecurringAnswer
        do { answer = try await payer.pay(held.charge, of: plan) } catch { answer = .unknown("\(error)") }
        try await take(answer, &held, of: plan, at: now)
    }

    /// Returns the date from which a period may be charged.
    private func opening(_ charge: RecurringCharge, _ plan: RecurringPlan) -> Date {
        charge.period.start.addingTimeInterval(-(plan.policy.ahead / .seconds(1)))
    }

    private func abandoning(_ charge: RecurringCharge, _ plan: RecurringPlan, _ now: Date) -> RecurringCharge.Reason? {
        switch plan.status {
        case .ended: return .ended
        case .paused where now >= opening(charge, plan): return .paused
        default: break
        }
        if plan.pauses.contains(where: { $0.contains(charge.period.start) }) { return .paused }
        // The period was opened in advance, and the plan ends sooner by now.
        if let end = plan.schedule.end, charge.period.start >= end { return .ended }
        guard now >= charge.deadline else { return nil }
        return .failed(
            charge.failures == 0
                ? "no payer was available until it was too late" : "it was tried until it was too late")
    }

    private func take(
        _ answer: RecurringAnswer, _ held: inout Held, of plan: RecurringPlan, at now: Date
    ) async throws {
        switch answer {
        case .paid(let transactionID): return try await end(&held, .paid(transactionID: transactionID))
        case .needsApproval(let text):
            guard now < held.charge.deadline else { return try await end(&held, .missed(.notApproved)) }
            held.charge.failures = 0
            try await ask(text, &held, of: plan)
        case .declined(let text):
            guard held.charge.attempts < plan.policy.mostAttempts, now < held.charge.deadline else {
                return try await end(&held, .missed(.declined(text)))
            }
            try await postpone(&held, as: .due, because: text, of: plan, at: now)
        case .notNow(let text):
            // Nothing was sent, so it does not count as a try.
            held.charge.attempts -= 1
            guard now < held.charge.deadline else { return try await end(&held, .missed(.failed(text))) }
            try await postpone(&held, as: .due, because: text, of: plan, at: now)
        case .unknown(let text):
            try await postpone(&held, as: .unknown(text), because: text, of: plan, at: now)
        }
    }

    /// Asks the payer about a period under the plan's present terms.
    private func ask(_ why: String, _ held: inout Held, of plan: RecurringPlan) async throws {
        held.charge.state = .waiting(why)
        held.charge.isApproved = false
        held.charge.terms = payer.terms(of: plan)
        held.charge.notBefore = held.charge.deadline
        try await records.write(held.charge, under: held.lease, at: clock.now)
        held.events.append(.waiting(held.charge))
    }

    private static let changed = "the plan was changed since the payer was asked"

    /// Returns true unless the payer was asked about, or notified of, terms other than the plan's present ones.
    private func isAgreed(_ charge: RecurringCharge, _ plan: RecurringPlan) -> Bool {
        charge.terms.map { $0 == payer.terms(of: plan) } ?? true
    }

    private func postpone(
        _ held: inout Held, as state: RecurringCharge.State, because text: String, of plan: RecurringPlan, at now: Date
    ) async throws {
        held.charge.state = state
        held.charge.failures += 1
        held.charge.notBefore = now.addingTimeInterval(plan.policy.wait(after: held.charge.failures) / .seconds(1))
        try await records.write(held.charge, under: held.lease, at: clock.now)
        held.events.append(state.isOpen ? .unknown(held.charge) : .postponed(held.charge, text))
    }

    private func end(_ held: inout Held, _ state: RecurringCharge.State) async throws {
        held.charge.state = state
        try await records.write(held.charge, under: held.lease, at: clock.now)
        if case .paid = state {
            held.events.append(.paid(held.charge))
        } else {
            held.events.append(.missed(held.charge))
        }
    }
}

extension RecurringCharge {
    /// Returns true if it has ended although it does not begin before `now`, and no answer of the payer has ended it.
    func hasEnded(before now: Date, of plan: RecurringPlan) -> Bool {
        guard state.isFinal, state != .missed(.refused), !isApproved else { return false }
        return opening(in: plan) > now
    }

    /// True if the payer was not notified of it, and no worker has begun it or received an answer about it.
    fileprivate var isUnreported: Bool {
        state == .due && attempts == 0 && failures == 0 && !isApproved && terms == nil
    }
}

extension RecurringCharge.State {
    /// True if the payer can still say yes or no.
    fileprivate var isUndecided: Bool {
        switch self {
        case .waiting, .due, .announced: true
        default: false
        }
    }
}

/// Why a payer's answer about a period has no effect.
@nonexhaustive
public enum RecurringAnswerError: Error, Sendable, Hashable {
    /// The period was not opened. There is nothing to answer yet.
    case notOpened(RecurringCharge.ID)
    /// No period of the plan waits for an answer, or was announced.
    case notAsked(RecurringPlan.ID)
    /// Another worker has had the period for half a minute. Answer again later.
    case inUse(RecurringCharge.ID)
    /// The period has ended, its payment was begun, or the time for an approval is over.
    case tooLate(RecurringCharge.ID)
    /// The plan is paused or ended, or the period begins in a pause of it or after its end.
    case notCharged(RecurringCharge.ID)
    /// The plan's terms have changed since the payer was asked. The payer is asked again, about the present terms.
    case changed(RecurringCharge.ID)

    /// The time for which an answer waits for another worker.
    static let longestWait = Duration.seconds(30)
}

extension RecurringAnswerError: CustomStringConvertible {
    /// The event and the remedy, for people.
    public var description: String {
        switch self {
        case .notOpened(let id): "the period \(id) was not opened; there is nothing to answer yet"
        case .notAsked(let plan): "no period of the plan \(plan) waits for an answer; list those that do"
        case .inUse(let id): "the period \(id) is in use by another worker; the answer is not stored: give it again"
        case .tooLate(let id): "the period \(id) has ended, was begun or is too late; the answer changes nothing"
        case .notCharged(let id):
            "the plan of the period \(id) is paused or ended, and nothing is paid; resume the plan before the answer"
        case .changed(let id):
            "the plan of the period \(id) was changed since the payer was asked; look at it, and answer again"
        }
    }
}
