import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// Payees are looked up in the DHT if the network that the application gave the provider has it (Protocol 2.4).
@Suite("Paykit's provider and the DHT")
struct ProviderDHTTests {
    private let sandbox = PubkySandbox(random: SeededRandomSource(seed: 1))
    private let url: HTTPURL

    init() throws { url = try HTTPURL("http://127.0.0.1:6287") }

    /// Runs `body` with a network whose relays do not answer, and the configuration of a DHT whose nodes do.
    private func playing(
        _ behaviours: [DHTNodeBehaviour],
        _ body: @escaping @Sendable (PubkyNetwork, DHTConfiguration) async throws -> Void
    ) async throws {
        let swarm = try await DHTSwarm.start(
            behaviours, over: UDPTransport(), clock: SystemPaymentClock(), random: SeededRandomSource(seed: 4))
        let first = swarm.nodes.filter { $0.behaviour == .honest }.prefix(3).map(\.address)
        var dht = DHTConfiguration.local(first)
        // No distance slows an answer on this machine.
        dht.slotDuration = .milliseconds(200)
        let (network, configuration) = (try PubkyNetwork.sandbox(url), dht)
        try await withOwnThreads {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    await swarm.serve()
                    return false
                }
                group.addTask {
                    try await body(network, configuration)
                    return true
                }
                defer { group.cancelAll() }
                while let isDone = try await group.next() { if isDone { return } }
                throw CancellationError()
            }
        }
    }

    /// Copies the packets of `keys` from the sandbox's relay into the DHT.
    private func move(
        _ keys: [PubkyKey], from network: PubkyNetwork, into configuration: DHTConfiguration
    ) async throws {
        let relay = PkarrClient(
            relays: network.relays, http: SandboxTransport(sandbox), clock: SystemPaymentClock())
        let nodes = PkarrClient(
            relays: [], http: SandboxTransport(sandbox),
            dht: DHTResolver(configuration, transport: UDPTransport(), random: SeededRandomSource(seed: 6)),
            clock: SystemPaymentClock())
        for key in keys {
            let packet = try #require(try await relay.resolve(key))
            try await nodes.publish(packet)
        }
    }

    /// A router whose network has all relays down, or no fault.
    private func router(
        _ network: PubkyNetwork, _ dht: DHTResolver?, hasRelays: Bool = false
    ) throws -> PaymentRouter {
        var network = network
        network.dht = dht
        let transport = RecordingTransport { [sandbox] request throws(TransportError) in
            guard hasRelays || !request.url.path.hasPrefix("/pkarr/") else {
                throw TransportError(.notSent, .connectFailed("refused"), origin: request.url.origin)
            }
            return try await SandboxTransport(sandbox).send(request)
        }
        return PaymentRouter(
            registry: try ProviderRegistry([PaykitProvider(network: network, reader: StandardsReader())]),
            transport: transport, journal: InMemoryJournal(), readers: [StandardsReader()],
            random: SeededRandomSource(seed: 2))
    }

    private var payer: Payer {
        Payer(policy: .firstWhateverItCosts, settler: SandboxSettler(at: url, over: SandboxTransport(sandbox)))
    }

    /// Twenty-one nodes, every third of which is dishonest.
    private static let mixed = (0..<21).map { index in
        index % 3 == 0 ? DHTNodeBehaviour.liars[index / 3 % DHTNodeBehaviour.liars.count] : .honest
    }

    @Test(
        "A payee about whom no relay can be asked is found in the DHT, a third of which answers falsely, and paid once",
        .timeLimit(.minutes(3)))
    func paid() async throws {
        let user = await sandbox.createUser(.ready)
        try await playing(Self.mixed) { network, dht in
            try await move([user.key, sandbox.homeserver], from: network, into: dht)
            let router = try router(network, DHTResolver(dht, transport: UDPTransport()))
            let receipt = try #require(try await router.pay(user.link, as: payer).receipt)
            #expect(receipt.amount?.minorUnits == 2100 && receipt.transactionID?.count == 64)
        }
        #expect(await sandbox.ledger.captures(of: user.key.text) == 1)
    }

    /// Counts the lookups of the first nodes' names.
    private final class Naming: DatagramTransport {
        let lookups = Mutex(0)

        func open(_ address: DatagramAddress) async throws(DatagramError) -> any DatagramSocket {
            try await UDPTransport().open(address)
        }

        func addresses(of host: String, port: UInt16) async throws(DatagramError) -> [DatagramAddress] {
            lookups.withLock { $0 += 1 }
            return try await UDPTransport().addresses(of: host, port: port)
        }
    }

    @Test("A stored provider continues with the results of its searches", .timeLimit(.minutes(3)))
    func remembers() async throws {
        let user = await sandbox.createUser(.ready)
        let naming = Naming()
        try await playing(Array(repeating: .honest, count: 8)) { network, dht in
            try await move([user.key, sandbox.homeserver], from: network, into: dht)
            let router = try router(network, DHTResolver(dht, transport: naming))
            for _ in 0..<2 { #expect(try await router.quote(user.link, as: payer).options.count > 0) }
            #expect(naming.lookups.withLock { $0 } == dht.bootstrap.count)
        }
    }

    @Test("Where the network has no DHT no payee is found there, and nothing is paid", .timeLimit(.minutes(3)))
    func withoutDHT() async throws {
        let user = await sandbox.createUser(.ready)
        try await playing(Array(repeating: .honest, count: 8)) { network, dht in
            try await move([user.key, sandbox.homeserver], from: network, into: dht)
            let error = await #expect(throws: PaymentError.self) {
                try await router(network, nil).pay(user.link, as: payer)
            }
            #expect(error?.code == .network && error?.phase == .answered)
        }
        #expect(await sandbox.ledger.captures(of: user.key.text) == 0)
    }

    @Test("A key that neither relays nor the DHT know has no packet; without relays and nodes, the error says so")
    func unknown() async throws {
        let user = await sandbox.createUser(.unknownKey)
        try await playing(Array(repeating: .honest, count: 8)) { network, dht in
            let error = await #expect(throws: PaymentError.self) {
                try await router(network, DHTResolver(dht, transport: UDPTransport()), hasRelays: true).pay(
                    user.link, as: payer)
            }
            #expect(error?.code == .notFound)
            var nowhere = network
            nowhere.relays = []
            let nobody = await #expect(throws: PaymentError.self) {
                try await router(nowhere, nil).pay(user.link, as: payer)
            }
            #expect(nobody?.code != .notFound && nobody?.message.contains("needs a relay") == true)
        }
    }
}
