public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Probes a store of records. Every store gets the same probes.
///
/// ```swift
/// let report = await RecordConformance.check(
///     RecordSubject("my store") { RecordSubject.Storage(try MyStore(at: newFolder())) })
/// #expect(report.isPassed, "\(report)")
/// ```
///
/// Capabilities that the subject lacks, such as being opened twice, are reported as not probed.
public enum RecordConformance {
    /// One rule that every store must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// Any bytes, of any length that a record may have.
        case fidelity = "what was written is read exactly"
        /// Names are compared and ordered byte by byte.
        case exactNames = "names are compared and ordered by their bytes"
        /// Ranges have a first name and an end.
        case ranges = "a range has the names between its bounds, and no others"
        /// A change that throws wrote nothing.
        case wholeChanges = "a change is made as a whole, or not at all"
        /// Marks find records in their order.
        case marks = "records are found by their marks, in order"
        /// Pages begin behind a position.
        case pages = "pages of a query follow each other without a gap"
        /// Changed and removed records have no old marks.
        case changedMarks = "a record has the marks of its last write, and its first place"
        /// Several tasks change one record.
        case race = "of changes in one room none is lost"
        /// Several tasks change two rooms.
        case rooms = "changes in several rooms wait for each other, and not for ever"
        /// Two stores on the same storage.
        case sharing = "two who share a storage see each other's changes"
        /// One holder at a time.
        case leases = "a lease has one holder at a time"
        /// Changes of a holder that was overtaken.
        case lostLeases = "without its lease a change writes nothing"
        /// What was written is there after a loss of power.
        case powerLoss = "a loss of power takes nothing"
    }

    /// The results of probing a store.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each with its own store.
    public static func check(_ subject: RecordSubject) async -> Report {
        await Report.probing(subject.name) {
            RecordTrial(try await subject.make())
        } _: {
            try await run($0, $1)
        }
    }

    private static func run(_ probe: Probe, _ trial: RecordTrial) async throws {
        switch probe {
        case .fidelity: try await trial.fidelity()
        case .exactNames: try await trial.exactNames()
        case .ranges: try await trial.ranges()
        case .wholeChanges: try await trial.wholeChanges()
        case .marks: try await trial.marks()
        case .pages: try await trial.pages()
        case .changedMarks: try await trial.changedMarks()
        case .race: try await trial.race(by: [trial.store], of: 24)
        case .rooms: try await trial.rooms(by: [trial.store])
        case .sharing: try await trial.sharing()
        case .leases: try await trial.leases()
        case .lostLeases: try await trial.lostLeases()
        case .powerLoss: try await trial.powerLoss()
        }
    }
}

/// A kind of record store that ``RecordConformance`` probes.
public typealias RecordSubject = StorageSubject<any RecordStore>

/// One probe of one store: it calls the store and collects the defects.
private struct RecordTrial: StorageTrial {
    let storage: RecordSubject.Storage
    let findings = Findings()
    var store: any RecordStore { storage.store }

    init(_ storage: RecordSubject.Storage) { self.storage = storage }

    private struct Refusal: Error, Equatable {}

    /// A record that was written is not there, or has no byte.
    private struct LostRecordError: Error, CustomStringConvertible {
        let description = "a record that was written is not read by a change"
    }

    private static func first(_ found: [[StoredRecord]], _ place: Int = 0) throws(LostRecordError) -> UInt8 {
        guard found.indices.contains(place), let byte = found[place].first?.value.first else { throw LostRecordError() }
        return byte
    }

    private static let room = RecordRoom("sample", "room")
    private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private static func key(_ name: String, in room: RecordRoom = Self.room) -> RecordKey { RecordKey(room, name) }

    /// Writes without looking at what is there.
    private func write(_ writes: [RecordWrite], to store: (any RecordStore)? = nil) async throws {
        try await (store ?? self.store).change(writes.map { .record($0.key) }) { _ in RecordChange(writes, ()) }
    }

    private func put(
        _ name: String, _ value: [UInt8] = [1], marks: [String: RecordMark] = [:], in room: RecordRoom = Self.room
    ) -> RecordWrite {
        .put(Self.key(name, in: room), value, marks: marks)
    }

    private func names(_ range: RecordRange, of store: (any RecordStore)? = nil) async throws -> [String] {
        try await stored(range, of: store).map(\.key.name)
    }

    private func stored(_ range: RecordRange, of store: (any RecordStore)? = nil) async throws -> [StoredRecord] {
        guard let found = try await (store ?? self.store).records([range]).first else { throw LostRecordError() }
        return found
    }

    private func names(_ query: RecordQuery) async throws -> [String] {
        try await store.records(query).map(\.key.name)
    }

    // MARK: Reading and writing

    func fidelity() async throws {
        let large = (0..<RecordError.longestValue).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let longest = String(repeating: "\u{FC}", count: RecordKey.longest / 2)
        for value in [[], [0], Array(0...255), Array("a\u{0}b".utf8), large] {
            try await write([put("value", value)])
            let found = try await store.record(Self.key("value"))
            expect(
                found?.value == value, "a value of \(value.count) bytes is read as \(found?.value.count ?? -1) others")
        }
        let room = RecordRoom(String(repeating: "k", count: 40), longest)
        try await write([put(longest, marks: ["mark": RecordMark(longest)], in: room)])
        let found = try await store.record(Self.key(longest, in: room))
        expect(found?.key == Self.key(longest, in: room) && found?.value == [1], "the longest names are not read")
        let marked = try await store.records(RecordQuery(room.kind, by: "mark", of: RecordMark(longest), limit: 9))
        expect(marked == found.map { [$0] } ?? [], "the longest mark finds nothing")
        expect(try await store.record(Self.key("none")) == nil, "a record is read that was never written")
        await expects(
            RecordError.tooLong(kind: "sample", bytes: RecordKey.longest + 1, limit: RecordKey.longest),
            "a longer name"
        ) { try await write([put(String(repeating: "n", count: RecordKey.longest + 1))]) }
    }

    func exactNames() async throws {
        let names = [
            "", "\u{0}", "A", "a", "a\u{0}", "a\u{0}b", "a ", "a/", "a0", "e\u{301}", "\u{E9}", "\u{FFFD}", "\u{1F600}",
        ]
        try await write(names.enumerated().map { put($1, [UInt8($0)], marks: ["name": RecordMark($1)]) })
        for (number, name) in names.enumerated() {
            let value = try await store.record(Self.key(name))?.value
            expect(value == [UInt8(number)], "the name \(Array(name.utf8)) is another one's")
            let others = try await stored(.room(RecordRoom("sample", "room" + name))).count
            expect(others == (name.isEmpty ? names.count : 0), "the room with \(Array(name.utf8)) is another one's")
            let marked = try await store.records(RecordQuery("sample", by: "name", of: RecordMark(name), limit: 99))
            expect(marked.map(\.value) == [[UInt8(number)]], "the mark \(Array(name.utf8)) is another one's")
        }
        let read = try await self.names(.room(Self.room))
        expect(read.map { Array($0.utf8) } == names.map { Array($0.utf8) }, "names are read in the order \(read)")
        let marked = try await self.names(RecordQuery("sample", by: "name", limit: 99))
        expect(marked.map { Array($0.utf8) } == names.map { Array($0.utf8) }, "marks are in the order \(marked)")
        expect(
            try await stored(.room(RecordRoom("Sample", "room"))).isEmpty, "another kind's records are read"
        )
    }

    func ranges() async throws {
        try await write(["a", "b", "b/1", "b/2", "b0", "c"].map { put($0) })
        try await write([put("b", in: RecordRoom("sample", "other"))])
        for (range, wanted) in [
            (RecordRange(Self.room), ["a", "b", "b/1", "b/2", "b0", "c"]), (.record(Self.key("b")), ["b"]),
            (RecordRange(Self.room, from: "b"), ["b", "b/1", "b/2", "b0", "c"]),
            (RecordRange(Self.room, from: "b/", upTo: "b0"), ["b/1", "b/2"]),
            (RecordRange(Self.room, upTo: "b"), ["a"]), (RecordRange(Self.room, from: "c", upTo: "b"), []),
            (.room(RecordRoom("sample")), []),
        ] {
            let read = try await names(range)
            expect(read == wanted, "the range from '\(range.first)' to '\(range.end ?? "")' has \(read)")
            let seen = try await store.change([range]) { RecordChange($0[0].map(\.key.name)) }
            expect(seen == wanted, "a change sees \(seen) from '\(range.first)' to '\(range.end ?? "")'")
        }
        let both = try await store.change([.record(Self.key("c")), RecordRange(Self.room, upTo: "b")]) {
            RecordChange($0.map { $0.map(\.key.name) })
        }
        expect(both == [["c"], ["a"]], "two ranges of one change are \(both)")
    }

    func wholeChanges() async throws {
        try await write([put("a", [1]), put("b", [1])])
        let written = try await names(.room(Self.room))
        expect(written == ["a", "b"], "of two writes of one change there are \(written)")
        let key = Self.key("a")
        await expects(Refusal(), "a change that throws") {
            try await store.change([.record(key)]) { _ -> RecordChange<Void> in throw Refusal() }
        }
        await expects(RecordError.notRead(Self.key("x", in: RecordRoom("sample"))), "a write to a room not read") {
            try await store.change([.record(key)]) { _ in
                RecordChange([.put(key, [2]), .put(RecordKey("sample", name: "x"), [2])], ())
            }
        }
        expect(try await store.record(key)?.value == [1], "a change that was refused has written")
        // Writes take effect in their order, also on names that the change did not read.
        let answer = try await store.change([.record(key)]) { found in
            RecordChange(
                [
                    .put(key, [try Self.first(found), 2]), .remove(Self.key("b")), .put(Self.key("c"), [3]),
                    .remove(Self.key("c")), .remove(Self.key("none")), .put(Self.key("d"), [4]),
                    .put(Self.key("d"), [5]),
                ], "done")
        }
        expect(answer == "done", "the answer of a change is lost")
        let left = try await stored(.room(Self.room))
        expect(
            left.map(\.key.name) == ["a", "d"] && left.map(\.value) == [[1, 2], [5]],
            "a change left \(left.map(\.value))")
    }

    // MARK: Marks

    func marks() async throws {
        let numbers: [Int64] = [3, -1, 0, .max, .min, 3]
        try await write(
            numbers.enumerated().map { number, value in
                put("\(number)", marks: ["number": RecordMark(value), "all": RecordMark("")])
            } + [put("unmarked")])
        try await write([.put(RecordKey("other", name: "x"), [1], marks: ["number": RecordMark(1)])])
        let wanted: [(RecordQuery, [String])] = [
            (RecordQuery("sample", by: "number", limit: 99), ["4", "1", "2", "0", "5", "3"]),
            (RecordQuery("sample", by: "number", isReversed: true, limit: 99), ["3", "5", "0", "2", "1", "4"]),
            (RecordQuery("sample", by: "number", from: RecordMark(0), limit: 2), ["2", "0"]),
            (RecordQuery("sample", by: "number", through: RecordMark(-1), limit: 99), ["4", "1"]),
            (RecordQuery("sample", by: "number", of: RecordMark(3), limit: 99), ["0", "5"]),
            (RecordQuery("sample", by: "number", of: RecordMark(4), limit: 99), []),
            (RecordQuery("sample", by: "all", isReversed: true, limit: 3), ["5", "4", "3"]),
            (RecordQuery("sample", by: "none", limit: 99), []),
            (RecordQuery("sample", by: "number", limit: 0), []), (RecordQuery("sample", by: "number", limit: -1), []),
        ]
        for (number, (query, names)) in wanted.enumerated() {
            let found = try await self.names(query)
            expect(found == names, "query \(number) finds \(found), and not \(names)")
        }
        let dates = [-1e300, -1.5, -0.25, 0, 5e-300, 1.5, 800_000_000.000_001, 1e300].map {
            RecordMark(Date(timeIntervalSinceReferenceDate: $0))
        }
        expect(
            dates == dates.sorted() && Set(dates).count == dates.count, "values of dates are not ordered as dates are")
    }

    func pages() async throws {
        for number in 0..<7 { try await write([put("\(number)", marks: ["half": RecordMark(Int64(number / 2))])]) }
        for isReversed in [false, true] {
            var (position, seen): (RecordQuery.Position?, [String]) = (nil, [])
            for _ in 0..<8 {
                let page = try await store.records(
                    RecordQuery("sample", by: "half", isReversed: isReversed, after: position, limit: 2))
                guard let last = page.last, let number = Int64(last.key.name) else { break }
                seen += page.map(\.key.name)
                position = RecordQuery.Position(RecordMark(number / 2), last.place)
            }
            let all = (0..<7).map { "\($0)" }
            expect(seen == (isReversed ? all.reversed() : all), "pages show \(seen)")
        }
    }

    func changedMarks() async throws {
        try await write([put("a", marks: ["state": RecordMark("open"), "old": RecordMark("")])])
        try await write([put("b", marks: ["state": RecordMark("open")])])
        let place = try await store.record(Self.key("a"))?.place ?? 0
        expect(place > 0, "the place of a record is \(place)")
        try await write([put("a", [2], marks: ["state": RecordMark("open")])])
        expect(
            try await names(RecordQuery("sample", by: "state", limit: 9)) == ["a", "b"],
            "a record that changes does not stay in its place")
        expect(try await store.record(Self.key("a"))?.place == place, "a record that changes gets another place")
        expect(try await names(RecordQuery("sample", by: "old", limit: 9)) == [], "a mark outlives its record's change")
        try await write([.remove(Self.key("a"))])
        expect(try await names(RecordQuery("sample", by: "state", limit: 9)) == ["b"], "a mark outlives its record")
        try await write([put("a", marks: ["state": RecordMark("open")])])
        expect(
            try await names(RecordQuery("sample", by: "state", limit: 9)) == ["b", "a"],
            "a record that was removed comes back to its place")
    }

    // MARK: Several at once

    /// Each of many tasks counts up.
    func race(by stores: [any RecordStore], of count: Int) async throws {
        let key = Self.key("count")
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await stores[number % stores.count].change([.record(key)]) { found in
                        let next = (found[0].first?.value.first ?? 0) &+ 1
                        return RecordChange([.put(key, [next])], Int(next))
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expect(answers.sorted() == Array(1...count), "\(count) tasks have counted \(answers.sorted())")
        for store in stores {
            let last = try await store.record(key)?.value
            expect(last == [UInt8(count)], "\(count) tasks have counted to \(last ?? [])")
        }
    }

    /// Tasks carry between three rooms, each in another order.
    func rooms(by stores: [any RecordStore]) async throws {
        let keys = ["a", "b", "c"].map { Self.key("sum", in: RecordRoom("sample", $0)) }
        try await write(keys.map { .put($0, [100]) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<18 {
                let (from, to) = (keys[number % 3], keys[(number + 1 + number / 9) % 3])
                group.addTask {
                    try await stores[number % stores.count].change([.record(to), .record(from)]) { found in
                        RecordChange(
                            [
                                .put(to, [try Self.first(found) &+ 1]), .put(from, [try Self.first(found, 1) &- 1]),
                            ], ())
                    }
                }
            }
            try await group.waitForAll()
        }
        let sums = try await store.records(keys.map { .record($0) }).map { $0.first?.value ?? [] }
        expect(sums == [[100], [100], [100]], "what was carried between rooms is \(sums)")
    }

    func sharing() async throws {
        guard let reopen = storage.reopen else { throw SkipError(reason: "the storage cannot be opened twice") }
        let other = try await reopen()
        try await write([put("a", marks: ["state": RecordMark("open")])])
        expect(try await names(.room(Self.room), of: other) == ["a"], "another one's record is not seen")
        try await write([put("b")], to: other)
        expect(try await names(.room(Self.room)) == ["a", "b"], "the other one's record is not seen")
        let lease = RecordLease(Self.room, holder: "one", duration: .seconds(30))
        expect(try await store.acquire(lease, at: Self.start), "a free lease is not granted")
        let second = RecordLease(Self.room, holder: "two", duration: .seconds(30))
        expect(!(try await other.acquire(second, at: Self.start)), "a held lease is granted to another opening")
        try await race(by: [store, other], of: 24)
        try await rooms(by: [store, other])
    }

    // MARK: Leases

    func leases() async throws {
        let lease = { RecordLease(Self.room, holder: $0, duration: .seconds(30)) }
        let at = { Self.start.addingTimeInterval($0) }
        expect(try await store.acquire(lease("one"), at: at(0)), "a free lease is not granted")
        expect(try await store.acquire(lease("one"), at: at(10)), "its holder does not get a lease again")
        expect(!(try await store.acquire(lease("two"), at: at(39))), "a lease is granted that was renewed 29 s ago")
        expect(
            try await store.acquire(
                RecordLease(RecordRoom("sample", "free"), holder: "two", duration: .seconds(30)), at: at(0)),
            "the lease of one room is that of another")
        try await store.renew(lease("one"), at: at(35))
        expect(!(try await store.acquire(lease("two"), at: at(64))), "a renewed lease is granted to another")
        expect(try await store.acquire(lease("two"), at: at(66)), "a lease that is over is not granted")
        await expects(RecordError.leaseLost(Self.room), "the renewal of a lost lease") {
            try await store.renew(lease("one"), at: at(67))
        }
        try await store.release(lease("one"))
        expect(!(try await store.acquire(lease("one"), at: at(68))), "one who lost a lease releases that of another")
        try await store.release(lease("two"))
        expect(try await store.acquire(lease("\u{E9}"), at: at(68)), "a released lease is not granted")
        // As Swift compares texts, these are one holder.
        expect(!(try await store.acquire(lease("e\u{301}"), at: at(69))), "a holder is not compared by its bytes")
    }

    func lostLeases() async throws {
        let lease = { RecordLease(Self.room, holder: $0, duration: .seconds(30)) }
        let at = { Self.start.addingTimeInterval($0) }
        let (store, key) = (store, Self.key("a"))
        func change(_ holder: String, _ seconds: Double) async throws {
            try await store.change([.record(key)], under: lease(holder), at: at(seconds)) { _ in
                RecordChange([.put(key, Array(holder.utf8))], ())
            }
        }
        await expects(RecordError.leaseLost(Self.room), "a change under no lease") { try await change("one", 0) }
        expect(try await store.acquire(lease("one"), at: at(0)), "a free lease is not granted")
        try await change("one", 20)
        expect(!(try await store.acquire(lease("two"), at: at(40))), "a change does not renew its lease")
        try await change("one", 60)
        expect(try await store.acquire(lease("two"), at: at(91)), "a lease that is over is not granted")
        await expects(RecordError.leaseLost(Self.room), "a change under a lost lease") { try await change("one", 92) }
        expect(try await store.record(key)?.value == Array("one".utf8), "a change under a lost lease has written")
        try await change("two", 93)
        expect(try await store.record(key)?.value == Array("two".utf8), "a change under a lease has not written")
    }

    // MARK: Storages

    func powerLoss() async throws {
        guard let losePower = storage.losePower else { throw SkipError(reason: "the storage cannot lose power") }
        try await write([put("a", [1], marks: ["state": RecordMark("open")]), put("b", [2])])
        try await write([put("a", [3], marks: ["state": RecordMark("ended")]), .remove(Self.key("b")), put("c", [4])])
        let left = try await losePower()
        let records = try await stored(.room(Self.room), of: left)
        expect(
            records.map(\.key.name) == ["a", "c"] && records.map(\.value) == [[3], [4]],
            "a loss of power leaves \(records.map(\.key.name)) with \(records.map(\.value))")
        let open = try await left.records(RecordQuery("sample", by: "state", of: RecordMark("open"), limit: 9))
        let ended = try await left.records(RecordQuery("sample", by: "state", of: RecordMark("ended"), limit: 9))
        expect(open.isEmpty && ended.map(\.key.name) == ["a"], "a loss of power takes marks")
        try await write([put("d")], to: left)
        expect(try await names(.room(Self.room), of: left) == ["a", "c", "d"], "nothing can be written after it")
    }
}
