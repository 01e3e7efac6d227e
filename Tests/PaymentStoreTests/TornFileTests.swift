import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PaymentStore

/// The journal's reading of files whose last writes are missing or partial.
@Suite("Torn journal files")
struct TornFileTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("journal") }

    private func read(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private func write(_ data: Data, _ path: String) throws { try data.write(to: URL(filePath: path)) }

    /// Opens an attempt and adds `events`; returns the content of the files after each of them, the opening first.
    private func record(_ events: [JournalEntry.Event]) async throws -> [(main: Data, log: Data)] {
        let journal = try SQLiteJournal(path: path)
        var states: [(Data, Data)] = []
        _ = try await journal.acquire(Samples.lease(), at: Samples.now)
        try await journal.open(try Samples.attempt(), under: Samples.lease())
        states.append((try read(path), try read(path + "-wal")))
        for event in events {
            try await journal.append(Samples.entry(event), to: try Samples.attempt().id, under: Samples.lease())
            states.append((try read(path), try read(path + "-wal")))
        }
        return states
    }

    /// The number of entries in a journal with these files.
    private func entries(_ main: Data, _ log: Data, _ name: String) async throws -> Int? {
        let copy = folder.file(name)
        try write(main, copy)
        try write(log, copy + "-wal")
        defer {
            for end in ["", "-wal", "-shm", "-owners"] { try? FileManager.default.removeItem(atPath: copy + end) }
        }
        return try await SQLiteJournal(path: copy, creating: false).unfinished().first?.entries.count
    }

    @Test("Wherever the last entry is cut off or spoilt, it is there whole or not at all")
    func lastEntry() async throws {
        let states = try await record(Array(Samples.events.prefix(7)))
        let (main, log) = try #require(states.last)
        let before = states[states.count - 2].log.count
        #expect(states.allSatisfy { $0.main == main }, "everything is still in the log")
        #expect(log.count > before)
        var found: Set<Int> = []
        // All bytes of the frames' headers, and some of each page.
        let cuts = (before...log.count).filter { ($0 - before) % 4120 < 32 || ($0 - before) % 211 == 0 } + [log.count]
        for cut in cuts {
            let count = try #require(try await entries(main, log.prefix(cut), "cut\(cut)"))
            #expect(count == (cut == log.count ? 7 : 6), "cut at \(cut) of \(log.count)")
            found.insert(count)
        }
        #expect(found == [6, 7])
        for place in stride(from: before, to: log.count, by: 173) {
            var spoilt = log
            spoilt[place] ^= 0x5A
            #expect(try await entries(main, spoilt, "spoilt\(place)") == 6, "spoilt at \(place) of \(log.count)")
        }
    }

    @Test("A process that was killed while it tidied up leaves a journal that is whole")
    func checkpoint() async throws {
        let long = JournalEntry.Event.stepStarted(name: String(repeating: "x", count: 900), kind: .query)
        let states = try await record(Array(repeating: long, count: 20))
        let (main, log) = try #require(states.last)
        // Closing has moved everything from the log to the file, page by page.
        let tidy = try read(path)
        #expect(tidy.count > main.count)
        for pages in 0...(tidy.count / 4096) {
            var partly = main
            let moved = tidy.prefix(pages * 4096)
            partly.replaceSubrange(0..<min(moved.count, main.count), with: moved)
            #expect(try await entries(partly, log, "partly\(pages)") == 20, "\(pages) pages moved")
        }
    }
}
