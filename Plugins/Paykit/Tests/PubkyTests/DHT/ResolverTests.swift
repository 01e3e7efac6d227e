import PaykitSandbox
import PaymentCore
import PaymentTesting
import Testing

@testable import PaykitProvider

/// Searches in simulated nets: the same seed gives the same history.
@Suite("Searching the DHT")
struct ResolverTests {
    private let owner = Owner(9)

    @Test("What is published is found by others, and the nearest twenty nodes hold it")
    func found() throws {
        let item = try owner.item(5, "hello")
        let (stored, holders, search) = try Net.play(Array(repeating: .honest, count: 50), seed: 1) { net in
            let report = try await net.resolver(seed: 1).publish(item)
            return (report.stored, net.swarm.holders(of: item), try await net.resolver(seed: 2).resolve(item.key))
        }
        #expect(stored == holders && (20...40).contains(stored))
        #expect(search.item == item && search.isComplete && search.lied == 0)
        #expect(search.answered >= 30)
    }

    @Test("A key that was not published is not found")
    func unknown() throws {
        let search = try Net.play(Array(repeating: .honest, count: 50), seed: 2) { [owner] net in
            try await net.resolver().resolve(owner.key)
        }
        #expect(search.item == nil && search.isComplete)
    }

    @Test("A packet is found where four tenths of the nodes are dead or lie in any way", arguments: 0..<12)
    func liars(_ seed: UInt64) throws {
        let all = [DHTNodeBehaviour.dead] + DHTNodeBehaviour.liars
        let item = try owner.item(7, "truth")
        let old = try owner.item(6, "old")
        let (report, holders, search) = try Net.play(Net.mixed(all, seed: seed), seed: seed) { net in
            // The old one is out there too, at every node that replays.
            _ = try await net.resolver(seed: seed).publish(old)
            let report = try await net.resolver(seed: seed + 1000).publish(item)
            return (report, net.swarm.holders(of: item), try await net.resolver(seed: seed + 2000).resolve(item.key))
        }
        #expect(holders >= 5, "\(report)")
        #expect(search.item == item)
    }

    @Test("So it is where all of them lie in the same way", arguments: [DHTNodeBehaviour.dead] + DHTNodeBehaviour.liars)
    func sameLiars(_ kind: DHTNodeBehaviour) throws {
        let item = try owner.item(7, "truth")
        let old = try owner.item(6, "old")
        for seed in 0..<2 as Range<UInt64> {
            let (holders, search) = try Net.play(Net.mixed([kind], seed: seed), seed: seed) { net in
                _ = try await net.resolver(seed: seed).publish(old)
                _ = try await net.resolver(seed: seed + 1000).publish(item)
                return (net.swarm.holders(of: item), try await net.resolver(seed: seed + 2000).resolve(item.key))
            }
            #expect(holders >= 5, "seed \(seed)")
            #expect(search.item == item, "seed \(seed): \(search)")
        }
    }

    @Test(
        "Twenty liars that are nearer to the key than everybody else do not hide it", arguments: DHTNodeBehaviour.liars)
    func eclipse(_ kind: DHTNodeBehaviour) throws {
        let item = try owner.item(7, "truth")
        let target = item.target
        for count in [50, 120] {
            let (holders, search) = try Net.play(
                (0..<count).map { $0 < 20 ? kind : .honest }, seed: 5,
                ids: { index in
                    index < 20 ? NodeID(target.bytes.prefix(4) + NodeID(hashing: [UInt8(index)]).bytes.prefix(16)) : nil
                }
            ) { net in
                _ = try await net.resolver(seed: 1).publish(try Owner(9).item(6, "old"))
                _ = try await net.resolver(seed: 2).publish(item)
                return (net.swarm.holders(of: item), try await net.resolver(seed: 3).resolve(item.key))
            }
            #expect(holders >= 4, "\(count) nodes")
            #expect(search.item == item, "\(count) nodes: \(search)")
        }
    }

    @Test(
        "One of the nodes that are asked first may be dishonest, and all of them may lose datagrams", arguments: 0..<8)
    func lyingStart(_ seed: UInt64) throws {
        let item = try owner.item(1, "x")
        let kind = DHTNodeBehaviour.liars[Int(seed) % DHTNodeBehaviour.liars.count]
        let behaviours = (0..<50).map { $0 < 20 ? kind : DHTNodeBehaviour.honest }
        let search = try Net.play(behaviours, seed: seed, starts: [0, 1, 30]) { net in
            _ = try await net.resolver(seed: 1).publish(item)
            return try await net.resolver(seed: 2).resolve(item.key)
        }
        #expect(search.item == item)
    }

    @Test("Loss, doubling, delay, damage and overtaking cost answers, not the item", arguments: 0..<6)
    func weather(_ seed: UInt64) throws {
        var faults = DatagramFaults()
        faults.lost = 0.2
        faults.doubled = 0.2
        faults.delayed = 0.1
        faults.damaged = 0.05
        faults.longestDelay = .seconds(3)
        let item = try owner.item(7, "truth")
        let all = [DHTNodeBehaviour.dead] + DHTNodeBehaviour.liars
        let search = try Net.play(Net.mixed(all, bad: 15, seed: seed), seed: seed, faults: faults) { net in
            _ = try await net.resolver(seed: 1).publish(item)
            return try await net.resolver(seed: 2).resolve(item.key)
        }
        #expect(search.item == item)
    }

    @Test("The same seed plays the same search")
    func deterministic() throws {
        func play() throws -> (DHTSearch, Int, Double) {
            var faults = DatagramFaults()
            faults.lost = 0.1
            return try Net.play(Net.mixed(DHTNodeBehaviour.liars, seed: 3), seed: 3, faults: faults) { [owner] net in
                _ = try await net.resolver(seed: 1).publish(owner.item(1, "x"))
                return (try await net.resolver(seed: 2).resolve(owner.key), net.network.sent, net.world.elapsed)
            }
        }
        let (first, second) = (try play(), try play())
        #expect(first.0 == second.0 && first.1 == second.1 && first.2 == second.2)
    }

    @Test("Only a newer packet is returned when that is requested")
    func conditional() throws {
        let item = try owner.item(5, "hello")
        try Net.play(Array(repeating: .honest, count: 30), seed: 4) { net in
            _ = try await net.resolver(seed: 1).publish(item)
            #expect(try await net.resolver(seed: 2).resolve(item.key, newerThan: 4).item == item)
            let same = try await net.resolver(seed: 3).resolve(item.key, newerThan: 5)
            #expect(same.item == nil && same.answered > 0 && same.isComplete)
            #expect(try await net.resolver(seed: 4).resolve(item.key, newerThan: .max).item == nil)
        }
    }

    @Test("Nodes that start again have lost the item; publishing it again brings it back")
    func restart() throws {
        let item = try owner.item(5, "hello")
        try Net.play(Array(repeating: .honest, count: 40), seed: 6) { net in
            let resolver = net.resolver(seed: 1)
            _ = try await resolver.publish(item)
            for index in 0..<20 { net.swarm.restart(index) }
            #expect(try await net.resolver(seed: 2).resolve(item.key).item == item)
            for index in 0..<40 { net.swarm.restart(index) }
            #expect(try await net.resolver(seed: 3).resolve(item.key).item == nil)
            _ = try await resolver.publish(item)
            #expect(try await net.resolver(seed: 4).resolve(item.key).item == item)
        }
    }

    @Test("A net of one node, and one smaller than twenty, are searched whole")
    func small() throws {
        let item = try owner.item(5, "hello")
        for count in [1, 2, 7, 19] {
            let (report, search) = try Net.play(Array(repeating: .honest, count: count), seed: 8) { net in
                (try await net.resolver(seed: 1).publish(item), try await net.resolver(seed: 2).resolve(item.key))
            }
            #expect(report.stored == count && search.item == item && search.answered == count)
        }
    }

    @Test("A large net is searched with a small part of its nodes")
    func large() throws {
        let item = try owner.item(5, "hello")
        let (search, stored) = try Net.play(Array(repeating: .honest, count: 600), seed: 9) { net in
            let report = try await net.resolver(seed: 1).publish(item)
            return (try await net.resolver(seed: 2).resolve(item.key), report.stored)
        }
        #expect(search.item == item && search.isComplete)
        #expect(search.asked < 90, "\(search)")
        #expect((18...30).contains(stored), "\(stored)")
    }
}
