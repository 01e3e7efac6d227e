import Synchronization

/// The code of a Swift file: without comments and without the content of strings, except the code interpolated in them.
struct SwiftText {
    /// Words and single marks, in order.
    let tokens: [Substring]
    /// The tokens joined without white space, except one space between two words: `return Date()`, `Task.sleep(`.
    let joined: String

    /// The texts of the package's files, which many rules read.
    private static let known = Mutex<[String: SwiftText]>([:])

    /// Returns the code of `source`, read once.
    static func of(_ source: String) -> SwiftText {
        // Under the lock: rules run beside each other, and take the files in one order.
        known.withLock { known in
            if let text = known[source] { return text }
            let text = SwiftText(source)
            known[source] = text
            return text
        }
    }

    init(_ source: String) {
        var stripper = Stripper(input: Array(source.utf8))
        stripper.code(inInterpolation: false)
        let code = String(decoding: stripper.output, as: UTF8.self)
        tokens = Self.split(code)
        var joined = ""
        for token in tokens {
            if Self.isWord(token), joined.utf8.last.map(Self.isWordByte) == true { joined += " " }
            joined += token
        }
        self.joined = joined
    }

    /// The imported modules, for every form of import.
    var imports: Set<String> {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
        var modules: Set<String> = []
        for index in tokens.indices where tokens[index] == "import" {
            if index > 0, tokens[index - 1] == "." { continue }
            var rest = tokens[(index + 1)...]
            if let first = rest.first, kinds.contains(first) { rest = rest.dropFirst() }
            guard let module = rest.first, Self.isWord(module) else { continue }
            modules.insert(String(module.filter { $0 != "`" }))
        }
        return modules
    }

    /// True if `pattern` occurs in ``joined``, not as the end of a longer word.
    func mentions(_ pattern: String) -> Bool {
        var rest = joined[...]
        while let range = rest.firstRange(of: pattern) {
            let startsWord = pattern.utf8.first.map(Self.isWordByte) == true
            let before = joined.utf8[..<range.lowerBound].last
            if !startsWord || before.map(Self.isWordByte) != true { return true }
            rest = joined[joined.utf8.index(after: range.lowerBound)...]
        }
        return false
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F || byte == 0x60
            || byte >= 0x80
    }

    private static func isWord(_ token: Substring) -> Bool { token.utf8.first.map(isWordByte) == true }

    private static func split(_ code: String) -> [Substring] {
        var tokens: [Substring] = []
        var rest = code.utf8[...]
        while let first = rest.first {
            let token = isWordByte(first) ? rest.prefix(while: isWordByte) : rest.prefix(1)
            if !(first == 0x20 || first == 0x09 || first == 0x0A || first == 0x0D) { tokens.append(Substring(token)) }
            rest = rest[token.endIndex...]
        }
        return tokens
    }
}

/// Copies code and leaves out comments and string content.
private struct Stripper {
    let input: [UInt8]
    var output: [UInt8] = []
    private var index = 0

    init(input: [UInt8]) { self.input = input }

    private func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        let start = index + offset
        // Nearly every call ends at the first byte.
        guard start + text.utf8CodeUnitCount <= input.count, input[start] == text.utf8Start[0] else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { input[start + $0] == text.utf8Start[$0] }
    }

    mutating func code(inInterpolation: Bool) {
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
                string(hashes: hashes)
            } else {
                if inInterpolation, byte == UInt8(ascii: "(") { depth += 1 }
                if inInterpolation, byte == UInt8(ascii: ")") {
                    depth -= 1
                    if depth < 0 {
                        index += 1
                        return
                    }
                }
                output.append(byte)
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
        output.append(0x20)
    }

    private mutating func string(hashes: Int) {
        index += hashes
        // The content of a long string begins on the next line: `#"""#` is a short one.
        let isMultiline = starts(with: "\"\"\"") && input[(index + 3)...].first { $0 != 0x20 && $0 != 0x0D } == 0x0A
        index += isMultiline ? 3 : 1
        output.append(UInt8(ascii: "\""))
        defer { output.append(UInt8(ascii: "\"")) }
        while index < input.count {
            if input[index] == UInt8(ascii: "\\"), areHashes(at: index + 1, count: hashes) {
                index += 1 + hashes
                let isInterpolation = starts(with: "(")
                index += 1
                if isInterpolation {
                    output.append(0x20)
                    code(inInterpolation: true)
                    output.append(0x20)
                }
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
