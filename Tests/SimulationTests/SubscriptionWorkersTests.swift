import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentSettlement
import PaymentTesting
import Synchronization
import Testing

/// Plans that two processes on one disk charge through routers with limits: they crash, lose the power, have full
/// disks, and restart.
@Suite("Simulated subscriptions, paid by routers")
struct SubscriptionWorkersTests {
    private static let count = ProcessInfo.processInfo.environment["SEEDS"].flatMap { UInt64($0) } ?? 40
    private static let parts: UInt64 = 4

    @Test("However they crash and restart, each period is charged once or reported as missed", arguments: 0..<parts)
    func histories(part: UInt64) throws {
        var (paid, missed, asked) = (0, 0, 0)
        for seed in Self.count * part / Self.parts..<Self.count * (part + 1) / Self.parts {
            let findings = try SubscriptionWorkers(seed: seed).run()
            #expect(findings.breaches.isEmpty, "seed \(seed): \(findings.breaches)")
            paid += findings.paid
            missed += findings.missed
            asked += findings.asked
        }
        #expect(paid > 0 && missed > 0 && asked > 0, "histories in which nothing happens prove nothing")
    }

    @Test("Two devices with separate journals and one wallet pay each period once", arguments: 0..<parts)
    func devices(part: UInt64) throws {
        var paid = 0
        for seed in Self.count * part / Self.parts..<Self.count * (part + 1) / Self.parts {
            let findings = try SubscriptionWorkers(seed: seed, devices: 2).run()
            #expect(findings.breaches.isEmpty, "seed \(seed): \(findings.breaches)")
            paid += findings.paid
        }
        #expect(paid > 0, "histories in which nothing happens prove nothing")
    }

    @Test("A wallet that never answers for one plan delays no other", arguments: 0..<parts)
    func hanging(part: UInt64) throws {
        for seed in Self.count * part / Self.parts..<Self.count * (part + 1) / Self.parts {
            let findings = try SubscriptionWorkers(seed: seed, hangs: true).run()
            #expect(findings.breaches.isEmpty, "seed \(seed): \(findings.breaches)")
        }
    }

    @Test("A planted mistake is found within 400 histories", arguments: SubscriptionMistake.allCases)
    func planted(mistake: SubscriptionMistake) throws {
        for seed in 0..<400 as Range<UInt64> {
            let history = try SubscriptionWorkers(
                seed: seed, devices: mistake == .keyOfTry ? 2 : 1, hangs: mistake == .waits, mistake: mistake)
            // A scheduler that waits for a wallet that never answers ends in a world where nothing can happen any more.
            guard let findings = try? history.run(), findings.breaches.isEmpty else { return }
        }
        Issue.record("not found: \(mistake.rawValue)")
    }
}

/// A planted mistake.
enum SubscriptionMistake: String, CaseIterable {
    case forgetsFate = "a payer says that nothing was sent, without looking"
    case keyOfTry = "a settler's key follows from the try, not from the period"
    case waits = "a scheduler waits for a wallet however long it takes"
}

/// One history.
private struct SubscriptionWorkers {
    struct Findings {
        var breaches: [String] = []
        var (paid, missed, asked) = (0, 0, 0)
    }

    private static let limit = SpendingLimit(money(5000), per: .day)

    private let world: SimulatedWorld
    private let random: SeededRandomSource
    private let registry: ProviderRegistry
    private let wallet = Wallet()
    /// Each has a store of plans, a disk, and the one wallet.
    private let devices: [(plans: InMemoryRecords, disk: SimulatedDisk)]
    private let hangs: Bool
    private let mistake: SubscriptionMistake?

    init(seed: UInt64, devices: Int = 1, hangs: Bool = false, mistake: SubscriptionMistake? = nil) throws {
        random = SeededRandomSource(seed: seed ^ 0x5AB5)
        self.hangs = hangs
        self.mistake = mistake
        var faults = SimulatedFaults.drawn(from: random)
        // Another suite covers the effect of clocks on schedules.
        faults.wrongClock = 0
        world = SimulatedWorld(seed: seed, faults: faults, isTraced: false)
        registry = try ProviderRegistry([WalletProvider(keysTries: mistake == .keyOfTry)])
        let world = world
        self.devices = (0..<devices).map { number in
            (InMemoryRecords(), number == 0 ? world.disk : world.makeDisk())
        }
    }

    func run() throws -> Findings {
        defer {
            wallet.wakeUp()
            world.end()
        }
        return try world.run(steps: 4_000_000) { try await live() }
    }

    private func live() async throws -> Findings {
        let start = world.clock.now
        for number in 0..<(hangs ? 6 : 5) {
            for device in devices {
                try await RecurringPlans(device.plans).store(
                    RecurringPlan(
                        id: RecurringPlan.ID(rawValue: "plan \(number)"), provider: "wallet", amount: money(1000),
                        schedule: RecurringSchedule(.every(seconds: 43_200), from: start),
                        policy: RecurringPolicy(
                            RecurringPolicy.CatchUp.allCases[number % 3], grace: .seconds(30_000), mostAttempts: 2),
                        details: RecurringOrder(
                            // Two of one payee, one whose payments are refused, and one with a question each time.
                            link:
                                "https://wallet.example/"
                                + (number == 3 ? "refuses" : number == 5 ? "hangs" : "payee-\(number / 2)"),
                            paysByItself: number != 4
                        ).details), opening: [])
            }
        }
        for _ in 0..<4 {
            let processes = (0..<2).map { number in
                // A dead process's clock, which would bound it, never ends a wait for a wallet that never answers.
                let crash = hangs || random.next() % 3 == 0 ? nil : Int(random.next() % 150)
                let device = number % devices.count
                return (
                    device,
                    world.start(
                        on: devices[device].disk, crashingAt: crash,
                        by: random.next() % 2 == 0 ? .process : .machine(.drawn))
                )
            }
            await withTaskGroup(of: Void.self) { group in
                for (device, process) in processes {
                    let scheduler = scheduler(process, device)
                    for _ in 0..<2 { group.addTask { try? await scheduler.look() } }
                    let answers = random.next()
                    group.addTask { try? await answer(scheduler, answers, device) }
                }
            }
            for (_, process) in processes { process.crash() }
            try await world.clock.sleep(for: .seconds(Int(random.next() % 50_000)))
        }
        world.faults = .none
        let survivors = devices.indices.map { ($0, world.start(on: devices[$0].disk)) }
        let last = survivors.map { scheduler($1, $0) }
        for _ in 0..<40 {
            for scheduler in last {
                let begun = world.elapsed
                try await scheduler.look()
                // Two periods that hang, at most, for each that is paid beside them.
                if world.elapsed - begun > 3000 { wallet.breach("a look took \(Int(world.elapsed - begun)) s") }
            }
            try await world.clock.sleep(for: .seconds(3600))
        }
        // A reservation of a crashed process is released when it is in the way, or when an application recovers.
        for (_, survivor) in survivors { _ = try await router(survivor).recover(as: payer(survivor)) }
        return try await judge()
    }

    private func scheduler(_ process: SimulatedProcess, _ device: Int) -> RecurringScheduler {
        let payer = RouterPayer(router(process), as: payer(process))
        return RecurringScheduler(
            store: RecordsOfProcess(base: devices[device].plans, process: process),
            payer: mistake == .forgetsFate ? Forgetful(base: payer) as any RecurringPayer : payer,
            clock: process.clock, random: process.random, lease: .seconds(300),
            bound: mistake == .waits ? .seconds(1_000_000_000) : .seconds(300))
    }

    private func router(_ process: SimulatedProcess) -> PaymentRouter {
        process.router(
            registry, leases: LeasePolicy(duration: .seconds(300)),
            autoPay: AutoPay(within: [Self.limit], timeZone: .gmt))
    }

    private func payer(_ process: SimulatedProcess) -> Payer {
        Payer(settler: WalletOfProcess(wallet: wallet, process: process))
    }

    private func answer(_ scheduler: RecurringScheduler, _ answers: UInt64, _ device: Int) async throws {
        let plans = RecurringPlans(devices[device].plans)
        for plan in try await plans.all() {
            for charge in try await plans.charges(of: plan.id) {
                guard case .waiting = charge.state else { continue }
                if (answers >> UInt64(charge.id.number % 60)) & 3 == 0 {
                    try? await scheduler.refuse(charge.id)
                } else {
                    try? await scheduler.approve(charge.id)
                }
            }
        }
    }

    // MARK: Judging

    private func judge() async throws -> Findings {
        var findings = Findings()
        findings.breaches = wallet.breaches
        for device in devices { try await judge(RecurringPlans(device.plans), device.disk.spendings, &findings) }
        return findings
    }

    private func judge(
        _ plans: RecurringPlans, _ records: [SpendingRecord], _ findings: inout Findings
    ) async throws {
        let moved = wallet.moved
        for plan in try await plans.all() {
            let charges = try await plans.charges(of: plan.id)
            let last = plan.schedule.lastPeriod(at: world.clock.now)?.number ?? -1
            if charges.count <= last - 1 { findings.breaches.append("\(plan.id) has \(charges.count) of \(last + 1)") }
            for charge in charges { judge(charge, moved["\(charge.id)", default: 0], &findings) }
        }
        for record in records
        where record.state == .reserved && !isYoung(record) && !record.spending.payment.id.hasPrefix("plan 5") {
            findings.breaches.append("something stays reserved for \(record.spending.payment)")
        }
        for (day, all) in Dictionary(grouping: records.filter { $0.state == .paid }, by: \.spending.day)
        where UInt128(all.count) * 1000 > Self.limit.amount.minorUnits {
            findings.breaches.append("\(all.count) payments on \(day), with a limit of \(Self.limit)")
        }
        for record in records where record.state == .paid && moved[record.spending.payment.id] != 1 {
            findings.breaches.append("\(record.spending.payment) counts, and was not paid")
        }
    }

    private func judge(_ charge: RecurringCharge, _ moved: Int, _ findings: inout Findings) {
        if moved > 1 { findings.breaches.append("\(charge.id) was paid \(moved) times") }
        if charge.isApproved { findings.asked += 1 }
        switch charge.state {
        case .paid:
            findings.paid += 1
            if moved == 0 { findings.breaches.append("\(charge.id) is told paid, and was not") }
        case .missed(let reason):
            findings.missed += 1
            // Another device, on which it was not refused, may have paid it.
            if moved != 0, devices.count == 1 {
                findings.breaches.append("\(charge.id) is told missed (\(reason)), and was paid")
            }
        // It is asked about again and again.
        case _ where charge.id.plan.rawValue == "plan 5": break
        default:
            if charge.deadline < world.clock.now.addingTimeInterval(-20_000) {
                findings.breaches.append("\(charge.id) has no end: \(charge.state)")
            }
        }
    }

    /// True for a record that the last looks may still work on.
    private func isYoung(_ record: SpendingRecord) -> Bool {
        record.spending.day >= SpendingDay(world.clock.now.addingTimeInterval(-86_400), in: .gmt)
    }
}
