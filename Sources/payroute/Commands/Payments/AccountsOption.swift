import PaymentCore
import PaymentTransport
import SandboxSupport

/// The `--accounts` option: a file of the vendors' accounts at their real services.
///
/// The file is JSON: for each service an object of texts. A member that ends with `File` names a file with secrets,
/// next to the file of accounts unless its path is absolute.
enum AccountsOption {
    static let option = CommandSyntax.Option(
        name: "accounts", value: "file",
        help: "The file of your accounts at the real services, as JSON. Real money moves.",
        variable: "PAYROUTE_ACCOUNTS")

    /// Bytes: of a file of accounts, and of one of secrets.
    private static let (limit, secretLimit) = (65536, 16384)

    /// Returns the accounts that a line names, or nil if it names no file.
    ///
    /// - Throws: ``UsageError`` if the line names a sandbox or a simulated wallet as well, and ``CommandError`` with
    ///   the service and the member at fault, and no value.
    static func read(
        _ arguments: ParsedArguments, _ vendors: SandboxVendors
    ) throws -> [ProviderID: VendorAccount]? {
        guard let path = arguments.value(option.name) else { return nil }
        guard arguments.value(PaymentOptions.sandbox.name) == nil else {
            throw UsageError(
                "'--sandbox' and '--accounts' exclude each other: no real money is paid to a sandbox. Leave one out (PAYROUTE_SANDBOX and PAYROUTE_ACCOUNTS count)",
                arguments.syntax)
        }
        guard arguments.value(WalletOption.option.name) == nil || WalletOption.namesOwn(arguments) else {
            throw UsageError(
                "A development wallet is for the sandbox only: with '--accounts' give '--wallet <url>', or none",
                arguments.syntax)
        }
        return try accounts(path, vendors)
    }

    /// Reads a file of accounts.
    static func accounts(_ path: String, _ vendors: SandboxVendors) throws -> [ProviderID: VendorAccount] {
        // A changed address in it would be sent the secrets.
        let bytes = try NamedFile.bytes(path, kind, limit: limit, keptFrom: .change)
        guard let value = try? JSONValue(parsing: bytes), let services = value.object else {
            throw NamedFile.unusable(path, kind, "it is not a JSON object, or names a service or a member twice")
        }
        let known = vendors.list.filter { !$0.accountMembers.isEmpty }
        var accounts: [ProviderID: VendorAccount] = [:]
        for (service, value) in services.sorted(by: { $0.key < $1.key }) {
            let name = Printable.short(service, 40)
            guard let vendor = known.first(where: { $0.id.rawValue == service }) else {
                let names = known.map(\.id.rawValue).joined(separator: ", ")
                throw NamedFile.unusable(path, kind, "no service '\(name)' has accounts; these have: \(names)")
            }
            do {
                let account = try self.account(value, vendor.accountMembers, beside: path)
                _ = try (vendor.merchants(of: account), identity(of: account))
                accounts[vendor.id] = account
            } catch {
                let reason = (error as? PaymentError)?.message ?? "\(error)"
                throw NamedFile.unusable(path, kind, "\(name): \(reason)")
            }
        }
        return accounts
    }

    /// Returns the transport to the services, which shows each the certificate of its account, and no other.
    static func transport(
        _ accounts: [ProviderID: VendorAccount], _ vendors: SandboxVendors
    ) throws -> StandardTransport {
        var configuration = TransportConfiguration()
        for (id, account) in accounts {
            guard let identity = try identity(of: account), let vendor = vendors[id] else { continue }
            for host in try vendor.merchants(of: account).flatMap(\.descriptor.outboundHosts) {
                configuration.identities[host] = identity
            }
        }
        return StandardTransport(configuration)
    }

    /// Returns the client's certificate that an account names, or nil if there is none.
    private static func identity(of account: VendorAccount) throws -> ClientIdentity? {
        switch (account.file("certificateFile"), account.file("certificateKeyFile")) {
        case (nil, nil): nil
        case (let certificate?, let key?):
            try ClientIdentity(
                certificate: Array(certificate.reveal().utf8), key: Redacted(Array(key.reveal().utf8)))
        default: throw Defect("certificateFile and certificateKeyFile belong together")
        }
    }

    private static let kind = "file of accounts"

    /// The fault of an account.
    private struct Defect: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private static func account(
        _ value: JSONValue, _ known: [VendorAccount.Member], beside path: String
    ) throws -> VendorAccount {
        guard let members = value.object else { throw Defect("give an object of its members") }
        for name in members.keys.sorted() where !known.contains(where: { $0.name == name }) {
            let names = known.map { "\($0.name) (\($0.words))" }.joined(separator: ", ")
            throw Defect("it has no member '\(Printable.short(name, 40))'; it may have: \(names)")
        }
        var (texts, files): ([String: String], [String: Redacted<String>]) = ([:], [:])
        for member in known {
            guard let value = members[member.name] else {
                guard !member.isRequired else { throw Defect("\(member.name) is missing: \(member.words)") }
                continue
            }
            guard let text = value.string, !text.isEmpty else { throw Defect("\(member.name) is not a text") }
            guard member.isFile else {
                texts[member.name] = text
                continue
            }
            let bytes = try NamedFile.bytes(
                NamedFile.path(text, beside: path), "key file", limit: secretLimit, keptFrom: .reading)
            files[member.name] = Redacted(String(decoding: bytes, as: UTF8.self))
        }
        return VendorAccount(texts: texts, files: files)
    }
}
