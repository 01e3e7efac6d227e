import PaymentCore
import PaymentRouting
import PaymentTesting

/// A process under faults.
struct Days: Sendable {
    let life: Life
    let seat: Life.Seat

    private var random: SeededRandomSource { life.random }
    private var calls: Calls { Calls(life: life, seat: seat) }

    /// Pays most payments, some of them twice at once, cancels some of them, recovers interrupted ones, and receives
    /// calls from outside.
    func live() async {
        let seat = seat
        let life = life
        let listener = Task(executorPreference: RouterTasks.executor) { await Reentry.listen(seat, in: life) }
        defer { listener.cancel() }
        await withTaskGroup(of: Void.self) { group in
            for payment in seat.device.payments where random.happens(0.8) {
                for _ in 0..<(random.happens(0.2) ? 2 : 1) {
                    let patience = random.happens(0.15) ? Duration.milliseconds(random.below(3000)) : nil
                    let link = life.link(of: payment, at: seat.router)
                    group.addTask { await pay(payment, link, patience) }
                }
            }
            for payment in seat.device.payments where random.happens(life.variation.quotes) {
                let delay = Duration.milliseconds(random.below(5000))
                group.addTask {
                    try? await seat.process.clock.sleep(for: delay)
                    await quote(payment)
                }
            }
            if random.happens(0.5) {
                let delay = Duration.milliseconds(random.below(2000))
                group.addTask {
                    try? await seat.process.clock.sleep(for: delay)
                    await recover()
                }
            }
            if random.happens(life.variation.merchantCalls) {
                group.addTask { await MerchantCalls(life: life, seat: seat).run() }
            }
        }
    }

    private func pay(_ payment: MarketPayment, _ link: String, _ patience: Duration?) async {
        let (router, payer) = (seat.router, seat.device.payer)
        guard !life.usesIntents else { return await carryOut(payment, link, patience) }
        await calls.call("pay", payment.reference, patience: patience) {
            try await router.pay(link, as: payer, acceptingUnverified: true)
        }
    }

    /// Carries the payment out by one of two keys. By chance the key is cancelled or asked about at the same time, and
    /// the payment is carried out again.
    private func carryOut(_ payment: MarketPayment, _ link: String, _ patience: Duration?) async {
        let (router, payer) = (seat.router, seat.device.payer)
        let intent = PaymentIntent(
            of: link, key: "\(seat.device.number)/\(payment.reference.id)/\(random.below(2))", acceptsUnverified: true)
        let (cancels, asks, repeats) = (random.happens(0.2), random.happens(0.4), random.happens(0.3))
        let delay = Duration.milliseconds(random.below(4000))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await calls.carry("carryOut", intent, of: payment.reference, patience: patience) {
                    await router.carryOut(intent, as: payer)
                }
                guard repeats else { return }
                await calls.carry("resume", intent, of: payment.reference) { await router.resume(intent, as: payer) }
            }
            guard cancels || asks else { return }
            group.addTask {
                try? await seat.process.clock.sleep(for: delay)
                if cancels {
                    await calls.carry("cancel(intent)", intent, of: payment.reference) { await router.cancel(intent) }
                }
                await calls.carry("outcome(of:)", intent, of: payment.reference) {
                    await router.outcome(of: intent, as: Payer(settler: payer.settler))
                }
            }
        }
    }

    /// Asks for the terms, as an application does that shows a link before it is paid.
    private func quote(_ payment: MarketPayment) async {
        let (router, payer) = (seat.quotes, seat.device.payer)
        guard case .matched(let route) = router.route(payment.links[0]) else { return }
        await calls.call("quote", payment.reference) {
            try await router.quote(route, as: payer, acceptingUnverified: true).outcome
        }
    }

    /// Recovers as applications do at their start: all at once, or one by one.
    private func recover() async {
        if random.happens(0.5) {
            await calls.recover(as: random.happens(0.7) ? seat.device.payer : Payer())
        } else {
            for history in (try? await seat.process.journal.unfinished()) ?? [] {
                await calls.resume(history.attempt, as: seat.device.payer)
            }
        }
    }
}

extension Life {
    /// The usual link of a payment, or another spelling.
    func link(of payment: MarketPayment, at router: PaymentRouter) -> String {
        guard random.happens(variation.spellings) else { return payment.links[0] }
        let link = random.pick(payment.links)
        if Self.name(link, router) != Self.name(payment.links[0], router) { witness.renames(payment.reference) }
        return link
    }

    private static func name(_ link: String, _ router: PaymentRouter) -> String? {
        if case .matched(let route) = router.route(link) { route.match.reference } else { nil }
    }
}

// MARK: - After all faults have healed

/// A process after all faults have healed: it pays and recovers until everything has ended, for forty minutes at most.
struct Convergence: Sendable {
    let life: Life
    let seat: Life.Seat

    private var calls: Calls { Calls(life: life, seat: seat) }
    private var markets: Markets { life.markets }

    func endings() async throws -> [PaymentReference: Judgement.Ending] {
        var endings: [PaymentReference: Judgement.Ending] = [:]
        // A refused payment may have been paid since by a recovered attempt: it is paid a few times more.
        var repeats: [PaymentReference: Int] = [:]
        for _ in 0..<40 {
            // Some attempts resume only at their link: those are paid again, too.
            let open = Set(try await unended().map { markets.identity(of: $0.attempt.reference) })
            for payment in seat.device.payments where !isStuck(payment.reference) {
                let ending = endings[payment.reference]
                guard ending == nil || open.contains(payment.reference) else { continue }
                let next = await pay(payment)
                if ending == nil || ending == .refused { endings[payment.reference] = next ?? ending }
            }
            await recover()
            // A payment that only its settler sees may be ended by a person each time, which paying it does not show.
            for payment in seat.device.payments
            where endings[payment.reference] == nil && markets.isSettledByPayer(payment.reference) {
                endings[payment.reference] = await status(payment)
            }
            if await isOver(endings), try await unended().isEmpty, hasNothingReserved {
                let refused = seat.device.payments.filter {
                    endings[$0.reference] == .refused && !isStuck($0.reference) && repeats[$0.reference, default: 0] < 3
                }
                guard !refused.isEmpty else { break }
                // A service may take what a signature of a refused payment is good for until its end.
                let signed = Set(life.witness.signatures.live.map { markets.identity(of: $0.attempt.reference) })
                for payment in refused where !signed.contains(payment.reference) {
                    repeats[payment.reference, default: 0] += 1
                    endings[payment.reference] = await pay(payment)
                }
            }
            try await seat.process.clock.sleep(for: .seconds(60))
        }
        return endings
    }

    private func pay(_ payment: MarketPayment) async -> Judgement.Ending? {
        let (router, payer, link) = (seat.router, seat.device.payer, life.link(of: payment, at: seat.router))
        let content = await calls.call("pay", payment.reference) {
            try await router.pay(link, as: payer, acceptingUnverified: true)
        }
        switch content {
        case .outcome(let outcome)? where outcome.isFinal: return .outcome(outcome)
        // Asked for fewer requests, a payer asks again.
        case .failure(let error)? where error.phase != .maybeSent && error.code != .rateLimited: return .refused
        default:
            // Some services advance a payment when only its status is queried.
            _ = await status(payment)
            return nil
        }
    }

    /// Asks for the status of a payment; nil if that is not final.
    private func status(_ payment: MarketPayment) async -> Judgement.Ending? {
        let (router, payer) = (seat.router, seat.device.payer)
        let content = await calls.call("status", payment.reference) {
            try await router.status(of: payment.reference, as: payer)
        }
        guard case .outcome(let outcome)? = content, outcome.isFinal else { return nil }
        return .outcome(outcome)
    }

    /// Payments as their payer, the rest as their merchant.
    private func recover() async {
        await calls.recover(as: seat.device.payer)
        await settleMerchants()
    }

    /// Queries the status of captures and refunds.
    func settleMerchants() async {
        for history in (try? await seat.process.journal.unfinished()) ?? [] where !history.attempt.reference.isPayment {
            let merchants = seat.merchants
            _ = await calls.answer(nil, life.witness.tick()) {
                try await merchants.resume(history.attempt.id, as: Payer())
            }
        }
    }

    private func isOver(_ endings: [PaymentReference: Judgement.Ending]) async -> Bool {
        for payment in seat.device.payments where endings[payment.reference] == nil && !isStuck(payment.reference) {
            let hasDistrusted = seat.device.disk.histories.contains {
                markets.identity(of: $0.attempt.reference) == payment.reference && life.isDistrusted($0)
            }
            guard !hasDistrusted else { continue }
            guard await isEndless(payment.reference) else { return false }
        }
        return true
    }

    /// True if no reservation is left of an attempt that was never opened. Recovery passes one over while another
    /// process has its payment.
    private var hasNothingReserved: Bool {
        let known = Set(seat.device.disk.histories.map(\.attempt.id))
        return !seat.device.disk.spendings.contains { $0.state == .reserved && !known.contains($0.spending.attempt) }
    }

    /// The attempts that still have to end.
    private func unended() async throws -> [AttemptHistory] {
        var unended: [AttemptHistory] = []
        for history in try await seat.process.journal.unfinished() {
            // A refund or a capture that never arrived is never reported.
            if let refund = history.attempt.refund {
                guard await markets[refund.payment.provider]?.givenBack(refund) ?? 0 > 0 else { continue }
            }
            if let capture = history.attempt.capture {
                let amounts = await markets[capture.payment.provider]?.collections(of: capture.payment) ?? []
                guard amounts.contains(capture.amount.minorUnits) else { continue }
            }
            if life.isDistrusted(history) || isStuck(history.attempt.reference) { continue }
            if await isEndless(markets.identity(of: history.attempt.reference)) { continue }
            unended.append(history)
        }
        return unended
    }

    /// True if the payment's wallet and settler do not answer.
    private func isStuck(_ payment: PaymentReference) -> Bool { life.hangs.stuck == markets.identity(of: payment) }

    /// True if the payment may stay open: the service never reports its outcome, or the wallet may have sent coins that
    /// the service has not seen.
    private func isEndless(_ reference: PaymentReference) async -> Bool {
        let payment = seat.device.payments.first { $0.reference == reference }
        for known in life.witness.attempts(at: reference) {
            if payment?.isEndless == true, await life.oracle.hasMoved(known.attempt) { return true }
        }
        if payment?.isEndless == true, await markets.isPaidByOthers(reference) { return true }
        let open = seat.device.disk.histories.filter { history in
            markets.identity(of: history.attempt.reference) == reference && !history.isFinished
        }
        if payment?.isForgotten == true, open.contains(where: \.mayHaveMovedMoney) { return true }
        let hasAsked = open.contains(where: Judgement.hasAskedWallet)
        guard hasAsked, await markets.isDecided(reference) else { return false }
        return await !markets.isPaid(reference)
    }
}
