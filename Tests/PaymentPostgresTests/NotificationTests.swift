import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import Synchronization
import TestSupport
import Testing

@Suite(
    "Notifications that are stored and handled later",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct NotificationTests {
    private let site: WorkSite
    private let door: WorkSite.Machine
    private let notes = Collected<HandledNotification>()
    private var delivery: String { "\(site.schema).delivery" }
    private static let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100))

    init() async throws {
        site = try await WorkSite()
        door = try await site.machine(DirectTransport(service: site.shop))
    }

    private static func notification(
        _ id: String, _ status: String = "paid", secret: String = ShopSignature.secret
    ) -> IncomingNotification {
        ShopSignature.notification(["id": .string(id), "status": .string(status)], at: Date(), secret: secret)
    }

    private func keep(_ notification: IncomingNotification, from provider: ProviderID = ShopProvider.id) async throws {
        try await door.journal.keep(notification, from: provider, checkedBy: door.router)
    }

    /// Leaves a payment open, whose attempt is not due for long.
    private func leaveOpen(_ id: String) async throws {
        try await site.leaveOpen([id])
        try site.server.run(sql: "UPDATE \(site.schema).due SET look = 1e10, asked = true")
    }

    private func states(_ id: String) async throws -> [AttemptQuery.State] {
        try await door.journal.histories(of: WorkSite.payment(id)).map(\.state)
    }

    private func rows(_ columns: String = "1") async throws -> [String] {
        try await site.server.rows(sql: "SELECT \(columns) FROM \(delivery)")
    }

    /// Starts a worker.
    private func work(
        _ machine: WorkSite.Machine, _ rhythm: PostgresWorker.Rhythm = rhythm,
        notified: (@Sendable (HandledNotification) async throws -> Void)? = { _ in }
    ) -> (Collected<PaymentError?>, Task<Void, Never>) {
        let failures = Collected<PaymentError?>()
        let worker = PostgresWorker(
            machine.router, machine.journal, as: .careless, rhythm: rhythm,
            failed: { failures.add($0 as? PaymentError) },
            notified: notified)
        return (failures, Task { await worker.run() })
    }

    @Test("A notification is stored byte for byte, wakes a worker, ends its attempt, and leaves nothing behind")
    func handled() async throws {
        let (failures, work) = work(door, PostgresWorker.Rhythm(longest: .seconds(3600)))
        let listener = "SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN \(site.channel)'"
        try await eventually { try await site.server.rows(sql: listener).count == 1 }
        try await leaveOpen("n1")
        let lock = try site.server.lock(table: "\(site.schema).due")
        let one = Self.notification("n1")
        var headers = one.headers
        headers.append("X-Twice", "ä")
        headers.append("x-twice", "\"2")
        try await keep(IncomingNotification(headers: headers, body: one.body))
        #expect(try await rows("encode(body, 'hex')") == [Hex.encode(one.body)])
        let fields = try #require(try await rows("convert_from(headers, 'UTF8')").first)
        #expect(fields.hasSuffix(#"["X-Twice","ä"],["x-twice","\"2"]]"#), "\(fields)")
        lock()
        try await eventually { try await states("n1") == [.paid] }
        try await eventually { try await rows().isEmpty }
        await site.end(work)
        #expect(failures.all.isEmpty)
        #expect(await site.shop.captures(of: "n1") == 0, "the service was not asked, nor charged")
    }

    @Test("What is not genuine, or of no provider, is not stored")
    func refused() async throws {
        let forged = Self.notification("f", secret: "another")
        #expect(await failure { try await keep(forged) }?.code == .untrustedNotification)
        #expect(await failure { try await keep(Self.notification("f"), from: "none") }?.code == .unroutable)
        #expect(try await rows().isEmpty)
    }

    @Test("The same bytes are stored once while they wait, also where two programs get them")
    func twice() async throws {
        let one = Self.notification("t")
        let other = try await site.machine(DirectTransport(service: site.shop))
        try await withThrowingTaskGroup { group in
            for machine in [door, other, door, other] {
                group.addTask {
                    try await machine.journal.keep(one, from: ShopProvider.id, checkedBy: machine.router)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await rows().count == 1)
        try await keep(Self.notification("t", "declined"))
        #expect(try await rows().count == 2)
    }

    @Test("One that is too large, and one more than may wait, are refused with what to do")
    func bounds() async throws {
        let kept = Self.notification("b")
        var headers = kept.headers
        try await keep(kept)
        headers.append("X-Long", String(repeating: "x", count: 512 << 10))
        let size = kept.body.count + headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        await #expect(throws: JournalError.tooLarge(path: door.store.path, bytes: size, limit: 512 << 10)) {
            try await keep(IncomingNotification(headers: headers, body: kept.body))
        }
        func fill(_ provider: String, _ count: Int) throws {
            try site.server.run(
                sql: """
                    INSERT INTO \(delivery) (digest, provider, look)
                    SELECT '\(provider)' || n, '\(provider)', 1e10 FROM generate_series(1, \(count)) n
                    """)
        }
        try fill("other", 10_000)
        try fill(ShopProvider.id.rawValue, 9_998)
        try await keep(Self.notification("b", "cancelled"))
        let full = JournalError.tooManyNotifications(path: door.store.path, limit: 10_000)
        #expect("\(full)".contains("503"))
        await #expect(throws: full) { try await keep(Self.notification("b", "declined")) }
        // It waits already.
        try await keep(kept)
    }

    @Test("One that waited for too long to be accepted is removed, and the service is asked instead")
    func stale() async throws {
        try await leaveOpen("s")
        try await keep(Self.notification("s"))
        let late = try await site.machine(
            DirectTransport(service: site.shop),
            providers: [ShopProvider(clock: WrongClock(ahead: ShopSignature.lifetime + 60))])
        let (failures, work) = work(late)
        try await eventually { try await states("s") == [.paid] }
        #expect(await site.shop.captures(of: "s") == 1)
        await site.end(work)
        #expect(failures.all.map(\.?.code) == [.untrustedNotification])
        #expect(try await rows().isEmpty)
    }

    @Test("One that says that nothing was paid is not believed while the service cannot be asked")
    func unconfirmed() async throws {
        try await leaveOpen("d")
        try await keep(Self.notification("d", "declined"))
        let transport = DownTransport(base: DirectTransport(service: site.shop))
        let (failures, work) = work(try await site.machine(transport, clock: HastyClock()))
        try await eventually { !failures.all.isEmpty }
        #expect(try await !rows().isEmpty, "it stays until the service was asked")
        #expect(try await states("d").allSatisfy { $0 != .unpaid })
        transport.isUp.finish(())
        // What it left open is due as an attempt.
        try await eventually {
            try site.server.run(sql: "UPDATE \(site.schema).due SET look = 0 WHERE worker IS NULL AND look < 1e10")
            try site.server.run(sql: "UPDATE \(delivery) SET look = 0 WHERE worker IS NULL")
            let left = try await rows()
            return try await states("d") == [.paid] && left.isEmpty
        }
        #expect(await site.shop.captures(of: "d") == 1)
        await site.end(work)
        #expect(failures.all.allSatisfy { $0?.code == .network })
    }

    @Test("One about a payment that another program holds is handled later")
    func held() async throws {
        try await leaveOpen("h")
        let lease = PaymentLease(payment: WorkSite.payment("h"), holder: "other", duration: .seconds(600))
        #expect(try await door.journal.acquire(lease, at: Date()))
        try await keep(Self.notification("h"))
        let (failures, work) = work(door)
        try await eventually { failures.all.map(\.?.code) == [.inUse] }
        #expect(try await rows("tries, worker IS NULL") == ["1|t"])
        #expect(try await states("h") == [.unfinished])
        try await door.journal.release(lease)
        try site.server.run(sql: "UPDATE \(delivery) SET look = 0")
        try await eventually { try await states("h") == [.paid] }
        try await eventually { try await rows().isEmpty }
        await site.end(work)
    }

    @Test("One that does not fit the open attempt is removed and reported")
    func unfitting() async throws {
        let capture = PaymentReference(provider: ShopProvider.id, id: "c", subject: .capture)
        let lease = PaymentLease(payment: capture, holder: "h", duration: .seconds(600))
        #expect(try await door.journal.acquire(lease, at: Date()))
        try await door.journal.open(PaymentAttempt(at: capture, cents: 500), under: lease)
        try await door.journal.release(lease)
        try site.server.run(sql: "UPDATE \(site.schema).due SET look = 1e10, asked = true")
        let body: JSONValue = ["id": "c", "status": "collected", "collected": "700"]
        try await keep(ShopSignature.notification(body, at: Date()))
        let (failures, work) = work(door)
        try await eventually { failures.all.map(\.?.code) == [.integrity] }
        #expect(try await rows().isEmpty)
        await site.end(work)
    }

    @Test("A worker without the provider leaves it to another one")
    func foreign() async throws {
        try await leaveOpen("x")
        try await keep(Self.notification("x"))
        let (failures, idle) = work(try await site.machine(DirectTransport(service: site.shop), providers: []))
        try await eventually { failures.all.map(\.?.code) == [.unroutable] }
        await site.end(idle)
        #expect(try await rows("tries, worker IS NULL") == ["1|t"])
        let (none, work) = work(door)
        try site.server.run(sql: "UPDATE \(delivery) SET look = 0")
        try await eventually { try await states("x") == [.paid] }
        await site.end(work)
        #expect(none.all.isEmpty)
    }

    // MARK: Passing on

    private static func paid(_ payment: PaymentReference) -> ServiceReport {
        .succeeded(PaymentReceipt(reference: payment))
    }

    @Test("A notification of a payment that the journal does not know is passed on, with what it says")
    func unknownPayment() async throws {
        let (failures, work) = work(door) { notes.add($0) }
        try await keep(Self.notification("charge-7"))
        try await eventually { try await rows().isEmpty && notes.all.count == 1 }
        #expect(notes.all.map(\.reference) == [WorkSite.payment("charge-7")])
        #expect(notes.all.first?.outcome == Self.paid(WorkSite.payment("charge-7")))
        await site.end(work)
        #expect(failures.all.isEmpty)
    }

    @Test("A notification after the attempt's end is passed on as well")
    func afterTheEnd() async throws {
        try await leaveOpen("e")
        let (failures, work) = work(door) { notes.add($0) }
        try await keep(Self.notification("e"))
        try await eventually { try await states("e") == [.paid] && notes.all.count == 1 }
        // The service says the opposite later, which is not believed, and has to be looked into.
        try await keep(Self.notification("e", "declined"))
        try await eventually { try await rows().isEmpty && notes.all.count == 2 }
        #expect(notes.all.map(\.reference) == [WorkSite.payment("e"), WorkSite.payment("e")])
        #expect(notes.all.first?.outcome == Self.paid(WorkSite.payment("e")))
        await site.end(work)
        #expect(failures.all.isEmpty)
    }

    @Test("A notification whose handler throws, or hangs, is passed on again, and stays until then")
    func again() async throws {
        struct Full: Error {}
        let (notes, calls) = (Collected<HandledNotification>(), Counter())
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(50), width: 1, bound: .seconds(2))
        try await keep(Self.notification("a"))
        let (failures, work) = work(door, rhythm) {
            switch calls.next() {
            case 1: throw Full()
            case 2: await OneShot<Void>().value()
            default: notes.add($0)
            }
        }
        for count in 1...2 {
            try await eventually { failures.all.count == count }
            #expect(try await rows("tries, worker IS NULL") == ["\(count)|t"])
            #expect(notes.all.isEmpty)
            try site.server.run(sql: "UPDATE \(delivery) SET look = 0")
        }
        try await eventually { try await rows().isEmpty }
        #expect(notes.all.map(\.reference) == [WorkSite.payment("a")])
        #expect(failures.all.map(\.?.code) == [nil, .network])
        await site.end(work)
    }

    @Test("A notification that cannot be checked any more is passed on with the service's status, once that is known")
    func staleUnknownPayment() async throws {
        await site.shop.createPayment("old", .paidAtOnce, cents: 1000)
        try await keep(Self.notification("old"))
        try await keep(Self.notification("none"))
        let refund = PaymentReference(provider: ShopProvider.id, id: "r", subject: .refund(of: "old"))
        try await keep(
            ShopSignature.notification(["id": "old", "status": "refunded", "refund": "r", "cents": "300"], at: Date()))
        let transport = DownTransport(base: DirectTransport(service: site.shop))
        let late = try await site.machine(
            transport, clock: HastyClock(),
            providers: [ShopProvider(clock: WrongClock(ahead: ShopSignature.lifetime + 60))])
        let (failures, work) = work(late) { notes.add($0) }
        try await eventually { failures.all.contains { $0?.code == .network } }
        #expect(!notes.all.contains { $0.reference == WorkSite.payment("old") })
        transport.isUp.finish(())
        try await eventually {
            try site.server.run(sql: "UPDATE \(delivery) SET look = 0 WHERE worker IS NULL")
            return try await rows().isEmpty
        }
        await site.end(work)
        let known = Set(notes.all.map(\.reference))
        #expect(known == [WorkSite.payment("old"), WorkSite.payment("none"), refund], "\(known)")
        for note in notes.all where note.reference != WorkSite.payment("old") {
            #expect(note.outcome.unknownOutcome != nil, "\(note)")
        }
        #expect(notes.all.count == 3)
    }

    @Test("A worker that passes no notifications on leaves them to others")
    func withoutHandler() async throws {
        try await keep(Self.notification("w"))
        try await leaveOpen("other")
        try site.server.run(sql: "UPDATE \(site.schema).due SET look = 0")
        let (failures, idle) = work(door, notified: nil)
        try await eventually { try await states("other") == [.paid] }
        await site.end(idle)
        #expect(failures.all.isEmpty)
        #expect(try await rows("tries, worker IS NULL") == ["0|t"])
    }

    /// A network that reaches nothing until it is up.
    private final class DownTransport: HTTPTransport {
        private let base: any HTTPTransport
        private let state: Task<Void, Never>
        private let isReached = Atomic(false)
        let isUp = OneShot<Void>()

        init(base: any HTTPTransport) {
            self.base = base
            state = Task { [isUp] in await isUp.value() }
            Task { [weak self, state] in
                await state.value
                self?.isReached.store(true, ordering: .relaxed)
            }
        }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            guard isReached.load(ordering: .relaxed) else {
                throw TransportError(.notSent, .hostNotFound, origin: "shop")
            }
            return try await base.send(request)
        }
    }
}
