import MutationList
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
        let code = String(decoding: SwiftMask.code(of: source, keepsInterpolations: true), as: UTF8.self)
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
