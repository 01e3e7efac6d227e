import Foundation
import PaykitProvider
import PaymentCore
import PaymentRouting
import PaymentStore
import TestSupport
import Testing

@testable import PaykitKit

/// Both stores keep the same contract.
@Suite("Sealed states")
struct SealedStateTests {
    enum Kind: CaseIterable {
        case memory, file
    }

    private let folder = ScratchFolder()
    private var path: String { folder.file("states") }

    private func store(_ kind: Kind) throws -> any SealedStateStore {
        switch kind {
        case .memory: InMemorySealedStates()
        case .file: try SQLiteSealedStates(path: path)
        }
    }

    private func state(_ number: UInt64, _ text: String = "state") -> SealedState {
        SealedState(number: number, sealed: Array(text.utf8))
    }

    @Test("A state is kept where it follows what is kept, and by its name alone", arguments: Kind.allCases)
    func follows(_ kind: Kind) async throws {
        let store = try store(kind)
        #expect(try await store.state(named: "a") == nil)
        for number in [0, 2, .max] as [UInt64] {
            #expect(try await !store.keep(state(number), named: "a"), "\(number)")
        }
        #expect(try await store.keep(state(1), named: "a"))
        #expect(try await !store.keep(state(1, "other"), named: "a"))
        #expect(try await store.state(named: "a") == state(1))
        #expect(try await store.keep(state(2, ""), named: "a"))
        #expect(try await store.state(named: "a") == state(2, ""))
        for number in [1, 2, 4] as [UInt64] {
            #expect(try await !store.keep(state(number, "older"), named: "a"), "\(number)")
        }
        #expect(try await store.state(named: "b") == nil)
        #expect(try await store.keep(state(1, "b"), named: "b"))
        #expect(try await store.state(named: "a") == state(2, ""))
    }

    @Test("Of all who follow one state at once, one does, over any number of openings", arguments: Kind.allCases)
    func oneWins(_ kind: Kind) async throws {
        var stores = [try store(kind)]
        if kind == .file { for _ in 0..<3 { stores.append(try SQLiteSealedStates(path: path)) } }
        for number in 1...5 as ClosedRange<UInt64> {
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (place, store) in (stores + stores + stores).enumerated() {
                    group.addTask {
                        try await store.keep(SealedState(number: number, sealed: [UInt8(place)]), named: "a")
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
            let kept = try await stores[0].state(named: "a")
            for store in stores { #expect(try await store.state(named: "a") == kept) }
        }
    }

    @Test("A large state is kept whole, and read again when the file is opened later")
    func large() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        do {
            let store = try SQLiteSealedStates(path: path)
            #expect(try await store.keep(SealedState(number: 1, sealed: bytes), named: "a"))
            #expect(try await store.keep(SealedState(number: 2, sealed: bytes.dropLast(2_900_000)), named: "a"))
            #expect(try await store.keep(SealedState(number: 3, sealed: bytes.reversed()), named: "a"))
        }
        let later = try SQLiteSealedStates(path: path, creating: false)
        #expect(try await later.state(named: "a") == SealedState(number: 3, sealed: bytes.reversed()))
    }

    @Test("Only its owner may read the file")
    func mode() throws {
        _ = try SQLiteSealedStates(path: path)
        for name in try folder.names where !name.hasSuffix("-owners") {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test("A journal is no file of states, nor are receipts; all are left as they are")
    func otherFiles() async throws {
        do { _ = try SQLiteJournal(path: path) }
        let journal = try Data(contentsOf: URL(filePath: path))
        #expect(throws: JournalError.notAJournal(path: path)) { try SQLiteSealedStates(path: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == journal)
        let receipts = folder.file("receipts")
        do { _ = try SQLiteReceipts(path: receipts) }
        #expect(throws: JournalError.notAJournal(path: receipts)) { try SQLiteSealedStates(path: receipts) }
        let other = folder.file("other")
        do { _ = try SQLiteSealedStates(path: other) }
        #expect(throws: JournalError.notAJournal(path: other)) { try SQLiteJournal(path: other) }
        let text = folder.file("text")
        try Data(repeating: 0x41, count: 4096).write(to: URL(filePath: text))
        #expect(throws: JournalError.notAJournal(path: text)) { try SQLiteSealedStates(path: text) }
        #expect(throws: JournalError.self) { try SQLiteSealedStates(path: folder.file("none"), creating: false) }
    }

    @Test(
        "A row that says nothing known is damage, and never another state",
        arguments: [
            "UPDATE state SET sealed = '!'", "UPDATE state SET number = number + 1 WHERE part = 1",
            "UPDATE state SET number = -1", "DELETE FROM state WHERE part = 0", "UPDATE state SET part = part + 5",
        ])
    func damage(_ change: String) async throws {
        let store = try SQLiteSealedStates(path: path)
        let bytes = [UInt8](repeating: 7, count: 600_000)
        #expect(try await store.keep(SealedState(number: 1, sealed: bytes), named: "a"))
        do { try Database(path: path).execute(change) }
        await #expect {
            _ = try await store.state(named: "a")
        } throws: { if case JournalError.damaged = $0 { true } else { false } }
    }

    @Test("A file that is replaced under its user is written no more")
    func replaced() async throws {
        let store = try SQLiteSealedStates(path: path)
        #expect(try await store.keep(state(1), named: "a"))
        for name in try folder.names { try FileManager.default.removeItem(atPath: folder.file(name)) }
        await #expect(throws: JournalError.self) { _ = try await store.keep(state(2), named: "a") }
    }

    /// A store in which another program is first, as often as it says.
    private actor ContestedStates: SealedStateStore {
        private let base = InMemorySealedStates()
        private var lost: Int

        init(lost: Int) { self.lost = lost }

        func states(named name: String) async throws -> [String: SealedState] { await base.states(named: name) }
        func keep(_ states: [String: SealedState], removing names: [String]) async throws -> Bool {
            guard lost == 0 else {
                lost -= 1
                return false
            }
            return await base.keep(states, removing: names)
        }
    }

    @Test("The time of a packet is stored at the eighth try, and at none after it")
    func packetTimes() async throws {
        let key = try PubkySamples.pair(0x11).publicKey
        let times = StoredPacketTimes(ContestedStates(lost: 7))
        try await times.record(5, of: key)
        #expect(try await times.latest(of: key) == 5)
        let busy = StoredPacketTimes(ContestedStates(lost: 8))
        await #expect(throws: (any Error).self) { try await busy.record(5, of: key) }
        #expect(try await busy.latest(of: key) == nil)
    }

    @Test("What is written today is what the fixture says, byte for byte")
    func currentForm() async throws {
        let store = try SQLiteSealedStates(path: path)
        #expect(try await store.keep(state(1), named: "anna/a/wallet/ben/b/server"))
        #expect(try await store.keep(state(2, "second"), named: "anna/a/wallet/ben/b/server"))
        let fixture = folder.file("fixture")
        try Data().write(to: URL(filePath: fixture))
        let text = String(
            decoding: try Vectors.file("states/version-\(Schema.sealedStates.version).sql"), as: UTF8.self)
        do { try Database(path: fixture).execute(text) }
        #expect(
            try Self.contents(Database(path: path)) == Self.contents(Database(path: fixture)),
            "another form needs another version once this one is released")
        let released = try SQLiteSealedStates(path: fixture)
        #expect(try await released.state(named: "anna/a/wallet/ben/b/server") == state(2, "second"))
    }

    private static func contents(_ database: Database) throws -> [String] {
        let numbers = try ["application_id", "user_version"].map { "\(try database.number("PRAGMA \($0)") ?? 0)" }
        return try numbers
            + [
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
                "SELECT json_array(name, part, number, sealed) FROM state ORDER BY name, part",
            ].flatMap { try database.texts($0) }
    }
}
