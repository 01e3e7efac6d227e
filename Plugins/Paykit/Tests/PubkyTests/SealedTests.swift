import PaykitSandbox
import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

@testable import PaykitProvider

/// Blobs that the reference library sealed: `pubky-noise.json`.
@Suite("Sealed blobs")
struct SealedTests {
    private static let recipient = [UInt8](repeating: 0x55, count: 32).enumerated().map {
        $0.offset == 0 ? 0x50 : $0.element
    }
    private static let path = "/pub/paykit.app/v0/handoff/abc"

    private static func recorded(_ name: String) throws -> [String] {
        let json = try JSONValue(parsing: Array(try Vectors.data("pubky-noise")))
        return try #require(json[name]?.array).compactMap(\.string)
    }

    private static func place(_ index: Int) throws -> SealedBlob.Place {
        switch index {
        case 0...3: .text("paykit:v0:request:/p:1")
        case 4: .file(owner: try WireTests.pair(0x11).publicKey, path: path)
        default: .text("aad1")
        }
    }

    @Test("Blobs of the real library are opened, and written as it writes them")
    func blobs() throws {
        #expect(
            Hex.encode(try X25519.publicKey(of: Self.recipient))
                == "38ab664bd86f77d7e66bdd9ae0792913a94fd8b33a1260027e4b46c1f4884c67")
        let texts = try Self.recorded("blobs")
        #expect(texts.count == 6)
        for (index, text) in texts.enumerated() {
            let blob = try SealedBlob(parsing: Array(text.utf8))
            let content = try blob.open(Self.recipient, at: Self.place(index))
            #expect(String(decoding: content, as: UTF8.self) == (index < 4 ? #"{"hello":"world"}"# : #"{"x":1}"#))
            #expect(String(decoding: blob.wire, as: UTF8.self) == text)
            #expect(blob.isSigned(by: try WireTests.pair(0x11).publicKey) == (index == 5))
            #expect(!blob.isSigned(by: try WireTests.pair(0x22).publicKey))
            #expect(throws: WireDefect.self) { try blob.open(Self.recipient, at: .text("paykit:v0:request:/p:2")) }
            let other = [UInt8](repeating: 9, count: 32)
            #expect(throws: WireDefect.self) { try blob.open(other, at: Self.place(index)) }
        }
    }

    @Test("What is sealed here is opened again, at its place and with its key only", arguments: [1, 2])
    func ownBlobs(_ version: UInt64) throws {
        let version = try #require(SealedBlob.Version(rawValue: version))
        let pair = try WireTests.pair(0x11)
        let key = try X25519.publicKey(of: Self.recipient)
        let places: [SealedBlob.Place] = [.text("aad"), .file(owner: pair.publicKey, path: Self.path)]
        for (index, place) in places.enumerated() where version == .two || index == 0 {
            let blob = try SealedBlob(
                [1, 2, 3], for: key, at: place, purpose: "request", version,
                ephemeral: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 8, count: version.nonceLength),
                signer: (pair, "me"))
            let read = try SealedBlob(parsing: blob.wire)
            #expect(read == blob)
            #expect(try read.open(Self.recipient, at: place) == [1, 2, 3])
            #expect(read.isSigned(by: pair.publicKey))
            for (number, other) in places.enumerated() where number != index {
                #expect(throws: WireDefect.self) { try read.open(Self.recipient, at: other) }
            }
        }
        #expect(throws: WireDefect.self) {
            try SealedBlob(
                [UInt8](repeating: 0, count: 65_537), for: key, at: .text(""),
                ephemeral: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 8, count: 24))
        }
        #expect(throws: WireDefect.self) {
            try SealedBlob(
                [], for: [UInt8](repeating: 0, count: 32), at: .text(""),
                ephemeral: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 8, count: 24))
        }
    }

    @Test(
        "What is not sealed is not taken for it",
        arguments: [
            #"{"v":1}"#, #"{"epk":"a"}"#, #"{"v":0,"epk":"a"}"#, #"{"v":3,"epk":"a"}"#, #"{"v":99,"epk":"a"}"#,
            #"{"v":1,"epk":"a"}"#, #"{"v":"1","epk":"a"}"#, "not json", "", "null",
        ])
    func foreign(_ text: String) {
        #expect(throws: WireDefect.self) { try SealedBlob(parsing: Array(text.utf8)) }
    }

    @Test("Envelopes of the real library are opened, checked and written byte for byte")
    func envelopes() throws {
        let owner = try WireTests.pair(0x11).publicKey
        for (index, hex) in try Self.recorded("sb2").enumerated() {
            let envelope = try SealedEnvelope(parsing: WireTests.bytes(hex))
            #expect(try envelope.open(Self.recipient, owner: owner, path: Self.path) == Array(#"{"x":1}"#.utf8))
            #expect(envelope.isSigned(owner: owner, path: Self.path) == (index == 1))
            #expect(!envelope.isSigned(owner: owner, path: Self.path + "d"))
            let header = envelope.header
            #expect(header[4]?.text == "msg-1" && header[6]?.text == "request" && envelope.sender == owner)
            #expect(header[1]?.unsigned == 1_767_225_600 && header[2]?.unsigned == 1_767_229_200)
            #expect(Hex.encode(envelope.wire) == hex)
            #expect(throws: WireDefect.self) { try envelope.open(Self.recipient, owner: owner, path: "/other") }
            let bytes = try WireTests.bytes(hex)
            for place in bytes.indices {
                var changed = bytes
                changed[place] ^= 1
                let read = try? SealedEnvelope(parsing: changed)
                let isOpened = (try? read?.open(Self.recipient, owner: owner, path: Self.path)) != nil
                // Only the signature itself is not part of the sealed content.
                #expect(!isOpened || read?.isSigned(owner: owner, path: Self.path) != true, "\(place)")
            }
            for count in 0..<bytes.count {
                #expect((try? SealedEnvelope(parsing: Array(bytes.prefix(count)))) == nil || count > 220)
            }
        }
    }

    @Test("An envelope of our own is opened and known by its sender")
    func ownEnvelope() throws {
        let (sender, user) = (try WireTests.pair(0x11), try WireTests.pair(0x22).publicKey)
        let envelope = try SealedEnvelope(
            [9], .init(context: [UInt8](repeating: 3, count: 32), createdAt: 5, messageID: "m"), from: sender,
            to: (user, try X25519.publicKey(of: Self.recipient)), at: (sender.publicKey, Self.path),
            ephemeral: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 8, count: 24))
        let read = try SealedEnvelope(parsing: envelope.wire)
        #expect(read == envelope)
        #expect(try read.open(Self.recipient, owner: sender.publicKey, path: Self.path) == [9])
        #expect(read.isSigned(owner: sender.publicKey, path: Self.path))
    }

    @Test(
        "Headers are read in their shortest form only, with ascending keys and no surprises",
        arguments: [
            "a1001800", "a2010201 02", "a10102 00", "bf0102ff", "a101f6", "a1015bffffffffffffffff", "b1", "80",
            "a2020101 01",
        ])
    func headers(_ hex: String) throws {
        #expect(throws: WireDefect.self) { try CBORMap(parsing: WireTests.bytes(hex.replacing(" ", with: ""))) }
    }
}
