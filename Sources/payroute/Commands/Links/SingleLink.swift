import PaymentCore

/// The one link of a command: from its line or, for `-`, from standard input, where no process list shows it.
enum SingleLink {
    /// - Throws: ``UsageError`` when standard input holds no link or more than one line.
    static func read(_ arguments: ParsedArguments, _ console: Console) throws -> String {
        guard arguments.positionals[0] == "-" else { return arguments.positionals[0] }
        var input: LinkInput?
        var lines = 0
        try LineReader.read(console.input) { line in
            // Blank lines at the end are not a second link.
            guard line.length > 0 || lines == 0 else { return true }
            lines += 1
            if input == nil, line.length > 0 { input = LinkInput(line) }
            return lines < 2
        } pause: { _ in
            true
        }
        guard lines < 2 else {
            throw UsageError("Standard input holds more than one line; '-' reads one link", arguments.syntax)
        }
        switch input {
        case .text(let text)?: return text
        case .unreadable(_, let reason)?:
            throw UsageError("The link on standard input cannot be read: \(reason)", arguments.syntax)
        case nil: throw UsageError("Standard input holds no link", arguments.syntax)
        }
    }
}
