import PaykitSandbox
import PaymentCore
import PaymentTesting
import Testing

@testable import PaykitProvider

/// The failures of storing an item.
@Suite("Publishing in the DHT")
struct PublishingTests {
    private let honest = [DHTNodeBehaviour](repeating: .honest, count: 30)

    @Test("A newer item that is out there is not overwritten, and is shown")
    func outdated() throws {
        let newer = try Owner(3).item(8, "newer")
        let older = try Owner(3).item(7, "older")
        let tie = try Owner(3).item(8, "a smaller value")
        try Net.play(honest, seed: 1) { net in
            _ = try await net.resolver(seed: 1).publish(newer)
            let held = net.swarm.holders(of: newer)
            for item in [older, tie] {
                await #expect(throws: DHTError.outdated(by: newer)) { try await net.resolver(seed: 2).publish(item) }
            }
            #expect(net.swarm.holders(of: newer) == held)
            // The same item again is no conflict: repetition keeps items alive.
            #expect(try await net.resolver(seed: 3).publish(newer).stored >= 20)
        }
    }

    @Test("What is to be replaced has to be there with its number")
    func replacing() throws {
        let first = try Owner(3).item(1, "first")
        let second = try Owner(3).item(2, "second")
        let third = try Owner(3).item(3, "third")
        try Net.play(honest, seed: 2) { net in
            _ = try await net.resolver(seed: 1).publish(first)
            await #expect(throws: DHTError.mismatch(first)) {
                try await net.resolver(seed: 2).publish(third, replacing: 2)
            }
            #expect(try await net.resolver(seed: 3).publish(second, replacing: 1).stored >= 20)
            #expect(try await net.resolver(seed: 4).resolve(first.key).item == second)
        }
    }

    @Test("False claims of something newer stop no search, and are reported")
    func denied() throws {
        let item = try Owner(3).item(1, "x")
        try Net.play(Net.mixed([.denying], seed: 3), seed: 3) { net in
            let report = try await net.resolver(seed: 1).publish(item)
            #expect(report.stored >= 10 && report.outdated > 0)
            #expect(report.stored == net.swarm.holders(of: item))
        }
        try Net.play([.denying, .denying, .denying], seed: 3, starts: [0]) { net in
            _ = await #expect {
                _ = try await net.resolver(seed: 1).publish(item)
            } throws: { error in
                guard case DHTError.notStored(let report) = error else { return false }
                return report.outdated == 3 && report.stored == 0
            }
        }
    }

    @Test("Tokens that a node has forgotten meanwhile are refused, with an error")
    func forgottenTokens() throws {
        let item = try Owner(3).item(1, "x")
        try Net.play([.honest, .honest], seed: 4) { net in
            net.network.watch { datagram, _ in
                guard case .query(.put)? = KRPCMessage(datagram.bytes)?.body else { return }
                for index in 0..<2 { net.swarm.restart(index) }
            }
            var report = DHTPublication()
            report.refused = 2
            await #expect(throws: DHTError.notStored(report)) { try await net.resolver(seed: 1).publish(item) }
        }
    }

    @Test("Where no server answers that is said, with what to do, and in bounded time")
    func silence() throws {
        try Net.play(Array(repeating: .dead, count: 5), seed: 5, starts: [0, 1]) { net in
            await #expect(throws: DHTError.noAnswer(asked: 2)) { try await net.resolver(seed: 1).resolve(Owner(1).key) }
            #expect(net.world.elapsed < 10)
            #expect("\(DHTError.noAnswer(asked: 2))".contains("relay"))
            #expect("\(DHTError.noAnswer(asked: 0))".contains("give the addresses"))
        }
    }

    @Test("A first node with an unknown name is passed over while another is known")
    func names() throws {
        let item = try Owner(3).item(1, "x")
        try Net.play(honest, seed: 6) { net in
            let some = net.resolver(seed: 1) {
                $0.bootstrap = [.init(host: "nobody.example", port: 1)] + $0.bootstrap
            }
            let report = try await some.publish(item)
            #expect(report.stored >= 20)
            let none = net.resolver(seed: 2) { $0.bootstrap = [.init(host: "nobody.example", port: 1)] }
            await #expect(throws: DHTError.network(.hostNotFound("nobody.example"))) {
                try await none.resolve(item.key)
            }
            let empty = net.resolver(seed: 3) { $0.bootstrap = [] }
            await #expect(throws: DHTError.noAnswer(asked: 0)) { try await empty.resolve(item.key) }
        }
    }
}
