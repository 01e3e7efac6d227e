public import PaymentCore
public import PaymentRouting
import Synchronization

/// Pays the periods of plans.
///
/// Each period has one permanent name, ``RecurringCharge/reference``, and is paid under it. That makes a second call
/// harmless: one that comes while another is in progress, or after it, joins it, as `PaymentRouter` does for payments
/// of one reference. A payer that cannot join must answer ``RecurringAnswer/unknown(_:)`` whenever it cannot rule out
/// that money has moved.
public protocol RecurringPayer: Sendable {
    /// Pays a period. Called if nothing was begun, or ``fate(of:in:)`` has reported that earlier tries had no effect.
    ///
    /// - Parameters:
    ///   - charge: the period to pay. If it is ``RecurringCharge/isApproved``, the payer has approved it and is not
    ///     asked again.
    ///   - plan: the plan that it belongs to.
    /// - Returns: the outcome.
    /// - Throws: any error; the outcome is then unknown, and ``fate(of:in:)`` is asked.
    func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer

    /// Returns the outcome of a period that a worker began to pay. The worker's process may be gone.
    ///
    /// - Parameters:
    ///   - charge: the period that may have been paid.
    ///   - plan: the plan that it belongs to.
    /// - Returns: the outcome; nil only if nothing was sent and nothing that was begun can still be sent: the payment's
    ///   lease is free, or was taken from its holder. From then on a call of ``pay(_:of:)`` with the same or a lower
    ///   ``RecurringCharge/attempts`` is refused. Its worker may have stalled before it began, and the period may be
    ///   abandoned by now.
    /// - Throws: any error; the outcome is then unknown, and it is asked again later.
    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer?

    /// Returns the terms of a plan that the payer agrees to: the payee and the method, but not the amount, which the
    /// period holds. A period whose terms have changed since the payer was asked or notified is not paid before they
    /// are asked again. By default all of the plan's details.
    ///
    /// - Parameter plan: the plan.
    func terms(of plan: RecurringPlan) -> JSONValue
}

extension RecurringPayer {
    /// Returns the plan's details.
    public func terms(of plan: RecurringPlan) -> JSONValue { plan.details }
}

/// The outcome of paying a period.
@nonexhaustive
public enum RecurringAnswer: Sendable, Hashable {
    /// It is paid.
    case paid(transactionID: String?)
    /// It was declined: no money moved, and none will. The text gives the reason.
    case declined(String)
    /// The payer has to approve it first: it is above the limits for payments without a question. No money moved.
    case needsApproval(String)
    /// It cannot be paid just now: nothing was sent. The text gives the reason.
    case notNow(String)
    /// The outcome is unknown. The text gives the reason.
    case unknown(String)
}

// MARK: - A router as the payer

/// Pays the periods of plans through a router: by itself within the router's limits (``AutoPay``), otherwise with the
/// payer's approval.
///
/// ```swift
/// let payer = RouterPayer(router, as: payer)
/// let scheduler = RecurringScheduler(store: store, payer: payer) { event in await screen.show(event) }
/// ```
///
/// A period is permanently one payment, under `RecurringCharge.reference` in the router's journal. It is paid once,
/// however often and by however many processes it is requested. Limits do not apply to an approved period. Exactly the
/// plan's amount is paid. If the payee asks for another amount, nothing is paid, and the reason is reported.
///
/// See <doc:RecurringPayments> for the handling of interruptions.
public struct RouterPayer: RecurringPayer {
    /// Returns the order of a plan; nil if it is not this router's.
    public typealias Reader = @Sendable (RecurringPlan) -> RecurringOrder?

    private let router: PaymentRouter
    private let payer: Payer
    private let order: Reader
    private let queues = Queues()

    /// Creates a payer.
    ///
    /// - Parameters:
    ///   - router: the router that pays. Its limits decide what is paid without a question. Without limits, nothing is.
    ///   - payer: the parts that the application provides to the payments, such as a settler. Its choosers are not
    ///     asked, because the plan decides the amount and the option. Its policy can only narrow what is paid without a
    ///     question.
    ///   - order: returns the order of a plan.
    public init(
        _ router: PaymentRouter, as payer: Payer, paying order: @escaping Reader = { RecurringOrder($0) }
    ) {
        self.router = router
        self.payer = payer
        self.order = order
    }

    /// Pays a period, or resumes an earlier attempt for it.
    ///
    /// - Throws: nothing; a failure is an answer.
    public func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
        guard let order = order(plan) else { return .notNow("the plan does not say who is paid, and how") }
        do throws(PaymentError) {
            let outcome = try await queues.pass(router.payee(of: order.link)) {
                () async throws(PaymentError) -> PaymentOutcome in
                try await router.pay(charge.planned, as: order.planned, with: chargePayer(for: charge))
            }
            if case .declined(let reason) = outcome, reason.code == .overLimit { return .needsApproval(reason.message) }
            return Self.answer(outcome)
        } catch {
            // "Nothing was sent" is certain only if nothing can be sent any more.
            guard error.phase != .maybeSent, await router.isIdle(charge.reference) else {
                return .unknown(error.message)
            }
            if error.code == .consentNeeded { return .needsApproval(error.message) }
            return .notNow(error.message)
        }
    }

    /// Returns the outcome of a period that was begun. Resumes it if money may have moved, and otherwise cancels it,
    /// for every process.
    ///
    /// - Throws: `PaymentError` if the outcome cannot be determined.
    public func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try await router.settle(charge.planned, with: chargePayer(for: charge)).map(Self.answer)
    }

    /// Returns the payee's link and the option. Nothing else in an order concerns a payer that is asked.
    public func terms(of plan: RecurringPlan) -> JSONValue {
        guard let order = order(plan) else { return plan.details }
        return RecurringOrder(link: order.link, option: order.option, paysByItself: false).details
    }

    private func chargePayer(for charge: RecurringCharge) -> Payer {
        var payer = payer
        payer.amountChooser = { _ in charge.amount }
        return payer
    }

    private static func answer(_ outcome: PaymentOutcome) -> RecurringAnswer {
        switch outcome {
        case .succeeded(let receipt): .paid(transactionID: receipt.transactionID)
        case .declined(let reason): .declined(reason.message)
        case .cancelled: .declined("the payment was cancelled")
        case .expired: .declined("the payment's time was over")
        case .pending: .unknown("the payment is in progress")
        case .unknown(let unknown): .unknown(unknown.message)
        }
    }

    /// The queues of payments to each payee. A router makes one payment to a payee at a time.
    private final class Queues: Sendable {
        private let turns = Mutex<[String: AsyncMutex]>([:])

        func pass(
            _ payee: String, _ work: () async throws(PaymentError) -> PaymentOutcome
        ) async throws(PaymentError) -> PaymentOutcome {
            let turns = turns.withLock { all in
                let one = all[payee] ?? AsyncMutex()
                all[payee] = one
                return one
            }
            await turns.take()
            defer { turns.end() }
            return try await work()
        }
    }
}

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
    /// A link that names a payee and no single payment. Each period is a separate payment. No secrets.
    public let link: String
    /// The id of the option to pay by, such as a method's name; nil for the first option that costs the plan's amount.
    public let option: PaymentMethodOption.ID?
    /// True if a period may be paid without a question, within the router's limits.
    public let paysByItself: Bool

    /// Creates an order.
    public init(link: String, option: PaymentMethodOption.ID? = nil, paysByItself: Bool) {
        self.link = link
        self.option = option
        self.paysByItself = paysByItself
    }

    /// Reads a plan's details; nil if they are of another kind.
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

extension RecurringCharge {
    /// The period as routers pay it.
    fileprivate var planned: PlannedPeriod {
        PlannedPeriod(reference, amount: amount, period: period, attempts: attempts, isApproved: isApproved)
    }
}

extension RecurringOrder {
    /// The order as routers pay by it.
    fileprivate var planned: PlannedPeriod.Order {
        PlannedPeriod.Order(link: link, option: option, paysByItself: paysByItself)
    }
}
