import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Requests as stored values: one key is one request, and each is bound by its own terms.
@Suite("Intents")
struct IntentTests {
    private let world = World()
    private let settler = TestSettler()

    private static func intent(
        _ key: String? = "a", _ choice: PaymentIntent.Choice = .option("card"), link: String = ScriptedProvider.link,
        deadline: Date? = nil
    ) -> PaymentIntent {
        PaymentIntent(of: link, key: key, choice: choice, deadline: deadline)
    }

    private static func isPaid(_ statement: PaymentStatement) -> Bool {
        if case .stated(.succeeded) = statement { true } else { false }
    }

    private static func unanswered(_ statement: PaymentStatement) -> PaymentError.Code? {
        if case .unanswered(let error, _) = statement { error.code } else { nil }
    }

    private static func notBegun(_ statement: PaymentStatement) -> PaymentError.Code? {
        if case .notBegun(let error) = statement { error.code } else { nil }
    }

    @Test("A key is carried out once, also after its end, by another router, and without the service")
    func once() async throws {
        for router in [try world.router, try world.router] {
            #expect(Self.isPaid(await router.carryOut(Self.intent(), as: Payer())))
            #expect(Self.isPaid(await router.outcome(of: Self.intent())))
            #expect(Self.isPaid(await router.resume(Self.intent(), as: Payer())))
            world.provider.calls.count("left unsent")
        }
        #expect(world.provider.calls["pay"] == 1 && world.provider.calls["quote"] == 1)
    }

    @Test("An option at another amount than was shown is not paid, and at the same it is")
    func shown() async throws {
        let router = try world.router
        let other = Self.intent("a", .shown("card", .cents(999)))
        #expect(Self.notBegun(await router.carryOut(other, as: Payer())) == .unusableOption)
        #expect(world.provider.calls["pay"] == 0)
        #expect(try await world.histories.isEmpty)
        #expect(Self.isPaid(await router.carryOut(Self.intent("a", .shown("card", .cents(1000))), as: Payer())))
    }

    @Test(
        "An intent is bound to its first quote before anything is begun, and is not begun where that cannot be stored")
    func binding() async throws {
        struct Full: Error {}
        let router = try world.router
        let refused = await router.carryOut(Self.intent(), as: Payer()) { _, _ in throw Full() }
        #expect(Self.notBegun(refused) == .journal && world.provider.calls["pay"] == 0)
        let bound = Tally()
        let journal = world.journal
        let paid = await router.carryOut(Self.intent(), as: Payer()) { intent, quote in
            #expect(intent.choice == .shown("card", .cents(1000)) && quote.options.count == 1)
            let begun = try await journal.histories(of: quote.reference)
            #expect(begun.isEmpty)
            bound.count("bound")
        }
        #expect(Self.isPaid(paid) && bound["bound"] == 1)
        let shown = try await quote(router)
        #expect(Self.intent("a", .asked).bound(to: shown).choice == .asked)
        #expect(Self.intent("a", .option("none")).bound(to: shown).choice == .option("none"))
    }

    private func quote(_ router: PaymentRouter) async throws -> PaymentQuote {
        try await router.quote(try #require(router.route(ScriptedProvider.link).route), as: .careless)
    }

    @Test("Limits bind, also where another intent has begun an attempt above them that has sent nothing")
    func limits() async throws {
        _ = try await world.crashed([])
        let router = try world.router
        let low = Self.intent("b", .within([.cents(999)]))
        let reason = try #require(
            await router.carryOut(low, as: Payer()).outcome?.declineReason, "it was paid above its limit")
        #expect(reason.code == .outsidePolicy && world.provider.calls["pay"] == 0)
        #expect(try await world.histories.allSatisfy(\.isFinished))
        #expect(Self.isPaid(await router.carryOut(Self.intent("b", .within([.cents(1000)])), as: Payer())))
    }

    @Test("What another intent has handed out is asked about, and nothing is asked of this one's payer for it")
    func joined() async throws {
        for (key, choice, isAsked) in [
            ("b", .asked, false), ("b", .within([.cents(999)]), false), ("b", .shown("card", .cents(1000)), true),
            (nil, .asked, true),
        ] as [(String?, PaymentIntent.Choice, Bool)] {
            var world = World()
            _ = try await world.crashed([.stepStarted(name: "order", kind: .mutation(replay: .never))])
            let signer = Tally()
            world.provider.payBody = { attempt, context in
                if context.payer.browser != nil { signer.count("asked") }
                throw PaymentError(.network, "in the middle", phase: .maybeSent)
            }
            world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
            let (router, payer) = (try world.router, Payer(chooser: { _ in "card" }, browser: { _ in nil }))
            let statement = await router.carryOut(Self.intent(key, choice), as: payer)
            #expect(statement.outcome?.unknownOutcome != nil, "\(choice): \(statement)")
            #expect((signer["asked"] > 0) == isAsked, "\(choice)")
            #expect(world.provider.calls["quote"] == 0)
        }
    }

    @Test("A payer is asked for what its own request still needs")
    func ownInterrupted() async throws {
        var world = World()
        let runs = Tally()
        world.provider.payBody = { _, context in
            if context.payer.browser != nil { runs.count("asked") }
            throw PaymentError(.network, "in the middle", phase: .maybeSent)
        }
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        let (router, payer) = (try world.router, Payer(chooser: { _ in "card" }, browser: { _ in nil }))
        for count in 1...2 {
            _ = await router.carryOut(Self.intent("a", .asked), as: payer)
            #expect(runs["asked"] == count)
        }
    }

    @Test("A failed question is no outcome: of what was begun it is unknown, of what is paid it is paid")
    func errors() async throws {
        var world = World()
        world.provider.quoteBody = { throw PaymentError(.network, "offline") }
        let router = try world.router
        #expect(Self.notBegun(await router.carryOut(Self.intent(), as: Payer())) == .network)
        let offline = PaymentError(.network, "offline")
        #expect(Self.notBegun(await router.statement(on: offline, of: ScriptedProvider.reference)) == .network)
        #expect(Self.notBegun(await router.statement(on: offline, of: nil)) == .network)
        let doubt = PaymentError(.network, "lost", phase: .maybeSent)
        #expect(Self.unanswered(await router.statement(on: doubt, of: ScriptedProvider.reference)) == .network)
        _ = try await world.crashed([])
        let open = await router.statement(on: offline, of: ScriptedProvider.reference)
        guard case .unanswered(_, let known) = open else {
            Issue.record("an open attempt is called not begun")
            return
        }
        #expect(known.message.contains("att_crashed") && known.message.contains("nothing was sent yet"))
        _ = try await router.end(
            AttemptID(rawValue: "att_crashed"), as: .paid, by: "Ann", evidence: "the payee's receipt")
        #expect(Self.isPaid(await router.statement(on: offline, of: ScriptedProvider.reference)))
    }

    @Test("An unreadable journal proves nothing")
    func unreadable() async throws {
        var world = World()
        let journal = FailingJournal { _ in false }
        world.journal = journal
        let router = try world.router
        await journal.hide()
        let offline = PaymentError(.network, "offline")
        #expect(Self.unanswered(await router.statement(on: offline, of: ScriptedProvider.reference)) == .network)
    }

    @Test("A record of something else under the same name says nothing of this link")
    func otherPayment() async throws {
        let provider = ReusedNames()
        let router = try PaymentRouter(of: provider)
        let (cheap, dear) = ("https://reused.example/7/100", "https://reused.example/7/900")
        #expect(Self.isPaid(await router.carryOut(Self.intent("a", .asked, link: cheap), as: .careless)))
        let other = await router.carryOut(Self.intent("b", .asked, link: dear), as: .careless)
        #expect(Self.notBegun(other) == .integrity, "\(other)")
        #expect(Self.notBegun(await router.outcome(of: Self.intent("b", .asked, link: dear))) == .integrity)
    }

    @Test("Where no provider takes an intent's link any more, what it has paid is stated, and of no other intent")
    func unrouted() async throws {
        #expect(Self.isPaid(try await world.router.carryOut(Self.intent(), as: Payer())))
        let bare = PaymentRouter(
            registry: try ProviderRegistry([any PaymentProvider]()), transport: world.transport,
            journal: world.journal, clock: world.clock, random: world.random)
        #expect(Self.isPaid(await bare.outcome(of: Self.intent())))
        #expect(Self.isPaid(await bare.carryOut(Self.intent(), as: Payer())))
        #expect(Self.notBegun(await bare.outcome(of: Self.intent("b"))) != nil)
    }

    @Test("A quote for another payment than the link's is not paid")
    func otherQuote() async throws {
        let router = try world.router
        let own = ScriptedProvider.reference
        for reference in [
            PaymentReference(provider: "other", id: own.id), PaymentReference(provider: "acme", id: "p2"),
            RefundRequest(of: own, amount: .cents(1000), id: own.id).reference,
            CaptureRequest(of: own, amount: .cents(1000)).reference,
        ] {
            let quote = PaymentQuote(
                ProviderQuote(
                    reference: reference, payee: Payee(name: "Shop"), amount: nil, options: [.euros("card")]))
            let statement = await router.carryOut(Self.intent(), quote: quote, as: Payer())
            #expect(Self.notBegun(statement) == .integrity, "\(reference): \(statement)")
        }
        #expect(world.provider.calls["pay"] == 0)
        #expect(Self.isPaid(await router.carryOut(Self.intent(), quote: try await quote(router), as: Payer())))
    }

    @Test("A quote with two options of one name is not paid")
    func ambiguousQuote() async throws {
        let options: [PaymentMethodOption] = [.euros("card"), .euros("card")]
        let quote = PaymentQuote(
            ProviderQuote(
                reference: ScriptedProvider.reference, payee: Payee(name: "Shop"), amount: nil, options: options))
        let statement = try await world.router.carryOut(Self.intent(), quote: quote, as: Payer())
        #expect(Self.notBegun(statement) == .invalidResponse)
        #expect(world.provider.calls["pay"] == 0)
    }

    @Test("A link that does not prove its destination is paid only with the intent's consent")
    func unverified() async throws {
        var world = World()
        world.provider.match = { _ in LinkMatch(.payment("p1"), trust: .unverified(reason: "the payee is not proven"))
        }
        let router = try world.router
        let without = PaymentIntent(of: ScriptedProvider.link, key: "a", choice: .option("card"))
        #expect(Self.notBegun(await router.carryOut(without, as: Payer())) == .untrustedLink)
        #expect(world.provider.calls["quote"] == 0)
        let with = PaymentIntent(
            of: ScriptedProvider.link, key: "a", choice: .option("card"), acceptsUnverified: true)
        #expect(Self.isPaid(await router.carryOut(with, as: Payer())))
    }

    @Test("Of several attempts the outcome is that of the latest")
    func latest() async throws {
        var world = World()
        let refused = Tally()
        world.provider.payBody = { attempt, _ in
            refused.count("pay")
            guard refused["pay"] > 1 else { return .declined(DeclineReason(.refused, "no")) }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        let router = try world.router
        #expect(await router.carryOut(Self.intent("a"), as: Payer()).outcome?.declineReason != nil, "it was refused")
        #expect(Self.isPaid(await router.carryOut(Self.intent("b"), as: Payer())))
        #expect(Self.isPaid(await router.outcome(of: Self.intent("b"))))
    }

    @Test("An intent's attempt that has sent nothing is resumed, whatever has chosen its option")
    func ownUnsent() async throws {
        for choice in [PaymentIntent.Choice.asked, .within([.cents(1000)]), .option("card")] {
            let (world, router) = try await Self.leavingUnsent(Self.intent("a", choice))
            #expect(Self.isPaid(await router.carryOut(Self.intent("a", choice), as: .careless)), "\(choice)")
            #expect(try await world.histories.count == 1 && world.provider.calls["quote"] == 1)
        }
    }

    /// Returns a world in which an attempt of an intent is open that has sent nothing.
    private static func leavingUnsent(_ intent: PaymentIntent) async throws -> (World, PaymentRouter) {
        let failures = Tally()
        var world = World()
        let paid = world.provider.payBody
        world.journal = FailingJournal { event in
            guard case .abandoned? = event, failures["abandoned"] == 0 else { return false }
            failures.count("abandoned")
            return true
        }
        world.provider.payBody = { attempt, context in
            guard failures["abandoned"] > 0 else { throw PaymentError(.network, "offline", provider: "acme") }
            return try await paid(attempt, context)
        }
        let router = try world.router
        #expect(Self.unanswered(await router.carryOut(intent, as: .careless)) == .network)
        #expect(try await world.histories.map(\.isFinished) == [false])
        return (world, router)
    }

    @Test("The names of an intent's attempts and payments are permanent")
    func names() async throws {
        func digest(_ text: String) -> String { Hex.encode(Digest.sha256.hash(Array(text.utf8))) }
        #expect(Self.isPaid(try await world.router.carryOut(Self.intent("key"), as: Payer())))
        let id = try #require(try await world.histories.first).attempt.id.rawValue
        #expect(id.hasPrefix("att_" + digest("intent\nkey").prefix(16)) && id.utf8.count == 36)
        let other = World()
        #expect(Self.isPaid(try await other.router.carryOut(Self.intent(nil), as: Payer())))
        #expect(try await other.histories.first?.attempt.id.rawValue.utf8.count == 28)
        let router = try PaymentRouter(of: InvoiceProvider())
        let payment = try #require(router.payment(of: PaymentIntent(of: InvoiceProvider.payee, key: "key")))
        #expect(payment.id.split(separator: "/").last.map(String.init) == String(digest("payment\nkey").prefix(24)))
    }

    // MARK: Cancelling

    @Test("A cancelled intent begins nothing any more, and another one does")
    func cancelled() async throws {
        let router = try world.router
        #expect(Self.notBegun(await router.cancel(Self.intent())) == .cancelled)
        #expect(Self.notBegun(await router.carryOut(Self.intent(), as: Payer())) == .cancelled)
        #expect(Self.notBegun(await router.outcome(of: Self.intent())) == .cancelled)
        #expect(world.provider.calls["quote"] == 0)
        #expect(try await world.histories.map(\.attempt.option.amount.isZero) == [true], "it costs nothing")
        #expect(Self.isPaid(await router.carryOut(Self.intent("b"), as: Payer())))
        #expect(Self.isPaid(await router.cancel(Self.intent())))
    }

    @Test("An option that is named like a cancellation is none", arguments: ["called-off", "nothing", "both"])
    func namedLikeCancellation(name: String) async throws {
        var world = World()
        let runs = Tally()
        let option = PaymentMethodOption(
            id: name == "nothing" ? "card" : "called-off", title: name == "called-off" ? "Card" : "nothing",
            amount: .cents(1000))
        world.provider.options = [option]
        world.provider.payBody = { attempt, _ in
            runs.count("pay")
            guard runs["pay"] > 1 else { throw PaymentError(.network, "offline", provider: "acme") }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        let (router, intent) = (try world.router, Self.intent("a", .option(option.id)))
        #expect(Self.notBegun(await router.carryOut(intent, as: Payer())) == .network)
        #expect(Self.isPaid(await router.carryOut(intent, as: Payer())))
    }

    @Test("What was handed out, and another intent's attempt, are not cancelled")
    func notCancelled() async throws {
        var world = World()
        world.provider.payBody = { attempt, context in
            _ = try await context.step("order", .mutation(replay: .never)) { () async throws -> Bool in
                throw PaymentError(.network, "lost", phase: .maybeSent)
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        let router = try world.router
        #expect(
            await router.carryOut(Self.intent(), as: Payer()).outcome?.unknownOutcome != nil,
            "a lost answer is an outcome")
        for key in ["a", "b"] {
            #expect(Self.unanswered(await router.cancel(Self.intent(key))) == .inUse)
        }
        #expect(try await world.histories.map(\.isFinished) == [false])
    }

    @Test("A payment that its service has called pending is not cancelled, though nothing was sent for it")
    func pendingNotCancelled() async throws {
        var world = World()
        world.provider.payBody = { _, _ in .pending(retryAfter: nil) }
        let router = try world.router
        guard case .stated(.pending) = await router.carryOut(Self.intent(), as: Payer()) else {
            Issue.record("it is not pending")
            return
        }
        #expect(Self.unanswered(await router.cancel(Self.intent())) == .inUse)
        #expect(try await world.histories.map(\.isFinished) == [false])
    }

    @Test("A cancellation whose end a crash has lost ends when it is recovered, and is not paid")
    func cancellationLeft() async throws {
        let journal = FailingJournal { if case .abandoned? = $0 { true } else { false } }
        var world = World()
        world.journal = journal
        _ = try await world.router.cancel(Self.intent())
        world.journal = journal.base
        let open = try #require(try await world.histories.first)
        #expect(!open.isFinished)
        let router = try world.router
        let error = await #expect(throws: PaymentError.self) { try await router.resume(open.attempt.id, as: Payer()) }
        #expect(error?.code == .cancelled && world.provider.calls["pay"] == 0)
        #expect(try await world.histories.map(\.isFinished) == [true])
        #expect(Self.notBegun(await router.carryOut(Self.intent(), as: Payer())) == .cancelled)
    }

    @Test("A cancellation does not wait for another worker on the payment")
    func cancelledAtOnce() async throws {
        let lease = PaymentLease(payment: ScriptedProvider.reference, holder: "another", duration: .seconds(3600))
        #expect(try await world.journal.acquire(lease, at: world.clock.now))
        let before = world.clock.now
        let statement = try await world.router.cancel(Self.intent())
        #expect(Self.unanswered(statement) == .inUse && world.clock.now == before, "\(statement)")
    }

    @Test("An attempt of the intent that has sent nothing is abandoned by its cancellation, and no other's is")
    func unsent() async throws {
        _ = try await world.crashed([])
        let router = try world.router
        for key in ["b", nil] { #expect(Self.unanswered(await router.cancel(Self.intent(key))) == .inUse) }
        #expect(try await world.histories.map(\.isFinished) == [false])
    }

    @Test("An intent's attempt that has sent nothing ends with the intent's cancellation")
    func ownCancelled() async throws {
        let (world, router) = try await Self.leavingUnsent(Self.intent())
        #expect(Self.notBegun(await router.cancel(Self.intent())) == .cancelled)
        #expect(try await world.histories.allSatisfy(\.isFinished))
        #expect(Self.notBegun(await router.carryOut(Self.intent(), as: .careless)) == .cancelled)
        #expect(Self.isPaid(await router.carryOut(Self.intent("b"), as: .careless)))
    }

    @Test("A cancelled intent does not stop a request without a key")
    func withoutKey() async throws {
        let router = try World().router
        #expect(Self.notBegun(await router.cancel(Self.intent())) == .cancelled)
        #expect(Self.isPaid(await router.carryOut(Self.intent(nil), as: Payer())))
    }

    @Test("Resuming begins nothing, and carries out what was begun")
    func resumes() async throws {
        let router = try world.router
        #expect(Self.notBegun(await router.resume(Self.intent(), as: Payer())) == .notFound)
        #expect(try await world.histories.isEmpty)
        _ = try await world.crashed([])
        #expect(Self.isPaid(await router.resume(Self.intent(nil), as: .careless)))
        #expect(world.provider.calls["pay"] == 1)
    }

    @Test("After its deadline nothing is begun")
    func deadline() async throws {
        let router = try world.router
        let intent = Self.intent("a", deadline: world.clock.now)
        #expect(Self.notBegun(await router.carryOut(intent, as: Payer())) == .cancelled)
        #expect(world.provider.calls["quote"] == 0)
        let later = Self.intent("a", deadline: world.clock.now.addingTimeInterval(1))
        #expect(Self.isPaid(await router.carryOut(later, as: Payer())))
    }

    // MARK: Several at once

    @Test("Another intent in progress is waited for, and not joined: its payer's answers are its own")
    func waits() async throws {
        var world = World()
        let pause = Pause()
        let paid = world.provider.payBody
        world.provider.payBody = { attempt, context in
            await pause.hold()
            return try await paid(attempt, context)
        }
        let router = try world.router
        async let first = router.carryOut(Self.intent("a"), as: Payer())
        await pause.reached()
        let second = Task { await router.carryOut(Self.intent("b"), as: Payer()) }
        let third = Task { await router.carryOut(Self.intent("c"), as: Payer()) }
        third.cancel()
        // It has stopped waiting, and the payment goes on.
        #expect(Self.unanswered(await third.value) == .cancelled)
        await pause.end()
        #expect(Self.isPaid(await first))
        #expect(Self.isPaid(await second.value))
        #expect(world.provider.calls["pay"] == 1)
    }

    @Test(
        "A refusal or an error of the intent that was waited for is not this one's, which is begun then",
        arguments: [false, true])
    func waitsForRefusal(isError: Bool) async throws {
        var world = World()
        let (pause, runs) = (Pause(), Tally())
        let paid = world.provider.payBody
        world.provider.payBody = { attempt, context in
            runs.count("pay")
            guard runs["pay"] == 1 else { return try await paid(attempt, context) }
            await pause.hold()
            if isError { throw PaymentError(.network, "offline", provider: "acme") }
            return .declined(DeclineReason(.refused, "no"))
        }
        let router = try world.router(
            telling: PaymentLog { event in
                guard case .joined = event.kind else { return }
                Task { await pause.end() }
            })
        async let first = router.carryOut(Self.intent("a"), as: Payer())
        await pause.reached()
        let second = await router.carryOut(Self.intent("b"), as: Payer())
        switch await first {
        case .stated(.declined) where !isError: break
        case .notBegun(let error) where isError && error.code == .network: break
        case let other: Issue.record("\(other)")
        }
        #expect(Self.isPaid(second) && runs["pay"] == 2)
    }

    @Test("A payee is paid once for each key, and one payment at a time")
    func payee() async throws {
        let journal = InMemoryJournal()
        let router = try PaymentRouter(of: InvoiceProvider(), journal: journal)
        func intent(_ key: String) -> PaymentIntent {
            PaymentIntent(of: InvoiceProvider.payee, key: key, choice: .option("only"))
        }
        let payer = Payer(settler: settler)
        for key in ["may", "june", "may"] { #expect(Self.isPaid(await router.carryOut(intent(key), as: payer))) }
        #expect(settler.payments == 2)
        let payments = try await router.payments(toPayeeOf: try #require(router.route(InvoiceProvider.payee).route))
        #expect(payments.count == 2 && payments.first == router.payment(of: intent("may")))
        // While one is open, no other begins; and its state is not this one's.
        settler.habit = .losesAnswer
        settler.isSilent = false
        #expect(
            await router.carryOut(intent("july"), as: payer).outcome?.unknownOutcome != nil,
            "a lost answer is an outcome")
        settler.habit = .pays
        settler.isSilent = true
        #expect(
            await router.carryOut(intent("august"), as: payer).outcome?.unknownOutcome != nil,
            "two payments to one payee are open")
        settler.isSilent = false
        #expect(Self.isPaid(await router.carryOut(intent("july"), as: payer)))
        #expect(settler.payments == 3)
    }

    @Test("Two keys that pay one payee at once are two payments, one after the other")
    func payeeAtOnce() async throws {
        let (settler, gate, runs) = (TestSettler(), Gate(), Tally())
        var provider = InvoiceProvider()
        let calls = provider.calls
        provider.quoteBody = {
            runs.count("quote")
            if runs["quote"] == 1 { await gate.pass() }
        }
        let router = try PaymentRouter(
            of: provider, log: PaymentLog { if case .joined = $0.kind { Task { await gate.open() } } })
        let payer = Payer(settler: settler)
        func intent(_ key: String) -> PaymentIntent {
            PaymentIntent(of: InvoiceProvider.payee, key: key, choice: .option("only"))
        }
        async let first = router.carryOut(intent("may"), as: payer)
        while calls["quote"] == 0 { await Task.yield() }
        #expect(Self.isPaid(await router.carryOut(intent("june"), as: payer)))
        #expect(Self.isPaid(await first))
        #expect(settler.payments == 2)
    }

    @Test("Without a key, one quote of a payee is one payment, and without a quote each call is another")
    func payeeWithoutKey() async throws {
        let payer = Payer(settler: settler)
        let provider = InvoiceProvider()
        let router = try PaymentRouter(of: provider)
        let intent = PaymentIntent(of: InvoiceProvider.payee, key: nil, choice: .option("only"))
        let quote = try await router.quote(try #require(router.route(InvoiceProvider.payee).route), as: payer)
        for _ in 0..<2 { #expect(Self.isPaid(await router.carryOut(intent, quote: quote, as: payer))) }
        #expect(settler.payments == 1 && provider.calls["quote"] == 1, "what was shown is paid")
        for _ in 0..<2 { #expect(Self.isPaid(await router.carryOut(intent, as: payer))) }
        #expect(settler.payments == 3)
        // With a key the payment has the key's name, whichever quote is at hand.
        let again = try await router.quote(try #require(router.route(InvoiceProvider.payee).route), as: payer)
        for key in ["may", "june", "may"] {
            let keyed = PaymentIntent(of: InvoiceProvider.payee, key: key, choice: .option("only"))
            let receipt = try #require(
                await router.carryOut(keyed, quote: again, as: payer).outcome?.receipt, "\(key) is not paid")
            #expect(receipt.reference == router.payment(of: keyed))
        }
        #expect(settler.payments == 5)
    }

    @Test("Without a key an open payment to the payee is resumed, and no other begins beside it")
    func openPayee() async throws {
        let settler = TestSettler(.losesAnswer)
        let router = try PaymentRouter(of: InvoiceProvider())
        let intent = PaymentIntent(of: InvoiceProvider.payee, key: nil, choice: .option("only"))
        let open = try #require(
            await router.carryOut(intent, as: Payer(settler: settler)).outcome?.unknownOutcome,
            "a lost answer was taken for an end")
        settler.habit = .pays
        let receipt = try #require(
            await router.carryOut(intent, as: Payer(settler: settler)).outcome?.receipt, "it was not resumed")
        #expect(receipt.reference == open.reference && settler.payments == 1)
    }

    // MARK: Corrections

    @Test(
        "A settler that says paid after it had said unpaid corrects the attempt, the outcome and the account of spending"
    )
    func corrected() async throws {
        let (settler, journal) = (TestSettler(.refuses), InMemoryJournal())
        let limit = SpendingLimit(try Money(minorUnits: 3000, currency: .satoshi), per: .day)
        let seen = Tally()
        let router = try PaymentRouter(
            of: InvoiceProvider(), journal: journal,
            log: PaymentLog { if case .corrected = $0.kind { seen.count("corrected") } },
            autoPay: AutoPay(within: [limit]))
        let payer = Payer(settler: settler)
        #expect(try await router.pay(InvoiceProvider.invoice, as: payer).declineReason != nil, "it was not refused")
        let attempt = try #require(await journal.histories(of: InvoiceProvider.invoiceReference).first?.attempt)
        #expect(await journal.spending(of: attempt.id)?.state == .released)
        settler.pay(attempt.key(for: "settle"))
        #expect(
            try await router.status(of: InvoiceProvider.invoiceReference, as: payer).receipt != nil,
            "its status is not asked for again")
        #expect(await journal.history(of: attempt.id)?.state == .paid && seen["corrected"] == 1)
        #expect(await journal.spending(of: attempt.id)?.state == .paid)
        #expect(try await router.pay(InvoiceProvider.invoice, as: payer).receipt != nil, "it is paid again")
        #expect(settler.payments == 1 && settler.settlements.count == 1)
    }

    @Test("Paying again asks the settler about what it had refused, and resuming does, too")
    func correctedByPaying() async throws {
        for resumes in [false, true] {
            let (settler, journal) = (TestSettler(.refuses), InMemoryJournal())
            let router = try PaymentRouter(of: InvoiceProvider(), journal: journal)
            _ = try await router.pay(InvoiceProvider.invoice, as: .careless(settler))
            let attempt = try #require(await journal.histories(of: InvoiceProvider.invoiceReference).first?.attempt)
            settler.pay(attempt.key(for: "settle"))
            settler.habit = .pays
            let outcome =
                resumes
                ? try await router.resume(attempt.id, as: .careless(settler))
                : try await router.pay(InvoiceProvider.invoice, as: .careless(settler))
            #expect(outcome.receipt != nil, "\(outcome)")
            #expect(settler.payments == 1 && settler.settlements.count == 1)
        }
    }

    @Test("The outcome of an intent that the settler has refused is asked for again")
    func correctedOutcome() async throws {
        let (settler, journal) = (TestSettler(.refuses), InMemoryJournal())
        let router = try PaymentRouter(of: InvoiceProvider(), journal: journal)
        let (intent, payer) = (PaymentIntent(of: InvoiceProvider.invoice, key: "a"), Payer.careless(settler))
        #expect(await router.carryOut(intent, as: payer).outcome?.declineReason != nil, "it was not refused")
        let attempt = try #require(await journal.histories(of: InvoiceProvider.invoiceReference).first?.attempt)
        settler.pay(attempt.key(for: "settle"))
        #expect(Self.isPaid(await router.outcome(of: intent, as: payer)))
    }

    // MARK: Asking

    @Test("The service is asked about an intent whose attempt is open, and the record is not stated")
    func openOutcome() async throws {
        var world = World()
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        _ = try await world.crashed([.stepStarted(name: "order", kind: .mutation(replay: .never))])
        #expect(try await world.router.outcome(of: Self.intent()) == .stated(.pending(retryAfter: nil)))
    }

    @Test("The service is asked about an intent whose record was made with another key, and the record is not stated")
    func distrustedOutcome() async throws {
        var world = World()
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        func router(_ byte: UInt8) throws -> PaymentRouter {
            let key = try JournalKey(Redacted([UInt8](repeating: byte, count: JournalKey.minimumLength)))
            return try PaymentRouter(of: world.provider, journal: world.journal, clock: world.clock, journalKey: key)
        }
        #expect(Self.isPaid(try await router(1).carryOut(Self.intent(), as: Payer())))
        #expect(Self.isPaid(try await router(1).outcome(of: Self.intent())))
        #expect(try await router(2).outcome(of: Self.intent()) == .stated(.pending(retryAfter: nil)))
    }

    @Test("An attempt ends with the intent's outcome where its service has ended it")
    func concludedOutcome() async throws {
        var world = World()
        world.provider.statusBody = { payment, _ in .succeeded(PaymentReceipt(reference: payment)) }
        _ = try await world.crashed([.stepStarted(name: "order", kind: .mutation(replay: .never))])
        #expect(Self.isPaid(try await world.router.outcome(of: Self.intent())))
        #expect(try await world.histories.map(\.isFinished) == [true])
    }

    @Test("A quote from before another intent's attempt ended is not used, since the payment may be over")
    func outdatedQuote() async throws {
        var world = World()
        world.provider.payBody = { attempt, context in
            _ = try await context.step("order", .mutation(replay: .never)) { true }
            return .declined(DeclineReason(.refused, "charged and given back"))
        }
        world.provider.statusBody = { _, _ in .declined(DeclineReason(.refused, "charged and given back")) }
        let router = try world.router
        let shown = try await quote(router)
        let quotes = world.provider.calls["quote"]
        let payer = Payer(policy: .firstWhateverItCosts)
        #expect(
            await router.carryOut(Self.intent(), quote: shown, as: payer).outcome?.declineReason != nil,
            "it is not refused")
        #expect(world.provider.calls["quote"] == quotes, "the quote is at hand")
        _ = await router.carryOut(Self.intent("b"), quote: shown, as: payer)
        #expect(world.provider.calls["quote"] == quotes + 1)
    }

    // MARK: Names and fees

    @Test("A journal that was put back finds what the settler was asked for under the same name")
    func restored() async throws {
        for _ in 0..<2 {
            let router = try PaymentRouter(of: InvoiceProvider())
            #expect(
                try await router.pay(InvoiceProvider.invoice, as: .careless(settler)).receipt != nil,
                "it is not known to be paid")
        }
        #expect(settler.payments == 1)
    }

    @Test("After a journal was put back, another amount under the name of what is paid is neither sent nor called paid")
    func restoredAtAnotherAmount() async throws {
        func pay(_ satoshi: UInt128) async throws -> PaymentOutcome {
            let provider = InvoiceProvider(amount: .cents(satoshi, .satoshi))
            let router = try PaymentRouter(of: provider)
            return try await router.pay(InvoiceProvider.invoice, as: .careless(settler))
        }
        guard case .succeeded = try await pay(2100), case .unknown(let unknown) = try await pay(2101) else {
            Issue.record("another amount is called paid, or refused as if nothing was paid")
            return
        }
        #expect(unknown.message.contains("another amount") && settler.payments == 1)
    }

    @Test("Limits count what a payment may cost beyond its amount")
    func fees() async throws {
        for (limit, isPaid) in [(UInt128(2199), false), (2200, true)] {
            let settler = TestSettler(fee: 100)
            let money = try Money(minorUnits: limit, currency: .satoshi)
            let router = try PaymentRouter(
                of: InvoiceProvider(), autoPay: AutoPay(within: [SpendingLimit(money, per: .day)]))
            let outcome = try await router.pay(InvoiceProvider.invoice, as: Payer(settler: settler))
            #expect((settler.payments == 1) == isPaid, "\(outcome)")
            let intent = PaymentIntent(of: InvoiceProvider.payee, key: "a", choice: .within([money]))
            let plain = try PaymentRouter(of: InvoiceProvider())
            #expect(Self.isPaid(await plain.carryOut(intent, as: Payer(settler: settler))) == isPaid)
        }
    }
}

/// Its links name an order and an amount, and an order's name can be used again.
private struct ReusedNames: ReusableReferenceProvider {
    var descriptor: ProviderDescriptor {
        ProviderDescriptor(id: "reused", name: "Reused", patterns: [.host("reused.example")], outboundHosts: [])
    }

    private func parts(_ link: PaymentLink) -> [String] { link.path.split(separator: "/").map(String.init) }

    func recognize(_ link: PaymentLink) -> LinkMatch? { parts(link).first.map { LinkMatch(.payment($0)) } }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let cents = UInt128(parts(request.link).last ?? "") ?? 0
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: "Shop"), amount: .cents(cents),
            options: [PaymentMethodOption(id: "card", title: "Card", amount: .cents(cents))])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        .succeeded(PaymentReceipt(reference: attempt.reference, amount: attempt.option.amount))
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        .succeeded(PaymentReceipt(reference: payment))
    }

    func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        guard UInt128(parts(link).last ?? "") == attempt.option.amount.minorUnits else {
            throw PaymentError(.integrity, "another order had this name")
        }
    }
}
