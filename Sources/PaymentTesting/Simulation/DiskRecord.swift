import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One record of a journal on a ``SimulatedDisk``.
enum DiskRecord: Sendable, Hashable, Codable {
    case opened(PaymentAttempt)
    case added(JournalEntry, AttemptID)

    /// The record as bytes: length and checksum of the content, eight bytes each, then the content.
    var frame: [UInt8] {
        guard let content = try? JSONValue.encode(self).serialized() else { return [] }
        return Self.bytes(UInt64(content.count)) + Self.bytes(Self.checksum(content)) + content
    }

    /// Returns the whole records at the beginning of `bytes`: those behind the first partial one do not count.
    static func read(_ bytes: [UInt8]) -> [DiskRecord] {
        var records: [DiskRecord] = []
        var rest = bytes[...]
        while rest.count >= 16 {
            let (length, sum) = (number(rest.prefix(8)), number(rest.dropFirst(8).prefix(8)))
            guard length <= UInt64(rest.count - 16) else { break }
            let content = Array(rest.dropFirst(16).prefix(Int(length)))
            guard checksum(content) == sum, let record = try? JSONValue(parsing: content).decode(DiskRecord.self) else {
                break
            }
            records.append(record)
            rest = rest.dropFirst(16 + content.count)
        }
        return records
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// FNV-1a with 64 bits: torn content has another checksum, except for one case in 2^64.
    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The attempts that a list of records describes.
struct RecordLog: Sendable {
    /// Oldest first.
    private(set) var histories: [AttemptHistory] = []
    private var places: [AttemptID: Int] = [:]

    func history(of attempt: AttemptID) -> AttemptHistory? { places[attempt].map { histories[$0] } }

    /// True if a loss of power may remove `record` when it is the next one.
    func mayLose(_ record: DiskRecord) -> Bool {
        guard case .added(let entry, let id) = record else { return false }
        return entry.mayBeLost(afterMutation: history(of: id)?.hasBegunMutation ?? false)
    }

    mutating func add(_ record: DiskRecord) {
        switch record {
        case .opened(let attempt):
            places[attempt.id] = histories.count
            histories.append(AttemptHistory(attempt: attempt))
        case .added(let entry, let id):
            guard let place = places[id] else { return }
            histories[place].entries.append(entry)
            if entry.isEnding { histories[place].eraseInteractions() }
        }
    }
}
