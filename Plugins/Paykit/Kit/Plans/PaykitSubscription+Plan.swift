import PaymentCrypto
public import PaymentRecurring

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

extension PaykitSubscription {
    /// Returns the plan by which the subscriber pays, on days of UTC.
    ///
    /// - Parameters:
    ///   - paysByItself: true if a period may be paid without a question.
    ///   - provider: the id under which the Paykit provider is registered.
    ///   - policy: the handling of periods that were missed.
    /// - Throws: `RecurringDefect`.
    public func plan(
        paysByItself: Bool, provider: ProviderID = "paykit", policy: RecurringPolicy = RecurringPolicy()
    ) throws(RecurringDefect) -> RecurringPlan {
        try plan(isChange: false, until: endsAt, paysByItself: paysByItself, provider: provider, policy: policy)
    }

    /// Returns the plan by which the subscriber pays until `end`. `isChange` is true for all terms but the first.
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
    /// subscription's name. Keys have no plus, so that no two plans have one name.
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
