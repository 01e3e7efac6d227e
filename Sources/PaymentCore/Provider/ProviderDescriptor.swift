/// The static description of a provider or a merchant's service.
public struct ProviderDescriptor: Sendable, Hashable {
    /// An ability beyond quoting and paying. Conforming to the protocol is what counts; see
    /// ``ProviderDescriptor/capabilities(of:)``.
    @nonexhaustive
    public enum Capability: String, Sendable, Hashable, CaseIterable {
        /// ``RedirectCompletingProvider``.
        case completesRedirects = "completes-redirects"
        /// ``CancellingService``.
        case cancels
        /// ``CapturingService``.
        case captures
        /// ``RefundingService``.
        case refunds
        /// ``NotificationReadingService``.
        case verifiesNotifications = "verifies-notifications"
    }

    /// The stable id.
    public let id: ProviderID
    /// The name for people.
    public let name: String
    /// The links it claims; a merchant's service claims none.
    public let patterns: [LinkPattern]
    /// Every host it may call: `host`, `host:port`, `.example.com` for all hosts below one (encrypted, on the usual
    /// port), or `*` for every host with a public domain name (encrypted). Requests elsewhere are refused before
    /// anything is sent.
    public let outboundHosts: [String]
    /// The time in which the service recognises a repeated idempotency key; zero when it does not. After that a
    /// mutation declared ``MutationReplay/sameKey`` is no longer sent again.
    public let replayWindow: Duration

    /// Creates a descriptor.
    public init(
        id: ProviderID, name: String, patterns: [LinkPattern] = [], outboundHosts: [String],
        replayWindow: Duration = .zero
    ) {
        self.id = id
        self.name = name
        self.patterns = patterns
        self.outboundHosts = outboundHosts
        self.replayWindow = replayWindow
    }

    /// Returns the capabilities of a provider or service, by its conformances: none can be claimed falsely.
    public static func capabilities(of service: any PaymentService) -> [Capability] {
        Capability.allCases.filter { capability in
            switch capability {
            case .completesRedirects: service is any RedirectCompletingProvider
            case .cancels: service is any CancellingService
            case .captures: service is any CapturingService
            case .refunds: service is any RefundingService
            case .verifiesNotifications: service is any NotificationReadingService
            }
        }
    }
}
