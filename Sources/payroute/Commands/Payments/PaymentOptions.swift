import Foundation
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentStore
import PaymentTransport
import PaymentWallet
import SandboxSupport

/// The options of every command that touches payments.
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

    /// The options of commands about private links, which are stored next to the journal.
    static let links = [
        sandbox, JournalOption.beside,
        CommandSyntax.Option(
            name: "wallet", value: "number",
            help: "The number of the development wallet: its key is computed from it. (default: 1)",
            form: "a whole number"),
    ]

    /// - Parameter isRequired: False if a wallet of the payer's own can take its place.
    private static func sandbox(isRequired: Bool) -> CommandSyntax.Option {
        CommandSyntax.Option(
            name: "sandbox", value: "url", help: "The sandbox to call, as printed by 'payroute sandbox'.",
            isRequired: isRequired, variable: "PAYROUTE_SANDBOX")
    }

    /// Opens the journal, or creates one in memory if the line names none.
    ///
    /// - Parameter isCreating: True if a missing file is created.
    static func journal(_ arguments: ParsedArguments, creating isCreating: Bool) throws -> any PaymentJournal {
        guard let path = arguments.value(journal.name) else { return InMemoryJournal() }
        return try SQLiteJournal(path: path, creating: isCreating)
    }
}

/// The `--dns` option: the resolver that looks up payees' names.
enum NamesOption {
    static let option = CommandSyntax.Option(
        name: "dns", value: "url",
        help:
            "The DNS resolver over HTTPS that looks up names such as ₿user@domain. It sees the names; their links are proved by DNSSEC, whatever it answers.",
        variable: "PAYROUTE_DNS", form: "the address of a resolver, such as https://dns.example/dns-query")

    /// Returns the address of the resolver that a line names, or nil if it names none.
    static func read(_ arguments: ParsedArguments) throws(UsageError) -> HTTPURL? {
        try arguments.value(option.name) { try? HTTPURL(service: $0) }
    }

    /// Returns the remedy if a name is not paid because no resolver looks it up. Otherwise the text is empty.
    static func remedy(for decision: RouteDecision) -> String {
        guard case .recognized(let instruction) = decision, instruction.standard == BIP353.id else { return "" }
        return "; give '--dns <url>', a DNS resolver over HTTPS that looks the name up (or PAYROUTE_DNS)"
    }
}

/// The `--auto-within` option: limits such as `20 EUR/day, 100 EUR/month in Europe/Berlin`.
///
/// Days begin in the zone that the limits name, otherwise in UTC, and never in the process's: runs of one journal in
/// several zones, such as a scheduled one and a terminal's, would each have separate days.
enum AutoPayOption {
    static let option = CommandSyntax.Option(
        name: "auto-within", value: "limits",
        help:
            "Pay without a question within limits such as '20 EUR/day, 100 EUR/month', and decline the rest. Days, weeks and months begin in UTC, or in a zone named at the end: '20 EUR/day in Europe/Berlin'. Use the same each time. Needs --journal, which counts the spending.",
        variable: "PAYROUTE_AUTO_WITHIN",
        form:
            "limits, comma-separated, each an amount and day, week or month, and a time zone if it is not UTC: '20 EUR/day, 5000 sat/week in Europe/Berlin'"
    )

    /// Reads the limits of a line. Returns nil if it has none.
    ///
    /// - Throws: ``UsageError`` for malformed limits, and for limits without a journal: each run would begin at zero.
    static func read(_ arguments: ParsedArguments) throws(UsageError) -> AutoPay? {
        guard let autoPay = try arguments.value(option.name, policy) else { return nil }
        guard arguments.value(PaymentOptions.journal.name) != nil else {
            throw UsageError(
                "'--auto-within <limits>' binds nothing without a journal, where what is spent is counted: add "
                    + "'--journal <file>', the same file each time", arguments.syntax)
        }
        return autoPay
    }

    /// Returns the policy, or nil when a limit is malformed or the time zone is unknown.
    static func policy(_ text: String) -> AutoPay? {
        var limits: [SpendingLimit] = []
        var (text, zone) = (Substring(text), TimeZone.gmt)
        if let mark = text.firstRange(of: " in ") {
            guard let named = TimeZone(identifier: String(text[mark.upperBound...])) else { return nil }
            (text, zone) = (text[..<mark.lowerBound], named)
        }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let limit = limit(part.drop { $0 == " " }) else { return nil }
            limits.append(limit)
        }
        return AutoPay(within: limits, timeZone: zone)
    }

    private static func limit(_ text: Substring) -> SpendingLimit? {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let words = halves[0].split(separator: " ")
        let period = halves[1].split(separator: " ")
        guard words.count == 2, period.count == 1, let period = SpendingLimit.Period(rawValue: String(period[0])),
            let amount = amount(String(words[0]), String(words[1])), !amount.isZero
        else { return nil }
        return SpendingLimit(amount, per: period)
    }

    private static func amount(_ number: String, _ unit: String) -> Money? {
        switch unit {
        // Satoshi cannot be divided.
        case "sat": return try? Money(minorUnitText: number, currency: .satoshi)
        case "BTC": return try? Money(decimal: number, currency: .satoshi)
        default:
            guard let currency = try? Currency(unit: "iso4217/\(unit)") else { return nil }
            return try? Money(decimal: number, currency: currency)
        }
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
