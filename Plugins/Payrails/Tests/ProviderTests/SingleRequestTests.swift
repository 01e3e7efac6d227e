import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The guards that keep a request to pay from leaving twice, or beside another one (Protocol 2.4).
@Suite("A request to pay leaves once, and alone")
struct SingleRequestTests {
    private static let link = Sample.link
    private static let reference = Sample.payment
    private func router(
        _ service: ScriptedService, _ journal: any PaymentJournal, clock: VirtualClock = VirtualClock()
    ) throws -> PaymentRouter {
        try Sample.router(service, journal, knowing: Self.link, clock: clock)
    }

    @Test("It carries the attempt's own key, so that a copy of it is known as one")
    func key() async throws {
        let journal = InMemoryJournal()
        let service = ScriptedService([
            .read: [.untouched, .untouched, .untouched, .begun], .wait: [.paid],
        ])
        #expect(
            try await router(service, journal).pay(Self.link, as: .careless)
                == .succeeded(PaymentReceipt(reference: Self.reference)))
        let attempt = try #require(await journal.histories(of: Self.reference).first?.attempt)
        let requests = service.requests.filter { ScriptedService.call($0) == .authorize }
        #expect(requests.map { $0.headers["x-idempotency-key"] } == [attempt.idempotencyKey.uppercased()])
    }

    @Test("It does not leave when another process has begun since the first look")
    func begunMeanwhile() async throws {
        // Quote, look; then another device begins.
        let service = ScriptedService([.read: [.untouched, .untouched, .begun], .wait: [.paid]])
        #expect(
            try await router(service, InMemoryJournal()).pay(Self.link, as: .careless)
                == .succeeded(PaymentReceipt(reference: Self.reference)))
        #expect(service.count(.authorize) == 0, "the other one's payment is the payment")
    }

    @Test(
        "After an interruption between preparing and sending it leaves only where no other process has begun meanwhile",
        arguments: [true, false])
    func begunWhileInterrupted(isBegun: Bool) async throws {
        let journal = InMemoryJournal()
        let service = ScriptedService([
            .read: isBegun ? [.begun] : [.untouched, .untouched, .begun], .wait: [.paid],
        ])
        let clock = VirtualClock()
        let id = try await interrupted(in: journal, clock)
        #expect(
            try await router(service, journal, clock: clock).resume(id, as: .careless)
                == .succeeded(PaymentReceipt(reference: Self.reference)))
        #expect(service.count(.authorize) == (isBegun ? 0 : 1))
    }

    @Test(
        "An answer that cannot be read leaves open whether it was carried out",
        arguments: ["", "<html>", "[]", "null"],
        [200, 201])
    func garbled(body: String, status: Int) async throws {
        let journal = InMemoryJournal()
        let service = ScriptedService([
            .authorize: [.bytes(Array(body.utf8), status)], .read: [.untouched],
        ])
        for _ in 0..<2 {
            #expect(try await router(service, journal).pay(Self.link, as: .careless).isUnknown, "it may have been")
        }
        #expect(service.count(.authorize) == 1)
        #expect(await journal.unfinished().map(\.mayHaveMovedMoney) == [true])
    }

    @Test("A decline from before is not this request's ending, though the clock that wrote this one is slow")
    func declineFromBefore() async throws {
        let declined = [Sample.created, Sample.requested, Sample.failed]
        let old = Answer.ok(Sample.status(declined))
        // Written before the preceding decline.
        let begun = declined + [("authorizeRequested", "55.200000001")]
        let service = ScriptedService([
            .read: [old, old, old, .ok(Sample.status(begun))],
            .wait: [.ok(Sample.status(begun + [Sample.successful]))],
        ])
        #expect(
            try await router(service, InMemoryJournal()).pay(Self.link, as: .careless)
                == .succeeded(PaymentReceipt(reference: Self.reference)))
        #expect(service.count(.authorize) == 1)
    }

    @Test("A session over another amount than was agreed to is not paid, and says both")
    func anotherAmount() async throws {
        let journal = InMemoryJournal()
        let service = ScriptedService([.read: [.untouched]])
        let clock = VirtualClock()
        let id = try await interrupted(in: journal, clock)
        let dearer = SessionLink.link(
            to: Sample.initData(Sample.payload().setting(["amount", "value"], "990.00")))
        let router = try Sample.router(service, journal, knowing: dearer.reveal(), clock: clock)
        let error = await #expect(throws: PaymentError.self) { try await router.resume(id, as: .careless) }
        #expect(error?.code == .integrity && error?.phase == .beforeSend)
        #expect(error?.message.contains("990.00") == true && error?.message.contains("99.00") == true)
        #expect(service.count(.authorize) == 0)
    }

    /// An attempt that was interrupted right before its request to pay.
    private func interrupted(in journal: InMemoryJournal, _ clock: VirtualClock) async throws -> AttemptID {
        let lease = PaymentLease(payment: Self.reference, holder: "crashed", duration: .seconds(1))
        let option = PaymentMethodOption(
            id: "stored:i1", title: "Card", amount: try Money(minorUnits: 9900, currency: .eur),
            providerData: ["kind": "stored", "type": "card", "id": "i1"])
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_crashed"), reference: Self.reference, option: option, idempotencyKey: "key",
            startedAt: clock.now, expiresAt: nil)
        let before: JSONValue = [
            "status": "ready", "mark": ["requests": 0, "failures": 0], "confirmKey": "K",
        ]
        let events: [JournalEntry.Event] = [
            .stepStarted(name: "look", kind: .query), .stepFinished(name: "look", result: before),
            .stepStarted(name: "prepare", kind: .interaction), .stepFinished(name: "prepare", result: true),
        ]
        #expect(await journal.acquire(lease, at: clock.now))
        try await journal.open(attempt, under: lease)
        for event in events {
            try await journal.append(JournalEntry(date: clock.now, event: event), to: attempt.id, under: lease)
        }
        await journal.release(lease)
        return attempt.id
    }
}
