/// A public function or initialiser with its documentation, read from the text of a formatted file.
struct PublicFunction {
    let name: String
    let hasParameters: Bool
    let throwsErrors: Bool
    let saysWhatItThrows: Bool

    /// The public functions of `text`: declared public, or required by a public protocol.
    static func all(in text: String) -> [PublicFunction] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var found: [PublicFunction] = []
        /// The depth of the public protocol around the line.
        var depth: Int?
        for (index, line) in lines.enumerated() {
            let isDeclaration =
                line.hasBytes(of: "func ") || line.hasBytes(of: "init") || line.hasBytes(of: "protocol ")
            guard depth != nil || isDeclaration else { continue }
            let indentation = line.utf8.prefix { $0 == 0x20 }.count
            if let level = depth, indentation <= level, indentation < line.utf8.count { depth = nil }
            guard isDeclaration else { continue }
            if line.firstMatch(of: #/^\s*public (?:\w+ )*protocol /#) != nil, !line.hasSuffix("{}") {
                depth = indentation
            }
            let isRequired = depth.map { indentation == $0 + 4 } ?? false
            guard
                let declared = line.firstMatch(
                    of: #/^\s*(?:@\w+(?:\([^)]*\))? )*((?:\w+ )*)(func \S+?|init\??)(?:<|\()/#),
                isRequired || declared.output.1.contains("public ")
            else { continue }
            found.append(PublicFunction(String(declared.output.2), signature(from: index, lines), above(index, lines)))
        }
        return found
    }

    private init(_ name: String, _ signature: String, _ documentation: [Substring]) {
        self.name = name
        let (parameters, rest) = Self.split(signature)
        hasParameters = !parameters.allSatisfy { $0 == " " }
        throwsErrors = rest.contains(#/\bthrows\b/#)
        saysWhatItThrows = documentation.contains { $0.contains("- Throws:") }
    }

    /// The declaration's lines up to its body, joined.
    private static func signature(from start: Int, _ lines: [Substring]) -> String {
        var text = ""
        var open = 0
        for (index, line) in lines.enumerated().dropFirst(start) {
            text += line + " "
            open += line.count { $0 == "(" } - line.count { $0 == ")" }
            let next = lines.dropFirst(index + 1).first ?? ""
            let goesOn = !line.contains("{") && next.firstMatch(of: #/^\s*(?:async|throws|->|where)/#) != nil
            guard open > 0 || goesOn else { break }
        }
        return text
    }

    /// The parameters, and the text between them and the body.
    private static func split(_ signature: String) -> (parameters: Substring, rest: Substring) {
        guard let name = signature.firstRange(of: #/(?:func|init)\b[^(]*\(/#) else { return ("", "") }
        var open = 1
        var index = name.upperBound
        while index < signature.endIndex {
            switch signature[index] {
            case "(": open += 1
            case ")": open -= 1
            default: break
            }
            if open == 0 { break }
            index = signature.index(after: index)
        }
        let parameters = signature[name.upperBound..<index]
        return (parameters, signature[index...].prefix { $0 != "{" })
    }

    /// The documentation above a declaration, over attributes and conditions.
    private static func above(_ index: Int, _ lines: [Substring]) -> [Substring] {
        let before = lines[..<index].reversed().drop { $0.firstMatch(of: #/^\s*(?:@|#)/#) != nil }
        return Array(before.prefix { $0.firstMatch(of: #/^\s*\/\/\//#) != nil })
    }
}
