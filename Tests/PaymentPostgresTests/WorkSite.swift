import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

/// A shop, and the machines of its payers and workers over one database.
struct WorkSite: Sendable {
    let server: PostgresServer
    let shop = ShopService(clock: SystemPaymentClock())
    private let configuration: PostgresConfiguration

    /// A site with a separate schema of the server that tests share.
    init() async throws { self.init(try await PostgresServer.shared()) }

    init(_ server: PostgresServer, schema: String = PostgresServer.newSchema()) {
        self.server = server
        configuration = server.configuration(schema)
    }

    var schema: String { configuration.schema }
    /// The channel of the notifications.
    var channel: String { Tables(schema).channel }

    static func link(_ id: String) -> String { "https://\(ShopProvider.linkHost)/\(id)" }

    static func payment(_ id: String) -> PaymentReference { PaymentReference(provider: ShopProvider.id, id: id) }

    /// A machine with a router.
    struct Machine {
        let router: PaymentRouter
        let journal: PostgresJournal
        let store: PostgresStore
    }

    func machine(
        _ transport: any HTTPTransport, _ configuration: PostgresConfiguration? = nil, lease: Duration = .seconds(2),
        clock: any PaymentClock = SystemPaymentClock(), providers: [any PaymentProvider]? = nil,
        reportsEnds: Bool = false
    ) async throws -> Machine {
        let store = try await PostgresStore(configuration ?? self.configuration)
        let journal = PostgresJournal(store, reportsEnds: reportsEnds)
        let router = PaymentRouter(
            registry: try ProviderRegistry(providers ?? [ShopProvider(clock: SystemPaymentClock())]),
            transport: transport,
            journal: journal, clock: clock, leases: LeasePolicy(duration: lease, timeout: .seconds(1)))
        return Machine(router: router, journal: journal, store: store)
    }

    /// A way to the database through a proxy, which sees the statements' texts.
    func proxied() throws -> (CuttingProxy, PostgresConfiguration) {
        try server.proxied(schema)
    }

    /// A machine whose charges do not arrive.
    func brokenMachine() async throws -> Machine {
        try await machine(BrokenTransport(base: DirectTransport(service: shop)), clock: HastyClock())
    }

    /// Leaves payments open by a broken machine.
    func leaveOpen(_ ids: [String]) async throws {
        let broken = try await brokenMachine()
        try await leaveOpen(ids, by: broken)
        broken.store.close()
    }

    func leaveOpen(_ ids: [String], by broken: Machine) async throws {
        for id in ids { await shop.createPayment(id, .paidAtOnce, cents: 1000) }
        await withTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask {
                    _ = try? await broken.router.pay(Self.link(id), as: .careless, acceptingUnverified: true)
                }
            }
        }
        for id in ids { #expect(try await broken.journal.histories(of: Self.payment(id)).count == 1) }
    }

    /// Starts a worker.
    func work(
        _ rhythm: PostgresWorker.Rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100)),
        _ configuration: PostgresConfiguration? = nil, transport: (any HTTPTransport)? = nil
    ) async throws -> (Reports, Task<Void, Never>) {
        let machine = try await machine(transport ?? DirectTransport(service: shop), configuration)
        let reports = Reports()
        let worker = PostgresWorker(machine.router, machine.journal, as: .careless, rhythm: rhythm) {
            reports.add($0)
        }
        return (reports, Task { await worker.run() })
    }

    func end(_ work: Task<Void, Never>) async {
        work.cancel()
        await work.value
    }
}

extension PaymentAttempt {
    /// Creates an attempt at a payment in euros.
    init(
        _ id: String = "a", at reference: PaymentReference, cents: UInt128 = 5, from date: Date = Date()
    ) throws {
        let amount = try Money(minorUnits: cents, currency: .eur)
        self.init(
            id: AttemptID(rawValue: id), reference: reference,
            option: PaymentMethodOption(id: "o", title: "o", amount: amount), idempotencyKey: "key", startedAt: date,
            expiresAt: nil)
    }
}

/// Waits until a condition is true.
func eventually(
    within time: Duration = .seconds(30), at place: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + time
    while try await !condition() {
        try #require(.now < end, "it has not happened within \(time)", sourceLocation: place)
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Collects the payments that workers report on.
final class Reports: Sendable {
    private let reports = Collected<RecoveryReport>()
    private let lines = Collected<String>()
    private let notes = Collected<String>()
    func add(_ report: RecoveryReport) { reports.add(report) }
    /// Adds a line of a working process, if it is about an end or a notification.
    func addEnd(_ line: String) {
        if line.hasPrefix("ended ") { lines.add(String(line.dropFirst(6))) }
        if line.hasPrefix("notified ") { notes.add(String(line.dropFirst(9))) }
    }
    /// The payments whose notifications were passed on.
    var notifications: [String] { notes.all }
    /// The payments whose ends were passed on.
    var ends: [String] { lines.all }
    var all: [String] { reports.all.map(\.attempt.reference.id) }
    var texts: [String] { reports.all.map(\.description) }
}

/// A network that loses what is sent, or keeps it, at the charge.
struct BrokenTransport: HTTPTransport {
    let base: any HTTPTransport
    /// True if an answer never comes; otherwise it is lost at once.
    var hangs = false
    var reached: (@Sendable () -> Void)?

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.method == .post else { return try await base.send(request) }
        reached?()
        if hangs { try? await Task.sleep(for: .seconds(3600)) }
        throw TransportError(.maybeSent, .connectionLost("the cable is cut"), origin: "shop")
    }
}

/// A network whose requests wait until it is opened.
final class SlowTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let requests = Counter()
    private let isOpen: Task<Void, Never>
    let open = OneShot<Void>()

    init(base: any HTTPTransport) {
        self.base = base
        isOpen = Task { [open] in await open.value() }
    }

    /// The number of requests that have arrived here.
    var count: Int { requests.count }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        _ = requests.next()
        await isOpen.value
        return try await base.send(request)
    }
}

/// A clock that does not wait.
struct HastyClock: PaymentClock {
    var now: Date { SystemPaymentClock().now }
    var uptime: Duration { SystemPaymentClock().uptime }
    func sleep(for duration: Duration) async throws {}
}

/// A clock that is ahead of the true one, or behind it.
struct WrongClock: PaymentClock {
    /// Seconds.
    let ahead: Double

    var now: Date { SystemPaymentClock().now.addingTimeInterval(ahead) }
    var uptime: Duration { SystemPaymentClock().uptime }
    func sleep(for duration: Duration) async throws { try await SystemPaymentClock().sleep(for: duration) }
}
