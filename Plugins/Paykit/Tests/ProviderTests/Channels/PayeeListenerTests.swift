import Foundation
import PaykitSandbox
import PaymentCore
import Testing

@testable import PaykitProvider

@Suite("Keys that may connect to a payee")
struct ListenerGateTests {
    private static func address(_ last: UInt8, _ third: UInt8 = 1) -> StreamAddress {
        StreamAddress(192, 0, third, last, port: 9)
    }

    @Test("So many at once, from one address and from one network, and again when one has gone")
    func connections() {
        var limits = ListenerGate.Limits()
        (limits.connections, limits.perAddress, limits.perNetwork, limits.attempts) = (4, 2, 3, 100)
        var gate = ListenerGate(limits)
        func enter(_ last: UInt8, _ third: UInt8 = 1) -> Bool { gate.enter(Self.address(last, third), at: .zero) }
        #expect(enter(1) && enter(1))
        #expect(!enter(1))
        #expect(enter(2))
        #expect(!enter(3))
        #expect(enter(3, 2))
        #expect(!enter(3, 3))
        #expect(gate.connections == 4)
        gate.leave(Self.address(1))
        #expect(enter(3))
        for address in [Self.address(1), Self.address(2), Self.address(3), Self.address(3, 2)] { gate.leave(address) }
        #expect(gate.connections == 0)
    }

    @Test("Over IPv6 a subscriber's whole network counts as one address")
    func networks() {
        var limits = ListenerGate.Limits()
        (limits.perAddress, limits.perNetwork, limits.attempts) = (2, 3, 100)
        var gate = ListenerGate(limits)
        func enter(_ text: String) -> Bool {
            StreamAddress("[\(text)]:9").map { gate.enter($0, at: .zero) } ?? false
        }
        #expect(enter("2a00:1:2:3::1") && enter("2a00:1:2:3:ffff::2"))
        #expect(!enter("2a00:1:2:3:1::3"))
        #expect(enter("2a00:1:2:4::1"))
        #expect(!enter("2a00:1:2:5::1"))
        #expect(enter("2a00:1:3::1"))
        // An IPv4 address in another spelling is the same one.
        func enterV4() -> Bool { gate.enter(Self.address(1), at: .zero) }
        #expect(enter("::ffff:192.0.1.1") && enterV4())
        #expect(!enterV4())
    }

    @Test("So many attempts in a while, refused ones among them, and again after it")
    func attempts() {
        var limits = ListenerGate.Limits()
        limits.attempts = 2
        var gate = ListenerGate(limits)
        func attempt(_ last: UInt8, _ seconds: Int) -> Bool {
            let isIn = gate.enter(Self.address(last), at: .seconds(seconds))
            if isIn { gate.leave(Self.address(last)) }
            return isIn
        }
        #expect(attempt(1, 0) && attempt(1, 1) && !attempt(1, 2) && attempt(2, 3))
        #expect(!attempt(1, 59))
        #expect(attempt(1, 60) && attempt(1, 60) && !attempt(1, 60))
    }

    @Test("So many attempts of all addresses together, and again after a while")
    func attemptsOfAll() {
        var limits = ListenerGate.Limits()
        limits.attemptsOfAll = 3
        var gate = ListenerGate(limits)
        func attempt(_ last: UInt8, _ seconds: Int) -> Bool { gate.enter(Self.address(last), at: .seconds(seconds)) }
        #expect(attempt(1, 0) && attempt(2, 0) && attempt(3, 0) && !attempt(4, 59))
        #expect(attempt(5, 60) && attempt(6, 60) && attempt(7, 60) && !attempt(8, 60))
    }

    @Test("Many addresses fill no memory, and all together have a limit, too")
    func floods() {
        var limits = ListenerGate.Limits()
        (limits.remembered, limits.attemptsOfAll) = (50, 80)
        var gate = ListenerGate(limits)
        var entered = 0
        for number in 0..<200 {
            let address = StreamAddress(10, 0, UInt8(number), 1, port: 1)
            if gate.enter(address, at: .zero) {
                entered += 1
                gate.leave(address)
            }
        }
        #expect(entered == 50)
        // They expire, and others may come.
        let isIn = gate.enter(Self.address(1), at: .seconds(61))
        #expect(isIn)
    }
}

@Suite("A payee who listens", .timeLimit(.minutes(1)))
struct PayeeListenerTests {
    @Test("A peer that sends nothing, too much, or nonsense loses its own connection, and the next one is served")
    func strangers() async throws {
        var limits = PayeeListener.Limits()
        limits.timeout.handshake = .milliseconds(500)
        limits.gate.attempts = 1000
        let world = try await PrivateWorld(clock: SystemPaymentClock(), limits)
        try await world.open {
            for bytes in [
                [], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1, 7], [0, 0, 0, 20] + [UInt8](repeating: 7, count: 20),
                [0, 0, 2, 0] + [UInt8](repeating: 9, count: 512), Array("GET / HTTP/1.1\r\n\r\n".utf8),
            ] as [[UInt8]] {
                let stream = try await world.streams.connect(to: .loopback(port: world.endpoint.port))
                try await stream.send(bytes)
                // Closed without an answer.
                #expect(try await stream.receive(atMost: 100) == [])
            }
            let channel = try await world.dialer.open(to: world.endpoint)
            #expect(try await channel.answersPing())
        }
    }

    @Test("A connection has so many messages and no more")
    func messages() async throws {
        var limits = PayeeListener.Limits()
        limits.messages = 3
        let world = try await PrivateWorld(clock: PatientClock(), limits)
        try await world.open {
            let channel = try await world.dialer.open(to: world.endpoint)
            for _ in 0..<3 { #expect(try await channel.answersPing()) }
            #expect(try await channel.receive() == nil)
        }
    }

    @Test("Beyond the limit connections are closed at once, and places become free again")
    func places() async throws {
        var limits = PayeeListener.Limits()
        limits.gate.perAddress = 2
        limits.gate.attempts = 1000
        let world = try await PrivateWorld(clock: PatientClock(), limits)
        try await world.open {
            let first = try await world.dialer.open(to: world.endpoint)
            let second = try await world.dialer.open(to: world.endpoint)
            let third = try await world.streams.connect(to: .loopback(port: world.endpoint.port))
            #expect(try await third.receive(atMost: 1) == [])
            #expect(world.listener.connections == 2)
            first.close()
            while world.listener.connections > 1 { await Task.yield() }
            let fourth = try await world.dialer.open(to: world.endpoint)
            #expect(try await fourth.answersPing())
            second.close()
        }
    }

    @Test("A closed listener lets go of everybody")
    func closing() async throws {
        let world = try await PrivateWorld()
        let listening = Task { await world.listener.run() }
        let channel = try await world.dialer.open(to: world.endpoint)
        world.listener.close()
        await listening.value
        #expect(world.listener.connections == 0)
        #expect(try await channel.receive() == nil)
    }

    @Test("Offers arrive, with their sender, and are taken")
    func offers() async throws {
        let world = try await PrivateWorld()
        try await world.open {
            let channel = try await world.dialer.open(to: world.endpoint)
            let taken = try await channel.offer([
                .init(PaykitEndpoint(methodID: "lightning", endpoint: "lnbc9"), expiresAt: 2_000_000_000),
                .init(PaykitEndpoint(methodID: "onchain", endpoint: "bc1q")),
            ])
            #expect(taken == ["lightning", "onchain"])
        }
        #expect(world.offers.all.map(\.endpoint.endpoint) == ["lnbc9", "bc1q"])
        #expect(world.offers.all.first?.expiresAt?.timeIntervalSince1970 == 2_000_000_000)
    }
}

@Suite("Offers that are kept")
struct PrivateOfferTests {
    @Test("Strangers fill no memory, and no stranger's offer passes for a peer's")
    func bounds() throws {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        var offers = ChannelOffers()
        func user(_ number: Int) throws -> PubkyKey {
            try PubkyKeyPair(seed: [UInt8](repeating: 0, count: 30) + UInt16(number).bigEndianBytes).publicKey
        }
        let offer = PaykitChannelOffer(
            PaykitEndpoint(methodID: "lightning", endpoint: "lnbc1"), expiresAt: now.addingTimeInterval(60))
        func add(_ number: Int, _ offer: PaykitChannelOffer, after seconds: Double = 0) throws -> Bool {
            offers.add(offer, of: try user(number), at: now.addingTimeInterval(seconds))
        }
        func count(_ number: Int, after seconds: Double = 0) throws -> Int {
            offers.current(of: try user(number), at: now.addingTimeInterval(seconds)).count
        }
        for number in 0..<ChannelOffers.mostUsers { #expect(try add(number, offer)) }
        let late = ChannelOffers.mostUsers
        #expect(try !add(late, offer))
        #expect(try count(late) == 0)
        #expect(try count(0) == 1)
        #expect(try add(0, offer))
        #expect(try !add(0, offer, after: 61))
        // Room again, once the others have expired.
        #expect(try add(late, PaykitChannelOffer(offer.endpoint), after: 61))
        #expect(try count(late, after: 61) == 1)
    }
}
