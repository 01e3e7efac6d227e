import Foundation
import PaymentCore
import PaymentStore
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// The rows in which the requests of a private link are stored (Protocol 12.6 and 12.8).
@Suite("Requests of private links as rows")
struct LinkRowTests {
    private let folder = ScratchFolder()
    private let party: PrivateLinkParty
    private let shop: PaykitReceiverPath
    private let identifier: PaykitIdentifier

    init() throws {
        let users = try [0x11, 0x22].map { try PubkySamples.pair($0).publicKey }
        shop = try #require(PaykitReceiverPath("shop/server"))
        party = PrivateLinkParty(users[0], try #require(PaykitReceiverPath("router/wallet")), with: users[1], shop)
        identifier = try #require(PaykitIdentifier("btc-lightning-bolt11"))
    }

    // MARK: Samples

    private static func id(_ family: Int, _ number: Int) -> String {
        "\(String(repeating: "\(family)", count: 8))-4444-4444-8444-" + String("00000000000\(number)".suffix(12))
    }

    private static func head(_ request: Int, _ event: Int) -> PrivateLinkMessage.EventHead {
        PrivateLinkMessage.EventHead(eventID: id(1, event), requestID: id(2, request))
    }

    private func request(_ number: Int, recurs: Bool = false, event: Int? = nil) throws -> PrivateLinkMessage {
        let start = PrivateLinkTime(seconds: 1_800_000_000)
        let recurrence = try PrivateLinkRecurrence(every: 1, .hour, start: start, anchor: start, end: nil)
        return .request(
            .init(
                Self.head(number, event ?? 100_000 + number),
                PaymentTerms(
                    try PrivateLinkAmount("0.00001", "btc"), reference: "tea",
                    recurrence: recurs ? recurrence : nil, identifiers: [identifier])))
    }

    private static func period(_ number: Int) throws -> BillingPeriod {
        let start = Int64(1_800_000_000 + number * 3600)
        return try BillingPeriod(start: PrivateLinkTime(seconds: start), end: PrivateLinkTime(seconds: start + 3600))
    }

    private func proof(_ request: Int, _ event: Int, period: Int? = nil) throws -> PrivateLinkMessage {
        .proof(
            PrivateLinkMessage.PaymentProof(
                Self.head(request, event), reference: "tea", period: try period.map { try Self.period($0) },
                identifier: identifier, proof: ["preimage": .string(String(repeating: "ab", count: 32))]))
    }

    private func access(_ request: Int, _ event: Int, period: Int?) throws -> PrivateLinkMessage {
        .receiptAccess(
            ReceiptAccess(
                eventID: Self.id(1, event), receiptID: Self.id(3, event), reference: "tea",
                requestID: Self.id(2, request), period: try period.map { try Self.period($0) }, receiver: shop,
                key: Redacted([UInt8](repeating: 1, count: 32))))
    }

    private func payment(_ stage: PrivateLinkPayment.Stage) -> PrivateLinkPayment {
        PrivateLinkPayment(
            stage: stage, identifier: "btc-lightning-bolt11", endpoint: String(repeating: "x", count: 400),
            satoshis: "1000", list: nil)
    }

    private func hear(_ message: PrivateLinkMessage, _ record: inout PrivateLinkRecord) throws {
        record.hear(Array(try message.text().utf8), from: shop)
    }

    private static func size(_ value: some Encodable) throws -> Int { try JSONEncoder().encode(value).count }

    private func states(_ store: any RecordStore) throws -> PrivateLinkStates {
        PrivateLinkStates(
            store: store,
            seal: StateSeal(try PrivateLinkKeys(secret: Redacted([UInt8](repeating: 5, count: 32)))),
            random: SystemRandomSource())
    }

    // MARK: Size

    /// Pays periods of an hourly request, each with its receipt.
    private func pay(
        _ periods: some Sequence<Int>, _ record: inout PrivateLinkRecord
    ) throws {
        for number in periods {
            let key = PrivateLinkRequest.key(Self.id(2, 0), try Self.period(number))
            record[payment: key] = payment(.paying)
            record[payment: key]?.stage = .paid
            try record.say(try proof(0, number, period: number))
            try hear(try access(0, 200_000 + number, period: number), &record)
        }
    }

    @Test("A request of thousands of periods keeps its size, and every paid period stays paid")
    func manyPeriods() throws {
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        try hear(try request(0, recurs: true), &record)
        try record.say(.acceptance(Self.head(0, 300_000)))
        try pay(0..<100, &record)
        record.channel.outbox = []
        let size = try Self.size(record) + Self.size(record.requests.rows)
        try pay(100..<1200, &record)
        record.channel.outbox = []
        #expect(try Self.size(record) + Self.size(record.requests.rows) < size + 1000)
        let row = try #require(record.requests[Self.id(2, 0)])
        #expect(row.state.phase == .active && row.state.isAccepted)
        #expect(row.payments.count == PrivateLinkRequest.mostPeriods && row.accesses.count == row.payments.count)
        for number in 0..<1200 {
            let period = try Self.period(number)
            #expect(
                row.payments[PrivateLinkRequest.key(row.id, period)]?.stage == .paid || row.past[period] == .paid,
                "\(number)")
        }
        #expect(try row.past[Self.period(1200)] == nil)
        // A proof of a past period is no second one.
        let before = record.requests
        try record.say(try proof(0, 400_000, period: 7))
        #expect(record.requests == before)
        #expect(try JSONDecoder().decode(PrivateLinkRequest.self, from: JSONEncoder().encode(row)) == row)
    }

    @Test("A past period is paid no more, neither by a router nor without one")
    func pastPeriods() async throws {
        let world = try await RequestWorld()
        let start = PrivateLinkTime(seconds: 1_800_000_000)
        let id = try await world.ask(
            recurring: try PrivateLinkRecurrence(every: 1, .hour, start: start, anchor: start, end: nil))
        try await world.payer.flow.accept(id, world.asPayer)
        let identifier = identifier
        try await world.payer.flow.change(world.asPayer) { record throws(PaykitNetworkError) in
            do {
                for number in 0...(PrivateLinkRequest.mostPeriods + 1) where number != 1 {
                    try record.say(
                        .proof(
                            PrivateLinkMessage.PaymentProof(
                                .init(eventID: Self.id(1, number), requestID: id), reference: "tea",
                                period: try Self.period(number), identifier: identifier,
                                proof: ["preimage": .string(String(repeating: "ab", count: 32))])))
                }
            } catch { throw PaykitNetworkError(.invalidData, "\(error)") }
        }
        let (check, flow, asPayer) = (RequestWorld.check, world.payer.flow, try world.asPayer)
        guard case .paid(nil, let amount) = try await flow.due(id, period: Self.period(0), asPayer, check) else {
            Issue.record("a past period is due")
            return
        }
        guard case .open = try await flow.due(id, period: Self.period(1), asPayer, check) else {
            Issue.record("a period that was left out is not due")
            return
        }
        let claim = PrivateLinkClaim(
            party: asPayer, requestID: id, period: try Self.period(0), amount: amount,
            endpoint: PaykitEndpoint(methodID: RequestWorld.bolt11, endpoint: "lnbc1"), number: 0, isOpen: true)
        await #expect(throws: PaykitNetworkError.self) { try await flow.handOver(claim) }
        let settler = ScriptedSettler(
            base: world.node,
            order: { _, _ in
                Issue.record("a past period was asked of the settler")
                return nil
            })
        await #expect(throws: PaykitNetworkError.self) {
            try await flow.pay(id, period: Self.period(0), asPayer, with: settler, check: check)
        }
    }

    @Test("What a payee only announces pushes out no payment, and what is being paid never drops out")
    func announced() throws {
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        try hear(try request(0, recurs: true), &record)
        try record.say(.acceptance(Self.head(0, 300_000)))
        let key = PrivateLinkRequest.key(Self.id(2, 0), try Self.period(0))
        record[payment: key] = payment(.paying)
        try record.say(try proof(0, 1, period: 1))
        for number in 2..<200 { try hear(try access(0, number, period: number), &record) }
        for number in 200..<300 { try hear(try access(0, number, period: 1), &record) }
        var row = try #require(record.requests[Self.id(2, 0)])
        #expect(row.state.proofs.count == 1 && row.payments[key]?.stage == .paying)
        #expect(row.accesses.count <= PrivateLinkRequest.mostPeriods + 3)
        try pay(2..<200, &record)
        row = try #require(record.requests[Self.id(2, 0)])
        #expect(try row.payments[key]?.stage == .paying && row.past[Self.period(1)] == .paid)
    }

    @Test("Failed attempts of many periods keep the size, too")
    func failed() throws {
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        try hear(try request(0, recurs: true), &record)
        for number in 0..<500 {
            let key = PrivateLinkRequest.key(Self.id(2, 0), try Self.period(number))
            record[payment: key] = payment(.paying)
            record[payment: key]?.stage = .failed
        }
        let kept = try #require(record.requests[Self.id(2, 0)]).payments
        #expect(kept.count == PrivateLinkRequest.mostPeriods)
        #expect(kept[PrivateLinkRequest.key(Self.id(2, 0), try Self.period(499))] != nil)
    }

    @Test("Spans join where periods follow each other, and beyond their limit nothing is said to be unpaid")
    func spans() throws {
        var past = PastPeriods()
        for number in [5, 3, 4] { past.insert(try Self.period(number)) }
        #expect(try JSONEncoder().encode(past).count < 60)
        #expect(try past[Self.period(4)] == .paid && past[Self.period(2)] == nil && past[Self.period(6)] == nil)
        for number in 5..<(5 + PastPeriods.mostSpans) { past.insert(try Self.period(2 * number)) }
        #expect(try past[Self.period(4)] == .unknown && past[Self.period(2)] == .unknown)
        #expect(try past[Self.period(10)] == .paid && past[Self.period(11)] == nil)
    }

    // MARK: Number

    @Test("A flood of requests takes the place of unanswered ones, never of those that are accepted or one's own")
    func flooded() throws {
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        try hear(try request(0), &record)
        try record.say(.acceptance(Self.head(0, 300_000)))
        try record.say(try request(1))
        for number in 2..<2000 { try hear(try request(number), &record) }
        #expect(record.requests.rows.count == PrivateLinkRequests.most && record.skipped == 0)
        #expect(record.requests.rows.prefix(2).map(\.id) == [Self.id(2, 0), Self.id(2, 1)])
        #expect(record.requests.rows.last?.id == Self.id(2, 1999))
        // Nothing is left to take the place of.
        for (number, row) in record.requests.rows.dropFirst(2).enumerated() {
            try record.say(.acceptance(.init(eventID: Self.id(1, 400_000 + number), requestID: row.id)))
        }
        let before = record.requests.rows
        try hear(try request(5000), &record)
        #expect(record.requests.rows == before && record.skipped == 1)
        #expect(throws: WireDefect.self) { try record.say(try request(5001)) }
    }

    @Test("Events about nothing and malformed ones leave no trace, however many, and a peer's next event is read")
    func heard() throws {
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        let size = try Self.size(record)
        for number in 0..<12_000 {
            let text = #"{"version":2,"kind":"paykit.payment_request","event_id":"\#(Self.id(1, number))"}"#
            record.hear(Array(text.utf8), from: shop)
            try hear(.cancellation(Self.head(7, 20_000 + number), reason: nil), &record)
        }
        #expect(try Self.size(record) < size + 60 * PrivateLinkRecord.mostMalformed)
        try hear(try request(7, event: 0), &record)
        #expect(record.requests.rows.count == 1)
    }

    // MARK: Storing

    enum Store: CaseIterable {
        case memory, file
    }

    private func store(_ kind: Store) throws -> any RecordStore {
        switch kind {
        case .memory: InMemoryRecords()
        case .file: try SQLiteRecords(path: folder.file("links"))
        }
    }

    @Test("Only rows that change are written, and the state is read as it was stored", arguments: Store.allCases)
    func rows(_ kind: Store) async throws {
        let store = try store(kind)
        let states = try states(store)
        var held = PrivateLinkStates.Held(party: party, record: PrivateLinkRecord(peerKey: "", ephemeral: []))
        for number in 0..<3 { try hear(try request(number), &held.record) }
        try await states.keep(&held)
        try held.record.say(.acceptance(Self.head(1, 9)))
        try await states.keep(&held)
        let stored = try await store.records([.room(party.room)])[0]
        #expect(
            Dictionary(uniqueKeysWithValues: stored.map { ($0.key, StateSeal.number(of: $0)) }) == [
                party.stateKey: 2, party.channelKey: 2, party.rowKey(Self.id(2, 0)): 1, party.rowKey(Self.id(2, 1)): 2,
                party.rowKey(Self.id(2, 2)): 1,
            ])
        let read = try #require(try await states.held(party, about: nil))
        #expect(read.record == held.record && read.number == 2)
        #expect(try await states.held(PrivateLinkParty(party.peer, shop, with: party.user, shop), about: nil) == nil)
    }

    @Test("A row that is missing, of another state, or left without its state, is damage")
    func mixed() async throws {
        let store = InMemoryRecords()
        let states = try states(store)
        var held = PrivateLinkStates.Held(party: party, record: PrivateLinkRecord(peerKey: "", ephemeral: []))
        for number in 0..<2 { try hear(try request(number), &held.record) }
        try await states.keep(&held)
        let key = party.rowKey(Self.id(2, 0))
        let old = try #require(await store.record(key)).value
        try held.record.say(.acceptance(Self.head(0, 9)))
        try await states.keep(&held)
        for change in [
            [.remove(key)], [.put(key, old)], [.put(party.rowKey(Self.id(2, 7)), old)], [.remove(party.stateKey)],
        ] as [[RecordWrite]] {
            let copy = InMemoryRecords()
            copy.content = store.content
            try await copy.change([.record(key)]) { _ in RecordChange(change, ()) }
            let copied = try self.states(copy)
            await #expect(throws: PaykitNetworkError.self) { _ = try await copied.held(party, about: nil) }
        }
    }

    @Test("Links are found by the app that has them, and by its peer")
    func parties() async throws {
        let states = try states(InMemoryRecords())
        let (other, third) = (try #require(PaykitReceiverPath("other/wallet")), try PubkySamples.pair(0x33).publicKey)
        let parties = [
            party, PrivateLinkParty(party.user, party.receiver, with: party.peer, other),
            PrivateLinkParty(party.user, party.receiver, with: third, shop),
            PrivateLinkParty(party.user, other, with: third, shop),
            PrivateLinkParty(party.peer, party.receiver, with: party.user, shop),
        ]
        for party in parties {
            var held = PrivateLinkStates.Held(party: party, record: PrivateLinkRecord(peerKey: "", ephemeral: []))
            for _ in 0..<2 { try await states.keep(&held) }
        }
        let own = try await states.parties(of: party.user, party.receiver)
        #expect(Set(own) == Set(parties[..<3]) && own.map(\.name) == own.map(\.name).sorted())
        #expect(try await Set(states.parties(of: party.user, party.receiver, with: party.peer)) == Set(parties[..<2]))
        #expect(try await states.parties(of: third, party.receiver).isEmpty)
    }

    @Test("A paid request that made room for others is taken up again by its id, with what was paid")
    func takenUp() async throws {
        let store = InMemoryRecords()
        let states = try states(store)
        var held = PrivateLinkStates.Held(party: party, record: PrivateLinkRecord(peerKey: "", ephemeral: []))
        for number in 0..<2 {
            try hear(try request(number), &held.record)
            try held.record.say(.acceptance(Self.head(number, 10 + number)))
        }
        // The first is paid, the second only rejected afterwards.
        held.record[payment: Self.id(2, 0)] = payment(.paid)
        try held.record.say(try proof(0, 20))
        try held.record.say(.cancellation(Self.head(1, 21), reason: nil))
        try await states.keep(&held)
        for number in 2..<(PrivateLinkRequests.most + 2) {
            try hear(try request(number), &held.record)
            try held.record.say(.acceptance(Self.head(number, 1000 + number)))
        }
        // Before the change is stored, the peer's request comes again.
        var early = held.record
        try early.say(.cancellation(Self.head(2, 7999), reason: nil))
        try hear(try request(0, event: 7000), &early)
        #expect(early[payment: Self.id(2, 0)]?.stage == .paid)
        try await states.keep(&held)
        for key in [party.rowKey(Self.id(2, 1)), party.pastKey(Self.id(2, 1))] {
            #expect(try await store.record(key) == nil, "nothing was paid for it")
        }
        #expect(try await store.record(party.pastKey(Self.id(2, 0))) != nil)
        var again = try #require(try await states.held(party, about: nil))
        #expect(again.record.requests[Self.id(2, 0)] == nil)
        try again.record.say(.cancellation(Self.head(2, 8000), reason: nil))
        try await states.keep(&again)
        // Its own row again, in place of one that is over.
        again = try #require(try await states.held(party, about: Self.id(2, 0)))
        #expect(again.record[payment: Self.id(2, 0)]?.satoshis == "1000")
        try await states.keep(&again)
        #expect(try await store.record(party.pastKey(Self.id(2, 0))) == nil)
        let last = try #require(try await states.held(party, about: nil))
        #expect(last.record[payment: Self.id(2, 0)]?.stage == .paid)
        #expect(last.record.requests[Self.id(2, 2)] == nil)
    }

    @Test("A stored link stays small while a thousand periods are asked, paid and receipted over it")
    func thousand() async throws {
        let store = InMemoryRecords()
        let states = try states(store)
        var held = PrivateLinkStates.Held(party: party, record: PrivateLinkRecord(peerKey: "", ephemeral: []))
        try hear(try request(0, recurs: true), &held.record)
        try held.record.say(.acceptance(Self.head(0, 300_000)))
        for number in 0..<1000 {
            try pay(number..<(number + 1), &held.record)
            held.record.channel.outbox = []
            if number % 50 == 49 { try await states.keep(&held) }
        }
        let sizes = await store.records([.room(party.room)])[0].map(\.value.count)
        #expect(sizes.count == 3 && sizes.reduce(0, +) < 120_000, "\(sizes)")
        let read = try #require(try await states.held(party, about: nil))
        #expect(read.record.requests.rows == held.record.requests.rows)
    }
}
