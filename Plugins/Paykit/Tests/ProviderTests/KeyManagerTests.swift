import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// The links between apps and the user's key manager (Protocol 1.6).
@Suite("Paykit's key manager")
struct KeyManagerTests: NetworkSuite {
    let network = TestNetwork()
    private static let key = "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"
    private static let cookie = "0123456789ABCDEFGHJKMNPQRS"

    private static func question(_ text: String) throws -> KeyManagerLink { try KeyManagerLink(PaymentLink(text)) }

    private static func ask(
        _ question: KeyManagerLink.Question, callback: String = "bitkit://back", seed: UInt64 = 1
    ) throws -> KeyManagerLink {
        try KeyManagerLink(
            asking: question, callback: callback, app: "Wallet & Co", random: SeededRandomSource(seed: seed))
    }

    // MARK: Questions

    @Test("Every question is read as key managers of either generation are asked it")
    func questions() throws {
        let device = "8f0c1c0e-6f4a-4f3a-9d3c-0d5f0f1c2b3a"
        let ephemeral = String(repeating: "ab", count: 32)
        let key = try PubkyKey(Self.key)
        for (query, wanted) in [
            ("session?callback=CB", .session), ("session/?x-success=CB", .session),
            ("auth?callback=CB", .guidesSession),
            (
                "paykit-connect?deviceId=\(device)&callback=CB&ephemeralPk=\(ephemeral)&includeEpoch1=false",
                .handoff(
                    deviceID: device, ephemeralKey: [UInt8](repeating: 0xAB, count: 32), includesNextEpoch: false)
            ),
            (
                "paykit-connect?deviceId=d&callback=CB&ephemeralPk=\(ephemeral)",
                .handoff(deviceID: "d", ephemeralKey: [UInt8](repeating: 0xAB, count: 32), includesNextEpoch: true)
            ),
            ("get-profile?callback=CB&app=Bitkit", .profile(of: nil)),
            ("get-profile?pubkey=\(Self.key)&callback=CB", .profile(of: key)),
            ("get-follows?callback=CB&app=Bitkit", .follows),
            ("sign-message?message=a%20b%2Bc+d&callback=CB", .signature(of: "a b+c+d")),
            ("derive-keypair?deviceId=d&epoch=7&callback=CB", .keyPair(deviceID: "d", epoch: 7)),
        ] as [(String, KeyManagerLink.Question)] {
            let question = try Self.question(
                "pubkyring://" + query.replacing("CB", with: "bitkit%3A%2F%2Fback%3Fid%3D1"))
            #expect(question.question == wanted && question.callback == "bitkit://back?id=1", "\(query)")
            #expect(try Self.question(question.text) == question)
            #expect(try PaykitLink.read(PaymentLink(question.text)) == .keyManager(question))
        }
    }

    @Test("The newer names of addresses count before the older one")
    func addresses() throws {
        let question = try Self.question(
            "pubkyring://session?callback=app%3A%2F%2Fold&x-success=app%3A%2F%2Fnew&x-error=app%3A%2F%2Ferr&x-cancel=app%3A%2F%2Fno&x-source=App"
        )
        #expect(question.callback == "app://new" && question.errorCallback == "app://err" && question.app == "App")
        #expect(question.cancelCallback == "app://no")
    }

    @Test(
        "What is missing, doubled or no address is named",
        arguments: [
            ("pubkyring://session", .parameter("callback")), ("pubkyring://session?callback=", .parameter("callback")),
            ("pubkyring://session?callback=hello", .parameter("callback")),
            ("pubkyring://session?callback=http%3A%2F%2Fplain.example%2F", .parameter("callback")),
            ("pubkyring://session?callback=app%3A%2F%2Fb%23c", .parameter("callback")),
            ("pubkyring://session?callback=javascript%3Aalert(1)", .parameter("callback")),
            ("pubkyring://session?callback=app%3A%2F%2Fb&callback=app%3A%2F%2Fc", .parameter("callback")),
            ("pubkyring://session?callback=app%3A%2F%2Fb&x-error=c", .parameter("x-error")),
            ("pubkyring://paykit-connect?callback=app%3A%2F%2Fb&deviceId=d", .parameter("ephemeralPk")),
            ("pubkyring://paykit-connect?callback=app%3A%2F%2Fb&deviceId=d&ephemeralPk=ab", .parameter("ephemeralPk")),
            ("pubkyring://get-profile?callback=app%3A%2F%2Fb&pubkey=x", .parameter("pubkey")),
            ("pubkyring://sign-message?callback=app%3A%2F%2Fb", .parameter("message")),
            ("pubkyring://derive-keypair?callback=app%3A%2F%2Fb&deviceId=d&epoch=x", .parameter("epoch")),
            ("pubkyring://paykit-cross-session?callback=app%3A%2F%2Fb", .form),
            ("pubkyring://session/x?callback=app", .form),
            ("https://session/?callback=app", .form),
        ] as [(String, PaykitLinkDefect)])
    func defects(_ text: String, _ defect: PaykitLinkDefect) throws {
        #expect(throws: defect) { try Self.question(text) }
    }

    // MARK: Answers

    @Test("Every answer comes back as it was given, and to no other question")
    func answers() throws {
        let user = try PubkyKey(Self.key)
        let exported = Redacted("\(Self.key):\(Self.cookie)")
        let pairs: [(KeyManagerLink.Question, KeyManagerAnswer.Content)] = [
            (.session, .session(exported, of: user, [.paykit, .profile])),
            (.guidesSession, .session(exported, of: user, [])),
            (
                .handoff(deviceID: "d", ephemeralKey: [UInt8](repeating: 1, count: 32), includesNextEpoch: true),
                .handoff(from: user, requestID: String(repeating: "0f", count: 32))
            ),
            (.profile(of: nil), .profile(name: "Anna & Bo", bio: nil, image: "https://a.example/?x=1&y=2")),
            (.follows, .follows([user, try PubkyKey(Self.me)])), (.follows, .follows([])),
            (.session, .failure(code: "SESSION_FAILED", message: "100 % no")), (.session, .cancelled),
        ]
        for (index, (question, content)) in pairs.enumerated() {
            for callback in ["bitkit://back", "bitkit://back?id=1"] {
                let asked = try Self.ask(question, callback: callback)
                let link = try PaymentLink(try #require(asked.answer(content)).reveal())
                #expect(try KeyManagerAnswer(link, to: asked).content == content)
                let other = try Self.ask(question, callback: callback, seed: 2)
                #expect(throws: PaykitLinkDefect.form, "\(index)") { try KeyManagerAnswer(link, to: other) }
            }
        }
        #expect(try Self.ask(.follows).answer(.session(exported, of: user, [])) == nil)
        #expect(try Self.ask(.signature(of: "x")).answer(.follows([])) == nil)
    }

    @Test("What released key managers send is read")
    func released() throws {
        func read(_ link: String, _ question: String) throws -> KeyManagerAnswer.Content {
            try KeyManagerAnswer(PaymentLink(link), to: Self.question(question)).content
        }
        let session = "pubkyring://session?callback=bitkit%3A%2F%2Fpaykit-session"
        let exported = Redacted("\(Self.key):\(Self.cookie)")
        let user = try PubkyKey(Self.key)
        for name in ["pubky", "pubkey"] {
            #expect(
                try read(
                    "bitkit://paykit-session?\(name)=\(Self.key)&session_secret=\(Self.key):\(Self.cookie)&capabilities=/pub/a/:rw,/pub/b/:r",
                    session)
                    == .session(exported, of: user, [PubkyCapability("/pub/a/:rw"), PubkyCapability("/pub/b/:r")]))
        }
        #expect(
            try read(
                "bitkit://paykit-setup?pubky=\(Self.key)&request_id=\(String(repeating: "0F", count: 32))&mode=secure_handoff",
                "pubkyring://paykit-connect?deviceId=d&callback=bitkit%3A%2F%2Fpaykit-setup&ephemeralPk=\(String(repeating: "00", count: 32))"
            ) == .handoff(from: user, requestID: String(repeating: "0f", count: 32)))
        #expect(
            try read(
                "bitkit://paykit-profile?name=Anna%20B&avatar=https%3A%2F%2Fa.example",
                "pubkyring://get-profile?callback=bitkit%3A%2F%2Fpaykit-profile")
                == .profile(name: "Anna B", bio: nil, image: "https://a.example"))
        #expect(
            try read(
                "bitkit://paykit-profile?error=not_found",
                "pubkyring://get-profile?callback=bitkit%3A%2F%2Fpaykit-profile")
                == .failure(code: "not_found", message: nil))
        #expect(
            try read(
                "bitkit://pubky-callback?session=\(Self.key):\(Self.cookie)",
                "pubkyring://auth?callback=bitkit://pubky-callback") == .session(exported, of: user, []))
        let split = session + "&x-error=bitkit%3A%2F%2Fe&x-cancel=bitkit%3A%2F%2Fc"
        #expect(
            try read("bitkit://e?errorCode=SESSION_ERROR&errorMessage=x", split)
                == .failure(code: "SESSION_ERROR", message: "x"))
        #expect(try read("bitkit://c", split) == .cancelled)
    }

    @Test("Answers that are forged, of another user or malformed are refused")
    func forged() throws {
        let asked = try Self.ask(.session)
        let nonce = try #require(asked.callback.split(separator: "nonce=").last)
        let good =
            "bitkit://back?nonce=\(nonce)&pubky=\(Self.key)&session_secret=\(Self.key):\(Self.cookie)&capabilities="
        #expect(throws: Never.self) { try KeyManagerAnswer(PaymentLink(good), to: asked) }
        for bad in [
            good.replacing("nonce=\(nonce)&", with: ""), good.replacing(nonce, with: String(repeating: "0", count: 32)),
            good + "&nonce=1", good.replacing("bitkit://", with: "other://"), good.replacing("back", with: "elsewhere"),
            good.replacing("pubky=\(Self.key)", with: "pubky=\(Self.me)"), good.replacing(":\(Self.cookie)", with: ""),
            good.replacing(Self.cookie, with: "a;b"), good.replacing("pubky=\(Self.key)&", with: ""),
            good + "&pubky=\(Self.me)", good.replacing("capabilities=", with: "capabilities=x"),
        ] {
            #expect(throws: PaykitLinkDefect.self, "\(bad)") { try KeyManagerAnswer(PaymentLink(bad), to: asked) }
        }
    }

    @Test("Neither question nor answer prints a session")
    func secrecy() throws {
        let user = try PubkyKey(Self.key)
        let content = KeyManagerAnswer.Content.session(Redacted("\(Self.key):\(Self.cookie)"), of: user, [])
        let link = try #require(try Self.ask(.session).answer(content))
        var dumped = ""
        dump(content, to: &dumped)
        dump(link, to: &dumped)
        dump(try KeyManagerAnswer(PaymentLink(link.reveal()), to: Self.ask(.session)), to: &dumped)
        #expect(!"\(content) \(link) \(dumped)".contains(Self.cookie))
    }

    // MARK: The client, both sides

    private func client(_ byte: UInt8? = nil) async throws -> PaykitClient {
        try await sandbox.client(byte, clock: clock) { $0.consent = { _ in } }
    }

    @Test("A session travels from the key manager to an app, is tried at the homeserver, and can publish")
    func session() async throws {
        let (ring, app) = (try await client(0x11), try await client())
        for kind in [KeyManagerLink.Question.session, .guidesSession] {
            let question = try app.ask(keyManagerFor: kind, callback: "bitkit://paykit-session")
            let link = try await ring.answer(try Self.question(question.text))
            let answer = try KeyManagerAnswer(PaymentLink(link.reveal()), to: question)
            #expect(try await app.importSession(from: answer, expecting: Self.me).text == Self.me)
            try await app.setEndpoint(methodId: "lightning", endpoint: "anna@pay.example")
            // A session of another user than expected changes nothing.
            #expect(
                await code { try await app.importSession(from: answer, expecting: Self.key) } == .invalidCredentials)
        }
        await sandbox.endSessions(of: try PubkyKey(Self.me))
        let question = try app.ask(callback: "bitkit://paykit-session")
        let stale = try KeyManagerAnswer(
            PaymentLink(
                "\(question.callback)&pubky=\(Self.me)&session_secret=\(Self.me):\(Self.cookie)&capabilities="),
            to: question)
        #expect(await code { try await app.importSession(from: stale) } == .sessionExpired)
    }

    @Test("Profile and follows are answered; keys and signatures never, and a no says so")
    func others() async throws {
        let (ring, app) = (try await client(0x11), try await client())
        try await ring.publish(PubkyProfile(name: "Anna", bio: "b"))
        let friend = await sandbox.createUser()
        try await ring.follow(pubkey: friend.key.text)
        func answer(_ kind: KeyManagerLink.Question) async throws -> KeyManagerAnswer.Content {
            let question = try app.ask(keyManagerFor: kind, callback: "bitkit://back")
            return try KeyManagerAnswer(PaymentLink(try await ring.answer(question).reveal()), to: question).content
        }
        #expect(try await answer(.profile(of: nil)) == .profile(name: "Anna", bio: "b", image: nil))
        #expect(try await answer(.follows) == .follows([friend.key]))
        for kind in [
            .signature(of: "PUBKY:AUTH"), .keyPair(deviceID: "d", epoch: 0),
            .handoff(deviceID: "d", ephemeralKey: [UInt8](repeating: 1, count: 32), includesNextEpoch: false),
        ] as [KeyManagerLink.Question] {
            #expect(await code { _ = try await answer(kind) } == .validationFailed)
        }
        let question = try app.ask(callback: "bitkit://back")
        let no = try #require(ring.cancellation(of: question))
        let content = try KeyManagerAnswer(PaymentLink(no.reveal()), to: question)
        #expect(content.content == .cancelled)
        #expect(await code { try await app.importSession(from: content) } == .auth)
        #expect(await code { _ = try await app.answer(question) } == .sessionExpired)
    }
}
