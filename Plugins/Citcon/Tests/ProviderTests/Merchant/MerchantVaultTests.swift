import CitconMerchant
import CitconSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Stored accounts and choices (Protocol 2.11).
@Suite struct MerchantVaultTests {
    private static let payer = Redacted("customer-7")

    private func client(_ world: MerchantWorld) async throws -> CPayClient {
        try CPayClient(
            world.wire, launcher: world.sandbox.payer().citconLauncher,
            token: await world.sandbox.accessToken().reveal())
    }

    /// An app's order for a charge of a server.
    private func order(
        _ world: MerchantWorld, _ method: String, _ reference: String, payer: String = "customer-7"
    ) async throws -> CPayRequest {
        var made = try MerchantWorld.order(reference)
        (made.method, made.clients, made.consumer) = (method, [], Redacted(payer))
        let charge = try await world.client.createCharge(made)
        let order = Shop.order(method, reference: reference, token: try #require(charge.token).reveal())
        order.consumer = CPayConsumer()
        order.consumer?.reference = payer
        return order
    }

    @Test("A card that was paid with is stored, found, paid with again and forgotten")
    func life() async throws {
        let world = try MerchantWorld()
        let client = try await client(world)
        let first = try await order(world, "card", "order-1")
        first.payment?.requestToken = true
        first.payment?.data = CPayPaymentData()
        first.payment?.data?.pan = "4111111111111111"
        first.payment?.data?.cvv = "123"
        first.payment?.data?.expiry = "12/33"
        let paid = await client.requestOrder(first)
        #expect(paid.isPaid)
        let token = try #require(await client.inquireOrder(paid.data.id ?? "").data.payment?.token)
        #expect(token.utf8.count == 24)

        let stored = try await world.client.storedInstruments(of: Self.payer)
        #expect(stored.map { $0.token.reveal() } == [token] && stored[0].method == "card")
        #expect(stored[0].pan?.reveal() == "411111******1111" && stored[0].expiry?.reveal() == "12/33")
        #expect(!"\(stored)".contains(token) && !"\(stored)".contains("1111"))
        #expect(try await world.client.storedInstrument(Redacted(token)) == stored[0])
        #expect(try await world.client.storedInstruments(of: Redacted("nobody")).isEmpty)

        // Without the card, and without its owner's consent, which was given before.
        let second = try await order(world, "card", "order-2")
        second.payment?.token = token
        let again = await client.requestOrder(second)
        #expect(again.isPaid && again.data.reference == "order-2")
        // Not for another payer, nor with another method.
        let stranger = try await order(world, "card", "order-3", payer: "customer-8")
        stranger.payment?.token = token
        #expect(await client.requestOrder(stranger).isPaid == false)
        let other = try await order(world, "paypal", "order-4")
        other.payment?.token = token
        #expect(await client.requestOrder(other).isPaid == false)

        for _ in 0..<2 { try await world.client.forget(Redacted(token)) }
        #expect(world.faults.requests.last?.method == "DELETE")
        #expect(try await world.client.storedInstrument(Redacted(token)) == nil)
        #expect(try await world.client.storedInstruments(of: Self.payer).isEmpty)
        let late = try await order(world, "card", "order-5")
        late.payment?.token = token
        #expect(await client.requestOrder(late).isPaid == false)
        #expect(world.wire.repeatable == ["/v1/access-tokens", "/v1/config"])
    }

    @Test("Accounts of the wallets that can be stored", arguments: ["paypal", "venmo", "cashapppay"])
    func wallets(_ method: String) async throws {
        let world = try MerchantWorld()
        let client = try await client(world)
        let first = try await order(world, method, "order-1")
        first.payment?.requestToken = true
        #expect(await client.requestOrder(first).isPaid)
        let token = try #require(try await world.client.storedInstruments(of: Self.payer).first).token
        let second = try await order(world, method, "order-2")
        second.payment?.token = token.reveal()
        #expect(await client.requestOrder(second).isPaid)
    }

    @Test("Nothing is stored without a request, or of a payer without a name")
    func notAskedFor() async throws {
        let world = try MerchantWorld()
        let client = try await client(world)
        let order = try await order(world, "paypal", "order-1")
        #expect(await client.requestOrder(order).isPaid)
        #expect(try await world.client.storedInstruments(of: Self.payer).isEmpty)
    }

    @Test("An account is stored without a payment, and no charge is made")
    func storing() async throws {
        let world = try MerchantWorld()
        let stored = try await world.client.store(
            nonce: Redacted("fake-valid-nonce"), method: "card", of: Self.payer)
        #expect(stored.consumer == Self.payer && stored.method == "card")
        #expect(try await world.client.storedInstruments(of: Self.payer) == [stored])
        let refused = await failure {
            _ = try await world.client.store(nonce: Redacted("x"), method: "card", of: Self.payer)
        }
        #expect(refused?.code == .requestRefused)
        // Without a token nothing is stored.
        let offline = try MerchantWorld()
        offline.faults.inject(.dropBefore) { $1 == "/v1/access-tokens" }
        let unsent = await failure {
            _ = try await offline.client.store(nonce: Redacted("fake-valid-nonce"), method: "card", of: Self.payer)
        }
        #expect(unsent != nil && unsent?.phase != .maybeSent && offline.posts("vault") == 0)
        #expect(await world.sandbox.ledger.entries.isEmpty)
    }

    @Test("An account stored for another user is not handed out")
    func foreign() async throws {
        let world = try MerchantWorld()
        func account(_ id: String, _ consumer: String) -> String {
            #"{"id":"\#(id)","object":"vault","consumer":{"reference":"\#(consumer)"},"payment":{"method":"card"}}"#
        }
        func answer(_ data: String) -> FaultInjector.Fault {
            .status(200, body: #"{"status":"success","data":\#(data)}"#)
        }
        world.faults.inject(answer(#"{"data":[\#(account("1", "customer-8"))]}"#)) { $1 == "/v1/vault" }
        #expect(await failure { _ = try await world.client.storedInstruments(of: Self.payer) }?.code == .integrity)
        world.faults.inject(answer(account("2", "customer-7"))) { $1 == "/v1/vault/1" }
        #expect(await failure { _ = try await world.client.storedInstrument(Redacted("1")) }?.code == .integrity)
        for method in ["card", "paypal"] {
            world.faults.inject(answer(account("2", method == "card" ? "customer-8" : "customer-7"))) {
                $1 == "/v1/vault"
            }
            let stored = await failure {
                _ = try await world.client.store(nonce: Redacted("fake-n"), method: method, of: Self.payer)
            }
            #expect(stored?.code == .integrity && stored?.phase == .maybeSent)
        }
        for data in [
            "{}", #"{"data":{}}"#, #"{"data":[{}]}"#, #"{"data":[7]}"#, #"{"data":[\#(account("", "customer-7"))]}"#,
        ] {
            world.faults.inject(answer(data)) { $1 == "/v1/vault" }
            let error = await failure { _ = try await world.client.storedInstruments(of: Self.payer) }
            #expect(error?.code == .invalidResponse && error?.phase == .answered, "\(data)")
        }
    }

    @Test("A lost deletion is settled by asking")
    func lostDeletion() async throws {
        let world = try MerchantWorld()
        let stored = try await world.client.store(
            nonce: Redacted("fake-valid-nonce"), method: "card", of: Self.payer)
        let path = "/v1/vault/\(stored.token.reveal())"
        world.faults.inject(.dropBefore) { $0 == "DELETE" && $1 == path }
        #expect(await failure { try await world.client.forget(stored.token) }?.phase == .maybeSent)
        world.faults.inject(.dropAfter) { $0 == "DELETE" && $1 == path }
        try await world.client.forget(stored.token)
        #expect(try await world.client.storedInstrument(stored.token) == nil)
        for token in ["", "..", "a/b"] {
            #expect(
                await failure { try await world.client.forget(Redacted(token)) }?.phase == .beforeSend, "'\(token)'")
            #expect(await failure { _ = try await world.client.storedInstrument(Redacted(token)) } != nil)
        }
        #expect(world.faults.requests.allSatisfy { $0.method != "DELETE" || $0.path == path })
    }

    @Test("A refused deletion is done if the account does not exist, and open if it does")
    func refusedDeletion() async throws {
        let world = try MerchantWorld()
        let stored = try await world.client.store(nonce: Redacted("fake-valid-nonce"), method: "card", of: Self.payer)
        for (token, phase) in [("unknown", nil), (stored.token.reveal(), .maybeSent)] as [(String, PaymentError.Phase?)]
        {
            world.faults.inject(.status(400, body: #"{"status":"fail","data":{"code":"4000"}}"#)) { method, _ in
                method == "DELETE"
            }
            #expect(await failure { try await world.client.forget(Redacted(token)) }?.phase == phase)
        }
    }

    @Test("An account that was not stored is reported as such, and not repeated")
    func lostStoring() async throws {
        let world = try MerchantWorld()
        world.faults.inject(.dropAfter) { $0 == "POST" && $1 == "/v1/vault" }
        let error = await failure {
            _ = try await world.client.store(nonce: Redacted("fake-valid-nonce"), method: "card", of: Self.payer)
        }
        #expect(error?.phase == .maybeSent && world.posts("vault") == 1)
        #expect(try await world.client.storedInstruments(of: Self.payer).count == 1)
    }

    @Test("What a method lets payers choose from")
    func choices() async throws {
        let world = try MerchantWorld()
        let amount = try Money(minorUnits: 12000, currency: .fiat(try FiatCurrency("KRW")))
        let choices = try await world.client.choices(for: "banktransfer", paying: amount)
        #expect(choices.map(\.id) == ["banktransfer-one", "banktransfer-two"] && choices[0].name == "Sandbox one")
        #expect(world.faults.requests.last?.query == "method=banktransfer&amount=12000&currency=KRW")
        #expect(try await world.client.choices(for: "alipay+", paying: amount).count == 2)
        let odd = #"{"status":"success","data":{"data":[{"id":""},{"id":"one"},{"name":"two"}]}}"#
        world.faults.inject(.status(200, body: odd)) { $1 == "/v1/consults" }
        #expect(try await world.client.choices(for: "alipay+", paying: amount).map(\.name) == ["one"])
        #expect(await failure { _ = try await world.client.choices(for: "toss", paying: amount) } != nil)
        #expect(
            await failure { _ = try await world.client.choices(for: "bkash", paying: amount) }?.code == .unsupported)
    }
}
