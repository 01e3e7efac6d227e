import PaymentCore
import PaymentRouting
import SandboxSupport

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

    /// Returns the built-in provider to which `link` belongs; nil when there is none.
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

    /// Returns the built-in provider that a claim of `pattern` would take texts from; nil when there is none.
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
