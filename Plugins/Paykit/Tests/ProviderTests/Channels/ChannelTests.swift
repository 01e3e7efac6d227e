import PaykitSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// Channels over streams that split, break and change their bytes.
@Suite("Private channels", .timeLimit(.minutes(1)))
struct PrivateChannelTests {
    @Test("Both generations are understood, and who speaks is proven", arguments: [NoiseIdentity.Generation.a, .b])
    func generations(_ generation: NoiseIdentity.Generation) async throws {
        let world = try await PrivateWorld()
        try await world.open {
            let channel = try await PrivateChannel.open(
                to: world.endpoint, as: world.payer, generation, over: try await world.wire(),
                random: SeededRandomSource(seed: 9))
            #expect(channel.peer == world.endpoint.owner && channel.session.count == 32)
            #expect(try await channel.answersPing())
            try await channel.send(.requestReceipt(world.receipt()))
            guard case .confirmReceipt(let receipt)? = try await channel.receive()?.message else {
                Issue.record("no receipt")
                return
            }
            #expect(receipt.metadata["invoice"]?.string == TestPayee.invoice(1, over: world.receipt().amount))
        }
        #expect(world.shop.inquiries.map(\.payer) == [world.payer.owner.publicKey])
    }

    @Test("It is the same in which pieces a message comes", arguments: [1, 2, 7, 1000])
    func pieces(_ piece: Int) async throws {
        let world = try await PrivateWorld()
        world.streams.faults = StreamFaults(piece: piece)
        try await world.open {
            let channel = try await world.dialer.open(to: world.endpoint)
            #expect(try await channel.answersPing())
        }
    }

    @Test("Wherever a stream breaks, there is an error and no caller hangs")
    func breaks() async throws {
        // Both directions break there; a question has more than 1,100 bytes.
        for place in stride(from: 0, to: 1100, by: 37) {
            let world = try await PrivateWorld()
            world.streams.faults = StreamFaults(breaksAfter: place)
            let failure = try await world.open { await Self.failure(of: world) }
            #expect(failure != nil, "\(place)")
            #expect(
                [.transport, .connectionFailed].contains(failure?.code), "\(place): \(String(describing: failure))")
        }
    }

    @Test("Whichever bit is changed on its way, nothing of it is believed")
    func damages() async throws {
        for place in stride(from: 0, to: 1200, by: 41) {
            let world = try await PrivateWorld()
            world.streams.faults = StreamFaults(damagedByte: place)
            let answer = try await world.open { await Self.answer(of: world) }
            guard case .success(let metadata) = answer else { continue }
            // The direction back is shorter: a change behind its end changes nothing.
            #expect(metadata["invoice"]?.string == TestPayee.invoice(1, over: world.receipt().amount))
            #expect(world.shop.inquiries.allSatisfy { $0.metadata["note"]?.string == "coffee" })
        }
    }

    private static func answer(
        of world: PrivateWorld, within limit: Duration = .milliseconds(300)
    ) async -> Result<JSONValue, PaykitNetworkError> {
        // A changed length makes the other side wait for bytes that never arrive.
        let result = await SystemPaymentClock().limit(to: limit) {
            () async -> Result<JSONValue, PaykitNetworkError> in
            do throws(PaykitNetworkError) {
                let channel = try await world.dialer.open(to: world.endpoint)
                defer { channel.close() }
                try await channel.send(.requestReceipt(world.receipt()))
                guard case .confirmReceipt(let receipt)? = try await channel.receive()?.message else {
                    return .failure(PaykitNetworkError(.transport, "no receipt"))
                }
                return .success(receipt.metadata)
            } catch { return .failure(error) }
        }
        return result ?? .failure(PaykitNetworkError(.connectionTimeout, "time"))
    }

    private static func failure(of world: PrivateWorld) async -> PaykitNetworkError? {
        if case .failure(let failure) = await answer(of: world, within: .seconds(30)) { failure } else { nil }
    }

    @Test("A peer who says nothing is waited for no longer than said, and the connection closed")
    func silence() async throws {
        let world = try await PrivateWorld(clock: SystemPaymentClock())
        var timeout = PrivateChannel.Timeouts()
        timeout.handshake = .milliseconds(10)
        // No answer: the listener does not run.
        #expect(await code { _ = try await world.dialer(timeout).open(to: world.endpoint) } == .connectionTimeout)
        // Both generations were tried.
        #expect(world.streams.connections == 2)
    }

    @Test("One conversation at a time, and none after an error")
    func alone() async throws {
        let world = try await PrivateWorld()
        try await world.open {
            let channel = try await world.dialer.open(to: world.endpoint)
            // Nothing arrives: one of the two waits, and the other is refused.
            let failures = await withTaskGroup(of: PaykitNetworkError?.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do throws(PaykitNetworkError) { _ = try await channel.receive() } catch { return error }
                        return nil
                    }
                }
                let first = await group.next() ?? nil
                channel.close()
                return [first, await group.next() ?? nil]
            }
            #expect(failures[0]?.code == .validationFailed)
            #expect(failures[1]?.code == .transport)
            await #expect(throws: PaykitNetworkError.self) { try await channel.send(.ping) }
        }
    }

    @Test("A payee who is not on the internet is not contacted, unless that is allowed")
    func localAddresses() async throws {
        let world = try await PrivateWorld()
        let dialer = ChannelDialer(
            world.payer, over: world.streams, allowsLocal: false, clock: world.clock,
            random: SeededRandomSource(seed: 4))
        for host in ["127.0.0.1", "10.1.2.3", "192.168.1.1", "169.254.169.254", "localhost", "0.0.0.0"] {
            let endpoint = PaykitNoiseEndpoint(
                owner: world.endpoint.owner, host: host, port: world.endpoint.port, key: world.endpoint.key)
            #expect(await code { _ = try await dialer.open(to: endpoint) } == .connectionFailed)
        }
        #expect(world.streams.connections == 0)
    }

    @Test("No connection goes to the own key, to a placeholder, or to an invalid host")
    func nobody() async throws {
        let world = try await PrivateWorld()
        let owner = world.endpoint.owner
        for endpoint in [
            PaykitNoiseEndpoint(
                owner: world.payer.owner.publicKey, host: "127.0.0.1", port: 9, key: world.payee.publicKey),
            PaykitNoiseEndpoint(owner: owner, host: "pending", port: 0, key: world.payee.publicKey),
            PaykitNoiseEndpoint(owner: owner, host: "", port: 9, key: world.payee.publicKey),
            PaykitNoiseEndpoint(owner: owner, host: "a\nb", port: 9, key: world.payee.publicKey),
            PaykitNoiseEndpoint(
                owner: owner, host: String(repeating: "a", count: 254), port: 9, key: world.payee.publicKey),
        ] {
            await #expect(throws: PaykitNetworkError.self) { _ = try await world.dialer.open(to: endpoint) }
        }
        #expect(world.streams.connections == 0)
    }
}

@Suite("Frames of private channels")
struct NoiseFrameTests {
    @Test("Messages are read behind their lengths, in whatever pieces")
    func pieces() throws {
        let messages = [[UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 65_535)]
        for piece in [1, 3, 70_000] {
            var frames = NoiseFrames()
            var rest = messages.flatMap { NoiseFrames.wire($0) }[...]
            var read: [[UInt8]] = []
            while !rest.isEmpty {
                #expect(frames.wanted > 0)
                let some = rest.prefix(min(piece, frames.wanted))
                rest = rest.dropFirst(some.count)
                if let message = try frames.take(Array(some)) { read.append(message) }
            }
            #expect(read == messages && frames.isAtStart)
        }
    }

    @Test(
        "A length that no message has is refused before anything of it is read",
        arguments: [[0, 0, 0, 0], [0, 0, 0, 15], [0, 1, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func lengths(_ head: [UInt8]) {
        var frames = NoiseFrames()
        #expect(frames.wanted == 4)
        #expect(throws: NoiseError.length) { try frames.take(head) }
    }

    @Test("More than was wanted is not taken")
    func greed() {
        var frames = NoiseFrames()
        #expect(throws: NoiseError.length) { try frames.take([0, 0, 0, 16, 1]) }
    }
}

/// Recordings of the reference implementation's channels on the wire: `pubky-noise.json`.
@Suite("Recorded channels on the wire", .timeLimit(.minutes(1)))
struct ChannelTranscriptTests {
    /// Constant bytes: the ephemeral keys of the recordings.
    private struct Constant: RandomSource {
        let byte: UInt8

        func next() -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
    }

    private static func recorded(_ name: String) throws -> JSONValue {
        try #require(try JSONValue(parsing: Array(try Vectors.data("pubky-noise")))[name])
    }

    private static func bytes(_ json: JSONValue?) throws -> [UInt8] {
        try PubkySamples.bytes(try #require(json?.string))
    }

    private static func frame(_ json: JSONValue?) throws -> [UInt8] { NoiseFrames.wire(try bytes(json)) }

    private static func read(_ stream: any ByteStream, _ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try await stream.receive(atMost: count - bytes.count)
            try #require(!more.isEmpty)
            bytes += more
        }
        return bytes
    }

    @Test("As a payer we send what the real server took, and read what it answered", arguments: ["A", "B"])
    func payer(_ name: String) async throws {
        let world = try await PrivateWorld()
        let recorded = try Self.recorded(name)
        let first = try Self.frame(recorded["m1"])
        let asked = try Self.frame(recorded["c2s#0"])
        let ended = try Self.frame(recorded["c2s#1"])
        let answers = [try Self.frame(recorded["m2"]), try Self.frame(recorded["s2c#0"])]
        let socket = try await world.streams.listen(at: .loopback())
        let server = Task {
            let stream = try await socket.accept()
            #expect(try await Self.read(stream, first.count) == first)
            try await stream.send(answers[0])
            #expect(try await Self.read(stream, asked.count) == asked)
            try await stream.send(answers[1])
            #expect(try await Self.read(stream, ended.count) == ended)
        }
        let wire = ChannelWire(
            try await world.streams.connect(to: socket.localAddress), clock: world.clock, PrivateChannel.Timeouts())
        let channel = try await PrivateChannel.open(
            to: world.endpoint, as: world.payer, name == "A" ? .a : .b, over: wire, random: Constant(byte: 0x33))
        #expect(channel.session == (try Self.bytes(recorded["hash"])))
        try await channel.send(.requestReceipt(world.receipt { $0.id = "rcpt_test_1" }))
        guard case .confirmReceipt(let receipt)? = try await channel.receive()?.message else {
            Issue.record("no receipt")
            return
        }
        #expect(receipt.metadata["invoice"]?.string == "lnbc10u1example")
        try await channel.send(.acknowledgement)
        try await server.value
    }

    @Test("As a payee we know the real payer, and answer byte for byte")
    func payee() async throws {
        let world = try await PrivateWorld()
        let recorded = try Self.recorded("reverse")
        let (client, server) = try await world.pair()
        try await client.send(try Self.frame(recorded["m1"]))
        let channel = try await PrivateChannel.accept(
            as: world.payee, over: ChannelWire(server, clock: world.clock, PrivateChannel.Timeouts()),
            random: Constant(byte: 0x44), now: 1_767_225_600)
        #expect(channel.peer == world.payer.owner.publicKey)
        #expect(channel.session == (try Self.bytes(recorded["hash"])))
        let answer = try Self.frame(recorded["m2"])
        #expect(try await Self.read(client, answer.count) == answer)
        // The recorded payer's first text is not a message of Paykit: it ends the channel.
        try await client.send(try Self.frame(recorded["c2s#0"]))
        #expect(await code { _ = try await channel.receive() } == .invalidData)
        #expect(try await client.receive(atMost: 1) == [])
    }

    @Test("A handshake that was recorded and is sent again opens no channel that could be used")
    func replayed() async throws {
        let world = try await PrivateWorld()
        let recorded = try Self.recorded("A")
        let (client, server) = try await world.pair()
        try await client.send(try Self.frame(recorded["m1"]))
        try await client.send(try Self.frame(recorded["c2s#0"]))
        let channel = try await PrivateChannel.accept(
            as: world.payee, over: ChannelWire(server, clock: world.clock, PrivateChannel.Timeouts()),
            random: SeededRandomSource(seed: 5), now: 1_767_225_600)
        // Our key of this channel is new: no recorded message fits it.
        #expect(await code { _ = try await channel.receive() } == .invalidCredentials)
    }
}
