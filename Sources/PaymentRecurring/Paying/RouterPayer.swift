public import PaymentCore
public import PaymentRouting
import Synchronization

/// Pays the periods of plans through a router: by itself within the router's limits (``AutoPay``), otherwise with the
/// payer's approval.
///
/// ```swift
/// let payer = RouterPayer(router, as: payer)
/// let scheduler = RecurringScheduler(journal: plans, payer: payer) { event in await screen.show(event) }
/// ```
///
/// A period is permanently one payment, under `RecurringCharge.reference` in the router's journal: however often it is
/// requested, by however many processes, it is paid once. Limits do not apply to an approved period. Exactly the plan's
/// amount is paid; where the payee asks for another one, nothing is, and the reason is reported.
///
/// See <doc:RecurringPayments> for the handling of interruptions.
public struct RouterPayer: RecurringPayer {
    /// Returns the order of a plan; nil where it is not this router's.
    public typealias Reader = @Sendable (RecurringPlan) -> RecurringOrder?

    private let router: PaymentRouter
    private let payer: Payer
    private let order: Reader
    private let queues = Queues()

    /// Creates a payer.
    ///
    /// - Parameters:
    ///   - router: the router that pays. Its limits decide what is paid without a question: without any, nothing is.
    ///   - payer: the parts that the application provides to the payments, such as a settler. Its choosers are not
    ///     asked: the plan decides the amount and the option. Its policy can only narrow what is paid without a
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
            // Nothing was sent only where nothing can be sent any more either.
            guard error.phase != .maybeSent, await router.isIdle(charge.reference) else {
                return .unknown(error.message)
            }
            if error.code == .consentNeeded { return .needsApproval(error.message) }
            return .notNow(error.message)
        }
    }

    /// Returns the outcome of a period that was begun: resumes it where money may have moved, and otherwise cancels it,
    /// for every process.
    ///
    /// - Throws: `PaymentError` where the outcome cannot be determined.
    public func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try await router.settle(charge.planned, with: chargePayer(for: charge)).map(Self.answer)
    }

    /// Returns the payee's link and the option; nothing else of an order concerns a payer who is asked.
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

    /// The queues of payments to one payee: a router makes one at a time.
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
