import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@Suite("The ids of refunds")
struct RefundIDTests {
    private let journal = InMemoryJournal()
    private let clock = VirtualClock()
    private let request = RefundRequest(of: ScriptedProvider.reference, amount: .cents(250), id: "credit-7")
    private let elsewhere = RefundRequest(
        of: PaymentReference(provider: "acme", id: "p2"), amount: .cents(250), id: "credit-7")

    private func router(
        _ shop: any PaymentService, seed: UInt64 = 1, _ journal: (any PaymentJournal)? = nil, key: JournalKey? = nil,
        leases: LeasePolicy = LeasePolicy()
    ) throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry([shop]), transport: RecordingTransport(), journal: journal ?? self.journal,
            clock: clock, random: SeededRandomSource(seed: seed), leases: leases, journalKey: key)
    }

    private func receipt(_ request: RefundRequest) -> ServiceReport {
        .succeeded(PaymentReceipt(reference: request.reference))
    }

    private static func failure(_ work: () async throws -> Void) async -> PaymentError? {
        do {
            try await work()
            return nil
        } catch { return error as? PaymentError }
    }

    /// Leaves an attempt as a process that ended has left it.
    private func leave(_ request: RefundRequest, _ events: [JournalEntry.Event] = []) async throws -> AttemptID {
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_of_\(request.payment.id)"), reference: request.reference,
            option: PaymentMethodOption(id: "refund", title: "Refund", amount: request.amount), idempotencyKey: "key",
            startedAt: clock.now, expiresAt: nil)
        let lease = PaymentLease(payment: attempt.reference, holder: "crashed", duration: .seconds(1))
        #expect(await journal.acquire(lease, at: clock.now))
        try await journal.open(attempt, under: lease)
        for event in events {
            try await journal.append(JournalEntry(date: clock.now, event: event), to: attempt.id, under: lease)
        }
        await journal.release(lease)
        return attempt.id
    }

    // MARK: Bound

    @Test("An id stands for one payment and one amount in the whole account")
    func bound() async throws {
        let shop = Shop()
        let router = try router(shop)
        #expect(try await router.refund(request) == receipt(request))
        let amount = RefundRequest(of: request.payment, amount: .cents(251), id: request.id)
        for other in [elsewhere, amount] {
            let error = await Self.failure { _ = try await router.refund(other) }
            #expect(error?.code == .integrity && error?.phase == .beforeSend)
            #expect(error?.message.contains("2.50") == true && error?.message.contains("p1") == true)
            if other == elsewhere { #expect(await journal.histories(of: other.reference).isEmpty) }
        }
        #expect(try await router.refund(request) == receipt(request))
        #expect(shop.calls["refund"] == 1)
    }

    @Test("Another account has its own ids, and an id is compared by its bytes")
    func otherNames() async throws {
        let router = try router(Shop())
        let composed = RefundRequest(of: request.payment, amount: .cents(250), id: "caf\u{E9}")
        let decomposed = RefundRequest(of: elsewhere.payment, amount: .cents(250), id: "cafe\u{301}")
        #expect(try await router.refund(composed) == receipt(composed))
        #expect(try await router.refund(decomposed) == receipt(decomposed))
        var other = Shop()
        other.base.descriptor = ProviderDescriptor(id: "bcme", name: "Bcme", patterns: [], outboundHosts: [])
        let there = RefundRequest(
            of: PaymentReference(provider: "bcme", id: "p2"), amount: .cents(1), id: request.id)
        #expect(try await router.refund(request) == receipt(request))
        #expect(try await self.router(other, seed: 2).refund(there) == receipt(there))
    }

    @Test("Two refunds with one id at the same moment: one is made, one is refused", arguments: [true, false])
    func atOnce(isOneProcess: Bool) async throws {
        let shop = Shop()
        // The clock runs while one waits: it waits for longer than the busiest machine takes.
        let leases = LeasePolicy(duration: .seconds(1_000_000_000), timeout: .seconds(1_000_000_000))
        let one = try router(shop, leases: leases)
        let other = isOneProcess ? one : try router(shop, seed: 2, leases: leases)
        async let first = Self.failure { _ = try await one.refund(request) }
        async let second = Self.failure { _ = try await other.refund(elsewhere) }
        let errors = await [first, second].compactMap(\.self)
        #expect(errors.map(\.code) == [.integrity])
        #expect(shop.calls["refund"] == 1)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("While a refund is in progress, another one with its id waits, and writes nothing", arguments: [true, false])
    func inProgress(isOneProcess: Bool) async throws {
        let (inside, leave) = (Gate(), Gate())
        var shop = Shop()
        let slow = request
        shop.refundBody = { request, _ in
            if request == slow {
                await inside.open()
                await leave.pass()
            }
            return .succeeded(PaymentReceipt(reference: request.reference))
        }
        let one = try router(shop)
        let other = isOneProcess ? one : try router(shop, seed: 2)
        let running = Task { try await one.refund(slow) }
        await inside.pass()
        let error = await Self.failure { _ = try await other.refund(elsewhere) }
        #expect(error?.code == .inUse && error?.retry == .later)
        #expect(await journal.histories(of: elsewhere.reference).isEmpty)
        await leave.open()
        #expect(try await running.value == receipt(slow))
        #expect(await Self.failure { _ = try await other.refund(elsewhere) }?.code == .integrity)
        #expect(shop.calls["refund"] == 1)
    }

    /// A journal whose next look for refunds is made, and then held up.
    private actor SlowLook: ForwardingJournal {
        let base: InMemoryJournal
        private let looked = Gate()
        private let goOn = Gate()
        private var isSlow = true

        init(_ base: InMemoryJournal) { self.base = base }

        func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
            let found = await base.refunds(relatedTo: refund)
            if isSlow {
                isSlow = false
                await looked.open()
                await goOn.pass()
            }
            return found
        }

        func hasLooked() async { await looked.pass() }
        func release() async { await goOn.open() }
    }

    @Test("A process that was stopped between its look and its refund makes none when another has made one")
    func stopped() async throws {
        let shop = Shop()
        let slow = SlowLook(journal)
        let late = Task { [router = try router(shop, slow)] in
            await Self.failure { _ = try await router.refund(request) }
        }
        await slow.hasLooked()
        clock.advance(by: .seconds(700))
        #expect(try await router(shop, seed: 2).refund(elsewhere) == receipt(elsewhere))
        await slow.release()
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
        let shop = Shop()
        let blind = Blind()
        let error = await Self.failure { _ = try await router(shop, blind).refund(request) }
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
        let error = await Self.failure { _ = try await router.refund(elsewhere) }
        #expect(error?.code == .integrity)
        #expect(shop.calls["refund"] == 0)
        #expect(try await router.refund(request) == receipt(request))
        let attempts = await journal.histories(of: request.reference)
        // Nothing was sent for one, so that another is made in its place; the other is asked about.
        #expect(isSent ? attempts.map(\.attempt.id) == [id] : attempts.first?.state == .unpaid)
        #expect(shop.calls["refund"] == (isSent ? 0 : 1))
    }

    @Test("Two attempts with one id, of processes that both ended: one is resumed, one ends", arguments: [true, false])
    func bothInterrupted(isSent: Bool) async throws {
        let shop = Shop()
        let begun: [JournalEntry.Event] = [.stepStarted(name: "refund", kind: .mutation(replay: .never))]
        let first = try await leave(request)
        let second = try await leave(elsewhere, isSent ? begun : [])
        let router = try router(shop)
        let error = await Self.failure { _ = try await router.resume(first, as: Payer()) }
        #expect(error?.code == .integrity)
        #expect(await journal.history(of: first)?.state == .unpaid)
        #expect(shop.calls["refund"] == 0)
        #expect(try await router.resume(second, as: Payer()) == receipt(elsewhere))
        #expect(shop.calls["refund"] == (isSent ? 0 : 1))
        #expect(await Self.failure { _ = try await router.refund(request) }?.code == .integrity)
    }

    @Test("Recovery ends a refund whose id another one has, and says why")
    func recovered() async throws {
        let shop = Shop()
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
            let error = await Self.failure { _ = try await router.refund(second) }
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
        #expect(try await router.refund(second) == receipt(second))
        #expect(calls["refund"] == before + 1)
        // Now it is this one's.
        #expect(await Self.failure { _ = try await router.refund(first) }?.code == .integrity)
        #expect(calls["refund"] == before + 1)
    }

    @Test("A refund that is reported as made before it was sent binds its id")
    func notified() async throws {
        let shop = Shop()
        _ = try await leave(request)
        let router = try router(shop)
        var headers: HTTPHeaders = ["Signature": "good", "Refund-Of": request.payment.id]
        headers["Cents"] = "250"
        _ = try await router.handle(
            IncomingNotification(headers: headers, body: Array(request.id.utf8)), from: "acme")
        #expect(await journal.unfinished().isEmpty)
        for other in [elsewhere, RefundRequest(of: request.payment, amount: .cents(1), id: request.id)] {
            #expect(await Self.failure { _ = try await router.refund(other) }?.code == .integrity)
        }
        #expect(shop.calls["refund"] == 0)
    }

    @Test("A record that was changed by another program leaves no id free")
    func tampered() async throws {
        let key = try JournalKey(Redacted([UInt8](repeating: 1, count: JournalKey.minimumLength)))
        _ = try await leave(request, [.abandoned(reason: "says a forger")])
        let shop = Shop()
        let error = await Self.failure { _ = try await router(shop, key: key).refund(elsewhere) }
        #expect(error?.code == .integrity && shop.calls["refund"] == 0)
    }

    // MARK: Names at the service

    @Test("The service learns how many refunds of an id it has accepted that failed, also after a crash")
    func earlierFailures() async throws {
        var shop = Shop()
        let (seen, fails) = (Seen(), Seen())
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

    private final class Seen: Sendable {
        private let numbers = Mutex<[Int]>([])
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
        var all: [Int] { numbers.withLock { $0 } }
    }

    // MARK: Once

    /// A service that refunds whole payments, each once.
    private struct Till: RefundingService {
        let made = Tally()
        let refundsOnce = true
        let descriptor = ProviderDescriptor(id: "acme", name: "Acme", patterns: [], outboundHosts: [])
        func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
            _ = try await context.step("refund", .mutation(replay: .sameKey)) {
                made.count("refund")
                return true
            }
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
        #expect(try await router.refund(request) == receipt(request))
        let again = RefundRequest(of: request.payment, amount: request.amount, id: "credit-8")
        let error = await Self.failure { _ = try await router.refund(again) }
        #expect(error?.code == .integrity && error?.message.contains("credit-7") == true)
        #expect(till.made["refund"] == 1)
        let other = RefundRequest(of: elsewhere.payment, amount: .cents(1), id: "credit-9")
        #expect(try await router.refund(other) == receipt(other))
    }
}
