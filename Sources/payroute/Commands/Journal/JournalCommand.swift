import PaymentStore

/// `payroute journal`: past and interrupted payments.
enum JournalCommand: Command {
    static let name = "journal"
    static let summary = "List, show, resume, end or prune a journal's payments."
    static let syntax = CommandSyntax(
        path: "payroute journal",
        overview: "List, show, resume, end or prune a journal's payments.",
        subcommands: subcommands.map { ($0.name, $0.summary) })

    static var subcommands: [any Command.Type] {
        [
            JournalListCommand.self, JournalShowCommand.self, JournalResumeCommand.self, JournalEndCommand.self,
            JournalPruneCommand.self,
        ]
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode { .usage }
}

/// The `--journal` option.
enum JournalOption {
    /// Opens the journal of a command that needs one; it must exist already.
    static func open(_ arguments: ParsedArguments) throws -> SQLiteJournal {
        try SQLiteJournal(path: try path(arguments), creating: false)
    }

    /// Returns the path of the journal.
    ///
    /// - Throws: ``UsageError`` when the line names none.
    static func path(_ arguments: ParsedArguments) throws(UsageError) -> String {
        guard let path = arguments.value("journal") else {
            throw UsageError(
                "Missing '--journal <file>': the file that 'payroute pay --journal' wrote", arguments.syntax)
        }
        return path
    }

    static let syntax = CommandSyntax.Option(
        name: "journal", value: "file", help: "The journal file.", isRequired: true, variable: "PAYROUTE_JOURNAL")
    static let beside = CommandSyntax.Option(
        name: "journal", value: "file", help: "The wallet's journal: its links are stored beside it, in FILE.links.",
        isRequired: true, variable: "PAYROUTE_JOURNAL")
}
