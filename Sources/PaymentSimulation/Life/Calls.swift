import PaymentCore
import PaymentRouting
import PaymentTesting

/// Calls a process's router, and passes its statements to the oracle.
struct Calls: Sendable {
    let life: Life
    let seat: Life.Seat

    /// Calls the router.
    ///
    /// - Parameters:
    /// - isMerchant: true if the answer concerns all devices.
    /// - patience: the time after which the call is cancelled; nil waits for it.
    /// - Returns: the statement; nil if there was none, or the process is dead.
    @discardableResult
    func call(
        _ name: String, _ payment: PaymentReference, isMerchant: Bool = false, patience: Duration? = nil,
        _ work: @escaping @Sendable () async throws -> PaymentOutcome?
    ) async -> Statement.Content? {
        let begun = life.witness.tick()
        let content = await answer(patience, begun, work)
        guard let content, !seat.process.isDead else { return nil }
        await life.oracle.hear(
            Statement(
                call: name, subject: .payment(life.markets.identity(of: payment)), content: content,
                doer: isMerchant ? nil : seat.doer, begun: begun, told: life.witness.tick(),
                merchant: isMerchant ? seat.device.number : nil))
        return content
    }

    /// Calls the router about an intent.
    func carry(
        _ name: String, _ intent: PaymentIntent, of payment: PaymentReference, patience: Duration? = nil,
        _ work: @escaping @Sendable () async -> PaymentStatement
    ) async {
        let begun = life.witness.tick()
        let content = await within(patience) {
            await acting(begun) { () async -> Statement.Content in
                switch await work() {
                case .stated(let outcome): .outcome(outcome)
                case .unanswered(let error, _): .failure(error.with(phase: .maybeSent))
                case .notBegun(let error): .notBegun(error.fact)
                }
            }
        }
        guard let content, !seat.process.isDead else { return }
        await life.oracle.hear(
            Statement(
                call: name, subject: .payment(life.markets.identity(of: payment)), content: content, doer: seat.doer,
                begun: begun, told: life.witness.tick(), name: seat.router.payment(of: intent)))
    }

    /// The router's answer to `work`.
    func answer(
        _ patience: Duration?, _ begun: Int, _ work: @escaping @Sendable () async throws -> PaymentOutcome?
    ) async -> Statement.Content? {
        await within(patience) {
            await acting(begun) { () async -> Statement.Content? in
                do { return try await work().map { .outcome($0) } } catch let error as PaymentError {
                    return .failure(error)
                } catch {
                    return nil
                }
            }
        } ?? nil
    }

    private func acting<Value: Sendable>(_ call: Int, _ work: @Sendable () async -> Value) async -> Value {
        await Reentry.$calls.withValue(self) {
            await Acting.$doer.withValue(seat.doer) { await Acting.$call.withValue(call) { await work() } }
        }
    }

    /// Runs `work`, cancels it after `patience`, and leaves it if it still does not return: a hanging call hangs until
    /// the end of the history.
    ///
    /// - Parameter grace: the time to wait after that; nil for the usual time.
    func within<Value: Sendable>(
        _ patience: Duration?, grace: Duration? = nil, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let mayHang = life.world.faults.payerHangs > 0
        guard patience != nil || mayHang else { return await work() }
        let pending = OneShot<Value?>()
        let executor = RouterTasks.executor
        let task = Task(executorPreference: executor) { pending.finish(await work()) }
        let clock = life.world.clock
        let timer = Task(executorPreference: executor) {
            do {
                try await clock.sleep(for: patience ?? .seconds(700))
                task.cancel()
                try await clock.sleep(for: grace ?? (mayHang ? .seconds(100) : .seconds(100_000)))
            } catch {}
            pending.finish(nil)
        }
        let value = await pending.value()
        timer.cancel()
        return value
    }

    /// Recovers as applications do at their start, and records every report.
    func recover(as payer: Payer) async {
        let begun = life.witness.tick()
        let router = seat.router
        let (bound, isStuck) = (life.variation.recoveryBound, life.hangs.stuck != nil)
        // Two rounds of attempts at most, and the reservations.
        let reports = await within(isStuck ? .seconds(1500) : nil, grace: isStuck ? .zero : nil) {
            await acting(begun) { (try? await router.recover(as: payer, bound: bound)) ?? [] }
        }
        if isStuck, reports == nil, !seat.process.isDead {
            await life.oracle.breach(
                nil, "recovery did not return while one payment's wallet did not answer", .hanging)
        }
        for report in reports ?? [] where !seat.process.isDead {
            let content: Statement.Content =
                switch report.result {
                case .success(let outcome): .outcome(outcome)
                case .failure(let error): .failure(error)
                }
            await hear("recover", report.attempt, content, since: begun)
        }
    }

    /// Resumes one attempt, and records the result.
    func resume(_ attempt: PaymentAttempt, as payer: Payer) async {
        let begun = life.witness.tick()
        let router = seat.router
        guard let content = await answer(nil, begun, { try await router.resume(attempt.id, as: payer) }),
            !seat.process.isDead
        else { return }
        await hear("resume", attempt, content, since: begun)
    }

    private func hear(
        _ call: String, _ attempt: PaymentAttempt, _ content: Statement.Content, since begun: Int
    ) async {
        await life.oracle.hear(
            Statement(
                call: call, subject: .attempt(attempt), content: content, doer: seat.doer, begun: begun,
                told: life.witness.tick()))
    }
}

// MARK: - Calls from outside

/// Calls from outside to a process: payers who return, notifications, merchants who cancel or refund, and status
/// queries. All of them come late, twice, in any order, and about other attempts than the one in progress.
struct MerchantCalls: Sendable {
    let life: Life
    let seat: Life.Seat

    private var random: SeededRandomSource { life.random }
    private var calls: Calls { Calls(life: life, seat: seat) }

    func run() async {
        for _ in 0..<(1 + random.below(4)) where !seat.process.isDead {
            let delay = random.happens(0.7) ? Duration.milliseconds(random.below(4000)) : .seconds(random.below(600))
            try? await seat.process.clock.sleep(for: delay)
            let payment = random.pick(seat.device.payments)
            await errand(payment)
            let more = life.variation.moreRefunds
            guard more > 0, random.happens(more), let market = life.markets[payment.reference.provider] else {
                continue
            }
            await refund(market, payment.reference)
        }
    }

    func errand(_ payment: MarketPayment) async {
        guard let market = life.markets[payment.reference.provider] else { return }
        let (router, merchants, payer) = (seat.router, seat.merchants, seat.device.payer)
        let reference = payment.reference
        switch random.below(12) {
        case 0, 1, 2: await comeBack(market, reference)
        case 3, 4, 5: await notify(market)
        case 6:
            guard random.happens(0.4), merchants.registry.service(reference.provider) is any CancellingService else {
                return
            }
            let (times, cancellations) = (random.happens(0.3) ? 2 : 1, seat.cancellations)
            let besides = life.variation.cancelsBesideCaptures
            let captures = besides > 0 && random.happens(besides)
            await withTaskGroup(of: Void.self) { group in
                if captures { group.addTask { await capture(market, reference) } }
                group.addTask {
                    for _ in 0..<times {
                        await calls.call("cancel", reference, isMerchant: true) {
                            try await cancellations.cancel(reference)
                        }
                    }
                }
            }
        case 7, 8:
            if life.hasCaptures { await capture(market, reference) }
            await refund(market, reference)
        case 9: await forge(market, reference)
        case 10 where market.merchant != nil:
            let begun = life.witness.tick()
            let content = await calls.answer(nil, begun) { try await merchants.status(of: reference) }
            await hear("status", .payment(life.markets.identity(of: reference)), content, since: begun)
        default:
            await calls.call("status", reference) { try await router.status(of: reference, as: payer) }
        }
    }

    /// Lets the payer of some payment return, whatever they have done in the meantime.
    private func comeBack(_ market: any Market, _ reference: PaymentReference) async {
        let (router, payer) = (seat.router, seat.device.payer)
        let urls = await market.returns(of: reference)
        guard !urls.isEmpty else { return }
        let url = random.pick(urls)
        guard !url.contains(reference.id) else {
            await calls.call("handle", reference) { try await router.handle(url, as: payer) }
            return
        }
        // A bare return concerns any payment: only a receipt names it.
        let begun = life.witness.tick()
        let content = await calls.answer(nil, begun) { try await router.handle(url, as: payer) }
        guard case .outcome(.succeeded(let receipt))? = content else { return }
        await hear(
            "handle", .payment(life.markets.identity(of: receipt.reference)), content, since: begun, by: seat.doer)
    }

    /// Delivers the service's notifications: late, twice, in any order.
    private func notify(_ market: any Market) async {
        let sent = await market.notifications()
        guard !sent.isEmpty else { return }
        let notification = random.pick(sent)
        let (taking, provider, merchants) = (life.variation.taking, market.provider.descriptor.id, seat.merchants)
        let (journal, clock) = (seat.process.journal, seat.process.clock)
        let begun = life.witness.tick()
        let told = OneShot<HandledNotification?>()
        let content = await calls.answer(nil, begun) {
            told.finish(try await taking(notification, provider, merchants, journal, clock))
            return nil
        }
        told.finish(nil)
        if case .failure(let error)? = content, error.code == .untrustedNotification {
            await life.oracle.breach(nil, "\(provider): a genuine notification was refused: \(error.message)")
        }
        guard let genuine = await told.value() else { return }
        var amount: Money?
        // Negative ones of a refund or a capture may be about an earlier attempt.
        if case .succeeded(let receipt) = genuine.outcome {
            amount = receipt.amount
        } else if !genuine.reference.isPayment {
            return
        }
        guard let subject = subject(of: genuine.reference, over: amount) else { return }
        await hear("notification", subject, .outcome(genuine.outcome), since: begun)
    }

    /// The subject of a notification; nil for what another device's merchant has requested.
    ///
    /// - Parameter amount: the stated amount, which distinguishes captures of a payment.
    private func subject(of reference: PaymentReference, over amount: Money?) -> Statement.Subject? {
        guard !reference.isPayment else { return .payment(life.markets.identity(of: reference)) }
        let asked = seat.device.disk.histories.last { history in
            history.attempt.reference == reference
                && (reference.isRefund || history.attempt.option.amount == amount)
        }
        return asked.map { .attempt($0.attempt) }
    }

    /// Delivers a notification of a payment that does not come from the service.
    private func forge(_ market: any Market, _ reference: PaymentReference) async {
        let forgeries = await market.forgeries(about: reference)
        guard !forgeries.isEmpty else { return }
        let (forgery, provider, merchants) = (random.pick(forgeries), market.provider.descriptor.id, seat.merchants)
        let taken = OneShot<Bool>()
        _ = await calls.answer(nil, life.witness.tick()) {
            _ = try await merchants.handle(forgery, from: provider)
            taken.finish(true)
            return nil
        }
        taken.finish(false)
        if await taken.value() { await life.oracle.breach(nil, "\(provider): a forged notification was taken") }
    }

    private func refund(_ market: any Market, _ payment: PaymentReference) async {
        let merchants = seat.merchants
        // A copy of a request that was refused because nothing was paid yet might arrive after the payment.
        let number = random.below(3)
        guard await market.isPaid(payment), let drawn = await market.refund(number, of: payment) else { return }
        let request =
            life.hasServers ? RefundRequest(of: payment, amount: drawn.amount, id: "credit-\(number)") : drawn
        life.witness.asks(for: request)
        let begun = life.witness.tick()
        let content = await calls.answer(nil, begun) { try await merchants.refund(request) }
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: request.id), reference: request.reference,
            option: PaymentMethodOption(id: "refund", title: "Refund", amount: request.amount), idempotencyKey: "",
            startedAt: life.world.clock.now, expiresAt: nil)
        await hear("refund", .attempt(attempt), content, since: begun)
    }

    private func capture(_ market: any Market, _ payment: PaymentReference) async {
        // Two journals know nothing of each other's captures.
        guard seat.device.number == 0 || life.hasServers, await market.isPaid(payment),
            let request = await market.capture(random.below(3), of: payment)
        else { return }
        let merchants = seat.merchants
        life.witness.asks(for: request)
        let begun = life.witness.tick()
        let content = await calls.answer(nil, begun) { try await merchants.capture(request) }
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "capture"), reference: request.reference,
            option: PaymentMethodOption(id: "capture", title: "Capture", amount: request.amount), idempotencyKey: "",
            startedAt: life.world.clock.now, expiresAt: nil)
        await hear("capture", .attempt(attempt), content, since: begun)
    }

    private func hear(
        _ call: String, _ subject: Statement.Subject, _ content: Statement.Content?, since begun: Int,
        by doer: Doer? = nil
    ) async {
        guard let content, !seat.process.isDead else { return }
        await life.oracle.hear(
            Statement(
                call: call, subject: subject, content: content, doer: doer, begun: begun, told: life.witness.tick(),
                merchant: doer == nil ? seat.device.number : nil))
    }
}
