package import PaymentCore
package import PaymentRouting
package import PaymentTesting

/// A history in which tenants' applications talk to a server, while other programs use its journal.
extension Life {
    func servedVerdict(_ faces: any PaymentFaces) async throws -> Verdict {
        let payments = try await markets.makePayments(1 + random.below(3), random)
        let device = makeDevices(payments)[0]
        var orders: [ServedOrder] = []
        for payment in payments { orders += try ServedOrder.drawn(payment, from: orders.count, random) }
        let (views, wallets) = (ServedViews(self), CallersWallets())
        var started = 0
        for _ in 0..<(1 + random.below(3)) {
            let seat = makeSeat(at: device, operations: 60 * orders.count)
            started += 1
            try await serve(orders, at: seat, over: faces, views, wallets)
            if random.happens(0.3) { world.failPower(of: device.disk) }
            seat.process.crash()
            try await world.clock.sleep(for: .seconds(random.happens(0.2) ? random.below(2000) : random.below(10)))
        }
        world.faults = .none
        world.note("everything heals")
        if variation.rest > .zero { try await world.clock.sleep(for: variation.rest) }
        try await converge(orders, at: makeSeat(at: device, operations: nil), over: faces, views, wallets)
        hangs.release()
        try await world.clock.sleep(for: .seconds(250))
        await views.finish()
        let end = Judgement.Device(
            number: device.number, payments: [], endings: [:],
            histories: device.disk.histories, spendings: device.disk.spendings)
        return await judge(payments, [end], processes: started + 1)
    }

    private func makeSeat(at device: Device, operations: Int?) -> Seat {
        let crash = operations.flatMap { random.happens(0.7) ? random.below($0) : nil }
        let cause: SimulatedCrash = random.happens(0.5) ? .machine(.drawn) : .process
        return seat(device, world.start(on: device.disk, crashingAt: crash, by: cause), .first)
    }

    private func open(_ faces: any PaymentFaces, _ seat: Seat) async throws -> any PaymentFace {
        try await Acting.$doer.withValue(seat.doer) {
            try await faces.open(
                over: seat.router, in: seat.process, wallet: variation.serverPays ? seat.device.payer : nil)
        }
    }

    /// Serves the applications for a while.
    private func serve(
        _ orders: [ServedOrder], at seat: Seat, over faces: any PaymentFaces, _ views: ServedViews,
        _ wallets: CallersWallets
    ) async throws {
        let (start, face) = (witness.tick(), try await open(faces, seat))
        await withTaskGroup(of: Void.self) { group in
            for order in orders where random.happens(0.85) {
                let application = Application(
                    life: self, seat: seat, face: face, views: views, wallets: wallets, order: order, start: start)
                for _ in 0..<(random.happens(0.2) ? 2 : 1) { group.addTask { await application.live() } }
            }
            if random.happens(0.3) {
                let payment = random.pick(seat.device.payments).reference
                group.addTask {
                    try? await world.clock.sleep(for: .milliseconds(random.below(8000)))
                    await markets[payment.provider]?.reprice(payment, random)
                }
            }
            if random.happens(0.4) {
                let other = self.seat(seat.device, world.start(on: seat.device.disk), .first)
                group.addTask { await useJournal(other) }
            }
        }
        if random.happens(0.3), !seat.process.isDead { await face.drain(within: .seconds(20)) }
        seat.process.crash()
        await face.stop()
    }

    /// Asks about payments and resumes some of them, as commands do that are typed while a server runs.
    private func useJournal(_ seat: Seat) async {
        let calls = Calls(life: self, seat: seat)
        let payer = variation.serverPays ? seat.device.payer : Payer()
        for _ in 0..<(1 + random.below(4)) {
            try? await seat.process.clock.sleep(for: .milliseconds(random.below(20_000)))
            let payment = random.pick(seat.device.payments)
            if random.happens(0.6) {
                let router = seat.router
                await calls.call("status", payment.reference, patience: .seconds(300)) {
                    try await router.status(of: payment.reference, as: payer)
                }
            } else if let attempt = try? await seat.process.journal.unfinished().first?.attempt {
                await calls.resume(attempt, as: payer)
            }
        }
        seat.process.crash()
    }

    /// Has every order that was sent brought to its end.
    private func converge(
        _ orders: [ServedOrder], at seat: Seat, over faces: any PaymentFaces, _ views: ServedViews,
        _ wallets: CallersWallets
    ) async throws {
        let (start, face) = (witness.tick(), try await open(faces, seat))
        var open: [ServedOrder] = []
        for _ in 0..<60 {
            // At the same time: a payment waits for its payer while others wait for it.
            await withTaskGroup(of: Void.self) { group in
                for order in orders where await views.isOpen(order) {
                    let application = Application(
                        life: self, seat: seat, face: face, views: views, wallets: wallets, order: order, start: start)
                    group.addTask { await application.converge() }
                }
            }
            open = []
            for order in orders where await views.isOpen(order) { open.append(order) }
            if open.isEmpty { break }
            try await world.clock.sleep(for: .seconds(30))
        }
        for order in open where !mayStayOpen(order.payment, seat.device) {
            await views.breach(order, "reached no end within the time after everything healed")
        }
        // The server looks at what is left once a minute.
        try await world.clock.sleep(for: .seconds(130))
        await Calls(life: self, seat: seat).recover(as: variation.serverPays ? seat.device.payer : Payer())
        seat.process.crash()
        await face.stop()
    }

    /// True if the contract leaves a payment open: only its wallet, or its service, could end it.
    private func mayStayOpen(_ payment: MarketPayment, _ device: Device) -> Bool {
        let isAsked = device.disk.histories.contains { history in
            let reference = history.attempt.reference
            let isOfPayment = markets.identity(of: reference) == payment.reference
            // A link that only the service can resolve may name any payment there.
            let mayBe = reference.provider == payment.reference.provider && markets.hasAliases(reference)
            return (isOfPayment || mayBe) && !history.isFinished && Judgement.hasAskedWallet(history)
        }
        return payment.isEndless || isAsked
    }
}

// MARK: - Interface

/// An HTTP interface to a router that takes payments for tenants by their keys, in one process.
package protocol PaymentFace: Sendable {
    /// Answers a call.
    func answer(_ request: HTTPRequest) async -> HTTPResponse

    /// Ends in good order.
    func drain(within bound: Duration) async

    /// Ends what runs in a process that has ended.
    func stop() async
}

/// The interfaces of one history, which share what is stored on a machine.
package protocol PaymentFaces: Sendable {
    /// Opens the interface in a process.
    ///
    /// - Parameter wallet: the wallet that pays by itself; nil asks the callers.
    func open(
        over router: PaymentRouter, in process: SimulatedProcess, wallet: Payer?
    ) async throws -> any PaymentFace
}

/// The tenants of an interface, whose tokens are their names.
package enum Tenant {
    package static let names = ["alice", "bob"]
}
