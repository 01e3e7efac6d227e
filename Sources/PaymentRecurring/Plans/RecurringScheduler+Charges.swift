import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One period: from due to paid or missed.
extension RecurringScheduler {
    // MARK: What the payer says

    /// Approves a period: it is paid, now.
    ///
    /// - Parameter id: a period that waits (``RecurringEvent/waiting(_:)``), or of which the payer was notified in
    ///   advance. Any other stays as it is.
    /// - Throws: ``JournalError``.
    public func approve(_ id: RecurringCharge.ID) async throws {
        let now = clock.now
        try await leased(id) { charge, lease in
            guard charge.state.isAsking, now < charge.deadline else { return }
            charge.state = .due
            charge.isApproved = true
            charge.notBefore = now
            try await journal.write(charge, under: lease, at: now)
        }
        await settle(id, at: now)
    }

    /// Refuses a period: it is missed.
    ///
    /// - Parameter id: a period that waits, is due, or is to come. Any other stays as it is.
    /// - Throws: ``JournalError``.
    public func refuse(_ id: RecurringCharge.ID) async throws {
        try await leased(id) { charge, lease in
            switch charge.state {
            case .waiting, .due, .announced: try await end(&charge, .missed(.refused), lease)
            default: break
            }
        }
    }

    // MARK: Seeing it through

    /// Carries one period on as far as possible by `now`. A failure is reported, and the next look tries again.
    func settle(_ id: RecurringCharge.ID, at now: Date) async {
        do {
            try await leased(id) { charge, lease in
                guard charge.notBefore <= now, let plan = try await journal.plan(id.plan) else { return }
                try await settle(&charge, of: plan, lease, now)
            }
        } catch JournalError.leaseLost {
            // Another worker took over while the payer was at work; it asks for the outcome.
        } catch { await listener(.error("the period \(id) could not be looked at: \(error)")) }
    }

    /// Does `work` under the lease of a period, with the period as it is then. Nothing happens while another worker has
    /// it.
    private func leased(
        _ id: RecurringCharge.ID, _ work: (inout RecurringCharge, PaymentLease) async throws -> Void
    ) async throws {
        guard let known = try await journal.charge(id), !known.state.isFinal else { return }
        let lease = PaymentLease(payment: known.reference, holder: random.hex(32), duration: self.lease)
        guard try await journal.acquire(lease, at: clock.now) else { return }
        let result: Result<Void, any Error>
        do {
            // Read again: another worker may have had it until just now.
            if var charge = try await journal.charge(id), !charge.state.isFinal { try await work(&charge, lease) }
            result = .success(())
        } catch { result = .failure(error) }
        // Otherwise the lease ends by itself.
        try? await journal.release(lease)
        try result.get()
    }

    private func settle(
        _ charge: inout RecurringCharge, of plan: RecurringPlan, _ lease: PaymentLease, _ now: Date
    ) async throws {
        if charge.state.isOpen {
            // A worker has begun to pay: nothing is paid before the outcome of that is known.
            let fate: RecurringAnswer?
            do { fate = try await payer.fate(of: charge, in: plan) } catch { fate = .unknown("\(error)") }
            if let fate { return try await take(fate, &charge, of: plan, under: lease, at: now) }
            charge.state = .due
        }
        if case .waiting = charge.state { return try await end(&charge, .missed(.notApproved), lease) }
        if let reason = abandoning(charge, plan, now) { return try await end(&charge, .missed(reason), lease) }
        let opening = opening(charge, plan)
        if plan.policy.notice > .zero, charge.isUnreported, plan.status == .active {
            charge.state = .announced
            charge.notBefore = max(opening, now.addingTimeInterval(plan.policy.notice / .seconds(1)))
            // No period is charged without a notification: after a crash in between it is sent again.
            await listener(.upcoming(charge))
            return try await journal.write(charge, under: lease, at: clock.now)
        }
        guard opening <= now || (charge.isApproved && plan.status == .active) else {
            // It has not begun: it waits for a pause to end, or the clock was set back since it was opened.
            charge.notBefore = opening
            return try await journal.write(charge, under: lease, at: clock.now)
        }
        charge.state = .started
        charge.attempts += 1
        charge.notBefore = now
        // On the disk before anything is sent.
        try await journal.write(charge, under: lease, at: clock.now)
        let answer: RecurringAnswer
        do { answer = try await payer.pay(charge, of: plan) } catch { answer = .unknown("\(error)") }
        try await take(answer, &charge, of: plan, under: lease, at: now)
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
        _ answer: RecurringAnswer, _ charge: inout RecurringCharge, of plan: RecurringPlan,
        under lease: PaymentLease, at now: Date
    ) async throws {
        switch answer {
        case .paid(let transactionID): return try await end(&charge, .paid(transactionID: transactionID), lease)
        case .needsApproval(let text):
            guard now < charge.deadline else { return try await end(&charge, .missed(.notApproved), lease) }
            charge.state = .waiting(text)
            charge.failures = 0
            charge.notBefore = charge.deadline
            try await journal.write(charge, under: lease, at: clock.now)
            return await listener(.waiting(charge))
        case .declined(let text):
            guard charge.attempts < plan.policy.mostAttempts, now < charge.deadline else {
                return try await end(&charge, .missed(.declined(text)), lease)
            }
            try await postpone(&charge, as: .due, because: text, of: plan, under: lease, at: now)
        case .notNow(let text):
            // Nothing was sent: it does not count as a try.
            charge.attempts -= 1
            guard now < charge.deadline else { return try await end(&charge, .missed(.failed(text)), lease) }
            try await postpone(&charge, as: .due, because: text, of: plan, under: lease, at: now)
        case .unknown(let text):
            try await postpone(&charge, as: .unknown(text), because: text, of: plan, under: lease, at: now)
        }
    }

    private func postpone(
        _ charge: inout RecurringCharge, as state: RecurringCharge.State, because text: String, of plan: RecurringPlan,
        under lease: PaymentLease, at now: Date
    ) async throws {
        charge.state = state
        charge.failures += 1
        charge.notBefore = now.addingTimeInterval(plan.policy.wait(after: charge.failures) / .seconds(1))
        try await journal.write(charge, under: lease, at: clock.now)
        await listener(state.isOpen ? .unknown(charge) : .postponed(charge, text))
    }

    private func end(
        _ charge: inout RecurringCharge, _ state: RecurringCharge.State, _ lease: PaymentLease
    ) async throws {
        charge.state = state
        try await journal.write(charge, under: lease, at: clock.now)
        if case .paid = state { await listener(.paid(charge)) } else { await listener(.missed(charge)) }
    }
}

extension RecurringCharge {
    /// True if the payer was not notified of it, and no worker has begun it or received an answer about it.
    fileprivate var isUnreported: Bool { state == .due && attempts == 0 && failures == 0 && !isApproved }
}

extension RecurringCharge.State {
    /// True if the payer can approve it.
    fileprivate var isAsking: Bool {
        switch self {
        case .waiting, .announced: true
        default: false
        }
    }
}
