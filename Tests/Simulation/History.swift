import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentTransport
import Synchronization

/// One simulated life of some payments: faults, crashes, restarts, two processes at once; then everything heals and must
/// come to an end.
package struct History: Sendable {
    /// The number that everything follows from.
    package let seed: UInt64
    /// What it is made of.
    package var variation: Variation

    package init(seed: UInt64, variation: Variation = Variation()) {
        self.seed = seed
        self.variation = variation
    }

    /// Plays it.
    ///
    /// - Parameter isTraced: whether the verdict has a trace.
    package func run(isTraced: Bool = true) -> Verdict {
        let random = SeededRandomSource(seed: seed ^ 0x5EED)
        var faults = SimulatedFaults.drawn(from: random)
        variation.faults(&faults)
        let world = SimulatedWorld(seed: seed, faults: faults, isTraced: isTraced)
        var verdict: Verdict
        do {
            let life = try Life(world, variation, random)
            verdict = try world.run { try await life.verdict() }
        } catch {
            verdict = Verdict(breaches: ["\(error)"])
        }
        world.end()
        verdict.trace = world.trace
        verdict.seconds = world.elapsed
        return verdict
    }
}

/// A history while it is made.
private struct Life: Sendable {
    let world: SimulatedWorld
    let variation: Variation
    let random: SeededRandomSource
    let markets: Markets
    let careful: CarefulPayer
    let payer: Payer
    let hearsay = Hearsay()
    /// Every third history is sealed.
    let key: JournalKey?

    init(_ world: SimulatedWorld, _ variation: Variation, _ random: SeededRandomSource) throws {
        self.world = world
        self.variation = variation
        self.random = random
        markets = try Markets(variation.markets, in: world)
        careful = CarefulPayer(world)
        var payer = careful.payer
        markets.equip(&payer)
        self.payer = payer
        key = world.seed % 3 == 0 ? try JournalKey(Redacted([UInt8](repeating: 7, count: 32))) : nil
    }

    func verdict() async throws -> Verdict {
        let payments = await markets.makePayments(1 + random.below(4), random)
        var started = 0
        for _ in 0..<(1 + random.below(3)) {
            let processes = start(at: payments.count)
            started += processes.count
            await withTaskGroup(of: Void.self) { group in
                for process in processes { group.addTask { await use(process, payments) } }
            }
            if random.happens(0.3) { world.failPower() }
            for process in processes { process.crash() }
            try await world.clock.sleep(for: .seconds(random.happens(0.2) ? random.below(1200) : random.below(10)))
        }
        world.faults = .none
        world.note("everything heals")
        let healed = (0..<(random.happens(variation.pairs) ? 2 : 1)).map { _ in world.start() }
        let endings = try await withThrowingTaskGroup(of: [PaymentReference: Judgement.Ending].self) { group in
            for process in healed { group.addTask { try await converge(process, payments) } }
            // What one of them paid may be refused to the other.
            return try await group.reduce(into: [:]) { $0.merge($1) { $0 == .refused ? $1 : $0 } }
        }
        let judgement = Judgement(markets: markets, payer: careful, hearsay: hearsay)
        var verdict = await judgement.verdict(payments, endings, world.disk.histories)
        verdict.processes = started + healed.count
        return verdict
    }

    /// One or two processes, which die at some operation by chance.
    private func start(at payments: Int) -> [SimulatedProcess] {
        (0..<(random.happens(variation.pairs) ? 2 : 1)).map { _ in
            let crash = random.happens(0.7) ? random.below(40 * payments) : nil
            return world.start(crashingAt: crash, by: random.happens(0.5) ? .machine(.drawn) : .process)
        }
    }

    private func router(_ process: SimulatedProcess) -> PaymentRouter {
        process.router(markets.registry, journalKey: key) { transport, journal in
            let retry = [RetryMiddleware(clock: process.clock, random: process.random)]
            var network: any HTTPTransport = transport
            if variation.checksDurability {
                network = DurabilityCheck(base: network, disk: process.disk, markets: markets, hearsay: hearsay)
            }
            network = LayeredTransport(variation.transport(network), world.seed % 2 == 0 ? retry : [])
            return (network, variation.journal(journal))
        }
    }

    // MARK: While things go wrong

    /// Pays most payments, some of them twice at once, some of them called off, and recovers what was interrupted.
    private func use(_ process: SimulatedProcess, _ payments: [MarketPayment]) async {
        let router = router(process)
        await withTaskGroup(of: Void.self) { group in
            for payment in payments where random.happens(0.8) {
                for _ in 0..<(random.happens(0.2) ? 2 : 1) {
                    let patience = random.happens(0.15) ? Duration.milliseconds(random.below(3000)) : nil
                    group.addTask {
                        guard let outcome = await pay(payment, router, process.clock, patience) else { return }
                        if !process.isDead { await hearsay.note(payment.reference, outcome) }
                    }
                }
            }
            if random.happens(0.5) {
                let delay = Duration.milliseconds(random.below(2000))
                group.addTask {
                    try? await process.clock.sleep(for: delay)
                    await recover(router, process)
                }
            }
        }
    }

    private func pay(
        _ payment: MarketPayment, _ router: PaymentRouter, _ clock: any PaymentClock, _ patience: Duration?
    ) async -> PaymentOutcome? {
        guard let patience else { return try? await router.pay(payment.link, as: payer) }
        return await withTaskGroup(of: PaymentOutcome??.self) { group in
            group.addTask { .some(try? await router.pay(payment.link, as: payer)) }
            group.addTask {
                try? await clock.sleep(for: patience)
                return nil
            }
            for await result in group {
                group.cancelAll()
                if let result { return result }
            }
            return nil
        }
    }

    /// Recovers as applications do at their start: all at once, or one by one.
    private func recover(_ router: PaymentRouter, _ process: SimulatedProcess) async {
        if random.happens(0.5) {
            for report in (try? await router.recover(as: random.happens(0.7) ? payer : Payer())) ?? [] {
                guard case .success(let outcome) = report.result, !process.isDead else { continue }
                await hearsay.note(report.attempt.reference, outcome)
            }
        } else {
            for history in (try? await process.journal.unfinished()) ?? [] {
                guard let outcome = try? await router.resume(history.attempt.id, as: payer), !process.isDead else {
                    continue
                }
                await hearsay.note(history.attempt.reference, outcome)
            }
        }
    }

    // MARK: After everything healed

    /// Pays and recovers until everything has ended, for forty minutes at most.
    private func converge(
        _ process: SimulatedProcess, _ payments: [MarketPayment]
    ) async throws -> [PaymentReference: Judgement.Ending] {
        let router = router(process)
        var endings: [PaymentReference: Judgement.Ending] = [:]
        for _ in 0..<40 {
            for payment in payments where endings[payment.reference] == nil {
                do {
                    let outcome = try await router.pay(payment.link, as: payer)
                    guard outcome.isFinal else { continue }
                    endings[payment.reference] = .outcome(outcome)
                    await hearsay.note(payment.reference, outcome)
                } catch {
                    if error.phase != .maybeSent { endings[payment.reference] = .refused }
                }
            }
            await recover(router, process)
            if await isOver(payments, endings), try await unended(process, payments).isEmpty { break }
            try await process.clock.sleep(for: .seconds(60))
        }
        return endings
    }

    private func isOver(
        _ payments: [MarketPayment], _ endings: [PaymentReference: Judgement.Ending]
    ) async -> Bool {
        for payment in payments where endings[payment.reference] == nil {
            guard payment.isEndless, await markets.captures(of: payment.reference) > 0 else { return false }
        }
        return true
    }

    /// The attempts that still have to come to an end.
    private func unended(_ process: SimulatedProcess, _ payments: [MarketPayment]) async throws -> [AttemptHistory] {
        var unended: [AttemptHistory] = []
        for history in try await process.journal.unfinished() {
            let payment = payments.first { $0.reference == history.attempt.reference }
            if payment?.isEndless == true, await markets.wasCaptured(history.attempt) { continue }
            unended.append(history)
        }
        return unended
    }
}
