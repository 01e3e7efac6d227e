/// `payroute manual`: the manual page.
enum ManualCommand: Command {
    static let name = "manual"
    static let summary = "Print the manual page, for man."
    static let syntax = CommandSyntax(
        path: "payroute manual",
        overview: "Print the manual page: 'payroute manual | man -l -' shows it, 'make install' installs it.")

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
            ".SH NAME", "payroute \\- any payment link, URI or QR text to the right provider, and paid once",
            ".SH SYNOPSIS", ".B payroute", "\\fIsubcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]",
            ".SH DESCRIPTION", escaped(CommandLineTool.syntax.overview),
            "Results go to standard output, everything else to standard error. With \\fB\\-\\-json\\fR every result is one",
            "JSON object on a line of its own. \\fB\\-\\fR stands for standard input, where no list of processes shows",
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
        }
        lines += [
            ".SH EXIT STATUS", ".TP", "0", "done", ".TP", "1", "the work failed, or the text is not sound", ".TP", "64",
            "the command line makes no sense", ".TP", "130, 143", "a signal stopped it: SIGINT, SIGTERM",
            ".SH ENVIRONMENT", ".TP", "NO_COLOR", "any value but the empty one keeps colours away", ".TP", "PATH",
            "is searched for programs called payroute\\-provider\\-\\fIname\\fR when they are asked for",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a text on one line that is not a request, with every character literal.
    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: " ")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}
