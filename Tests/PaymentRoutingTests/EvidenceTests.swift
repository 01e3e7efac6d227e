import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// The accepted evidence about a payment that may have been made: late messages, returns and refusals.
@Suite("Evidence about a payment that may have been made")
struct EvidenceTests {
    private let journal = InMemoryJournal()
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))
    private static let refused = ServiceReport.declined(DeclineReason(.refused, "no funds"))
    private static let pending = ServiceReport.pending(retryAfter: nil)

    /// A merchant's provider with scripted notifications and cancellations.
    private struct Shop: ForwardingProvider, NotificationReadingService, CancellingService, RedirectCompletingProvider {
        var base: ScriptedProvider
        var word: ServiceReport
        func complete(
            _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
        ) async throws -> ServiceReport {
            word
        }
        func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport { word }
        func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
            PaymentNotification(reference: ScriptedProvider.reference, report: word)
        }
    }

    enum Message: CaseIterable { case notification, cancellation, callback }

    private static func bring(_ message: Message, to router: PaymentRouter) async throws -> PaymentOutcome? {
        switch message {
        case .notification:
            try await router.handle(IncomingNotification(headers: [:], body: []), from: "acme").outcome
        case .cancellation: try await router.cancel(ScriptedProvider.reference)
        case .callback: try await router.handle("shop://paid?id=p1")
        }
    }

    /// The first attempt is declined; the second charges, and its answer is lost; any later one charges again.
    private static func shop(_ charges: Tally, word: ServiceReport) -> Shop {
        var base = ScriptedProvider()
        base.payBody = { attempt, context in
            charges.count("attempt")
            guard charges["attempt"] > 1 else { return refused }
            _ = try await context.step("charge", .mutation(replay: .never)) { () async throws -> Bool in
                charges.count("charge")
                throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example")
            }
            return paid
        }
        base.statusBody = { _, _ in pending }
        return Shop(base: base, word: word)
    }

    private static func router(_ shop: Shop, _ journal: any PaymentJournal) throws -> PaymentRouter {
        try PaymentRouter(shop, journal: journal)
    }

    @Test(
        "A payment that is paid otherwise was not paid by the attempt whose request was refused",
        arguments: [true, false])
    func paidElsewhere(isAccepted: Bool) async throws {
        var world = World()
        let dollars = PaymentReceipt(reference: ScriptedProvider.reference, amount: .cents(1000, .usd))
        world.provider.payBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: .never)) { () async throws -> Bool in
                guard isAccepted else {
                    throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example")
                }
                return true
            }
            return Self.pending
        }
        world.provider.statusBody = { _, _ in .succeeded(dollars) }
        _ = try await world.pay()
        let outcome = try? await world.pay()
        let history = try #require(try await world.histories.first)
        if isAccepted {
            // The amount that the service took from this payer may be this payment, wrongly reported.
            #expect(!history.isFinished)
        } else {
            let reason = try #require(history.outcome?.declineReason, "\(String(describing: history.outcome))")
            #expect(reason.code == .paidElsewhere && reason.message.contains("10.00 USD"))
            #expect(outcome != nil)
        }
    }

    @Test("A refusal does not stand against a payment that is recorded as paid")
    func recordedPayment() async throws {
        for report in [Self.refused, .cancelled, .expired] {
            var world = World()
            world.provider.payBody = { attempt, _ in .succeeded(PaymentReceipt(reference: attempt.reference)) }
            world.provider.statusBody = { _, _ in report }
            _ = try await world.pay()
            world.provider.quotedOutcome = report
            let route = try #require(try world.router.route(ScriptedProvider.link).route)
            for outcome in [
                try await world.pay(), try await world.router.status(of: ScriptedProvider.reference),
                try await world.router.quote(route, as: .careless).outcome,
            ] {
                #expect(outcome?.receipt != nil, "\(report): \(String(describing: outcome))")
            }
        }
    }

    @Test("No refusal is stated by a status while the journal cannot report what the wallet sent")
    func unreadableJournal() async throws {
        var world = World()
        let journal = FailingJournal { _ in false }
        world.journal = journal
        await journal.hide()
        world.provider.statusBody = { _, _ in .expired }
        let error = await #expect(throws: PaymentError.self) {
            try await world.router.status(of: ScriptedProvider.reference)
        }
        // The journal's failure is not the provider's fault.
        #expect(error?.code == .journal && error?.phase == .answered)
        // No read is necessary to report it as paid.
        world.provider.statusBody = { payment, _ in .succeeded(PaymentReceipt(reference: payment)) }
        #expect(try await world.router.status(of: ScriptedProvider.reference) == Self.paid)
    }

    @Test(
        "No refusal is final while an attempt is open that has sent nothing yet, also where a return said that it continues",
        arguments: [[], [JournalEntry.Event.outcome(.pending(retryAfter: nil))]])
    func openAttempt(_ word: [JournalEntry.Event]) async throws {
        var world = World()
        let attempt = try await world.crashed([.stepStarted(name: "look", kind: .query)] + word)
        world.provider.statusBody = { _, _ in .expired }
        world.provider.payBody = { _, _ in .expired }
        let unknown = try #require(
            try await world.router.status(of: ScriptedProvider.reference).unknownOutcome,
            "told as final, though the attempt can still be gone on with")
        #expect(unknown.message.contains("\(attempt)") && unknown.message.contains("expired"))
        #expect(try await world.router.resume(attempt, as: .careless) == .expired)
        #expect(try await world.router.status(of: ScriptedProvider.reference) == .expired)
    }

    @Test("An attempt that could not be abandoned is not reported as one of which nothing will be sent")
    func notGivenUp() async throws {
        for isFull in [true, false] {
            var world = World()
            world.journal = FailingJournal { event in if case .abandoned? = event { isFull } else { false } }
            world.provider.payBody = { _, _ in throw PaymentError(.payer, "no page could be shown") }
            let error = await #expect(throws: PaymentError.self) { try await world.pay() }
            #expect(error?.code == .payer)
            #expect(error?.phase == (isFull ? .maybeSent : .beforeSend))
            #expect(error?.message.contains("resume it before you pay otherwise") == isFull)
            // A recovery would have resumed this one.
            #expect(try await world.histories.contains { !$0.isFinished } == isFull)
        }
    }

    @Test(
        "A late message about an earlier attempt does not end the one whose answer was lost",
        arguments: Message.allCases)
    func lateWord(message: Message) async throws {
        for word in [Self.refused, .cancelled, .expired] {
            let charges = Tally()
            let journal = InMemoryJournal()
            let router = try Self.router(Self.shop(charges, word: word), journal)
            #expect(try await router.pay(ScriptedProvider.link, as: .careless) == Self.refused)
            #expect(
                try await router.pay(ScriptedProvider.link, as: .careless).unknownOutcome != nil, "its answer was lost")
            _ = try await Self.bring(message, to: router)
            #expect(await journal.unfinished().count == 1)
            _ = try await router.pay(ScriptedProvider.link, as: .careless)
            #expect(charges["charge"] == 1, "\(word)")
        }
    }

    @Test(
        "Notifications end nothing when more was sent since they were confirmed",
        arguments: [Message.cancellation, .callback])
    func overtakenNews(message: Message) async throws {
        let (otherPause, pause) = (Pause(), Pause())
        var base = ScriptedProvider()
        base.payBody = { _, context in
            await pause.hold()
            try await context.hold("charge", .mutation(replay: .never), at: otherPause)
            return Self.pending
        }
        base.statusBody = { _, _ in Self.pending }
        let journal = FailingJournal { _ in false }
        let router = try Self.router(Shop(base: base, word: .expired), journal)
        let paying = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        await journal.delayNextReading {
            await pause.end()
            await otherPause.reached()
        }
        #expect(try await Self.bring(message, to: router)?.unknownOutcome != nil, "old news were told")
        #expect(try await journal.unfinished().map(\.report) == [nil])
        await otherPause.end()
        #expect(try await paying.value == Self.pending)
    }

    @Test("An attempt that sent nothing ends when the payment is paid elsewhere", arguments: [999, 1000])
    func paidByOthers(cents: UInt128) async throws {
        var world = World()
        let end = world.clock.now.addingTimeInterval(60)
        let attempt = try await world.leave(PaymentAttempt(from: world.clock.now, until: end))
        world.clock.advance(by: .seconds(60))
        let receipt = PaymentReceipt(reference: ScriptedProvider.reference, amount: .cents(cents))
        world.provider.statusBody = { _, _ in .succeeded(receipt) }
        let outcome = try await world.router.resume(attempt, as: Payer())
        if cents == 1000 {
            #expect(outcome == .succeeded(receipt))
        } else {
            #expect(outcome.declineReason?.code == .paidElsewhere, "\(outcome)")
        }
        #expect(try await world.histories.map(\.isFinished) == [true])
    }

    @Test("A late message that the service's status confirms ends it", arguments: Message.allCases)
    func confirmedWord(message: Message) async throws {
        for (status, end) in [(Self.refused, Self.refused), (Self.paid, Self.paid), (.expired, Self.refused)] {
            var shop = Self.shop(Tally(), word: Self.refused)
            let journal = InMemoryJournal()
            var router = try Self.router(shop, journal)
            _ = try await router.pay(ScriptedProvider.link, as: .careless)
            _ = try await router.pay(ScriptedProvider.link, as: .careless)
            shop.base.statusBody = { _, _ in status }
            router = try Self.router(shop, journal)
            _ = try await Self.bring(message, to: router)
            #expect(await journal.unfinished().isEmpty)
            #expect(await journal.histories(of: ScriptedProvider.reference).last?.outcome == end)
        }
    }

    @Test("A notification that a payment is in progress is no reason to ask the service")
    func inProgress() async throws {
        let shop = Shop(base: ScriptedProvider(), word: Self.pending)
        let outcome = try await Self.bring(.notification, to: try Self.router(shop, InMemoryJournal()))
        #expect(outcome == Self.pending && shop.base.calls["status"] == 0)
    }

    @Test("A message whose receipt does not fit the attempt ends nothing", arguments: Message.allCases)
    func unfittingWord(message: Message) async throws {
        for receipt in PayTests.unsound {
            var base = ScriptedProvider()
            base.payBody = { _, _ in Self.pending }
            let journal = InMemoryJournal()
            let router = try Self.router(Shop(base: base, word: .succeeded(receipt)), journal)
            #expect(try await router.pay(ScriptedProvider.link, as: .careless) == Self.pending)
            let error = await #expect(throws: PaymentError.self) { try await Self.bring(message, to: router) }
            #expect(error?.code == .integrity && error?.phase == .maybeSent, "\(receipt)")
            #expect(await journal.unfinished().map(\.report) == [Self.pending], "\(receipt)")
        }
    }

    @Test(
        "After the wallet has sent the money, no message that none was paid is final",
        arguments: Message.allCases)
    func refusedAfterTransfer(message: Message) async throws {
        var base = ScriptedProvider()
        base.payBody = { _, context in
            _ = try await context.step("send", .walletTransfer) { "0xabc" }
            return Self.pending
        }
        base.statusBody = { _, _ in Self.refused }
        let router = try Self.router(Shop(base: base, word: Self.refused), journal)
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        _ = try await Self.bring(message, to: router)
        let history = try #require(await journal.unfinished().first, "the money is gone all the same")
        let unknown = try #require(history.outcome?.unknownOutcome, "\(String(describing: history.outcome))")
        #expect(unknown.message.contains("0xabc"))
    }

    @Test("A status that was asked for before more was sent ends nothing", arguments: Message.allCases)
    func overtakenStatus(message: Message) async throws {
        let (pause, goesOn) = (Pause(), Gate())
        var base = ScriptedProvider()
        base.payBody = { _, context in
            _ = try await context.step("charge", .mutation(replay: .never)) { true }
            await pause.hold()
            _ = try await context.step("charge again", .mutation(replay: .never)) {
                await goesOn.open()
                return true
            }
            return Self.pending
        }
        base.statusBody = { _, _ in
            // The service reports the first charge while the second one is in flight.
            await pause.end()
            await goesOn.pass()
            return Self.refused
        }
        let router = try Self.router(Shop(base: base, word: Self.refused), journal)
        async let payment = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        _ = try await Self.bring(message, to: router)
        #expect(try await payment == Self.pending)
        #expect(await journal.unfinished().map(\.report) == [Self.pending])
    }

    @Test("A cancellation reports no other payment, also where no attempt is open")
    func foreignCancellation() async throws {
        let word = ServiceReport.succeeded(PaymentReceipt(reference: PaymentReference(provider: "acme", id: "p2")))
        let router = try Self.router(Shop(base: ScriptedProvider(), word: word), InMemoryJournal())
        let error = await #expect(throws: PaymentError.self) { try await router.cancel(ScriptedProvider.reference) }
        #expect(error?.code == .integrity)
    }

    @Test("A provider's notification about another provider's payment is not taken")
    func foreignNotification() async throws {
        var base = ScriptedProvider()
        base.payBody = { _, _ in Self.pending }
        var other = ScriptedProvider()
        other.descriptor = ProviderDescriptor(
            id: "other", name: "Other", patterns: [.host("other.example")], outboundHosts: [])
        let router = try PaymentRouter(base, Shop(base: other, word: Self.paid), journal: journal)
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        let error = await failure {
            try await router.handle(IncomingNotification(headers: [:], body: []), from: "other")
        }
        #expect(error?.code == .integrity)
        #expect(await journal.unfinished().map(\.report) == [Self.pending])
    }

    @Test("A message that nothing was paid does not end an attempt that has sent nothing yet")
    func notBegun() async throws {
        let pause = Pause()
        var base = ScriptedProvider()
        base.payBody = { _, context in
            try await context.hold("page", .interaction, at: pause)
            _ = try await context.step("charge", .mutation(replay: .never)) { true }
            return Self.paid
        }
        let router = try Self.router(Shop(base: base, word: Self.refused), InMemoryJournal())
        async let outcome = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        _ = try await Self.bring(.notification, to: router)
        await pause.end()
        #expect(try await outcome == Self.paid)
    }

    // MARK: Refusals after the charge

    @Test("After a charge was accepted, a refusal is believed only when the status says so too")
    func refusalAfterCharge() async throws {
        let cases: [(ServiceReport?, ServiceReport?)] = [
            (nil, nil), (Self.pending, nil), (Self.paid, Self.paid), (Self.refused, Self.refused),
            (.expired, Self.refused),
        ]
        for (status, end) in cases {
            var world = World()
            let charges = Tally()
            world.provider.payBody = { _, context in
                try await context.count("charge", .mutation(replay: .never), in: charges)
                return Self.refused
            }
            world.provider.statusBody = { _, _ in
                guard let status else { throw PaymentError(.payerRefused, "451", phase: .answered) }
                return status
            }
            let outcome = try await world.pay()
            if let end {
                #expect(outcome == end)
            } else {
                #expect(outcome.unknownOutcome != nil, "told \(outcome) after the status \(String(describing: status))")
                #expect(try await world.journal.unfinished().count == 1)
            }
            _ = try await world.pay()
            if end == nil { #expect(charges["charge"] == 1) }
        }
    }

    // MARK: Ended by the payer's return

    @Test("A payment that its payer's return has ended is reported as the journal has it, whatever the closure does")
    func endedByReturn() async throws {
        let completed = ServiceReport.succeeded(
            PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "completed"))
        for word in [nil, ServiceReport.expired, Self.pending] {
            let pause = Pause()
            var world = World()
            world.provider.payBody = { attempt, context in
                try await context.hold("page", .interaction, at: pause)
                // Some providers turn all their errors into this.
                if let word { return word }
                do {
                    _ = try await context.step("confirm", .mutation(replay: .never)) { true }
                } catch {
                    throw PaymentError(.providerFault, "the browser failed", provider: "acme")
                }
                return Self.paid
            }
            let router = try world.router
            async let outcome = router.pay(ScriptedProvider.link, as: .careless)
            await pause.reached()
            #expect(try await router.handle("shop://paid?id=p1") == completed)
            await pause.end()
            #expect(try await outcome == completed)
            #expect(try await world.histories.map(\.report) == [completed])
            #expect(try await router.pay(ScriptedProvider.link, as: .careless) == completed)
        }
    }
}
