/// One thing that `payroute` does.
protocol Command {
    /// The word that calls it.
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// What stands on its line.
    static var syntax: CommandSyntax { get }

    /// The commands below this one; a command with any does nothing itself, unless it says so.
    static var subcommands: [any Command.Type] { get }
    /// Whether a command with others below it does something itself when none of them is called.
    static var runsAlone: Bool { get }

    /// Does it.
    ///
    /// - Throws: ``UsageError`` for exit code 64; anything else is printed and ends with exit code 1.
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode
}

extension Command {
    static var subcommands: [any Command.Type] { [] }
    static var runsAlone: Bool { false }
}

/// How the process ends; scripts rely on it.
struct ExitCode: RawRepresentable, Equatable, Sendable {
    let rawValue: Int32

    /// All that was asked for is done.
    static let done = ExitCode(rawValue: 0)
    /// The work failed.
    static let failed = ExitCode(rawValue: 1)
    /// The command line makes no sense (`EX_USAGE`).
    static let usage = ExitCode(rawValue: 64)

    /// A signal ended the work: 128 and its number, as shells say it.
    static func interrupted(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) }
}

/// A failure with a sentence for people.
struct CommandError: Error, CustomStringConvertible {
    let description: String
}
