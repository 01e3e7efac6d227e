import Foundation
import PaykitProvider
import PaymentCore
import PaymentRouting
import PaymentStore
import TestSupport
import Testing

@testable import PaykitKit

/// Both stores keep the same contract.
@Suite("Receipts of private payments")
struct ReceiptTests {
    enum Kind: CaseIterable {
        case memory, file
    }

    private let folder = ScratchFolder()
    private var path: String { folder.file("receipts") }

    private func store(_ kind: Kind) throws -> any ReceiptStore {
        switch kind {
        case .memory: InMemoryReceipts()
        case .file: try SQLiteReceipts(path: path)
        }
    }

    private static func receipt(
        _ name: String = "r1", payer: String = "anna", _ change: (inout ChannelReceipt) -> Void = { _ in }
    ) -> ChannelReceipt {
        var receipt = ChannelReceipt(
            id: ChannelReceipt.ID(payer: payer, payee: "ben", name: name), method: "lightning", amount: "1000",
            currency: "SAT", createdAt: 1_767_225_600)
        change(&receipt)
        return receipt
    }

    @Test("The first of an id stays, whatever comes later", arguments: Kind.allCases)
    func first(_ kind: Kind) async throws {
        let store = try store(kind)
        #expect(try await store.receipt(Self.receipt().id) == nil)
        #expect(try await store.keep(Self.receipt()) == Self.receipt())
        let later = Self.receipt { $0.metadata = ["invoice": "other"] }
        #expect(try await store.keep(later) == Self.receipt())
        #expect(try await store.receipt(later.id) == Self.receipt())
        // The same name of another payer is another receipt.
        let other = Self.receipt(payer: "dora") { $0.metadata = ["n": 1] }
        #expect(try await store.keep(other) == other)
        #expect(try await store.receipts(before: nil, limit: 9) == [other, Self.receipt()])
    }

    @Test("Of all who bring a receipt on at once, one does", arguments: Kind.allCases)
    func advance(_ kind: Kind) async throws {
        let store = try store(kind)
        _ = try await store.keep(Self.receipt())
        let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                let mine = Self.receipt {
                    $0.stage = .confirmed
                    $0.metadata = ["number": .number(JSONNumber(Int64(number)))]
                }
                group.addTask { try await store.advance(mine, from: [.requested]) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
        let paid = Self.receipt {
            $0.stage = .paid
            $0.proof = ["txid": "ab"]
        }
        #expect(try await !store.advance(paid, from: [.paying]))
        #expect(try await store.advance(paid, from: [.confirmed, .paying]))
        #expect(try await store.receipt(paid.id) == paid)
        #expect(try await !store.advance(Self.receipt("nobody"), from: Set(ChannelReceipt.Stage.allCases)))
    }

    @Test("Terms never change with the stage", arguments: Kind.allCases)
    func terms(_ kind: Kind) async throws {
        let store = try store(kind)
        _ = try await store.keep(Self.receipt())
        let other = ChannelReceipt(
            id: Self.receipt().id, method: "onchain", amount: "1", currency: nil, createdAt: 0, stage: .confirmed)
        #expect(try await store.advance(other, from: [.requested]))
        let kept = try #require(try await store.receipt(other.id))
        #expect(kept.agrees(with: Self.receipt()) && !kept.agrees(with: other) && kept.stage == .confirmed)
    }

    @Test("Lists come in pages, the latest first", arguments: Kind.allCases)
    func pages(_ kind: Kind) async throws {
        let store = try store(kind)
        for number in 0..<7 { _ = try await store.keep(Self.receipt("r\(number)")) }
        var names: [String] = []
        var last: ChannelReceipt.ID?
        while true {
            let page = try await store.receipts(before: last, limit: 3)
            guard let end = page.last else { break }
            names += page.map(\.id.name)
            last = end.id
        }
        #expect(names == (0..<7).reversed().map { "r\($0)" })
        #expect(try await store.receipts(before: Self.receipt("nobody").id, limit: 3).isEmpty)
        #expect(try await store.receipts(before: nil, limit: -1).isEmpty)
    }

    @Test("What has arrived is noted once", arguments: Kind.allCases)
    func arrivals(_ kind: Kind) async throws {
        let store = try store(kind)
        let arrival = ChannelArrival(kind: "request", sender: "ben", name: "req_1")
        #expect(try await !store.isNoted(arrival))
        #expect(try await store.note(arrival))
        #expect(try await !store.note(arrival))
        #expect(try await store.isNoted(arrival))
        for other in [
            ChannelArrival(kind: "proposal", sender: "ben", name: "req_1"),
            ChannelArrival(kind: "request", sender: "cara", name: "req_1"),
            ChannelArrival(kind: "request", sender: "ben", name: "req_2"),
        ] {
            #expect(try await !store.isNoted(other))
        }
    }

    @Test("Two connections to one file see the same receipts, and one of them brings a receipt on")
    func shared() async throws {
        let stores = [try SQLiteReceipts(path: path), try SQLiteReceipts(path: path)]
        _ = try await stores[0].keep(Self.receipt())
        #expect(try await stores[1].keep(Self.receipt { $0.metadata = ["n": 1] }) == Self.receipt())
        let paying = Self.receipt { $0.stage = .paying }
        let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
            for store in stores + stores + stores {
                group.addTask { try await store.advance(paying, from: [.requested]) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
    }

    // MARK: The file

    private static let samples: [ChannelReceipt] = [
        receipt(),
        ChannelReceipt(
            id: .init(payer: "anna", payee: "ben", name: "r2"), method: "onchain", amount: nil, currency: nil,
            createdAt: 1_767_225_601, metadata: ["address": "bc1q", "note": "it's"], stage: .confirmed),
        ChannelReceipt(
            id: .init(payer: "anna", payee: "cara", name: "r1"), method: "lightning", amount: "12.50", currency: "EUR",
            createdAt: 1_767_225_602, metadata: ["invoice": "lnbc1"], stage: .paying),
        ChannelReceipt(
            id: .init(payer: "dora", payee: "anna", name: "r1"), method: "lightning", amount: "9223372036854775808",
            currency: "SAT", createdAt: .max, metadata: ["invoice": "lnbc2"], stage: .paid,
            proof: ["proof_type": "bitcoin_txid", "txid": "ab"]),
    ]
    private static let arrivals = ["request", "subscription_proposal"].map {
        ChannelArrival(kind: $0, sender: "ben", name: "req_1")
    }

    private static func fixture() throws -> String {
        String(decoding: try Vectors.file("receipts/version-\(Schema.receipts.version).sql"), as: UTF8.self)
    }

    @Test("What is written today is what the fixture says, byte for byte")
    func currentForm() async throws {
        let store = try SQLiteReceipts(path: path)
        for receipt in Self.samples { _ = try await store.keep(receipt) }
        for arrival in Self.arrivals { _ = try await store.note(arrival) }
        let other = folder.file("fixture")
        try Data().write(to: URL(filePath: other))
        let fixture = try Database(path: other)
        try fixture.execute(try Self.fixture())
        #expect(
            try Self.contents(Database(path: path)) == Self.contents(fixture),
            "another form needs another version once this one is released")
    }

    /// The whole content of a file.
    private static func contents(_ database: Database) throws -> [String] {
        let receipt = "number, payer, payee, name, method, amount, currency, created, stage, metadata, proof"
        let numbers = try ["application_id", "user_version"].map { "\(try database.number("PRAGMA \($0)") ?? 0)" }
        return try numbers
            + [
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
                "SELECT json_array(\(receipt)) FROM receipt ORDER BY number",
                "SELECT json_array(kind, sender, name) FROM arrival ORDER BY kind, sender, name",
            ].flatMap { try database.texts($0) }
    }

    @Test("The fixture is read")
    func fixtureIsRead() async throws {
        try Data().write(to: URL(filePath: path))
        do { try Database(path: path).execute(try Self.fixture()) }
        let store = try SQLiteReceipts(path: path)
        #expect(try await store.receipts(before: nil, limit: 9) == Self.samples.reversed())
        for arrival in Self.arrivals { #expect(try await store.isNoted(arrival)) }
    }

    @Test("A journal is no file of receipts, and the other way round; both are left as they are")
    func otherFiles() async throws {
        do { _ = try SQLiteJournal(path: path) }
        let journal = try Data(contentsOf: URL(filePath: path))
        #expect(throws: JournalError.notAJournal(path: path)) { try SQLiteReceipts(path: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == journal)
        let other = folder.file("other")
        do { _ = try SQLiteReceipts(path: other) }
        #expect(throws: JournalError.notAJournal(path: other)) { try SQLiteJournal(path: other) }
    }

    @Test("A row that says nothing known is damage", arguments: ["stage = 'done'", "metadata = '{'", "proof = ''"])
    func damage(_ change: String) async throws {
        let store = try SQLiteReceipts(path: path)
        _ = try await store.keep(Self.receipt())
        do { try Database(path: path).execute("UPDATE receipt SET \(change)") }
        await #expect {
            _ = try await store.receipt(Self.receipt().id)
        } throws: { if case JournalError.damaged = $0 { true } else { false } }
    }
}
