/// What `Package.swift` says, read from its text: asking SwiftPM from a test would wait for the build's lock.
struct Manifest {
    struct Target: Equatable {
        let name: String
        /// `target`, `executableTarget`, `testTarget` or `systemLibrary`.
        let kind: String
        let path: String
        let dependencies: [String]

        /// The top-level folder it lives in.
        var area: Substring { path.prefix { $0 != "/" } }
    }

    private(set) var targets: [Target] = []
    /// What stands in the package's own `dependencies:`.
    private(set) var packageDependencies: [String] = []

    /// Nil when the text has no `Package(…)` with a literal list of targets.
    init?(_ text: String) {
        let tokens = Self.tokenize(text)
        guard
            let package = tokens.indices.first(where: { tokens[$0] == .word("Package") && tokens.mark("(", at: $0 + 1) }
            )
        else { return nil }
        let arguments = Self.elements(tokens[(package + 1)...])
        guard let list = arguments.first(where: { $0.label == "targets" })?.value, list.first == .mark("[") else {
            return nil
        }
        for element in Self.elements(list).map(\.value) {
            guard element.count > 2, element.first == .mark("."), case .word(let kind) = element[element.startIndex + 1]
            else { return nil }
            let fields = Self.elements(element.dropFirst(2))
            guard let name = fields.first(where: { $0.label == "name" })?.value.firstString else { return nil }
            let path = fields.first { $0.label == "path" }?.value.firstString
            let dependencies = fields.first { $0.label == "dependencies" }?.value
            targets.append(
                Target(
                    name: name, kind: String(kind), path: path ?? (kind == "testTarget" ? "Tests/" : "Sources/") + name,
                    dependencies: dependencies.map { Self.elements($0).compactMap(\.value.firstString) } ?? []))
        }
        let packages = arguments.first { $0.label == "dependencies" }?.value
        packageDependencies = packages.map { Self.elements($0).compactMap(\.value.firstString) } ?? []
        if let packages, packageDependencies.isEmpty, packages.count > 2 { packageDependencies = ["?"] }
    }

    /// The target whose folder holds `file`.
    func target(of file: String) -> Target? {
        targets.filter { file.hasPrefix($0.path + "/") }.max { $0.path.utf8.count < $1.path.utf8.count }
    }

    // MARK: Reading

    enum Token: Equatable {
        case word(Substring)
        case string(Substring)
        case mark(Character)
    }

    private static func tokenize(_ text: String) -> [Token] {
        var tokens: [Token] = []
        var rest = text[...]
        while let first = rest.first {
            if rest.hasPrefix("//") {
                rest = rest.drop { !$0.isNewline }
            } else if rest.hasPrefix("/*") {
                rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
            } else if first == "\"" {
                let content = rest.dropFirst().prefix { $0 != "\"" }
                tokens.append(.string(content))
                rest = rest[content.endIndex...].dropFirst()
            } else if first.isLetter || first == "_" {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                tokens.append(.word(word))
                rest = rest[word.endIndex...]
            } else {
                if !first.isWhitespace { tokens.append(.mark(first)) }
                rest = rest.dropFirst()
            }
        }
        return tokens
    }

    /// What stands in the brackets that `tokens` begins with, parted by commas.
    private static func elements(
        _ tokens: ArraySlice<Token>
    ) -> [(label: Substring?, value: ArraySlice<Token>)] {
        var elements: [ArraySlice<Token>] = []
        var depth = 0
        var start = tokens.startIndex + 1
        scan: for (index, token) in zip(tokens.indices, tokens) {
            guard case .mark(let mark) = token else { continue }
            switch mark {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 {
                    elements.append(tokens[start..<index])
                    break scan
                }
            case "," where depth == 1:
                elements.append(tokens[start..<index])
                start = index + 1
            default: break
            }
        }
        return elements.filter { !$0.isEmpty }.map { element in
            if case .word(let label)? = element.first, element.dropFirst().first == .mark(":") {
                return (label, element.dropFirst(2))
            }
            return (nil, element)
        }
    }
}

extension ArraySlice<Manifest.Token> {
    /// The first string literal.
    fileprivate var firstString: String? {
        for case .string(let text) in self { return String(text) }
        return nil
    }
}

extension [Manifest.Token] {
    fileprivate func mark(_ mark: Character, at index: Int) -> Bool {
        indices.contains(index) && self[index] == .mark(mark)
    }
}
