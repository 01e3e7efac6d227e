import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Testing

/// Eight workers in two processes on one disk, which pay without a question, crash and restart.
@Suite("Simulated spending")
struct SpendingWorkersTests {
    private static let count = ProcessInfo.processInfo.environment["SEEDS"].flatMap { UInt64($0) } ?? 200
    private static let parts: UInt64 = 4

    @Test("However they crash and come back, no limit is exceeded, and nothing stays reserved", arguments: 0..<parts)
    func histories(part: UInt64) throws {
        var (paid, crashed, refused) = (0, 0, 0)
        for seed in Self.count * part / Self.parts..<Self.count * (part + 1) / Self.parts {
            let workers = try SpendingWorkers(seed: seed)
            let findings = try workers.run()
            #expect(findings.breaches.isEmpty, "seed \(seed): \(findings.breaches)")
            paid += findings.paid
            crashed += findings.crashed
            refused += findings.refused
        }
        #expect(paid > 0 && crashed > 0 && refused > 0, "histories in which nothing happens prove nothing")
    }
}

/// One history.
private struct SpendingWorkers {
    struct Findings {
        var breaches: [String] = []
        var paid = 0
        var refused = 0
        var crashed = 0
    }

    /// Each payment is over ten euros.
    private static let limits = [
        SpendingLimit(amount(4), per: .day), SpendingLimit(amount(7), per: .week),
        SpendingLimit(amount(3), per: .day, on: .method("charge")),
    ]

    private static func amount(_ payments: UInt128) -> Money {
        guard let money = try? Money(minorUnits: payments * 1000, currency: .eur) else {
            preconditionFailure("small amounts exist")
        }
        return money
    }

    private let world: SimulatedWorld
    private let random: SeededRandomSource
    private let service: KeyedService
    private let registry: ProviderRegistry

    init(seed: UInt64) throws {
        random = SeededRandomSource(seed: seed ^ 0x5EED)
        var faults = SimulatedFaults.drawn(from: random)
        // Other suites cover these faults.
        faults.stopped = 0
        world = SimulatedWorld(seed: seed, faults: faults, isTraced: false)
        service = KeyedService(clock: world.clock)
        world.connect(service, to: KeyedService.host)
        registry = try ProviderRegistry([KeyedProvider()])
    }

    func run() throws -> Findings {
        defer { world.end() }
        return try world.run { try await live() }
    }

    private func live() async throws -> Findings {
        var findings = Findings()
        var links: [String] = []
        for number in 0..<12 {
            links.append(await service.createPayment("p\(number)", number % 5 == 4 ? .declined : .paidAtOnce))
        }
        for _ in 0..<3 {
            let processes = (0..<2).map { _ in
                let crash = random.next() % 3 == 0 ? nil : Int(random.next() % 120)
                return world.start(crashingAt: crash, by: random.next() % 2 == 0 ? .process : .machine(.drawn))
            }
            let words = await withTaskGroup(of: [PaymentOutcome?].self) { group in
                for process in processes {
                    let router = router(process)
                    group.addTask {
                        _ = try? await router.recover(as: Payer())
                        return []
                    }
                    for _ in 0..<4 {
                        let own = (0..<3).map { _ in links[Int(random.next() % 12)] }
                        group.addTask {
                            var words: [PaymentOutcome?] = []
                            for link in own { words.append(try? await router.pay(link, as: Payer())) }
                            return words
                        }
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            findings.refused += words.count {
                if case .declined(let reason)? = $0 { reason.code == .overLimit } else { false }
            }
            findings.crashed += processes.count(where: \.isDead)
            for process in processes { process.crash() }
            try await world.clock.sleep(for: .seconds(Int(random.next() % 90_000)))
        }
        world.faults = .none
        let last = router(world.start())
        for _ in 0..<40 {
            _ = try? await last.recover(as: Payer())
            guard world.disk.histories.contains(where: { !$0.isFinished }) else { break }
            try await world.clock.sleep(for: .seconds(600))
        }
        await judge(&findings)
        return findings
    }

    private func router(_ process: SimulatedProcess) -> PaymentRouter {
        process.router(registry, autoPay: AutoPay(within: Self.limits, timeZone: .gmt))
    }

    /// Compares the money that the service took with the limits, and the spending store with the journal.
    private func judge(_ findings: inout Findings) async {
        var moved: [SpendingRecord] = []
        for history in world.disk.histories {
            let attempt = history.attempt
            guard await service.keys(of: attempt.reference.id).contains(attempt.idempotencyKey) else { continue }
            guard let record = world.disk.spendings.first(where: { $0.spending.attempt == attempt.id }) else {
                findings.breaches.append("\(attempt.id) moved money, and nothing was reserved for it")
                continue
            }
            moved.append(record)
        }
        findings.paid += moved.count
        for limit in Self.limits {
            let periods = Dictionary(grouping: moved.filter { limit.includes($0.spending) }) {
                $0.spending.day.first(of: limit.period)
            }
            for (first, records) in periods where UInt128(records.count) * 1000 > limit.amount.minorUnits {
                findings.breaches.append("\(records.count) payments from \(first) on, with a limit of \(limit)")
            }
        }
        for history in world.disk.histories where !history.isFinished {
            findings.breaches.append("\(history.attempt.id) has no end")
        }
        for record in world.disk.spendings where record.state == .reserved {
            findings.breaches.append("something stays reserved for \(record.spending.attempt)")
        }
        for record in moved where record.state != .paid {
            findings.breaches.append("\(record.spending.attempt) moved money, and is \(record.state)")
        }
    }
}
