import PaymentCore
import Synchronization
import TestSupport
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// Waiting for the settlement after a confirmation: exact schedules on a virtual clock (Protocol 2.3).
@Suite struct ClientPollingTests {
    typealias Answer = ScriptedService.Answer

    static func processing(_ poll: String) -> Answer {
        .ok(Script.status("processing", isFinal: false, pollInMs: poll))
    }

    static func world(_ confirm: Answer, _ status: [Answer]) throws -> ClientWorld {
        try ClientWorld(["confirm": [confirm], "status": status])
    }

    static func confirm(_ world: ClientWorld, _ maxPollMs: Int64? = nil) async throws -> ConfirmPaymentResultResponse {
        try await world.client.confirmPayment(
            paymentId: "pay_1", optionId: "o", signatures: ["s"], maxPollMs: maxPollMs)
    }

    @Test("Waits as long as the service asks, each time")
    func waitsAsLongAsToldEachTime() async throws {
        let world = try Self.world(
            Self.processing("2000"),
            [
                Self.processing("10"), Self.processing("null"), .ok(#"{"status":"processing","isFinal":false}"#),
                Self.processing("1"), Self.processing("60000"), .ok(Script.status("succeeded", isFinal: true)),
            ])
        #expect(try await Self.confirm(world).status == .succeeded)
        // 1000 without a value; 10 ms and 10 s are the bounds.
        #expect(world.clock.sleeps == [2000, 10, 1000, 1000, 10, 10_000])
        #expect(world.service.verbs == ["confirm"] + Array(repeating: "status", count: 6))
        #expect(world.service.seen.allSatisfy { !$0.url.contains("maxPollMs") })
    }

    static let endings: [(String, PaymentStatus)] = [
        ("succeeded", .succeeded), ("failed", .failed), ("expired", .expired), ("requires_action", .requiresAction),
    ]

    @Test("Final statuses are returned", arguments: endings)
    func finalStatusesAreReturned(_ word: String, _ status: PaymentStatus) async throws {
        let ending = Answer.ok(Script.status(word, isFinal: true))
        let atOnce = try Self.world(ending, [])
        #expect(try await Self.confirm(atOnce) == ConfirmPaymentResultResponse(status: status, isFinal: true))
        #expect(atOnce.service.verbs == ["confirm"])
        let later = try Self.world(Self.processing("2000"), [Self.processing("2000"), ending])
        #expect(try await Self.confirm(later).status == status)
        #expect(later.clock.sleeps == [2000, 2000])
    }

    /// A state that the guides don't have is never reported as one of theirs.
    @Test(
        "States that the guides don't have are thrown",
        arguments: [("cancelled", "cancelled"), ("reversed", "neither success nor failure")])
    func otherStatesAreThrown(_ word: String, _ text: String) async throws {
        let ending = Answer.ok(Script.status(word, isFinal: true))
        let atOnce = try Self.world(ending, [])
        let later = try Self.world(Self.processing("2000"), [Self.processing("2000"), ending])
        for world in [atOnce, later] {
            let error = await told(as: ConfirmPaymentError.self) { try await Self.confirm(world) }
            #expect(error.name == "http" && error.text.contains(text) && error.text.contains(word))
        }
        #expect(later.clock.sleeps == [2000, 2000])
    }

    @Test("A state that is not known at the deadline is thrown")
    func aStateThatIsNotKnownAtTheDeadlineIsThrown() async throws {
        let reviewing = Answer.ok(Script.status("held_for_review", isFinal: false))
        let world = try Self.world(reviewing, [reviewing])
        let (name, text) = await told(as: ConfirmPaymentError.self) { try await Self.confirm(world, 2000) }
        #expect(name == "http" && text.contains("held_for_review") && text.contains("getPaymentStatus"))
        #expect(world.clock.sleeps == [1000, 1000])
    }

    @Test("Waiting ends at the deadline with one last question")
    func endsAtTheDeadlineWithOneLastQuestion() async throws {
        let world = try Self.world(Self.processing("2000"), [Self.processing("2000")])
        #expect(
            try await Self.confirm(world, 5000)
                == ConfirmPaymentResultResponse(status: .processing, isFinal: false, pollInMs: 2000))
        #expect(world.clock.sleeps == [2000, 2000, 1000])
        // The service may hold each answer only for the remaining time.
        #expect(
            world.service.seen.map { $0.url.split(separator: "?").dropFirst().first.map(String.init) } == [
                "maxPollMs=5000", "maxPollMs=3000", "maxPollMs=1000", nil,
            ])
        let last = try Self.world(
            Self.processing("2000"), [Self.processing("2000"), .ok(Script.status("succeeded", isFinal: true))])
        #expect(try await Self.confirm(last, 3000).status == .succeeded)
        #expect(last.clock.sleeps == [2000, 1000])
    }

    /// The requested time is spent once, whether the service holds its answers or the client waits.
    @Test(
        "The time that answers take counts",
        arguments: [
            (7000, 5000, [], ["maxPollMs=5000"]), (5000, 5000, [], ["maxPollMs=5000"]),
            (2000, 5000, [1000, 500], ["maxPollMs=5000", "maxPollMs=2000", nil]),
            (0, 5000, [1000, 1000], ["maxPollMs=5000", "maxPollMs=4000", "maxPollMs=1500"]),
        ] as [(Int, Int64, [Int64], [String?])])
    func theTimeOfTheAnswersCounts(
        _ confirmation: Int, _ maxPollMs: Int64, _ sleeps: [Int64], _ queries: [String?]
    ) async throws {
        let clock = VirtualClock.fromStart()
        let service = ScriptedService { verb, _ in
            clock.advance(by: .milliseconds(verb == "confirm" ? confirmation : 1500))
            return Self.processing("1000")
        }
        let client = PayClient(
            configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("k"))), transport: service,
            clock: clock, random: SameRandom())
        let result = try await client.confirmPayment(
            paymentId: "p", optionId: "o", signatures: [], maxPollMs: maxPollMs)
        #expect(result.status == .processing && !result.isFinal)
        #expect(clock.sleeps == sleeps)
        #expect(service.seen.map { $0.url.split(separator: "?").dropFirst().first.map(String.init) } == queries)
    }

    @Test("Waiting always ends")
    func neverWaitsForEver() async throws {
        for forever in [nil, 0, -1] as [Int64?] {
            let world = try Self.world(Self.processing("10000"), [Self.processing("10000")])
            #expect(try await Self.confirm(world, forever).isFinal == false)
            #expect(world.clock.sleeps.reduce(0, +) == 300_000)
        }
    }

    @Test("Waits until shortly after the expiry where it is known")
    func waitsUntilShortlyAfterTheExpiryWhereItIsKnown() async throws {
        let start = Int64(VirtualClock.start.timeIntervalSince1970)
        for (expiry, total) in [
            (start + 100, 400_000), (start - 1000, 300_000), (Int64.max, 86_700_000), (Int64.min, 300_000),
        ] as [(Int64, Int64)] {
            let world = try ClientWorld([
                "options": [.ok(Script.options([], expiresAt: expiry))], "confirm": [Self.processing("10000")],
                "status": [Self.processing("10000")],
            ])
            _ = try await world.options("pay_1")
            #expect(try await Self.confirm(world).status == .processing)
            #expect(world.clock.sleeps.reduce(0, +) == total)
        }
    }

    @Test("An outage while polling is waited out, until the deadline")
    func anOutageWhilePollingIsWaitedOutAndEndsWithTheDeadline() async throws {
        let world = try Self.world(
            Self.processing("2000"), [.json(503, ""), .json(503, ""), .ok(Script.status("succeeded", isFinal: true))])
        #expect(try await Self.confirm(world, 60_000).status == .succeeded)
        #expect(world.clock.sleeps == [2000, 1000, 2000])
        let dead = try Self.world(Self.processing("2000"), [.json(503, "")])
        let (name, text) = await told(as: ConfirmPaymentError.self) { try await Self.confirm(dead, 4000) }
        #expect(name == "http" && text.contains("getPaymentStatus"))
        #expect(dead.clock.sleeps == [2000, 1000])
    }

    @Test("Cancelling while polling is reported by an error")
    func cancellingWhilePollingIsToldAloud() async throws {
        let world = try ClientWorld(
            ScriptedService { verb, _ in
                if verb == "confirm" { withUnsafeCurrentTask { $0?.cancel() } }
                return Self.processing("2000")
            })
        let task = Task { try await Self.confirm(world) }
        let (name, text) = await told(as: ConfirmPaymentError.self) { try await task.value }
        #expect(name == "http" && text.contains("getPaymentStatus"))
        #expect(world.service.verbs == ["confirm"])
    }

    @Test("A task that is cancelled before sends nothing")
    func cancelledBeforeNothingIsSent() async throws {
        let world = try Self.world(Self.processing("2000"), [])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Self.confirm(world)
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(world.service.seen.isEmpty)
    }

    @Test("A clock that is set back does not prolong the wait")
    func aClockThatIsSetBackDoesNotProlongTheWait() async throws {
        for jump in [Duration.seconds(-86_400), .zero] {
            let clock = VirtualClock()
            let asked = Mutex(0)
            let waiting = StatusBody(status: .processing, isFinal: false, pollInMs: 5000)
            let last = try await SettlementPoll(clock: clock, note: { _ in })
                .settle(waiting, within: .seconds(60)) { _ throws(GatewayError) in
                    let turn = asked.withLock { turn in
                        turn += 1
                        return turn
                    }
                    if turn == 3 { clock.advance(by: jump) }
                    return waiting
                }
            #expect(!last.isFinal)
            #expect(clock.slept == .seconds(60) && asked.withLock(\.self) == 12)
        }
    }
}
