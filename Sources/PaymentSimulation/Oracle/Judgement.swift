import PaymentCore
import PaymentRouting
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Compares the journals' final content, and all the money that moved, with the services' ledgers.
struct Judgement: Sendable {
    let markets: Markets
    let witness: Witness
    let oracle: Oracle
    let chain: Chain
    /// The key of the last processes.
    let key: JournalKey?

    /// The outcome of a payment for callers that kept asking. Refused: an error stated that nothing was sent.
    enum Ending: Sendable, Hashable { case outcome(PaymentOutcome), refused }

    /// A device at the end.
    struct Device: Sendable {
        let number: Int
        let payments: [MarketPayment]
        let endings: [PaymentReference: Ending]
        let histories: [AttemptHistory]
        let spendings: [SpendingRecord]
    }

    /// Judges everything.
    func judge(_ payments: [MarketPayment], _ devices: [Device]) async {
        let refunds = witness.refunds
        for payment in payments {
            await judgeMoney(payment.reference)
            await judgeMoneyBack(payment.reference, refunds)
            await judgeCollections(payment.reference)
        }
        for device in devices {
            for payment in device.payments { await judgeEnding(payment, device) }
            for history in device.histories { await judge(history, payments, device, among: devices) }
            await judgeAllowance(device)
            for breach in JournalRules.breaches(in: device.histories) { await oracle.breach(nil, breach) }
        }
        for refund in refunds {
            let count = await markets[refund.payment.provider]?.givenBack(refund) ?? 0
            if count > 1 { await oracle.breach(nil, "\(refund.id) was given back \(count) times") }
        }
        await judgeChain()
    }

    /// No payment is paid twice: by the service's captures and the wallets' transfers together.
    private func judgeMoney(_ payment: PaymentReference) async {
        let captures = await markets.captures(of: payment)
        if captures > 1 { await oracle.breach(payment, "\(payment.id) was captured \(captures) times") }
        let sent = witness.acts(for: payment).filter { $0.transfer != nil }
        for device in Set(sent.map(\.doer.device)).sorted() {
            let own = sent.count { $0.doer.device == device }
            if own > 1 {
                await oracle.breach(payment, "\(payment.id): the wallet sent coins \(own) times", isRemembered: true)
            }
            for known in witness.attempts(at: payment) where known.device == device {
                guard await markets.wasCaptured(known.attempt) else { continue }
                await oracle.breach(
                    payment, "\(payment.id): the wallet sent coins, and the service took money too",
                    isRemembered: true)
            }
        }
    }

    /// No money is refunded without a request, and no payment is cancelled twice.
    private func judgeMoneyBack(_ payment: PaymentReference, _ refunds: [RefundRequest]) async {
        guard let market = markets[payment.provider] else { return }
        let asked = Set(refunds.filter { markets.identity(of: $0.payment) == payment })
        var amounts = asked.map(\.amount.minorUnits)
        let given = await market.givenBack(of: payment)
        for amount in given {
            guard let index = amounts.firstIndex(of: amount) else {
                await oracle.breach(
                    payment,
                    "\(payment.id): \(given) was given back, but only \(asked.map(\.amount.minorUnits).sorted()) asked")
                break
            }
            amounts.remove(at: index)
        }
        let count = await market.cancellations(of: payment)
        if count > 1 { await oracle.breach(payment, "\(payment.id) was cancelled \(count) times") }
    }

    /// One amount of a payment is captured at most, and one that was asked for.
    private func judgeCollections(_ payment: PaymentReference) async {
        let amounts = await markets[payment.provider]?.collections(of: payment) ?? []
        if amounts.count > 1 {
            await oracle.breach(payment, "\(payment.id): \(amounts) were captured", isRemembered: true)
        }
        let asked = witness.captures.filter { markets.identity(of: $0.payment) == payment }.map(\.amount.minorUnits)
        for amount in amounts where !asked.contains(amount) {
            await oracle.breach(payment, "\(payment.id): \(amount) was captured, but only \(asked) asked for")
        }
    }

    private func judgeEnding(_ payment: MarketPayment, _ device: Device) async {
        let name = payment.reference.id
        let hasMoved = await hasBeenPaid(payment.reference) { $0 == device.number }
        switch device.endings[payment.reference] {
        // One process may have been refused before the other one's wallet sent coins.
        case .refused?
        where hasMoved && !device.histories.contains { mayStayUnknown($0, payment.reference, among: device.payments) }:
            await oracle.breach(payment.reference, "\(name) was refused in the end, but is paid", isRemembered: true)
        // Each of its processes has lost what others have asked for.
        case nil where payment.isForgotten: break
        case nil:
            let elsewhere = await hasBeenPaidElsewhere(payment.reference, device.number)
            if payment.isEndless, hasMoved || elsewhere { return }
            if device.histories.contains(where: { mayStayUnknown($0, payment.reference, among: device.payments) }) {
                return
            }
            await oracle.breach(
                payment.reference, "\(name) reached no end within the time after everything healed",
                elsewhere ? .otherDevices : nil)
        case .outcome?, .refused?: break
        }
    }

    /// True if money of another device, or of another program, moved for a payment.
    private func hasBeenPaidElsewhere(_ payment: PaymentReference, _ device: Int) async -> Bool {
        if await hasBeenPaid(payment, by: { $0 != device }) { return true }
        return await markets.isPaidByOthers(payment)
    }

    /// True if money moved for a payment by an attempt of such a device.
    private func hasBeenPaid(_ payment: PaymentReference, by isMeant: (Int) -> Bool) async -> Bool {
        for known in witness.attempts(at: payment) where isMeant(known.device) {
            if await oracle.hasMoved(known.attempt) { return true }
        }
        return false
    }

    /// True if the contract leaves the attempt open: the payer's wallet was asked to send coins, and may or may not
    /// have sent them, or may do so later. So does a record that the last processes cannot trust. An open one under a
    /// name that only the service can resolve may be of any payment there, until a person ends it, if it cannot be
    /// trusted or its service never ends it.
    func mayStayUnknown(
        _ history: AttemptHistory, _ payment: PaymentReference, among payments: [MarketPayment]
    ) -> Bool {
        let reference = history.attempt.reference
        let identity = markets.identity(of: reference)
        guard identity == payment else {
            let isEndless = payments.contains { $0.reference == identity && $0.isEndless }
            return !history.isFinished && (isEndless || isDistrusted(history))
                && reference.provider == payment.provider && markets.isUnresolved(reference)
        }
        let isForgotten = payments.contains { $0.reference == payment && $0.isForgotten }
        return isDistrusted(history)
            || !history.isFinished && (Self.hasAskedWallet(history) || isForgotten && history.mayHaveMovedMoney)
    }

    func isDistrusted(_ history: AttemptHistory) -> Bool { key?.isSound(history) == false }

    static func hasAskedWallet(_ history: AttemptHistory) -> Bool {
        var isOpen = false
        for entry in history.entries {
            switch entry.event {
            case .stepStarted(let name, let kind) where name.hasPrefix("sign ") || name.hasPrefix("send coins"):
                if kind == .walletTransfer { isOpen = true }
            case .stepFailed(let name, _, _) where name.hasPrefix("sign ") || name.hasPrefix("send coins"):
                isOpen = false
            default: break
            }
        }
        return isOpen
    }

    private func judge(
        _ history: AttemptHistory, _ payments: [MarketPayment], _ device: Device, among devices: [Device]
    ) async {
        let attempt = history.attempt
        if let refund = attempt.refund {
            let isLast = isLast(history, on: device, among: devices) { $0.reference == attempt.reference }
            return await judge(history, refund, isLast: isLast)
        }
        if let capture = attempt.capture {
            let isLast = isLast(history, on: device, among: devices) { $0.capture == capture }
            return await judge(history, capture, isLast: isLast)
        }
        let payment = markets.identity(of: attempt.reference)
        func breach(_ text: String) async { await oracle.breach(payment, "\(payment.id): \(attempt.id) \(text)") }
        if attempt.reference.cancelledPayment != nil {
            switch history.outcome {
            case .succeeded?:
                if await markets.isPaid(payment), await !markets.isReturned(payment) {
                    await breach("is written as cancelled, but it is paid")
                }
            case _ where !history.isFinished:
                if isDistrusted(history) || payments.contains(where: { $0.reference == payment && $0.isEndless }) {
                    return
                }
                await breach("stays unfinished after everything healed")
            default: break
            }
            return
        }
        let hasMoved = await oracle.hasMoved(attempt)
        let hasLost = witness.hasLostRecords(of: payment)
        switch history.outcome {
        case _ where !history.isFinished:
            let isEndless = payments.contains { $0.reference == payment && $0.isEndless }
            var elsewhere = false
            // An attempt whose record was lost may have had the same name at the settler.
            let isSent = await hasBeenPaid(payment) { $0 == device.number }
            if !isSent { elsewhere = await hasBeenPaidElsewhere(payment, device.number) }
            if isEndless && (isSent || elsewhere) || mayStayUnknown(history, payment, among: payments) { return }
            await oracle.breach(
                payment, "\(payment.id): \(attempt.id) stays unfinished after everything healed",
                elsewhere ? .otherDevices : nil)
        case .succeeded?: if await !markets.isPaid(payment) { await breach("is written as paid, but is not") }
        case let outcome? where outcome.isFinal:
            if hasMoved, !hasLost { await breach("is written as \(outcome), but money moved") }
        default: if hasMoved, !hasLost { await breach("was abandoned as without effect, but money was taken") }
        }
    }

    /// True if a merchant's operation had no later attempt in this journal, and none in another device's that took
    /// effect or may have.
    private func isLast(
        _ history: AttemptHistory, on device: Device, among devices: [Device], isSame: (PaymentAttempt) -> Bool
    ) -> Bool {
        guard device.histories.last(where: { isSame($0.attempt) }) == history else { return false }
        return !devices.contains { other in
            other.number != device.number
                && other.histories.contains { history in
                    if case .succeeded? = history.outcome { return isSame(history.attempt) }
                    return isSame(history.attempt) && !history.isFinished
                }
        }
    }

    private func judge(_ history: AttemptHistory, _ refund: RefundRequest, isLast: Bool) async {
        let count = await markets[refund.payment.provider]?.givenBack(refund) ?? 0
        func breach(_ text: String) async { await oracle.breach(nil, "\(refund.id): \(history.attempt.id) \(text)") }
        let hasLost = witness.hasLostRecords(of: markets.identity(of: refund.payment))
        switch history.outcome {
        // One that may never have arrived stays unknown: an inquiry shows nothing, and a repetition could refund twice.
        case _ where !history.isFinished:
            if count > 0, !isDistrusted(history) { await breach("stays unfinished after everything healed") }
        case .succeeded?: if count == 0 { await breach("is written as given back, but is not") }
        // A refused one may be requested again.
        default: if count > 0, isLast, !hasLost { await breach("is written as not given back, but is") }
        }
    }

    private func judge(_ history: AttemptHistory, _ capture: CaptureRequest, isLast: Bool) async {
        let amounts = await markets[capture.payment.provider]?.collections(of: capture.payment) ?? []
        let isDone = amounts.contains(capture.amount.minorUnits)
        func breach(_ text: String) async {
            await oracle.breach(capture.payment, "\(capture.payment.id): \(history.attempt.id) \(text)")
        }
        let hasLost = witness.hasLostRecords(of: markets.identity(of: capture.payment))
        switch history.outcome {
        // As for refunds.
        case _ where !history.isFinished:
            if isDone, !isDistrusted(history) { await breach("stays unfinished after everything healed") }
        case .succeeded?: if !isDone { await breach("is written as captured, but is not") }
        // A refused one may be requested again.
        default: if isDone, isLast, !hasLost { await breach("is written as not captured, but is") }
        }
    }

    /// The wallets' transfers are those of the attempts.
    private func judgeChain() async {
        let told = witness.broadcasts.compactMap(\.transfer)
        if told != chain.transfers { await oracle.breach(nil, "the chain has other transfers than the wallets sent") }
        for act in witness.broadcasts {
            guard let transfer = act.transfer, let attempt = act.attempt.flatMap({ witness.known($0) })?.attempt else {
                await oracle.breach(act.payment, "coins were sent by no attempt")
                continue
            }
            if transfer.value != attempt.option.amount.minorUnits {
                await oracle.breach(
                    act.payment, "the wallet sent \(transfer.value), but \(attempt.option.amount.minorUnits) was agreed"
                )
            }
        }
    }
}

// MARK: - Payments without a question

/// The limits of the payers of histories for payments without a question.
enum Allowance {
    static let limits: [SpendingLimit] = {
        do {
            return [
                SpendingLimit(try Money(decimal: "25.00", currency: .eur), per: .day),
                SpendingLimit(try Money(decimal: "40.00", currency: .eur), per: .week),
            ]
        } catch {
            fatalError("small amounts exist: \(error)")
        }
    }()

    /// The payers' limits, and the rate by which tokens and bitcoin count: one unit of a token is a euro, a satoshi a
    /// cent.
    ///
    /// - Parameter isRateKnown: draws whether the rate can be had.
    static func autoPay(countsCoins: Bool, isRateKnown: @escaping @Sendable () -> Bool) -> AutoPay {
        AutoPay(within: limits, timeZone: .gmt) { amount, limit in
            guard isRateKnown(), let units = units(of: amount, countsCoins: countsCoins) else { return nil }
            return try Money(minorUnits: units, currency: limit.currency)
        }
    }

    /// An amount in the limits' minor units; nil for coins that are not compared.
    static func units(of amount: Money, countsCoins: Bool) -> UInt128? {
        switch amount.exponent {
        case 8 where countsCoins && amount.currency == .satoshi: amount.minorUnits
        case 11 where countsCoins && amount.currency == .satoshi: (amount.minorUnits + 999) / 1000
        case 2: amount.minorUnits
        case 6: (amount.minorUnits + 9999) / 10_000
        default: nil
        }
    }
}

/// Compares payments without a question with the limits, and with the reservations at the end.
extension Judgement {
    func judgeAllowance(_ device: Device) async {
        for history in device.histories where witness.isUnasked(history.attempt.id) {
            guard await oracle.hasMoved(history.attempt) else { continue }
            let attempt = history.attempt
            guard device.spendings.contains(where: { $0.spending.attempt == attempt.id }) else {
                await oracle.breach(
                    nil, "\(attempt.id) was paid without a question, and nothing was reserved for it",
                    isRemembered: true)
                continue
            }
        }
        for limit in Allowance.limits {
            let sums = await oracle.allowance(limit, device.spendings)
            for (first, units) in sums.sorted(by: { $0.key < $1.key }) {
                guard units > limit.amount.minorUnits else { continue }
                await oracle.breach(
                    nil, "\(units) was paid without a question from \(first) on, beyond the limit of \(limit)",
                    isRemembered: true)
            }
        }
        for record in device.spendings where record.state == .reserved {
            let history = device.histories.first { $0.attempt.id == record.spending.attempt }
            guard history.map({ $0.isFinished && !isDistrusted($0) }) ?? true else { continue }
            await oracle.breach(nil, "something stays reserved for \(record.spending.attempt), which has ended")
        }
    }
}
