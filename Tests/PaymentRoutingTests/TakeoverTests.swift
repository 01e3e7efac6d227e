import Foundation
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaymentRouting

/// A router's statements about a payment that another router has taken over, or works on concurrently.
@Suite("Taken over")
struct TakeoverTests {
    private let world = World()
    private static let otherLease = PaymentLease(
        payment: ScriptedProvider.reference, holder: "other", duration: .seconds(600))

    /// Lets another router's takeover time pass.
    private static func takeOver(_ journal: any PaymentJournal, _ clock: VirtualClock) async throws {
        clock.advance(by: .seconds(700))
        #expect(try await journal.acquire(otherLease, at: clock.now))
    }

    private static func isInUse(_ error: PaymentError?) -> Bool {
        error?.code == .inUse && error?.phase == .maybeSent
    }

    /// A journal in which another router ends two attempts while this one waits for the lease.
    private actor BusyJournal: ForwardingJournal {
        let base = InMemoryJournal()
        private var asked = 0

        func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
            asked += 1
            if asked == 1 { _ = await base.acquire(TakeoverTests.otherLease, at: now) }
            if asked == 2 {
                let receipt = PaymentReceipt(reference: ScriptedProvider.reference)
                let reports = [ServiceReport.declined(DeclineReason(.refused, "no")), .succeeded(receipt)]
                for (number, report) in reports.enumerated() {
                    var world = World()
                    world.provider.payBody = { _, _ in report }
                    _ = try await world.pay()
                    let history = try await world.histories.first
                    guard let attempt = history?.attempt, let end = history?.entries.last else { continue }
                    let other = PaymentAttempt("att_\(number)", option: attempt.option, key: "\(number)", from: now)
                    try await base.open(other, under: TakeoverTests.otherLease)
                    try await base.append(end, to: other.id, under: TakeoverTests.otherLease)
                }
                await base.release(TakeoverTests.otherLease)
            }
            return await base.acquire(lease, at: now)
        }
    }

    @Test("Of several attempts that another router has ended meanwhile, the last one's outcome is returned")
    func lastOutcome() async throws {
        var world = World()
        world.journal = BusyJournal()
        #expect(try await world.pay() == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        #expect(world.provider.calls["pay"] == 0)
        #expect(try await world.histories.count == 2)
    }

    @Test("One caller at a time carries a payment out, also next to one that handles its payer's return")
    func oneCarrier() async throws {
        let effects = RouterEffects(
            transport: world.transport, journal: world.journal, clock: world.clock, random: world.random,
            secrets: NoSecrets(), log: .silent, journalKey: nil, autoPay: nil)
        let (leases, payment) = (PaymentLeases(effects, LeasePolicy()), ScriptedProvider.reference)
        @Sendable func with(
            _ role: PaymentLeases.Role, _ work: @escaping @Sendable () async throws -> Bool
        ) async throws -> Bool {
            try await leases.with(payment, as: role, waiting: false) { _ in
                try await work()
            } orElse: { _ in
                false
            }
        }
        let isCarriedOut = try await with(.visitor) {
            try await with(.carrier) {
                await #expect(throws: PaymentError.self) { try await with(.carrier) { true } }
                return try await with(.visitor) { true }
            }
        }
        #expect(isCarriedOut)
    }

    @Test("An ending without effect is not returned when it cannot be stored any more", arguments: [true, false])
    func endings(isTakenOver: Bool) async throws {
        for claimed in [ServiceReport.cancelled, .expired, .declined(DeclineReason(.refused, "no"))] {
            var world = World()
            let (journal, clock) = (world.journal, world.clock)
            world.provider.payBody = { _, _ in
                if isTakenOver { try await Self.takeOver(journal, clock) }
                return claimed
            }
            if isTakenOver {
                let error = await #expect(throws: PaymentError.self) { try await world.pay() }
                #expect(Self.isInUse(error))
                #expect(try await world.histories.first?.isFinished == false)
            } else {
                #expect(try await world.pay() == claimed)
            }
        }
    }

    @Test("A refusal that waited for the release of the lease until another process may have paid is not returned")
    func lateReleases() async throws {
        let receipt = PaymentReceipt(reference: ScriptedProvider.reference)
        for told in [ServiceReport.declined(DeclineReason(.refused, "no")), .succeeded(receipt)] {
            for isTakenOver in [true, false] {
                var world = World()
                let (journal, clock) = (FailingJournal { _ in false }, world.clock)
                world.journal = journal
                world.provider.payBody = { _, _ in told }
                await journal.delayNextRelease {
                    clock.advance(by: .seconds(1))
                    if isTakenOver { try await Self.takeOver(journal, clock) }
                }
                if isTakenOver, told != .succeeded(receipt) {
                    let error = await #expect(throws: PaymentError.self) { try await world.pay() }
                    #expect(Self.isInUse(error))
                } else {
                    #expect(try await world.pay() == told)
                }
                #expect(try await world.histories.first?.isFinished == true)
            }
        }
    }

    @Test(
        "An ending that took so long to be stored that another process has taken over is returned by that one",
        arguments: [true, false])
    func lateEndings(isTakenOver: Bool) async throws {
        var world = World()
        let (journal, clock) = (FailingJournal { _ in false }, world.clock)
        world.journal = journal
        world.provider.payBody = { _, _ in .declined(DeclineReason(.refused, "no")) }
        await journal.delayNextEnding { if isTakenOver { try await Self.takeOver(journal, clock) } }
        if isTakenOver {
            let error = await #expect(throws: PaymentError.self) { try await world.pay() }
            #expect(Self.isInUse(error))
        } else {
            #expect(try await world.pay() == .declined(DeclineReason(.refused, "no")))
        }
        #expect(try await world.histories.first?.isFinished == true)
    }

    @Test("A success is returned whichever process has the payment: the service reported it")
    func success() async throws {
        var world = World()
        let (journal, clock) = (world.journal, world.clock)
        world.provider.payBody = { attempt, _ in
            try await Self.takeOver(journal, clock)
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        guard case .succeeded = try await world.pay() else { throw CancellationError() }
    }

    @Test("A quote that is over says nothing of a payment that was taken over since", arguments: [true, false])
    func oldQuote(isTakenOver: Bool) async throws {
        var world = World()
        let (journal, clock) = (world.journal, world.clock)
        world.provider.expiresAt = clock.now.addingTimeInterval(500)
        world.provider.statusBody = { _, _ in .expired }
        let payer = Payer(chooser: { quote in
            if isTakenOver {
                try await Self.takeOver(journal, clock)
            } else {
                clock.advance(by: .seconds(500))
            }
            return quote.options.first?.id
        })
        if isTakenOver {
            let error = await #expect(throws: PaymentError.self) { try await world.pay(as: payer) }
            #expect(Self.isInUse(error))
        } else {
            #expect(try await world.pay(as: payer) == .expired)
        }
        #expect(try await world.histories.isEmpty)
    }

    @Test(
        "A refusal that was long in progress says nothing of a payment that was taken over since",
        arguments: [true, false])
    func oldRefusal(isTakenOver: Bool) async throws {
        var world = World()
        let (journal, clock) = (world.journal, world.clock)
        world.provider.quotedOutcome = .expired
        world.provider.quoteBody = { if isTakenOver { try await Self.takeOver(journal, clock) } }
        if isTakenOver {
            let error = await #expect(throws: PaymentError.self) { try await world.pay() }
            #expect(Self.isInUse(error))
        } else {
            #expect(try await world.pay() == .expired)
        }
    }

    @Test(
        "A payer who thinks until another process pays has not cancelled the payment",
        arguments: [true, false])
    func longThought(isTakenOver: Bool) async throws {
        let (journal, clock) = (world.journal, world.clock)
        let payer = Payer(chooser: { _ in
            if isTakenOver { try await Self.takeOver(journal, clock) }
            return nil
        })
        if isTakenOver {
            let error = await #expect(throws: PaymentError.self) { try await world.pay(as: payer) }
            #expect(Self.isInUse(error))
        } else {
            #expect(try await world.pay(as: payer) == .cancelled)
        }
    }

    @Test(
        "A resumed attempt does not report that it joined, as a start of the payment does",
        arguments: [true, false])
    func joinedStart(isPaidMeanwhile: Bool) async throws {
        var world = World()
        let pause = Pause()
        world.provider.quoteBody = {
            await pause.hold()
            throw PaymentError(.serviceFailure, "the service has a fault", phase: .answered)
        }
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        let router = try world.router
        let start = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        // Another process takes the payment over, and charges.
        world.clock.advance(by: .seconds(700))
        let attempt = try await world.crashed([.stepStarted(name: "charge", kind: .mutation(replay: .never))])
        let resumption = Task { await failure { try await router.resume(attempt, as: .careless) } }
        // Yields, so that it joins, which no event reports; if it does not, it finds out by itself.
        for _ in 0..<2000 { await Task.yield() }
        if isPaidMeanwhile {
            let lease = PaymentLease(payment: ScriptedProvider.reference, holder: "crashed", duration: .seconds(1))
            let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))
            let entry = JournalEntry(date: world.clock.now, event: .outcome(paid))
            if try await world.journal.acquire(lease, at: world.clock.now) {
                try await world.journal.append(entry, to: attempt, under: lease)
            }
        }
        await pause.end()
        if let error = await resumption.value { #expect(error.phase == .maybeSent) }
        await #expect(throws: PaymentError.self) { try await start.value }
    }

    @Test("An interrupted attempt whose price is over is abandoned; the payment can still be paid")
    func price() async throws {
        let end = world.clock.now.addingTimeInterval(60)
        let attempt = try await world.leave(
            PaymentAttempt(
                option: .euros("card", expiresAt: end), from: world.clock.now, until: end.addingTimeInterval(600)))
        world.clock.advance(by: .seconds(60))
        let error = await failure { try await world.router.resume(attempt, as: Payer()) }
        #expect(error?.code == .unusableOption && error?.phase == .beforeSend)
        #expect(try await world.histories.map(\.isFinished) == [true])
        #expect(try await world.histories.first?.outcome == nil)
        guard case .succeeded = try await world.pay() else { throw CancellationError() }
    }

    @Test("A payment is not resumed by its recovery and by its payer at once")
    func recoveryBesidePay() async throws {
        var world = World()
        _ = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .sameKey))])
        world.provider.descriptor = .acme(replayWindow: .seconds(3600))
        let pause = Pause()
        let runs = Mutex((now: 0, most: 0))
        world.provider.payBody = { attempt, context in
            runs.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { runs.withLock { $0.now -= 1 } }
            try await context.hold("capture", .mutation(replay: .sameKey), at: pause)
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        // A long timeout, because the clock runs ahead of all other tasks.
        let clock = world.clock
        let router = try PaymentRouter(
            of: world.provider, transport: world.transport, journal: world.journal, clock: clock, random: world.random,
            leases: LeasePolicy(timeout: .seconds(1_000_000)))
        async let reports = router.recover(as: Payer())
        await pause.reached()
        async let outcome = router.pay(ScriptedProvider.link, as: .careless)
        // The payer requests the payment's lease repeatedly, while the recovery has it.
        while clock.slept < .milliseconds(100), runs.withLock({ $0.most }) < 2 { await Task.yield() }
        await pause.end()
        guard case .succeeded = try await outcome else { throw CancellationError() }
        #expect(try await reports.map(\.isSettled) == [true])
        #expect(runs.withLock { $0.most } == 1)
        #expect(world.provider.calls["pay"] == 1)
    }
}
