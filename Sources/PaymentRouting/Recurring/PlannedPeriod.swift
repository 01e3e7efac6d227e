package import PaymentCore

/// One period of what recurs, as a router pays it: the plan says what, not anybody who is asked.
package struct PlannedPeriod: Sendable {
    /// What is paid by: whose link, and by which of their options.
    package struct Order: Sendable {
        let link: String
        let option: PaymentMethodOption.ID?
        let paysByItself: Bool

        /// Creates an order.
        ///
        /// - Parameters:
        ///   - link: a link that names a payee and no single payment.
        ///   - option: the option, by its id; nil for the first that costs what the plan says.
        ///   - paysByItself: whether the period may be paid without a question, within the router's limits.
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
    ///   - amount: exactly what is paid.
    ///   - period: when it begins and ends.
    ///   - attempts: which try at it this is, from 1 on.
    ///   - isApproved: whether the payer has said that it is to be paid.
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
