import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentTransport
import Synchronization

/// One simulated life of some payments: faults, crashes, restarts; then everything heals and must come to an end.
struct History: Sendable {
    let seed: UInt64
    var variation = Variation()

    struct Verdict: Sendable {
        var breaches: [String] = []
        var trace: [String] = []
        var captures = 0
    }

    /// What the history's callers were told.
    private final class Hearsay: Sendable {
        let told = Mutex<[(Market.Payment, PaymentOutcome)]>([])
        let breaches = Mutex<[String]>([])
        func note(_ payment: Market.Payment, _ outcome: PaymentOutcome) {
            told.withLock { $0.append((payment, outcome)) }
        }
        func breach(_ text: String) { breaches.withLock { $0.append(text) } }
    }

    func run() -> Verdict {
        let random = SeededRandomSource(seed: seed ^ 0x5EED)
        var faults = SimulatedFaults.drawn(from: random)
        variation.faults(&faults)
        let world = SimulatedWorld(seed: seed, faults: faults)
        var verdict = Verdict()
        do {
            verdict = try world.run { try await live(world, random) }
        } catch {
            verdict.breaches.append("\(error)")
        }
        world.end()
        verdict.trace = world.trace
        return verdict
    }

    // MARK: Phases

    private func live(_ world: SimulatedWorld, _ random: SeededRandomSource) async throws -> Verdict {
        let market = try Market(world, variation)
        let payments = await market.payments(1 + random.below(4), variation, random)
        let hearsay = Hearsay()
        for _ in 0..<(1 + random.below(3)) {
            let crash = random.happens(0.7) ? random.below(40 * payments.count) : nil
            let process = world.start(crashingAt: crash)
            await use(router(process, market, hearsay), payments, process, hearsay, random)
            process.crash()
            try await world.clock.sleep(for: .seconds(random.happens(0.2) ? random.below(1200) : random.below(10)))
        }
        world.faults = .none
        world.note("everything heals")
        let process = world.start()
        let endings = try await converge(router(process, market, hearsay), payments, process, market, hearsay)
        return await judge(world, market, payments, endings, hearsay)
    }

    private func router(_ process: SimulatedProcess, _ market: Market, _ hearsay: Hearsay) -> PaymentRouter {
        process.router(market.registry) { transport, journal in
            let retry = [RetryMiddleware(clock: process.clock, random: process.random)]
            var network: any HTTPTransport = transport
            if variation.checksDurability {
                network = DurabilityCheck(base: network, disk: process.disk) { hearsay.breach($0) }
            }
            network = LayeredTransport(variation.transport(network), seed % 2 == 0 ? retry : [])
            return (network, variation.journal(journal))
        }
    }

    /// Pays everything, some of it twice at once, some of it called off, and goes on with what was interrupted.
    private func use(
        _ router: PaymentRouter, _ payments: [Market.Payment], _ process: SimulatedProcess, _ hearsay: Hearsay,
        _ random: SeededRandomSource
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for payment in payments where random.happens(0.9) {
                for _ in 0..<(random.happens(0.2) ? 2 : 1) {
                    let patience = random.happens(0.15) ? Duration.milliseconds(random.below(3000)) : nil
                    group.addTask {
                        guard let outcome = await Self.pay(payment, router, process.clock, patience) else { return }
                        if !process.isDead { hearsay.note(payment, outcome) }
                    }
                }
            }
            if random.happens(0.3) {
                group.addTask {
                    for history in (try? await process.journal.unfinished()) ?? [] {
                        _ = try? await router.resume(history.attempt.id, as: Market.payer)
                    }
                }
            }
        }
    }

    private static func pay(
        _ payment: Market.Payment, _ router: PaymentRouter, _ clock: any PaymentClock, _ patience: Duration?
    ) async -> PaymentOutcome? {
        guard let patience else { return try? await router.pay(payment.link, as: Market.payer) }
        return await withTaskGroup(of: PaymentOutcome??.self) { group in
            group.addTask { .some(try? await router.pay(payment.link, as: Market.payer)) }
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

    private enum Ending { case outcome(PaymentOutcome), refused }

    /// Pays and resumes until everything has ended.
    private func converge(
        _ router: PaymentRouter, _ payments: [Market.Payment], _ process: SimulatedProcess, _ market: Market,
        _ hearsay: Hearsay
    ) async throws -> [String: Ending] {
        var endings: [String: Ending] = [:]
        for _ in 0..<40 {
            for payment in payments where endings[payment.id] == nil {
                do {
                    let outcome = try await router.pay(payment.link, as: Market.payer)
                    if outcome.isFinal { endings[payment.id] = .outcome(outcome) }
                } catch {
                    if error.phase != .maybeSent { endings[payment.id] = .refused }
                }
            }
            for history in try await process.journal.unfinished() {
                _ = try? await router.resume(history.attempt.id, as: Market.payer)
            }
            if endings.count == payments.count, try await process.journal.unfinished().isEmpty { return endings }
            try await process.clock.sleep(for: .seconds(60))
        }
        for payment in payments where endings[payment.id] == nil {
            hearsay.breach("\(payment.id) reached no end within 40 minutes after everything healed")
        }
        for history in try await process.journal.unfinished() {
            hearsay.breach("\(history.attempt.id) stays unfinished after everything healed")
        }
        return endings
    }

    private func judge(
        _ world: SimulatedWorld, _ market: Market, _ payments: [Market.Payment], _ endings: [String: Ending],
        _ hearsay: Hearsay
    ) async -> Verdict {
        var verdict = Verdict(breaches: hearsay.breaches.withLock { $0 })
        for payment in payments {
            let captures = await market.captures(of: payment)
            let isPaid = await market.isPaid(payment)
            verdict.captures += captures
            if captures > 1 { verdict.breaches.append("\(payment.id) was captured \(captures) times") }
            var told = hearsay.told.withLock { $0 }.filter { $0.0.id == payment.id }.map(\.1)
            switch endings[payment.id] {
            case .outcome(let outcome): told.append(outcome)
            case .refused where isPaid: verdict.breaches.append("\(payment.id) was refused in the end, but is paid")
            case .refused, nil: break
            }
            for outcome in told where outcome.isFinal {
                if case .succeeded = outcome {
                    if !isPaid { verdict.breaches.append("\(payment.id) was called paid, but is not") }
                } else if isPaid {
                    verdict.breaches.append("\(payment.id) was called \(outcome), but is paid")
                }
            }
        }
        for history in world.disk.histories where history.isFinished && history.outcome == nil {
            if await market.wasCaptured(history.attempt) {
                verdict.breaches.append("\(history.attempt.id) was abandoned as without effect, but money was taken")
            }
        }
        verdict.breaches += JournalRules.breaches(in: world.disk.histories)
        return verdict
    }
}

/// Checks that whatever can move money is covered by a durable record at the moment when it leaves.
struct DurabilityCheck: HTTPTransport {
    let base: any HTTPTransport
    let disk: SimulatedDisk
    let breach: @Sendable (String) -> Void

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if let verb = request.url.path.split(separator: "/").last, verb == "confirm" || verb == "charge" {
            let isCovered = disk.durableHistories.contains { history in
                request.url.path.contains("/\(history.attempt.reference.id)/") && !history.isFinished
                    && history.mayHaveMovedMoney
            }
            if !isCovered { breach("'\(verb)' left before its step was durable") }
        }
        return try await base.send(request)
    }
}
