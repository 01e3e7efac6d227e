import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import SandboxSupport

/// The options that every command takes which touches payments.
enum PaymentOptions {
    static let sandbox = sandbox(isRequired: true)
    static let journal = CommandSyntax.Option(
        name: "journal", value: "file", help: "The journal: keeps each payment's steps, to resume after a crash.",
        variable: "PAYROUTE_JOURNAL")

    /// The options of a merchant's commands: a merchant has no wallet.
    static let merchants = [sandbox(isRequired: false), AccountsOption.option, journal, ExternalOption.syntax]
    /// The options of a payer's commands.
    static let payers =
        [sandbox(isRequired: false), journal] + WalletOption.options
        + [NamesOption.option, AllowTokenOption.syntax, ExternalOption.syntax]

    /// The options of commands about private links, which are stored beside the journal.
    static let links = [
        sandbox, JournalOption.beside,
        CommandSyntax.Option(
            name: "wallet", value: "number",
            help: "The number of the development wallet: its key is computed from it. (default: 1)",
            form: "a whole number"),
    ]

    /// - Parameter isRequired: False where a wallet of the payer's own can stand for it.
    private static func sandbox(isRequired: Bool) -> CommandSyntax.Option {
        CommandSyntax.Option(
            name: "sandbox", value: "url", help: "The sandbox to call, as printed by 'payroute sandbox'.",
            isRequired: isRequired, variable: "PAYROUTE_SANDBOX")
    }

    /// Opens the journal, or makes one in memory where the line names none.
    ///
    /// - Parameter isCreating: True if a missing file is created.
    static func journal(_ arguments: ParsedArguments, creating isCreating: Bool) throws -> any PaymentJournal {
        guard let path = arguments.value(journal.name) else { return InMemoryJournal() }
        return try SQLiteJournal(path: path, creating: isCreating)
    }
}

extension PaymentSession {
    /// Opens the session that a payer's line asks for.
    ///
    /// - Parameter isCreating: True if a missing journal is created.
    init(
        _ arguments: ParsedArguments, _ console: Console, creatingJournal isCreating: Bool = true,
        amount: Money? = nil, autoPay: AutoPay? = nil, narrate: @escaping Narrator
    ) async throws {
        try WalletOption.check(arguments)
        let names = try NamesOption.read(arguments)
        let journal = try PaymentOptions.journal(arguments, creating: isCreating)
        switch try await WalletOption.read(arguments, console) {
        case .own(let wallet):
            try self.init(
                console.vendors, wallet: wallet, transport: StandardTransport(), journal: journal, names: names,
                amount: amount, autoPay: autoPay, external: try ExternalOption.load(arguments, console),
                environment: console.environment, narrate: narrate)
        case .development(let seed, let sandbox):
            try self.init(
                console.vendors, sandbox: sandbox, wallet: DevelopmentWallet(seed: seed),
                transport: StandardTransport(), journal: journal, names: names, amount: amount, autoPay: autoPay,
                privately: PrivateSettings(
                    seed: seed, journal: arguments.value(PaymentOptions.journal.name),
                    isOnly: arguments.has(PrivateOption.option.name)),
                allowedTokens: try AllowTokenOption.read(arguments),
                external: try ExternalOption.load(arguments, console, sandbox: sandbox),
                environment: console.environment, narrate: narrate)
        }
    }
}
