import PaymentCore
import PaymentRouting
import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The `--with` option: external providers by name. A program on `PATH` is started only when it is named.
enum ExternalOption {
    static let prefix = "payroute-provider-"

    static let syntax = CommandSyntax.Option(
        name: "with", value: "names",
        help: "Also use these external providers: programs on PATH called payroute-provider-<name>, comma-separated.",
        programs: "payroute-provider-")

    /// Starts the providers that the line names.
    ///
    /// - Parameter sandbox: The sandbox that they should call instead of their services.
    static func load(
        _ arguments: ParsedArguments, _ console: Console, sandbox: HTTPURL? = nil
    ) throws -> [ExternalProvider] {
        guard let list = arguments.value(syntax.name) else { return [] }
        var names: [String] = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            guard isName(name) else {
                throw UsageError(
                    "The value \(UsageError.quoted(list)) is invalid for '--with <names>': names are small letters, digits "
                        + "and hyphens, comma-separated", arguments.syntax)
            }
            if !names.contains(name) { names.append(name) }
        }
        let builtIn = try BuiltInClaims(console.vendors)
        return try names.map { name in
            guard let path = find(name, in: console.environment("PATH")) else {
                throw CommandError(
                    description: "there is no program \(prefix)\(name) on PATH that can be run")
            }
            let provider = try ExternalProvider(
                name: name, path: path, sandbox: sandbox, environment: environment(console),
                builtIn: builtIn, report: { [errors = console.diagnostics] line in errors.line("\(name): \(line)") })
            try check(provider, builtIn, console.vendors)
            return provider
        }
    }

    /// The environment for an external provider: the variables that programs need to run, and no secret.
    private static func environment(_ console: Console) -> [String: String] {
        var variables: [String: String] = [:]
        for name in ["PATH", "HOME", "LANG"] { variables[name] = console.environment(name) }
        return variables
    }

    private static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }

    /// Returns the first program of this name in the folders of `path`. Folders that are relative to the current one
    /// are skipped: anyone who can write there would be paying.
    static func find(_ name: String, in path: String?) -> String? {
        for folder in (path ?? "").split(separator: ":") where folder.hasPrefix("/") {
            let file = "\(folder)/\(prefix)\(name)"
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(file, X_OK) == 0 else {
                continue
            }
            return file
        }
        return nil
    }

    /// Refuses a provider that claims a link of a built-in one, also in part.
    private static func check(
        _ provider: ExternalProvider, _ builtIn: BuiltInClaims, _ vendors: SandboxVendors
    ) throws {
        for pattern in provider.descriptor.patterns {
            guard let owner = builtIn.owner(of: pattern) else { continue }
            throw CommandError(
                description:
                    "the external provider '\(provider.descriptor.id)' claims \(pattern), which belongs to \(owner); it is not used"
            )
        }
        // Two providers with one claim, or a malformed one.
        _ = try vendors.registry().adding(provider)
    }
}

/// The texts that belong to built-in providers: by a pattern, by recognition, or as a text of a payment standard that
/// one of them pays. No external provider takes one.
struct BuiltInClaims: Sendable {
    private let registry: ProviderRegistry
    private let standards: [String: ProviderID]

    /// Creates the claims of all built-in providers, with and without a wallet.
    init(_ vendors: SandboxVendors) throws {
        registry = try vendors.registry(hasWallet: true)
        var standards: [String: ProviderID] = [:]
        for descriptor in registry.descriptors {
            for case .standard(let standard) in descriptor.patterns { standards[standard] = descriptor.id }
        }
        self.standards = standards
    }

    /// Returns the built-in provider to which `link` belongs, or nil if there is none.
    func owner(of link: PaymentLink) -> ProviderID? {
        switch registry.route(link, readers: Installation.readers) {
        case .matched(let route): route.provider
        case .ambiguous(let routes): routes.first?.provider
        // A text that is not sound is not another provider's: its payer meant the standard.
        case .defective(let standard, _, _): standards[standard]
        case .recognized(let instruction): standards[instruction.standard]
        case .unclear(let instructions): instructions.compactMap { standards[$0.standard] }.first
        case .rejected, .unroutable: nil
        }
    }

    /// Returns the built-in provider that a claim of `pattern` would take texts from, or nil if there is none.
    func owner(of pattern: LinkPattern) -> ProviderID? {
        for descriptor in registry.descriptors
        where descriptor.patterns.contains(where: { Self.overlap($0, pattern) }) { return descriptor.id }
        return Self.examples(of: pattern).lazy.compactMap { try? PaymentLink($0) }.compactMap(owner(of:)).first
    }

    /// Returns texts that `pattern` claims.
    private static func examples(of pattern: LinkPattern) -> [String] {
        switch pattern {
        case .scheme(let scheme): ["\(scheme):x", "\(scheme)://x.example/x"]
        case .host(let host, let path): ["https://\(host)\(path ?? "/")"]
        default: []
        }
    }

    /// Returns true if both claim a link: the more precise claim would win.
    private static func overlap(_ own: LinkPattern, _ other: LinkPattern) -> Bool {
        switch (own, other) {
        case (.scheme(let mine), .scheme(let others)): mine.lowercased() == others.lowercased()
        case (.host(let mine, _), .host(let others, _)): mine.lowercased() == others.lowercased()
        case (.hostSuffix(let mine, _), .host(let others, _)):
            others.lowercased() == mine.lowercased() || others.lowercased().hasSuffix("." + mine.lowercased())
        case (.returnURL(let url), .host(let host, _)):
            (try? PaymentLink(url))?.host.map(String.init) == host.lowercased()
        case (.returnURL(let url), .scheme(let scheme)):
            (try? PaymentLink(url))?.scheme.map(String.init) == scheme.lowercased()
        default: false
        }
    }
}

/// The secrets of external providers, from the environment, under names that belong to them. All others come from
/// `base`.
struct ExternalSecrets: SecretStore {
    let base: any SecretStore
    let providers: [ExternalProvider]
    let environment: @Sendable (String) -> String?

    func secret(_ name: String) async throws -> Redacted<String>? {
        guard providers.contains(where: { $0.manifest.secrets.contains(name) }) else {
            return try await base.secret(name)
        }
        return environment(Self.variable(name)).map { Redacted($0) }
    }

    /// Returns the variable of a secret: `PAYROUTE_SECRET_COFFEE_SHOP__KEY` for `coffee-shop.key`.
    static func variable(_ name: String) -> String {
        "PAYROUTE_SECRET_"
            + name.uppercased().split(separator: ".").map { $0.split(separator: "-").joined(separator: "_") }
            .joined(separator: "__")
    }
}

extension [ExternalProvider] {
    /// Returns the network of a command with these providers: whatever hosts they declare, it ends at this machine.
    func network(_ base: any HTTPTransport) -> any HTTPTransport { isEmpty ? base : LocalTransport(base: base) }
}
