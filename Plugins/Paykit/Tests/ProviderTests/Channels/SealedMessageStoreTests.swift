import Foundation
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// Two users of the simulated network who write to each other.
@Suite("Sealed requests", .timeLimit(.minutes(1)))
struct SealedMessageStoreTests {
    private let sandbox: PubkySandbox
    private let anna: PaykitClient
    private let ben: PaykitClient
    private let annaKey: PubkyKey
    private let benKey: PubkyKey
    private let annaPair: PubkyKeyPair

    init() async throws {
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 1))
        self.sandbox = sandbox
        anna = try await sandbox.client(0x11, clock: SystemPaymentClock(), seed: 11)
        ben = try await sandbox.client(0x22, clock: SystemPaymentClock(), seed: 22)
        annaPair = try PubkySamples.pair(0x11)
        annaKey = annaPair.publicKey
        benKey = try PubkySamples.pair(0x22).publicKey
        for pair in [annaPair, try PubkySamples.pair(0x22)] {
            let endpoint = PaykitNoiseEndpoint(
                owner: pair.publicKey, host: "pending", port: 0, key: try ChannelIdentity(pair).publicKey)
            await sandbox.publish(endpoint.wire, at: "/pub/paykit.app/v0/noise", of: pair.publicKey)
        }
    }

    @Test("A request is found by its payee once it is no longer stored, and only its payer can read it")
    func requests() async throws {
        let request = try await anna.requestPayment(
            fromPubkey: benKey.text, amount: 2100, note: "Lunch", lifetime: .seconds(3600))
        #expect(try await ben.paymentRequests(fromPubkey: annaKey.text) == [request])
        #expect(try await ben.paymentRequests(fromPubkey: annaKey.text).count == 1)
        #expect(try await anna.paymentRequests(fromPubkey: annaKey.text).isEmpty)
        let paths = await sandbox.paths(of: annaKey).filter { $0.contains("/requests/") }
        #expect(paths == ["/pub/paykit.app/v0/requests/\(benKey.scope)/\(request.id)"])
        let file = try #require(await sandbox.file(at: paths[0], of: annaKey))
        #expect(!String(decoding: file, as: UTF8.self).contains("Lunch"))
        #expect(try await ben.note(request))
        #expect(try await !ben.note(request))
        #expect(try await ben.paymentRequests(fromPubkey: annaKey.text).isEmpty)
    }

    @Test("What was taken back is gone, and what is over does not count")
    func withdrawn() async throws {
        let request = try await anna.requestPayment(fromPubkey: benKey.text, amount: 1)
        #expect(try await anna.withdraw(request))
        #expect(try await !anna.withdraw(request))
        _ = try await anna.requestPayment(fromPubkey: benKey.text, amount: 1, lifetime: .zero)
        #expect(try await ben.paymentRequests(fromPubkey: annaKey.text).isEmpty)
    }

    private func lay(_ bytes: [UInt8], _ name: String, of owner: PubkyKey) async {
        await sandbox.publish(bytes, at: SealedMessageStore.Kind.request.directory(for: benKey) + name, of: owner)
    }

    private func sealed(_ content: JSONValue, _ name: String, at path: String? = nil) throws -> [UInt8] {
        let place = path ?? SealedMessageStore.Kind.request.directory(for: benKey) + name
        return try SealedBlob(
            content.serialized(), for: try ChannelIdentity(PubkySamples.pair(0x22)).publicKey,
            at: .text("paykit:v0:request:\(place):\(name)"), .one, ephemeral: [UInt8](repeating: 7, count: 32),
            nonce: [UInt8](repeating: 8, count: 12)
        ).wire
    }

    private func content(from sender: PubkyKey, to recipient: PubkyKey? = nil) -> JSONValue {
        [
            "schema_version": 1, "from_pubkey": .string(sender.text),
            "to_pubkey": .string((recipient ?? benKey).text), "amount_sats": 5, "created_at": 1_767_225_600_000,
        ]
    }

    @Test("Plain, moved, foreign and broken letters are not read, and keep none of the others from it")
    func foreign() async throws {
        let cara = await sandbox.createUser(.ready).key
        await lay(content(from: annaKey).serialized(), "plain", of: annaKey)
        await lay(try sealed(content(from: annaKey), "first"), "moved", of: annaKey)
        // Cara has copied Anna's message, and has written one in Anna's name.
        await lay(try sealed(content(from: annaKey), "copied"), "copied", of: cara)
        await lay(try sealed(content(from: annaKey, to: cara), "other"), "other", of: annaKey)
        await lay(Array("{\"v\":2,\"epk\":\"a\"}".utf8), "broken", of: annaKey)
        await lay([], "empty", of: annaKey)
        await lay(try sealed(content(from: annaKey), "good"), "good", of: annaKey)
        #expect(try await ben.paymentRequests(fromPubkey: annaKey.text).map(\.id) == ["good"])
        #expect(try await ben.paymentRequests(fromPubkey: cara.text).isEmpty)
    }

    @Test("The native library's form is read too, with users as numbers and times in seconds")
    func native() async throws {
        let user = { (key: PubkyKey) in JSONValue.array(key.bytes.map { .number(JSONNumber(Int64($0))) }) }
        var request: JSONValue = [
            "request_id": "req_1", "from": user(annaKey), "to": user(benKey), "amount": "12.50", "currency": "EUR",
            "method": "onchain", "description": "Rent", "created_at": 1_767_225_600, "expires_at": nil,
        ]
        request["metadata"] = [:]
        await lay(
            try sealed(["request": request, "published_at": 1_767_225_600, "active": true], "req_1"), "req_1",
            of: annaKey)
        await lay(
            try sealed(["request": request, "published_at": 1_767_225_600, "active": false], "req_2"), "req_2",
            of: annaKey)
        let found = try await ben.paymentRequests(fromPubkey: annaKey.text)
        #expect(found.map(\.id) == ["req_1"])
        #expect(found.first?.amount == "12.50" && found.first?.currency == "EUR" && found.first?.methodID == "onchain")
        #expect(found.first?.createdAt == 1_767_225_600)
    }

    @Test("Amounts below or beyond all sense are no requests", arguments: ["-5", "0", "1.5", "\"5\"", "null"])
    func amounts(_ amount: String) async throws {
        var body = content(from: annaKey)
        body["amount_sats"] = try JSONValue(parsing: Array(amount.utf8))
        await lay(try sealed(body, "odd"), "odd", of: annaKey)
        #expect(try await ben.paymentRequests(fromPubkey: annaKey.text).isEmpty)
    }

    @Test("Names that lead elsewhere are refused")
    func names() async throws {
        let messageStore = try await anna.messageStore()
        let session = try #require(await anna.session)
        for name in ["", "..", ".", "a/b", "a b", "%2e%2e", String(repeating: "a", count: 65), "ä"] {
            await #expect(throws: PaykitNetworkError.self) {
                try await messageStore.leave([:], as: .proposal, named: name, for: benKey, session)
            }
        }
        try await messageStore.leave(
            ["provider_pubkey": .string(annaKey.text)], as: .proposal, named: "prop-1", for: benKey, session)
        let messages = try await ben.messageStore().messages(.proposal, from: annaKey)
        #expect(messages.messages.map(\.name) == ["prop-1"] && messages.unreadable == 0)
        #expect(messages.messages.first?.sender == annaKey)
    }

    @Test("Paths and what letters are bound to are the ones that others use")
    func places() throws {
        let key = try PubkyKey(bare: "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo")
        #expect(key.scope == "04dc3323da61313c6f5404cf7921af2432ef867afe6cc4c32553858b8ac07f12")
        #expect(
            SealedMessageStore.Kind.proposal.directory(for: key)
                == "/pub/paykit.app/v0/subscriptions/proposals/04dc3323da61313c6f5404cf7921af2432ef867afe6cc4c32553858b8ac07f12/"
        )
        #expect(
            SealedMessageStore.Kind.request.directory(for: key)
                == "/pub/paykit.app/v0/requests/04dc3323da61313c6f5404cf7921af2432ef867afe6cc4c32553858b8ac07f12/")
    }
}
