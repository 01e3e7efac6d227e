public import PaykitProvider
public import PaymentCore
public import PaymentRecurring

/// Pays periods of subscriptions as the guide does: finds the payee's endpoint, and then pays by itself where that is
/// allowed, or has the payer asked.
public struct PaykitSubscriptionPayer: RecurringPayer {
    /// One payment of a subscription.
    public struct Payment: Sendable, Hashable {
        /// What names it, for ever: whoever pays under it twice has to be joined to the first time.
        public let reference: PaymentReference
        /// Who is paid.
        public let recipient: PubkyKey
        /// Where to, as it was published just now. Somebody else's text: check it before paying.
        public let endpoint: PaykitEndpoint
        /// What is paid.
        public let amount: Money
        /// Whether the payer has said yes to this one: then limits do not count.
        public let isApproved: Bool
        /// Which try at it this is, from 1 on. Once it was said that nothing came of one, it and all before it are
        /// refused: whoever makes it may have stalled before, and the period have been given up since.
        public let attempt: Int
    }

    private let endpoint: @Sendable (PubkyKey, String) async throws -> String?
    private let mayPay: @Sendable (Payment) async throws -> Bool
    private let execute: @Sendable (Payment) async throws -> RecurringAnswer
    private let ask: @Sendable (PaymentReference, Int) async throws -> RecurringAnswer?

    /// Creates a payer.
    ///
    /// - Parameters:
    ///   - endpoint: finds somebody's endpoint for a method; nil when they publish none.
    ///   - mayPay: whether a payment is within the limits for what is paid without a question. It reserves nothing: who
    ///     pays does that, in the same breath.
    ///   - execute: pays. Called again for one reference, it must join what it did before (`RecurringPayer`), and it
    ///     must refuse an attempt that `fate` has called off.
    ///   - fate: what became of a payment that was begun, up to this attempt; nil only when nothing was sent. That
    ///     calls the attempt off, and all before it, for every process: none of them may be paid afterwards.
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
    /// - Throws: what paying throws; then nothing is known.
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

    /// Says what became of a period that was begun.
    ///
    /// - Throws: what asking throws; then nothing is known.
    public func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try await ask(charge.reference, charge.attempts)
    }
}
