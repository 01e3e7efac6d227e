import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentSettlement
import PaymentStore
import PaymentTesting
import Synchronization
import Testing

/// Plans that two processes on one disk charge through routers with limits: they crash, lose the power, have full
/// disks, and restart.
@Suite("Simulated subscriptions, paid by routers")
struct SubscriptionWorkersTests {
    private static let count = ProcessInfo.processInfo.environment["SEEDS"].flatMap { UInt64($0) } ?? 40
    private static let parts: UInt64 = 4

    @Test("However they crash and come back, each period is charged once or told missed", arguments: 0..<parts)
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

    @Test("Who forgets what was cancelled is found out")
    func planted() throws {
        for seed in 0..<400 as Range<UInt64> {
            if try !SubscriptionWorkers(seed: seed, forgetsFate: true).run().breaches.isEmpty { return }
        }
        Issue.record("a payer that says that nothing was sent, without looking, passes")
    }
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
    private let plans = InMemoryRecurringJournal()
    private let forgetsFate: Bool

    init(seed: UInt64, forgetsFate: Bool = false) throws {
        random = SeededRandomSource(seed: seed ^ 0x5AB5)
        self.forgetsFate = forgetsFate
        var faults = SimulatedFaults.drawn(from: random)
        // Another suite covers the effect of clocks on schedules.
        faults.wrongClock = 0
        world = SimulatedWorld(seed: seed, faults: faults, isTraced: false)
        registry = try ProviderRegistry([WalletProvider()])
    }

    func run() throws -> Findings {
        defer { world.end() }
        return try world.run(steps: 4_000_000) { try await live() }
    }

    private func live() async throws -> Findings {
        for number in 0..<5 {
            _ = try await plans.store(
                RecurringPlan(
                    id: RecurringPlan.ID(rawValue: "plan \(number)"), provider: "wallet", amount: money(1000),
                    schedule: RecurringSchedule(.every(seconds: 43_200), from: world.clock.now),
                    policy: RecurringPolicy(
                        RecurringPolicy.CatchUp.allCases[number % 3], grace: .seconds(30_000), mostAttempts: 2),
                    details: RecurringOrder(
                        // Two of one payee, one whose payments are refused, and one with a question each time.
                        link: "https://wallet.example/\(number == 3 ? "refuses" : "payee-\(number / 2)")",
                        paysByItself: number != 4
                    ).details), opening: [])
        }
        for _ in 0..<4 {
            let processes = (0..<2).map { _ in
                let crash = random.next() % 3 == 0 ? nil : Int(random.next() % 150)
                return world.start(crashingAt: crash, by: random.next() % 2 == 0 ? .process : .machine(.drawn))
            }
            await withTaskGroup(of: Void.self) { group in
                for process in processes {
                    let scheduler = scheduler(process)
                    for _ in 0..<2 { group.addTask { try? await scheduler.look() } }
                    let answers = random.next()
                    group.addTask { await answer(scheduler, answers) }
                }
            }
            for process in processes { process.crash() }
            try await world.clock.sleep(for: .seconds(Int(random.next() % 50_000)))
        }
        world.faults = .none
        let survivor = world.start()
        let last = scheduler(survivor)
        for _ in 0..<40 {
            try await last.look()
            try await world.clock.sleep(for: .seconds(3600))
        }
        // A reservation of a crashed process is released when it is in the way, or when an application recovers.
        _ = try await router(survivor).recover(as: payer(survivor))
        return await judge()
    }

    private func scheduler(_ process: SimulatedProcess) -> RecurringScheduler {
        let payer = RouterPayer(router(process), as: payer(process))
        return RecurringScheduler(
            journal: PlansOfProcess(base: plans, process: process),
            payer: forgetsFate ? Forgetful(base: payer) as any RecurringPayer : payer, clock: process.clock,
            random: process.random, lease: .seconds(300))
    }

    private func router(_ process: SimulatedProcess) -> PaymentRouter {
        process.router(
            registry, leases: LeasePolicy(duration: .seconds(300)),
            autoPay: AutoPay(within: [Self.limit], timeZone: .gmt))
    }

    private func payer(_ process: SimulatedProcess) -> Payer {
        Payer(settler: WalletOfProcess(wallet: wallet, process: process))
    }

    private func answer(_ scheduler: RecurringScheduler, _ answers: UInt64) async {
        for plan in await plans.plans() {
            for charge in await plans.charges(of: plan.id) {
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

    private func judge() async -> Findings {
        var findings = Findings()
        let (moved, records) = (wallet.moved, world.disk.spendings)
        for plan in await plans.plans() {
            let charges = await plans.charges(of: plan.id)
            let last = plan.schedule.lastPeriod(at: world.clock.now)?.number ?? -1
            if charges.count <= last - 1 { findings.breaches.append("\(plan.id) has \(charges.count) of \(last + 1)") }
            for charge in charges { judge(charge, moved["\(charge.id)", default: 0], &findings) }
        }
        for record in records where record.state == .reserved && !isYoung(record) {
            findings.breaches.append("something stays reserved for \(record.spending.payment)")
        }
        for (day, all) in Dictionary(grouping: records.filter { $0.state == .paid }, by: \.spending.day)
        where UInt128(all.count) * 1000 > Self.limit.amount.minorUnits {
            findings.breaches.append("\(all.count) payments on \(day), with a limit of \(Self.limit)")
        }
        for record in records where record.state == .paid && moved[record.spending.payment.id] != 1 {
            findings.breaches.append("\(record.spending.payment) counts, and was not paid")
        }
        return findings
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
            if moved != 0 { findings.breaches.append("\(charge.id) is told missed (\(reason)), and was paid") }
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

private func money(_ cents: UInt128) -> Money {
    guard let money = try? Money(minorUnits: cents, currency: .eur) else { preconditionFailure("small amounts exist") }
    return money
}

/// The plans of one process: a dead process writes nothing.
private struct PlansOfProcess: RecurringJournal {
    struct Gone: Error {}

    let base: InMemoryRecurringJournal
    let process: SimulatedProcess

    private func alive<Value>(_ work: () async throws -> Value) async throws -> Value {
        guard !process.isDead else { throw Gone() }
        return try await work()
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await alive { await base.acquire(lease, at: now) }
    }
    func renew(_ lease: PaymentLease, at now: Date) async throws {
        try await alive { try await base.renew(lease, at: now) }
    }
    func release(_ lease: PaymentLease) async throws { try await alive { await base.release(lease) } }
    func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan {
        try await alive { try await base.store(plan, opening: charges) }
    }
    func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan? { try await alive { await base.plan(id) } }
    func plans() async throws -> [RecurringPlan] { try await alive { await base.plans() } }
    func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan] {
        try await alive { await base.plans(dueBy: date, limit: limit) }
    }
    func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await alive { try await base.write(charge, under: lease, at: now) }
    }
    func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge? {
        try await alive { await base.charge(id) }
    }
    func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge] {
        try await alive { await base.charges(of: plan) }
    }
    func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge] {
        try await alive { await base.openCharges(by: date, limit: limit) }
    }
    func trustedTime() async throws -> Date? { try await alive { await base.trustedTime() } }
    func trust(_ date: Date, isCorrection: Bool) async throws {
        try await alive { await base.trust(date, isCorrection: isCorrection) }
    }
}

/// A payer that reports every payment as unsent, and cancels nothing.
private struct Forgetful: RecurringPayer {
    let base: RouterPayer

    func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
        try await base.pay(charge, of: plan)
    }
    func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? { nil }
}

/// The payer's money: the payments, by the name of the period, with all repetitions.
private final class Wallet: Sendable {
    private let state = Mutex<(paid: [String: SettlementProof], moved: [String: Int])>(([:], [:]))

    var moved: [String: Int] { state.withLock { $0.moved } }

    func proof(_ key: String) -> SettlementProof? { state.withLock { $0.paid[key] } }

    /// Pays once for each key, as settlers do.
    func pay(_ key: String, for period: String) -> SettlementProof {
        state.withLock { state in
            if let proof = state.paid[key] { return proof }
            let proof = SettlementProof.transaction("tx-\(state.paid.count)")
            state.paid[key] = proof
            state.moved[period, default: 0] += 1
            return proof
        }
    }
}

/// The wallet of one process.
private struct WalletOfProcess: PaymentSettler {
    struct Gone: Error {}

    let wallet: Wallet
    let process: SimulatedProcess

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { true }

    func state(of settlement: Settlement) async throws -> SettlementState {
        try await wait()
        return wallet.proof(settlement.key).map { .settled($0) } ?? .nothingSent(reason: nil)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        try await wait()
        let words = settlement.endpoint.text.split(separator: "|").map(String.init)
        if words[0] == "refuses" { return .nothingSent(reason: "there is no route") }
        let proof = wallet.pay(settlement.key, for: words[1])
        try await wait()
        // Now and then the answer is lost.
        guard process.random.fraction() > 0.1 else { throw Gone() }
        return .settled(proof)
    }

    private func wait() async throws {
        guard !process.isDead else { throw Gone() }
        try await process.clock.sleep(for: .seconds(1 + Int(process.random.next() % 20)))
        guard !process.isDead else { throw Gone() }
    }
}

/// Pays the payee of the link, by an endpoint that names the period.
private struct WalletProvider: SettlingProvider, PayeeProvider {
    var descriptor: ProviderDescriptor {
        ProviderDescriptor(id: "wallet", name: "Wallet", patterns: [.host("wallet.example")], outboundHosts: [])
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        LinkMatch(reference: String(link.path.drop { $0 == "/" }), namesPayee: true)
    }

    func payee(of option: PaymentMethodOption) -> String? { option.providerData?["payee"]?.string }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let payee = request.match.reference ?? ""
        let endpoint = SettlementEndpoint(.bitcoinAddress, text: "\(payee)|\(request.reference.id)", network: "regtest")
        try await context.clock.sleep(for: .seconds(2))
        return PaymentQuote(
            reference: request.reference, payee: Payee(name: payee, id: payee), amount: money(1000),
            options: [
                PaymentMethodOption(
                    id: "address", title: "address", amount: money(1000),
                    needs: [.settlement(.bitcoinAddress, network: "regtest")],
                    providerData: ["payee": .string(payee), "endpoint": try JSONValue.encode(endpoint)])
            ])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        guard let endpoint = attempt.option.providerData?["endpoint"] else {
            throw PaymentError(.providerFault, "no endpoint")
        }
        do {
            let proof = try await context.settle(attempt, to: try endpoint.decode(SettlementEndpoint.self))
            return .succeeded(
                PaymentReceipt(
                    reference: attempt.reference, amount: attempt.option.amount, transactionID: proof.text))
        } catch let error as PaymentError where error.code == .notSettled {
            return .declined(DeclineReason(.refused, error.message))
        }
    }
}
