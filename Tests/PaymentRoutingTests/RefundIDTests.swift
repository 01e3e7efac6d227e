import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@Suite("The ids of refunds")
struct RefundIDTests {
    private let journal = InMemoryJournal()
    private let clock = VirtualClock()
    private let request = RefundRequest(of: ScriptedProvider.reference, amount: .cents(250), id: "credit-7")
    private let shop = Shop()
    private let elsewhere = RefundRequest(
        of: PaymentReference(provider: "acme", id: "p2"), amount: .cents(250), id: "credit-7")

    private func router(
        _ shop: any PaymentService, seed: UInt64 = 1, _ journal: (any PaymentJournal)? = nil, key: JournalKey? = nil,
        leases: LeasePolicy = LeasePolicy()
    ) throws -> PaymentRouter {
        try PaymentRouter(
            shop, journal: journal ?? self.journal, clock: clock, seed: seed, leases: leases, journalKey: key)
    }

    /// Leaves an attempt as a process that ended has left it.
    private func leave(_ request: RefundRequest, _ events: [JournalEntry.Event] = []) async throws -> AttemptID {
        try await journal.leave(
            PaymentAttempt("att_of_\(request.payment.id)", of: request, from: clock.now), events)
    }

    // MARK: Bound

    @Test("An id stands for one payment and one amount in the whole account")
    func bound() async throws {
        let router = try router(shop)
        #expect(try await router.refund(request) == made(request))
        let amount = RefundRequest(of: request.payment, amount: .cents(251), id: request.id)
        for other in [elsewhere, amount] {
            let error = await failure { try await router.refund(other) }
            #expect(error?.code == .integrity && error?.phase == .beforeSend)
            #expect(error?.message.contains("2.50") == true && error?.message.contains("p1") == true)
            if other == elsewhere { #expect(await journal.histories(of: other.reference).isEmpty) }
        }
        #expect(try await router.refund(request) == made(request))
        #expect(shop.calls["refund"] == 1)
    }

    @Test("Another account has its own ids, and an id is compared by its bytes")
    func otherNames() async throws {
        let router = try router(Shop())
        let composed = RefundRequest(of: request.payment, amount: .cents(250), id: "caf\u{E9}")
        let decomposed = RefundRequest(of: elsewhere.payment, amount: .cents(250), id: "cafe\u{301}")
        #expect(try await router.refund(composed) == made(composed))
        #expect(try await router.refund(decomposed) == made(decomposed))
        var other = Shop()
        other.base.descriptor = ProviderDescriptor(id: "bcme", name: "Bcme", patterns: [], outboundHosts: [])
        let there = RefundRequest(
            of: PaymentReference(provider: "bcme", id: "p2"), amount: .cents(1), id: request.id)
        #expect(try await router.refund(request) == made(request))
        #expect(try await self.router(other, seed: 2).refund(there) == made(there))
    }

    @Test("Two refunds with one id at the same moment: one is made, one is refused", arguments: [true, false])
    func atOnce(isOneProcess: Bool) async throws {
        // The clock runs while one waits: it waits for longer than the busiest machine takes.
        let leases = LeasePolicy(duration: .seconds(1_000_000_000), timeout: .seconds(1_000_000_000))
        let one = try router(shop, leases: leases)
        let other = isOneProcess ? one : try router(shop, seed: 2, leases: leases)
        async let first = failure { try await one.refund(request) }
        async let second = failure { try await other.refund(elsewhere) }
        let errors = await [first, second].compactMap(\.self)
        #expect(errors.map(\.code) == [.integrity])
        #expect(shop.calls["refund"] == 1)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("While a refund is in progress, another one with its id waits, and writes nothing", arguments: [true, false])
    func inProgress(isOneProcess: Bool) async throws {
        let pause = Pause()
        let (shop, slow) = (Shop(holding: request, at: pause), request)
        let one = try router(shop)
        let other = isOneProcess ? one : try router(shop, seed: 2)
        let running = Task { try await one.refund(slow) }
        await pause.reached()
        let error = await failure { try await other.refund(elsewhere) }
        #expect(error?.code == .inUse && error?.retry == .later)
        #expect(await journal.histories(of: elsewhere.reference).isEmpty)
        await pause.end()
        #expect(try await running.value == made(slow))
        #expect(await failure { try await other.refund(elsewhere) }?.code == .integrity)
        #expect(shop.calls["refund"] == 1)
    }

    /// A journal whose next look for refunds is made, and then held up.
    private actor SlowLook: ForwardingJournal {
        let base: InMemoryJournal
        let pause = Pause()
        private var isSlow = true

        init(_ base: InMemoryJournal) { self.base = base }

        func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
            let found = await base.refunds(relatedTo: refund)
            if isSlow {
                isSlow = false
                await pause.hold()
            }
            return found
        }
    }

    @Test("A process that was stopped between its look and its refund makes none when another has made one")
    func stopped() async throws {
        let slow = SlowLook(journal)
        let late = Task { [router = try router(shop, slow)] in
            await failure { try await router.refund(request) }
        }
        await slow.pause.reached()
        clock.advance(by: .seconds(700))
        #expect(try await router(shop, seed: 2).refund(elsewhere) == made(elsewhere))
        await slow.pause.end()
        #expect(await late.value?.code == .integrity)
        // It has lost the id's lease, and writes nothing any more: the next process ends its attempt.
        #expect(await journal.unfinished().map(\.attempt.refund) == [request])
        _ = try await router(shop, seed: 3).recover(as: Payer())
        #expect(await journal.unfinished().isEmpty)
        #expect(shop.calls["refund"] == 1)
    }

    @Test("A journal that fails at the look makes no refund")
    func unreadable() async throws {
        actor Blind: ForwardingJournal {
            let base = InMemoryJournal()
            struct Full: Error {}
            func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] { throw Full() }
        }
        let blind = Blind()
        let error = await failure { try await router(shop, blind).refund(request) }
        #expect(error?.code == .journal && shop.calls["refund"] == 0)
        #expect(await blind.base.unfinished().isEmpty)
    }

    // MARK: After a crash

    @Test(
        "A refund that was interrupted keeps its id, and is resumed when it is asked for again",
        arguments: [true, false])
    func interrupted(isSent: Bool) async throws {
        var shop = Shop()
        shop.refundStatus = { request, _ in .succeeded(PaymentReceipt(reference: request.reference)) }
        let id = try await leave(
            request, isSent ? [.stepStarted(name: "refund", kind: .mutation(replay: .never))] : [])
        let router = try router(shop)
        let error = await failure { try await router.refund(elsewhere) }
        #expect(error?.code == .integrity)
        #expect(shop.calls["refund"] == 0)
        #expect(try await router.refund(request) == made(request))
        let attempts = await journal.histories(of: request.reference)
        // Nothing was sent for one, so that another is made in its place; the other is asked about.
        #expect(isSent ? attempts.map(\.attempt.id) == [id] : attempts.first?.state == .unpaid)
        #expect(shop.calls["refund"] == (isSent ? 0 : 1))
    }

    @Test("Two attempts with one id, of processes that both ended: one is resumed, one ends", arguments: [true, false])
    func bothInterrupted(isSent: Bool) async throws {
        let begun: [JournalEntry.Event] = [.stepStarted(name: "refund", kind: .mutation(replay: .never))]
        let first = try await leave(request)
        let second = try await leave(elsewhere, isSent ? begun : [])
        let router = try router(shop)
        let error = await failure { try await router.resume(first, as: Payer()) }
        #expect(error?.code == .integrity)
        #expect(await journal.history(of: first)?.state == .unpaid)
        #expect(shop.calls["refund"] == 0)
        #expect(try await router.resume(second, as: Payer()) == made(elsewhere))
        #expect(shop.calls["refund"] == (isSent ? 0 : 1))
        #expect(await failure { try await router.refund(request) }?.code == .integrity)
    }

    @Test("Recovery ends a refund whose id another one has, and says why")
    func recovered() async throws {
        _ = try await router(shop).refund(elsewhere)
        let id = try await leave(request)
        let reports = try await router(shop).recover(as: Payer())
        #expect(reports.map(\.attempt.id) == [id])
        #expect(reports.first?.isSettled == true)
        guard case .failure(let error)? = reports.first?.result else {
            Issue.record("\(reports)")
            return
        }
        #expect(error.code == .integrity && shop.calls["refund"] == 1)
    }

    // MARK: Free

    /// The ways in which a refund ends without money.
    enum Ending: CaseIterable {
        case refusedBeforeSending, declined, failedLater, decided, abandoned
    }

    @Test("A refund that sent nothing, or was declined, leaves its id free", arguments: Ending.allCases, [true, false])
    func free(after ending: Ending, anotherPayment: Bool) async throws {
        var shop = Shop()
        let calls = shop.calls
        let first = request
        shop.refundBody = { request, context in
            guard request == first else { return .succeeded(PaymentReceipt(reference: request.reference)) }
            if ending == .refusedBeforeSending {
                throw PaymentError(.requestRefused, "above zero", phase: .beforeSend)
            }
            guard ending == .declined else {
                throw TransportError(.maybeSent, .timedOut, origin: "https://api.acme.example")
            }
            return .declined(DeclineReason(.refused, "too much"))
        }
        shop.refundStatus = { request, _ in
            guard ending == .declined || calls["failed"] > 0 else { throw PaymentError(.network, "down") }
            return .declined(DeclineReason(.refused, "no funds"))
        }
        let router = try router(shop)
        let second =
            anotherPayment ? elsewhere : RefundRequest(of: first.payment, amount: .cents(1), id: first.id)
        if ending == .abandoned {
            _ = try await leave(first, [.abandoned(reason: "the caller ended")])
        } else {
            let outcome = try? await router.refund(first)
            #expect((outcome == nil) == (ending == .refusedBeforeSending))
        }
        if ending == .decided || ending == .failedLater {
            let error = await failure { try await router.refund(second) }
            #expect(error?.code == .integrity, "it may still be made")
            let open = try #require(await journal.unfinished().first?.attempt.id)
            if ending == .decided {
                _ = try await router.end(open, as: .notPaid, by: "Ada", evidence: "the statement of account")
            } else {
                calls.count("failed")
                _ = try await router.resume(open, as: Payer())
            }
        }
        let before = calls["refund"]
        #expect(try await router.refund(second) == made(second))
        #expect(calls["refund"] == before + 1)
        // Now it is this one's.
        #expect(await failure { try await router.refund(first) }?.code == .integrity)
        #expect(calls["refund"] == before + 1)
    }

    @Test("A refund that is reported as made before it was sent binds its id")
    func notified() async throws {
        _ = try await leave(request)
        let router = try router(shop)
        var headers: HTTPHeaders = ["Signature": "good", "Refund-Of": request.payment.id]
        headers["Cents"] = "250"
        _ = try await router.handle(
            IncomingNotification(headers: headers, body: Array(request.id.utf8)), from: "acme")
        #expect(await journal.unfinished().isEmpty)
        for other in [elsewhere, RefundRequest(of: request.payment, amount: .cents(1), id: request.id)] {
            #expect(await failure { try await router.refund(other) }?.code == .integrity)
        }
        #expect(shop.calls["refund"] == 0)
    }

    @Test("A record that was changed by another program leaves no id free")
    func tampered() async throws {
        let key = try JournalKey(Redacted([UInt8](repeating: 1, count: JournalKey.minimumLength)))
        _ = try await leave(request, [.abandoned(reason: "says a forger")])
        let error = await failure { try await router(shop, key: key).refund(elsewhere) }
        #expect(error?.code == .integrity && shop.calls["refund"] == 0)
    }

    // MARK: Names at the service

    @Test("The service learns how many refunds of an id it has accepted that failed, also after a crash")
    func earlierFailures() async throws {
        var shop = Shop()
        let (seen, fails) = (Collected<Int>(), Collected<Int>())
        shop.refundBody = { request, _ in
            seen.add(request.earlierFailures)
            guard fails.all.count < 3 else { return .succeeded(PaymentReceipt(reference: request.reference)) }
            fails.add(request.earlierFailures)
            // The second one is refused by the service at once: its name was not used.
            if fails.all.count == 2 { throw PaymentError(.requestRefused, "not now", phase: .answered) }
            return .declined(DeclineReason(.refused, "no funds"))
        }
        shop.refundStatus = { request, _ in
            seen.add(request.earlierFailures)
            return .declined(DeclineReason(.refused, "no funds"))
        }
        let router = try router(shop)
        for _ in 0..<4 { _ = try? await router.refund(request) }
        #expect(seen.all == [0, 0, 1, 1, 1, 2])
        #expect(await journal.histories(of: request.reference).last?.state == .paid)
        #expect(
            await journal.histories(of: request.reference).map(\.attempt.refund) == Array(repeating: request, count: 4))
    }

    // MARK: Once

    /// A service that refunds whole payments, each once.
    private struct Till: RefundingService {
        let made = Tally()
        let refundsOnce = true
        let descriptor = ProviderDescriptor(id: "acme", name: "Acme", patterns: [], outboundHosts: [])
        func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
            try await context.count("refund", .mutation(replay: .sameKey), in: made)
            return .succeeded(PaymentReceipt(reference: request.reference))
        }
        func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
            .unknown(UnknownOutcome(reference: refund.reference, message: "no inquiry"))
        }
        func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
            .pending(retryAfter: nil)
        }
    }

    @Test("Where a service refunds a payment once, no second id refunds it")
    func once() async throws {
        let till = Till()
        let router = try router(till)
        #expect(try await router.refund(request) == made(request))
        let again = RefundRequest(of: request.payment, amount: request.amount, id: "credit-8")
        let error = await failure { try await router.refund(again) }
        #expect(error?.code == .integrity && error?.message.contains("credit-7") == true)
        #expect(till.made["refund"] == 1)
        let other = RefundRequest(of: elsewhere.payment, amount: .cents(1), id: "credit-9")
        #expect(try await router.refund(other) == made(other))
    }
}
