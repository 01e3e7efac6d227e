/// The arguments of a command, and the texts that explain it.
struct CommandSyntax: Sendable {
    /// A value without a name.
    struct Argument: Sendable {
        let name: String
        let help: String
        var isRepeating = false
        /// True if it can be left out. Only the last one can.
        var isOptional = false
        /// The possible values, for completions, empty if any text is one. One that ends with a slash is only the
        /// beginning of a value.
        var values: [String] = []
        /// The names that are values, if the vendors decide.
        var names: Names?
    }

    /// Names that the program's vendors decide, for completions.
    enum Names: Sendable {
        /// The scenarios of their simulated services: `citcon/wechatpay`.
        case scenarios
        /// The ids of their providers.
        case providers
        /// The beginnings of their payments' names: `citcon/`.
        case payments
    }

    /// A name that begins with `--`, with a value or alone.
    struct Option: Sendable {
        let name: String
        /// The letter of its short form, behind one dash.
        var short: Character?
        /// The placeholder of the value, or nil for a flag.
        var value: String?
        let help: String
        /// True if the command needs it. The command itself explains its purpose.
        var isRequired = false
        /// The environment's variable that stands for the option if the line lacks it.
        var variable: String?
        /// The possible values, for completions, empty if any text is one. One that ends with a slash is only the
        /// beginning of a value.
        var values: [String] = []
        /// The names that are values, if the vendors decide.
        var names: Names?
        /// The beginning of the names of programs on `PATH`, whose rests are values.
        var programs: String?
        /// The form of a value, for errors: `a number from 0 to 65535`.
        var form: String?
    }

    /// A line that a person can paste, with its effect.
    struct Example: Sendable {
        let line: String
        let effect: String

        init(_ line: String, _ effect: String) {
            self.line = line
            self.effect = effect
        }
    }

    /// The words that lead to the command: `payroute route`.
    let path: String
    let overview: String
    /// A longer text under the overview.
    var discussion: String?
    var arguments: [Argument] = []
    var options: [Option] = []
    /// Names and one-liners of the commands below this one.
    var subcommands: [(name: String, help: String)] = []
    /// True if the command also works without a subcommand.
    var runsAlone = false
    /// Lines to paste.
    var examples: [Example] = []
    /// The files that the command reads or writes, besides those that the line names.
    var files: [(name: String, help: String)] = []

    /// The option called `name`, without its dashes.
    func option(_ name: some StringProtocol) -> Option? {
        options.first { $0.name == name }
    }

    /// The option that `word` names, dashes included.
    func option(called word: String) -> Option? {
        if word.hasPrefix("--") { return option(word.dropFirst(2)) }
        return options.first { option in option.short.map { word == "-\($0)" } ?? false }
    }

    /// The line that shows the command's arguments.
    var usage: String {
        var words = [path]
        for option in options {
            let word = option.value.map { "--\(option.name) <\($0)>" } ?? "--\(option.name)"
            words.append(option.isRequired ? word : "[\(word)]")
        }
        for argument in arguments {
            let word = argument.isRepeating ? "<\(argument.name)> ..." : "<\(argument.name)>"
            words.append(argument.isOptional ? "[\(word)]" : word)
        }
        if !subcommands.isEmpty { words.append(runsAlone ? "[<subcommand>]" : "<subcommand>") }
        return words.joined(separator: " ")
    }

    /// The environment's variables that stand for options of this command.
    var variables: [(name: String, help: String)] {
        options.compactMap { option in option.variable.map { ($0, "stands for --\(option.name)") } }
    }

    /// True if it is the program itself.
    var isProgram: Bool { !path.contains(" ") }

    /// The variables that every command reads.
    static let commonVariables: [(name: String, help: String)] = [
        (
            Settings.variable,
            "a file, as JSON, with values of options that have a variable: {\"journal\": \"payments.db\"}"
        ),
        ("PAYROUTE_SANDBOX", "stands for --sandbox, where a command has it"),
        ("PAYROUTE_JOURNAL", "stands for --journal, where a command has it"),
        ("PAYROUTE_ACCOUNTS", "stands for --accounts, where a command has it"),
        ("PAYROUTE_WALLET", "stands for --wallet, where a command has it"),
        ("PAYROUTE_WALLET_KEY_FILE", "stands for --wallet-key-file, where a command has it"),
        ("PAYROUTE_WALLET_CERTIFICATE", "stands for --wallet-certificate, where a command has it"),
        ("PAYROUTE_DNS", "stands for --dns, where a command has it"),
        ("PAYROUTE_WALLET_KEY", "your wallet's key itself, where no file has it"),
        ("NO_COLOR", "any value but the empty one disables colour"),
        ("TERM", "with 'dumb' nothing is drawn, and each row of a table is a list of lines"),
        ("PATH", "is searched for programs called payroute-provider-NAME when --with NAME asks for one"),
    ]
}

// MARK: - Help

/// The help screen of a command, in the layout of swift-argument-parser.
enum HelpText {
    private static let labelWidth = 26

    /// The screen, ending with a line break, at most `width` columns wide.
    static func of(_ syntax: CommandSyntax, width: Int = 80) -> String {
        var sections = [wrap("OVERVIEW: " + syntax.overview, width: width)]
        if let discussion = syntax.discussion {
            sections.append(
                discussion.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { wrap(String($0), width: width) }.joined(separator: "\n"))
        }
        sections.append(wrap("USAGE: " + syntax.usage, width: width, indent: 2))
        let arguments = syntax.arguments.map { ("<\($0.name)>", $0.help) }
        var options = syntax.options.map { option in
            let name = (option.short.map { "-\($0), " } ?? "") + "--\(option.name)"
            return (option.value.map { "\(name) <\($0)>" } ?? name, option.help)
        }
        options += [("--version", "Show the version."), ("-h, --help", "Show help information.")]
        let subcommands = syntax.subcommands.map { ($0.name, $0.help) }
        for (title, rows) in [("ARGUMENTS", arguments), ("OPTIONS", options), ("SUBCOMMANDS", subcommands)]
        where !rows.isEmpty {
            sections.append(([title + ":"] + rows.map { row($0.0, $0.1, width: width) }).joined(separator: "\n"))
        }
        let variables = syntax.variables + (syntax.isProgram ? CommandSyntax.commonVariables : [])
        for (title, rows) in [("FILES", syntax.files), ("ENVIRONMENT", variables)] where !rows.isEmpty {
            sections.append(([title + ":"] + rows.map { row($0.0, $0.1, width: width) }).joined(separator: "\n"))
        }
        if !syntax.examples.isEmpty {
            let examples = syntax.examples.flatMap {
                [wrap("  # " + $0.effect, width: width, indent: 4), "  " + $0.line]
            }
            sections.append((["EXAMPLES:"] + examples).joined(separator: "\n"))
        }
        if !subcommands.isEmpty { sections.append("  See '\(syntax.path) help <subcommand>' for detailed help.") }
        return sections.joined(separator: "\n\n") + "\n"
    }

    private static func row(_ label: String, _ help: String, width: Int) -> String {
        let head = "  " + label
        let pad = String(repeating: " ", count: labelWidth)
        let text = wrap(pad + help, width: width, indent: labelWidth)
        guard head.count < labelWidth else { return head + "\n" + text }
        return head + text.dropFirst(head.count)
    }

    /// Breaks `text` at spaces. Lines after the first are indented.
    static func wrap(_ text: String, width: Int, indent: Int = 0) -> String {
        let start = text.prefix { $0 == " " }
        var lines: [String] = []
        var line = String(start)
        var isFresh = true
        for word in text.dropFirst(start.count).split(separator: " ") {
            if !isFresh, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent)
                isFresh = true
            }
            line += isFresh ? String(word) : " " + word
            isFresh = false
        }
        lines.append(line)
        return lines.joined(separator: "\n")
    }
}
