import PaymentCore
import PaymentCrypto
import Testing

@testable import PaykitProvider

/// Handshakes, files and numbers of private links (Protocol 12.2).
@Suite("Paykit's link files")
struct LinkFormTests {
    private static let list = #"{"version":1,"kind":"paykit.private_payment_list","payment_endpoints":{}}"#

    private static func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String { Hex.encode(Array(bytes)) }

    private static func digest(_ file: [UInt8]) -> String { Hex.encode(Digest.sha256.hash(file)) }

    private static func handshakes() throws -> (NoiseHandshake, NoiseHandshake) {
        let suite = PrivateLinkForm.suite
        return (
            try NoiseHandshake(suite, .initiator, prologue: [], ownStatic: bytes(1), ownEphemeral: bytes(3)),
            try NoiseHandshake(suite, .responder, prologue: [], ownStatic: bytes(2), ownEphemeral: bytes(4))
        )
    }

    private static func channels() throws -> (PrivateLinkChannel, PrivateLinkChannel) {
        var (first, second) = try handshakes()
        _ = try second.read(first.write([]))
        _ = try first.read(second.write([]))
        _ = try second.read(first.write([]))
        return (try PrivateLinkChannel(first), try PrivateLinkChannel(second))
    }

    @Test("The handshake's files are those of another implementation, byte for byte")
    func handshake() throws {
        var (first, second) = try Self.handshakes()
        #expect(first.suite.name == "Noise_XX_25519_ChaChaPoly_SHA256")
        let zero = try first.write([])
        #expect(Self.hex(zero) == "5dfedd3b6bd47f6fa28ee15d969d5bb0ea53774d488bdaf9df1c6e0124b3ef22")
        let file = try PrivateLinkForm.file(of: zero)
        #expect(file.count == 1018)
        #expect(Self.digest(file) == "1211b818a1842d36909dcdb59babf77c441bb4c9fd151afcc39ca78b13150599")
        #expect(try second.read(PrivateLinkForm.message(in: file)).isEmpty)
        let one = try second.write([])
        #expect(
            Self.hex(one)
                == "ac01b2209e86354fb853237b5de0f4fab13c7fcbf433a61c019369617fecf10b85e987f334561c4942a61ab2cce4d2176528515ce90a44cc982d339ea8098552e889da6d59059d9a6820065c3f28b3497080949a373e7d4d0e5896b064d53160"
        )
        #expect(try first.read(one).isEmpty)
        let two = try first.write([])
        #expect(
            Self.hex(two)
                == "c3e615be84281bf0e2732370ffa2becd8110548e0d540bb01de64834d81268f365a256ee58640493765d0a5f1fd343e18a901716650f0bb3828f59a0ea459736"
        )
        #expect(try second.read(two).isEmpty)
        #expect(Self.hex(first.hash) == "c0a9ee384767ed093d685962fe244d5a507e12abf79f2bae8cc84606078ea433")
        #expect(first.hash == second.hash)
        #expect(first.remoteStatic == (try X25519.publicKey(of: Self.bytes(2))))
        #expect([zero, one, two].map(\.count) == [32, 96, 64])
    }

    @Test("Messages are those of another implementation, byte for byte")
    func messages() throws {
        var (first, second) = try Self.channels()
        #expect(Self.hex(first.id) == "c0a9ee384767ed093d685962fe244d5a507e12abf79f2bae8cc84606078ea433")
        let sent = try first.prepare(Array(Self.list.utf8))
        #expect(sent.slot == 3 && sent.file.count == 1018)
        #expect(Self.digest(sent.file) == "f70dc84d2fb4e3e8972c4b93843aa573ec47d8dc5832b67c12418418c95e1a31")
        #expect(
            Self.hex(try PrivateLinkForm.message(in: sent.file))
                == "54a6bc1327ecff1af5835922323d20883de300d816141d6d0747256e420f557cee00200b44df4f55d231b1072e1c5a4b7cbe3d437db31b99165c39e0c9b431a12d43d1a6b924691f291f1ff2116424261516e655a6da4eba6b"
        )
        let answer = try second.prepare(Array(Self.list.utf8))
        #expect(
            Self.hex(try PrivateLinkForm.message(in: answer.file))
                == "dec243184212dddf4ff1235f5def071a7487100af82af4c1f40d35892d2c45d83b8acc30ae1602ee005dcb95e9dbbd3340cfc5c8344daf02af1bbd853b97fa9e4b632b5a640a20fc64bb62c09afd1f2545e1240900c8ab830d"
        )
        let next = try first.prepare(Array("second".utf8))
        #expect(next.slot == 4)
        #expect(
            Self.hex(try PrivateLinkForm.message(in: next.file)) == "5ba7d428576c62b0c32731c4221cc06154f18e80ada1")
        #expect(try second.read(sent.file) == Array(Self.list.utf8))
        #expect(try second.read(next.file) == Array("second".utf8))
        #expect(try first.read(answer.file) == Array(Self.list.utf8))
        #expect(second.place.readSlot == 5 && second.place.writeSlot == 4)
    }

    @Test("A peer that speaks the third form is distinguished from one that is silent")
    func thirdForm() throws {
        // The recorded answer of such a peer.
        let slot = try #require(
            Hex.decode(
                "ac01b2209e86354fb853237b5de0f4fab13c7fcbf433a61c019369617fecf10bf8262fcb72e92b7733c23e0644daf379724fe2834474192a724b6daedd7334d6a2106dc5a4a2b9a7f65ffd7dcfcd5a1f3c89ce23a9d763cb61e7c87402f4ab13"
            ))
        var (first, _) = try Self.handshakes()
        _ = try first.write([])
        #expect(throws: NoiseError.untrusted) { try first.read(slot) }
        #expect(PrivateLinkForm.laterForm.contains("update"))
    }

    @Test("A message has at most 1,000 bytes")
    func lengths() throws {
        for count in [0, 1, 999, 1000] {
            var (first, second) = try Self.channels()
            let message = [UInt8](repeating: 65, count: count)
            let prepared = try first.prepare(message)
            #expect(prepared.file.count == PrivateLinkForm.fileLength)
            #expect(try second.read(prepared.file) == message)
        }
        var (first, _) = try Self.channels()
        #expect(throws: NoiseError.length) { try first.prepare([UInt8](repeating: 65, count: 1001)) }
        // A refused message uses no number: the next message is the first.
        #expect(try first.prepare([65]).slot == 3)
    }

    @Test("A file that was changed, moved, repeated or cut is not read, and the right one still is")
    func attacks() throws {
        var (first, second) = try Self.channels()
        let files = try (0..<3).map { try first.prepare([UInt8($0) + 65]).file }
        for bad in [files[1], Array(files[0].prefix(12)), [], [0], [0xFF, 0xFF], files[0] + [0]] {
            let before = [second.place.readSlot, second.place.writeSlot]
            #expect(throws: NoiseError.self) { try second.read(bad) }
            #expect([second.place.readSlot, second.place.writeSlot] == before)
        }
        for index in stride(from: 0, to: 30, by: 1) {
            var changed = files[0]
            changed[index] ^= 1
            #expect(throws: NoiseError.self, "\(index)") { try second.read(changed) }
        }
        // Nothing behind the message is signed; it has to be empty.
        var appended = files[0]
        appended[1017] ^= 1
        #expect(throws: NoiseError.self) { try second.read(appended) }
        #expect(try second.read(files[0]) == [65])
        #expect(throws: NoiseError.self) { try second.read(files[0]) }
        #expect(try second.read(files[1]) == [66])
        #expect(try second.read(files[2]) == [67])
    }

    @Test("One's own files are not taken for the other side's")
    func reflection() throws {
        var (first, _) = try Self.channels()
        let own = try first.prepare([65])
        #expect(throws: NoiseError.untrusted) { try first.read(own.file) }
    }
}
