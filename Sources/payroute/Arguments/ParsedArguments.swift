/// The arguments of a command line, sorted by the command's syntax.
struct ParsedArguments: Sendable {
    /// The request of the line.
    enum Request: Sendable {
        case run, help, version
    }

    let syntax: CommandSyntax
    private(set) var request = Request.run
    private(set) var positionals: [String] = []
    private var flags: Set<String> = []
    private var values: [String: String] = [:]

    /// Reads `words`, which exclude the command's own name. The last value of a repeated option counts.
    ///
    /// - Parameter environment: Returns the environment's variable of a name; it stands for an option that the line
    ///   lacks. An empty one counts as none.
    init(
        _ words: some Sequence<String>, for syntax: CommandSyntax, environment: (String) -> String? = { _ in nil }
    ) throws(UsageError) {
        self.syntax = syntax
        var optionsEnded = false
        var iterator = Array(words)[...]
        while let word = iterator.popFirst() {
            if optionsEnded || word == "-" || !word.hasPrefix("-") {
                positionals.append(word)
            } else if word == "--" {
                optionsEnded = true
            } else if word == "--help" || word == "-h" {
                request = .help
                return
            } else if word == "--version" {
                request = .version
                return
            } else {
                try readOption(word, &iterator)
            }
        }
        fill(from: environment)
        try checkPositionals()
    }

    /// Gives each option that has a variable, and no value yet, the variable's value. An empty one counts as none.
    mutating func fill(from environment: (String) -> String?) {
        for option in syntax.options where values[option.name] == nil {
            guard let variable = option.variable, let value = environment(variable), !value.isEmpty else { continue }
            values[option.name] = value
        }
    }

    private mutating func readOption(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let equals = word.firstIndex(of: "=")
        let shown = String(word[..<(equals ?? word.endIndex)])
        guard let option = syntax.option(called: shown) else {
            throw UsageError.unknown("option", shown, known: syntax.options.map { "--\($0.name)" }, in: syntax)
        }
        guard let placeholder = option.value else {
            guard equals == nil else {
                throw UsageError("The option \(UsageError.quoted(shown)) takes no value", syntax)
            }
            flags.insert(option.name)
            return
        }
        if let equals {
            values[option.name] = String(word[word.index(after: equals)...])
        } else if let value = rest.first, value == "-" || !value.hasPrefix("-") {
            values[option.name] = value
            rest.removeFirst()
        } else {
            throw UsageError("Missing value for '\(shown) <\(placeholder)>'", syntax)
        }
    }

    private func checkPositionals() throws(UsageError) {
        let isOpen = syntax.arguments.last?.isRepeating ?? false
        if positionals.count < syntax.arguments.count, !syntax.arguments[positionals.count].isOptional {
            let missing = syntax.arguments[positionals.count]
            let dots = missing.isRepeating ? " ..." : ""
            throw UsageError("Missing expected argument '<\(missing.name)>\(dots)'", syntax)
        }
        let surplus = positionals.dropFirst(syntax.arguments.count)
        guard isOpen || surplus.isEmpty else {
            let shown = surplus.map(UsageError.quoted).joined(separator: ", ")
            throw UsageError(
                surplus.count == 1 ? "Unexpected argument \(shown)" : "\(surplus.count) unexpected arguments: \(shown)",
                syntax)
        }
    }

    // MARK: Reading

    /// Returns true if the flag `name` was given.
    func has(_ name: String) -> Bool { flags.contains(name) }

    /// The value of the option `name`, or nil.
    func value(_ name: String) -> String? { values[name] }

    /// The value of the option `name` as `convert` reads it, or nil when the option was not given.
    func value<Value>(_ name: String, _ convert: (String) -> Value?) throws(UsageError) -> Value? {
        guard let text = values[name] else { return nil }
        guard let value = convert(text) else {
            let option = syntax.option(name)
            let list = option.map { $0.values.isEmpty ? nil : "one of " + $0.values.joined(separator: ", ") } ?? nil
            throw UsageError(
                "The value \(UsageError.quoted(text)) is invalid for '--\(name) <\(option?.value ?? "value")>'"
                    + ((option?.form ?? list).map { ": give \($0)" } ?? ""), syntax)
        }
        return value
    }
}
