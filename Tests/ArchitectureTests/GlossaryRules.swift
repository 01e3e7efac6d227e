import Foundation

/// The package's rules of naming, as functions from its text to breaches.
enum GlossaryRules {
    typealias Package = TextRules.Package

    /// Every rule, by name.
    static let all: [(name: String, check: @Sendable (Package) -> [Violation])] = [
        ("Public names keep the glossary", names),
        ("Errors end in Error or Defect", errors),
        ("Lines are at most 120 columns long", lengths),
        ("At most three parameters have no label", unlabelled),
        ("Messages keep the glossary", messages),
        ("Comments keep the glossary", GlossaryComments.words),
        ("Titles of tests keep the glossary", GlossaryComments.titles),
        ("Doc comments begin with a noun or a verb", GlossaryComments.beginnings),
    ]

    /// The product's files in order.
    private static func product(_ package: Package) -> [(key: String, value: String)] {
        package.files.filter { $0.key.hasPrefix("Sources/") || $0.key.hasPrefix("Plugins/") }
            .filter { !$0.key.contains("/Tests/") }.sorted { $0.key < $1.key }
    }

    // MARK: Names

    /// Words that no public or package name, and no case, has among its parts.
    static let neverInNames = Phrases([
        "call off", "calls off", "called off", "calling off", "under way", "go on", "goes on", "going on", "gone on",
        "give up", "gives up", "giving up", "given up", "gave up", "for ever", "for good", "money back", "give back",
        "gives back", "given back", "last word", "tell", "tells", "telling", "told", "lend", "lends", "lent", "lending",
        "nobody", "somebody", "whoever", "anybody", "desk", "office", "book", "books", "door", "doors", "purse",
        "errand", "errands", "scene", "mail", "letter", "letters", "news", "lie", "lies", "setback", "refusal",
        "refusals", "trouble", "troubles", "problem", "problems", "patience", "standing", "today",
    ])

    /// Vendors' names, and the few names that have the literal meaning.
    static let allowedNames: Set<String> = [
        "handleScene", "getTodaySpending",  // Citcon's and Paykit's guides.
        "PaykitStandingOrder", "standingOrder",  // Standing orders, as banks call them.
        "isASCIILetter", "isASCIILetterOrDigit",
        "RefusalStatus",  // HTTP statuses of refusals; no error.
    ]

    static func names(_ package: Package) -> [Violation] {
        product(package).flatMap { file, text in
            declared(in: text).filter { !allowedNames.contains($0) }.compactMap { name in
                let parts = parts(of: name)
                guard let word = neverInNames.first(in: parts) else { return nil }
                return Violation(
                    place: file,
                    message: "'\(name)' has \"\(word.joined(separator: " "))\" in it: use the glossary's term")
            }
        }
    }

    /// The first phrase of a list whose words are among `words`, in their order and without others between them.
    struct Phrases {
        let all: [[String]]
        private let firstWords: Set<String>

        init(_ phrases: [String]) {
            all = phrases.map { $0.split(separator: " ").map(String.init) }
            firstWords = Set(all.compactMap(\.first))
        }

        func first(in words: [String]) -> [String]? {
            let starts = words.indices.filter { firstWords.contains(words[$0]) }
            guard !starts.isEmpty else { return nil }
            return all.first { phrase in starts.contains { words[$0...].starts(with: phrase) } }
        }
    }

    /// The parts of an identifier in lower case: `is`, `called`, `off` of `isCalledOff`.
    private static func parts(of name: String) -> [String] {
        name.matches(of: /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/).map { $0.output.lowercased() }
    }

    private static let kinds: Set<Substring> = [
        "func", "var", "let", "case", "struct", "class", "enum", "actor", "protocol", "typealias",
    ]

    /// The names of public or package declarations, and of cases, line by line.
    private static func declared(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            guard line.hasBytes(of: "public") || line.hasBytes(of: "package") || line.hasBytes(of: "case"),
                line.split(separator: " ").contains(where: { ["public", "package", "case"].contains($0) }),
                let match = line.firstMatch(of: #/^\s*(?:@\w+(?:\([^)]*\))? )*((?:\w+(?:\(set\))? )*)`?(\w+)(.*)$/#)
            else { return nil }
            let (_, before, name, rest) = match.output
            var modifiers = before.split(separator: " ")
            guard let kind = modifiers.popLast(), kinds.contains(kind) else { return nil }
            if kind == "case" {
                // A pattern of a switch is not a declaration: it ends in a colon.
                let flat = rest.replacing(#/\([^()]*(?:\([^()]*\)[^()]*)*\)/#, with: "")
                return ["let", "var", "is"].contains(name) || flat.contains(":") ? nil : String(name)
            }
            return modifiers.contains("public") || modifiers.contains("package") ? String(name) : nil
        }
    }

    // MARK: Errors

    static func errors(_ package: Package) -> [Violation] {
        let types: Set<Substring> = ["struct", "enum", "class", "actor"]
        return product(package).filter { $0.value.hasBytes(of: "Error") }.flatMap { file, text -> [Violation] in
            let tokens = SwiftText.of(text).tokens
            return tokens.indices.compactMap { index in
                guard types.contains(tokens[index]), index + 1 < tokens.endIndex else { return nil }
                let name = tokens[index + 1]
                let head = tokens[(index + 2)...].prefix { $0 != "{" }
                guard head.first == ":" || head.first == "<", let colon = head.firstIndex(of: ":"),
                    head[colon...].contains(where: { $0 == "Error" || $0 == "LocalizedError" }),
                    !name.hasSuffix("Error"), !name.hasSuffix("Defect")
                else { return nil }
                return Violation(place: file, message: "'\(name)' is an error; its name ends in Error or Defect")
            }
        }
    }

    // MARK: Lines

    /// A longer line is a comment, which `swift format` leaves unchanged. Quoted texts may be longer, as may tables and
    /// code in comments, expressions, and vendors' examples.
    static func lengths(_ package: Package) -> [Violation] {
        package.files.filter { !$0.key.contains("/Vectors/") && !$0.key.contains("Guide") }.sorted { $0.key < $1.key }
            .flatMap { file, text in
                SourceLine.all(of: text).filter { line in
                    line.text.utf8.count > 120 && line.text.count > 120 && !line.isInText && !mayBeLong(line.content)
                }.map {
                    Violation(
                        place: "\(file):\($0.number)", message: "has \($0.text.count) columns; break it before 120")
                }
            }
    }

    /// True if a line without its indentation cannot be broken, or need not be.
    private static func mayBeLong(_ line: Substring) -> Bool {
        guard line.hasPrefix("//") else { return line.contains("\"") || line.hasPrefix("/") }
        let isVerbatim = line.hasPrefix("/// |") || line.hasPrefix("///     ") || line.hasPrefix("/// let ")
        return isVerbatim || line.split(separator: " ").contains { $0.count > 100 }
    }

    // MARK: Parameters

    /// C callbacks in their order, the octets of an address, the letters of specifications, rows of tables, and
    /// statements: by file.
    static let allowedUnlabelled: Set<String> = [
        "HTTPExchange.swift handleExchange", "HTTPExchange.swift endExchange", "HTTPExchange.swift watchConnection",
        "StreamSockets.swift sendSocket", "DatagramAddress.swift init", "StreamAddress.swift init",
        "BLAKE2b.swift mix", "BLAKE2s.swift mix", "BLAKE3.swift mix", "KnownToken.swift init",
        "TamperedAnswer.swift init", "GatewayAPI.swift tell", "StoredColumn.swift rows", "StoredColumn.swift all",
    ]

    static func unlabelled(_ package: Package) -> [Violation] {
        product(package).flatMap { file, text in
            let name = file.split(separator: "/").last ?? ""
            return functions(SwiftText.of(text).tokens).filter {
                $0.unlabelled > 3 && !allowedUnlabelled.contains("\(name) \($0.name)")
            }.map {
                Violation(
                    place: file,
                    message: "'\($0.name)' has \($0.unlabelled) parameters without a label; give all but three one")
            }
        }
    }

    /// The declared functions, with their numbers of unlabelled parameters.
    private static func functions(_ tokens: [Substring]) -> [(name: String, unlabelled: Int)] {
        tokens.indices.compactMap { index in
            let isInitializer = tokens[index] == "init" && (index == 0 || tokens[index - 1] != ".")
            guard tokens[index] == "func" || isInitializer else { return nil }
            let name = isInitializer ? "init" : tokens.dropFirst(index + 1).first.map(String.init) ?? ""
            guard let start = tokens[index...].firstIndex(of: "("), start - index < 40 else { return nil }
            var depth = 0
            var count = 0
            for place in start..<tokens.endIndex {
                switch tokens[place] {
                case "(", "[", "{": depth += 1
                case ")", "]", "}": depth -= 1
                default: break
                }
                if depth == 0 { break }
                let begins = depth == 1 && (place == start || tokens[place] == ",")
                if begins, tokens.dropFirst(place + 1).first == "_" { count += 1 }
            }
            return (name, count)
        }
    }

    // MARK: Messages

    /// Phrases that are banned from messages. `today s` is "today's", whose mark parts words.
    static let neverInMessages = [
        "call off", "call it off", "call the payment off", "called off", "called it off", "called the payment off",
        "calls off", "calls it off", "calls the payment off", "calling off", "under way", "for ever", "go on with",
        "goes on with", "going on with", "gone on with", "give up", "given up", "gives up", "giving up", "nobody",
        "somebody", "whoever", "anybody", "money back", "last word", "is told", "are told", "was told", "lend", "lends",
        "give back", "gives back", "giving back", "given back", "gave back", "of today", "today s", "of its own",
        "of their own", "of your own",
    ]
    private static let messagePhrases = Phrases(neverInMessages)

    /// Texts with an intended phrase.
    static let allowedMessages: Set<String> = [
        "somebody else",  // A name of a made-up payee.
        "nobody", "Nobody",  // A scenario's name, and an empty list's only row.
    ]

    static func messages(_ package: Package) -> [Violation] {
        product(package).flatMap { file, text in
            texts(in: text).compactMap { text in
                // A word with hyphens is a name.
                let words = text.lowercased().utf8.split { !($0 >= 0x61 && $0 <= 0x7A || $0 == 0x2D) }
                    .map { String(Substring($0)) }
                guard !allowedMessages.contains(text), let phrase = messagePhrases.first(in: words) else { return nil }
                let found = phrase.joined(separator: " ")
                return Violation(
                    place: file, message: "\"\(found)\" in \"\(text.prefix(80))\": use the glossary's term")
            }
        }
    }

    /// The quoted texts: the short ones of each line, and the lines of long ones.
    static func texts(in text: String) -> [String] {
        SourceLine.all(of: text).filter { !$0.isComment }.flatMap { line in
            if line.isInText { return [String(line.text)] }
            guard line.hasQuotation, !line.hasMarks else { return [] }
            return line.text.matches(of: #/"((?:[^"\\]|\\.)*)"/#).map { String($0.output.1) }
        }
    }
}
