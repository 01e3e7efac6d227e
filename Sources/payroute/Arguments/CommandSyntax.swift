/// The arguments of a command, and the texts that explain it.
struct CommandSyntax: Sendable {
    /// A value without a name.
    struct Argument: Sendable {
        let name: String
        let help: String
        var isRepeating = false
        /// True if it can be left out; only the last one can.
        var isOptional = false
    }

    /// A name that begins with `--`, with a value or alone.
    struct Option: Sendable {
        let name: String
        /// The letter of its short form, behind one dash.
        var short: Character?
        /// The placeholder of the value; nil for a flag.
        var value: String?
        let help: String
        /// True if the command needs it; the command itself explains its purpose.
        var isRequired = false
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
}
