import PaymentCore

/// One `name=value` of a query, as it stands.
struct QueryParameter {
    /// The name.
    let name: TextPart
    /// The value, still percent-encoded; empty where there is none.
    let value: TextPart
    /// Whether there is an `=`.
    let hasValue: Bool
}

/// How a standard writes its query.
struct QueryRules {
    /// Whether `+` is a space, as HTML forms have it. Otherwise it is a plus sign (RFC 3986).
    var plusIsSpace = false
    /// Whether names are compared without regard to ASCII case.
    var foldsNames = false
    /// The names that may stand several times.
    var repeatable: Set<String> = []
    /// Whether every name may stand only once, also such as the standard does not know.
    var refusesUnknownTwice = false
}

/// Reads a query by a standard's own rules: what repeats, what `+` means, whether case matters.
struct QueryReader {
    private let rules: QueryRules
    private let known: Set<String>

    /// Creates a reader for a standard that knows the names `known`, given in the case in which they are compared.
    init(_ rules: QueryRules, known: Set<String>) {
        self.rules = rules
        self.known = known
    }

    /// Calls `body` with each parameter and its name as it is compared; empty ones (`a=1&&b=2`) are skipped.
    ///
    /// - Throws: ``StandardDefect`` of kind `duplicate` for a name that stands twice and may not: two readers that take
    ///   the first and the last would see two payees.
    func read(
        _ query: TextPart?, _ body: (String, QueryParameter) throws(StandardDefect) -> Void
    ) throws(StandardDefect) {
        guard let query else { return }
        var seen: Set<String> = []
        for item in query.split(at: "&") where !item.isEmpty {
            let (name, value) = item.cut(at: "=")
            let key = rules.foldsNames ? name.lowercased : name.text
            if !rules.repeatable.contains(key), known.contains(key) || rules.refusesUnknownTwice,
                !seen.insert(key).inserted
            {
                throw item.defect(
                    .duplicate, "parameter \(shown(key))", "stands twice; readers would disagree which counts")
            }
            try body(
                key,
                QueryParameter(
                    name: name, value: value ?? name.suffix(0), hasValue: value != nil))
        }
    }

    /// The decoded value of `parameter`.
    func text(_ parameter: QueryParameter, _ name: String) throws(StandardDefect) -> TextPart {
        try parameter.value.decoded(name, plusIsSpace: rules.plusIsSpace)
    }

    /// Names that the standard knows are shown, others may be anything.
    private func shown(_ name: String) -> String { known.contains(name) ? name : "(unknown)" }
}
