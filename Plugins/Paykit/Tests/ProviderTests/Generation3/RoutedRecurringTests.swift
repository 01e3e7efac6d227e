import Foundation
import PaykitKit
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Recurring requests, paid by plans (Protocol 12.5 and 12.9).
@Suite("Recurring requests over private links, by a router", .timeLimit(.minutes(5)))
struct RoutedRecurringTests {
    private static let day = Duration.seconds(86_400)

    /// An accepted daily request, and the plan that pays it.
    private func daily(
        _ world: RequestWorld, at endpoints: [PaykitEndpoint]? = nil
    ) async throws -> (id: String, plan: RecurringPlan) {
        let now = PrivateLinkTime(seconds: Int64(world.clock.now.timeIntervalSince1970))
        let recurrence = try PrivateLinkRecurrence(every: 1, .day, start: now, anchor: now, end: nil)
        let id = try await world.ask(recurring: recurrence, at: endpoints)
        try await world.payer.flow.accept(id, world.asPayer)
        let request = try #require(await world.readRequests.first { $0.id == id })
        let plan = try request.plan(world.asPayer, paysByItself: true, provider: "paykit", policy: RecurringPolicy())
        return (id, plan)
    }

    private func scheduler(
        _ process: RoutingProcess, _ store: InMemoryRecords, _ world: RequestWorld,
        _ waiting: Noted<RecurringCharge> = Noted()
    ) -> RecurringScheduler {
        RecurringScheduler(
            store: store, payer: RouterPayer(process.router, as: process.payer), clock: world.clock,
            listener: { if case .waiting(let charge) = $0 { waiting.note(charge) } })
    }

    private func offer(_ world: RequestWorld) async throws { try await world.offer(await world.invoice(2100)) }

    @Test("Each period is paid once within the limits, at a separate invoice, and proven by its name")
    func everyDay() async throws {
        let world = try await RequestWorld()
        let (id, plan) = try await daily(world)
        let scheduler = scheduler(try world.process(limit: 3000), InMemoryRecords(), world)
        try await scheduler.add(plan)
        for day in 1...3 {
            for _ in 0..<3 { try await scheduler.look() }
            #expect(await world.captures == day)
            #expect(try await world.proofs(id).count == day)
            world.clock.advance(by: Self.day)
            // The used one pays nothing more.
            try await scheduler.look()
            #expect(await world.captures == day)
            try await offer(world)
            world.clock.advance(by: .seconds(3600))
        }
        let periods = try await world.requests
            .first { $0.id == id }?.state.proofs.compactMap(\.period?.start)
        #expect(Set(periods ?? []).count == 3)
    }

    @Test("Above the limit a period waits for a yes, and is paid then; after a no it is not")
    func asks() async throws {
        let world = try await RequestWorld()
        let (_, plan) = try await daily(world)
        let waiting = Noted<RecurringCharge>()
        let scheduler = scheduler(try world.process(limit: 2000), InMemoryRecords(), world, waiting)
        try await scheduler.add(plan)
        for _ in 0..<2 { try await scheduler.look() }
        #expect(await world.captures == 0 && waiting.all.count == 1)
        let first = try #require(waiting.all.first).id
        try await scheduler.approve(first)
        await #expect(throws: RecurringAnswerError.tooLate(first)) { try await scheduler.approve(first) }
        #expect(await world.captures == 1)
        world.clock.advance(by: Self.day)
        try await offer(world)
        try await scheduler.look()
        try await scheduler.refuse(#require(waiting.all.last).id)
        try await scheduler.look()
        #expect(await world.captures == 1)
    }

    @Test("A crash between any two actions: the period is paid once, and proven")
    func crashes() async throws {
        var actions = 0
        while true {
            let world = try await RequestWorld()
            let (id, plan) = try await daily(world)
            let plans = InMemoryRecords()
            let lifetime = ProcessLifetime(actions)
            let first = scheduler(try world.process(lifetime, limit: 3000), plans, world)
            try await first.add(plan)
            try? await first.look()
            guard lifetime.isOver else {
                #expect(await world.captures == 1)
                #expect(actions > 14, "there are that many moments")
                return
            }
            let second = scheduler(try world.process(limit: 3000, seed: 3), plans, world)
            for _ in 0..<6 {
                world.clock.advance(by: .seconds(1200))
                try await second.look()
            }
            #expect(await world.captures == 1, "after \(actions) actions")
            #expect(try await world.proofs(id).count == 1, "after \(actions) actions")
            actions += 1
        }
    }

    @Test("Two devices with separate plans and journals pay a period once between them")
    func twoDevices() async throws {
        let world = try await RequestWorld()
        let (id, plan) = try await daily(world)
        let devices = try (0..<2 as Range<UInt64>).map { number in
            scheduler(
                try world.process(journal: InMemoryJournal(), limit: 9000, seed: number + 2),
                InMemoryRecords(), world)
        }
        for device in devices { try await device.add(plan) }
        for day in 1...2 {
            await withTaskGroup(of: Void.self) { group in
                for device in devices { group.addTask { try? await device.look() } }
            }
            for device in devices { try await device.look() }
            #expect(await world.captures == day)
            #expect(try await world.proofs(id).count == day)
            world.clock.advance(by: Self.day)
            try await offer(world)
        }
    }

    @Test("What was cancelled is paid no more, and the period says so")
    func calledOff() async throws {
        let world = try await RequestWorld()
        let (id, plan) = try await daily(world)
        try await world.cancel(id)
        let plans = InMemoryRecords()
        let scheduler = scheduler(try world.process(limit: 3000), plans, world)
        try await scheduler.add(plan)
        for _ in 0..<5 {
            try await scheduler.look()
            world.clock.advance(by: .seconds(3600))
        }
        #expect(await world.captures == 0 && world.settled.isEmpty)
        let states = try await RecurringPlans(plans).charges(of: plan.id).map(\.state)
        #expect(states == [.missed(.declined("the payment was cancelled"))])
    }

    @Test("Only an accepted request of the peer's that recurs has a plan, and its link pays no single payment")
    func plans() async throws {
        let world = try await RequestWorld()
        let once = try await world.ask()
        let (id, plan) = try await daily(world)
        let requests = try await world.readRequests
        let own = try await world.requests
        for request in requests.filter({ $0.id == once }) + own {
            #expect(throws: PaykitNetworkError.self) {
                try request.plan(world.asPayer, paysByItself: true, provider: "paykit", policy: RecurringPolicy())
            }
        }
        #expect(plan.id.rawValue.utf8.count <= 128)
        for recurs in [true, false] {
            await #expect(throws: PaymentError.self) {
                try await world.process().pay(world.link(id, recurs: recurs)).get()
            }
        }
        #expect(await world.captures == 0)
    }
}
