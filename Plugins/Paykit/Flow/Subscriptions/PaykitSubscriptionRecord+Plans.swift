public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What both sides have agreed to, as plans that are charged.
///
/// Each agreement has a plan of its own, from its start until the next one's, or until the end: a period costs what held when
/// it began, however late somebody looks. What only one side has signed is in none of them. What a change costs for the rest
/// of the period in which it comes is ``PaykitProration``'s to say, and nobody's to charge by themselves.
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
        var plans: [RecurringPlan] = []
        for index in agreements.indices {
            let agreed = agreements[index].subscription
            let next = index + 1 < agreements.count ? agreements[index + 1].subscription.startsAt : nil
            let ends = [agreed.endsAt, next, cancellation?.effectiveAt].compactMap(\.self)
            // Of what was over before it began nothing is paid.
            if let end = ends.min(), end <= agreed.startsAt { continue }
            plans.append(
                try agreed.plan(
                    isChange: agreed != original, until: ends.min(), paysByItself: paysByItself, provider: provider,
                    policy: policy))
        }
        return plans
    }

    /// Has a scheduler charge what both have agreed to, and nothing else: plans that are new are added, and those that end
    /// sooner by now, because of a change or a cancellation, are stopped. Said again, it changes nothing.
    ///
    /// Call it when something was agreed to or cancelled, and before the first look after a restart.
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
        let wanted = try plans(paysByItself: paysByItself, provider: provider, policy: policy)
        let stored = try await scheduler.plans().map(\.id).filter { original.owns($0) }
        // First what ends, so that no period is due by two plans.
        for id in stored {
            if let plan = wanted.first(where: { $0.id == id }) {
                if let end = plan.schedule.end { try await scheduler.stop(id, at: end) }
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
