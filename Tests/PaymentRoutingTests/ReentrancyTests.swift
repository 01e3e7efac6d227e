import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

/// Callbacks that call the router that waits for them.
@Suite("Calls from inside callbacks", .timeLimit(.minutes(10)))
struct ReentrancyTests {
    private static let links = [ScriptedProvider.link, "https://pay.acme.example/?id=p2"]

    /// A router that cancels each caller that joins a payment: one that would wait for itself fails instead.
    private static var unjoinable: PaymentRouter {
        get throws {
            var world = World()
            world.leases = LeasePolicy(grace: .zero)
            return try world.router(
                telling: PaymentLog { event in
                    if case .joined = event.kind { withUnsafeCurrentTask { $0?.cancel() } }
                })
        }
    }

    /// Pays from inside a callback.
    ///
    /// - Returns: the code of the error; `paid` when there is none.
    private static func pay(_ link: String, _ router: PaymentRouter, as payer: Payer) async -> String {
        do {
            _ = try await router.pay(link, as: payer)
            return "paid"
        } catch { return error.code.rawValue }
    }

    @Test("A payment that its own chooser asks for is refused to it, and continues")
    func own() async throws {
        let router = try Self.unjoinable
        let answers = Mutex<[String]>([])
        let payer = Payer(chooser: { _ in
            let answer = await Self.pay(ScriptedProvider.link, router, as: .careless)
            answers.withLock { $0.append(answer) }
            return "card"
        })
        #expect(
            try await router.pay(ScriptedProvider.link, as: payer)
                == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        #expect(answers.withLock { $0 } == ["in-use"])
    }

    @Test("Of two payments whose choosers ask for each other one is refused, and both continue")
    func ring() async throws {
        // One that was cancelled would stop waiting, and the other one would then wait for nothing.
        let router = try World().router
        let gates = [Gate(), Gate()]
        let answers = Mutex<[String]>([])
        let payers = [0, 1].map { own in
            Payer(chooser: { _ in
                await gates[own].open()
                await gates[1 - own].pass()
                let answer = await Self.pay(Self.links[1 - own], router, as: .careless)
                answers.withLock { $0.append(answer) }
                return "card"
            })
        }
        async let first = router.pay(Self.links[0], as: payers[0])
        async let second = router.pay(Self.links[1], as: payers[1])
        for outcome in try await [first, second] { #expect(outcome.isFinal) }
        #expect(answers.withLock { $0.sorted() } == ["in-use", "paid"])
    }

    @Test("A payment that its own chooser cancels is not made, whatever it chooses")
    func cancelled() async throws {
        let shop = Shop()
        let router = try PaymentRouter(shop)
        let answers = Mutex<[PaymentOutcome?]>([])
        let payer = Payer(chooser: { _ in
            let answer = try? await router.cancel(ScriptedProvider.reference)
            answers.withLock { $0.append(answer) }
            return "card"
        })
        let error = await #expect(throws: PaymentError.self) { try await router.pay(ScriptedProvider.link, as: payer) }
        #expect(error?.code == .cancelled && error?.phase == .beforeSend)
        #expect(answers.withLock { $0.map { $0?.report } } == [.cancelled] && shop.calls["pay"] == 0)
    }

    @Test("A payment that is stated as over inside its own chooser is not made, whatever it chooses")
    func stated() async throws {
        var world = World()
        world.provider.statusBody = { _, _ in .expired }
        let (router, calls) = (try world.router, world.provider.calls)
        let answers = Mutex<[PaymentOutcome?]>([])
        let payer = Payer(chooser: { _ in
            let answer = try? await router.status(of: ScriptedProvider.reference)
            answers.withLock { $0.append(answer) }
            return "card"
        })
        let error = await #expect(throws: PaymentError.self) { try await router.pay(ScriptedProvider.link, as: payer) }
        #expect(error?.code == .cancelled && error?.phase == .beforeSend)
        #expect(answers.withLock { $0.map { $0?.report } } == [.expired] && calls["pay"] == 0)
    }

    @Test("A payment that is being chosen in one process is stated as over in another only when that is done")
    func statedElsewhere() async throws {
        var world = World()
        world.provider.statusBody = { _, _ in .expired }
        let (here, calls) = (try world.router, world.provider.calls)
        world.random = SeededRandomSource(seed: 2)
        let there = try world.router
        let answers = Mutex<[PaymentOutcome?]>([])
        let payer = Payer(chooser: { _ in
            let answer = try? await there.status(of: ScriptedProvider.reference)
            answers.withLock { $0.append(answer) }
            return "card"
        })
        #expect(try await here.pay(ScriptedProvider.link, as: payer).isFinal && calls["pay"] == 1)
        guard case .unknown(let doubt)?? = answers.withLock({ $0.first }) else {
            Issue.record("it was stated as over")
            return
        }
        #expect(doubt.message.hasPrefix("another process is at this payment"))
        world.journal = InMemoryJournal()
        #expect(try await world.router.status(of: ScriptedProvider.reference).report == .expired)
    }

    /// A journal that has a question asked while it opens an attempt, and waits for the answer, but not for long.
    private final class AskedJournal: ForwardingJournal {
        let base = InMemoryJournal()
        let question = Mutex<(@Sendable () async -> PaymentOutcome?)?>(nil)
        let answers = Mutex<[PaymentOutcome?]>([])

        func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
            let question = question.withLock { $0 }
            let asking = Task.detached { [self] in
                let answer = await question?()
                answers.withLock { $0.append(answer) }
            }
            for _ in 0..<10_000 where answers.withLock({ $0.isEmpty }) { await Task.yield() }
            try await base.open(attempt, under: lease)
            _ = asking
        }
    }

    @Test("A payment whose attempt is being opened is not stated as over")
    func statedWhileOpened() async throws {
        var world = World()
        world.provider.statusBody = { _, _ in .expired }
        let journal = AskedJournal()
        world.journal = journal
        let (router, calls) = (try world.router, world.provider.calls)
        journal.question.withLock { $0 = { try? await router.status(of: ScriptedProvider.reference) } }
        #expect(try await router.pay(ScriptedProvider.link, as: .careless).isFinal && calls["pay"] == 1)
        while journal.answers.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(journal.answers.withLock { $0.map { $0?.deniesPayment } } == [false])
    }

    @Test("A payment whose end a chooser no longer waits for may ask for the chooser's own payment")
    func left() async throws {
        let (asked, joined, left, rejoined) = (Gate(), Gate(), Gate(), Gate())
        var world = World()
        world.leases = LeasePolicy(grace: .zero)
        let router = try world.router(
            telling: PaymentLog { event in
                guard case .joined = event.kind else { return }
                let isOwn = event.reference == ScriptedProvider.reference
                Task { await (isOwn ? rejoined : joined).open() }
            })
        let answers = Mutex<[String]>([])
        let other = Payer(chooser: { _ in
            await asked.open()
            await left.pass()
            let answer = await Self.pay(Self.links[0], router, as: .careless)
            answers.withLock { $0.append(answer) }
            await rejoined.open()
            return "card"
        })
        async let second = router.pay(Self.links[1], as: other)
        await asked.pass()
        let payer = Payer(chooser: { _ in
            let waiting = Task { await Self.pay(Self.links[1], router, as: .careless) }
            await joined.pass()
            waiting.cancel()
            _ = await waiting.value
            await left.open()
            await rejoined.pass()
            return "card"
        })
        async let first = router.pay(Self.links[0], as: payer)
        for outcome in try await [first, second] { #expect(outcome.isFinal) }
        #expect(answers.withLock { $0 } == ["paid"])
    }

    @Test("Another payment is made from inside, and joined by others")
    func other() async throws {
        let world = World()
        let router = try world.router
        let answers = Mutex<[String]>([])
        let payer = Payer(chooser: { _ in
            async let first = Self.pay(Self.links[1], router, as: .careless)
            async let second = Self.pay(Self.links[1], router, as: .careless)
            let both = await [first, second]
            answers.withLock { $0 += both }
            return "card"
        })
        #expect(try await router.pay(ScriptedProvider.link, as: payer).isFinal)
        #expect(answers.withLock { $0 } == ["paid", "paid"])
    }
}
