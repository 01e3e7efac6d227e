public import PaymentCore

/// A provider or a merchant's service to be probed, and the parts of its world that the probes need.
///
/// Parts of the world that are not provided are not probed; ``ConformanceReport/skipped`` lists their probes.
public struct ConformanceSubject: Sendable {
    /// A service with one payment that can be paid, made anew for every trial.
    public struct Backend: Sendable {
        /// Text that leads to the payment; nil where the subject is a merchant's service, which payers do not pay at.
        public let link: String?
        /// The simulated service, by the host that it answers for.
        public let services: [String: any SandboxService]
        /// Returns the captures, each in minor units where its amount is known.
        public let captures: @Sendable () async -> [UInt128?]
        /// The payment as its merchant knows it: for subjects that capture, refund or cancel payments.
        public var sale: Sale?
        /// The URLs by which payers come back: for ``RedirectCompletingProvider``.
        public var returns: Returns?
        /// The notifications that the service sends to merchants: for ``NotificationReadingService``.
        public var notifications: NotificationFixture?

        /// Creates a backend.
        public init(
            link: String? = nil, services: [String: any SandboxService], sale: Sale? = nil, returns: Returns? = nil,
            notifications: NotificationFixture? = nil, captures: @escaping @Sendable () async -> [UInt128?]
        ) {
            self.link = link
            self.services = services
            self.sale = sale
            self.returns = returns
            self.notifications = notifications
            self.captures = captures
        }
    }

    /// The behaviour of the backend's payment.
    @nonexhaustive
    public enum Behaviour: Sendable, Hashable {
        /// It can be paid, and settles.
        case payable
        /// Once paid, it stays in progress permanently.
        case neverSettles
    }

    /// Makes a backend on a clock, or returns nil when there is none with this behaviour.
    public typealias MakeBackend =
        @Sendable (Behaviour, any PaymentClock, any RandomSource) async throws -> Backend?

    /// The provider or service.
    public let service: any PaymentService
    /// The capabilities that it is meant to have.
    public let capabilities: Set<ProviderDescriptor.Capability>
    /// The payer.
    public let payer: Payer
    /// Secrets and personal data that it received: the probes search for them wherever they must not be.
    public let canaries: [String]
    /// Makes the service's world.
    public let backend: MakeBackend

    /// Creates the description of a provider or a merchant's service. A payer with neither a chooser nor a policy takes
    /// the first option: no money moves.
    public init(
        _ service: any PaymentService, capabilities: Set<ProviderDescriptor.Capability> = [], payer: Payer = Payer(),
        canaries: [String] = [], backend: @escaping MakeBackend
    ) {
        self.service = service
        self.capabilities = capabilities
        var payer = payer
        if payer.chooser == nil, payer.policy == nil { payer.policy = .firstWhateverItCosts }
        self.payer = payer
        self.canaries = canaries
        self.backend = backend
    }

    /// Makes a backend.
    func makeBackend(
        _ behaviour: Behaviour, _ clock: any PaymentClock, _ random: any RandomSource
    ) async throws -> Backend? {
        var made = try await backend(behaviour, clock, random)
        made?.sale?.refundsOnce = (service as? any RefundingService)?.refundsOnce ?? false
        return made
    }

    /// The service as a provider; nil for a merchant's service.
    var provider: (any PaymentProvider)? { service as? any PaymentProvider }
}
