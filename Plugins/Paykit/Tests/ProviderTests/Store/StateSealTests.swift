import PaymentCore
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// The stored form of the states of private links and subscriptions, and the rule that a state is only replaced by its
/// successor.
@Suite("Sealed states")
struct StateSealTests {
    private let folder = ScratchFolder()
    private let random = SeededRandomSource(seed: 3)
    private let key = RecordKey("sample", room: "anna/ben", name: "state")

    private static func seal(_ byte: UInt8 = 5) -> StateSeal {
        StateSeal([UInt8](repeating: byte, count: 32), for: "a test", changed: "it was changed")
    }

    private func writes(_ number: UInt64, _ content: [String], at key: RecordKey? = nil) throws -> [RecordWrite] {
        try Self.seal().writes(content, at: key ?? self.key, number: number, random)
    }

    private func read(_ store: any RecordStore) async throws -> StateSeal.Opened<[String]>? {
        try await Self.seal().open(key, in: store.values(of: key.room), as: [String].self)
    }

    @Test("A state is stored where it follows the stored one, and removed as if it had never been stored")
    func follows() async throws {
        let store = InMemoryRecords()
        #expect(try await read(store) == nil)
        for number in [1, 2, .max] as [UInt64] {
            #expect(try await !store.keep(writes(number, ["a"]), following: [key: number]), "\(number)")
        }
        #expect(try await store.keep(writes(1, ["first"]), following: [key: 0]))
        #expect(try await !store.keep(writes(1, ["other"]), following: [key: 0]))
        #expect(try await store.keep(writes(2, []), following: [key: 1]))
        #expect(try await !store.keep(writes(2, ["older"]), following: [key: 1]))
        let state = try #require(try await read(store))
        #expect(state.number == 2 && state.content == [])
        // All or nothing, with a state of another room.
        let other = RecordKey("sample", room: "cara", name: "state")
        let both = try writes(3, ["third"]) + writes(1, ["new"], at: other)
        #expect(try await !store.keep(both, following: [key: 2, other: 1]))
        #expect(try await store.record(other) == nil)
        #expect(try await store.keep(both, following: [key: 2, other: 0]))
        #expect(try await store.keep([.remove(key), .remove(other)], following: [key: 3, other: 1]))
        #expect(try await read(store) == nil)
        #expect(try await store.keep(writes(1, ["again"]), following: [key: 0]))
    }

    @Test("Of all who follow one state at once, one does, over any number of openings")
    func oneWins() async throws {
        let stores = try (0..<3).map { _ in try SQLiteRecords(path: folder.file("states")) }
        for number in 1...3 as ClosedRange<UInt64> {
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (place, store) in (stores + stores).enumerated() {
                    let writes = try writes(number, ["\(place)"])
                    group.addTask { try await store.keep(writes, following: [key: number - 1]) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    @Test("A long state is stored in parts, and a shorter one replaces it")
    func parts() async throws {
        let path = folder.file("states")
        let long = [String(repeating: "ab", count: 5 << 20)]
        do {
            let store = try SQLiteRecords(path: path)
            #expect(try await store.keep(writes(1, long), following: [key: 0]))
            #expect(try await read(store)?.content == long)
            #expect(try await store.keep(writes(2, ["short"]), following: [key: 1]))
            #expect(try await read(store)?.content == ["short"])
            #expect(try await store.keep(writes(3, long), following: [key: 2]))
        }
        let later = try SQLiteRecords(path: path, creating: false)
        #expect(try await read(later)?.content == long)
        let part = RecordKey(key.room, "part/1/state")
        try await later.change([.record(part)]) { _ in RecordChange([.remove(part)], ()) }
        await #expect(throws: PaykitNetworkError.self) { _ = try await read(later) }
    }

    @Test("What was changed, cut off, moved or numbered differently is damage, and so is another's state")
    func damage() async throws {
        guard case .put(_, let value, _) = try writes(1, ["first"])[0] else { return }
        let seal = Self.seal()
        #expect(try seal.open(key, in: [key: value], as: [String].self)?.content == ["first"])
        #expect(!String(decoding: value, as: UTF8.self).contains("first"))
        func isDamage(_ value: [UInt8], at key: RecordKey? = nil, _ seal: StateSeal = seal) -> Bool {
            let key = key ?? self.key
            do {
                return try seal.open(key, in: [key: value], as: [String].self) == nil
            } catch { return error == seal.changed }
        }
        for place in value.indices {
            var changed = value
            changed[place] ^= 1
            #expect(isDamage(changed), "byte \(place)")
        }
        for count in value.indices { #expect(isDamage(Array(value.prefix(count))), "\(count) bytes") }
        #expect(isDamage(value + [0]))
        for other in [
            RecordKey(key.room, "state/"), RecordKey("sample", room: "anna", name: "ben/state"),
            RecordKey("sampl", room: "anna/ben", name: "state"),
        ] { #expect(isDamage(value, at: other)) }
        #expect(isDamage(value, Self.seal(6)))
        #expect(throws: PaykitNetworkError.self) { try seal.open(key, in: [key: value], as: [Int].self) }
    }

    @Test("No state follows a damaged one")
    func damagedPredecessor() async throws {
        let (store, key) = (InMemoryRecords(), key)
        try await store.change([.record(key)]) { _ in RecordChange([.put(key, [1])], ()) }
        #expect(try await !store.keep(writes(1, ["a"]), following: [key: 0]))
    }

    @Test("The time of a packet never goes back, and a damaged one is no time")
    func packetTimes() async throws {
        let store = InMemoryRecords()
        let (times, user) = (StoredPacketTimes(store), try PubkySamples.pair(0x11).publicKey)
        #expect(try await times.latest(of: user) == nil)
        await withTaskGroup(of: Void.self) { group in
            for time in 1...20 as ClosedRange<UInt64> {
                group.addTask { try? await times.record(time << 32 | 5, of: user) }
            }
        }
        #expect(try await times.latest(of: user) == 20 << 32 | 5)
        try await times.record(7, of: user)
        #expect(try await times.latest(of: user) == 20 << 32 | 5)
        #expect(try await times.latest(of: PubkySamples.pair(0x22).publicKey) == nil)
        let key = try #require(await store.records([.room(RecordRoom("paykit-packet-time", user.text))])[0].first).key
        try await store.change([.record(key)]) { _ in RecordChange([.put(key, [1, 2])], ()) }
        await #expect(throws: PaykitNetworkError.self) { _ = try await times.latest(of: user) }
        await #expect(throws: PaykitNetworkError.self) { try await times.record(99, of: user) }
    }
}
