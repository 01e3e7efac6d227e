public import PaymentCore

/// A plan's instruction to a router: the payee's link, and the option to pay by.
///
/// ```swift
/// let order = RecurringOrder(link: "bitcoin:bc1q…", paysByItself: true)
/// let plan = try RecurringPlan(
///     id: RecurringPlan.ID(rawValue: "rent"), provider: "bitcoin", amount: amount, schedule: schedule,
///     details: order.details)
/// ```
///
/// The amount is the plan's. A payee who asks for another one is not paid.
public struct RecurringOrder: Sendable, Hashable {
    /// A link that names a payee and no single payment: each period is a separate payment. No secrets.
    public let link: String
    /// The option that is paid by, by its id, such as a method's name; nil for the first that costs the plan's amount.
    public let option: PaymentMethodOption.ID?
    /// True if a period may be paid without a question, within the router's limits.
    public let paysByItself: Bool

    /// Creates an order.
    public init(link: String, option: PaymentMethodOption.ID? = nil, paysByItself: Bool) {
        self.link = link
        self.option = option
        self.paysByItself = paysByItself
    }

    /// Reads a plan's details; nil where they are of another kind.
    public init?(_ plan: RecurringPlan) {
        guard let link = plan.details["link"]?.string else { return nil }
        self.init(
            link: link, option: plan.details["option"]?.string,
            paysByItself: plan.details["paysByItself"]?.bool ?? false)
    }

    /// The details of a plan.
    public var details: JSONValue {
        var details: JSONValue = ["link": .string(link), "paysByItself": .bool(paysByItself)]
        details["option"] = option.map { .string($0) }
        return details
    }
}
