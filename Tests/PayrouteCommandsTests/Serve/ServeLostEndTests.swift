import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// A payment whose end was stated, and could not be stored in the journal.
@Suite("serve: ends that the journal lost")
struct ServeLostEndTests {
    @Test(
        "The attempt is ended by the caller's answer, even while the shop cannot be reached, and the payee can be paid",
        arguments: [false, true])
    func ended(isCut: Bool) async throws {
        let (journal, line) = (FullJournal(), CutTransport())
        let server = try await Self.server(journal, over: line)
        let may = try await server.pay(Self.order, key: "may")
        journal.isFull.withLock { $0 = true }
        let paid = try await Self.prove(may, server)
        #expect(paid["state"] == "ended" && paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        journal.isFull.withLock { $0 = false }
        #expect(try await journal.unfinished().count == 1)
        line.isCut.withLock { $0 = isCut }
        await server.api.payments.look()
        #expect(try await journal.unfinished().isEmpty)
        line.isCut.withLock { $0 = false }
        let june = try await Self.prove(try await server.pay(Self.order, key: "june"), server)
        #expect(june["outcome"]?["outcome"] == "succeeded", "\(june.text)")
    }

    @Test("The attempt of a payment that asked its caller nothing is ended by the shop's status")
    func stated() async throws {
        let journal = FullJournal()
        let server = try await Self.server(journal)
        journal.isFull.withLock { $0 = true }
        let order: JSONValue = ["link": "https://shop.example/order/7", "option": "tab"]
        let paid = try await server.pay(order, key: "may")
        #expect(paid["state"] == "ended" && paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        journal.isFull.withLock { $0 = false }
        #expect(try await journal.unfinished().count == 1)
        await server.api.payments.look()
        #expect(try await journal.unfinished().isEmpty)
    }

    @Test("An attempt whose caller has not answered is left, and its answer is not waited for")
    func unanswered() async throws {
        let (journal, clock) = (FullJournal(), VirtualClock())
        let server = try await Self.server(journal, clock)
        let may = try await server.pay(Self.order, key: "may")
        #expect(may["state"] == "waiting", "\(may.text)")
        await server.drain(within: .zero)
        let id = try #require(may["id"]?.string)
        try await server.api.payments.payers.table.state(id, ["outcome": "unknown"], isEnd: true, at: clock.now)
        let naps = clock.naps
        await server.api.payments.look()
        #expect(try await journal.unfinished().count == 1)
        #expect(clock.naps == naps)
    }

    @Test("A payment that nothing runs for is looked at again and again until it has ended")
    func tended() async throws {
        let journal = FullJournal()
        let server = try await Self.server(journal, serving: VirtualClock())
        let begun = try await server.begin(Self.order, key: "may").json
        let path = "/v1/payments/\(try #require(begun["id"]?.string))"
        let asked = try await Self.payment(path, once: "waiting", server)
        #expect(asked["action"]?["kind"] == "settle", "\(asked.text)")
        #expect(try await server.call(.post, path + "/cancel").json["error"]?["code"] == "in-progress")
        let attempt = try #require(try await journal.unfinished().first?.attempt.id)
        _ = try await server.api.session.router.end(attempt, as: .paid, by: "Ann", evidence: "the payee's receipt")
        let ended = try await Self.payment(path, once: "ended", server)
        #expect(ended["outcome"]?["outcome"] == "succeeded", "\(ended.text)")
        await server.stop()
        #expect(try await server.begin(Self.order, key: "june").json["error"]?["code"] == "draining")
    }

    @Test("A server whose journal takes no lease is not ready")
    func notReady() async throws {
        let journal = FullJournal()
        let server = try await Self.server(journal)
        try await server.api.payments.checkFiles()
        journal.isLocked.withLock { $0 = true }
        await #expect(throws: ServeError.self) { try await server.api.payments.checkFiles() }
    }

    /// Returns a payment once it is in a state, or as it is after 20 seconds.
    private static func payment(_ path: String, once state: JSONValue, _ server: ServeInterface) async throws
        -> JSONValue
    {
        let begun = ContinuousClock.now
        while true {
            let payment = try await server.call(.get, path).json
            if payment["state"] == state || ContinuousClock.now - begun > .seconds(20) { return payment }
            await Task.yield()
        }
    }

    /// Serves with a router at a ``Shop``, whose clock is `clock`.
    private static func server(
        _ journal: FullJournal, _ clock: any PaymentClock = SystemPaymentClock(),
        serving: any PaymentClock = SystemPaymentClock(), over transport: any HTTPTransport = CutTransport()
    ) async throws -> ServeInterface {
        let registry = try ProviderRegistry([ShopProvider(gateway: try HTTPURL("https://shop.example"))])
        let router = PaymentRouter(registry: registry, transport: transport, journal: journal, clock: clock)
        return try await ServeInterface(
            over: router, journal: journal, records: InMemoryRecords(), wallet: nil, tokens: ServeInterface.tokens,
            random: SystemRandomSource(), clock: serving)
    }

    private static let order: JSONValue = ["link": "https://shop.example/payee/ann", "option": "coin"]

    /// Answers that the caller has paid.
    private static func prove(_ payment: JSONValue, _ server: ServeInterface) async throws -> JSONValue {
        let order = try #require(payment["reference"]?.string)
        return try await server.answer(payment, ["preimage": .string(Hex.encode(Shop.preimage(of: order)))])
    }
}

/// The way to a ``Shop``, which can be cut.
private final class CutTransport: HTTPTransport {
    let isCut = Mutex(false)
    private let base = DirectTransport(service: Shop())

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard !isCut.withLock(\.self) else {
            throw TransportError(.notSent, .timedOut, origin: "https://shop.example")
        }
        return try await base.send(request)
    }
}

/// A journal that cannot store the end of an attempt while its disk is full.
private final class FullJournal: ForwardingJournal {
    struct NoSpace: Error {}

    let isFull = Mutex(false)
    /// True if it takes no leases either.
    let isLocked = Mutex(false)
    let base = InMemoryJournal()

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        if case .outcome = entry.event, isFull.withLock(\.self) { throw NoSpace() }
        try await base.append(entry, to: attempt, under: lease)
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        if isLocked.withLock(\.self) { throw NoSpace() }
        return await base.acquire(lease, at: now)
    }
}
