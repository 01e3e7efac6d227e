import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@Suite("Durable steps")
struct StepTests {
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))
    private static let declined = ServiceReport.declined(DeclineReason(.refused, "no"))

    /// Asks, interacts, captures; counts the steps that really run.
    private static func threeSteps(_ ran: Tally, replay: MutationReplay = .never) -> ScriptedProvider.Pay {
        { attempt, context in
            let session = try await context.step("session", .query) { () -> String in
                ran.count("session")
                return "s1"
            }
            let signature = try await context.step("sign", .interaction) { () -> [String] in
                ran.count("sign")
                return [session, "signed"]
            }
            let id = try await context.step("capture", .mutation(replay: replay)) { () -> String in
                ran.count("capture")
                _ = try await context.http.send(.capture())
                return signature.joined(separator: "-")
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference, transactionID: id))
        }
    }

    @Test("Steps that ended are replayed, not run again")
    func replay() async throws {
        let ran = Tally()
        var world = World()
        world.provider.payBody = Self.threeSteps(ran)
        let attempt = try await world.crashed([
            .stepStarted(name: "session", kind: .query), .stepFinished(name: "session", result: "stored"),
            .stepStarted(name: "sign", kind: .interaction),
        ])
        let log = PaymentLog { if case .stepReplayed(let name, _) = $0.kind { ran.count("\(name) replayed") } }
        let outcome = try await world.router(telling: log).resume(attempt, as: Payer())
        #expect(
            outcome
                == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "stored-signed")))
        #expect(ran["session"] == 0 && ran["session replayed"] == 1 && ran["sign replayed"] == 0)
        #expect(ran["sign"] == 1)
        #expect(ran["capture"] == 1)
        #expect(world.transport.requests.count == 1)
        #expect(try await world.router.resume(attempt, as: Payer()) == outcome)
        #expect(world.provider.calls["pay"] == 1, "a finished attempt is not carried out again")
    }

    @Test("Of two results of one step the first counts: what was made from it has been sent")
    func twoResults() async throws {
        let ran = Tally()
        var world = World()
        world.provider.payBody = Self.threeSteps(ran)
        let attempt = try await world.crashed([
            .stepStarted(name: "session", kind: .query), .stepFinished(name: "session", result: "first"),
            .stepFinished(name: "session", result: "second"),
        ])
        #expect(
            try await world.router.resume(attempt, as: Payer())
                == .succeeded(
                    PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "first-signed")))
    }

    @Test("A mutation that ended is replayed and its outcome stands")
    func mutationReplay() async throws {
        let ran = Tally()
        var world = World()
        world.provider.payBody = Self.threeSteps(ran)
        let attempt = try await world.crashed([
            .stepStarted(name: "capture", kind: .mutation(replay: .never)),
            .stepFinished(name: "capture", result: "tx9"),
        ])
        #expect(
            try await world.router.resume(attempt, as: Payer())
                == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "tx9")))
        #expect(ran["capture"] == 0)
        #expect(world.transport.requests.isEmpty)
    }

    @Test("An interrupted mutation that must not be replayed is settled by status", arguments: [true, false])
    func neverReplay(resumes: Bool) async throws {
        let ran = Tally()
        for settled in [Self.paid, Self.declined, .cancelled, .expired] {
            var world = World()
            world.provider.payBody = Self.threeSteps(ran)
            world.provider.statusBody = { _, _ in settled }
            let attempt = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .never))])
            let outcome = try await resumes ? world.router.resume(attempt, as: .careless) : world.pay()
            #expect(outcome == settled)
            #expect(world.transport.requests.isEmpty)
            #expect(try await world.histories.map(\.report) == [settled])
        }
        #expect(ran["capture"] == 0)
    }

    @Test(
        "An interrupted mutation with a key is sent again only within the service's window",
        arguments: [
            (599, true), (600, false), (100_000, false),
        ])
    func sameKey(seconds: Int, isSentAgain: Bool) async throws {
        let ran = Tally()
        var world = World()
        world.provider.descriptor = .acme(replayWindow: .seconds(600))
        world.provider.payBody = Self.threeSteps(ran, replay: .sameKey)
        let attempt = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .sameKey))])
        world.clock.advance(by: .seconds(seconds))
        let outcome = try await world.router.resume(attempt, as: Payer())
        guard case .succeeded = outcome else { throw CancellationError() }
        #expect(ran["capture"] == (isSentAgain ? 1 : 0))
        #expect(world.transport.requests.count == (isSentAgain ? 1 : 0))
        #expect(world.provider.calls["status"] == (isSentAgain ? 0 : 1))
    }

    @Test(
        "A mutation that is made once for its subject is sent again at any time, whatever a clock said",
        arguments: [-100_000_000, -1, 0, 599, 100_000_000])
    func atAnyTime(seconds: Int) async throws {
        let ran = Tally()
        var world = World()
        world.provider.payBody = Self.threeSteps(ran, replay: .atAnyTime)
        let attempt = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .atAnyTime))])
        world.clock.advance(by: .seconds(seconds))
        guard case .succeeded = try await world.router.resume(attempt, as: Payer()) else { throw CancellationError() }
        #expect(ran["capture"] == 1)
        #expect(world.provider.calls["status"] == 0)
    }

    @Test("A mutation that was begun as another kind is not sent again, although it may be repeated at any time by now")
    func atAnyTimeByNow() async throws {
        let ran = Tally()
        var world = World()
        world.provider.payBody = Self.threeSteps(ran, replay: .atAnyTime)
        let attempt = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        guard case .succeeded = try await world.router.resume(attempt, as: Payer()) else { throw CancellationError() }
        #expect(ran["capture"] == 0)
        #expect(world.provider.calls["status"] == 1)
    }

    @Test(
        "A clock that was set back does not open the service's window again",
        arguments: [
            (-86_400, false), (-1, false), (0, true), (599, true), (600, false),
        ])
    func clockSetBack(seconds: Int, isSentAgain: Bool) async throws {
        for startsInFuture in [true, false] {
            let ran = Tally()
            var world = World()
            world.provider.descriptor = .acme(replayWindow: .seconds(600))
            world.provider.payBody = Self.threeSteps(ran, replay: .sameKey)
            // The entry is as late as the attempt, or the attempt was begun while the clock was still right.
            let entry = JournalEntry(
                date: world.clock.now, event: .stepStarted(name: "capture", kind: .mutation(replay: .sameKey)))
            let attempt = PaymentAttempt(
                from: world.clock.now.addingTimeInterval(startsInFuture ? 0 : min(0, Double(seconds))))
            try await world.leave(AttemptHistory(attempt: attempt, entries: [entry]))
            world.clock.advance(by: .seconds(seconds))
            guard case .succeeded = try await world.router.resume(attempt.id, as: Payer()) else {
                throw CancellationError()
            }
            #expect(ran["capture"] == (isSentAgain ? 1 : 0))
            #expect(world.provider.calls["status"] == (isSentAgain ? 0 : 1))
        }
    }

    @Test("A repetition that cannot leave does not make the interrupted mutation harmless")
    func failedRepetition() async throws {
        var world = World()
        world.provider.descriptor = .acme(replayWindow: .seconds(600))
        world.provider.payBody = { _, context in
            _ = try await context.step("capture", .mutation(replay: .sameKey)) { () async throws -> String in
                throw PaymentError(.network, "no connection")
            }
            return .cancelled
        }
        world.provider.statusBody = { _, _ in throw PaymentError(.network, "no connection") }
        let attempt = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .sameKey))])
        #expect(
            try await world.router.resume(attempt, as: Payer()).unknownOutcome != nil,
            "the first sending may have been carried out")
        let histories = try await world.histories
        #expect(histories.count == 1 && !histories[0].isFinished && histories[0].mayHaveMovedMoney)
    }

    @Test("A mutation that began as unrepeatable stays so, whatever the provider says later")
    func upgradedReplay() async throws {
        let ran = Tally()
        var world = World()
        world.provider.descriptor = .acme(replayWindow: .seconds(600))
        world.provider.payBody = Self.threeSteps(ran, replay: .sameKey)
        let attempt = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        _ = try await world.router.resume(attempt, as: Payer())
        #expect(ran["capture"] == 0)
    }

    @Test("A service's window is for requests with a key: others are never sent again, however young they are")
    func unkeyedWithinWindow() async throws {
        let ran = Tally()
        var world = World()
        world.provider.descriptor = .acme(replayWindow: .seconds(600))
        world.provider.payBody = Self.threeSteps(ran, replay: .never)
        let attempt = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        #expect(try await world.router.resume(attempt, as: Payer()) == Self.paid)
        #expect(ran["capture"] == 0 && world.provider.calls["status"] == 1)
    }

    @Test("An attempt that was abandoned cannot be resumed")
    func abandoned() async throws {
        let ran = Tally()
        var world = World()
        world.provider.payBody = Self.threeSteps(ran)
        let attempt = try await world.crashed([.abandoned(reason: "a new attempt was started")])
        #expect(await failure { try await world.router.resume(attempt, as: Payer()) }?.phase == .beforeSend)
        #expect(world.provider.calls["pay"] == 0)
        #expect(
            await failure { try await world.router.resume(AttemptID(rawValue: "none"), as: Payer()) }?.code == .notFound
        )
    }

    @Test("Using a step's name twice is the provider's fault")
    func nameReuse() async throws {
        var world = World()
        world.provider.payBody = { _, context in
            _ = try await context.step("same", .query) { 1 }
            _ = try await context.step("same", .query) { 2 }
            return .cancelled
        }
        await #expect { try await world.pay() } throws: {
            ($0 as? PaymentError)?.code == .providerFault && "\($0)".contains("same")
        }
    }

    @Test("A mutation whose answer was lost is not sent again under its name, whatever the provider makes of that")
    func lostAndAgain() async throws {
        var world = World()
        world.transport = RecordingTransport { request throws(TransportError) in
            throw TransportError(.maybeSent, .timedOut, origin: request.url.origin)
        }
        world.provider.payBody = { _, context in
            for _ in 0..<2 {
                _ = try? await context.step("capture", .mutation(replay: .never)) { () -> Int in
                    try await context.http.send(.capture()).status
                }
            }
            return .pending(retryAfter: nil)
        }
        _ = try await world.pay()
        #expect(world.transport.requests.count == 1)
    }

    @Test("Where a request's answer was lost, the service's reason for a refusal is stated, not the provider's guess")
    func guessedReason() async throws {
        var world = World()
        world.transport = RecordingTransport { request throws(TransportError) in
            throw TransportError(.maybeSent, .timedOut, origin: request.url.origin)
        }
        world.provider.payBody = { _, context in
            _ = try? await context.step("capture", .mutation(replay: .never)) { () -> Int in
                try await context.http.send(.capture()).status
            }
            return .declined(DeclineReason(.refused, "a guess"))
        }
        world.provider.statusBody = { _, _ in Self.declined }
        #expect(try await world.pay() == Self.declined)
    }

    @Test("What another worker has stored as unpaid is not stated where this one's request was sent since")
    func endedElsewhere() async throws {
        var world = Self.world(where: .cancelled)
        world.provider.statusBody = { _, _ in Self.paid }
        #expect(try await world.pay() == Self.paid)
    }

    @Test("What another worker has stored as paid is stated without a question to the service")
    func paidElsewhere() async throws {
        var world = Self.world(where: Self.paid)
        world.provider.statusBody = { _, _ in throw PaymentError(.network, "offline", provider: "acme") }
        #expect(try await world.pay() == Self.paid)
        #expect(world.provider.calls["status"] == 0)
    }

    /// A world in which another worker stores `outcome` while a request is sent.
    private static func world(where outcome: ServiceReport) -> World {
        let journal = FailingJournal { _ in false }
        var world = World()
        world.journal = journal
        let clock = world.clock
        world.provider.payBody = { attempt, context in
            _ = try await context.step("capture", .mutation(replay: .never)) { () -> Int in
                let lease = try #require(await journal.lease)
                let entry = JournalEntry(date: clock.now, event: .outcome(outcome))
                try await journal.append(entry, to: attempt.id, under: lease)
                return 1
            }
            return Self.paid
        }
        return world
    }

    @Test("Quotes and status queries only ask")
    func mutationOutsideAttempt() async throws {
        var world = World()
        world.provider.statusBody = { _, context in
            _ = try await context.step("capture", .mutation(replay: .never)) { true }
            return .cancelled
        }
        #expect(await failure { try await world.router.status(of: ScriptedProvider.reference) }?.code == .providerFault)
    }
}
