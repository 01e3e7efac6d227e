public import PaykitProvider
public import PaymentCore
public import PaymentRecurring

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What both sides have agreed to, as plans that are charged.
///
/// Each agreement has a plan of its own, from its start until the next one's, or until the end: a period costs what
/// held when it began, however late somebody looks. What only one side has signed is in none of them. What a change
/// costs for the rest of the period in which it comes is ``PaykitProration``'s to say, and nobody's to charge by
/// themselves.
extension PaykitSubscriptionRecord {
    /// Returns the plans by which the subscriber pays, the earliest first; none where nothing was agreed to.
    ///
    /// - Parameters:
    ///   - paysByItself: whether a period may be paid without a question.
    ///   - provider: who pays: what the Paykit provider is registered as.
    ///   - policy: what becomes of periods that nobody was there to charge.
    /// - Throws: `RecurringDefect`.
    public func plans(
        paysByItself: Bool, provider: ProviderID = "paykit", policy: RecurringPolicy = RecurringPolicy()
    ) throws(RecurringDefect) -> [RecurringPlan] {
        try plans(provider, policy) { _ in paysByItself }
    }

    /// Returns the plans by which the subscriber pays, without a question where a rule says so.
    ///
    /// - Parameters:
    ///   - rule: what may be paid without a question, and how long before the subscriber is told.
    ///   - provider: who pays: what the Paykit provider is registered as.
    ///   - policy: what becomes of periods that nobody was there to charge.
    /// - Throws: `RecurringDefect`.
    public func plans(
        by rule: PaykitAutoPayRule, provider: ProviderID = "paykit", policy: RecurringPolicy = RecurringPolicy()
    ) throws(RecurringDefect) -> [RecurringPlan] {
        try plans(provider, rule.policy(policy), rule.allows)
    }

    private func plans(
        _ provider: ProviderID, _ policy: RecurringPolicy, _ paysByItself: (PaykitSubscription) -> Bool
    ) throws(RecurringDefect) -> [RecurringPlan] {
        let pauses = pauses.map { pause in
            RecurringPause(
                from: Date(timeIntervalSince1970: Double(pause.lowerBound)),
                until: pause.upperBound == .max ? nil : Date(timeIntervalSince1970: Double(pause.upperBound)))
        }
        var plans: [RecurringPlan] = []
        for index in agreements.indices {
            let agreed = agreements[index].subscription
            let next = index + 1 < agreements.count ? agreements[index + 1].subscription.startsAt : nil
            let ends = [agreed.endsAt, next, cancellation?.effectiveAt].compactMap(\.self)
            // Of what was over before it began nothing is paid.
            if let end = ends.min(), end <= agreed.startsAt { continue }
            var plan = try agreed.plan(
                isChange: agreed != original, until: ends.min(), paysByItself: paysByItself(agreed), provider: provider,
                policy: policy)
            plan.pauses = pauses
            plans.append(plan)
        }
        return plans
    }

    /// Has a scheduler charge what both have agreed to, and nothing else: plans that are new are added, and those that
    /// end sooner by now, because of a change or a cancellation, are stopped; what is paused is not charged. Said
    /// again, it changes nothing.
    ///
    /// Call it when something was agreed to, paused or cancelled, and before the first look after a restart.
    ///
    /// - Parameters:
    ///   - scheduler: charges the plans.
    ///   - paysByItself: whether a period may be paid without a question.
    ///   - provider: who pays: what the Paykit provider is registered as.
    ///   - policy: what becomes of periods that nobody was there to charge.
    /// - Throws: `RecurringDefect`, `RecurringJournalError`, `JournalError`.
    public func keepPlans(
        in scheduler: RecurringScheduler, paysByItself: Bool, provider: ProviderID = "paykit",
        policy: RecurringPolicy = RecurringPolicy()
    ) async throws {
        try await keep(try plans(paysByItself: paysByItself, provider: provider, policy: policy), in: scheduler)
    }

    /// Has a scheduler charge what both have agreed to, without a question where a rule says so, and nothing else.
    ///
    /// - Parameters:
    ///   - scheduler: charges the plans. Who is told beforehand listens to it (`RecurringEvent.upcoming`).
    ///   - rule: what may be paid without a question, and how long before the subscriber is told. What another rule
    ///     said when a plan was added holds for that plan.
    ///   - provider: who pays: what the Paykit provider is registered as.
    ///   - policy: what becomes of periods that nobody was there to charge.
    /// - Throws: `RecurringDefect`, `RecurringJournalError`, `JournalError`.
    public func keepPlans(
        in scheduler: RecurringScheduler, by rule: PaykitAutoPayRule, provider: ProviderID = "paykit",
        policy: RecurringPolicy = RecurringPolicy()
    ) async throws {
        try await keep(try plans(by: rule, provider: provider, policy: policy), in: scheduler)
    }

    private func keep(_ wanted: [RecurringPlan], in scheduler: RecurringScheduler) async throws {
        let stored = try await scheduler.plans().map(\.id).filter { original.owns($0) }
        // First what ends, so that no period is due by two plans.
        for id in stored {
            if let plan = wanted.first(where: { $0.id == id }) {
                if let end = plan.schedule.end { try await scheduler.stop(id, at: end) }
                try await scheduler.pause(id, during: plan.pauses)
            } else {
                try await scheduler.end(id)
            }
        }
        for plan in wanted where !stored.contains(plan.id) {
            do { try await scheduler.add(plan) } catch RecurringJournalError.changedPlan {
                // Somebody else has added it just now.
            }
        }
    }
}

extension PaykitAutoPayRule {
    /// A policy with the rule's notice. Who is asked needs none.
    fileprivate func policy(_ policy: RecurringPolicy) -> RecurringPolicy {
        var policy = policy
        if isEnabled, !requiresConfirmation { policy.notice = max(.zero, notifiesBefore) }
        return policy
    }
}
