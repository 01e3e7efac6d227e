public import PaymentCore

/// A provider to be probed, and what the probes need to know of its world.
public struct ConformanceSubject: Sendable {
    /// A service with one payment that can be paid, made anew for every probe.
    public struct Backend: Sendable {
        /// Text that leads to the payment.
        public let link: String
        /// The simulated service, by the host that it answers for.
        public let services: [String: any SandboxService]
        /// How often money was taken, and how much in minor units where that is known.
        public let captures: @Sendable () async -> [UInt128?]

        /// Makes a backend.
        public init(
            link: String, services: [String: any SandboxService],
            captures: @escaping @Sendable () async -> [UInt128?]
        ) {
            self.link = link
            self.services = services
            self.captures = captures
        }
    }

    /// What the backend's payment does.
    public enum Behaviour: Sendable, Hashable {
        /// It can be paid, and settles.
        case payable
        /// Once paid, it stays under way for ever.
        case neverSettles
    }

    /// Makes a backend on a clock, or returns nil when there is none that behaves so.
    public typealias MakeBackend =
        @Sendable (Behaviour, any PaymentClock, any RandomSource) async throws -> Backend?

    /// The provider.
    public let provider: any PaymentProvider
    /// What it is meant to be able to do.
    public let capabilities: Set<ProviderDescriptor.Capability>
    /// Who pays.
    public let payer: Payer
    /// Secrets and personal data that the provider was given: the probes search for them wherever they must not be.
    public let canaries: [String]
    /// Makes the service.
    public let backend: MakeBackend

    /// Describes a provider. A payer with neither a chooser nor a policy takes the first option: nothing here is real.
    public init(
        _ provider: any PaymentProvider, capabilities: Set<ProviderDescriptor.Capability> = [], payer: Payer = Payer(),
        canaries: [String] = [], backend: @escaping MakeBackend
    ) {
        self.provider = provider
        self.capabilities = capabilities
        var payer = payer
        if payer.chooser == nil, payer.policy == nil { payer.policy = .firstWhateverItCosts }
        self.payer = payer
        self.canaries = canaries
        self.backend = backend
    }
}
