import PaymentCore

/// What was done to some files, in order, and what of it is on the disk after the power failed.
struct DiskLog: Sendable {
    enum Event: Sendable {
        case write(_ file: String, at: Int, [UInt8])
        case truncate(_ file: String, to: Int)
        case sync(_ file: String)
        /// The file is deleted, and its folder synced after it or not.
        case delete(_ file: String, isSynced: Bool)

        var file: String {
            switch self {
            case .write(let file, _, _), .truncate(let file, _), .sync(let file), .delete(let file, _): file
            }
        }
    }

    /// What becomes of what was not synced.
    struct Luck: Sendable {
        let random: SeededRandomSource
        /// Whether the disk may only have said that it synced, as some do.
        var liesAboutSyncing = false

        fileprivate func isKept() -> Bool { random.next() % 2 == 0 }
        fileprivate func isForgotten() -> Bool { liesAboutSyncing && random.next() % 4 == 0 }
    }

    /// What a disk writes in one piece.
    static let sector = 512

    var events: [Event] = []

    /// What is on the disk when the power fails after the first `count` events.
    ///
    /// - Parameter luck: decides, sector by sector and in any order, what of the writes that were not synced is there all the
    ///   same; nil for nothing of it.
    func image(after count: Int, _ luck: Luck? = nil) -> [String: [UInt8]] {
        var disk: [String: [UInt8]] = [:]
        var waiting: [String: [Event]] = [:]
        for event in events.prefix(count) {
            if case .delete(let file, isSynced: true) = event {
                disk[file] = nil
                waiting[file] = nil
                continue
            }
            guard case .sync(let file) = event else {
                waiting[event.file, default: []].append(event)
                continue
            }
            if luck?.isForgotten() == true { continue }
            for event in waiting.removeValue(forKey: file) ?? [] { Self.apply(event, to: &disk[file, default: []]) }
            disk[file, default: []] += []
        }
        guard let luck else { return disk }
        for (file, events) in waiting.sorted(by: { $0.key < $1.key }) {
            for event in events {
                for part in Self.parts(of: event) where luck.isKept() {
                    Self.apply(part, to: &disk[file, default: []])
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

    private static func apply(_ event: Event, to file: inout [UInt8]) {
        switch event {
        case .write(_, let offset, let bytes):
            let end = offset + bytes.count
            if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
            file.replaceSubrange(offset..<end, with: bytes)
        case .truncate(_, let size): file.removeLast(max(file.count - size, 0))
        case .delete: file = []
        case .sync: break
        }
    }
}
