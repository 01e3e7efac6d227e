import PaymentCore
import TestSupport
import Testing

@testable import PaykitProvider

/// Against published vectors: `noise.json` names their sources.
@Suite("Noise channels")
struct NoiseTests {
    private static func rows(_ list: String) throws -> [JSONValue] {
        try #require(try JSONValue(parsing: Array(try Vectors.data("noise")))[list]?.array)
    }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? { json?.string.flatMap(Hex.decode) }

    private static func suite(_ input: JSONValue) throws -> NoiseSuite {
        let name = try #require(input["protocol_name"]?.string)
        let suites = NoisePattern.allCases.flatMap { pattern in NoiseHash.allCases.map { NoiseSuite(pattern, $0) } }
        return try #require(suites.first { $0.name == name }, "\(name)")
    }

    private static func pair(_ input: JSONValue) throws -> (NoiseHandshake, NoiseHandshake) {
        let suite = try suite(input)
        let prologue = bytes(input["init_prologue"]) ?? []
        return (
            try NoiseHandshake(
                suite, .initiator, prologue: prologue, ownStatic: bytes(input["init_static"]),
                ownEphemeral: #require(bytes(input["init_ephemeral"])), remoteStatic: bytes(input["init_remote_static"])
            ),
            try NoiseHandshake(
                suite, .responder, prologue: bytes(input["resp_prologue"]) ?? prologue,
                ownStatic: bytes(input["resp_static"]), ownEphemeral: #require(bytes(input["resp_ephemeral"])))
        )
    }

    @Test("Every published handshake and message is written and read as others do")
    func vectors() throws {
        for row in try Self.rows("valid") {
            let input = try #require(row["input"])
            var (initiator, responder) = try Self.pair(input)
            var channels: (NoiseChannel, NoiseChannel)?
            for (index, message) in try #require(row["expect"]?["messages"]?.array).enumerated() {
                let payload = try #require(Self.bytes(message["payload"]))
                let expected = try #require(Self.bytes(message["ciphertext"]))
                let isInitiators = index.isMultiple(of: 2)
                if var (left, right) = channels {
                    let sealed = isInitiators ? try left.sending.seal(payload) : try right.sending.seal(payload)
                    #expect(sealed == expected)
                    let opened = isInitiators ? try right.receiving.open(sealed) : try left.receiving.open(sealed)
                    #expect(opened == payload)
                    channels = (left, right)
                    continue
                }
                let sealed = isInitiators ? try initiator.write(payload) : try responder.write(payload)
                #expect(sealed == expected)
                #expect(try (isInitiators ? responder.read(sealed) : initiator.read(sealed)) == payload)
                guard initiator.isFinished else { continue }
                #expect(initiator.hash == responder.hash)
                if let hash = Self.bytes(row["expect"]?["handshakeHash"]) { #expect(initiator.hash == hash) }
                channels = (try initiator.channel(), try responder.channel())
            }
            #expect(channels != nil)
        }
    }

    @Test("Whatever is changed in a handshake, it fails, and cannot be resumed")
    func tampering() throws {
        for row in try Self.rows("valid") {
            let input = try #require(row["input"])
            let messages = try #require(row["expect"]?["messages"]?.array).compactMap { Self.bytes($0["ciphertext"]) }
            let isPlain =
                input["protocol_name"]?.string?.contains("_NN_") == true
                || input["protocol_name"]?.string?.contains("_XX_") == true
            // A first message without any key is not protected: then the second one fails.
            for index in messages[0].indices where !(isPlain && index >= 32) {
                var (initiator, responder) = try Self.pair(input)
                _ = try initiator.write(Self.bytes(row["expect"]?["messages"]?[0]?["payload"]) ?? [])
                var changed = messages[0]
                changed[index] ^= 1
                do throws(NoiseError) {
                    _ = try responder.read(changed)
                    let second = try responder.write([])
                    _ = try initiator.read(second)
                    Issue.record("taken, changed at \(index)")
                } catch {
                    #expect([.untrusted, .key].contains(error))
                }
                if responder.isFinished { continue }
                #expect(throws: NoiseError.self) { try responder.channel() }
            }
            var (_, responder) = try Self.pair(input)
            let needed = input["protocol_name"]?.string?.contains("_IK_") == true ? 96 : 32
            for count in 0..<needed {
                var copy = responder
                #expect(throws: NoiseError.self) { try copy.read(Array(messages[0].prefix(count))) }
                #expect(throws: NoiseError.order) { try copy.read(messages[0]) }
            }
            #expect(throws: NoiseError.length) { try responder.read([UInt8](repeating: 0, count: 65_536)) }
        }
    }

    @Test("Where the two sides have agreed on something else before, there is no channel")
    func prologues() throws {
        let tampered = try Self.rows("invalid").compactMap { $0["input"] }
        #expect(tampered.compactMap { $0["tamper"]?.string }.count == 2)
        for input in try Self.rows("valid").compactMap({ $0["input"] }) + tampered {
            var (initiator, _) = try Self.pair(input)
            var responder = try NoiseHandshake(
                Self.suite(input), .responder, prologue: (Self.bytes(input["init_prologue"]) ?? []) + [0],
                ownStatic: Self.bytes(input["resp_static"]),
                ownEphemeral: #require(Self.bytes(input["resp_ephemeral"])))
            #expect(throws: NoiseError.untrusted) {
                _ = try responder.read(initiator.write([1]))
                _ = try initiator.read(responder.write([]))
            }
        }
    }

    private static func channels() throws -> (NoiseChannel, NoiseChannel) {
        let (ours, theirs) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        var initiator = try NoiseHandshake(
            NoiseSuite(.nn), .initiator, prologue: [], ownStatic: nil, ownEphemeral: ours)
        var responder = try NoiseHandshake(
            NoiseSuite(.nn), .responder, prologue: [], ownStatic: nil, ownEphemeral: theirs)
        #expect(throws: NoiseError.order) { try responder.write([]) }
        #expect(throws: NoiseError.order) { try initiator.channel() }
        _ = try responder.read(initiator.write([]))
        #expect(throws: NoiseError.order) { try initiator.write([]) }
        _ = try initiator.read(responder.write([]))
        #expect(throws: NoiseError.order) { try initiator.write([]) }
        return (try initiator.channel(), try responder.channel())
    }

    @Test("Replayed, reordered and foreign messages are refused, and the next in order still comes through")
    func order() throws {
        var (left, right) = try Self.channels()
        let messages = [try left.sending.seal([1]), try left.sending.seal([2]), try left.sending.seal([3])]
        #expect(try right.receiving.open(messages[0]) == [1])
        for bad in [messages[0], messages[2], [], [UInt8](repeating: 0, count: 17)] {
            #expect(throws: NoiseError.untrusted) { try right.receiving.open(bad) }
        }
        #expect(try right.receiving.open(messages[1]) == [2])
        // A side does not accept its own message as the other's.
        #expect(throws: NoiseError.untrusted) { try left.receiving.open(messages[0]) }
        #expect(left.binding == right.binding)
    }

    @Test("Messages have a length")
    func limits() throws {
        var (left, right) = try Self.channels()
        let longest = [UInt8](repeating: 7, count: NoiseCipher.maximumPlaintext)
        let sealed = try left.sending.seal(longest)
        #expect(sealed.count == 65_535)
        #expect(try right.receiving.open(sealed) == longest)
        #expect(throws: NoiseError.length) { try left.sending.seal(longest + [7]) }
        #expect(throws: NoiseError.length) { try right.receiving.open(sealed + [0]) }
    }

    @Test("A key that was used as often as it may is used no more")
    func exhaustion() throws {
        var cipher = NoiseCipher(key: [UInt8](repeating: 1, count: 32), count: .max - 1)
        _ = try cipher.seal([1])
        #expect(throws: NoiseError.exhausted) { try cipher.seal([1]) }
        #expect(throws: NoiseError.exhausted) { try cipher.open([UInt8](repeating: 0, count: 20)) }
    }

    @Test("Neither a handshake nor a channel shows its keys")
    func secrecy() throws {
        let key = [UInt8](repeating: 77, count: 32)
        let handshake = try NoiseHandshake(
            NoiseSuite(.xx), .initiator, prologue: [], ownStatic: key, ownEphemeral: key)
        let cipher = NoiseCipher(key: key, count: 5)
        let channel = NoiseChannel(sending: cipher, receiving: cipher, binding: [1])
        for value in [handshake, cipher, channel] as [Any] {
            var shown = "\(value) \(String(reflecting: value))"
            dump(value, to: &shown)
            #expect(!shown.contains("77"), "\(shown)")
        }
    }

    @Test("Keys that are missing, superfluous or of small order make no channel")
    func keys() throws {
        let key = [UInt8](repeating: 3, count: 32)
        for (suite, own, remote) in [
            (NoiseSuite(.ik), nil, key), (NoiseSuite(.ik), key, nil), (NoiseSuite(.nn), key, nil),
            (NoiseSuite(.xx), nil, nil), (NoiseSuite(.xx), [1], nil), (NoiseSuite(.ik), key, [1]),
        ] as [(NoiseSuite, [UInt8]?, [UInt8]?)] {
            #expect(throws: NoiseError.key) {
                try NoiseHandshake(
                    suite, .initiator, prologue: [], ownStatic: own, ownEphemeral: key, remoteStatic: remote)
            }
        }
        var handshake = try NoiseHandshake(
            NoiseSuite(.ik), .initiator, prologue: [], ownStatic: key, ownEphemeral: key,
            remoteStatic: [UInt8](repeating: 0, count: 32))
        #expect(throws: NoiseError.key) { try handshake.write([]) }
    }
}
