import PaymentCore

/// Reads a query by a standard's own rules: repeatable names, the meaning of `+`, the case of names.
///
/// Each standard makes and keeps one. Names are looked up by number, so reading allocates nothing for them. They are
/// few, and comparing them one by one takes less time than hashing a name.
final class QueryReader: Sendable {
    /// A known name, and its bytes, which a text's are compared with before a string is made of them.
    private struct Name: Sendable {
        let text: String
        let bytes: [UInt8]
    }

    private let rules: QueryRules
    /// The known names; the place of each is its number.
    private let names: [Name]
    /// The numbers, as bits, of the known names that may occur several times.
    private let repeatable: UInt64
    /// Returns true for further names that the standard takes.
    private let takes: @Sendable (String) -> Bool
    /// Returns true for a value that the standard takes under any name, or for a whole parameter.
    private let takesValue: @Sendable (TextPart) -> Bool

    /// The reader that knows no name.
    static let none = QueryReader(QueryRules(), known: [])

    /// Creates a reader for a standard that knows the names `known`, at most 64, in the case that is compared.
    ///
    /// - Parameters:
    ///   - rules: How the standard writes its query.
    ///   - known: The names.
    ///   - takes: Returns true for further names, if they are not a closed list.
    ///   - takesValue: Returns true for a value that is taken under any name, or for a whole parameter.
    init(
        _ rules: QueryRules, known: Set<String>, takes: @escaping @Sendable (String) -> Bool = { _ in false },
        takesValue: @escaping @Sendable (TextPart) -> Bool = { _ in false }
    ) {
        precondition(known.count <= UInt64.bitWidth, "a name takes a bit")
        self.rules = rules
        let names = known.map { Name(text: $0, bytes: Array($0.utf8)) }
        self.names = names
        repeatable = names.indices.reduce(0) { rules.repeatable.contains(names[$1].text) ? $0 | 1 << $1 : $0 }
        self.takes = takes
        self.takesValue = takesValue
    }

    /// Calls `body` with each parameter and its name as compared, decoded once. Before that, calls `leave` with the
    /// name and value of a parameter that the standard does not take. Empty ones (`a=1&&b=2`) are skipped. Only
    /// ``PaymentText`` calls this.
    ///
    /// - Throws: ``StandardDefect`` of kind `duplicate` for a name that must not occur twice. One reader would take the
    ///   first payee, another the last.
    func read(
        _ query: TextPart?, leaving leave: (String, String?) -> Void,
        _ body: (String, QueryParameter) throws(StandardDefect) -> Void
    ) throws(StandardDefect) {
        guard let query else { return }
        var seen: UInt64 = 0
        var strangers: Set<String> = []
        var start = query.bytes.startIndex
        while start < query.bytes.endIndex {
            let end = query.firstIndex(of: "&", from: start) ?? query.bytes.endIndex
            defer { start = end + 1 }
            guard end > start else { continue }
            var parameter = QueryParameter(query[start..<end])
            try parameter.whole.checkSeparator()
            // By RFC 3986, a name is the same with and without escapes. A malformed escape stands for itself.
            let name = (try? parameter.name.decoded("name", plusIsSpace: rules.plusIsSpace)) ?? parameter.name
            let known = number(of: name.bytes)
            let key = known.map { names[$0].text } ?? (rules.foldsNames ? name.lowercased : name.text)
            let isRequired = known == nil && !rules.required.isEmpty && key.hasPrefix(rules.required)
            let number = isRequired ? number(of: name.bytes.dropFirst(rules.required.utf8.count)) : known
            parameter.isKnown = number != nil
            let isAgain: Bool
            if let number {
                isAgain = seen & ~repeatable & 1 << number != 0
                seen |= 1 << number
            } else {
                isAgain = rules.refusesUnknownTwice && !strangers.insert(key).inserted
            }
            guard !isAgain else {
                // Only names that the standard knows are shown. Others may hold any text.
                throw parameter.whole.defect(
                    .duplicate, "parameter \(parameter.isKnown ? key : "(unknown)")",
                    "stands twice; readers would disagree which counts")
            }
            if !parameter.isKnown, !takes(key), !takesValue(parameter.whole),
                !parameter.hasValue || !takesValue(parameter.value)
            {
                guard !isRequired else {
                    throw parameter.name.defect(
                        .unsupported, "required parameter",
                        "is not known and must not be ignored; use another wallet or link")
                }
                leave(name.text, parameter.hasValue ? parameter.value.leniently : nil)
            }
            try body(key, parameter)
        }
    }

    private func number(of name: ArraySlice<UInt8>) -> Int? {
        name.withUnsafeBufferPointer { name in
            names.firstIndex { known in
                // Comparing the lengths first is faster.
                guard known.bytes.count == name.count else { return false }
                for (byte, own) in zip(name, known.bytes)
                where (rules.foldsNames ? byte.lowercasedASCII : byte) != own { return false }
                return true
            }
        }
    }

    /// Returns the decoded value of `parameter`.
    func text(_ parameter: QueryParameter, _ name: String) throws(StandardDefect) -> TextPart {
        try parameter.value.decoded(name, plusIsSpace: rules.plusIsSpace)
    }
}

/// One `name=value` of a query, as written.
struct QueryParameter {
    /// Name and value with the `=` between them.
    let whole: TextPart
    /// The place of the `=` in ``whole``.
    private let mark: Int?
    /// True if its name is one that the reader knows.
    fileprivate(set) var isKnown = false

    fileprivate init(_ whole: TextPart) {
        self.whole = whole
        mark = whole.firstIndex(of: "=")
    }

    var name: TextPart { whole[whole.bytes.startIndex..<(mark ?? whole.bytes.endIndex)] }
    /// The value, still percent-encoded; empty if there is none.
    var value: TextPart { whole[(mark.map { $0 + 1 } ?? whole.bytes.endIndex)..<whole.bytes.endIndex] }
    /// True if there is an `=`.
    var hasValue: Bool { mark != nil }
}

/// The rules of a standard for its query.
struct QueryRules: Sendable {
    /// True if `+` is a space, as in HTML forms. Otherwise it is a plus sign (RFC 3986).
    var plusIsSpace = false
    /// True if names are compared without regard to ASCII case.
    var foldsNames = false
    /// The beginning of names that must not be ignored; the rest is the parameter's own name. Empty for none.
    var required = ""
    /// The names that may occur several times.
    var repeatable: Set<String> = []
    /// True if every name may occur only once, also one that the standard does not know.
    var refusesUnknownTwice = false
}

extension PercentCoding {
    /// Returns a `?` and the parameters that have a value, names and values encoded; an empty text without any.
    ///
    /// - Parameters:
    ///   - parameters: Names and values.
    ///   - keep: Returns true for a byte that stays as it is.
    static func query(
        _ parameters: [(String, String?)],
        keeping keep: (UInt8) -> Bool = { $0.isASCIILetter || $0.isASCIIDigit || "-_.~".utf8.contains($0) }
    ) -> String {
        let items = parameters.compactMap { name, value in
            value.map { "\(encode(name, keeping: keep))=\(encode($0, keeping: keep))" }
        }
        return items.isEmpty ? "" : "?\(items.joined(separator: "&"))"
    }
}

/// Parts of a text that a standard takes one by one. The list knows which are left.
protocol PartList: AnyObject {
    /// The parts that were not taken, in the text's order.
    var untaken: [UnreadPart] { get }
}

/// Parts of a text by their names. Made by ``PaymentText/named(_:)``.
struct NamedParts {
    /// A part, and true if it was taken. Copying a tuple takes several times as long.
    struct Part {
        let name: String
        let value: TextPart
        var isTaken = false
    }

    /// The parts, shared by all copies.
    private final class List: PartList {
        /// They are few: comparing them takes less time than hashing a name.
        var parts: [Part]

        init(_ parts: [Part]) { self.parts = parts }

        var untaken: [UnreadPart] {
            guard parts.contains(where: { !$0.isTaken }) else { return [] }
            return parts.filter { !$0.isTaken }.sorted { $0.value.offset < $1.value.offset }
                .map { UnreadPart($0.name, $0.value.text) }
        }
    }

    /// Nil without any part, as in most links to services.
    private let list: List?

    init(_ parts: [Part]) { list = parts.isEmpty ? nil : List(parts) }

    /// The list of the parts; nil without any part.
    var account: (any PartList)? { list }

    /// Takes and returns the part `name`; nil if there is none.
    subscript(_ name: String) -> TextPart? {
        guard let list, let index = list.parts.lastIndex(where: { $0.name == name }) else { return nil }
        list.parts[index].isTaken = true
        return list.parts[index].value
    }

    /// Takes all parts with one of `names`, and returns their texts.
    func take(_ names: Set<String>) -> [String: String] {
        guard let list else { return [:] }
        var texts: [String: String] = [:]
        for index in list.parts.indices where names.contains(list.parts[index].name) {
            list.parts[index].isTaken = true
            texts[list.parts[index].name] = list.parts[index].value.text
        }
        return texts
    }
}
