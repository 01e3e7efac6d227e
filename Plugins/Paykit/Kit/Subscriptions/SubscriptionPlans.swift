import PaymentCrypto
public import PaymentRecurring
public import PaymentRouting

/// The agreements of both sides, as plans that are charged.
///
/// Each agreement has its own plan, from its start until the next one's, or until the end: a period costs the price at
/// its beginning, however late it is charged. Terms that only one side has signed are in none of them.
/// ``PaykitProration`` calculates the price of a change for the rest of its period; it is never charged automatically.
extension PaykitSubscriptionRecord {
    /// Returns the subscriber's plans, the earliest first; none without an agreement.
    ///
    /// - Parameters:
    ///   - paysByItself: true if a period may be paid without a question.
    ///   - provider: the id of the registered Paykit provider.
    ///   - policy: the handling of periods that were missed.
    /// - Throws: `RecurringDefect`.
    public func plans(
        paysByItself: Bool, provider: ProviderID = "paykit", policy: RecurringPolicy = RecurringPolicy()
    ) throws(RecurringDefect) -> [RecurringPlan] {
        try plans(provider, policy) { _ in paysByItself }
    }

    /// Returns the subscriber's plans, without a question if `rule` permits it, and with its notice.
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
    /// - Throws: `RecurringDefect`, `RecurringPlanError`, the storage's failure.
    public func keepPlans(
        in scheduler: RecurringScheduler, paysByItself: Bool, provider: ProviderID = "paykit",
        policy: RecurringPolicy = RecurringPolicy()
    ) async throws {
        try await keep(try plans(paysByItself: paysByItself, provider: provider, policy: policy), in: scheduler)
    }

    /// Has a scheduler charge the agreements of both sides, without a question if `rule` permits it, and nothing else.
    /// The scheduler emits the notices (`RecurringEvent.upcoming`). A plan keeps the rule that it was added with.
    ///
    /// - Throws: `RecurringDefect`, `RecurringPlanError`, the storage's failure.
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
            do { try await scheduler.add(plan) } catch RecurringPlanError.changedPlan {
                // Another process has added it just now.
            }
        }
    }
}

extension PaykitSubscription {
    /// Returns the subscriber's plan, on days of UTC.
    ///
    /// - Parameters:
    ///   - paysByItself: true if a period may be paid without a question.
    ///   - provider: the id of the registered Paykit provider.
    ///   - policy: the handling of periods that were missed.
    /// - Throws: `RecurringDefect`.
    public func plan(
        paysByItself: Bool, provider: ProviderID = "paykit", policy: RecurringPolicy = RecurringPolicy()
    ) throws(RecurringDefect) -> RecurringPlan {
        try plan(isChange: false, until: endsAt, paysByItself: paysByItself, provider: provider, policy: policy)
    }

    /// Returns the subscriber's plan until `end`. `isChange` is true for all terms but the first.
    func plan(
        isChange: Bool, until end: Int64?, paysByItself: Bool, provider: ProviderID, policy: RecurringPolicy
    ) throws(RecurringDefect) -> RecurringPlan {
        let order = PaykitStandingOrder(
            recipient: self.provider, methodID: terms.methodID, paysByItself: paysByItself, subscriptionID: id)
        let amount: Money
        // Checked when the subscription was created.
        do { amount = try terms.money() } catch { throw .amount }
        return try RecurringPlan(
            id: planID(isChange: isChange), provider: provider, amount: amount,
            schedule: RecurringSchedule(
                terms.frequency.rhythm, from: Date(timeIntervalSince1970: Double(startsAt)),
                until: end.map { Date(timeIntervalSince1970: Double($0)) }), policy: policy, details: order.details)
    }

    /// Returns the name of the plan: the payee's key, for a change a few letters of the agreement's hash, and the
    /// subscription's name. Keys contain no plus, so no two plans have the same name.
    func planID(isChange: Bool) -> RecurringPlan.ID {
        guard isChange else { return RecurringPlan.ID(rawValue: "\(provider.text)/\(id)") }
        let agreed = PaykitSubscriptionSignature.signedBytes(self, nonce: [], timestamp: 0, expiresAt: 0)
        return RecurringPlan.ID(rawValue: "\(provider.text)+\(Hex.encode(Digest.sha256.hash(agreed).prefix(5)))/\(id)")
    }

    /// Returns true if a plan is one of this subscription's, whatever its terms.
    func owns(_ plan: RecurringPlan.ID) -> Bool {
        guard plan.rawValue.hasPrefix(provider.text) else { return false }
        let rest = plan.rawValue.dropFirst(provider.text.utf8.count)
        if rest.first == "/" { return rest.dropFirst().utf8.elementsEqual(id.utf8) }
        guard rest.first == "+", let slash = rest.firstIndex(of: "/") else { return false }
        return rest[rest.index(after: slash)...].utf8.elementsEqual(id.utf8)
    }
}

/// The payee, the method and the subscription of a plan, from its details.
public struct PaykitStandingOrder: Sendable, Hashable {
    /// The payee.
    public let recipient: PubkyKey
    /// Their method, such as `lightning`.
    public let methodID: String
    /// True if a period may be paid without a question, within the limits that the application has set.
    public let paysByItself: Bool
    /// The name of the subscription that both sides have signed, for the recipient; nil if only the payer knows it.
    public let subscriptionID: String?

    /// Creates an order.
    public init(recipient: PubkyKey, methodID: String, paysByItself: Bool, subscriptionID: String? = nil) {
        self.recipient = recipient
        self.methodID = methodID
        self.paysByItself = paysByItself
        self.subscriptionID = subscriptionID
    }

    /// Reads a plan's details; nil if they are of another kind.
    public init?(_ plan: RecurringPlan) {
        guard let recipient = plan.details["recipient"]?.string.flatMap({ try? PubkyKey(bare: $0) }),
            let method = plan.details["method"]?.string, PaykitEndpoint.isMethod(method)
        else { return nil }
        self.init(
            recipient: recipient, methodID: method, paysByItself: plan.details["paysByItself"]?.bool ?? false,
            subscriptionID: plan.details["subscription"]?.string)
    }

    /// The details of a plan.
    public var details: JSONValue {
        var details: JSONValue = [
            "recipient": .string(recipient.text), "method": .string(methodID), "paysByItself": .bool(paysByItself),
        ]
        details["subscription"] = subscriptionID.map { .string($0) }
        return details
    }

    /// The payment that a router makes by this order: the recipient's link, by their method.
    public var order: RecurringOrder {
        RecurringOrder(
            link: PaykitSubscription.link(paying: recipient, for: nil), option: methodID, paysByItself: paysByItself)
    }

    /// The same payment over a private channel with the recipient, who is asked there for an invoice for the
    /// subscription, and finds its name as `subscription_id` in the question's metadata. It requires a
    /// provider with the means for it (`PaykitChannelPayments`), and a recipient that publishes an address for
    /// channels.
    public var orderOverChannel: RecurringOrder {
        RecurringOrder(
            link: PaykitSubscription.link(paying: recipient, for: subscriptionID),
            option: PaykitChannelPayments.optionID, paysByItself: paysByItself)
    }

    /// Returns the name of the plan for the payee's `id`: two payees may use the same.
    public func planID(_ id: String) -> RecurringPlan.ID { RecurringPlan.ID(rawValue: "\(recipient.text)/\(id)") }
}

/// The conditions for paying a subscription without asking (Protocol 6.7).
///
/// The reference implementation accepts any text as a period, and never resets the sum of an unknown one; here a period
/// is one of a router's.
public struct PaykitAutoPayRule: Sendable, Hashable {
    /// The subscription's id.
    public let subscriptionID: String
    /// The payee.
    public let peer: PubkyKey
    /// The payment method.
    public let methodID: String
    /// True if the rule is in force; otherwise the subscriber is asked.
    public var isEnabled = true
    /// The most that one payment may cost; nil for any.
    public var mostPerPayment: Money?
    /// The most that the peer may receive in a period; nil for any. See ``limits``.
    public var mostPerPeriod: Money?
    /// The period of ``mostPerPeriod``.
    public var period = SpendingLimit.Period.month
    /// True if the subscriber is asked nevertheless.
    public var requiresConfirmation = false
    /// The time from the subscriber's notification to each payment.
    public var notifiesBefore = Duration.seconds(3600)

    /// Creates a rule that allows all payments without asking, with a notification an hour before.
    public init(subscriptionID: String, peer: PubkyKey, methodID: String) {
        self.subscriptionID = subscriptionID
        self.peer = peer
        self.methodID = methodID
    }

    /// The limits of the rule, for a router (`AutoPay`) or ``PaymentRouting/SpendingStore``: other payments to the peer
    /// count as well.
    public var limits: [SpendingLimit] {
        guard isEnabled, let mostPerPeriod else { return [] }
        return [SpendingLimit(mostPerPeriod, per: period, on: .payee(peer.text))]
    }

    /// Returns true if the rule allows paying a period of a subscription without asking. Limits are checked on paying.
    public func allows(_ subscription: PaykitSubscription) -> Bool {
        guard isEnabled, !requiresConfirmation, subscription.id == subscriptionID, subscription.provider == peer,
            subscription.terms.methodID == methodID
        else { return false }
        guard let mostPerPayment else { return true }
        // An amount that cannot be compared is above any limit.
        guard let amount = try? subscription.terms.money(), let isAbove = try? mostPerPayment.isLess(than: amount)
        else { return false }
        return !isAbove
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
