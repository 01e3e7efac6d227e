import PaymentCore
import PaymentTesting
import SandboxSupport

/// `payroute completion`: the script with which a shell completes command lines.
enum CompletionCommand: Command {
    static let name = "completion"
    static let summary = "Print completions for bash, zsh or fish."
    static let syntax = CommandSyntax(
        path: "payroute completion",
        overview: "Print completions for a shell.",
        discussion: """
            bash: payroute completion bash > ~/.local/share/bash-completion/completions/payroute
            zsh: payroute completion zsh > ~/.zfunc/_payroute, with ~/.zfunc in fpath before compinit
            fish: payroute completion fish > ~/.config/fish/completions/payroute.fish
            """,
        arguments: [.init(name: "shell", help: "bash, zsh or fish.", values: ["bash", "zsh", "fish"])],
        examples: [.init("payroute completion bash", "the script for bash")])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let word = arguments.positionals[0]
        guard let shell = Shell(rawValue: word) else {
            throw UsageError(
                "There are no completions for \(UsageError.quoted(word)): say bash, zsh or fish", arguments.syntax)
        }
        console.output.write(shell.script(CommandTree.all.map { $0.naming(console.vendors) }))
        return .done
    }
}

// MARK: - Shells

/// A shell, and the script that completes command lines in it. The script consists of plain lists that are made from
/// the same descriptions as the help, so the two cannot differ.
enum Shell: String {
    case bash, zsh, fish

    /// The script, which ends with a line break.
    func script(_ commands: [CommandTree]) -> String {
        switch self {
        case .bash: Self.bash(commands)
        case .zsh: Self.zsh(commands)
        case .fish: Self.fish(commands)
        }
    }

    /// The values of an option, as a shell offers them.
    private enum Values: Hashable {
        case files
        /// These, or values that begin with them if they end with a slash.
        case list([String])
        /// The rests of the names of programs that begin so.
        case programs(String)
        /// None: links and ids cannot be guessed.
        case unknown

        init(_ option: CommandSyntax.Option) {
            self =
                if option.value == "file" || option.value == "folder" {
                    .files
                } else if let programs = option.programs {
                    .programs(programs)
                } else {
                    option.values.isEmpty ? .unknown : .list(option.values)
                }
        }
    }

    /// Returns the options with a value behind their commands, as they are typed: `pay --journal`, with those together
    /// whose values are the same.
    private static func valued(_ commands: [CommandTree]) -> [(places: String, values: Values)] {
        var kinds: [Values] = []
        var places: [Values: [String]] = [:]
        for command in commands {
            for option in command.options where option.value != nil {
                let kind = Values(option)
                if !kinds.contains(kind) { kinds.append(kind) }
                for word in ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []) {
                    places[kind, default: []].append(quoted("\(command.path) \(word)"))
                }
            }
        }
        return kinds.map { ((places[$0] ?? []).joined(separator: "|"), $0) }
    }

    /// Returns a text in single quotes, as all three shells read it.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }

    // MARK: bash

    private static func bash(_ commands: [CommandTree]) -> String {
        let paths = commands.filter { !$0.words.isEmpty }.map { command in
            "            \(quoted(command.place))) path=\(quoted(command.path)) ;;"
        }
        let words = commands.map { command in
            let known =
                command.syntax.subcommands.map(\.name) + command.syntax.arguments.flatMap(\.values)
                + command.options.map { "--\($0.name)" }
            return "            \(quoted(command.path))) words=\(quoted(known.joined(separator: " "))) ;;"
        }
        let values = valued(commands).map { places, values in
            let answer =
                switch values {
                case .files: #"COMPREPLY=($(compgen -f -- "$current")); return"#
                case .list(let list): "words=\(quoted(list.joined(separator: " ")))"
                case .programs(let start):
                    "words=$(compgen -c -- \(quoted(start)) | sed \(quoted("s/^\(start)//")) | sort -u)"
                case .unknown: "return"
                }
            return "        \(places)) \(answer) ;;"
        }
        return """
            # bash completion of payroute; made by 'payroute completion bash'.
            _payroute() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= words= index
                COMPREPLY=()
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case "$path/${COMP_WORDS[index]}" in
            \(paths.joined(separator: "\n"))
                    esac
                done
                case "$path $previous" in
            \(values.joined(separator: "\n"))
                    *) case $path in
            \(words.joined(separator: "\n"))
                    esac ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
                # No blank comes behind a beginning.
                if [[ ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
            }
            complete -o bashdefault -o default -F _payroute payroute

            """
    }

    // MARK: zsh

    private static func zsh(_ commands: [CommandTree]) -> String {
        let paths = commands.filter { !$0.words.isEmpty }.map { command in
            "      \(quoted(command.place))) at=\(quoted(command.path)) ;;"
        }
        let lists = commands.map { command in
            let names = command.syntax.subcommands.map { entry($0.name, $0.help) }
            let values = command.syntax.arguments.flatMap(\.values).map(quoted)
            let options = command.options.map { entry("--\($0.name)", $0.help) }
            return "    \(quoted(command.path))) names=(\(names.joined(separator: " "))); "
                + "values=(\(values.joined(separator: " "))); options=(\(options.joined(separator: " "))) ;;"
        }
        let values = valued(commands).map { places, values in
            let answer =
                switch values {
                case .files: "_files; return"
                case .list(let list): "values=(\(list.map(quoted).joined(separator: " ")))"
                case .programs(let start): "values=(${${(M)${(k)commands}:#\(start)*}#\(start)})"
                case .unknown: "return"
                }
            return "    (\(places)) \(answer) ;;"
        }
        return """
            #compdef payroute
            # zsh completion of payroute; made by 'payroute completion zsh'.
            _payroute() {
              local at= index
              local -a names values options beginnings
              for ((index = 2; index < CURRENT; index++)); do
                case "$at/${words[index]}" in
            \(paths.joined(separator: "\n"))
                esac
              done
              case "$at ${words[CURRENT-1]}" in
            \(values.joined(separator: "\n"))
                (*) case $at in
            \(lists.joined(separator: "\n"))
                esac ;;
              esac
              if [[ ${words[CURRENT]} == -* ]]; then
                _describe option options
              elif (( $#values )); then
                # No blank comes behind a beginning.
                beginnings=(${(M)values:#*/})
                values=(${values:#*/})
                (( $#beginnings )) && compadd -S '' -- $beginnings
                (( $#values )) && compadd -- $values
              else
                _describe command names || _files
              fi
            }
            _payroute "$@"

            """
    }

    /// Returns a name with its description, as `_describe` takes it.
    private static func entry(_ name: String, _ help: String) -> String {
        quoted("\(name.replacing(":", with: #"\:"#)):\(help)")
    }

    // MARK: fish

    private static func fish(_ commands: [CommandTree]) -> String {
        let below = commands.filter { !$0.syntax.subcommands.isEmpty }.map(\.path)
        var lines = [
            "# fish completion of payroute; made by 'payroute completion fish'.",
            "function __payroute_at",
            "    set -l at",
            "    for word in (commandline -opc)[2..-1]",
            "        switch \"$at/$word\"",
        ]
        for command in commands where !command.words.isEmpty {
            lines.append("            case \(quoted(command.place))")
            lines.append("                set at \(quoted(command.path))")
        }
        lines += ["        end", "    end", "    test \"$at\" = \"$argv[1]\"", "end"]
        for command in commands {
            let at = "-n \(quoted("__payroute_at \"\(command.path)\""))"
            if below.contains(command.path) {
                for (name, help) in command.syntax.subcommands {
                    lines.append("complete -c payroute -f \(at) -a \(quoted(name)) -d \(quoted(help))")
                }
            }
            for argument in command.syntax.arguments where !argument.values.isEmpty {
                lines.append(
                    "complete -c payroute -f \(at) -a \(quoted(argument.values.joined(separator: " "))) -d \(quoted(argument.help))"
                )
            }
            for option in command.options {
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.value == nil ? "" : fish(Values(option))
                lines.append(
                    "complete -c payroute \(at) -l \(option.name)\(short)\(value) -d \(quoted(option.help))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the part of a line of `complete` that offers an option's values.
    private static func fish(_ values: Values) -> String {
        switch values {
        case .files: return " -r -F"
        case .list(let list): return " -x -a \(quoted(list.joined(separator: " ")))"
        case .programs(let start):
            let names = #"(complete -C \#(start) | string replace -rf "^\#(start)(\S+).*" "\$1")"#
            return " -x -a \(quoted(names))"
        case .unknown: return " -x"
        }
    }
}

// MARK: - Commands

/// One command, in the form for shells and manuals.
struct CommandTree {
    /// The words that lead to it, without the program's name.
    let words: [String]
    private(set) var syntax: CommandSyntax

    /// Every command, parents first. The program itself is the first of all.
    static var all: [CommandTree] {
        [CommandTree(words: [], syntax: CommandLineTool.syntax)] + below([], CommandLineTool.commands)
    }

    private static func below(_ words: [String], _ commands: [any Command.Type]) -> [CommandTree] {
        commands.flatMap { command in
            [CommandTree(words: words + [command.name], syntax: command.syntax)]
                + below(words + [command.name], command.subcommands)
        }
    }

    /// Returns the command with the names of `vendors` among its values.
    func naming(_ vendors: SandboxVendors) -> CommandTree {
        var command = self
        for index in syntax.arguments.indices {
            command.syntax.arguments[index].values += Self.values(syntax.arguments[index].names, vendors)
        }
        for index in syntax.options.indices {
            command.syntax.options[index].values += Self.values(syntax.options[index].names, vendors)
        }
        return command
    }

    private static func values(_ names: CommandSyntax.Names?, _ vendors: SandboxVendors) -> [String] {
        switch names {
        case .scenarios:
            SandboxServices(vendors).all.flatMap { service in service.scenarios.map { "\(service.id)/\($0.name)" } }
        case .providers: vendors.list.map(\.id.rawValue)
        case .payments: vendors.list.map { "\($0.id.rawValue)/" }
        case nil: []
        }
    }

    /// The options, with those that are common to all commands.
    var options: [CommandSyntax.Option] {
        syntax.options + [
            .init(name: "help", short: "h", help: "Show help information."),
            .init(name: "version", help: "Show the version."),
        ]
    }
}

extension CommandTree {
    /// The words that lead to it, with blanks between: `journal list`.
    fileprivate var path: String { words.joined(separator: " ") }
    /// Its name behind the path of the command above it: `journal/list`.
    fileprivate var place: String { "\(words.dropLast().joined(separator: " "))/\(words.last ?? "")" }
}
