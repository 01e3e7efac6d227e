import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// Payments begun for a payee decide whether another one begins there.
@Suite("Earlier payments to a payee")
struct EarlierPayeePaymentTests {
    private let clock = VirtualClock()
    private let journal = FailingJournal { _ in false }
    private let random = SeededRandomSource(seed: 1)
    private let settler = TestSettler()
    private let provider = InvoiceProvider()

    private func router(
        _ provider: any PaymentProvider, _ journal: any PaymentJournal, _ leases: LeasePolicy = LeasePolicy()
    ) throws -> PaymentRouter {
        try PaymentRouter(of: provider, journal: journal, clock: clock, random: random, leases: leases)
    }

    private func pay(_ payee: String = "mina", leases: LeasePolicy = LeasePolicy()) async throws -> PaymentOutcome {
        try await router(provider, journal, leases)
            .pay("https://pay.acme.example/?payee=\(payee)", as: .careless(settler))
    }

    private func route(_ link: String) throws -> Route {
        try #require(try router(provider, journal).route(link).route)
    }

    private func quote() async throws -> PaymentQuote {
        try await router(provider, journal).quote(try route(InvoiceProvider.payee), as: .careless(settler))
    }

    private static let settlement = JournalEntry.Event.stepStarted(name: "settle", kind: .settlement(by: "test-orders"))

    /// Leaves an attempt with these entries, as a crash does.
    @discardableResult
    private func leave(
        _ events: [JournalEntry.Event] = [], at reference: PaymentReference, of quote: PaymentQuote
    ) async throws -> PaymentAttempt {
        let attempt = PaymentAttempt(at: reference, option: try #require(quote.options.first), from: clock.now)
        try await journal.base.leave(attempt, events)
        return attempt
    }

    private static let period = PaymentReference(provider: "acme", id: "mina/0")

    // MARK: The list

    /// A journal whose pages hold one attempt, for a reader that goes from page to page.
    private struct PagedJournal: ForwardingJournal, AttemptArchive {
        let base: InMemoryJournal
        let pages = Tally()
        struct Endless: Error {}

        func attempts(_ query: AttemptQuery) async throws -> AttemptPage {
            pages.count("read")
            guard pages["read"] < 20 else { throw Endless() }
            var query = query
            query.limit = 1
            return await base.attempts(query)
        }

        func prune(endedBefore date: Date, keepingProofsSince proofs: Date) async throws -> Int {
            await base.prune(endedBefore: date, keepingProofsSince: proofs)
        }
    }

    @Test("A payee's payments are listed once each, from all pages, without those to other payees")
    func list() async throws {
        let quote = try await quote()
        // Two attempts at one payment.
        try await leave(at: quote.reference, of: quote)
        _ = try receipt(
            try await router(provider, journal).pay(quote, option: "only", as: .careless(settler)))
        _ = try receipt(try await pay("jonas"))
        let last = try receipt(try await pay())
        let router = try router(provider, PagedJournal(base: journal.base))
        #expect(
            try await router.payments(toPayeeOf: try route(InvoiceProvider.payee)) == [quote.reference, last.reference])
        #expect(try await router.payments(toPayeeOf: try route("https://pay.acme.example/?payee=eve")).isEmpty)
    }

    @Test("A link that names one payment has no payee whose payments are listed, even if it is called like one")
    func single() async throws {
        _ = try receipt(try await pay())
        let router = try router(provider, journal.base)
        let payments = try await router.payments(toPayeeOf: try route("https://pay.acme.example/?id=mina"))
        #expect(payments.isEmpty)
    }

    // MARK: Payments

    @Test("A caller who stops waiting while an earlier payment is resumed is informed of that one: it may be paid")
    func stopsWaiting() async throws {
        settler.habit = .losesAnswer
        let first = try #require(try await pay().unknownOutcome, "a lost answer was taken for an ending")
        let pause = Pause()
        settler.whileAsked = {
            await pause.hold()
        }
        let task = Task { try await pay(leases: LeasePolicy(grace: .zero)) }
        await pause.reached()
        task.cancel()
        let unknown = try #require(try await task.value.unknownOutcome, "told that nothing was sent")
        #expect(unknown.reference == first.reference)
        await pause.end()
    }

    @Test("While another process has an attempt that has sent nothing, a payment to the payee is refused at once")
    func held() async throws {
        let attempt = try await leave(at: PaymentReference(provider: "acme", id: "mina/by-hand"), of: try await quote())
        let lease = PaymentLease(payment: attempt.reference, holder: "another", duration: .seconds(10))
        #expect(await journal.base.acquire(lease, at: clock.now))
        // Waiting would outlast the lease, and abandon what the other one is about to send.
        let error = await #expect(throws: PaymentError.self) { try await pay() }
        #expect(error?.code == .inUse && settler.payments == 0)
        #expect(await journal.base.unfinished().map(\.attempt.id) == [attempt.id])
    }

    @Test("Where a quote is paid, what was begun for the payee under another name and has sent nothing is abandoned")
    func quoted() async throws {
        try await leave(at: PaymentReference(provider: "acme", id: "mina/by-hand"), of: try await quote())
        let router = try router(provider, journal)
        _ = try receipt(try await router.pay(try await quote(), option: "only", as: .careless(settler)))
        #expect(await journal.base.unfinished().isEmpty)
        _ = try await router.recover(as: .careless(settler))
        #expect(settler.payments == 1)
    }

    @Test("A payment that the service has not made yet is asked about, although no step of it has begun")
    func pending() async throws {
        var service = PatientProvider()
        service.base.match = { _ in LinkMatch(.payee("mina")) }
        service.base.payBody = { _, _ in .pending(retryAfter: nil) }
        service.base.statusBody = { _, _ in .pending(retryAfter: nil) }
        let router = try router(service, journal)
        for _ in 0..<2 {
            #expect(try await router.pay(ScriptedProvider.link, as: .careless) == .pending(retryAfter: nil))
        }
        #expect(service.base.calls["quote"] == 1 && service.base.calls["pay"] >= 1)
        #expect(await journal.base.unfinished().count == 1)
    }

    /// A provider whose options name a payee, and which needs no settler.
    private struct PatientProvider: ForwardingProvider, PayeeProvider {
        var base = ScriptedProvider()
        func payee(of option: PaymentMethodOption) -> String? { "mina" }
    }

    // MARK: Periods of a plan

    @Test("While a period's end is not known, the payee is not asked for another payment")
    func openPeriod() async throws {
        let quote = try await quote()
        try await leave([Self.settlement], at: Self.period, of: quote)
        settler.isSilent = true
        let error = await #expect(throws: PaymentError.self) { try await pay() }
        #expect(error?.code == .openPeriod && settler.payments == 0)
        #expect(provider.calls["quote"] == 1, "a payment was asked for that cannot be made")
    }

    @Test("A journal that cannot be read is stated as that, and not as a period that is open")
    func unreadable() async throws {
        try await leave([Self.settlement], at: Self.period, of: try await quote())
        await journal.hide()
        let error = await #expect(throws: PaymentError.self) { try await pay() }
        #expect(error?.code == .journal && settler.payments == 0)
    }

    @Test("A period that another worker ends unpaid just then does not prevent the payment")
    func endedPeriod() async throws {
        let attempt = try await leave([Self.settlement], at: Self.period, of: try await quote())
        let (base, now) = (journal.base, clock.now)
        await journal.delayNextReading {
            let lease = PaymentLease(payment: attempt.reference, holder: "quick", duration: .seconds(1))
            #expect(await base.acquire(lease, at: now))
            let events: [JournalEntry.Event] = [
                .stepFailed(name: "settle", reason: "there is no route", wasSent: false),
                .abandoned(reason: "there is no route"),
            ]
            for event in events {
                await #expect(throws: Never.self) {
                    try await base.append(JournalEntry(date: now, event: event), to: attempt.id, under: lease)
                }
            }
            await base.release(lease)
        }
        _ = try receipt(try await pay())
        #expect(settler.payments == 1)
    }
}
