/// A shell, and the script that completes command lines in it: plain lists, made from the same descriptions as the
/// help, so that they cannot differ from it.
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

    /// Returns true if the option's value is a file.
    private static func isFile(_ option: CommandSyntax.Option) -> Bool {
        option.value == "file" || option.value == "folder"
    }

    /// Returns the options with a value, as they are typed: after one of them comes its value.
    private static func valued(_ commands: [CommandTree], _ isWanted: (CommandSyntax.Option) -> Bool) -> [String] {
        var words: [String] = []
        for option in commands.flatMap(\.options) where option.value != nil && isWanted(option) {
            for word in ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []) where !words.contains(word) {
                words.append(word)
            }
        }
        return words
    }

    /// Returns a text in single quotes, as all three shells read it.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }

    /// Returns the options with a list of values, as they are typed, with their values.
    private static func listed(_ commands: [CommandTree]) -> [(words: String, values: [String])] {
        var lists: [(words: String, values: [String])] = []
        for option in commands.flatMap(\.options) where !option.values.isEmpty {
            let word = "--\(option.name)"
            if !lists.contains(where: { $0.words == word }) { lists.append((word, option.values)) }
        }
        return lists
    }

    /// Returns true if the option's value is one of a list.
    private static func isListed(_ option: CommandSyntax.Option) -> Bool { !option.values.isEmpty }

    // MARK: bash

    /// After an option with a value, files are offered where the value is one, or the values that there are: links and
    /// ids cannot be guessed.
    private static func bash(_ commands: [CommandTree]) -> String {
        let paths = commands.filter { !$0.words.isEmpty }.map { command in
            "            \(quoted("\(command.words.dropLast().joined(separator: " "))/\(command.words.last ?? "")"))) "
                + "path=\(quoted(command.words.joined(separator: " "))) ;;"
        }
        let words = commands.map { command in
            let known =
                command.syntax.subcommands.map(\.name) + command.syntax.arguments.flatMap(\.values)
                + command.options.map { "--\($0.name)" }
            return
                "        \(quoted(command.words.joined(separator: " "))) ) words=\(quoted(known.joined(separator: " "))) ;;"
        }
        return """
            # bash completion of payroute; made by 'payroute completion bash'.
            _payroute() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= words= index
                COMPREPLY=()
                case $previous in
                    \(valued(commands, isFile).joined(separator: "|"))) COMPREPLY=($(compgen -f -- "$current")); return ;;
            \(listed(commands).map { "        \($0.words)) COMPREPLY=($(compgen -W \(quoted($0.values.joined(separator: " "))) -- \"$current\")); return ;;" }.joined(separator: "\n"))
                    \(valued(commands) { !isFile($0) && !isListed($0) }.joined(separator: "|"))) return ;;
                esac
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case "$path/${COMP_WORDS[index]}" in
            \(paths.joined(separator: "\n"))
                    esac
                done
                case $path in
            \(words.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            }
            complete -o bashdefault -o default -F _payroute payroute

            """
    }

    // MARK: zsh

    private static func zsh(_ commands: [CommandTree]) -> String {
        let paths = commands.filter { !$0.words.isEmpty }.map { command in
            "      \(quoted("\(command.words.dropLast().joined(separator: " "))/\(command.words.last ?? "")"))) "
                + "at=\(quoted(command.words.joined(separator: " "))) ;;"
        }
        let lists = commands.map { command in
            let names =
                command.syntax.subcommands.map { entry($0.name, $0.help) }
                + command.syntax.arguments.flatMap { argument in argument.values.map { entry($0, argument.help) } }
            let options = command.options.map { entry("--\($0.name)", $0.help) }
            return "    \(quoted(command.words.joined(separator: " "))) ) names=(\(names.joined(separator: " "))); "
                + "options=(\(options.joined(separator: " "))) ;;"
        }
        return """
            #compdef payroute
            # zsh completion of payroute; made by 'payroute completion zsh'.
            _payroute() {
              local at= index
              local -a names options
              case ${words[CURRENT-1]} in
                (\(valued(commands, isFile).joined(separator: "|"))) _files; return ;;
            \(listed(commands).map { "    (\($0.words)) compadd \($0.values.joined(separator: " ")); return ;;" }.joined(separator: "\n"))
                (\(valued(commands) { !isFile($0) && !isListed($0) }.joined(separator: "|"))) return ;;
              esac
              for ((index = 2; index < CURRENT; index++)); do
                case "$at/${words[index]}" in
            \(paths.joined(separator: "\n"))
                esac
              done
              case $at in
            \(lists.joined(separator: "\n"))
              esac
              if [[ ${words[CURRENT]} == -* ]]; then
                _describe option options
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
        let below = commands.filter { !$0.syntax.subcommands.isEmpty }.map { $0.words.joined(separator: " ") }
        var lines = [
            "# fish completion of payroute; made by 'payroute completion fish'.",
            "function __payroute_at",
            "    set -l at",
            "    for word in (commandline -opc)[2..-1]",
            "        switch \"$at/$word\"",
        ]
        for command in commands where !command.words.isEmpty {
            let place = "\(command.words.dropLast().joined(separator: " "))/\(command.words.last ?? "")"
            lines.append("            case \(quoted(place))")
            lines.append("                set at \(quoted(command.words.joined(separator: " ")))")
        }
        lines += ["        end", "    end", "    test \"$at\" = \"$argv[1]\"", "end"]
        for command in commands {
            let at = "-n \(quoted("__payroute_at \"\(command.words.joined(separator: " "))\""))"
            if below.contains(command.words.joined(separator: " ")) {
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
                let list = isListed(option) ? " -a \(quoted(option.values.joined(separator: " ")))" : ""
                let value = option.value == nil ? "" : isFile(option) ? " -r -F" : " -x" + list
                lines.append(
                    "complete -c payroute \(at) -l \(option.name)\(short)\(value) -d \(quoted(option.help))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
