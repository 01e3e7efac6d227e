public import PaymentRecurring

/// A service that stores the guide's subscriptions, and pays or announces what is due (guide, "Subscription
/// Management").
///
/// ```swift
/// let subscriptions = SubscriptionService(
///     client: client, store: store, canAutoPay: canAutoPay, executePayment: pay, paymentFate: fate
/// ) { subscription in await screen.ask(about: subscription) }
/// try await subscriptions.createSubscription(subscription)
/// try await subscriptions.processSubscription(subscription)
/// ```
///
/// A period is paid once, despite crashes, by all services that share the store (`RecurringScheduler`).
public actor SubscriptionService {
    /// A payment of a subscription.
    public typealias Payment = PaykitSubscriptionPayer.Payment

    private let plans: RecurringPlans
    private let clock: any PaymentClock
    private let policy: RecurringPolicy
    private let provider: ProviderID
    private let timeZone: TimeZone
    /// The scheduler that charges due periods; its further calls end, pause and approve.
    public nonisolated let scheduler: RecurringScheduler

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - client: finds endpoints.
    ///   - store: keeps subscriptions and their periods (`RecurringPlans`).
    ///   - provider: the provider id in the references of payments.
    ///   - policy: the handling of periods that were missed.
    ///   - timeZone: the time zone of the days.
    ///   - clock: determines the due periods.
    ///   - canAutoPay: returns true if this many satoshis may be paid to a user without a question.
    ///   - executePayment: pays; called again for one reference, it joins its earlier work, and it refuses an attempt
    ///     that `paymentFate` has cancelled.
    ///   - paymentFate: returns the outcome of a payment that was begun, up to this attempt; nil only when nothing was
    ///     sent. Nil cancels the attempt, and all before it, for every process.
    ///   - listener: receives the events.
    ///   - notifySubscriptionDue: asks the payer, who answers by ``approve(_:)`` or ``refuse(_:)``.
    public init(
        client: PaykitClient, store: any RecordStore, provider: ProviderID = "paykit",
        policy: RecurringPolicy = RecurringPolicy(), timeZone: TimeZone = .gmt,
        clock: any PaymentClock = SystemPaymentClock(),
        canAutoPay: @escaping @Sendable (_ toPubkey: String, _ amount: UInt64) async throws -> Bool,
        executePayment: @escaping @Sendable (Payment) async throws -> RecurringAnswer,
        paymentFate: @escaping @Sendable (PaymentReference, _ attempt: Int) async throws -> RecurringAnswer?,
        listener: @escaping RecurringScheduler.Listener = { _ in },
        notifySubscriptionDue: @escaping @Sendable (Subscription) async -> Void
    ) {
        let payer = PaykitSubscriptionPayer(
            endpoint: { try await client.getEndpoint(pubkey: $0.text, methodId: $1) },
            mayPay: { payment in
                // An amount that overflows satoshis is above any limit.
                guard let amount = UInt64(exactly: payment.amount.minorUnits) else { return false }
                return try await canAutoPay(payment.recipient.text, amount)
            }, execute: executePayment, fate: paymentFate)
        self.init(
            store: store, payer: payer, provider: provider, policy: policy, timeZone: timeZone, clock: clock,
            listener: listener, notifySubscriptionDue: notifySubscriptionDue)
    }

    /// Creates a service whose payer, such as a router, finds the endpoint, checks the limits and pays:
    ///
    /// ```swift
    /// let payer = RouterPayer(router, as: payer) { PaykitStandingOrder($0)?.order }
    /// let subscriptions = SubscriptionService(store: store, payer: payer) { subscription in
    ///     await screen.ask(about: subscription)
    /// }
    /// ```
    ///
    /// The router needs a Paykit provider registered under the id `provider`, limits (`AutoPay`), and a payer with a
    /// settler. The other parameters are those of the service that finds endpoints by a client.
    public init(
        store: any RecordStore, payer: any RecurringPayer, provider: ProviderID = "paykit",
        policy: RecurringPolicy = RecurringPolicy(), timeZone: TimeZone = .gmt,
        clock: any PaymentClock = SystemPaymentClock(), listener: @escaping RecurringScheduler.Listener = { _ in },
        notifySubscriptionDue: @escaping @Sendable (Subscription) async -> Void
    ) {
        let plans = RecurringPlans(store)
        self.plans = plans
        self.clock = clock
        self.policy = policy
        self.provider = provider
        self.timeZone = timeZone
        let hear: RecurringScheduler.Listener = { event in
            await listener(event)
            guard case .waiting(let charge) = event, let plan = try? await plans.plan(charge.id.plan),
                let subscription = Subscription(plan, amount: charge.amount)
            else { return }
            await notifySubscriptionDue(subscription)
        }
        scheduler = RecurringScheduler(store: store, payer: payer, clock: clock, listener: hear)
    }

    // MARK: The guide's functions

    /// Stores a subscription. Its first period begins now. A repetition is refused.
    ///
    /// - Throws: ``PaykitError`` if it is invalid; `RecurringPlanError` if there is one of its name; the
    ///   storage's failure.
    public func createSubscription(_ subscription: Subscription) async throws {
        let order = try order(subscription)
        do {
            try await scheduler.add(
                RecurringPlan(
                    id: order.planID(subscription.id), provider: provider,
                    amount: Money(minorUnits: UInt128(subscription.amount), currency: .satoshi),
                    schedule: RecurringSchedule(
                        subscription.rhythm(from: clock.now, timeZone), from: clock.now, in: timeZone),
                    policy: policy, details: order.details))
        } catch let defect as RecurringDefect {
            throw PaykitError(.validationFailed, "the subscription cannot be paid: \(defect)")
        }
    }

    /// Returns whether a period of a subscription is to be paid: begun, and neither paid, nor waiting for the payer,
    /// nor missed. One that was not created is not due.
    ///
    /// - Throws: ``PaykitError`` if it is invalid; the storage's failure.
    public func isSubscriptionDue(_ subscription: Subscription) async throws -> Bool {
        guard let plan = try await plans.plan(order(subscription).planID(subscription.id)) else { return false }
        let now = clock.now
        // A period that is only to be announced is not due.
        if plan.status == .active, plan.policy.notice == .zero, let due = plan.dueDate, due <= now { return true }
        return try await plans.charges(of: plan.id).contains { charge in
            switch charge.state {
            case .due, .announced, .started, .unknown: charge.notBefore <= now
            case .waiting, .paid, .missed: false
            }
        }
    }

    /// Processes the due periods of a subscription: finds the payee's endpoint, and pays if that is allowed without a
    /// question, or else has the payer asked; with a notice it announces the next period. If nothing is due it does
    /// nothing.
    ///
    /// - Throws: ``PaykitError`` if it is invalid; the storage's failure.
    public func processSubscription(_ subscription: Subscription) async throws {
        try await scheduler.look(at: order(subscription).planID(subscription.id))
    }

    // MARK: In addition to the guide

    /// Approves the period that the payer was asked about, or that was announced: it is paid now.
    ///
    /// - Throws: ``PaykitError`` if invalid; `RecurringAnswerError` when the answer has no effect; the storage's failure.
    public func approve(_ subscription: Subscription) async throws {
        for charge in try await waiting(subscription) { try await scheduler.approve(charge.id) }
    }

    /// Refuses the period that the payer was asked about, or that was announced: it is not paid.
    ///
    /// - Throws: ``PaykitError`` if invalid; `RecurringAnswerError` when the answer has no effect; the storage's failure.
    public func refuse(_ subscription: Subscription) async throws {
        for charge in try await waiting(subscription) { try await scheduler.refuse(charge.id) }
    }

    /// Ends a subscription: no further period is begun.
    ///
    /// - Throws: ``PaykitError`` if it is invalid; the storage's failure.
    public func cancelSubscription(_ subscription: Subscription) async throws {
        try await scheduler.end(order(subscription).planID(subscription.id))
    }

    /// Returns the subscriptions that wait for the payer's answer, by name: call it at the start, because an earlier
    /// process may have ended before it asked.
    ///
    /// - Throws: the storage's failure.
    public func waitingSubscriptions() async throws -> [Subscription] {
        var waiting: [Subscription] = []
        for plan in try await plans.all() {
            for charge in try await plans.charges(of: plan.id) {
                guard case .waiting = charge.state, let subscription = Subscription(plan, amount: charge.amount) else {
                    continue
                }
                waiting.append(subscription)
            }
        }
        return waiting
    }

    /// Returns the subscriptions that were created, by name.
    ///
    /// - Throws: the storage's failure.
    public func subscriptions() async throws -> [Subscription] {
        try await plans.all().filter { $0.status != .ended }.compactMap { Subscription($0, amount: $0.amount) }
    }

    private func waiting(_ subscription: Subscription) async throws -> [RecurringCharge] {
        let plan = try order(subscription).planID(subscription.id)
        let charges = try await plans.charges(of: plan).filter {
            switch $0.state {
            case .waiting, .announced: true
            default: false
            }
        }
        guard !charges.isEmpty else { throw RecurringAnswerError.notAsked(plan) }
        return charges
    }

    private func order(_ subscription: Subscription) throws -> PaykitStandingOrder {
        guard 1...64 ~= subscription.id.utf8.count, PaykitEndpoint.isMethod(subscription.methodId) else {
            throw PaykitError(
                .validationFailed, "a subscription has a name of 1 to 64 bytes, and names a method",
                methodID: subscription.methodId)
        }
        return PaykitStandingOrder(
            recipient: try PaykitAutoPay.key(subscription.recipientPubkey), methodID: subscription.methodId,
            paysByItself: subscription.autoPayEnabled)
    }
}

extension Subscription {
    func rhythm(from start: Date, _ timeZone: TimeZone) -> RecurringSchedule.Rhythm {
        switch interval {
        case .daily: .daily
        case .weekly: .weekly
        case .monthly: .monthly(day: RecurringSchedule.dayOfMonth(start, in: timeZone))
        }
    }

    /// Reads a plan of a ``SubscriptionService``; nil for any other. `money` is the amount to pay: a period's amount
    /// may differ from the plan's.
    init?(_ plan: RecurringPlan, amount money: Money) {
        guard let order = PaykitStandingOrder(plan), let amount = UInt64(exactly: money.minorUnits),
            money.currency == .satoshi, money.exponent == 8,
            let id = plan.id.rawValue.split(separator: "/", maxSplits: 1).last.map(String.init)
        else { return nil }
        let interval: SubscriptionInterval
        switch plan.schedule.rhythm {
        case .daily: interval = .daily
        case .weekly: interval = .weekly
        case .monthly: interval = .monthly
        default: return nil
        }
        self.init(
            id: id, recipientPubkey: order.recipient.text, amount: amount, interval: interval, methodId: order.methodID,
            autoPayEnabled: order.paysByItself)
    }
}

/// The interval of a subscription of the guide.
public enum SubscriptionInterval: Sendable, Hashable {
    /// Every day.
    case daily
    /// Every seven days.
    case weekly
    /// Every month, on the day of its start; the last day in a month without it.
    case monthly
}

/// A subscription as defined by the guide: repeated payments of this device's user to another user.
public struct Subscription: Sendable, Hashable {
    /// The application's name for it: 1 to 64 bytes.
    public let id: String
    /// The payee, in any form that a key has.
    public let recipientPubkey: String
    /// The amount of each payment, in satoshis.
    public let amount: UInt64
    /// The interval of the payments.
    public let interval: SubscriptionInterval
    /// The payee's method, such as `lightning`.
    public let methodId: String
    /// True if it is paid without a question, within the application's limits.
    public let autoPayEnabled: Bool

    /// Creates a subscription.
    public init(
        id: String, recipientPubkey: String, amount: UInt64, interval: SubscriptionInterval, methodId: String,
        autoPayEnabled: Bool
    ) {
        self.id = id
        self.recipientPubkey = recipientPubkey
        self.amount = amount
        self.interval = interval
        self.methodId = methodId
        self.autoPayEnabled = autoPayEnabled
    }
}

/// A payer of subscription periods, as in the guide. It finds the payee's endpoint, and then pays without a question if
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
