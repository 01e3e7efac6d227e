package import PaymentCore
package import PaymentWallet

/// One vendor as everything that is about all vendors knows it: the command line, the sandbox's home, the
/// demonstration. Each vendor's sandbox exports one value; `SandboxVendors.all` lists them, and nothing else outside a
/// vendor's house names it.
package protocol SandboxVendor: Sendable {
    /// The provider that payers pay with.
    var id: ProviderID { get }

    /// Returns its providers, calling their real services, or the sandbox that the settings name.
    func providers(_ settings: VendorSettings) throws -> [any PaymentService]
    /// Returns the merchants' services of a sandbox, with the keys that every sandbox has.
    func merchants(at sandbox: HTTPURL) throws -> [any PaymentService]
    /// Creates its simulated service; nil where it has none.
    func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)?

    // MARK: Paying at a sandbox

    /// Returns what a payer needs for this vendor at the sandbox served at `sandbox`; nil where accounts and keys are
    /// enough.
    func payer(_ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport) -> Payer?
    /// The paths of the sandbox below which its payer's browser opens pages.
    var pagePaths: [String] { get }
    /// The names of what an application would keep secret for it.
    var secretNames: [String] { get }
    /// Returns what an application would keep secret, got from the sandbox, whose keys are no secrets; nil for names
    /// that are another vendor's.
    func secret(_ name: String, at sandbox: HTTPURL, over transport: any HTTPTransport) async throws -> Redacted<
        String
    >?
    /// Makes a payment as a merchant's server does; nil where the vendor's merchants make none by a call.
    func createPayment(
        _ order: SandboxOrder, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws -> CreatedSandboxPayment?

    // MARK: What its payments are

    /// Whether its providers pay texts of payment standards, so that these say what such a text holds.
    var paysStandards: Bool { get }
    /// Whether its payees can be asked for an invoice over a private channel.
    var paysPrivately: Bool { get }
    /// Returns what a link of its provider says about its payment.
    func details(of link: PaymentLink) -> LinkDetails
    /// Returns the names under which its merchants know a payment of its payers: the first that its service knows is
    /// the one.
    func merchantNames(of payment: PaymentReference) -> [PaymentReference]
    /// Returns the name under which a payment's status can be asked without its link.
    func statusName(of payment: PaymentReference) -> PaymentReference
    /// Returns the id of a refund that names none, where the service demands a form of it; nil otherwise.
    func refundID(of payment: PaymentReference, _ amount: Money) -> String?

    // MARK: Demonstration

    /// Payments that show how it ends, and what must be true of the money.
    var demo: [DemoScenario] { get }
    /// Texts that a scanner or a deep link may bring, and what should become of them.
    var samples: [SampleText] { get }
}

extension SandboxVendor {
    package func merchants(at sandbox: HTTPURL) throws -> [any PaymentService] { [] }
    package func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)? { nil }
    package func payer(
        _ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) -> Payer? { nil }
    package var pagePaths: [String] { [] }
    package var secretNames: [String] { [] }
    package func secret(
        _ name: String, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) async throws -> Redacted<String>? { nil }
    package func createPayment(
        _ order: SandboxOrder, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws -> CreatedSandboxPayment? { nil }
    package var paysStandards: Bool { false }
    package var paysPrivately: Bool { false }
    package func details(of link: PaymentLink) -> LinkDetails { LinkDetails() }
    package func merchantNames(of payment: PaymentReference) -> [PaymentReference] { [payment] }
    package func statusName(of payment: PaymentReference) -> PaymentReference { payment }
    package func refundID(of payment: PaymentReference, _ amount: Money) -> String? { nil }
    package var demo: [DemoScenario] { [] }
    package var samples: [SampleText] { [] }
}
