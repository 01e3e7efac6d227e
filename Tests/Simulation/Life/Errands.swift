import PaymentCore
import PaymentRouting
import PaymentTesting

/// What comes from outside to a process: payers who come back, notifications, merchants who cancel or give money back, and
/// people who only ask. All of it comes late, twice, in any order, and about other attempts than the one under way.
struct Errands: Sendable {
    let life: Life
    let seat: Life.Seat

    private var random: SeededRandomSource { life.random }
    private var calls: Calls { Calls(life: life, seat: seat) }

    func run() async {
        for _ in 0..<(1 + random.below(4)) where !seat.process.isDead {
            let delay = random.happens(0.7) ? Duration.milliseconds(random.below(4000)) : .seconds(random.below(600))
            try? await seat.process.clock.sleep(for: delay)
            await errand(random.pick(seat.device.payments))
        }
    }

    private func errand(_ payment: MarketPayment) async {
        guard let market = life.markets[payment.reference.provider] else { return }
        let (router, merchants, payer) = (seat.router, seat.merchants, seat.device.payer)
        let reference = payment.reference
        switch random.below(10) {
        case 0, 1, 2:
            let urls = market.returns(of: reference)
            guard !urls.isEmpty else { return }
            let url = random.pick(urls)
            // A bare return concerns any payment, so what is said is only compared with the one that it names.
            guard url.contains(reference.id) else {
                _ = await calls.answer(nil, life.witness.tick()) { try await router.handle(url, as: payer) }
                return
            }
            await calls.call("handle", reference) { try await router.handle(url, as: payer) }
        case 3, 4, 5: await notify(market)
        case 6:
            guard random.happens(0.4), merchants.registry.service(reference.provider) is any CancellingService else {
                return
            }
            await calls.call("cancel", reference, isMerchant: true) { try await merchants.cancel(reference) }
        case 7, 8: await refund(market, reference)
        default:
            await calls.call("status", reference) { try await router.status(of: reference, as: payer) }
        }
    }

    private func notify(_ market: any Market) async {
        let sent = await market.notifications()
        guard !sent.isEmpty else { return }
        let notification = random.pick(sent)
        let (taking, provider, merchants) = (life.variation.taking, market.provider.descriptor.id, seat.merchants)
        let (journal, clock) = (seat.process.journal, seat.process.clock)
        _ = await calls.answer(nil, life.witness.tick()) {
            try await taking(notification, provider, merchants, journal, clock)
            return nil
        }
    }

    private func refund(_ market: any Market, _ payment: PaymentReference) async {
        let merchants = seat.merchants
        // A copy of a request that was refused because nothing was paid yet might arrive after it was.
        guard await market.isPaid(payment), let request = await market.refund(random.below(2), of: payment) else {
            return
        }
        let begun = life.witness.tick()
        guard let content = await calls.answer(nil, begun, { try await merchants.refund(request) }),
            !seat.process.isDead
        else { return }
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: request.id), reference: request.reference,
            option: PaymentOption(id: "refund", title: "Refund", amount: request.amount), idempotencyKey: "",
            startedAt: life.world.clock.now, expiresAt: nil, refund: request)
        await life.oracle.hear(
            Word(
                call: "refund", subject: .attempt(attempt), content: content, doer: nil, begun: begun,
                told: life.witness.tick()))
    }
}
