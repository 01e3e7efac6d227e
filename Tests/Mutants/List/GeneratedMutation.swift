import Foundation

/// A mutation that ``GeneratedMutation/all(of:at:)`` has made of one place of the code.
package struct GeneratedMutation: Sendable {
    /// The path, the operation and a digest of the line with its neighbours: it stays where other lines change.
    package let name: String
    /// The path of the file within the package.
    package let file: String
    /// The changed lines, from 1.
    package let lines: ClosedRange<Int>
    /// The first line as it is.
    package let line: String
    /// The part of the file that is replaced, and the replacement.
    package let old: String
    package let new: String
    private let bytes: Range<Int>

    /// Returns the text of the file with the change.
    package func applied(to text: String) -> String {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(self.bytes, with: Array(new.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns all mutations of a file.
    package static func all(of text: String, at file: String) -> [GeneratedMutation] {
        let bytes = Array(text.utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        var starts = [0]
        for (index, byte) in bytes.enumerated() where byte == 0x0A { starts.append(index + 1) }
        func line(of place: Int) -> Int {
            var (low, high) = (0, starts.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if starts[middle] <= place { low = middle } else { high = middle }
            }
            return low
        }
        func neighbour(of index: Int, by step: Int) -> String {
            var next = index + step
            while lines.indices.contains(next), lines[next].isEmpty || lines[next].hasPrefix("//") { next += step }
            return lines.indices.contains(next) ? lines[next] : ""
        }
        var seen: [String: Int] = [:]
        return Operators.edits(of: text).map { edit in
            let first = line(of: edit.bytes.lowerBound)
            let last =
                edit.operation == "early-return"
                ? first : line(of: max(edit.bytes.lowerBound, edit.bytes.upperBound - 1))
            let old = String(decoding: bytes[edit.bytes], as: UTF8.self)
            let place = [neighbour(of: first, by: -1), lines[first], neighbour(of: first, by: 1), old, edit.new]
            let key = "generated/\(file):\(edit.operation):\(digest(place.joined(separator: "\n")))"
            seen[key, default: 0] += 1
            let count = seen[key] ?? 1
            return GeneratedMutation(
                name: count == 1 ? key : "\(key)-\(count)", file: file, lines: first + 1...last + 1, line: lines[first],
                old: old, new: edit.new, bytes: edit.bytes)
        }
    }

    /// Returns a number of eight digits that depends on every byte.
    package static func digest(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash ^= hash >> 32
        let digits = String(hash & 0xFFFF_FFFF, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// A folder that decides about money, and the suites that have to notice a change there. The first one that holds a
/// file counts.
package struct MutatedFolder: Codable, Sendable {
    /// The folder, within the package.
    package let folder: String
    /// Folders in it that decide nothing about money.
    package let without: [String]?
    /// The suites that have to notice, `Target` or `Target.Suite`, the fastest first.
    package let noticedBy: [String]

    /// All of them.
    package static func all() throws -> [MutatedFolder] { try MutationList.read("folders.json") }

    /// True if it holds a file.
    package func holds(_ file: String) -> Bool {
        file.hasPrefix(folder + "/") && !(without ?? []).contains { file.hasPrefix("\(folder)/\($0)") }
    }
}

/// A generated mutation without an effect that a test could notice.
package struct EquivalentMutation: Codable, Sendable {
    /// The mutation's name.
    package let name: String
    /// The line that it changes, and the replacement.
    package let line: String
    package let new: String
    /// The reason that nothing follows from it.
    package let reason: String

    /// All of them.
    package static func all() throws -> [EquivalentMutation] { try MutationList.read("equivalent.json") }
}
