import PaymentCore
import SandboxSupport

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
    /// - Parameter environment: Returns the environment's variable of a name, which stands for an option that the line
    ///   lacks. An empty one counts as absent.
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

    /// Gives each option that has a variable, and no value yet, the variable's value. An empty one counts as absent.
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

// MARK: - Errors

/// A malformed command line: ends with exit code 64.
struct UsageError: Error, Equatable {
    let message: String
    /// The command's usage, and where to read more.
    let hint: String

    /// - Parameter message: The message, which quotes words of the line by ``quoted(_:)`` only.
    init(_ message: String, _ syntax: CommandSyntax) {
        self.message = message
        let words = syntax.path.split(separator: " ", maxSplits: 1)
        let help = words.count == 2 ? "\(words[0]) help \(words[1])" : "\(syntax.path) --help"
        hint = "Usage: \(syntax.usage)\n  See '\(help)' for more information."
    }

    /// An error about a word that is not among `known`, with the nearest one as a suggestion.
    static func unknown(_ what: String, _ word: String, known: [String], in syntax: CommandSyntax) -> UsageError {
        let nearest = known.min { distance($0, word) < distance($1, word) }
        let suggestion = nearest.flatMap {
            distance($0, word) <= max(1, word.count / 3) ? ". Did you mean '\($0)'?" : nil
        }
        return UsageError("Unknown \(what) \(quoted(word))\(suggestion ?? "")", syntax)
    }

    /// Returns a word of the line as it may be repeated. It may be a link that has slipped into its place, with a
    /// secret.
    static func quoted(_ word: String) -> String { "'\(Printable.short(LinkPrivacy.shown(word), 100))'" }

    /// The number of characters to insert, remove or replace (Levenshtein). Long words are compared by their start.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.prefix(32))
        let right = Array(right.prefix(32))
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let substitution = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}

// MARK: - Settings

/// The file of settings that `PAYROUTE_CONFIG` names: values of options that neither the line nor the environment has.
///
/// It is one JSON object. A member has the name of an option that has a variable, without its dashes, and its value as
/// on the line. A file's path begins at the folder of the file of settings unless it is absolute.
struct Settings {
    /// The environment's variable with the path of the file.
    static let variable = "PAYROUTE_CONFIG"
    private static let kind = "file of settings"
    /// Bytes.
    private static let limit = 65536

    /// The values by the variables that they stand for.
    let values: [String: String]
    /// The names of the options, in order.
    let names: [String]

    /// Reads the file at `path`.
    ///
    /// - Parameter known: The options of all commands.
    /// - Throws: ``CommandError`` with the member at fault, and no value.
    init(_ path: String, known: [CommandSyntax.Option]) throws(CommandError) {
        // A changed limit, wallet or account in it would move money.
        let bytes = try NamedFile.bytes(path, Self.kind, limit: Self.limit, keptFrom: .change)
        guard let members = (try? JSONValue(parsing: bytes))?.object else {
            throw NamedFile.unusable(path, Self.kind, "it is not a JSON object, or names a member twice")
        }
        let options = Dictionary(known.filter { $0.variable != nil }.map { ($0.name, $0) }) { first, _ in first }
        var values: [String: String] = [:]
        for (name, value) in members {
            guard let option = options[name], let variable = option.variable else {
                let all = options.keys.sorted().joined(separator: ", ")
                let shown = Printable.short(name, 40)
                throw NamedFile.unusable(path, Self.kind, "it has no member '\(shown)'; it may have: \(all)")
            }
            guard let text = value.string ?? value.uint64.map({ "\($0)" }), !text.isEmpty else {
                throw NamedFile.unusable(path, Self.kind, "\(name) is neither a text nor a number")
            }
            values[variable] = option.value == "file" ? NamedFile.path(text, beside: path) : text
        }
        self.values = values
        names = members.keys.sorted()
    }

    /// Returns the settings of the file that the environment names, or nil if it names none.
    static func named(by console: Console) throws(CommandError) -> Settings? {
        guard let path = console.environment(variable), !path.isEmpty else { return nil }
        return try Settings(path, known: options(of: CommandLineTool.commands))
    }

    private static func options(of commands: [any Command.Type]) -> [CommandSyntax.Option] {
        commands.flatMap { $0.syntax.options + options(of: $0.subcommands) }
    }
}
