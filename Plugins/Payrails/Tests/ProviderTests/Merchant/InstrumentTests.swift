import PaymentCore
import PaymentTesting
import PayrailsKit
import PayrailsMerchant
import PayrailsSandbox
import TestSupport
import Testing

/// The instruments stored for a merchant's customers, and the key for card data (Protocol 5).
@Suite struct MerchantInstrumentTests {
    private func body(_ request: HTTPRequest?) throws -> JSONValue {
        try JSONValue(parsing: try #require(request).body)
    }

    /// A world in which a holder, `ada`, has instruments.
    private func world() async throws -> (world: MerchantWorld, instruments: [InstrumentResponse]) {
        let world = try MerchantWorld()
        _ = try await world.client.open(try MerchantWorld.order())
        let instruments = try await world.client.instruments(of: "ada")
        #expect(instruments.count == 3)
        return (world, instruments)
    }

    @Test("Lists a holder's instruments, without those that cannot be read")
    func lists() async throws {
        let (world, instruments) = try await world()
        #expect(instruments.map(\.id) == (await world.sandbox.storedInstruments(of: "ada")).map(\.id))
        #expect(try await world.client.instruments(of: "grace").isEmpty)
        world.wire.edit { path, body in
            guard path.hasSuffix("/instruments"), let list = body["results"]?.array else { return }
            body["results"] = .array([["id": "i1"]] + list.dropFirst())
        }
        #expect(try await world.client.instruments(of: "ada") == Array(instruments.dropFirst()))
    }

    @Test("Deletes an instrument once, and reports one that is not there")
    func deletes() async throws {
        let (world, instruments) = try await world()
        let id = try #require(instruments.first).id
        try await world.client.deleteInstrument(id)
        #expect(try await world.client.instruments(of: "ada") == Array(instruments.dropFirst()))
        #expect(await failure { try await world.client.deleteInstrument(id) }?.code == .notFound)
        let sent = world.wire.requests.filter { $0.method == .delete }
        #expect(sent.count == 2 && sent.allSatisfy { $0.headers["x-idempotency-key"]?.isEmpty == false })
        #expect(await failure { try await world.client.deleteInstrument("../executions") }?.code == .requestRefused)
        #expect(world.wire.requests.count { $0.method == .delete } == 2)
    }

    @Test("A deletion counts unless the service denies it", arguments: [true, false, nil])
    func deniedDeletion(success: Bool?) async throws {
        let (world, instruments) = try await world()
        let id = try #require(instruments.first).id
        world.wire.edit { path, body in
            if path.hasSuffix(id) { body["success"] = success.map(JSONValue.bool) }
        }
        let error = await failure { try await world.client.deleteInstrument(id) }
        #expect(error?.code == (success == false ? .invalidResponse : nil))
    }

    @Test("A deletion that is answered without a body, as status 204 is, counts", arguments: [204, 205])
    func emptyAnswer(status: Int) async throws {
        let (world, instruments) = try await world()
        world.faults.inject(.status(status), times: 9) { method, _ in method == "DELETE" }
        let id = try #require(instruments.first).id
        #expect((await failure { try await world.client.deleteInstrument(id) } == nil) == (status == 204))
    }

    @Test("An answer that is not an object is not an empty list", arguments: ["[]", "7", "null"])
    func otherAnswer(body: String) async throws {
        let (world, _) = try await world()
        world.faults.inject(.status(200, body: body)) { $1.hasSuffix("/instruments") }
        #expect(await failure { _ = try await world.client.instruments(of: "ada") }?.code == .invalidResponse)
    }

    @Test("Changes an instrument to what merchants may set")
    func changes() async throws {
        let (world, instruments) = try await world()
        let (client, first) = (world.client, try #require(instruments.first))
        let changed = try await client.updateInstrument(first.id, UpdateInstrumentBody(status: "disabled"))
        #expect(changed.id == first.id && changed.status == "disabled")
        _ = try await client.updateInstrument(first.id, UpdateInstrumentBody(default: true))
        let sent = world.wire.requests.filter { $0.method == .patch }
        #expect(try sent.map { try body($0) } == [["status": "disabled"], ["default": true]])
        // The same change may be meant twice.
        #expect(Set(sent.compactMap { $0.headers["x-idempotency-key"] }).count == 2)
        for (id, status) in [(first.id, "deleted"), ("a/b", "enabled")] {
            let change = UpdateInstrumentBody(status: status)
            let error = await failure { _ = try await client.updateInstrument(id, change) }
            #expect(error?.code == .requestRefused)
        }
        #expect(world.wire.requests.count { $0.method == .patch } == 2)
        world.wire.edit { path, body in if path.hasSuffix(first.id) { body["data"] = nil } }
        let change = UpdateInstrumentBody(status: "enabled")
        let error = await failure { _ = try await client.updateInstrument(first.id, change) }
        #expect(error?.code == .invalidResponse && error?.message.contains("'data'") == true)
    }

    @Test("Stores an encrypted card once for the same data", arguments: [nil, "vault-2"])
    func stores(providerConfig: String?) async throws {
        let world = try MerchantWorld()
        let saved = #"""
            {"id":"i1","createdAt":"2027-01-15T08:00:00Z","holderId":"h1","paymentMethod":"card","status":"created",
            "data":{"suffix":"4242"}}
            """#
        world.faults.inject(.status(201, body: saved), times: 9) { $1.hasSuffix("/instruments") }
        func save(_ data: String, _ options: TokenizeOptions) async throws -> InstrumentResponse {
            try await world.client.saveInstrument(
                encryptedData: Redacted(data), holder: "ada", providerConfig: providerConfig, options: options)
        }
        _ = try await world.client.saveInstrument(encryptedData: Redacted("jwe-0"), holder: "ada")
        #expect(try body(world.wire.requests.last)["storeInstrument"] == true, "unless something else is asked for")
        let kept = TokenizeOptions(storeInstrument: true, futureUsage: .subscription)
        for data in ["jwe-1", "jwe-1", "jwe-2"] { #expect(try await save(data, kept).id == "i1") }
        _ = try await save("jwe-2", TokenizeOptions())
        let sent = world.wire.requests.filter { $0.method == .post && $0.url.path.hasSuffix("/instruments") }
            .dropFirst()
        var data: JSONValue = ["encryptedData": "jwe-1"]
        data["vaultProviderConfigId"] = providerConfig.map(JSONValue.string)
        #expect(
            try body(sent.first) == [
                "holderReference": "ada", "paymentMethod": "card", "futureUsage": "Subscription",
                "storeInstrument": true, "data": data,
            ])
        #expect(try body(sent.last)["storeInstrument"] == false)
        let keys = sent.compactMap { $0.headers["x-idempotency-key"] }
        #expect(keys.count == 4 && keys[0] == keys[1] && Set(keys).count == 3)
    }

    @Test("Returns the key for card data with its id and lifetime, if they are stated")
    func vaultKey() async throws {
        let world = try MerchantWorld()
        let key = try await world.client.vaultKey()
        #expect(!key.publicKey.isEmpty && key.id == "sandbox-key" && key.lifetime == .seconds(3300))
        world.wire.edit { path, body in
            if path.hasSuffix("/public-info") { body = ["encryptionPublicKey": body["encryptionPublicKey"] ?? .null] }
        }
        let bare = try await world.client.vaultKey()
        #expect(bare.publicKey == key.publicKey && bare.id == nil && bare.lifetime == nil)
        for none in ["", .null] as [JSONValue] {
            world.wire.edit { path, body in
                if path.hasSuffix("/public-info") { body["encryptionPublicKey"] = none }
            }
            #expect(await failure { _ = try await world.client.vaultKey() }?.code == .invalidResponse)
        }
    }
}
