/// What a provider says about itself.
public struct ProviderDescriptor: Sendable, Hashable {
    /// Something a provider can do beyond quoting and paying. Conforming to the refinement protocol is what counts;
    /// see ``ProviderDescriptor/capabilities(of:)``.
    public enum Capability: String, Sendable, Hashable, CaseIterable {
        /// ``RedirectCompletingProvider``.
        case completesRedirects = "completes-redirects"
        /// ``CancellingProvider``.
        case cancels
        /// ``RefundingProvider``.
        case refunds
        /// ``NotificationVerifyingProvider``.
        case verifiesNotifications = "verifies-notifications"
    }

    /// The stable id.
    public let id: ProviderID
    /// The name for people.
    public let name: String
    /// The links it claims.
    public let patterns: [LinkPattern]
    /// Every host it may call: `host`, `host:port`, or `.example.com` for all hosts below one; see ``OutboundHosts``.
    /// Requests elsewhere are refused before anything is sent.
    public let outboundHosts: [String]
    /// How long the service recognises a repeated idempotency key; zero when it does not. After that a mutation
    /// declared ``MutationReplay/sameKey`` is no longer sent again.
    public let replayWindow: Duration

    /// Makes a descriptor.
    public init(
        id: ProviderID, name: String, patterns: [LinkPattern], outboundHosts: [String], replayWindow: Duration = .zero
    ) {
        self.id = id
        self.name = name
        self.patterns = patterns
        self.outboundHosts = outboundHosts
        self.replayWindow = replayWindow
    }

    /// What `provider` can do, read from its conformances, so that it cannot be claimed falsely.
    public static func capabilities(of provider: any PaymentProvider) -> [Capability] {
        Capability.allCases.filter { capability in
            switch capability {
            case .completesRedirects: provider is any RedirectCompletingProvider
            case .cancels: provider is any CancellingProvider
            case .refunds: provider is any RefundingProvider
            case .verifiesNotifications: provider is any NotificationVerifyingProvider
            }
        }
    }
}
