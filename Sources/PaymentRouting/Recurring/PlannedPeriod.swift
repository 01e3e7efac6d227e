package import PaymentCore

/// One period of a recurring payment, as a router pays it: by the plan, without a question.
package struct PlannedPeriod: Sendable {
    /// The payee's link, and the option to pay by.
    package struct Order: Sendable {
        let link: String
        let option: PaymentMethodOption.ID?
        let paysByItself: Bool

        /// Creates an order.
        ///
        /// - Parameters:
        ///   - link: a link that names a payee and no single payment.
        ///   - option: the option, by its id; nil for the first that costs the plan's amount.
        ///   - paysByItself: true if the period may be paid without a question, within the router's limits.
        package init(link: String, option: PaymentMethodOption.ID?, paysByItself: Bool) {
            self.link = link
            self.option = option
            self.paysByItself = paysByItself
        }
    }

    /// The period's payment, whose provider pays it.
    let reference: PaymentReference
    let amount: Money
    let period: RecurringPeriod
    let attempts: Int
    let isApproved: Bool

    var provider: ProviderID { reference.provider }

    /// Creates a period.
    ///
    /// - Parameters:
    ///   - reference: the period's payment: always the same for one period.
    ///   - amount: the exact amount.
    ///   - period: the period, with its beginning and end.
    ///   - attempts: the number of this try, from 1 on.
    ///   - isApproved: true if the payer has approved it.
    package init(
        _ reference: PaymentReference, amount: Money, period: RecurringPeriod, attempts: Int, isApproved: Bool
    ) {
        self.reference = reference
        self.amount = amount
        self.period = period
        self.attempts = attempts
        self.isApproved = isApproved
    }
}
