import Foundation
import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import Testing

@testable import PaykitProvider

/// Packets from relays and from the DHT: together, and either alone (Protocol 2.4).
@Suite("Packets in relays and the DHT")
struct PkarrDHTTests {
    /// A relay that has a packet, or answers with a status.
    private final class Relay: HTTPTransport {
        private let state: Mutex<(packet: SignedPacket?, status: Int, asked: Int)>

        init(_ packet: SignedPacket? = nil, status: Int = 404) { state = Mutex((packet, status, 0)) }

        var packet: SignedPacket? { state.withLock(\.packet) }
        var asked: Int { state.withLock(\.asked) }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let (packet, status) = state.withLock {
                $0.asked += 1
                return ($0.packet, $0.status)
            }
            if status == 0 { throw TransportError(.notSent, .connectFailed("refused"), origin: request.url.origin) }
            if request.method == .put { return HTTPResponse(status: status == 404 ? 204 : status) }
            return packet.map { HTTPResponse(status: 200, body: $0.payload) } ?? HTTPResponse(status: status)
        }
    }

    private static func client(_ net: Net, _ relay: Relay?, seed: UInt64 = 1) throws -> PkarrClient {
        PkarrClient(
            relays: relay == nil ? [] : [try HTTPURL("https://relay.example")], http: relay ?? Relay(),
            dht: net.resolver(seed: seed), clock: net.world.clock)
    }

    private static func honest<Value: Sendable>(
        _ body: @escaping @Sendable (Net) async throws -> Value
    ) throws -> Value { try Net.play(Array(repeating: .honest, count: 30), seed: 3, body) }

    @Test("Without any relay a packet is published, found and replaced")
    func alone() throws {
        try Self.honest { net in
            let (first, second) = (try WireTests.packet(5, 1), try WireTests.packet(6, 2))
            #expect(try await Self.client(net, nil).resolve(first.key) == nil)
            #expect(try await Self.client(net, nil).publish(first) == 1)
            let reader = try Self.client(net, nil, seed: 2)
            #expect(try await reader.resolve(first.key) == first)
            #expect(try await Self.client(net, nil, seed: 3).publish(second) == 1)
            #expect(try await reader.resolve(first.key, isFresh: true) == second)
        }
    }

    @Test("A packet that no relay has, for whatever reason, is found in the DHT", arguments: [404, 500, 503, 429, 0])
    func behindRelays(_ status: Int) throws {
        try Self.honest { net in
            let packet = try WireTests.packet(5, 1)
            try await Self.client(net, nil).publish(packet)
            #expect(try await Self.client(net, Relay(status: status), seed: 2).resolve(packet.key) == packet)
        }
    }

    @Test(
        "What a relay brings is believed at once, and the DHT asked before anything is published; the later one counts")
    func newest() throws {
        try Self.honest { net in
            let (older, later) = (try WireTests.packet(5, 1), try WireTests.packet(6, 2))
            try await Self.client(net, nil).publish(later)
            let client = try Self.client(net, Relay(older), seed: 2)
            #expect(try await client.resolve(older.key) == older)
            #expect(try await client.resolve(older.key, isFresh: true) == later)
            // From now on no source goes back.
            #expect(try await client.resolve(older.key) == later)
            let other = try Self.client(net, Relay(try WireTests.packet(7, 3)), seed: 3)
            #expect(try await other.resolve(older.key, isFresh: true)?.timestamp == 7)
        }
    }

    @Test("A later packet in the DHT is proof: nothing older is taken to be published, whatever relays say")
    func outdated() throws {
        try Self.honest { net in
            let (older, later) = (try WireTests.packet(5, 1), try WireTests.packet(6, 2))
            try await Self.client(net, nil).publish(later)
            let client = try Self.client(net, Relay(), seed: 2)
            #expect(await code { _ = try await client.publish(older) } == .storage)
            #expect(try await client.resolve(older.key) == later)
        }
    }

    @Test("Relay and DHT both get the packet, and one of them is enough")
    func both() throws {
        try Self.honest { net in
            let packet = try WireTests.packet(5, 1)
            #expect(try await Self.client(net, Relay()).publish(packet) == 2)
            #expect(try await Self.client(net, Relay(status: 500), seed: 2).publish(packet) == 1)
        }
        try Net.play([.dead, .dead], seed: 4, starts: [0, 1]) { net in
            let packet = try WireTests.packet(5, 1)
            #expect(try await Self.client(net, Relay()).publish(packet) == 1)
            await #expect(throws: PaykitNetworkError.self) {
                try await Self.client(net, Relay(status: 500), seed: 2).publish(packet)
            }
        }
    }

    @Test("An unknown key is certain only where every node has answered")
    func certainty() throws {
        try Self.honest { net in
            let key = try WireTests.pair(0x11).publicKey
            let found = try await Self.client(net, Relay()).search(key, everywhere: true)
            #expect(found.packet == nil && found.isCertain)
            let partly = try await Self.client(net, Relay(status: 503)).search(key, everywhere: true)
            #expect(partly.packet == nil && !partly.isCertain)
        }
        try Net.play([.dead, .dead], seed: 4, starts: [0, 1]) { net in
            let key = try WireTests.pair(0x11).publicKey
            let partly = try await Self.client(net, Relay()).search(key, everywhere: true)
            #expect(partly.packet == nil && !partly.isCertain)
            await #expect(throws: PaykitNetworkError.self) {
                try await Self.client(net, Relay(status: 500)).search(key, everywhere: true)
            }
        }
    }

    @Test("Answers of nodes that read numbers of two bytes only, or of four only, are both taken", arguments: [2, 4])
    func numbers(_ length: Int) throws {
        // The only node that is known at first answers to such questions and knows all others.
        let item = try Packets.user.item
        let (found, stored) = try Net.play(Array(repeating: .honest, count: 12), seed: 9, starts: [0]) { net in
            func resolver(_ seed: UInt64) -> DHTResolver {
                let deaf = Deaf(net.network.machine(at: Net.client), to: net.swarm.addresses, but: length)
                return DHTResolver(
                    net.configuration, transport: deaf, clock: net.world.clock, random: SeededRandomSource(seed: seed))
            }
            let stored = try await resolver(1).publish(item).stored
            return (try await resolver(2).resolve(item.key).item, stored)
        }
        #expect(found == item && stored > 0)
    }
}

/// A network in which the first of some nodes reads only questions whose number has one length.
private struct Deaf: DatagramTransport {
    let base: any DatagramTransport
    let first: DatagramAddress?
    let length: Int

    init(_ base: any DatagramTransport, to nodes: [DatagramAddress], but length: Int) {
        self.base = base
        first = nodes.first
        self.length = length
    }

    func open(_ address: DatagramAddress) async throws(DatagramError) -> any DatagramSocket {
        Socket(base: try await base.open(address), network: self)
    }

    func addresses(of host: String, port: UInt16) async throws(DatagramError) -> [DatagramAddress] {
        try await base.addresses(of: host, port: port)
    }

    private struct Socket: DatagramSocket {
        let base: any DatagramSocket
        let network: Deaf
        var localAddress: DatagramAddress { base.localAddress }

        func send(_ bytes: [UInt8], to address: DatagramAddress) async throws(DatagramError) {
            if address == network.first, KRPCMessage(bytes)?.transaction.count != network.length { return }
            try await base.send(bytes, to: address)
        }

        func receive() async throws(DatagramError) -> Datagram { try await base.receive() }
        func close() { base.close() }
    }
}
