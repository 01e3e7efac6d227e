import Foundation
import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// Keys and secrets of sessions appear in no error, print or dump, whatever fails.
@Suite("Paykit's secrets")
struct SecrecyTests {
    private let clock = VirtualClock()
    private static let secret = "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2"
    private static let cookie = "0123456789ABCDEFGHJKMNPQRS"

    /// All printed forms of a value.
    private static func printed(_ value: some Any) -> String {
        var text = "\(value) \(String(reflecting: value)) \((value as? any Error)?.localizedDescription ?? "")"
        if let error = value as? any LocalizedError {
            text += "\(error.errorDescription ?? "") \(error.recoverySuggestion ?? "") \(error.failureReason ?? "")"
        }
        dump(value, to: &text)
        return text
    }

    /// Answers each request with one status, and repeats the whole request in the answer: headers, path and body.
    private struct Echo: HTTPMiddleware {
        let change: @Sendable (HTTPRequest) -> HTTPResponse?

        func intercept(_ request: HTTPRequest, next: HTTPNext) async throws(TransportError) -> HTTPResponse {
            guard var response = change(request) else { return try await next(request) }
            let headers = request.headers.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            response.body = Array("\(headers)\n\(request.url.text)\n".utf8) + request.body
            response.headers["X-Echo"] = request.headers["Cookie"] ?? ""
            return response
        }
    }

    @Test(
        "A homeserver that repeats what it was sent, with any status, gets nothing into our errors",
        arguments: [200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 413, 418, 429, 500, 503, 507, 0])
    func refusals(_ status: Int) async throws {
        let sandbox = PubkySandbox(clock: clock, random: SeededRandomSource(seed: 1))
        let isOn = Mutex(false)
        let echo = Echo { request in
            guard isOn.withLock({ $0 }), !request.url.path.hasPrefix("/pkarr/") else { return nil }
            return HTTPResponse(status: status == 0 ? 200 : status)
        }
        let lines = Mutex<[String]>([])
        let client = try sandbox.newClient(over: LayeredTransport(SandboxTransport(sandbox), [echo]), clock: clock) {
            $0.signUpToken = Redacted("T0KE-NT0K-ENT0")
            $0.consent = { _ in }
        }
        try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text)
        let me = try #require(await client.user)
        let session = try #require(await client.exportedSession).reveal()
        let cookie = try #require(session.split(separator: ":").last)
        let link = client.authorizationLink()
        isOn.withLock { $0 = true }
        let calls: [@Sendable () async throws -> Void] = [
            { try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: sandbox.homeserver.text) },
            { try await client.setEndpoint(methodId: "lightning", endpoint: "x") },
            { try await client.removeEndpoint(methodId: "lightning") }, { try await client.checkSession() },
            { try await client.refreshSession() }, { try await client.importSession(Redacted("\(me):\(Self.cookie)")) },
            { try await client.importSession(Redacted("no key:\(Self.cookie)")) },
            { _ = try await client.getSupportedMethods(pubkey: me.text) },
            { _ = try await client.getEndpoint(pubkey: me.text, methodId: "lightning") },
            { _ = try await client.smartCheckout(pubkey: me.text) }, { _ = try await client.profile(pubkey: me.text) },
            { try await client.publish(PubkyProfile(name: "Anna")) }, { _ = try await client.follows(pubkey: me.text) },
            { try await client.follow(pubkey: me.text) }, { _ = try await client.checkRotationNeeded(pubkey: me.text) },
            { _ = try await client.noiseEndpoint(pubkey: me.text) }, { try await client.approve(link) },
            { try await client.awaitAuthorization(of: link, timeout: .seconds(3)) },
            { try await client.initialize(secretKeyHex: Self.secret + "0", homeserverPubkey: me.text) },
            { try await client.initialize(secretKeyHex: Self.secret, homeserverPubkey: Self.secret) },
            { try await client.signOut() },
        ]
        for call in calls {
            do { try await call() } catch { lines.withLock { $0.append(Self.printed(error)) } }
        }
        lines.withLock { $0.append(Self.printed(client)) }
        lines.withLock { $0.append(Self.printed(link)) }
        let text = lines.withLock { $0.joined(separator: "\n") }
        #expect(!text.isEmpty)
        let secrets = [
            String(Self.secret.prefix(16)), String(cookie), Self.cookie, "T0KE-NT0K", link.text.reveal(),
            String(try #require(link.text.reveal().split(separator: "secret=").last)),
        ]
        for secret in secrets { #expect(!text.contains(secret)) }
    }

    @Test("Keys, tokens, sessions and links print nothing of what they hold")
    func values() throws {
        let pair = try PubkyKeyPair(seed: try #require(Hex.decode(Self.secret)))
        let session = PubkySession(
            user: pair.publicKey, capabilities: [.paykit], credential: .cookie(Redacted(Self.cookie)),
            origin: "https://h.example")
        let link = PubkyAuthorizationLink(
            .signIn, [.paykit], relay: try HTTPURL("https://r.example/link"),
            secret: Redacted([UInt8](repeating: 0xAB, count: 32)))
        let text = [
            Self.printed(pair), Self.printed(session), Self.printed(session.exported), Self.printed(link),
            Self.printed(PaykitLink.authorization(link)), Self.printed(link.text),
        ].joined()
        for secret in [Self.cookie, Self.secret, "q6urq6urq6ur", "171, 171, 171", "94, 194, 231"] {
            #expect(!text.contains(secret))
        }
    }

    @Test("A token is as good as the key for a while, and prints nothing of itself")
    func tokens() throws {
        let pair = try PubkyKeyPair(seed: try #require(Hex.decode(Self.secret)))
        let token = AuthToken([.root], at: 1, by: pair)
        let text = Self.printed(token)
        #expect(!text.contains(token.bytes.prefix(8).map(String.init).joined(separator: ", ")))
        #expect(!text.contains(Hex.encode(token.bytes.prefix(8))))
    }
}
