import PaymentCore
import PaymentCrypto
import PaymentStore
import TestSupport
import Testing

@testable import PaykitProvider

@Suite("Receipts of private payments")
struct ReceiptTests {
    private let folder = ScratchFolder()
    private let store = InMemoryRecords()
    private var receipts: Receipts { Receipts(store) }

    private static func receipt(
        _ name: String = "r1", payer: String = "anna", _ change: (inout ChannelReceipt) -> Void = { _ in }
    ) -> ChannelReceipt {
        var receipt = ChannelReceipt(
            id: ChannelReceipt.ID(payer: payer, payee: "ben", name: name), method: "lightning", amount: "1000",
            currency: "SAT", createdAt: 1_767_225_600)
        change(&receipt)
        return receipt
    }

    @Test("The first of an id stays, whatever comes later")
    func first() async throws {
        #expect(try await receipts.receipt(Self.receipt().id) == nil)
        #expect(try await receipts.keep(Self.receipt()) == Self.receipt())
        let later = Self.receipt { $0.metadata = ["invoice": "other"] }
        #expect(try await receipts.keep(later) == Self.receipt())
        #expect(try await receipts.receipt(later.id) == Self.receipt())
        // The same name of another payer is another receipt.
        let other = Self.receipt(payer: "dora") { $0.metadata = ["n": 1] }
        #expect(try await receipts.keep(other) == other)
        #expect(try await receipts.receipts(before: nil, limit: 9) == [other, Self.receipt()])
    }

    @Test("Of all who advance a receipt at once, one does")
    func advance() async throws {
        let receipts = receipts
        _ = try await receipts.keep(Self.receipt())
        let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                let mine = Self.receipt {
                    $0.stage = .confirmed
                    $0.metadata = ["number": .number(JSONNumber(Int64(number)))]
                }
                group.addTask { try await receipts.advance(mine, from: [.requested]) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
        let paid = Self.receipt {
            $0.stage = .paid
            $0.proof = ["txid": "ab"]
        }
        #expect(try await !receipts.advance(paid, from: [.paying]))
        #expect(try await receipts.advance(paid, from: [.confirmed, .paying]))
        #expect(try await receipts.receipt(paid.id) == paid)
        #expect(try await !receipts.advance(Self.receipt("unknown"), from: Set(ChannelReceipt.Stage.allCases)))
    }

    @Test("Terms never change with the stage")
    func terms() async throws {
        _ = try await receipts.keep(Self.receipt())
        let other = ChannelReceipt(
            id: Self.receipt().id, method: "onchain", amount: "1", currency: nil, createdAt: 0, stage: .confirmed)
        #expect(try await receipts.advance(other, from: [.requested]))
        let kept = try #require(try await receipts.receipt(other.id))
        #expect(kept.agrees(with: Self.receipt()) && !kept.agrees(with: other) && kept.stage == .confirmed)
        #expect(kept.createdAt == Self.receipt().createdAt)
    }

    @Test("Lists come in pages, the latest first, and an advanced receipt stays in its place")
    func pages() async throws {
        for number in 0..<7 { _ = try await receipts.keep(Self.receipt("r\(number)")) }
        #expect(try await receipts.advance(Self.receipt("r2") { $0.stage = .paid }, from: [.requested]))
        var names: [String] = []
        var last: ChannelReceipt.ID?
        while true {
            let page = try await receipts.receipts(before: last, limit: 3)
            guard let end = page.last else { break }
            names += page.map(\.id.name)
            last = end.id
        }
        #expect(names == (0..<7).reversed().map { "r\($0)" })
        #expect(try await receipts.receipts(before: Self.receipt("unknown").id, limit: 3).isEmpty)
        #expect(try await receipts.receipts(before: nil, limit: -1).isEmpty)
    }

    @Test("An arrival is recorded once, and claimed for one purpose")
    func arrivals() async throws {
        let arrival = ChannelArrival(kind: "request", sender: "ben", name: "req_1")
        #expect(try await !receipts.isNoted(arrival))
        #expect(try await receipts.note(arrival))
        #expect(try await !receipts.note(arrival))
        #expect(try await receipts.isNoted(arrival))
        for other in [
            ChannelArrival(kind: "proposal", sender: "ben", name: "req_1"),
            ChannelArrival(kind: "request", sender: "cara", name: "req_1"),
            ChannelArrival(kind: "request", sender: "ben", name: "req_2"),
            ChannelArrival(kind: "request", sender: "benreq_1", name: ""),
        ] {
            #expect(try await !receipts.isNoted(other))
        }
        let invoice = ChannelArrival(kind: "invoice", sender: "anna", name: "hash")
        for _ in 0..<2 { #expect(try await receipts.claim(invoice, for: "r1")) }
        for purpose in ["r2", ""] { #expect(try await !receipts.claim(invoice, for: purpose)) }
        #expect(try await receipts.isNoted(invoice))
    }

    private static let samples: [ChannelReceipt] = [
        receipt(),
        ChannelReceipt(
            id: .init(payer: "anna", payee: "ben", name: "r2"), method: "onchain", amount: nil, currency: nil,
            createdAt: 1_767_225_601, metadata: ["address": "bc1q", "note": "it's"], stage: .confirmed),
        ChannelReceipt(
            id: .init(payer: "anna", payee: "cara", name: "r1"), method: "lightning", amount: "12.50", currency: "EUR",
            createdAt: 1_767_225_602, metadata: ["invoice": "lnbc1"], stage: .paying),
        ChannelReceipt(
            id: .init(payer: "dora", payee: "anna", name: String(repeating: "long ", count: 1000)),
            method: "lightning", amount: "9223372036854775808", currency: "SAT", createdAt: .max,
            metadata: (1..<JSONValue.maximumDepth).reduce(["invoice": "lnbc2"]) { deep, _ in ["more": deep] },
            stage: .paid, proof: ["proof_type": "bitcoin_txid", "txid": "ab"]),
    ]

    @Test("Everything of a receipt is read as it was stored, by a later program, too")
    func file() async throws {
        let path = folder.file("records")
        do {
            let receipts = Receipts(try SQLiteRecords(path: path))
            for receipt in Self.samples { #expect(try await receipts.keep(receipt) == receipt) }
        }
        let later = Receipts(try SQLiteRecords(path: path, creating: false))
        #expect(try await later.receipts(before: nil, limit: 9) == Self.samples.reversed())
    }

    @Test(
        "A receipt that cannot be read is damage, and never another one or none",
        arguments: [
            (#""stage":"requested""#, #""stage":"done""#), (#""metadata":"{}""#, #""metadata":"{""#),
            (#""metadata":"{}""#, #""metadata":{}"#), (#""method":"lightning""#, #""proof":"","method":"lightning""#),
            (#""method":"lightning","#, ""), (#""payer":"anna""#, #""payer":"dora""#),
            (#""amount":"1000""#, #""amount":1000"#), ("{", ""),
        ])
    func damage(_ old: String, _ new: String) async throws {
        _ = try await receipts.keep(Self.receipt())
        let query = RecordQuery("paykit-receipt", by: "all", limit: 9)
        let record = try #require(await store.records(query).first)
        let text = String(decoding: record.value, as: UTF8.self)
        let changed = text.replacing(old, with: new)
        #expect(changed != text)
        try await store.change([.record(record.key)]) { _ in
            RecordChange([.put(record.key, Array(changed.utf8), marks: ["all": RecordMark("")])], ())
        }
        let paid = Self.receipt { $0.stage = .paid }
        #expect(await code { _ = try await receipts.receipt(paid.id) } == .storage)
        #expect(await code { _ = try await receipts.keep(paid) } == .storage)
        #expect(await code { _ = try await receipts.advance(paid, from: [.requested]) } == .storage)
        #expect(await code { _ = try await receipts.receipts(before: nil, limit: 1) } == .storage)
    }

    @Test("An arrival that cannot be read is damage")
    func damagedArrival() async throws {
        let arrival = ChannelArrival(kind: "request", sender: "ben", name: "req_1")
        #expect(try await receipts.note(arrival))
        let hash = Hex.encode(Digest.sha256.hash(Array(#"["request","ben","req_1"]"#.utf8)))
        let key = RecordKey("paykit-arrival", room: hash)
        #expect(try await store.record(key) != nil)
        for value in ["", #"["request","ben","req_1"]"#, #"["request","ben","req_2",""]"#] {
            try await store.change([.record(key)]) { _ in RecordChange([.put(key, Array(value.utf8))], ()) }
            #expect(await code { _ = try await receipts.note(arrival) } == .storage)
            #expect(await code { _ = try await receipts.isNoted(arrival) } == .storage)
            #expect(await code { _ = try await receipts.claim(arrival, for: "") } == .storage)
        }
    }
}
