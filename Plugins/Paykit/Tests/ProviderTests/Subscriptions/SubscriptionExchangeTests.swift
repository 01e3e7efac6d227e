import Foundation
import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// Subscriptions between two users who leave each other sealed messages (Protocol 6.3).
@Suite("Subscriptions between two parties", .timeLimit(.minutes(1)))
struct SubscriptionExchangeTests {
    private let clock = PatientClock()
    private let sandbox: PubkySandbox
    /// The payee and the payer.
    private let shop: Party
    private let mina: Party

    private struct Party {
        let client: PaykitClient
        let key: PubkyKey
        let pair: PubkyKeyPair
        let store: InMemoryRecords
    }

    init() async throws {
        sandbox = PubkySandbox(clock: clock, random: SeededRandomSource(seed: 1))
        shop = try await Self.party(0x22, InMemoryRecords(), sandbox, clock)
        mina = try await Self.party(0x11, InMemoryRecords(), sandbox, clock)
        for party in [shop, mina] { try await party.client.publishMessageKey() }
    }

    /// All users' connections.
    private static let streams = LocalStreams()

    private static func party(
        _ byte: UInt8, _ store: InMemoryRecords, _ sandbox: PubkySandbox, _ clock: PatientClock, seed: UInt64 = 0
    ) async throws -> Party {
        clock.advance(by: .seconds(1))
        let client = try await sandbox.client(
            byte, clock: clock, seed: UInt64(byte) + seed, streams: streams, store: store)
        let pair = try PubkySamples.pair(byte)
        return Party(client: client, key: pair.publicKey, pair: pair, store: store)
    }

    private var now: Int64 { Int64(clock.now.timeIntervalSince1970) }

    private func toMina() async throws -> PaykitSubscriptions {
        try await shop.client.subscriptions(with: mina.key.text)
    }
    private func toShop() async throws -> PaykitSubscriptions {
        try await mina.client.subscriptions(with: shop.key.text)
    }

    private func subscription(_ id: String = "gym", amount: String = "3000") throws -> PaykitSubscription {
        try PaykitSubscription(
            id: id, subscriber: mina.key, provider: shop.key,
            terms: PaykitSubscriptionTerms(
                amount: amount, frequency: .custom(intervalSeconds: 30 * 86_400), description: "the gym, each month"),
            createdAt: now, startsAt: now)
    }

    /// Both agree to a subscription, the payee having proposed it.
    private func agree(_ id: String = "gym") async throws {
        try await toMina().propose(subscription(id))
        try await toMina().poll()
        #expect(try await toShop().poll().changed.map(\.id) == [id])
        try await toShop().accept(id)
        try await rounds(1)
    }

    /// Lets Mina poll, and then the shop, `count` times.
    private func rounds(_ count: Int) async throws {
        for _ in 0..<count {
            try await toShop().poll()
            try await toMina().poll()
        }
    }

    private func record(_ side: PaykitSubscriptions, _ id: String = "gym") async throws -> PaykitSubscriptionRecord {
        try #require(await side.records().first { $0.id == id })
    }

    @Test("It is proposed, signed by both, changed in the middle of a period, and ended, over two homeservers")
    func wholeLife() async throws {
        try await agree()
        let (theirs, mine) = (try await record(toMina()), try await record(toShop()))
        #expect(theirs.agreements == mine.agreements && theirs.status(at: now) == .active)
        #expect(mine.agreements.first?.subscriberSignature != nil && mine.agreements.first?.providerSignature != nil)
        // A third of the period is over.
        clock.advance(by: .seconds(10 * 86_400))
        try await toShop().propose(.upgrade(amount: "6000"), of: "gym", from: now)
        let proration = try #require(
            try await PaykitSubscriptions.proration(of: record(toShop()), to: "6000", from: now))
        #expect(proration.payable?.minorUnits == 2000)
        try await toShop().poll()
        #expect(try await record(toShop()).subscription(at: now)?.terms.amount == "3000", "nobody has agreed")
        #expect(try await toMina().poll().changed.count == 1)
        try await toMina().accept("gym")
        try await toMina().poll()
        try await toShop().poll()
        for side in [try await toMina(), try await toShop()] {
            #expect(try await record(side).subscription(at: now)?.terms.amount == "6000")
        }
        #expect(try await record(toMina()).agreements == record(toShop()).agreements)
        try await toShop().cancel("gym", effectiveAt: now + 60, reason: "too far")
        try await toShop().poll()
        let ended = try await toMina().poll().changed
        #expect(ended.first?.cancellation?.reason == "too far" && ended.first?.cancellation?.side == .subscriber)
        #expect(try await record(toMina()).status(at: now + 60) == .cancelled)
    }

    /// Makes no terms.
    private struct Nobody: PaykitPayee {
        func terms(for inquiry: PaykitInquiry) async throws -> PaykitPayeeTerms {
            throw PaykitPayeeError("NOTHING", "There is nothing to pay")
        }
    }

    @Test("Over a channel it is proposed, signed by both, changed and ended at once, without a message on a homeserver")
    func overChannel() async throws {
        let listener = try await mina.client.listen(at: .loopback(), asHost: "127.0.0.1", for: Nobody())
        let listening = Task { await listener.run() }
        defer { listening.cancel() }
        try await toMina().propose(subscription())
        try await toMina().exchangeOverChannel()
        #expect(try await record(toShop()).proposal != nil)
        try await toShop().accept("gym")
        #expect(try await toMina().exchangeOverChannel().changed.map(\.id) == ["gym"])
        #expect(try await record(toMina()).agreements == record(toShop()).agreements)
        #expect(try await record(toMina()).status(at: now) == .active)
        try await toShop().propose(.upgrade(amount: "6000"), of: "gym", from: now)
        try await toMina().exchangeOverChannel()
        try await toMina().accept("gym")
        try await toMina().exchangeOverChannel()
        #expect(try await record(toShop()).subscription(at: now)?.terms.amount == "6000")
        try await toMina().cancel("gym", effectiveAt: now + 60, reason: "closed")
        try await toMina().exchangeOverChannel()
        #expect(try await record(toShop()).cancellation?.reason == "closed")
        #expect(try await toMina().exchangeOverChannel().changed.isEmpty)
        // Without a listener on that side.
        await #expect(throws: PaykitError.self) { try await toShop().exchangeOverChannel() }
    }

    @Test("A channel with another user shows none of these subscriptions")
    func otherChannel() async throws {
        let third = try await Self.party(0x33, InMemoryRecords(), sandbox, clock)
        let listener = try await third.client.listen(at: .loopback(), asHost: "127.0.0.1", for: Nobody())
        let listening = Task { await listener.run() }
        defer { listening.cancel() }
        try await toMina().propose(subscription())
        let channel = try await shop.client.dialer().open(to: listener.endpoint)
        defer { channel.close() }
        await #expect(throws: PaykitNetworkError.self) {
            try await shop.client.exchange(with: mina.key).exchange(over: channel)
        }
        // Nor does the third user take in what is between the others.
        let view = SubscriptionView(try await record(toMina()), of: shop.key).json
        #expect(try await channel.exchange(view) == nil)
    }

    @Test("What is polled again, or comes again after a restart, changes nothing")
    func repeated() async throws {
        try await agree()
        let before = try await record(toShop())
        for _ in 0..<3 {
            #expect(try await toShop().poll().changed.isEmpty)
            #expect(try await toMina().poll().changed.isEmpty)
        }
        // The same user on another program with the same store.
        let later = try await Self.party(0x11, mina.store, sandbox, clock, seed: 9)
        let again = try await later.client.subscriptions(with: shop.key.text)
        #expect(try await again.records() == [before])
        #expect(try await again.poll().changed.isEmpty)
    }

    @Test("A homeserver that returns to an earlier message brings back no proposal, and takes no end away")
    func replayed() async throws {
        try await toMina().propose(subscription())
        try await toMina().poll()
        let paths = await sandbox.paths(of: shop.key).filter { $0.contains("/subscriptions/") }
        let path = try #require(paths.first)
        let first = try #require(await sandbox.file(at: path, of: shop.key))
        try await toShop().poll()
        try await toShop().decline("gym")
        await sandbox.publish(first, at: path, of: shop.key)
        #expect(try await toShop().poll().changed.isEmpty)
        #expect(try await record(toShop()).status(at: now) == .declined)
        try await toMina().poll()
        #expect(try await record(toMina()).status(at: now) == .declined)
        // Moved to another place it is not even opened.
        await sandbox.publish(first, at: path + "0", of: shop.key)
        #expect(try await toShop().poll().changed.isEmpty)
    }

    /// The contents of a user's files, by path.
    private func files(of party: Party) async -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in await sandbox.paths(of: party.key) { files[path] = await sandbox.file(at: path, of: party.key) }
        return files
    }

    private func put(_ files: [String: [UInt8]], of party: Party) async {
        for path in await sandbox.paths(of: party.key) where files[path] == nil {
            await sandbox.unpublish(path, of: party.key)
        }
        for (path, content) in files { await sandbox.publish(content, at: path, of: party.key) }
    }

    @Test("Of two changes that cross each other both sides keep the same one")
    func crossing() async throws {
        try await agree()
        clock.advance(by: .seconds(3600))
        try await toShop().propose(.downgrade(amount: "1000"), of: "gym", from: now + 100)
        try await toMina().propose(.upgrade(amount: "9000"), of: "gym", from: now + 100)
        // Both are sent before either is read.
        let before = await files(of: mina)
        try await toShop().poll()
        let minas = await files(of: mina)
        await put(before, of: mina)
        try await toMina().poll()
        let shops = await files(of: shop)
        await put(minas, of: mina)
        try await toMina().poll()
        await put(shops, of: shop)
        try await rounds(2)
        let (theirs, mine) = (try await record(toMina()), try await record(toShop()))
        #expect(theirs.proposal == mine.proposal && mine.proposal != nil)
        // One of them can accept it, and is the one who has not proposed it.
        let isMine = mine.proposal?.subscriberSignature != nil
        try await (isMine ? toMina() : toShop()).accept("gym")
        try await rounds(2)
        #expect(try await record(toMina()).agreements == record(toShop()).agreements)
        #expect(try await record(toShop()).agreements.count == 2)
    }

    /// Leaves a message of the shop's for Mina.
    private func leave(_ content: JSONValue, _ name: String) async throws {
        let session = try #require(await shop.client.session)
        try await shop.client.messageStore().leave(content, as: .proposal, named: name, for: mina.key, session)
    }

    @Test(
        "A text signed by a third party, or by no one, is no agreement and no proposal; others are taken all the same")
    func forged() async throws {
        let stranger = try PubkySamples.pair(0x33)
        let random = SeededRandomSource(seed: 4)
        let theirs = try PaykitSubscription(
            id: "other", subscriber: mina.key, provider: stranger.publicKey, terms: subscription().terms,
            createdAt: now, startsAt: now)
        let foreign = try PaykitSubscriptionRecord(proposing: theirs, by: stranger, random: random, at: now)
        let own = PaykitSignedSubscription(try subscription("unsigned"))
        for (signed, name) in [(try #require(foreign.proposal), "a"), (own, "b")] {
            let text =
                "{\"type\":\"SubscriptionState\",\"subscription_id\":\"\(signed.subscription.id)\",\"proposal\":\(signed.text)}"
            try await leave(try JSONValue(parsing: text), name)
        }
        try await leave(["type": "SubscriptionState", "subscription_id": 7], "c")
        try await toMina().propose(subscription())
        try await toMina().poll()
        let news = try await toShop().poll()
        #expect(news.changed.map(\.id) == ["gym"] && news.refused.count == 2, "\(news.refused)")
        #expect(try await toShop().records().map(\.id) == ["gym"])
    }

    @Test("A subscription that another app offers without a signature is shown, and agreed to by proposing it")
    func offered() async throws {
        try await leave(try JSONValue(parsing: subscription("app").text), "prop-1")
        let offer = try #require(try await toShop().poll().offers.first)
        #expect(offer.id == "app")
        try await toShop().propose(offer)
        #expect(try await toShop().poll().offers.isEmpty)
        #expect(try await toMina().poll().changed.map(\.id) == ["app"])
    }

    @Test("Nothing of it can be read on a homeserver or in the store, and another user's key opens nothing")
    func secrecy() async throws {
        try await agree()
        for party in [shop, mina] {
            for path in await sandbox.paths(of: party.key) where path.contains("/subscriptions/") {
                let file = try #require(await sandbox.file(at: path, of: party.key))
                #expect(!String(decoding: file, as: UTF8.self).contains("gym"))
            }
        }
        let key = RecordKey("paykit-subscriptions", room: "\(mina.key)/\(shop.key)", name: "state")
        let value = try #require(await mina.store.record(key)).value
        #expect(!String(decoding: value, as: UTF8.self).contains("gym"))
        // The same bytes as another user's: a seal is bound to its key.
        let copy = InMemoryRecords()
        let swapped = RecordKey("paykit-subscriptions", room: "\(shop.key)/\(mina.key)", name: "state")
        try await copy.change([.record(swapped)]) { _ in RecordChange([.put(swapped, value)], ()) }
        let thief = try await Self.party(0x22, copy, sandbox, clock, seed: 9)
        #expect(await code { _ = try await thief.client.subscriptions(with: mina.key.text).records() } == .storage)
        // Another number.
        try await copy.change([.record(key)]) { _ in
            RecordChange([.put(key, UInt64(99).bigEndianBytes + value.dropFirst(8))], ())
        }
        let other = try await Self.party(0x11, copy, sandbox, clock)
        #expect(await code { _ = try await other.client.subscriptions(with: shop.key.text).records() } == .storage)
    }

    @Test("A flood of proposals takes the place of those that are over, and of no agreement")
    func flooded() async throws {
        try await agree()
        for number in 0..<(SubscriptionExchange.mostRecords + 8) {
            try await toMina().propose(subscription("s\(number)"))
            if number % 20 == 19 {
                try await toMina().poll()
                try await toShop().poll()
            }
            if number == 40 { clock.advance(by: .seconds(8 * 86_400)) }
        }
        let kept = try await toShop().records()
        #expect(kept.count <= SubscriptionExchange.mostRecords && kept.first?.id == "gym")
    }

    @Test("A record and the signatures that were used are stored and read, and checked when they are")
    func stored() async throws {
        try await agree()
        let record = try await record(toShop())
        let data = try JSONEncoder().encode(record)
        #expect(try JSONDecoder().decode(PaykitSubscriptionRecord.self, from: data) == record)
        let changed = String(decoding: data, as: UTF8.self).replacing("3000", with: "zero")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PaykitSubscriptionRecord.self, from: Data(changed.utf8))
        }
        var nonces = PaykitNonces()
        let signature = try #require(record.agreements[0].subscriberSignature)
        try nonces.use(signature, at: now)
        var read = try JSONDecoder().decode(PaykitNonces.self, from: JSONEncoder().encode(nonces))
        #expect(read == nonces)
        #expect(throws: PaykitSubscriptionDefect.usedNonce) { try read.use(signature, at: now) }
    }
}
