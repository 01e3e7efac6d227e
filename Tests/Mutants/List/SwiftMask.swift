/// Swift code whose comments, strings and regular expressions are blanked: every byte of the code keeps its place.
package struct SwiftMask {
    private let input: [UInt8]
    private let keepsInterpolations: Bool
    private var output: [UInt8]
    private var index = 0

    /// Returns the bytes of `source` with spaces in place of comments and of what strings hold. A string is left as its
    /// quotation marks, one at each end.
    ///
    /// - Parameter keepsInterpolations: true if code that is interpolated in strings stays.
    package static func code(of source: String, keepsInterpolations: Bool) -> [UInt8] {
        var mask = SwiftMask(input: Array(source.utf8), keepsInterpolations: keepsInterpolations)
        mask.code(inInterpolation: false)
        return mask.output
    }

    private init(input: [UInt8], keepsInterpolations: Bool) {
        self.input = input
        self.keepsInterpolations = keepsInterpolations
        output = input.map { $0 == 0x0A ? 0x0A : 0x20 }
    }

    private func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        let start = index + offset
        // Nearly every call ends at the first byte.
        guard start + text.utf8CodeUnitCount <= input.count, input[start] == text.utf8Start[0] else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { input[start + $0] == text.utf8Start[$0] }
    }

    private mutating func code(inInterpolation: Bool) {
        let isKept = keepsInterpolations || !inInterpolation
        var depth = 0
        while index < input.count {
            let byte = input[index]
            if starts(with: "//") {
                while index < input.count, input[index] != 0x0A { index += 1 }
            } else if starts(with: "/*") {
                blockComment()
            } else if starts(with: "#/") {
                index += 2
                while index < input.count, !starts(with: "/#") { index += 1 }
                index += 2
            } else if let hashes = hashesBeforeQuote() {
                string(hashes: hashes, isKept: isKept)
            } else {
                if inInterpolation, byte == UInt8(ascii: "(") { depth += 1 }
                if inInterpolation, byte == UInt8(ascii: ")") {
                    depth -= 1
                    if depth < 0 {
                        index += 1
                        return
                    }
                }
                if isKept { output[index] = byte }
                index += 1
            }
        }
    }

    /// The number of `#` before the quotation mark that begins here; nil if there is none.
    private func hashesBeforeQuote() -> Int? {
        var end = index
        while end < input.count, input[end] == UInt8(ascii: "#") { end += 1 }
        return end < input.count && input[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                index += 2
            } else if starts(with: "*/") {
                depth -= 1
                index += 2
            } else {
                index += 1
            }
        } while depth > 0 && index < input.count
    }

    private mutating func string(hashes: Int, isKept: Bool) {
        if isKept { output[index] = UInt8(ascii: "\"") }
        index += hashes
        // The content of a long string begins on the next line: `#"""#` is a short one.
        let isMultiline = starts(with: "\"\"\"") && input[(index + 3)...].first { $0 != 0x20 && $0 != 0x0D } == 0x0A
        index += isMultiline ? 3 : 1
        defer { if isKept { output[min(index, input.count) - 1] = UInt8(ascii: "\"") } }
        while index < input.count {
            if input[index] == UInt8(ascii: "\\"), areHashes(at: index + 1, count: hashes) {
                index += 1 + hashes
                let isInterpolation = starts(with: "(")
                index += 1
                if isInterpolation { code(inInterpolation: true) }
            } else if isMultiline ? starts(with: "\"\"\"") : starts(with: "\""),
                areHashes(at: index + (isMultiline ? 3 : 1), count: hashes)
            {
                index += (isMultiline ? 3 : 1) + hashes
                return
            } else if !isMultiline, input[index] == 0x0A {
                // A string on one line ends with it, in case a regular expression was misread.
                return
            } else {
                index += 1
            }
        }
    }

    private func areHashes(at start: Int, count: Int) -> Bool {
        start + count <= input.count && input[start..<start + count].allSatisfy { $0 == UInt8(ascii: "#") }
    }
}
