import PaymentCore
import PaymentTransport
import SandboxSupport

/// The `--wallet` option and those beside it: whose money pays.
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

    /// Checks what a line says of the money, before standard input is read.
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
    /// - Parameter journal: The journal beside which its orders are; nil opens it for questions only.
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

    /// The wallet's certificate alone is trusted, where the line names one.
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
