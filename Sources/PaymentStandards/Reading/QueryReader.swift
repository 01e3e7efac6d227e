import PaymentCore

/// One `name=value` of a query, as written.
struct QueryParameter {
    /// The name.
    let name: TextPart
    /// The value, still percent-encoded; empty where there is none.
    let value: TextPart
    /// True if there is an `=`.
    let hasValue: Bool
    /// True if its name is one that the reader knows.
    let isKnown: Bool
    /// Name and value with the `=` between them.
    let whole: TextPart
}

/// The rules by which a standard writes its query.
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

/// Reads a query by a standard's own rules: repeatable names, the meaning of `+`, the case of names.
///
/// Each standard makes and keeps one: names are looked up by number, so that reading allocates nothing for them. They
/// are few, and compared one by one, which takes less time than to hash a name.
final class QueryReader: Sendable {
    private let rules: QueryRules
    /// The known names; the place of each is its number.
    private let names: [String]
    /// The numbers, as bits, of the known names that may occur several times.
    private let repeatable: UInt64
    /// Returns true for further names that the standard takes.
    private let takes: @Sendable (String) -> Bool
    /// Returns true for a value that the standard takes, of whatever name, or for a whole parameter.
    private let takesValue: @Sendable (TextPart) -> Bool

    /// The reader that knows no name.
    static let none = QueryReader(QueryRules(), known: [])

    /// Creates a reader for a standard that knows the names `known`, at most 64, given in the case in which they are
    /// compared.
    ///
    /// - Parameters:
    ///   - rules: How the standard writes its query.
    ///   - known: The names.
    ///   - takes: Returns true for further names, where they are no closed list.
    ///   - takesValue: Returns true for a value that is taken whatever its name, or for a whole parameter.
    init(
        _ rules: QueryRules, known: Set<String>, takes: @escaping @Sendable (String) -> Bool = { _ in false },
        takesValue: @escaping @Sendable (TextPart) -> Bool = { _ in false }
    ) {
        precondition(known.count <= UInt64.bitWidth, "a name takes a bit")
        self.rules = rules
        let names = Array(known)
        self.names = names
        repeatable = names.indices.reduce(0) { rules.repeatable.contains(names[$1]) ? $0 | 1 << $1 : $0 }
        self.takes = takes
        self.takesValue = takesValue
    }

    /// Calls `body` with each parameter and its name as it is compared, decoded once, and before that `leave` with the
    /// name and the value of each that the standard does not take; empty ones (`a=1&&b=2`) are skipped. Only
    /// ``PaymentText`` calls this.
    ///
    /// - Throws: ``StandardDefect`` of kind `duplicate` for a name that occurs twice and may not: two readers that take
    ///   the first and the last would see two payees.
    func read(
        _ query: TextPart?, leaving leave: (String, String?) -> Void,
        _ body: (String, QueryParameter) throws(StandardDefect) -> Void
    ) throws(StandardDefect) {
        var seen: UInt64 = 0
        var strangers: Set<String> = []
        var rest = query
        while let part = rest {
            let (item, tail) = part.cut(at: "&")
            rest = tail
            guard !item.isEmpty else { continue }
            try item.checkSeparator()
            let (name, value) = item.cut(at: "=")
            // By RFC 3986 a name is the same with and without escapes; a malformed one stands for itself.
            let decoded = (try? name.decoded("name", plusIsSpace: rules.plusIsSpace)) ?? name
            let key = rules.foldsNames ? decoded.lowercased : decoded.text
            let isRequired = !rules.required.isEmpty && key.hasPrefix(rules.required)
            let number = number(of: isRequired ? String(key.dropFirst(rules.required.count)) : key)
            let isAgain: Bool
            if let number {
                isAgain = seen & ~repeatable & 1 << number != 0
                seen |= 1 << number
            } else {
                isAgain = rules.refusesUnknownTwice && !strangers.insert(key).inserted
            }
            guard !isAgain else {
                // Names that the standard knows are shown; others may hold any text.
                throw item.defect(
                    .duplicate, "parameter \(number == nil ? "(unknown)" : key)",
                    "stands twice; readers would disagree which counts")
            }
            if number == nil, !takes(key), !takesValue(item), !takesValue(value ?? item) {
                guard !isRequired else {
                    throw name.defect(
                        .unsupported, "required parameter",
                        "is not known and must not be ignored; use another wallet or link")
                }
                leave(decoded.text, value?.leniently)
            }
            try body(
                key,
                QueryParameter(
                    name: name, value: value ?? name.suffix(0), hasValue: value != nil, isKnown: number != nil,
                    whole: item))
        }
    }

    private func number(of name: String) -> Int? {
        // Names of other lengths differ at a glance.
        let count = name.utf8.count
        return names.firstIndex { $0.utf8.count == count && $0 == name }
    }

    /// Returns the decoded value of `parameter`.
    func text(_ parameter: QueryParameter, _ name: String) throws(StandardDefect) -> TextPart {
        try parameter.value.decoded(name, plusIsSpace: rules.plusIsSpace)
    }
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
