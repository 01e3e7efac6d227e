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
        world.provider.descriptor = ProviderDescriptor(
            id: "acme", name: "Acme", patterns: world.provider.descriptor.patterns,
            outboundHosts: ["api.acme.example"], replayWindow: replay == .sameKey ? .seconds(600) : .zero)
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        return world
    }

    @Test("A visitor starts no mutation that the carrier has begun", arguments: [MutationReplay.sameKey, .never])
    func carrierFirst(replay: MutationReplay) async throws {
        let (begun, go, ran) = (Gate(), Gate(), Tally())
        var world = Self.world(replay)
        world.provider.payBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: replay)) {
                ran.count("charge")
                await begun.open()
                await go.pass()
                return true
            }
            return Self.paid
        }
        world.provider.completeBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: replay)) {
                ran.count("charge")
                return true
            }
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await begun.pass()
        let told = try await router.handle(Self.callback)
        #expect(told == PaymentOutcome.pending(retryAfter: nil))
        await go.open()
        #expect(try await carrier.value == Self.paid)
        #expect(ran["charge"] == 1)
        #expect(try await world.histories.map(\.report) == [Self.paid])
    }

    @Test("A carrier starts no mutation that a visitor has begun", arguments: [MutationReplay.sameKey, .never])
    func visitorFirst(replay: MutationReplay) async throws {
        let (ready, go, begun, end, ran) = (Gate(), Gate(), Gate(), Gate(), Tally())
        var world = Self.world(replay)
        world.provider.payBody = { _, context in
            _ = try await context.step("page", .interaction) {
                await ready.open()
                await go.pass()
                return true
            }
            _ = try await context.step("charge", .mutation(replay: replay)) {
                ran.count("charge")
                return true
            }
            return Self.paid
        }
        world.provider.completeBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: replay)) {
                ran.count("charge")
                await begun.open()
                await end.pass()
                return true
            }
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await ready.pass()
        let visitor = Task { try await router.handle(Self.callback) }
        await begun.pass()
        await go.open()
        guard case .unknown = try await carrier.value else {
            Issue.record("the carrier cannot know what the visitor's request does")
            return
        }
        await end.open()
        #expect(try await visitor.value == Self.paid)
        #expect(ran["charge"] == 1)
        #expect(try await world.histories.map(\.report).last == Self.paid)
    }

    @Test("What one of them has found out, the other one takes")
    func oneResult() async throws {
        let (asking, asked, ran) = (Gate(), Gate(), Tally())
        let keys = Mutex<[String]>([])
        var world = Self.world(.sameKey)
        world.provider.payBody = { _, context in
            let key = try await context.step("key", .query) { () -> String in
                await asking.open()
                await asked.pass()
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
        await asking.pass()
        _ = try await router.handle(Self.callback)
        await asked.open()
        #expect(try await carrier.value == Self.paid)
        #expect(keys.withLock { $0 } == ["visitor's", "visitor's"])
        #expect(
            try await world.histories[0].entries.count {
                if case .stepFinished("key", _) = $0.event { true } else { false }
            } == 1)
    }

    @Test("A visitor that comes to a step which the carrier has ended since takes its result, and has run it")
    func endedSince() async throws {
        let (ready, here, go, ran) = (Gate(), Gate(), Gate(), Tally())
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            _ = try await context.step("page", .interaction) {
                await ready.open()
                await here.pass()
                return true
            }
            _ = try await context.step("key", .query) { "carrier's" }
            await go.open()
            return .pending(retryAfter: nil)
        }
        world.provider.completeBody = { _, context in
            await here.open()
            await go.pass()
            ran.count(try await context.step("key", .query) { "visitor's" })
            if await context.hasRun("key") { ran.count("known") }
            return .pending(retryAfter: nil)
        }
        let router = try world.router(
            telling: PaymentLog { if case .stepReplayed("key", _) = $0.kind { ran.count("replayed") } })
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await ready.pass()
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
                _ = try await context.step("confirm", .mutation(replay: .never)) {
                    ran.count("confirm")
                    return true
                }
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
        let (ready, go, ran) = (Gate(), Gate(), Tally())
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            _ = try? await context.step("charge", .mutation(replay: .never)) { () -> Bool in
                throw PaymentError(.network, "offline", provider: "acme", phase: .beforeSend)
            }
            await ready.open()
            await go.pass()
            return .pending(retryAfter: nil)
        }
        world.provider.completeBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: .never)) {
                ran.count("charge")
                return true
            }
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await ready.pass()
        #expect((try? await router.handle(Self.callback)) == Self.paid)
        #expect(ran["charge"] == 1)
        await go.open()
        _ = try? await carrier.value
    }

    @Test("Where a visitor's request was answered, the carrier's reason for a refusal is stated, as more precise")
    func preciseReason() async throws {
        let (ready, go, ran) = (Gate(), Gate(), Tally())
        let precise = ServiceReport.declined(DeclineReason(.refused, "the card has expired"))
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            _ = try await context.step("page", .interaction) {
                await ready.open()
                await go.pass()
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
        await ready.pass()
        #expect(try await router.handle(Self.callback) == PaymentOutcome.pending(retryAfter: nil))
        await go.open()
        #expect(try await carrier.value == precise)
    }

    @Test("A carrier that fails beside a visitor's mutation does not call the attempt harmless")
    func carrierFails() async throws {
        let (ready, go, begun, end) = (Gate(), Gate(), Gate(), Gate())
        var world = Self.world(.never)
        world.provider.payBody = { _, context in
            _ = try await context.step("page", .interaction) {
                await ready.open()
                await go.pass()
                return true
            }
            throw PaymentError(.payer, "the page was closed", provider: "acme")
        }
        world.provider.completeBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: .never)) {
                await begun.open()
                await end.pass()
                return true
            }
            return Self.paid
        }
        let router = try world.router
        let carrier = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await ready.pass()
        let visitor = Task { try await router.handle(Self.callback) }
        await begun.pass()
        await go.open()
        guard case .unknown? = try? await carrier.value else {
            Issue.record("it was called harmless")
            await end.open()
            return
        }
        await end.open()
        #expect(try await visitor.value == Self.paid)
    }
}
