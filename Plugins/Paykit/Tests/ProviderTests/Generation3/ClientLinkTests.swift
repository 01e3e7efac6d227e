import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// Private links by the client, over homeservers of each generation (Protocol 12.8 and 12.9).
@Suite("Paykit's client and private links")
struct ClientLinkTests: NetworkSuite {
    let network = TestNetwork()

    private func client(_ number: UInt8, _ app: String, secret: Bool = true) async throws -> PaykitClient {
        try await sandbox.client(number, clock: clock, seed: UInt64(number)) {
            $0.receiver = PaykitReceiverPath(app)
            $0.receiverSecret = secret ? Redacted([UInt8](repeating: number, count: 32)) : nil
        }
    }

    private let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)

    private func linked(_ first: PaykitPrivateLink, _ second: PaykitPrivateLink) async throws {
        for _ in 0..<4 {
            try await first.poll()
            try await second.poll()
        }
        #expect(try await [first.poll(), second.poll()] == [.linked, .linked])
    }

    /// The links of a shop and a friend, to each other.
    private func links() async throws -> (
        shop: PaykitClient, toShop: PaykitPrivateLink, toFriend: PaykitPrivateLink, friend: PaykitClient
    ) {
        let shop = try await client(1, "shop/server")
        let friend = try await client(2, "bitkit/wallet")
        for client in [shop, friend] { try await client.publishReceiver() }
        let toShop = try await friend.privateLink(with: #require(await shop.user?.text))
        let toFriend = try await shop.privateLink(with: #require(await friend.user?.text))
        try await linked(toShop, toFriend)
        return (shop, toShop, toFriend, friend)
    }

    @Test("A request becomes a payment and a receipt, while the homeserver changes its generation in the middle")
    func wholeWay() async throws {
        let (shop, toShop, toFriend, friend) = try await links()
        #expect(toShop.app.text == "shop/server")
        let amount = try Money(decimal: "0.000021", currency: .satoshi)
        let invoice = await sandbox.createInvoice(2100, for: toShop.peer)
        let id = try await toFriend.ask(
            for: amount, reference: "order 7", methods: ["btc-lightning-bolt11"],
            at: [PaykitEndpoint(methodID: "btc-lightning-bolt11", endpoint: invoice)])
        await sandbox.upgrade(to: .storagePaths)
        clock.advance(by: .seconds(4000))
        for client in [shop, friend] { try await client.refreshSession() }
        try await linked(toShop, toFriend)

        let request = try #require(try await toShop.requests().first)
        #expect(request.id == id && !request.isOwn && request.amount == amount && request.phase == .proposed)
        try await toShop.accept(id)
        let proof = try await toShop.pay(id, with: network.settler, check: check)
        #expect(try await toShop.pay(id, with: network.settler, check: check) == proof)
        #expect(await captures(of: toShop.peer) == 1)
        try await linked(toShop, toFriend)
        #expect(try await toFriend.proof(of: id) == proof)
        #expect(try await toFriend.requests().first?.phase == .proven)
        try await toFriend.issueReceipt(for: id)
        try await linked(toFriend, toShop)
        let receipts = try await toShop.receipts(for: id)
        #expect(try await toFriend.receipts(for: id) == receipts && receipts.count == 1)
    }

    @Test("A payee asks for a payment each month, reads the proof of each period, and issues a receipt for it")
    func recurring() async throws {
        let (_, toShop, toFriend, _) = try await links()
        let amount = try Money(decimal: "0.000021", currency: .satoshi)
        func invoice() async -> [PaykitEndpoint] {
            let text = await sandbox.createInvoice(2100, for: toShop.peer)
            return [PaykitEndpoint(methodID: "btc-lightning-bolt11", endpoint: text)]
        }
        let id = try await toFriend.ask(
            for: amount, reference: "the gym", methods: ["btc-lightning-bolt11"], at: await invoice(),
            recurring: PaykitRecurrence(every: 1, .month, from: clock.now), until: clock.now.addingTimeInterval(86_400),
            metadata: ["place": "Berlin"])
        try await linked(toFriend, toShop)
        let request = try #require(try await toShop.requests().first)
        let schedule = try #require(request.schedule)
        #expect(request.recurs && request.reference == "the gym")
        try await toShop.accept(id)
        for number in 0..<3 {
            let period = try #require(schedule.period(number))
            let proof = try await toShop.pay(period: period, of: id, with: network.settler, check: check)
            try await linked(toShop, toFriend)
            #expect(try await toFriend.proof(of: id, period: period) == proof)
            try await toFriend.issueReceipt(for: id, period: period)
            try await toFriend.offer(await invoice())
            try await linked(toFriend, toShop)
            #expect(try await toShop.receipts(for: id).count == number + 1)
        }
        #expect(try await toFriend.proof(of: id, period: schedule.period(3)) == nil)
        #expect(await captures(of: toShop.peer) == 3)
        await #expect(throws: PaykitError.self) {
            try await toFriend.ask(
                for: amount, reference: "x", methods: ["btc-lightning-bolt11"],
                recurring: PaykitRecurrence(every: 0, .day, from: clock.now))
        }
    }

    @Test("A link takes a receiver and its secret, and a peer who has them too")
    func needs() async throws {
        let bare = try await client(1, "router/wallet", secret: false)
        let user = await sandbox.createUser(.ready)
        let later = await sandbox.createUser(.appRegistry)
        func failure(_ client: PaykitClient, _ key: PubkyKey) async -> PaykitNetworkError? {
            await networkFailure { _ = try await client.privateLink(with: key.text) }
        }
        #expect(await failure(bare, user.key)?.code == .notInitialized)
        let client = try await client(2, "router/wallet")
        #expect(await failure(client, user.key)?.code == .methodNotSupported)
        #expect(await failure(client, later.key)?.message.contains("newer form") == true)
    }

    @Test("A peer who moves to generation 3 in the middle is found there at the next look")
    func changing() async throws {
        let client = try await client(1, "router/wallet")
        let user = await sandbox.createUser(.ready)
        #expect(try await methods(client, user.key.text) == ["lightning", "onchain"])
        let invoice = await sandbox.createInvoice(nil, for: user.key)
        await sandbox.publish(
            Array(#"{"value":"\#(invoice)"}"#.utf8), at: "/pub/paykit/v0/bitkit/wallet/endpoints/btc-lightning-bolt11",
            of: user.key)
        #expect(try await methods(client, user.key.text) == ["lightning", "onchain"])
        clock.advance(by: .seconds(301))
        #expect(try await methods(client, user.key.text) == ["btc-lightning-bolt11"])
        let checkout = try await client.smartCheckout(pubkey: user.key.text, preferredMethod: "lightning")
        #expect(checkout.endpoint == invoice)
    }
}
