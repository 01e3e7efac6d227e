/// The command line: finds the command, runs it, and maps every result to an exit code.
package enum CommandLineTool {
    /// The version, as in the change log.
    static let version = "0.1.0"
    /// True once the change log gives that version a date.
    static let isReleased = false
    /// The version for people.
    static var versionText: String { isReleased ? version : "\(version), not released yet" }

    static var commands: [any Command.Type] {
        [
            RouteCommand.self, InspectCommand.self, QRCommand.self, QuoteCommand.self, PayCommand.self,
            StatusCommand.self, RefundCommand.self, CancelCommand.self, ReviewCommand.self, JournalCommand.self,
            LinksCommand.self, ProvidersCommand.self, ServeCommand.self, SandboxCommand.self, DemoCommand.self,
            DoctorCommand.self, CompletionCommand.self, ManualCommand.self, NewProviderCommand.self,
        ]
    }

    static var syntax: CommandSyntax {
        CommandSyntax(
            path: "payroute",
            overview:
                "Reads any payment link, URI or QR text, says who gets how much until when, and pays it once at the right provider.",
            subcommands: commands.map { ($0.name, $0.summary) },
            examples: [
                .init("payroute inspect 'upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR'", "who gets how much"),
                .init("payroute sandbox", "simulated services, with a home page"),
                .init("export PAYROUTE_SANDBOX=http://127.0.0.1:8080", "the address that it prints"),
                .init("payroute pay 'https://pay.walletconnect.com/?pid=pay_…'", "pays there"),
            ],
            files: [
                ("FILE (--journal)", "the journal of payments, an SQLite database that only its owner can read"),
                ("FILE.orders", "orders at your own wallets, beside the journal"),
                ("FILE.private", "receipts and private links, beside the journal"),
                ("FILE.served", "payments of 'payroute serve', beside the journal"),
            ])
    }

    /// Runs the command that `words` name. They exclude the program's own name.
    package static func run(_ words: [String], _ console: Console) async -> ExitCode {
        var code: ExitCode
        do {
            code = try await dispatch(words[...], syntax, among: commands, console)
        } catch let error as UsageError {
            console.error(error.message, hint: error.hint)
            code = .usage
        } catch {
            console.error("\(error)")
            code = .failed
        }
        console.output.flush()
        if let failure = console.output.failure {
            console.error("The output cannot be written: \(failure)")
            code = code == .done ? .failed : code
        }
        return code
    }

    /// Runs the command that `words` name among `commands`, which stand below `syntax`.
    private static func dispatch(
        _ words: ArraySlice<String>, _ syntax: CommandSyntax, among commands: [any Command.Type], _ console: Console
    ) async throws -> ExitCode {
        guard let word = words.first else { return help(syntax, console) }
        let first = CommandSynonyms.names[word] ?? word
        if first == "help" { return try help(on: words.dropFirst(), syntax, commands, console) }
        guard let command = commands.first(where: { $0.name == first }) else {
            // Reads `--help` and `--version`, and reports every other option.
            let arguments = try ParsedArguments(first.hasPrefix("-") ? Array(words) : [], for: syntax)
            if let code = answer(arguments, console) { return code }
            throw unknown(arguments.positionals.first ?? first, syntax, commands)
        }
        let isForAnother = words.dropFirst().first.map { word in
            word == "help" || command.subcommands.contains { $0.name == word }
        }
        guard command.subcommands.isEmpty || command.runsAlone && isForAnother != true else {
            return try await dispatch(words.dropFirst(), command.syntax, among: command.subcommands, console)
        }
        var arguments = try ParsedArguments(
            words.dropFirst(), for: command.syntax, environment: console.environment)
        if let code = answer(arguments, console) { return code }
        if !command.syntax.variables.isEmpty, let settings = try Settings.named(by: console) {
            arguments.fill { settings.values[$0] }
        }
        return try await command.run(arguments, console)
    }

    /// The error for an unknown word, with a guess of its meaning.
    private static func unknown(_ word: String, _ syntax: CommandSyntax, _ commands: [any Command.Type]) -> UsageError {
        guard syntax.path == self.syntax.path, let advice = CommandSynonyms.advice(for: word) else {
            return UsageError.unknown("subcommand", word, known: commands.map { $0.name }, in: syntax)
        }
        return UsageError("Unknown subcommand '\(word)': \(advice)", syntax)
    }

    /// Answers a request for help or the version.
    private static func answer(_ arguments: ParsedArguments, _ console: Console) -> ExitCode? {
        switch arguments.request {
        case .run: return nil
        case .help: return help(arguments.syntax, console)
        case .version:
            console.output.line(versionText)
            return .done
        }
    }

    private static func help(
        on names: ArraySlice<String>, _ syntax: CommandSyntax, _ commands: [any Command.Type], _ console: Console
    ) throws -> ExitCode {
        guard let word = names.first, !word.hasPrefix("-") else { return help(syntax, console) }
        let name = CommandSynonyms.names[word] ?? word
        guard let command = commands.first(where: { $0.name == name }) else {
            throw unknown(name, syntax, commands)
        }
        guard !command.subcommands.isEmpty else { return help(command.syntax, console) }
        return try help(on: names.dropFirst(), command.syntax, command.subcommands, console)
    }

    private static func help(_ syntax: CommandSyntax, _ console: Console) -> ExitCode {
        console.output.write(HelpText.of(syntax, width: console.width))
        return .done
    }
}

// MARK: - Commands

/// A command of `payroute`.
protocol Command {
    /// The word that names it.
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// The syntax of its line.
    static var syntax: CommandSyntax { get }

    /// The commands below this one. A command with any does nothing itself, unless ``runsAlone`` is true.
    static var subcommands: [any Command.Type] { get }
    /// True if a command with subcommands also works without one.
    static var runsAlone: Bool { get }

    /// Runs the command.
    ///
    /// - Throws: ``UsageError`` for exit code 64. Any other error is printed and ends with exit code 1.
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode
}

extension Command {
    static var subcommands: [any Command.Type] { [] }
    static var runsAlone: Bool { false }
}

/// The exit code of the process. Scripts rely on it.
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

// MARK: - Synonyms

/// Words that people type for a command that has another name here, taken from other tools.
enum CommandSynonyms {
    /// Other names of commands, which work as well.
    static let names = ["completions": "completion", "man": "manual"]

    /// Returns a hint for the command that the word is meant for, or nil for a word without a meaning.
    static func advice(for word: String) -> String? {
        switch word {
        case "server", "start", "mock":
            "the simulated services are started by 'payroute sandbox', the HTTP API by 'payroute serve'"
        case "listen", "forward", "webhook", "webhooks":
            "'payroute sandbox notify --forward-to <url>' brings a sandbox's notifications to your server"
        case "trigger", "create", "charge", "checkout": "'payroute sandbox new' makes a payment at a running sandbox"
        case "logs", "log", "tail", "events":
            "'payroute sandbox tail' shows what a sandbox sees; 'payroute journal show' what a payment did"
        case "watch":
            "'payroute sandbox tail' shows what happens at a sandbox; 'payroute status' asks about one payment"
        case "config", "configure", "configuration", "settings", "login":
            "there is no file of settings: every command has its options, and 'payroute providers' lists the built-in providers"
        case "scan", "read", "decode", "parse", "image":
            "'payroute inspect --image <file>' reads the code in a picture, 'payroute inspect' any text"
        case "check", "health", "diagnose", "info": "'payroute doctor' looks at this installation"
        case "send", "buy": "'payroute pay' pays a link"
        case "options", "price", "offer": "'payroute quote' shows what a link wants paid and how"
        case "void", "abort": "'payroute cancel' cancels a payment"
        case "list", "history", "ls": "'payroute journal list' shows past payments"
        case "resume", "recover", "retry": "'payroute journal resume' settles interrupted payments"
        case "docs":
            "'payroute manual' prints the manual page, 'payroute help <subcommand>' explains one"
        case "new", "init", "scaffold", "generate":
            "'payroute new-provider <name>' writes a provider, 'payroute sandbox new' makes a payment"
        default: nil
        }
    }
}
