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

    /// Breaks `text` at spaces; lines after the first are indented.
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
