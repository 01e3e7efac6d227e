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

    /// Carries the payment out by one of two keys; now and then the key is cancelled or asked about meanwhile, and it
    /// is carried out again.
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
