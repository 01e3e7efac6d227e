public import PaymentRecurring

/// The agreements of both sides, as plans that are charged.
///
/// Each agreement has its own plan, from its start until the next one's, or until the end: a period costs the price at
/// its beginning, however late it is charged. Terms that only one side has signed are in none of them.
/// ``PaykitProration`` calculates the price of a change for the rest of its period; it is never charged automatically.
extension PaykitSubscriptionRecord {
    /// Returns the plans by which the subscriber pays, the earliest first; none without an agreement.
    ///
    /// - Parameters:
    ///   - paysByItself: true if a period may be paid without a question.
    ///   - provider: the id under which the Paykit provider is registered.
    ///   - policy: the handling of periods that were missed.
    /// - Throws: `RecurringDefect`.
    public func plans(
        paysByItself: Bool, provider: ProviderID = "paykit", policy: RecurringPolicy = RecurringPolicy()
    ) throws(RecurringDefect) -> [RecurringPlan] {
        try plans(provider, policy) { _ in paysByItself }
    }

    /// Returns the plans by which the subscriber pays, without a question if `rule` permits it, and with its notice.
    ///
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
            // An agreement that ended before it began has no plan.
            if let end = ends.min(), end <= agreed.startsAt { continue }
            var plan = try agreed.plan(
                isChange: agreed != original, until: ends.min(), paysByItself: paysByItself(agreed), provider: provider,
                policy: policy)
            plan.pauses = pauses
            plans.append(plan)
        }
        return plans
    }

    /// Has a scheduler charge the agreements of both sides, and nothing else: new plans are added, and those that now
    /// end sooner, because of a change or a cancellation, are stopped; paused ones are not charged. A repeated call
    /// changes nothing.
    ///
    /// Call it after an agreement, a pause or a cancellation, and before the first check after a restart.
    ///
    /// - Throws: `RecurringDefect`, `RecurringJournalError`, `JournalError`.
    public func keepPlans(
        in scheduler: RecurringScheduler, paysByItself: Bool, provider: ProviderID = "paykit",
        policy: RecurringPolicy = RecurringPolicy()
    ) async throws {
        try await keep(try plans(paysByItself: paysByItself, provider: provider, policy: policy), in: scheduler)
    }

    /// Has a scheduler charge the agreements of both sides, without a question if `rule` permits it, and nothing else.
    /// The scheduler emits the notices (`RecurringEvent.upcoming`). A plan keeps the rule with which it was added.
    ///
    /// - Throws: `RecurringDefect`, `RecurringJournalError`, `JournalError`.
    public func keepPlans(
        in scheduler: RecurringScheduler, by rule: PaykitAutoPayRule, provider: ProviderID = "paykit",
        policy: RecurringPolicy = RecurringPolicy()
    ) async throws {
        try await keep(try plans(by: rule, provider: provider, policy: policy), in: scheduler)
    }

    private func keep(_ wanted: [RecurringPlan], in scheduler: RecurringScheduler) async throws {
        let stored = try await scheduler.plans().map(\.id).filter { original.owns($0) }
        // First the plans that end, so that no period is due by two plans.
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
                // Another process has added it just now.
            }
        }
    }
}

extension PaykitAutoPayRule {
    /// Returns a policy with the rule's notice. A payer who is asked needs none.
    fileprivate func policy(_ policy: RecurringPolicy) -> RecurringPolicy {
        var policy = policy
        if isEnabled, !requiresConfirmation { policy.notice = max(.zero, notifiesBefore) }
        return policy
    }
}
