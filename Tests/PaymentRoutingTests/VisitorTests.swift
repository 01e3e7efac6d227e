import PaymentCore
import PaymentRouting
import Synchronization
import TestSupport
import Testing

/// A caller with a payer's return meets the caller that performs the same attempt.
@Suite("A visitor beside a carrier")
struct VisitorTests {
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))
    private static let callback = "shop://paid?id=p1"

    private static func world(_ replay: MutationReplay) -> World {
        var world = World()
        world.provider.descriptor = .acme(replayWindow: replay == .sameKey ? .seconds(600) : .zero)
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        return world
    }

    @Test("A visitor starts no mutation that the carrier has begun", arguments: [MutationReplay.sameKey, .never])
    func carrierFirst(replay: MutationReplay) async throws {
        let (pause, ran) = (Pause(), Tally())
        var world = Self.world(replay)
        world.provider.payBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: replay)) {
                ran.count("charge")
                await pause.hold()
                return true
            }
            return Self.paid
        }
        world.provider.completeBody = { _, context in
            try await context.count("charge", .mutation(replay: replay), in: ran)
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        let told = try await router.handle(Self.callback)
        #expect(told == PaymentOutcome.pending(retryAfter: nil))
        await pause.end()
        #expect(try await carrier.value == Self.paid)
        #expect(ran["charge"] == 1)
        #expect(try await world.histories.map(\.report) == [Self.paid])
    }

    @Test("A carrier starts no mutation that a visitor has begun", arguments: [MutationReplay.sameKey, .never])
    func visitorFirst(replay: MutationReplay) async throws {
        let (otherPause, pause, ran) = (Pause(), Pause(), Tally())
        var world = Self.world(replay)
        world.provider.payBody = { _, context in
            try await context.hold("page", .interaction, at: pause)
            try await context.count("charge", .mutation(replay: replay), in: ran)
            return Self.paid
        }
        world.provider.completeBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: replay)) {
                ran.count("charge")
                await otherPause.hold()
                return true
            }
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        let visitor = Task { try await router.handle(Self.callback) }
        await otherPause.reached()
        await pause.end()
        #expect(
            try await carrier.value.unknownOutcome != nil, "the carrier cannot know what the visitor's request does")
        await otherPause.end()
        #expect(try await visitor.value == Self.paid)
        #expect(ran["charge"] == 1)
        #expect(try await world.histories.map(\.report).last == Self.paid)
    }

    @Test("What one of them has found out, the other one takes")
    func oneResult() async throws {
        let (pause, ran) = (Pause(), Tally())
        let keys = Mutex<[String]>([])
        var world = Self.world(.sameKey)
        world.provider.payBody = { _, context in
            let key = try await context.step("key", .query) { () -> String in
                await pause.hold()
                return "carrier's"
            }
            _ = try await context.step("charge", .mutation(replay: .sameKey)) {
                ran.count("charge")
                keys.withLock { $0.append(key) }
                return true
            }
            return Self.paid
        }
        world.provider.completeBody = { _, context in
            let key = try await context.step("key", .query) { "visitor's" }
            keys.withLock { $0.append(key) }
            return .pending(retryAfter: nil)
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        _ = try await router.handle(Self.callback)
        await pause.end()
        #expect(try await carrier.value == Self.paid)
        #expect(keys.withLock { $0 } == ["visitor's", "visitor's"])
        #expect(
            try await world.histories[0].entries.count {
                if case .stepFinished("key", _) = $0.event { true } else { false }
            } == 1)
    }

    @Test("A visitor that comes to a step which the carrier has ended since takes its result, and has run it")
    func endedSince() async throws {
        let (pause, go, ran) = (Pause(), Gate(), Tally())
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            try await context.hold("page", .interaction, at: pause)
            _ = try await context.step("key", .query) { "carrier's" }
            await go.open()
            return .pending(retryAfter: nil)
        }
        world.provider.completeBody = { _, context in
            await pause.end()
            await go.pass()
            ran.count(try await context.step("key", .query) { "visitor's" })
            if await context.hasRun("key") { ran.count("known") }
            return .pending(retryAfter: nil)
        }
        let router = try world.router(
            telling: PaymentLog { if case .stepReplayed("key", _) = $0.kind { ran.count("replayed") } })
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        _ = try await router.handle(Self.callback)
        _ = try await carrier.value
        #expect(ran["carrier's"] == 1 && ran["visitor's"] == 0 && ran["known"] == 1 && ran["replayed"] == 1)
    }

    @Test("A mutation that has ended is in no visitor's way, and one that has not ended is")
    func earlierMutation() async throws {
        let begun = JournalEntry.Event.stepStarted(name: "charge", kind: .mutation(replay: .never))
        for (events, count) in [([begun, .stepFinished(name: "charge", result: true)], 1), ([begun], 0)] {
            let ran = Tally()
            var world = Self.world(.never)
            world.provider.completeBody = { _, context in
                try await context.count("confirm", .mutation(replay: .never), in: ran)
                return Self.paid
            }
            _ = try await world.crashed(events)
            let told = try? await world.router.handle(Self.callback)
            #expect(ran["confirm"] == count)
            #expect((told == Self.paid) == (count == 1))
        }
    }

    @Test("What the carrier has surely not done, a visitor may do")
    func undone() async throws {
        let (pause, ran) = (Pause(), Tally())
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            _ = try? await context.step("charge", .mutation(replay: .never)) { () -> Bool in
                throw PaymentError(.network, "offline", provider: "acme", phase: .beforeSend)
            }
            await pause.hold()
            return .pending(retryAfter: nil)
        }
        world.provider.completeBody = { _, context in
            try await context.count("charge", .mutation(replay: .never), in: ran)
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        #expect((try? await router.handle(Self.callback)) == Self.paid)
        #expect(ran["charge"] == 1)
        await pause.end()
        _ = try? await carrier.value
    }

    @Test("Where a visitor's request was answered, the carrier's reason for a refusal is stated, as more precise")
    func preciseReason() async throws {
        let (pause, ran) = (Pause(), Tally())
        let precise = ServiceReport.declined(DeclineReason(.refused, "the card has expired"))
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            _ = try await context.step("page", .interaction) {
                await pause.hold()
                ran.count("page")
                return true
            }
            return precise
        }
        world.provider.completeBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: .never)) { true }
            return .pending(retryAfter: nil)
        }
        world.provider.statusBody = { _, _ in
            ran["page"] == 0 ? .pending(retryAfter: nil) : .declined(DeclineReason(.refused, "no"))
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        #expect(try await router.handle(Self.callback) == PaymentOutcome.pending(retryAfter: nil))
        await pause.end()
        #expect(try await carrier.value == precise)
    }

    @Test("A carrier that fails beside a visitor's mutation does not call the attempt harmless")
    func carrierFails() async throws {
        let (otherPause, pause) = (Pause(), Pause())
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            try await context.hold("page", .interaction, at: pause)
            throw PaymentError(.payer, "the page was closed", provider: "acme")
        }
        world.provider.completeBody = { _, context in
            try await context.hold("charge", .mutation(replay: .never), at: otherPause)
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        let visitor = Task { try await router.handle(Self.callback) }
        await otherPause.reached()
        await pause.end()
        guard case .unknown? = try? await carrier.value else {
            Issue.record("it was called harmless")
            await otherPause.end()
            return
        }
        await otherPause.end()
        #expect(try await visitor.value == Self.paid)
    }
}
