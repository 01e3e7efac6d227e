import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import Testing

@testable import PaykitProvider

/// Attacks of strangers on a search.
@Suite("Attacks on a search")
struct AttackTests {
    private let owner = Owner(9)

    /// The client's datagrams, by destination.
    private final class Ledger: Sendable {
        private let sent = Mutex<[DatagramAddress: Int]>([:])
        private let bytes = Mutex(0)

        func watch(_ network: SimulatedDatagrams, _ also: (@Sendable (Datagram, DatagramAddress) -> Void)? = nil) {
            network.watch { datagram, address in
                if datagram.sender.host == Net.client.host {
                    self.sent.withLock { $0[address, default: 0] += 1 }
                    self.bytes.withLock { $0 += datagram.bytes.count }
                }
                also?(datagram, address)
            }
        }

        var destinations: [DatagramAddress: Int] { sent.withLock { $0 } }
        var total: Int { sent.withLock { $0.values.reduce(0, +) } }
        var size: Int { bytes.withLock { $0 } }
    }

    @Test(
        "However many nodes are named, a search asks a bounded number, each a few times at most, with small questions")
    func amplification() throws {
        let ledger = Ledger()
        let behaviours = (0..<30).map { $0 < 5 ? DHTNodeBehaviour.honest : .flooding }
        let search = try Net.play(behaviours, seed: 1) { [owner] net in
            ledger.watch(net.network)
            return try await net.resolver(seed: 1).resolve(owner.key)
        }
        let starts = 3
        #expect(search.asked <= 192)
        #expect(ledger.total <= 192 + 2 * starts)
        #expect(ledger.destinations.values.allSatisfy { $0 <= 4 })
        // A silent node is not asked again, except the first ones.
        #expect(ledger.destinations.values.filter { $0 > 1 }.count <= behaviours.count)
        #expect(ledger.destinations.keys.filter { $0.port != 6881 }.count <= 4 * behaviours.count)
        #expect(ledger.size <= ledger.total * 130)
    }

    @Test("No private address and none of this machine is contacted for nodes of the internet")
    func privateAddresses() throws {
        let ledger = Ledger()
        let item = try owner.item(1, "x")
        let places = [
            "10.0.0.1", "127.0.0.1", "0.0.0.0", "192.168.1.1", "172.16.9.9", "169.254.1.1", "100.64.0.1", "224.0.0.1",
            "255.255.255.255",
        ]
        // All nodes have internet addresses, and name others that have none, and port zero.
        try Net.play(Array(repeating: .honest, count: 30), seed: 2, at: DatagramAddress(8, 8, 1, 0, port: 6881)) {
            net in
            for (index, place) in places.enumerated() {
                let address = try #require(DatagramAddress("\(place):6881"))
                for node in net.swarm.nodes {
                    node.learn([
                        NodeContact(
                            id: NodeID(item.target.bytes.prefix(10) + Array(repeating: UInt8(index), count: 10))!,
                            address: address)
                    ])
                }
            }
            let zero = DatagramAddress(8, 8, 2, 2, port: 0)
            for node in net.swarm.nodes { node.learn([NodeContact(id: item.target, address: zero)]) }
            ledger.watch(net.network)
            let resolver = net.resolver(seed: 1) { $0.allowsPrivateAddresses = false }
            _ = try await resolver.publish(item)
            #expect(try await resolver.resolve(item.key).item == item)
        }
        #expect(ledger.destinations.keys.allSatisfy { $0.isPublic })
        #expect(ledger.destinations.count >= 20)
    }

    @Test("A public host counts once, however many ports and ids it is named with")
    func oneHost() throws {
        let ledger = Ledger()
        let victim = DatagramAddress(9, 9, 9, 9, port: 0)
        try Net.play(Array(repeating: .honest, count: 5), seed: 3, at: DatagramAddress(8, 8, 1, 0, port: 6881)) {
            [owner] net in
            let target = MutableItem.target(key: owner.key)
            for node in net.swarm.nodes {
                node.learn(
                    (1...15).map { number in
                        NodeContact(
                            id: NodeID(target.bytes.prefix(15) + NodeID(hashing: [UInt8(number)]).bytes.prefix(5))!,
                            address: DatagramAddress(host: victim.host, port: UInt16(number)))
                    })
            }
            ledger.watch(net.network)
            _ = try await net.resolver(seed: 1) { $0.allowsPrivateAddresses = false }.resolve(owner.key)
        }
        #expect(ledger.destinations.filter { $0.key.host == victim.host }.values.reduce(0, +) == 1)
    }

    @Test("Answers count only from the address that was asked and under its transaction, once")
    func forgedAnswers() throws {
        let item = try owner.item(5, "true")
        let forged = try owner.item(9, "made by somebody who is not where they say")
        for fault in 0..<3 {
            let search = try Net.play(Array(repeating: .honest, count: 8), seed: 4) { net in
                _ = try await net.resolver(seed: 1).publish(item)
                // An eavesdropper answers each question faster than its node: an item, even with a valid signature,
                // must not count if its sender was not asked.
                net.network.watch { datagram, address in
                    guard datagram.sender.host == Net.client.host, let message = KRPCMessage(datagram.bytes),
                        case .query(.get) = message.body
                    else { return }
                    let response = KRPCResponse(id: NodeID(hashing: [1]), token: [1], item: KRPCItem(forged))
                    let transaction = fault == 0 ? message.transaction.map { $0 ^ 1 } : message.transaction
                    let sender =
                        switch fault {
                        case 1: DatagramAddress(host: address.host ^ 1 << 8, port: address.port)
                        case 2: DatagramAddress(host: address.host, port: address.port ^ 1)
                        default: address
                        }
                    let answer = KRPCMessage(transaction: transaction, .response(response))
                    net.network.inject(Datagram(bytes: answer.encoded, sender: sender), to: datagram.sender)
                }
                return try await net.resolver(seed: 2).resolve(item.key)
            }
            #expect(search.item == item && search.answered == 8, "\(fault)")
        }
    }

    @Test("A flood of unrequested datagrams neither ends nor spoils a search")
    func flood() throws {
        let item = try owner.item(5, "true")
        let search = try Net.play(Array(repeating: .honest, count: 30), seed: 5) { net in
            _ = try await net.resolver(seed: 1).publish(item)
            let noise = SeededRandomSource(seed: 6)
            net.network.watch { datagram, address in
                guard datagram.sender.host == Net.client.host else { return }
                for _ in 0..<20 {
                    let bytes = (0..<40).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
                    net.network.inject(Datagram(bytes: bytes, sender: address), to: datagram.sender)
                }
            }
            return try await net.resolver(seed: 2).resolve(item.key)
        }
        #expect(search.item == item && search.isComplete)
    }

    @Test("Nodes that answer only after a search is over, or never, do not hold it longer than its time")
    func slow() throws {
        var faults = DatagramFaults()
        faults.delayed = 1
        faults.longestDelay = .seconds(600)
        try Net.play(Array(repeating: .honest, count: 50), seed: 7, faults: faults) { [owner] net in
            let before = net.world.elapsed
            _ = try? await net.resolver(seed: 1).resolve(owner.key)
            #expect(net.world.elapsed - before <= 21)
        }
    }

    @Test("A search that is cancelled ends at once and says so")
    func cancelled() throws {
        try Net.play(Array(repeating: .dead, count: 5), seed: 8, starts: [0]) { [owner] net in
            let outcome = await withTaskGroup(of: Result<DHTSearch, DHTError>?.self) { group in
                group.addTask {
                    do throws(DHTError) {
                        return .success(try await net.resolver(seed: 1).resolve(owner.key))
                    } catch { return .failure(error) }
                }
                group.addTask {
                    try? await net.world.clock.sleep(for: .milliseconds(300))
                    return nil
                }
                _ = await group.next()
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(outcome == .failure(.cancelled))
            #expect(net.world.elapsed < 1)
        }
    }

    @Test("First nodes that know no questions of BEP 44 are asked those of BEP 5")
    func olderStart() throws {
        let item = try owner.item(5, "true")
        let search = try Net.play(Array(repeating: .honest, count: 30), seed: 9) { net in
            _ = try await net.resolver(seed: 1).publish(item)
            let old = DatagramAddress(10, 7, 7, 7, port: 6881)
            let socket = try await net.network.machine(at: old).open(old)
            return try await withThrowingTaskGroup(of: DHTSearch?.self) { group in
                group.addTask {
                    while let datagram = try? await socket.receive() {
                        guard let message = KRPCMessage(datagram.bytes), case .query(let query) = message.body else {
                            continue
                        }
                        var body = KRPCMessage.Body.error(.unknownMethod)
                        if case .findNode = query {
                            let contacts = net.swarm.nodes.prefix(4).map(\.contact)
                            body = .response(KRPCResponse(id: NodeID(hashing: [3]), nodes: Array(contacts)))
                        }
                        let answer = KRPCMessage(transaction: message.transaction, body)
                        try? await socket.send(answer.encoded, to: datagram.sender)
                    }
                    return nil
                }
                group.addTask {
                    try await net.resolver(seed: 2) { $0.bootstrap = [.init(old)] }.resolve(item.key)
                }
                defer { group.cancelAll() }
                while let ended = try await group.next() { if let ended { return ended } }
                throw CancellationError()
            }
        }
        #expect(search.item == item)
    }
}
