import PaymentCore
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

/// One command, in the form for shells and manuals.
struct CommandTree {
    /// The words that lead to it, without the program's name.
    let words: [String]
    private(set) var syntax: CommandSyntax

    /// Every command, parents first; the program itself is the first of all.
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
