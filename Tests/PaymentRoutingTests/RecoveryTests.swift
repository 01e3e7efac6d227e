import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@Suite("Recovery and shared journals")
struct RecoveryTests {
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))
    private static let unknown = ServiceReport.unknown(
        UnknownOutcome(reference: ScriptedProvider.reference, message: "?"))

    /// Signs, then captures.
    private static func capture(_ ran: Tally) -> ScriptedProvider.Pay {
        { attempt, context in
            _ = try await context.step("sign", .interaction) { () -> String in
                guard context.payer.signer != nil else { throw PaymentError(.payer, "no signer", provider: "acme") }
                ran.count("sign")
                return "signed"
            }
            _ = try await context.step("capture", .mutation(replay: .never)) { () -> Int in
                ran.count(attempt.reference.id)
                return try await context.http.send(.capture()).status
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
    }

    private struct Signer: PaymentSigner {
        func supports(method: String) -> Bool { true }
        func sign(_ request: SigningRequest) async throws -> String { "signature" }
    }

    private static let payer = Payer(signer: Signer())

    private func world(_ ran: Tally, status: ServiceReport = paid) -> World {
        var world = World()
        world.provider.payBody = Self.capture(ran)
        world.provider.statusBody = { _, _ in status }
        return world
    }

    @Test("A sent payment is settled by status; an unsent one continues, or is abandoned without a payer's means")
    func settles() async throws {
        let sent: [JournalEntry.Event] = [
            .stepStarted(name: "sign", kind: .interaction), .stepFinished(name: "sign", result: "signed"),
            .stepStarted(name: "capture", kind: .mutation(replay: .never)),
        ]
        for (events, payer, captures, outcome) in [
            (sent, Self.payer, 0, Self.paid), (sent, Payer(), 0, Self.paid),
            (Array(sent.prefix(2)), Self.payer, 1, Self.paid), (Array(sent.prefix(1)), Self.payer, 1, Self.paid),
            ([], Self.payer, 1, Self.paid), ([], Payer(), 0, nil),
        ] as [([JournalEntry.Event], Payer, Int, ServiceReport?)] {
            let ran = Tally()
            let world = world(ran, status: events == sent ? Self.paid : .pending(retryAfter: nil))
            let id = try await world.crashed(events)
            let reports = try await world.router.recover(as: payer)
            #expect(reports.map(\.attempt.id) == [id])
            let report = try #require(reports.first)
            #expect(report.isSettled)
            if let outcome {
                #expect(try report.result.get() == outcome)
            } else if case .failure(let error) = report.result {
                #expect(error.code == .payer && error.phase == .beforeSend)
            } else {
                Issue.record("paid without a signer")
            }
            #expect(ran["p1"] == captures)
            #expect(try await world.journal.unfinished().isEmpty)
            #expect(try await world.router.recover(as: payer).isEmpty)
        }
    }

    @Test("What cannot be settled stays unknown, with a time to ask again, and is settled later")
    func staysUnknown() async throws {
        let ran = Tally()
        var world = world(ran, status: Self.unknown)
        let id = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        var report = try #require(try await world.router.recover(as: Self.payer).first)
        guard case .success(.unknown) = report.result else { throw CancellationError() }
        let first = try #require(report.askAgain)
        #expect(first > world.clock.now)
        world.clock.advance(by: .seconds(100_000))
        report = try await world.router.recover(id, as: Self.payer)
        let second = try #require(report.askAgain)
        #expect(second.timeIntervalSince(world.clock.now) > first.timeIntervalSince(report.attempt.startedAt))
        #expect(second.timeIntervalSince(world.clock.now) <= 3600)
        world.provider.statusBody = { _, _ in Self.paid }
        report = try #require(try await world.router.recover(as: Self.payer).first)
        #expect(try report.result.get() == Self.paid)
        #expect(ran["p1"] == 0)
    }

    @Test("What had sent nothing and is over is not paid any more, and ends by the service's report alone")
    func expired() async throws {
        for (report, isEnded) in [(ServiceReport.expired, true), (.pending(retryAfter: nil), false)] {
            let ran = Tally()
            var world = world(ran)
            world.provider.statusBody = { _, _ in report }
            let attempt = try await world.leave(
                PaymentAttempt(from: world.clock.now, until: world.clock.now.addingTimeInterval(60)))
            world.clock.advance(by: .seconds(60))
            let outcome = try? await world.router.resume(attempt, as: Self.payer)
            #expect(outcome == (isEnded ? PaymentOutcome(stating: .expired) : nil))
            #expect(ran["sign"] == 0 && ran["p1"] == 0)
            #expect(try await world.journal.unfinished().isEmpty == isEnded)
        }
    }

    @Test("An attempt that a restored journal calls unsent is not carried out where the service has ended its payment")
    func endedMeanwhile() async throws {
        for report in [Self.paid, .declined(DeclineReason(.refused, "the money was given back"))] {
            let ran = Tally()
            let world = world(ran, status: report)
            let id = try await world.crashed([])
            #expect(try await world.router.resume(id, as: Self.payer) == PaymentOutcome(stating: report))
            #expect(ran["sign"] == 0 && ran["p1"] == 0)
            #expect(try await world.journal.unfinished().isEmpty)
        }
        // A service that cannot be asked is not sent anything; one that does not know the payment yet is.
        for (phase, captures) in [(PaymentError.Phase.beforeSend, 0), (.answered, 1)] {
            let ran = Tally()
            var world = world(ran)
            world.provider.statusBody = { _, _ in throw PaymentError(.network, "no", provider: "acme", phase: phase) }
            let id = try await world.crashed([])
            let outcome = try? await world.router.resume(id, as: Self.payer)
            #expect((outcome == nil) == (captures == 0) && ran["p1"] == captures)
            #expect(try await world.journal.unfinished().count == 1 - captures)
        }
    }

    @Test("Without its provider nothing is settled, and nothing is called unpaid that other processes may resume")
    func providerMissing() async throws {
        for isSent in [true, false] {
            var world = world(Tally())
            let id = try await world.crashed(
                isSent ? [.stepStarted(name: "capture", kind: .mutation(replay: .never))] : [])
            world.provider.descriptor = ProviderDescriptor(
                id: "other", name: "Other", patterns: [.host("other.example")], outboundHosts: [])
            let router = try world.router
            for report in [
                try #require(try await router.recover(as: Self.payer).first),
                try await router.recover(id, as: Self.payer),
            ] {
                guard case .failure(let error) = report.result else { throw CancellationError() }
                #expect(error.code == .unroutable && error.phase == .maybeSent)
                #expect(!report.isSettled)
            }
            #expect(await failure { try await router.resume(id, as: Self.payer) }?.phase == .maybeSent)
            #expect(try await world.journal.unfinished().count == 1)
        }
    }

    @Test("A journal that fails says nothing about what an attempt has sent, or others will send for it")
    func failingJournal() async throws {
        let events: [JournalEntry.Event] = [.stepStarted(name: "capture", kind: .mutation(replay: .never))]
        for isSent in [true, false] {
            let journal = FailingJournal { _ in false }
            let world = World()
            let id = try await journal.leave(PaymentAttempt(from: .now), isSent ? events : [])
            await journal.lock()
            let router = try PaymentRouter(of: world.provider, journal: journal)
            await #expect { try await router.resume(id, as: Self.payer) } throws: {
                ($0 as? PaymentError)?.code == .journal && ($0 as? PaymentError)?.phase == .maybeSent
            }
            let report = try await router.recover(as: Self.payer).first
            guard case .failure(let error)? = report?.result else {
                Issue.record("\(String(describing: report))")
                continue
            }
            #expect(error.code == .journal && error.phase == .maybeSent)
            #expect(report?.isSettled == false)
        }
    }

    /// A journal with an attempt that has sent nothing, and another process that begins to send as soon as it was read.
    private func overtaken(_ id: AttemptID) async throws -> FailingJournal {
        let journal = FailingJournal { _ in false }
        let lease = PaymentLease(payment: ScriptedProvider.reference, holder: "another", duration: .seconds(1))
        #expect(try await journal.acquire(lease, at: .now))
        try await journal.open(PaymentAttempt(id.rawValue, from: .now), under: lease)
        await journal.delayNextReading {
            let event = JournalEntry.Event.stepStarted(name: "capture", kind: .mutation(replay: .never))
            try? await journal.append(JournalEntry(date: .now, event: event), to: id, under: lease)
            try? await journal.release(lease)
        }
        return journal
    }

    @Test(
        "A request of another process after an attempt was read is not denied by one that lacks the provider or the journal"
    )
    func overtakenByAnother() async throws {
        let id = AttemptID(rawValue: "a1")
        var stranger = World().provider
        stranger.descriptor = ProviderDescriptor(
            id: "other", name: "Other", patterns: [.host("other.example")], outboundHosts: [])
        for (provider, isForgetful) in [(stranger, false), (World().provider, true)] {
            for resumes in [true, false] where !(resumes && isForgetful) {
                let journal = try await overtaken(id)
                if isForgetful {
                    await journal.lock()
                    await journal.forget()
                }
                let router = try PaymentRouter(of: provider, journal: journal)
                let error: PaymentError
                if resumes {
                    error = try await #require(throws: PaymentError.self) {
                        try await router.resume(id, as: Self.payer)
                    }
                } else {
                    let report = try #require(try await router.recover(as: Self.payer).first)
                    guard case .failure(let failure) = report.result else { throw CancellationError() }
                    error = failure
                    #expect(!report.isSettled)
                }
                #expect(error.code == (isForgetful ? .journal : .unroutable))
                #expect(error.phase == .maybeSent)
            }
        }
    }

    @Test("Many attempts are settled a few at a time, and reported in order")
    func width() async throws {
        let running = Mutex((now: 0, most: 0))
        let ran = Tally()
        var world = world(ran)
        world.provider.statusBody = { payment, _ in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            for _ in 0..<20 { await Task.yield() }
            running.withLock { $0.now -= 1 }
            return .succeeded(PaymentReceipt(reference: payment))
        }
        for index in 0..<30 {
            let payment = PaymentReference(provider: "acme", id: "p\(index)")
            try await world.leave(
                PaymentAttempt("a\(index)", at: payment, from: world.clock.now),
                [.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        }
        let reports = try await world.router.recover(as: Payer(), width: 3)
        #expect(reports.map(\.attempt.id.rawValue) == (0..<30).map { "a\($0)" })
        #expect(reports.count { !$0.isSettled } == 0)
        #expect(running.withLock { $0.most } <= 3)
    }

    // MARK: Two routers

    @Test("While one router pays, another neither pays nor recovers, and returns the first one's outcome")
    func secondRouter() async throws {
        let outcomes: [ServiceReport] = [Self.paid, .declined(DeclineReason(.refused, "no")), .cancelled]
        for outcome in outcomes {
            let (pause, asked) = (Pause(), Gate())
            var world = World()
            world.provider.payBody = { _, context in
                _ = try await context.step("capture", .mutation(replay: .never)) { true }
                await pause.hold()
                return outcome
            }
            world.provider.statusBody = { _, _ in outcome }
            let first = try world.router
            let clock = NotingClock { await asked.open() }
            let second = try PaymentRouter(
                of: world.provider, transport: world.transport, journal: world.journal, clock: clock)
            async let one = first.pay(ScriptedProvider.link, as: .careless)
            await pause.reached()
            #expect(try await second.recover(as: Payer()).isEmpty, "a living worker's attempt is left alone")
            async let two = second.pay(ScriptedProvider.link, as: .careless)
            await asked.pass()
            await pause.end()
            #expect(try await one == outcome)
            #expect(try await two == outcome)
            #expect(world.provider.calls["pay"] == 1)
        }
    }

    @Test("A caller that waits for another router in vain learns that it is paying")
    func impatient() async throws {
        let world = World()
        let lease = PaymentLease(payment: ScriptedProvider.reference, holder: "other", duration: .seconds(3600))
        #expect(try await world.journal.acquire(lease, at: world.clock.now))
        await #expect { try await world.pay() } throws: {
            let error = $0 as? PaymentError
            return error?.code == .inUse && error?.phase == .maybeSent && error?.retry == .later
        }
        #expect(world.clock.slept >= .seconds(30) && world.clock.slept < .seconds(31))
        #expect(world.provider.calls["quote"] == 0)
        try await world.journal.release(lease)
        #expect(try await world.pay() == Self.paid)
    }

    @Test("A router that was silent for too long sends nothing after another took over")
    func overtaken() async throws {
        let pause = Pause()
        var world = World()
        let clock = world.clock
        let calls = world.provider.calls
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        world.provider.payBody = { attempt, context in
            if calls["pay"] == 1 {
                await pause.hold()
            }
            _ = try await context.step("capture", .mutation(replay: .never)) { () -> Int in
                try await context.http.send(.capture()).status
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        let (first, second) = (try world.router, try world.router)
        let stalled = Task { try await first.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        clock.advance(by: .seconds(601))
        #expect(try await second.recover(as: Payer()).map(\.result) == [.success(PaymentOutcome(stating: Self.paid))])
        await pause.end()
        #expect(await failure { try await stalled.value }?.code == .inUse)
        #expect(world.transport.requests.count == 1)
        #expect(try await first.pay(ScriptedProvider.link, as: .careless) == Self.paid)
    }

    @Test("Waiting providers keep their lease")
    func renewed() async throws {
        let pause = Pause()
        var world = World()
        world.provider.payBody = { attempt, context in
            for _ in 0..<100 { try await context.clock.sleep(for: .seconds(300)) }
            await pause.hold()
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        let router = try world.router
        async let outcome = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        let lease = PaymentLease(payment: ScriptedProvider.reference, holder: "other", duration: .seconds(600))
        #expect(try await world.journal.acquire(lease, at: world.clock.now) == false)
        await pause.end()
        #expect(try await outcome == Self.paid)
    }
}

/// The system's clock, which reports when a task waits.
private struct NotingClock: PaymentClock {
    let note: @Sendable () async -> Void

    var now: Date { Date(timeIntervalSince1970: 1_800_000_000) }

    func sleep(for duration: Duration) async throws {
        await note()
        try await Task.sleep(for: duration)
    }
}
