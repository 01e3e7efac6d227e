import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import SandboxSupport

/// The options that every command takes which touches payments.
enum PaymentOptions {
    static let sandbox = CommandSyntax.Option(
        name: "sandbox", value: "url", help: "The sandbox to call, as printed by 'payroute sandbox'.", isRequired: true,
        variable: "PAYROUTE_SANDBOX")
    static let journal = CommandSyntax.Option(
        name: "journal", value: "file", help: "The journal: keeps each payment's steps, to resume after a crash.",
        variable: "PAYROUTE_JOURNAL")
    private static let wallet = CommandSyntax.Option(
        name: "wallet", value: "number",
        help: "The number of the development wallet: its key is computed from it. (default: 1)",
        form: "a whole number")

    /// The options of a merchant's commands: a merchant has no wallet.
    static let merchants = [sandbox, journal, ExternalOption.syntax]
    /// The options of a payer's commands.
    static let payers = [sandbox, journal, wallet, AllowTokenOption.syntax, ExternalOption.syntax]

    /// Returns the number of the wallet.
    static func wallet(_ arguments: ParsedArguments) throws(UsageError) -> UInt64 {
        try arguments.value(wallet.name) { UInt64($0) } ?? 1
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
    ) throws {
        let sandbox = try PayCommand.sandboxURL(arguments)
        let wallet = try PaymentOptions.wallet(arguments)
        try self.init(
            console.vendors, sandbox: sandbox, wallet: DevelopmentWallet(seed: wallet), transport: StandardTransport(),
            journal: try PaymentOptions.journal(arguments, creating: isCreating), amount: amount, autoPay: autoPay,
            privately: PrivateSettings(
                seed: wallet, journal: arguments.value(PaymentOptions.journal.name),
                isOnly: arguments.has(PrivateOption.option.name)),
            allowedTokens: try AllowTokenOption.read(arguments),
            external: try ExternalOption.load(arguments, console, sandbox: sandbox), environment: console.environment,
            narrate: narrate)
    }
}
