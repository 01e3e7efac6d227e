public import PaymentCore
public import PaymentRouting
import Synchronization

/// Pays the periods of plans through a router: by itself within the router's limits (``AutoPay``), otherwise when the
/// payer has said yes.
///
/// ```swift
/// let payer = RouterPayer(router, as: payer)
/// let scheduler = RecurringScheduler(journal: plans, payer: payer) { event in await screen.show(event) }
/// ```
///
/// A period is one payment for ever, under `RecurringCharge.reference` in the router's journal: however often it is
/// asked for, by however many processes, it is paid once. What the payer has said yes to is no matter of limits. Paid
/// is exactly the plan's amount; where the payee asks for another one, nothing is, and the reason is told.
///
/// <doc:RecurringPayments> says what becomes of what was interrupted.
public struct RouterPayer: RecurringPayer {
    /// Says what a plan has paid; nil where it is not this router's.
    public typealias Reader = @Sendable (RecurringPlan) -> RecurringOrder?

    private let router: PaymentRouter
    private let payer: Payer
    private let order: Reader
    private let queues = Queues()

    /// Creates a payer.
    ///
    /// - Parameters:
    ///   - router: pays. Its limits say what is paid without a question: without any, nothing is.
    ///   - payer: what is lent to the payments, such as a settler. Its choosers are not asked: the plan says what is
    ///     paid, and by which option. Its policy can only narrow what is paid without a question.
    ///   - order: what a plan has paid.
    public init(
        _ router: PaymentRouter, as payer: Payer, paying order: @escaping Reader = { RecurringOrder($0) }
    ) {
        self.router = router
        self.payer = payer
        self.order = order
    }

    /// Pays a period, or goes on with what was begun for it.
    ///
    /// - Throws: nothing; what fails is an answer.
    public func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
        guard let order = order(plan) else { return .notNow("the plan does not say who is paid, and how") }
        do throws(PaymentError) {
            let outcome = try await queues.pass(order.link) { () async throws(PaymentError) -> PaymentOutcome in
                try await router.pay(charge.planned, as: order.planned, with: chargePayer(for: charge))
            }
            if case .declined(let reason) = outcome, reason.code == .overLimit { return .needsApproval(reason.message) }
            return Self.answer(outcome)
        } catch {
            // Nothing was sent only where nothing can be sent any more either.
            guard error.phase != .maybeSent, await router.isIdle(charge.reference) else {
                return .unknown(error.message)
            }
            return .notNow(error.message)
        }
    }

    /// Says what became of a period that was begun: goes on with it where money may have moved, and otherwise calls it
    /// off, for every process.
    ///
    /// - Throws: `PaymentError` where that cannot be said.
    public func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? {
        try await router.settle(charge.planned, with: chargePayer(for: charge)).map(Self.answer)
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
        case .pending: .unknown("the payment goes on")
        case .unknown(let unknown): .unknown(unknown.message)
        }
    }

    /// Where payments to one payee wait for each other: a router makes one at a time.
    private final class Queues: Sendable {
        private let turns = Mutex<[String: AsyncMutex]>([:])

        func pass(
            _ link: String, _ work: () async throws(PaymentError) -> PaymentOutcome
        ) async throws(PaymentError) -> PaymentOutcome {
            let turns = turns.withLock { all in
                let one = all[link] ?? AsyncMutex()
                all[link] = one
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
