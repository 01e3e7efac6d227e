/// Changes of one place of a Swift file, each in a way that a mistake could be made.
struct Operators {
    /// A change of some bytes.
    struct Edit {
        let operation: String
        let bytes: Range<Int>
        let new: String
    }

    private let source: [UInt8]
    private let tokens: SwiftTokens
    private var edits: [Edit] = []
    /// The opening brackets of the bodies of functions and computed properties with the types that they return.
    private var bodies: [Int: [Substring]] = [:]
    /// The bytes of the default arguments of functions, initialisers and subscripts. A trial compiles one file alone,
    /// and callers in other files have their copies of them.
    private var defaults: [Range<Int>] = []

    /// Returns all changes of `source`, in the order of their places.
    static func edits(of source: String) -> [Edit] {
        var operators = Operators(source: Array(source.utf8), tokens: SwiftTokens(source))
        operators.read()
        var seen: Set<String> = []
        return operators.edits.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
            .filter { seen.insert("\($0.bytes) \($0.new)").inserted && !operators.isDefault($0.bytes) }
    }

    private init(source: [UInt8], tokens: SwiftTokens) { (self.source, self.tokens) = (source, tokens) }

    private func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    private mutating func edit(_ operation: String, _ bytes: Range<Int>, _ new: String) {
        edits.append(Edit(operation: operation, bytes: bytes, new: new))
    }

    private mutating func read() {
        for index in tokens.all.indices {
            readSignature(index)
            readDefaults(index)
        }
        let skipped = skippedLines()
        for index in tokens.all.indices where !skipped.contains(tokens.all[index].line) {
            let token = tokens.all[index]
            if tokens.text(index - 1) == "@" { continue }
            switch token.text {
            case "if", "while": readCondition(index, endingBefore: "{")
            case "guard": readCondition(index, endingBefore: "else")
            case "where": readWhere(index)
            case "true": edit("boolean", token.bytes, "false")
            case "false": edit("boolean", token.bytes, "true")
            case "min", "max":
                guard tokens.text(index + 1) == "(", tokens.text(index - 1) != "func" else { break }
                edit("extreme", token.bytes, token.text == "min" ? "max" : "min")
            case "first", "last", "removeFirst", "removeLast":
                guard tokens.text(index - 1) == ".", let new = Self.ends[token.text] else { break }
                edit("end", token.bytes, new)
            case "(": readArguments(index)
            default:
                if token.isOperator { readOperator(index) }
                if token.isNumber { readNumber(index) }
            }
            readStatement(index)
        }
    }

    /// Lines of compiler directives and attributes, which are no code that runs.
    private func skippedLines() -> Set<Int> {
        var lines: Set<Int> = []
        for (index, token) in tokens.all.enumerated() where token.isFirstOfLine {
            if token.text == "#" || token.text == "import" { lines.insert(token.line) }
            if token.text == "@", tokens.text(index + 1) == "available" { lines.insert(token.line) }
        }
        return lines
    }

    // MARK: Conditions

    private mutating func readCondition(_ keyword: Int, endingBefore end: Substring) {
        // `repeat { } while` has no body behind it.
        if tokens.text(keyword) == "while", tokens.text(keyword - 1) == "}", !tokens.all[keyword].isFirstOfLine {
            return
        }
        var index = keyword + 1
        while index < tokens.all.count, tokens.text(index) != end {
            if tokens.text(index) == "}" { return }
            index = tokens.next(index)
        }
        guard index < tokens.all.count, index > keyword + 1 else { return }
        let parts = tokens.parts(keyword + 1..<index)
        for part in parts { change(part, always: tokens.text(keyword) != "while") }
        if tokens.text(keyword) == "if" {
            let place = tokens.all[keyword + 1].bytes.lowerBound
            edit("never", place..<place, "false, ")
        }
    }

    /// Negates and drops one condition, unless it binds a value.
    private mutating func change(_ part: Range<Int>, always: Bool) {
        let first = tokens.text(part.lowerBound)
        guard !["let", "var", "case", "#", "true", "false"].contains(first) else { return }
        let bytes = tokens.bytes(part)
        if !isNegatedByOperator(part) { edit("negated", bytes, "!(\(text(bytes)))") }
        if always { edit("dropped-condition", bytes, "true") }
    }

    /// True if another operation negates the condition as a whole: it is one comparison, or begins with `!`.
    private func isNegatedByOperator(_ part: Range<Int>) -> Bool {
        var infixes: [Substring] = []
        var index = part.lowerBound
        while index < part.upperBound {
            if tokens.all[index].isOperator, tokens.all[index].isSpaced { infixes.append(tokens.text(index)) }
            index = tokens.next(index)
        }
        return infixes.isEmpty && tokens.text(part.lowerBound) == "!" || infixes == ["=="] || infixes == ["!="]
    }

    private mutating func readWhere(_ keyword: Int) {
        var index = keyword + 1
        while index < tokens.all.count, !["{", ":", "}", ";"].contains(tokens.text(index)) {
            // The constraint of a generic declaration names types.
            if tokens.all[index].isFirstOfLine, ["func", "var", "let", "init"].contains(tokens.text(index)) { return }
            index = tokens.next(index)
        }
        guard index > keyword + 1, !declaresGenerics(keyword) else { return }
        change(keyword + 1..<index, always: true)
    }

    private func declaresGenerics(_ keyword: Int) -> Bool {
        var index = tokens.previous(keyword)
        while index >= 0, !["{", "}", ";"].contains(tokens.text(index)) {
            if ["func", "extension", "struct", "protocol", "init", "class", "enum", "actor"].contains(
                tokens.text(index))
            {
                return true
            }
            if ["for", "case", "catch"].contains(tokens.text(index)) { return false }
            index = tokens.previous(index)
        }
        return false
    }

    /// Negates the condition before `?` of `condition ? one : other`.
    private mutating func readTernary(_ mark: Int) {
        var start = mark
        while start > 0 {
            let before = tokens.text(start - 1)
            if ["(", "[", "{", ",", "=", "return", ":", "in", ";", "??", "+=", "-=", "else"].contains(before) { break }
            if tokens.all[start].isFirstOfLine, start < mark, !tokens.all[start].isOperator, tokens.text(start) != ".",
                !tokens.all[start - 1].isSpaced || !tokens.all[start - 1].isOperator
            {
                break
            }
            start = tokens.previous(start - 1) + 1
        }
        guard start < mark else { return }
        change(start..<mark, always: false)
    }

    // MARK: Operators and constants

    private static let exchanged: [Substring: (operation: String, new: String)] = [
        "<": ("comparison", "<="), "<=": ("comparison", "<"), ">": ("comparison", ">="), ">=": ("comparison", ">"),
        "==": ("comparison", "!="), "!=": ("comparison", "=="), "&&": ("connective", "||"), "||": ("connective", "&&"),
        "+": ("arithmetic", "-"), "-": ("arithmetic", "+"), "+=": ("arithmetic", "-="), "-=": ("arithmetic", "+="),
    ]

    private static let ends: [Substring: String] = [
        "first": "last", "last": "first", "removeFirst": "removeLast", "removeLast": "removeFirst",
    ]

    private mutating func readOperator(_ index: Int) {
        let token = tokens.all[index]
        if token.text == "!", token.bytes.upperBound < source.count, source[token.bytes.upperBound] != 0x20,
            token.hasSpaceBefore || ["(", "[", "{"].contains(tokens.text(index - 1))
        {
            edit("negated", token.bytes, "")
        }
        guard token.isSpaced else { return }
        if token.text == "?" { readTernary(index) }
        if let (operation, new) = Self.exchanged[token.text], tokens.text(index - 1) != "func" {
            edit(operation, token.bytes, new)
        }
    }

    private mutating func readNumber(_ index: Int) {
        let token = tokens.all[index]
        let digits = token.text.filter { $0 != "_" }
        guard tokens.text(index - 1) != "." || token.hasSpaceBefore else { return }
        if let value = Int(digits) {
            edit("constant", token.bytes, "\(value + 1)")
        } else if digits.hasPrefix("0x"), let value = UInt64(digits.dropFirst(2), radix: 16), value < .max {
            edit("constant", token.bytes, "0x" + String(value + 1, radix: 16, uppercase: true))
        }
    }

    // MARK: Arguments

    private mutating func readArguments(_ opener: Int) {
        guard let close = tokens.partners[opener], opener > 0, !tokens.all[opener].hasSpaceBefore,
            tokens.all[opener - 1].isWord || tokens.text(opener - 1) == ">",
            !["init", "subscript"].contains(tokens.text(opener - 1)) || tokens.text(opener - 2) == ".",
            // The order of these has no effect.
            !["min", "max"].contains(tokens.text(opener - 1)),
            !declares(opener)
        else { return }
        let values = tokens.parts(opener + 1..<close).map { part in
            let isLabelled = tokens.text(part.lowerBound + 1) == ":"
            return (isLabelled ? part.lowerBound + 2 : part.lowerBound)..<part.upperBound
        }
        for (one, other) in zip(values, values.dropFirst()) where isSimple(one) && isSimple(other) {
            let (first, second) = (tokens.bytes(one), tokens.bytes(other))
            guard text(first) != text(second) else { continue }
            let between = text(first.upperBound..<second.lowerBound)
            edit("swapped-arguments", first.lowerBound..<second.upperBound, text(second) + between + text(first))
        }
    }

    private func declares(_ opener: Int) -> Bool {
        var index = opener - 1
        if tokens.text(index) == ">" {
            while index > 0, tokens.text(index) != "<" { index -= 1 }
            index -= 1
        }
        return ["func", "case", "macro"].contains(tokens.text(index - 1))
    }

    /// True for a name or a chain of names.
    private func isSimple(_ value: Range<Int>) -> Bool {
        guard !value.isEmpty, tokens.all[value.lowerBound].isWord else { return false }
        return value.allSatisfy { index in
            let token = tokens.all[index]
            return token.text == "." || token.text == "?"
                || token.isWord && !token.isNumber
                    && !["let", "var", "try", "await", "nil", "true", "false", "any", "some", "as", "is", "inout"]
                        .contains(token.text)
        }
    }

    // MARK: Statements

    private static let notStatements: Set<Substring> = [
        "if", "guard", "while", "for", "switch", "case", "default", "return", "throw", "let", "var", "func", "init",
        "else", "catch", "do", "repeat", "break", "continue", "struct", "enum", "class", "actor", "extension", "import",
        "protocol", "typealias", "public", "package", "internal", "private", "fileprivate", "static", "mutating",
        "final",
        "override", "lazy", "weak", "unowned", "indirect", "subscript", "deinit", "nonisolated", "associatedtype",
        "precondition", "assert", "fatalError", "preconditionFailure", "assertionFailure", "where", "in", "get", "set",
        "willSet", "didSet", "convenience", "required", "fallthrough", "consuming", "borrowing", "as", "is", "async",
    ]

    private mutating func readStatement(_ index: Int) {
        guard beginsStatement(index), tokens.all[index].isWord, !Self.notStatements.contains(tokens.text(index)) else {
            return
        }
        let statement = index..<endOfStatement(index)
        let opener = tokens.openers[index]
        let isOnly = tokens.text(index - 1) == "{" && tokens.text(statement.upperBound) == "}"
        let bytes = tokens.bytes(statement)
        let isWrite: Bool
        switch tokens.text(index) {
        case "await", "try", "_", "defer": isWrite = true
        default:
            var hasAssignment = false
            var next = index
            while next < statement.upperBound {
                hasAssignment = hasAssignment || ["=", "+=", "-=", "*=", "^=", "|="].contains(tokens.text(next))
                next = tokens.next(next)
            }
            isWrite = hasAssignment || [")", "}"].contains(tokens.text(statement.upperBound - 1))
            if hasAssignment {
                edit("dropped-write", bytes, "_ = ()")
                return
            }
        }
        // A body that is one expression returns it.
        if isOnly, bodies[opener].map({ !$0.isEmpty }) == true { return }
        if isWrite { edit("dropped-write", bytes, "_ = ()") }
    }

    private func beginsStatement(_ index: Int) -> Bool {
        guard index > 0, tokens.openers[index] < 0 || tokens.text(tokens.openers[index]) == "{" else { return false }
        let before = tokens.all[index - 1]
        switch before.text {
        case "{", ";": return true
        case "in": return tokens.text(tokens.openers[index]) == "{" && isClosureHead(index - 1)
        case ":": return isCaseLabel(index - 1)
        default: break
        }
        guard tokens.all[index].isFirstOfLine else { return false }
        if before.isOperator, before.isSpaced { return false }
        return ![",", "(", "[", "=", ".", "return", "->", "await", "try", "throw"].contains(before.text)
    }

    /// True for the `in` of a closure: its parameters stand behind the opening bracket.
    private func isClosureHead(_ index: Int) -> Bool {
        var start = index - 1
        while start > 0, tokens.text(start) != "{", tokens.text(start) != "for" { start = tokens.previous(start) }
        return tokens.text(start) == "{"
    }

    private func isCaseLabel(_ colon: Int) -> Bool {
        var index = tokens.previous(colon)
        while index >= 0 {
            switch tokens.text(index) {
            case "case", "default": return true
            case "let", "var": if tokens.text(index - 1) != "case" { return false }
            case "{", "}", ";", "func": return false
            default: break
            }
            index = tokens.previous(index)
        }
        return false
    }

    private func endOfStatement(_ start: Int) -> Int {
        var index = start
        while true {
            let next = tokens.next(index)
            guard next < tokens.all.count else { return tokens.all.count }
            let token = tokens.all[next]
            if token.text == "}" || token.text == ";" || token.text == ")" || token.text == "]" { return next }
            let before = tokens.all[next - 1]
            if token.isFirstOfLine, !token.isOperator, ![".", ":", "else", "catch", "{", "as"].contains(token.text),
                !(before.isOperator && before.isSpaced), ![",", "=", "await", "try", "in"].contains(before.text)
            {
                return next
            }
            index = next
        }
    }

    // MARK: Early returns

    private mutating func readSignature(_ index: Int) {
        var next = index + 2
        switch tokens.text(index) {
        case "func": next = tokens.next(parameters(behind: index))
        case "var":
            guard tokens.text(next) == ":" else { return }
        default: return
        }
        var type: [Substring]? = tokens.text(next) == ":" ? [] : nil
        if type != nil { next += 1 }
        while next < tokens.all.count, tokens.text(next) != "{" {
            let token = tokens.all[next]
            // Another declaration, or a value: there is no body.
            if token.text == "=" || token.text == "}" || token.isFirstOfLine && token.isWord && token.text != "where" {
                return
            }
            if token.text == "where" { type = type ?? [] }
            if token.text == "->" { type = [] } else if type != nil { type?.append(token.text) }
            next = token.text == "[" ? next + 1 : tokens.next(next)
        }
        guard let close = tokens.partners[next], close > next + 1,
            !["get", "set", "willSet", "didSet", "_read", "nonmutating"].contains(tokens.text(next + 1))
        else { return }
        let returned = Array((type ?? []).prefix { $0 != "where" })
        bodies[next] = returned
        let inner = tokens.all[next].bytes.upperBound..<tokens.all[close].bytes.lowerBound
        for value in Self.values(of: returned) {
            let new = value.isEmpty ? " return " : " return \(value) "
            if text(tokens.bytes(next + 1..<close)) == "return \(value)"
                || text(tokens.bytes(next + 1..<close)) == value
            {
                continue
            }
            edit("early-return", inner, new)
        }
    }

    /// Returns the bracket that opens the parameters of a declaration.
    private func parameters(behind keyword: Int) -> Int {
        var opener = keyword + 1
        while opener < tokens.all.count, tokens.text(opener) != "(" { opener += 1 }
        return opener
    }

    private mutating func readDefaults(_ index: Int) {
        guard ["func", "init", "subscript"].contains(tokens.text(index)), tokens.text(index - 1) != "." else { return }
        let opener = parameters(behind: index)
        guard let close = tokens.partners[opener] else { return }
        for part in tokens.parts(opener + 1..<close) {
            var place = part.lowerBound
            while place < part.upperBound, tokens.text(place) != "=" { place = tokens.next(place) }
            if place + 1 < part.upperBound { defaults.append(tokens.bytes(place + 1..<part.upperBound)) }
        }
    }

    /// True for bytes within a default argument.
    private func isDefault(_ bytes: Range<Int>) -> Bool {
        defaults.contains { $0.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.upperBound }
    }

    /// The values that a function can return whatever it is asked.
    private static func values(of type: [Substring]) -> [String] {
        guard let last = type.last else { return [""] }
        if last == "?" { return ["nil"] }
        if type == ["Bool"] { return ["true", "false"] }
        if type.first == "[" { return type.contains(":") ? ["[:]"] : ["[]"] }
        if type.first == "Set" { return ["[]"] }
        if type.count == 1, ["Int", "Int64", "UInt64", "UInt8", "Int32"].contains(last) { return ["0"] }
        return []
    }
}
