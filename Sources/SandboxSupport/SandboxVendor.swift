package import PaymentCore
package import PaymentWallet

/// One vendor, for the parts that serve all vendors: the command line, the sandbox's home, the demonstration. Each
/// vendor's sandbox exports one value; `SandboxVendors.all` lists them, and nothing else outside a vendor's folder
/// names it.
package protocol SandboxVendor: Sendable {
    /// The provider that payers pay with.
    var id: ProviderID { get }

    /// Returns its providers, calling their real services, or the sandbox that the settings name.
    func providers(_ settings: VendorSettings) throws -> [any PaymentService]
    /// Returns the merchants' services of a sandbox, with the keys that every sandbox has.
    func merchants(at sandbox: HTTPURL) throws -> [any PaymentService]
    /// Creates its simulated service; nil where it has none.
    func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)?

    // MARK: Real money

    /// The members of an account at its service; none where it has no accounts.
    var accountMembers: [VendorAccount.Member] { get }
    /// Returns the merchant's services of an account.
    ///
    /// - Throws: an error without secrets, when a value cannot be used.
    func merchants(of account: VendorAccount) throws -> [any PaymentService]
    /// Returns a secret that an application keeps, got with an account; nil for names that are another vendor's.
    func secret(_ name: String, of account: VendorAccount, over transport: any HTTPTransport) async throws -> Redacted<
        String
    >?
    /// A well-formed name of a payment that no merchant has made.
    var unknownPayment: String { get }

    /// Opens a wallet of the payer's own; nil where the address is not one of this vendor's.
    ///
    /// - Throws: any error, when its orders cannot be opened.
    func wallet(_ settings: WalletSettings) async throws -> OpenedWallet?

    // MARK: Paying at a sandbox

    /// Returns the handlers and wallets that a payer needs for this vendor at the sandbox served at `sandbox`; nil
    /// where accounts and keys are enough.
    func payer(_ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport) -> Payer?
    /// The paths of the sandbox below which its payer's browser opens pages.
    var pagePaths: [String] { get }
    /// The names of the secrets that an application keeps for it.
    var secretNames: [String] { get }
    /// Returns a secret that an application keeps, got from the sandbox, whose keys are not secret; nil for names that
    /// are another vendor's.
    func secret(_ name: String, at sandbox: HTTPURL, over transport: any HTTPTransport) async throws -> Redacted<
        String
    >?
    /// Makes a payment as a merchant's server does; nil where the vendor's merchants make none by a call.
    func createPayment(
        _ order: SandboxOrder, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws -> CreatedSandboxPayment?

    /// Returns the private links of the user that the settings name; nil where its users have none.
    func links(
        _ settings: PrivateSettings, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock,
        random: any RandomSource
    ) throws -> (any PrivateLinks)?

    // MARK: What its payments are

    /// True if its providers pay texts of payment standards; their standards then describe such a text.
    var paysStandards: Bool { get }
    /// True if its payees can be asked for an invoice over a private channel.
    var paysPrivately: Bool { get }
    /// Returns the content of a link of its provider.
    func details(of link: PaymentLink) -> LinkDetails
    /// Returns the names under which its merchants know a payment of its payers. The first name that its service knows
    /// is used.
    func merchantNames(of payment: PaymentReference) -> [PaymentReference]
    /// Returns the name by which a payment's status can be asked without its link.
    func statusName(of payment: PaymentReference) -> PaymentReference

    // MARK: Demonstration

    /// The payments of the demonstration, with their results and the rules about the money.
    var demo: [DemoScenario] { get }
    /// Texts that a scanner or a deep link may bring, each with the router's expected decision.
    var samples: [SampleText] { get }
}

extension SandboxVendor {
    package func merchants(at sandbox: HTTPURL) throws -> [any PaymentService] { [] }
    package func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)? { nil }
    package func payer(
        _ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) -> Payer? { nil }
    package var accountMembers: [VendorAccount.Member] { [] }
    package func merchants(of account: VendorAccount) throws -> [any PaymentService] { [] }
    package func secret(
        _ name: String, of account: VendorAccount, over transport: any HTTPTransport
    ) async throws -> Redacted<String>? { nil }
    package var unknownPayment: String { "payroute-doctor" }
    package func wallet(_ settings: WalletSettings) async throws -> OpenedWallet? { nil }
    package var pagePaths: [String] { [] }
    package var secretNames: [String] { [] }
    package func secret(
        _ name: String, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) async throws -> Redacted<String>? { nil }
    package func createPayment(
        _ order: SandboxOrder, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws -> CreatedSandboxPayment? { nil }
    package func links(
        _ settings: PrivateSettings, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock,
        random: any RandomSource
    ) throws -> (any PrivateLinks)? { nil }
    package var paysStandards: Bool { false }
    package var paysPrivately: Bool { false }
    package func details(of link: PaymentLink) -> LinkDetails { LinkDetails() }
    package func merchantNames(of payment: PaymentReference) -> [PaymentReference] { [payment] }
    package func statusName(of payment: PaymentReference) -> PaymentReference { payment }
    package var demo: [DemoScenario] { [] }
    package var samples: [SampleText] { [] }
}
