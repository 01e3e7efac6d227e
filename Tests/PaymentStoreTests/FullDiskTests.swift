import ChildProcesses
import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import PaymentStore

/// A file system of 256 KiB in memory. Only root may make one, on Linux.
private final class SmallDisk {
    static let isAvailable: Bool = {
        guard let disk = try? SmallDisk() else { return false }
        return disk.path.isEmpty == false
    }()

    let path: String
    private let folder = ScratchFolder()

    struct NotAllowed: Error {}

    init() throws {
        path = folder.file("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=288k", "tmpfs", path) else { throw NotAllowed() }
    }

    deinit { _ = Self.run("umount", "-l", path) }

    private static func run(_ words: String...) -> Bool {
        (try? ChildProcess.run("/usr/bin/env", words))?.code == 0
    }
}

@Suite("A disk that is really full", .enabled(if: SmallDisk.isAvailable, "only root may mount a small file system"))
struct FullDiskTests {
    private let disk: SmallDisk
    private var path: String { disk.path + "/journal" }
    private var filler: String { disk.path + "/filler" }
    /// A file to delete when room is needed again: enough to move the log into the journal.
    private var reserve: String { disk.path + "/reserve" }

    init() throws { disk = try SmallDisk() }

    /// Takes all the room that is left.
    private func fill() throws {
        #expect(FileManager.default.createFile(atPath: filler, contents: nil))
        let handle = try FileHandle(forWritingTo: URL(filePath: filler))
        for size in [4096, 1] {
            let block = Data(repeating: 0x20, count: size)
            while (try? handle.write(contentsOf: block)) != nil {}
        }
    }

    @Test("An entry that found no room is refused, written ones stay, and with room it continues")
    func full() async throws {
        let id = try Samples.attempt().id
        let start = Samples.entry(
            .stepStarted(name: String(repeating: "x", count: 600), kind: .mutation(replay: .never)))
        var written = 0
        #expect(FileManager.default.createFile(atPath: reserve, contents: Data(count: 96 * 1024)))
        do {
            let journal = try SQLiteJournal(path: path)
            #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
            try await journal.open(try Samples.attempt(), under: Samples.lease())
            let error = await #expect(throws: JournalError.self) {
                for _ in 0..<10_000 {
                    try await journal.append(start, to: id, under: Samples.lease())
                    written += 1
                }
            }
            // SQLite reports some writes beyond the end of the disk as failures of input or output.
            #expect(error == .full(path: path), "\(String(describing: error))")
            #expect(try await journal.unfinished().map(\.entries.count) == [written])
            try fill()
            await #expect(throws: JournalError.self) { try await journal.append(start, to: id, under: Samples.lease()) }
            for file in [filler, reserve] { try FileManager.default.removeItem(atPath: file) }
        }
        #expect(written > 10)
        let again = try SQLiteJournal(path: path)
        #expect(try await again.unfinished().map(\.entries.count) == [written])
        #expect(try await again.acquire(Samples.lease(), at: Samples.now))
    }

    @Test("A full disk holds no new journal, and the next try, with room, makes one")
    func fullAtOnce() async throws {
        try fill()
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
        #expect(error == .full(path: path), "\(String(describing: error))")
        try FileManager.default.removeItem(atPath: filler)
        #expect(try await SQLiteJournal(path: path).unfinished().isEmpty)
    }

    @Test("A journal on a disk that may only be read is refused by name and left as it is")
    func readOnly() async throws {
        _ = try SQLiteJournal(path: path)
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(disk.makeReadOnly())
        for path in [path, disk.path + "/new"] {
            let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
            guard case .inaccessible(path, _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
}

extension SmallDisk {
    /// Makes the disk read-only from now on.
    fileprivate func makeReadOnly() -> Bool { Self.run("mount", "-o", "remount,ro", path) }
}
