/// A command of `payroute`.
protocol Command {
    /// The word that names it.
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// The syntax of its line.
    static var syntax: CommandSyntax { get }

    /// The commands below this one; a command with any does nothing itself, unless ``runsAlone`` is true.
    static var subcommands: [any Command.Type] { get }
    /// True if a command with subcommands also works without one.
    static var runsAlone: Bool { get }

    /// Runs the command.
    ///
    /// - Throws: ``UsageError`` for exit code 64; anything else is printed and ends with exit code 1.
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode
}

extension Command {
    static var subcommands: [any Command.Type] { [] }
    static var runsAlone: Bool { false }
}

/// The exit code of the process; scripts rely on it.
package struct ExitCode: RawRepresentable, Equatable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Everything requested is done.
    static let done = ExitCode(rawValue: 0)
    /// The work failed.
    static let failed = ExitCode(rawValue: 1)
    /// The command line is malformed (`EX_USAGE`).
    static let usage = ExitCode(rawValue: 64)

    /// A signal ended the work: 128 plus its number, as in shells.
    static func interrupted(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) }
}

/// A failure with a sentence for people.
struct CommandError: Error, CustomStringConvertible {
    let description: String
}
