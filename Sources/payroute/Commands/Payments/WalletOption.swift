import PaymentCore
import PaymentTransport
import SandboxSupport

/// The `--wallet` option and its companions, which decide whose money pays.
enum WalletOption {
    /// The money of a payer.
    enum Money: Sendable {
        /// The development wallet of a number, at a sandbox: no real money.
        case development(UInt64, at: HTTPURL)
        /// A wallet of the payer's own.
        case own(OpenedWallet)
    }

    static let option = CommandSyntax.Option(
        name: "wallet", value: "number or url",
        help:
            "The number of the development wallet, or your own wallet with real money: lnbits://host, lnd://host:8080, cln://host:3010 or phoenixd://host:9740. (default: 1)",
        variable: "PAYROUTE_WALLET", values: ["lnbits://", "lnd://", "cln://", "phoenixd://"],
        form: "a whole number, or the address of a wallet")
    static let keyFile = CommandSyntax.Option(
        name: "wallet-key-file", value: "file",
        help: "The file with your wallet's key: admin key, macaroon, rune or password.",
        variable: "PAYROUTE_WALLET_KEY_FILE")
    static let network = CommandSyntax.Option(
        name: "wallet-network", value: "name", help: "Your wallet's network. (default: mainnet)",
        variable: "PAYROUTE_WALLET_NETWORK",
        values: ["mainnet", "testnet", "signet", "regtest"])

    static let certificate = CommandSyntax.Option(
        name: "wallet-certificate", value: "file",
        help: "The certificate of a wallet whose certificate no public authority has signed, such as LND's tls.cert.",
        variable: "PAYROUTE_WALLET_CERTIFICATE")

    /// All of them.
    static let options = [option, keyFile, network, certificate]

    /// The environment's variable with the key itself.
    private static let keyVariable = "PAYROUTE_WALLET_KEY"
    /// The most bytes of a key, and of a file of certificates.
    private static let (keyLimit, certificateLimit) = (4096, 65536)

    /// True if a line names a wallet of the payer's own.
    static func namesOwn(_ arguments: ParsedArguments) -> Bool {
        arguments.value(option.name)?.contains("://") ?? false
    }

    /// Returns the network of the payer's own wallet.
    static func network(_ arguments: ParsedArguments) throws(UsageError) -> String {
        try arguments.value(network.name) { network.values.contains($0) ? $0 : nil } ?? "mainnet"
    }

    /// True if a line names a wallet of the payer's own whose money has a value.
    static func movesRealMoney(_ arguments: ParsedArguments) throws(UsageError) -> Bool {
        namesOwn(arguments) ? try network(arguments) == "mainnet" : false
    }

    /// Returns the number of the development wallet.
    static func number(_ arguments: ParsedArguments) throws(UsageError) -> UInt64 {
        try arguments.value(option.name) { UInt64($0) } ?? 1
    }

    /// Checks the line's options about the money, before standard input is read.
    static func check(_ arguments: ParsedArguments) throws(UsageError) {
        guard namesOwn(arguments) else {
            _ = try PayCommand.sandboxURL(arguments)
            guard arguments.value(PayCommand.commentOption.name) == nil else {
                throw UsageError("'--comment' is for payments by your own wallet; see '--wallet'", arguments.syntax)
            }
            return
        }
        guard arguments.value(PaymentOptions.sandbox.name) == nil else {
            throw UsageError(
                "'--sandbox' and your own wallet exclude each other: no real money is paid to a sandbox. Leave one out (PAYROUTE_SANDBOX and PAYROUTE_WALLET count)",
                arguments.syntax)
        }
        guard arguments.value(PaymentOptions.journal.name) != nil else {
            throw UsageError(
                "Your own wallet needs '--journal <file>', the same file each time: it keeps a payment from being made twice",
                arguments.syntax)
        }
    }

    /// Returns the money that a line names.
    static func read(_ arguments: ParsedArguments, _ console: Console) async throws -> Money {
        try check(arguments)
        guard namesOwn(arguments), let journal = arguments.value(PaymentOptions.journal.name) else {
            return .development(try number(arguments), at: try PayCommand.sandboxURL(arguments))
        }
        return .own(try await open(arguments, console, journal: journal))
    }

    /// Opens the wallet that a line names.
    ///
    /// - Parameter journal: The journal that its orders are stored next to. If nil, the wallet is opened for questions
    ///   only.
    static func open(
        _ arguments: ParsedArguments, _ console: Console, journal: String?
    ) async throws -> OpenedWallet {
        let settings = WalletSettings(
            address: arguments.value(option.name) ?? "", key: try key(arguments, console),
            orders: journal.map { $0 + ".orders" },
            network: try network(arguments),
            reader: Installation.standards, transport: StandardTransport(try trust(arguments)),
            services: StandardTransport(), comment: arguments.value(PayCommand.commentOption.name))
        guard let wallet = try await console.vendors.wallet(settings) else {
            throw UsageError(
                "'--wallet' is not the address of a wallet: give lnbits://host, lnd://host:8080, cln://host:3010 or "
                    + "phoenixd://host:9740; kind+http://host is for this machine only", arguments.syntax)
        }
        return wallet
    }

    /// Returns a configuration that trusts the wallet's certificate alone, if the line names one.
    private static func trust(_ arguments: ParsedArguments) throws -> TransportConfiguration {
        var configuration = TransportConfiguration()
        guard let path = arguments.value(certificate.name) else { return configuration }
        let kind = "certificate file"
        let bytes = try NamedFile.bytes(path, kind, limit: certificateLimit)
        do throws(ServerCertificatesError) {
            configuration.certificates = try ServerCertificates(pem: bytes)
        } catch { throw NamedFile.unusable(path, kind, error.description) }
        return configuration
    }

    private static func key(_ arguments: ParsedArguments, _ console: Console) throws -> Redacted<[UInt8]> {
        guard let path = arguments.value(keyFile.name) else {
            guard let key = console.environment(keyVariable), !key.isEmpty else {
                throw UsageError(
                    "Missing '--wallet-key-file <file>', the file with the key of the wallet (or \(keyVariable) with the key)",
                    arguments.syntax)
            }
            return Redacted(Array(key.utf8))
        }
        return Redacted(try NamedFile.bytes(path, "key file", limit: keyLimit, keptFrom: .reading))
    }
}

// MARK: - Consent

/// The payer's consent to a payment with real money.
enum PaymentConsent {
    /// The line gives it, or it is not needed: no real money moves, or limits decide.
    case given
    /// The user at the terminal is asked.
    case asked

    static let option = CommandSyntax.Option(
        name: "yes", help: "Pay real money from your own wallet without a question.")

    /// Reads the consent of a line.
    ///
    /// - Throws: ``UsageError`` if the line does not consent and no user can be asked.
    static func read(
        _ arguments: ParsedArguments, _ console: Console, isJSON: Bool
    ) throws(UsageError) -> PaymentConsent {
        guard try WalletOption.movesRealMoney(arguments), !arguments.has(option.name),
            arguments.value(AutoPayOption.option.name) == nil
        else { return .given }
        guard console.isInteractive, !isJSON else {
            throw UsageError(
                "This pays real money, and no user can be asked here: add '--yes' to pay whatever the link asks for, or "
                    + "'--auto-within <limits>'", arguments.syntax)
        }
        return .asked
    }

    /// Shows what an option costs, and asks the user whether it is paid.
    ///
    /// - Parameter id: the option, or nil for the first that can be paid.
    /// - Returns: the option, only if the user types `yes`.
    static func choose(
        _ id: PaymentMethodOption.ID?, from quote: PaymentQuote, paidBy wallet: OpenedWallet, _ console: Console
    ) async -> PaymentMethodOption.ID? {
        let option = quote.options.first { option in id.map { $0 == option.id } ?? option.unmet.isEmpty }
        // The router explains why an option cannot be paid.
        guard let option, option.unmet.isEmpty else { return id }
        let answer = await console.answer(
            to: "\nPay \(AmountText.words(option.amount)) to \(Printable.name(quote.payee.name)), "
                + "\(terms(option, wallet))? Type yes to pay: ")
        guard answer?.lowercased() == "yes" else {
            console.output.line("Nothing was paid.")
            return nil
        }
        return option.id
    }

    /// The source of the money, and the most that it costs to send it.
    static func terms(_ option: PaymentMethodOption, _ wallet: OpenedWallet) -> String {
        let fees = wallet.feeLimit(option).map { "at most \(AmountText.words($0)) of fees" } ?? "unlimited fees"
        return "with real money from \(Printable.text(wallet.name)) and \(fees)"
    }
}

/// A settler that answers questions about what it has begun, and pays nothing. Real money moves only with the payer's
/// consent.
struct UnpaidSettler: PaymentSettler {
    let base: any PaymentSettler

    var name: String { base.name }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { base.canSettle(kind, on: network) }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        base.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { throw Self.noConsent }
    func order(named name: String) async throws -> SettlementOrder? { try await base.order(named: name) }
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await base.order(paying: endpoint)
    }
    func settle(_ settlement: Settlement) async throws -> SettlementState { throw Self.noConsent }
    func abandon(_ name: String) async throws -> SettlementState { try await base.abandon(name) }
    func end(_ name: String, because evidence: String) async throws -> SettlementState {
        try await base.end(name, because: evidence)
    }

    private static var noConsent: PaymentError {
        PaymentError(.consentNeeded, "this pays real money; add '--yes' to pay what is left to be paid")
    }
}
