import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One period: from due to paid or missed.
extension RecurringScheduler {
    // MARK: The payer's answers

    /// Approves a period: it is paid, now. Returns when it is, or when the time for one period is over; the payment
    /// goes on then.
    ///
    /// - Parameter id: a period that waits (``RecurringEvent/waiting(_:)``), is due, or of which the payer was notified
    ///   in advance.
    /// - Throws: ``RecurringAnswerError`` when the answer has no effect; ``JournalError``.
    public func approve(_ id: RecurringCharge.ID) async throws {
        let now = clock.now
        try await answer(id) { held in
            guard now < held.charge.deadline, let plan = try await journal.plan(id.plan) else {
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
            try await journal.write(held.charge, under: held.lease, at: now)
        }
        await settleWithin(id, at: now)
        // The plan may have been changed before the answer, or between it and the payment.
        switch try await journal.charge(id)?.state {
        case .missed(.paused), .missed(.ended): throw RecurringAnswerError.notCharged(id)
        case .waiting: throw RecurringAnswerError.changed(id)
        default: break
        }
    }

    /// Refuses a period: it is missed.
    ///
    /// - Parameter id: a period that waits, is due, or is to come.
    /// - Throws: ``RecurringAnswerError`` when the answer has no effect; ``JournalError``.
    public func refuse(_ id: RecurringCharge.ID) async throws {
        try await answer(id) { try await end(&$0, .missed(.refused)) }
    }

    /// Stores the payer's answer, as soon as no other worker has the period.
    private func answer(_ id: RecurringCharge.ID, _ work: (inout Held) async throws -> Void) async throws {
        let end = clock.uptime + RecurringAnswerError.longestWait
        while true {
            guard let charge = try await journal.charge(id) else { throw RecurringAnswerError.notOpened(id) }
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

    /// Carries one period on as far as possible by `now`. A failure is reported, and the next look tries again.
    func settle(_ id: RecurringCharge.ID, at now: Date) async {
        do {
            guard let charge = try await journal.charge(id) else { return }
            var upcoming: RecurringCharge?
            try await leased(charge) { held in
                guard held.charge.notBefore <= now, let plan = try await journal.plan(id.plan) else { return }
                try await settle(&held, of: plan, now)
                upcoming = held.upcoming
            }
            guard let upcoming else { return }
            await listener(.upcoming(upcoming))
            // Unless the payer has answered, or another worker announces it: after a crash it is announced again.
            try await leased(upcoming) { held in
                guard held.charge.isUnreported else { return }
                held.charge.state = .announced
                held.charge.terms = upcoming.terms
                held.charge.notBefore = upcoming.notBefore
                try await journal.write(held.charge, under: held.lease, at: clock.now)
            }
        } catch JournalError.leaseLost {
            // Another worker took over while the payer was at work; it asks for the outcome.
        } catch { await listener(.error("the period \(id) could not be looked at: \(error)")) }
    }

    /// Opens a period again that a clock that was ahead has opened, unless another worker has it.
    func reopen(_ id: RecurringCharge.ID, of plan: RecurringPlan, at now: Date) async throws {
        guard let known = try await journal.charge(id) else { return }
        let lease = newLease(of: known)
        guard try await journal.acquire(lease, at: clock.now) else { return }
        let result: Result<RecurringCharge?, any Error>
        do {
            // Read again: another worker may have had it until just now.
            let charge = try await journal.charge(id)
            let reopened = charge?.reopened(at: now, of: plan)
            if let reopened { try await journal.reopen(reopened, under: lease, at: clock.now) }
            result = .success(charge?.state.isFinal == true ? reopened : nil)
        } catch { result = .failure(error) }
        try? await journal.release(lease)
        if let reopened = try result.get() { await listener(.reopened(reopened)) }
    }

    private func newLease(of charge: RecurringCharge) -> PaymentLease {
        PaymentLease(payment: charge.reference, holder: random.hex(32), duration: lease)
    }

    /// A period whose lease is held, and the events to report once it is released: a listener may answer from inside.
    private struct Held {
        var charge: RecurringCharge
        let lease: PaymentLease
        var events: [RecurringEvent] = []
        /// The period as it is to be announced.
        var upcoming: RecurringCharge?
    }

    /// Does `work` under the lease of a period, with the period as it is then. Nothing happens while another worker has
    /// it, or when it has ended.
    ///
    /// - Returns: true if the work was done.
    @discardableResult
    private func leased(_ known: RecurringCharge, _ work: (inout Held) async throws -> Void) async throws -> Bool {
        let lease = newLease(of: known)
        guard try await journal.acquire(lease, at: clock.now) else { return false }
        var held = Held(charge: known, lease: lease)
        let result: Result<Bool, any Error>
        do {
            // Read again: another worker may have had it until just now.
            let charge = try await journal.charge(known.id).flatMap { $0.state.isFinal ? nil : $0 }
            if let charge {
                held.charge = charge
                try await work(&held)
            }
            result = .success(charge != nil)
        } catch { result = .failure(error) }
        // Otherwise the lease ends by itself.
        try? await journal.release(lease)
        for event in held.events { await listener(event) }
        return try result.get()
    }

    private func settle(
        _ held: inout Held, of plan: RecurringPlan, _ now: Date
    ) async throws {
        if held.charge.state.isOpen {
            // A worker has begun to pay: nothing is paid before the outcome of that is known.
            let fate: RecurringAnswer?
            do { fate = try await payer.fate(of: held.charge, in: plan) } catch { fate = .unknown("\(error)") }
            if let fate { return try await take(fate, &held, of: plan, at: now) }
            held.charge.state = .due
        }
        if case .waiting = held.charge.state { return try await end(&held, .missed(.notApproved)) }
        if let reason = abandoning(held.charge, plan, now) { return try await end(&held, .missed(reason)) }
        let opening = opening(held.charge, plan)
        if !isAgreed(held.charge, plan) {
            // The payer has agreed to other terms: by an answer, or by none after a notification.
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
            // No other worker announces it meanwhile.
            held.charge.notBefore = now.addingTimeInterval(lease / .seconds(1))
            return try await journal.write(held.charge, under: held.lease, at: clock.now)
        }
        guard opening <= now || (held.charge.isApproved && plan.status == .active) else {
            // It has not begun: it waits for a pause to end, or the clock was set back since it was opened.
            held.charge.notBefore = opening
            return try await journal.write(held.charge, under: held.lease, at: clock.now)
        }
        held.charge.state = .started
        held.charge.attempts += 1
        // On the disk before anything is sent.
        try await journal.write(held.charge, under: held.lease, at: clock.now)
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
            // Nothing was sent: it does not count as a try.
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
        try await journal.write(held.charge, under: held.lease, at: clock.now)
        held.events.append(.waiting(held.charge))
    }

    private static let changed = "the plan was changed since the payer was asked"

    /// Returns true unless the payer was asked about other terms than the plan's present ones, or notified of others.
    private func isAgreed(_ charge: RecurringCharge, _ plan: RecurringPlan) -> Bool {
        charge.terms.map { $0 == payer.terms(of: plan) } ?? true
    }

    private func postpone(
        _ held: inout Held, as state: RecurringCharge.State, because text: String, of plan: RecurringPlan, at now: Date
    ) async throws {
        held.charge.state = state
        held.charge.failures += 1
        held.charge.notBefore = now.addingTimeInterval(plan.policy.wait(after: held.charge.failures) / .seconds(1))
        try await journal.write(held.charge, under: held.lease, at: clock.now)
        held.events.append(state.isOpen ? .unknown(held.charge) : .postponed(held.charge, text))
    }

    private func end(_ held: inout Held, _ state: RecurringCharge.State) async throws {
        held.charge.state = state
        try await journal.write(held.charge, under: held.lease, at: clock.now)
        if case .paid = state {
            held.events.append(.paid(held.charge))
        } else {
            held.events.append(.missed(held.charge))
        }
    }
}

extension RecurringCharge {
    /// True if it has ended although it does not begin before `now`, and no answer of the payer has ended it.
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
