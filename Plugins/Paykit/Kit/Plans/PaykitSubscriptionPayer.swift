public import PaymentCore
public import PaymentRecurring

/// Pays periods of subscriptions as the guide does: finds the payee's endpoint, and then pays without a question if
/// that is allowed, or has the payer asked.
public struct PaykitSubscriptionPayer: RecurringPayer {
    /// One payment of a subscription.
    public struct Payment: Sendable, Hashable {
        /// The permanent reference of the payment: a second payment under it has to join the first.
        public let reference: PaymentReference
        /// The payee.
        public let recipient: PubkyKey
        /// The endpoint, as it was published just now. It is the payee's own text: check it before paying.
        public let endpoint: PaykitEndpoint
        /// The amount.
        public let amount: Money
        /// True if the payer has approved this one: then limits do not count.
        public let isApproved: Bool
        /// The number of this attempt, from 1 on. Once an attempt is known to have paid nothing, it and all before it
        /// are refused: its process may have stalled before, and the period have been abandoned since.
        public let attempt: Int
    }

    private let endpoint: @Sendable (PubkyKey, String) async throws -> String?
    private let mayPay: @Sendable (Payment) async throws -> Bool
    private let execute: @Sendable (Payment) async throws -> RecurringAnswer
    private let ask: @Sendable (PaymentReference, Int) async throws -> RecurringAnswer?

    /// Creates a payer.
    ///
    /// - Parameters:
    ///   - endpoint: finds a user's endpoint for a method; nil when they publish none.
    ///   - mayPay: returns true if a payment is within the limits for payments without a question. It reserves nothing:
    ///     the paying code reserves, atomically with the payment.
    ///   - execute: pays. Called again for one reference, it must join its earlier work (`RecurringPayer`), and it must
    ///     refuse an attempt that `fate` has cancelled.
    ///   - fate: returns the outcome of a payment that was begun, up to this attempt; nil only when nothing was sent.
    ///     Nil cancels the attempt, and all before it, for every process: none of them may be paid afterwards.
    public init(
        endpoint: @escaping @Sendable (PubkyKey, String) async throws -> String?,
        mayPay: @escaping @Sendable (Payment) async throws -> Bool,
        execute: @escaping @Sendable (Payment) async throws -> RecurringAnswer,
        fate: @escaping @Sendable (PaymentReference, _ attempt: Int) async throws -> RecurringAnswer?
    ) {
        self.endpoint = endpoint
        self.mayPay = mayPay
        self.execute = execute
        ask = fate
    }

    /// Pays a period.
    ///
    /// - Throws: errors of the payment; then the outcome is not known.
    public func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
        guard let order = PaykitStandingOrder(plan) else {
            return .notNow("the plan does not say who is paid, and how")
        }
        let found: String?
        do { found = try await endpoint(order.recipient, order.methodID) } catch {
            return .notNow("the payee's endpoint could not be found: \(error)")
        }
        guard let found else { return .notNow("the payee publishes no endpoint for \(order.methodID)") }
        let payment = Payment(
            reference: charge.reference, recipient: order.recipient,
            endpoint: PaykitEndpoint(methodID: order.methodID, endpoint: found), amount: charge.amount,
            isApproved: charge.isApproved, attempt: charge.attempts)
        if !charge.isApproved {
            guard order.paysByItself else { return .needsApproval("it is not paid without a question") }
            let isAllowed: Bool
            do { isAllowed = try await mayPay(payment) } catch {
                return .notNow("the limits could not be looked at: \(error)")
            }
            guard isAllowed else { return .needsApproval("it is above what is paid without a question") }
        }
        return try await execute(payment)
    }

    /// Returns the recipient, their method and the subscription.
    public func terms(of plan: RecurringPlan) -> JSONValue {
        guard let order = PaykitStandingOrder(plan) else { return plan.details }
        return PaykitStandingOrder(
            recipient: order.recipient, methodID: order.methodID, paysByItself: false,
            subscriptionID: order.subscriptionID
        ).details
    }

    /// Returns the outcome of a period that was begun.
    ///
    /// - Throws: errors of the query; then the outcome is not known.
    public func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try await ask(charge.reference, charge.attempts)
    }
}
