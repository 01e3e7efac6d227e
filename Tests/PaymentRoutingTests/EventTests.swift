import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@Suite("Events: for a screen and a dashboard")
struct EventTests {
    private static let option = PaymentMethodOption.euros("card")

    private static let working: ScriptedProvider.Pay = { attempt, context in
        try await context.clock.sleep(for: .seconds(3))
        _ = try await context.step("capture", .mutation(replay: .never)) { "done" }
        context.log("a remark")
        return .succeeded(PaymentReceipt(reference: attempt.reference))
    }

    @Test("A payment emits events from its quote to its outcome, and the stream ends with it")
    func whole() async throws {
        var world = World()
        world.provider.payBody = Self.working
        let router = try world.router
        let events = router.events(of: ScriptedProvider.reference)
        let outcome = try await router.pay(ScriptedProvider.link, as: .careless)
        var heard: [PaymentEvent] = []
        for await event in events { heard.append(event) }

        let attempt = try #require(try await world.histories.first?.attempt)
        #expect(heard.allSatisfy { $0.provider == "acme" && $0.reference == ScriptedProvider.reference })
        #expect(heard.map(\.attempt) == [nil, nil, nil] + Array(repeating: attempt.id, count: heard.count - 3))
        guard case .quoted = heard[1].kind else { Issue.record("\(heard[1])"); return }
        heard.remove(at: 1)
        let mutation = StepKind.mutation(replay: .never)
        #expect(
            heard.map(\.kind) == [
                .quoting, .chosen(Self.option), .began(Self.option), .waiting(.seconds(3)),
                .stepStarted("capture", mutation), .stepFinished("capture", mutation), .note("a remark"),
                .outcome(outcome),
            ])
        #expect(heard.last?.date == world.clock.now)
    }

    @Test("The last event of a log is the outcome, also of a payment that was over before", arguments: [true, false])
    func log(isOver: Bool) async throws {
        let kinds = Mutex<[PaymentEvent.Kind]>([])
        let log = PaymentLog { event in kinds.withLock { $0.append(event.kind) } }
        var world = World()
        if isOver { world.provider.quotedOutcome = .expired }
        let outcome = try await world.router(telling: log).pay(ScriptedProvider.link, as: .careless)
        #expect(kinds.withLock { $0.last } == .outcome(outcome))
    }

    @Test("A listener to one payment receives no event of another")
    func one() async throws {
        let world = World()
        let router = try world.router
        let events = router.events(of: PaymentReference(provider: "acme", id: "p2"))
        let all = router.events()
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        _ = try await router.pay("https://pay.acme.example/?id=p2", as: .careless)
        var ids: Set<String?> = []
        for await event in events { ids.insert(event.reference?.id) }
        #expect(ids == ["p2"])
        var texts = 0
        for await event in all {
            if case .routed = event.kind { texts += 1 }
            if case .outcome = event.kind, event.reference?.id == "p2" { break }
        }
        #expect(texts == 2)
    }

    @Test("A slow listener misses the oldest events and delays no other")
    func slow() async throws {
        let router = try World().router
        let events = router.events(of: ScriptedProvider.reference, limit: 2)
        let outcome = try await router.pay(ScriptedProvider.link, as: .careless)
        var heard: [PaymentEvent.Kind] = []
        for await event in events { heard.append(event.kind) }
        #expect(heard == [.began(Self.option), .outcome(outcome)])
    }

    @Test("The second start of a payment in progress is notified that it joins")
    func joins() async throws {
        let pause = Pause()
        var world = World()
        world.provider.payBody = { attempt, _ in
            await pause.hold()
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        let router = try world.router
        async let first = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        let events = router.events(of: ScriptedProvider.reference)
        async let second = router.pay(ScriptedProvider.link, as: .careless)
        var iterator = events.makeAsyncIterator()
        // Before the text is routed no event names the payment, so this is the first one.
        #expect(await iterator.next()?.kind == .joined)
        await pause.end()
        _ = try await (first, second)
    }

    @Test("Questions to the payer emit events, around the answer")
    func payer() async throws {
        var world = World()
        world.provider.options = [.euros("card", needs: [.page])]
        world.provider.payBody = { attempt, context in
            let page = PageRequest(url: try HTTPURL("https://api.acme.example/page"))
            _ = try await context.payer.browser?(page)
            return .cancelled
        }
        let kinds = Mutex<[PaymentEvent.Kind]>([])
        let payer = Payer(
            browser: { _ in
                kinds.withLock { $0.append(.note("the page")) }
                return nil
            }, policy: .firstWhateverItCosts)
        let router = try world.router(telling: PaymentLog { event in kinds.withLock { $0.append(event.kind) } })
        #expect(try await router.pay(ScriptedProvider.link, as: payer) == .cancelled)
        let heard = kinds.withLock { $0 }
        let asked = try #require(heard.firstIndex(of: .payerAsked(.page)))
        #expect(heard[asked...].prefix(3) == [.payerAsked(.page), .note("the page"), .payerAnswered(.page)])
    }

    @Test("A payment that cannot be resumed emits its error, and that it was abandoned")
    func fails() async throws {
        var world = World()
        let failure = PaymentError(.requestRefused, "not today", provider: "acme", phase: .answered)
        world.provider.payBody = { _, _ in throw failure }
        let kinds = Mutex<[PaymentEvent.Kind]>([])
        let router = try world.router(telling: PaymentLog { event in kinds.withLock { $0.append(event.kind) } })
        await #expect(throws: failure) { try await router.pay(ScriptedProvider.link, as: .careless) }
        #expect(kinds.withLock { $0.suffix(2) } == [.abandoned(reason: "not today"), .failed(failure)])
    }

    @Test("A step that fails emits that it failed, between its start and the payment's outcome")
    func failedStep() async throws {
        let (step, kind) = ("capture", StepKind.mutation(replay: .never))
        var world = World()
        world.provider.payBody = { _, context in
            _ = try? await context.step(step, kind) { () -> String in
                throw PaymentError(.requestRefused, "not today", provider: "acme", phase: .answered)
            }
            return .declined(DeclineReason(.refused, "not today"))
        }
        let kinds = Mutex<[PaymentEvent.Kind]>([])
        let router = try world.router(telling: PaymentLog { event in kinds.withLock { $0.append(event.kind) } })
        let outcome = try await router.pay(ScriptedProvider.link, as: .careless)
        #expect(
            kinds.withLock { $0.suffix(3) } == [.stepStarted(step, kind), .stepFailed(step, kind), .outcome(outcome)])
    }

    @Test(
        "A pause of any length can be emitted, whatever a service asks for",
        arguments: [
            (Duration.seconds(3), "waits 3 s"), (.milliseconds(250), "waits 0.3 s"), (.seconds(-2), "waits -2 s"),
            (.seconds(Int64.max), "waits a very long time"), (.seconds(Int64.min), "waits a very long time"),
        ])
    func pauses(_ pause: Duration, _ text: String) {
        let event = PaymentEvent(date: Date(timeIntervalSince1970: 0), provider: "acme", kind: .waiting(pause))
        #expect("\(event)" == text)
    }

    @Test("Task-local values that were set around a payment are there when its events are emitted")
    func taskLocals() async throws {
        let spans = Mutex<Set<String>>([])
        let router = try World().router(telling: PaymentLog { _ in spans.withLock { _ = $0.insert(Span.current) } })
        _ = try await Span.$current.withValue("checkout 7") {
            try await router.pay(ScriptedProvider.link, as: .careless)
        }
        #expect(spans.withLock { $0 } == ["checkout 7"])
    }

    private enum Span {
        @TaskLocal static var current = "none"
    }
}

@Suite("Stages: what a screen shows of a payment")
struct PaymentStageTests {
    private static let mutation = StepKind.mutation(replay: .never)
    private static let expired = PaymentOutcome(stating: .expired)

    private static func stage(_ kinds: [PaymentEvent.Kind]) -> PaymentStage {
        var stage = PaymentStage()
        for kind in kinds {
            stage.take(
                PaymentEvent(
                    date: Date(timeIntervalSince1970: 0), provider: "acme", reference: ScriptedProvider.reference,
                    kind: kind))
        }
        return stage
    }

    static let stages: [([PaymentEvent.Kind], PaymentStage.Activity, String, Bool)] = [
        ([], .idle, "Not begun", false),
        ([.quoting], .asking, "Asking what is to be paid", false),
        ([.began(.euros("card"))], .working, "Paying with card", false),
        ([.stepStarted("look", .query)], .working, "Paying", false),
        ([.stepStarted("pay", mutation)], .working, "Paying", true),
        (
            [.stepStarted("send", .walletTransfer), .payerAsked(.page)], .awaitingPayer(.page),
            "Waiting for a page shown to the payer", true
        ),
        ([.continued(.euros("card")), .waiting(.seconds(2))], .waiting, "Waiting for the service", true),
        ([.stepStarted("pay", mutation), .outcome(Self.expired)], .ended(Self.expired), "expired", true),
        ([.continued(.euros("card")), .abandoned(reason: "late")], .working, "Paying with card", false),
    ]

    @Test("Each event leads to what a screen shows", arguments: stages)
    func shows(
        _ kinds: [PaymentEvent.Kind], _ activity: PaymentStage.Activity, _ text: String, _ mayHaveMovedMoney: Bool
    ) {
        let stage = Self.stage(kinds)
        #expect(stage.activity == activity)
        #expect(stage.description == text)
        #expect(stage.mayHaveMovedMoney == mayHaveMovedMoney)
    }

    @Test("Of money that goes back nothing reads as if it were paid")
    func refunds() {
        let refund = PaymentReference(provider: "acme", id: "credit-7", subject: .refund(of: "p1"))
        let outcome = PaymentOutcome(
            stating: .succeeded(PaymentReceipt(reference: refund, transactionID: "t-1")))
        var stage = PaymentStage()
        var words: [String] = []
        for kind in [.began(.euros("Refund")), .stepStarted("refund", Self.mutation), .outcome(outcome)]
            as [PaymentEvent.Kind]
        {
            let event = PaymentEvent(
                date: Date(timeIntervalSince1970: 0), provider: "acme", reference: refund, kind: kind)
            stage.take(event)
            words += [stage.description, event.description]
        }
        #expect(words.first == "Refunding" && words.last == "refunded (transaction t-1)", "\(words)")
        #expect(!words.contains { $0.lowercased().contains("pay") || $0.contains("paid") }, "\(words)")
    }

    @Test("A progress model follows a payment to its end")
    @MainActor
    func follows() async throws {
        let router = try World().router
        let events = router.events(of: ScriptedProvider.reference)
        let outcome = try await router.pay(ScriptedProvider.link, as: .careless)
        let progress = PaymentProgress()
        await progress.follow(events)
        #expect(progress.stage.activity == .ended(outcome))
        #expect(progress.stage.attempt != nil)
    }
}
