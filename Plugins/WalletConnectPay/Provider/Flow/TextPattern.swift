import PaymentCore

/// The one form of regular expressions that is checked here: an anchored repetition of a character class, such as
/// `^[A-Z]{2}$`.
///
/// A pattern is foreign input. General expressions can take hours on a short text; these take one comparison per
/// character. Other forms are left to the service, which checks everything again.
struct TextPattern: Sendable, Hashable {
    private let ranges: [ClosedRange<UInt8>]
    private let counts: ClosedRange<Int>

    /// Creates a pattern from `^[class]quantifier$`; nil for every other expression.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 256, bytes.starts(with: "^[".utf8), bytes.last == UInt8(ascii: "$"),
            let end = bytes.firstIndex(of: UInt8(ascii: "]")),
            let ranges = Self.ranges(Array(bytes[2..<end])),
            let counts = Self.counts(bytes[(end + 1)..<(bytes.count - 1)])
        else { return nil }
        self.ranges = ranges
        self.counts = counts
    }

    /// Returns true if all of `text` has the form.
    func matches(_ text: String) -> Bool {
        counts.contains(text.utf8.count) && text.utf8.allSatisfy { byte in ranges.contains { $0.contains(byte) } }
    }

    /// Reads plain characters and ranges of them; no negation, no escapes.
    private static func ranges(_ bytes: [UInt8]) -> [ClosedRange<UInt8>]? {
        guard !bytes.isEmpty, bytes.first != UInt8(ascii: "^"), !bytes.contains(UInt8(ascii: "\\")),
            bytes.allSatisfy({ 0x20...0x7E ~= $0 })
        else { return nil }
        var ranges: [ClosedRange<UInt8>] = []
        var index = 0
        while index < bytes.count {
            if index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "-") {
                guard bytes[index] <= bytes[index + 2] else { return nil }
                ranges.append(bytes[index]...bytes[index + 2])
                index += 3
            } else {
                ranges.append(bytes[index]...bytes[index])
                index += 1
            }
        }
        return ranges
    }

    private static func counts(_ bytes: ArraySlice<UInt8>) -> ClosedRange<Int>? {
        switch String(decoding: bytes, as: UTF8.self) {
        case "": return 1...1
        case "+": return 1...Int.max
        case "*": return 0...Int.max
        default: break
        }
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}"), bytes.count <= 16 else { return nil }
        let parts = bytes.dropFirst().dropLast().split(
            separator: UInt8(ascii: ","), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let low = number(first) else { return nil }
        guard parts.count == 2 else { return low...low }
        if parts[1].isEmpty { return low...Int.max }
        guard let high = number(parts[1]), low <= high else { return nil }
        return low...high
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.isEmpty || !digits.allSatisfy(\.isASCIIDigit) ? nil : Int(String(decoding: digits, as: UTF8.self))
    }
}
