import Foundation
import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// A key manager's sealed file for a device (Protocol 1.6).
@Suite("Handoffs to a device")
struct DeviceHandoffTests: NetworkSuite {
    let network = TestNetwork()

    private func client(isKeyManager: Bool = false, seed: UInt64 = 2) async throws -> PaykitClient {
        try await sandbox.client(isKeyManager ? 0x11 : nil, clock: clock, seed: seed) { $0.consent = { _ in } }
    }

    private static func keys() throws -> [KeyManagerHandoff.KeyPair] {
        try [0, 1].map { epoch in
            try KeyManagerHandoff.KeyPair(
                epoch: epoch, secretKey: Redacted([UInt8](repeating: 0x77 + UInt8(epoch), count: 32)))
        }
    }

    private func files() async throws -> [String] {
        await sandbox.paths(of: try PubkyKey(Self.me)).filter { $0.contains("handoff") }
    }

    @Test("Session and keys reach the device that asked, and nothing is left behind")
    func taken() async throws {
        let (ring, app) = (try await client(isKeyManager: true), try await client(seed: 3))
        let question = try app.askForHandoff(deviceID: "phone", callback: "bitkit://paykit-setup")
        let asked = try KeyManagerLink(PaymentLink(question.link.text))
        let seed = Redacted([UInt8](repeating: 9, count: 32))
        let link = try await ring.handOff(asked, keyPairs: Self.keys(), noiseSeed: seed)
        #expect(try await files().count == 1)
        let answer = try KeyManagerAnswer(PaymentLink(link.reveal()), to: question.link)
        #expect(
            await code {
                let other = try PubkySamples.pair(0x33).publicKey.text
                _ = try await app.takeHandoff(answer, to: question, expecting: other)
            } == .invalidCredentials)
        let handoff = try await app.takeHandoff(answer, to: question, expecting: Self.me)
        #expect(handoff.user.text == Self.me && handoff.deviceID == "phone" && handoff.noiseSeed == seed)
        #expect(try handoff.keyPairs == Self.keys())
        #expect(try await files().isEmpty)
        try await app.setEndpoint(methodId: "lightning", endpoint: "anna@pay.example")
        // It exists once.
        #expect(await code { _ = try await app.takeHandoff(answer, to: question) } == .notFound)
        var dumped = "\(handoff) \(question)"
        dump(handoff, to: &dumped)
        dump(question, to: &dumped)
        for secret in [handoff.session.reveal(), "119, 119, 119", "9, 9, 9, 9"] { #expect(!dumped.contains(secret)) }
    }

    @Test("A state that is not sealed, sealed for another device, moved or too old is not taken")
    func refused() async throws {
        let (ring, app, other) = (
            try await client(isKeyManager: true), try await client(seed: 3), try await client(seed: 4)
        )
        let question = try app.askForHandoff(deviceID: "phone", callback: "bitkit://back")
        func answer() async throws -> KeyManagerAnswer {
            let link = try await ring.handOff(
                KeyManagerLink(PaymentLink(question.link.text)), keyPairs: Self.keys())
            return try KeyManagerAnswer(PaymentLink(link.reveal()), to: question.link)
        }
        /// An answer that any reader of the question could forge.
        func forged(_ user: PubkyKey, _ id: String) throws -> KeyManagerAnswer {
            let link = try #require(question.link.answer(.handoff(from: user, requestID: id)))
            return try KeyManagerAnswer(PaymentLink(link.reveal()), to: question.link)
        }
        let first = try await answer()
        // Another device's key, and one with another device's name.
        let foreign = try other.askForHandoff(deviceID: "phone", callback: "bitkit://back")
        #expect(await code { _ = try await other.takeHandoff(first, to: foreign) } == .invalidCredentials)
        guard case .handoff(let user, let id) = first.content else {
            Issue.record("no handoff")
            return
        }
        let path = "/pub/paykit.app/v0/handoff/"
        let sealed = try #require(await sandbox.file(at: path + id, of: user))
        let moved = String(repeating: "ab", count: 32)
        await sandbox.publish(sealed, at: path + moved, of: user)
        let plain = String(repeating: "cd", count: 32)
        let session = try #require(await ring.exportedSession).reveal()
        let json =
            #"{"version":1,"pubky":"\#(Self.me)","session_secret":"\#(session)","capabilities":[],"device_id":"phone","noise_keypairs":[],"expires_at":99999999999999}"#
        await sandbox.publish(Array(json.utf8), at: path + plain, of: user)
        for id in [moved, plain] {
            let answer = try forged(user, id)
            #expect(await code { _ = try await app.takeHandoff(answer, to: question) } == .invalidCredentials)
        }
        let nothing = try forged(user, String(repeating: "ef", count: 32))
        #expect(await code { _ = try await app.takeHandoff(nothing, to: question) } == .notFound)
        let follows = try app.ask(keyManagerFor: .follows, callback: "bitkit://back")
        let told = try KeyManagerAnswer(
            PaymentLink(try #require(follows.answer(.follows([]))).reveal()), to: follows)
        #expect(await code { _ = try await app.takeHandoff(told, to: question) } == .validationFailed)
        clock.advance(by: KeyManagerHandoff.lifetime)
        #expect(await code { _ = try await app.takeHandoff(first, to: question) } == .sessionExpired)
        #expect(await app.user == nil)
        #expect(await code { _ = try await app.handOff(question.link, keyPairs: []) } == .notInitialized)
    }

    @Test("Both units of time that key managers write are read")
    func times() throws {
        let pair = try PubkySamples.pair(0x11)
        let key = Redacted([UInt8](repeating: 0x50, count: 32))
        let recipient = try KeyManagerHandoff.KeyPair(epoch: 0, secretKey: key).publicKey
        let end = Date(timeIntervalSince1970: 1_767_225_600)
        let handoff = try KeyManagerHandoff(
            of: pair.publicKey, session: Redacted("\(pair.publicKey):0123456789ABCDEFGHJKMNPQRS"), [.paykit], to: "d",
            keyPairs: [], expiresAt: end)
        let bytes = try handoff.sealed(for: recipient, requestID: "ab", at: end, SeededRandomSource(seed: 1))
        let read = try KeyManagerHandoff(opening: bytes, of: pair.publicKey, requestID: "ab", with: key)
        #expect(read == handoff)
        let text =
            "{\"version\":1,\"pubky\":\"\(pair.publicKey)\",\"session_secret\":\"\(handoff.session.reveal())\",\"device_id\":\"d\",\"expires_at\":1767225600}"
        let seconds = try SealedBlob(
            Array(text.utf8), for: recipient,
            at: .text("paykit:v0:handoff:\(pair.publicKey):/pub/paykit.app/v0/handoff/ab:ab"), purpose: "handoff",
            ephemeral: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 8, count: 24))
        #expect(
            try KeyManagerHandoff(opening: seconds.wire, of: pair.publicKey, requestID: "ab", with: key).expiresAt
                == end)
    }

    @Test("The wrapping of later versions is read, in either alphabet, for its place and from the user alone")
    func wrapped() throws {
        let (user, other) = (try PubkySamples.pair(0x11), try PubkySamples.pair(0x22))
        let key = Redacted([UInt8](repeating: 0x50, count: 32))
        let recipient = try KeyManagerHandoff.KeyPair(epoch: 0, secretKey: key).publicKey
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let handoff = try KeyManagerHandoff(
            of: user.publicKey, session: Redacted("\(user.publicKey):0123456789ABCDEFGHJKMNPQRS"), [.paykit], to: "d",
            keyPairs: Self.keys(), expiresAt: now)
        func file(from sender: PubkyKeyPair, id: String = "ab", isURL: Bool = false) throws -> [UInt8] {
            let envelope = try SealedEnvelope(
                Array(handoff.content(at: now).utf8),
                SealedEnvelope.Label(context: [UInt8](repeating: 0xFB, count: 32), purpose: "handoff"), from: sender,
                to: (user.publicKey, recipient), at: (user.publicKey, KeyManagerHandoff.path(id)),
                ephemeral: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 0xFF, count: 24))
            let text = isURL ? Base64URL.encode(envelope.wire) : Data(envelope.wire).base64EncodedString()
            return Array(#"{"sb2":"\#(text)"}"#.utf8)
        }
        func opened(_ bytes: [UInt8]) throws -> KeyManagerHandoff {
            try KeyManagerHandoff(opening: bytes, of: user.publicKey, requestID: "ab", with: key)
        }
        let plain = try file(from: user)
        #expect(plain.contains(UInt8(ascii: "+")) || plain.contains(UInt8(ascii: "/")))
        #expect(try opened(plain) == handoff)
        #expect(try opened(file(from: user, isURL: true)) == handoff)
        var changed = plain
        changed[plain.count - 12] ^= 1
        for bytes in [
            try file(from: other), try file(from: user, id: "cd"), changed, Array(#"{"sb2":7}"#.utf8),
            Array(#"{"sb2":"U0IyAg=="}"#.utf8),
        ] {
            let failure = #expect(throws: PaykitNetworkError.self) { try opened(bytes) }
            #expect(failure?.code == .invalidCredentials)
        }
    }

    @Test(
        "A state that does not fit together is not read, whatever its seal",
        arguments: [
            (#""version":1"#, #""version":2"#), (#""pubky":"ME""#, #""pubky":"OTHER""#),
            (#""session_secret":"ME:"#, #""session_secret":"OTHER:"#),
            (#""capabilities":["/:rw"]"#, #""capabilities":["/:rw",7]"#),
            (#""capabilities":["/:rw"]"#, #""capabilities":"/:rw""#),
            (#""capabilities":["/:rw"]"#, #""capabilities":["rw"]"#),
            (#""epoch":1"#, #""epoch":0"#), (#""epoch":1"#, #""epoch":4294967296"#), ("7878", "78"),
            (#""public_key":"#, #""public_key":7,"x":"#), (#""public_key":""#, #""public_key":"00"#),
            (#""noise_keypairs":["#, #""noise_keypairs":{},"x":["#), (#""noise_seed":"09"#, #""noise_seed":""#),
            (#""noise_seed":"09"#, #""noise_seed":"zz"#), (#""expires_at":"#, #""expires_at":-"#),
            (#""device_id":"phone""#, #""device_id":null"#),
        ])
    func misfits(_ part: String, _ other: String) throws {
        let user = try PubkyKey(Self.me)
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let content = try KeyManagerHandoff(
            of: user, session: Redacted("\(user):0123456789ABCDEFGHJKMNPQRS"), [.root], to: "phone",
            keyPairs: Self.keys(), noiseSeed: Redacted([UInt8](repeating: 9, count: 32)), expiresAt: now
        ).content(at: now)
        #expect(throws: Never.self) { try KeyManagerHandoff(reading: Array(content.utf8), of: user) }
        func named(_ text: String) -> String {
            text.replacing("ME", with: Self.me).replacing("OTHER", with: String(repeating: "y", count: 52))
        }
        let changed = content.replacing(named(part), with: named(other), maxReplacements: 1)
        #expect(changed != content)
        let failure = #expect(throws: PaykitNetworkError.self) {
            try KeyManagerHandoff(reading: Array(changed.utf8), of: user)
        }
        #expect(failure?.message.contains("0123456789ABCDEFGHJKMNPQRS") == false)
    }
}
