import PaymentCore
import PaymentTesting

/// The operations on some files, in order, and the content of the disk after a power failure.
struct DiskLog: Sendable {
    enum Event: Sendable {
        case write(_ file: String, at: Int, [UInt8])
        case truncate(_ file: String, to: Int)
        case sync(_ file: String)
        /// On the disk at once if the folder is synced with it.
        case delete(_ file: String, isSynced: Bool)

        var file: String {
            switch self {
            case .write(let file, _, _), .truncate(let file, _), .sync(let file), .delete(let file, _): file
            }
        }
    }

    /// The outcome of unsynced writes.
    struct Luck: Sendable {
        let random: SeededRandomSource
        /// True if the disk may only have reported that it synced, as some do.
        var liesAboutSyncing = false

        fileprivate func isKept() -> Bool { random.next() % 2 == 0 }
        fileprivate func isForgotten() -> Bool { liesAboutSyncing && random.next() % 4 == 0 }
    }

    /// The size of a disk's atomic write.
    static let sector = 512

    var events: [Event] = []

    /// The content of the disk if the power fails after the first `count` events.
    ///
    /// - Parameter luck: decides, sector by sector and in any order, which of the unsynced writes are on the disk all
    ///   the same; nil for none of them.
    func image(after count: Int, _ luck: Luck? = nil) -> [String: [UInt8]] {
        var disk: [String: [UInt8]] = [:]
        var waiting: [String: [Event]] = [:]
        for event in events.prefix(count) {
            switch event {
            case .write, .truncate, .delete(_, isSynced: false): waiting[event.file, default: []].append(event)
            case .delete(let file, isSynced: true):
                waiting[file] = nil
                disk[file] = nil
            case .sync(let file):
                if luck?.isForgotten() == true { continue }
                for event in waiting.removeValue(forKey: file) ?? [] { Self.apply(event, to: &disk[file]) }
                disk[file, default: []] += []
            }
        }
        guard let luck else { return disk }
        for (file, events) in waiting.sorted(by: { $0.key < $1.key }) {
            for event in events {
                for part in Self.parts(of: event) where luck.isKept() {
                    Self.apply(part, to: &disk[file])
                }
            }
        }
        return disk
    }

    private static func parts(of event: Event) -> [Event] {
        guard case .write(let file, let offset, let bytes) = event else { return [event] }
        return stride(from: 0, to: bytes.count, by: sector).map { start in
            .write(file, at: offset + start, Array(bytes[start..<min(start + sector, bytes.count)]))
        }
    }

    private static func apply(_ event: Event, to file: inout [UInt8]?) {
        switch event {
        case .write(_, let offset, let bytes):
            var content = file ?? []
            let end = offset + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(offset..<end, with: bytes)
            file = content
        case .truncate(_, let size):
            let content = file ?? []
            file = content.dropLast(max(content.count - size, 0))
        case .delete: file = nil
        case .sync: break
        }
    }
}
