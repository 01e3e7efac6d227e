/// `payroute manual`: the manual page.
enum ManualCommand: Command {
    static let name = "manual"
    static let summary = "Print the manual page, for man."
    static let syntax = CommandSyntax(
        path: "payroute manual",
        overview: "Print the manual page: 'payroute manual | man -l -' shows it, 'make install' installs it.",
        examples: [.init("payroute manual | man -l -", "shows it")])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        console.output.write(ManualPage.text(CommandTree.all))
        return .done
    }
}

/// The manual page in the language of man(7).
enum ManualPage {
    static func text(_ commands: [CommandTree]) -> String {
        var lines = [
            ".TH PAYROUTE 1 \"\" \"payroute \(CommandLineTool.version)\" \"User Commands\"",
            ".SH NAME", "payroute \\- read any payment text, and pay it once at the right provider",
            ".SH SYNOPSIS", ".B payroute", "\\fIsubcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]",
            ".SH DESCRIPTION", escaped(CommandLineTool.syntax.overview),
            "Results go to standard output, everything else to standard error. With \\fB\\-\\-json\\fR every result is one",
            "JSON object on one line. \\fB\\-\\fR stands for standard input, where no list of processes shows",
            "what is given.", ".SH COMMANDS",
        ]
        for command in commands where !command.words.isEmpty {
            let syntax = command.syntax
            lines += [".SS \(escaped(syntax.usage))", escaped(syntax.overview)]
            for paragraph in (syntax.discussion ?? "").split(separator: "\n") {
                lines += [".PP", escaped(String(paragraph))]
            }
            for argument in syntax.arguments {
                lines += [".TP", "\\fI\(escaped(argument.name))\\fR", escaped(argument.help)]
            }
            for option in syntax.options {
                let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
                let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
                lines += [".TP", "\(short)\\fB\\-\\-\(escaped(option.name))\\fR\(value)", escaped(option.help)]
            }
            for example in syntax.examples {
                lines += [".PP", escaped("Example, \(example.effect):"), ".PP", "\\fB\(escaped(example.line))\\fR"]
            }
        }
        lines += [
            ".SH EXIT STATUS", ".TP", "0", "done", ".TP", "1", "the work failed, or the text is not sound", ".TP", "64",
            "usage error", ".TP", "130, 143", "a signal stopped it: SIGINT, SIGTERM",
            ".SH ENVIRONMENT",
        ]
        for (name, help) in CommandSyntax.commonVariables { lines += [".TP", name, escaped(help)] }
        lines.append(".SH FILES")
        for (name, help) in CommandLineTool.syntax.files { lines += [".TP", escaped(name), escaped(help)] }
        lines += [
            ".SH SEE ALSO", "\\fBman\\fR(1); the articles of the package, of which CommandLine is about this program",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a text on one line that is not a request, with every character literal.
    private static func escaped(_ text: String) -> String {
        // troff reads Latin letters only.
        let text = text.replacing("…", with: "...").replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing(
            "\n", with: " "
        ).replacing("₿", with: "\\[u20BF]")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}
