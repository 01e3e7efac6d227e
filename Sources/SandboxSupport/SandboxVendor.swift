package import PaymentCore
import PaymentTesting
package import PaymentWallet

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One vendor, for the parts that serve all vendors: the command line, the sandbox's home, the demonstration. Each
/// vendor's sandbox exports one value. `SandboxVendors.all` lists them, and nothing else outside a vendor's folder
/// names it.
package protocol SandboxVendor: Sendable {
    /// The provider that payers pay with.
    var id: ProviderID { get }

    /// Returns its providers, calling their real services, or the sandbox that the settings name.
    func providers(_ settings: VendorSettings) throws -> [any PaymentService]
    /// Creates its simulated service. Returns nil if it has none.
    func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)?

    // MARK: Accounts

    /// The members of an account at its service, or none if it has no accounts.
    var accountMembers: [VendorAccount.Member] { get }
    /// Returns the accounts that every sandbox has, whose keys are not secret.
    func accounts(at sandbox: HTTPURL) -> [VendorAccount]
    /// Returns the merchant's services of an account.
    ///
    /// - Throws: an error without secrets, when a value cannot be used.
    func merchants(of account: VendorAccount) throws -> [any PaymentService]
    /// Returns a secret that an application keeps, got with an account, or nil for names that are another vendor's.
    func secret(_ name: String, of account: VendorAccount, over transport: any HTTPTransport) async throws -> Redacted<
        String
    >?
    /// A well-formed name of a payment that no merchant has made.
    var unknownPayment: String { get }

    /// Opens a wallet of the payer's own. Returns nil if the address is not one of this vendor's.
    ///
    /// - Throws: any error, when its orders cannot be opened.
    func wallet(_ settings: WalletSettings) async throws -> OpenedWallet?

    // MARK: Paying at a sandbox

    /// Returns the handlers and wallets that a payer needs for this vendor at the sandbox served at `sandbox`, or nil
    /// if accounts and keys are enough.
    func payer(_ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport) -> Payer?
    /// The paths of the sandbox below which its payer's browser opens pages.
    var pagePaths: [String] { get }
    /// The names of the secrets that an application keeps for it.
    var secretNames: [String] { get }
    /// Makes a payment as a merchant's server does. Returns nil if the vendor's merchants make none by a call.
    func createPayment(
        _ order: SandboxOrder, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws -> CreatedSandboxPayment?

    /// Returns the private links of the user that the settings name, or nil if its users have none.
    func links(
        _ settings: PrivateSettings, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock,
        random: any RandomSource
    ) throws -> (any PrivateLinks)?

    // MARK: What its payments are

    /// True if its providers pay texts of payment standards. Their standards then describe such a text.
    var paysStandards: Bool { get }
    /// True if its payees can be asked for an invoice over a private channel.
    var paysPrivately: Bool { get }
    /// Returns the content of a link of its provider.
    func details(of link: PaymentLink) -> LinkDetails
    /// Returns the names that its merchants have for a payment of its payers. The first name that its service knows is
    /// used.
    func merchantNames(of payment: PaymentReference) -> [PaymentReference]
    /// Returns the name for asking about a payment's status without its link.
    func statusName(of payment: PaymentReference) -> PaymentReference

    // MARK: Demonstration

    /// The payments of the demonstration, with their results and the rules about the money.
    var demo: [DemoScenario] { get }
    /// Texts that a scanner or a deep link may bring, each with the router's expected decision.
    var samples: [SampleText] { get }
}

extension SandboxVendor {
    package func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)? { nil }
    package func payer(
        _ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) -> Payer? { nil }
    package var accountMembers: [VendorAccount.Member] { [] }
    package func accounts(at sandbox: HTTPURL) -> [VendorAccount] { [] }
    package func merchants(of account: VendorAccount) throws -> [any PaymentService] { [] }
    package func secret(
        _ name: String, of account: VendorAccount, over transport: any HTTPTransport
    ) async throws -> Redacted<String>? { nil }
    package var unknownPayment: String { "payroute-doctor" }
    package func wallet(_ settings: WalletSettings) async throws -> OpenedWallet? { nil }
    package var pagePaths: [String] { [] }
    package var secretNames: [String] { [] }
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

    /// Returns the merchants' services of a sandbox.
    package func merchants(at sandbox: HTTPURL) throws -> [any PaymentService] {
        try accounts(at: sandbox).flatMap(merchants)
    }
}

// MARK: - All vendors

/// Vendors that a program knows. It is given them: only the program's first file names the list of all.
package struct SandboxVendors: Sendable {
    package let list: [any SandboxVendor]

    package init(_ list: [any SandboxVendor]) { self.list = list }

    /// Returns the vendor of a provider.
    package subscript(id: ProviderID) -> (any SandboxVendor)? { list.first { $0.id == id } }

    /// Returns every provider, calling the real services or the sandbox that the settings name.
    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        try list.flatMap { try $0.providers(settings) }
    }

    /// Opens a wallet of the payer's own. Returns nil if no vendor knows its address.
    package func wallet(_ settings: WalletSettings) async throws -> OpenedWallet? {
        for vendor in list { if let wallet = try await vendor.wallet(settings) { return wallet } }
        return nil
    }

    /// Returns a payer with made-up wallets, apps, pages and data, who pays at the sandboxes that are served at
    /// `origin` and takes the first option whatever it costs.
    package func payer(
        _ wallet: DevelopmentWallet, at origin: HTTPURL, over transport: any HTTPTransport
    ) -> Payer {
        let parts = list.compactMap { vendor in
            vendor.payer(wallet, at: origin, over: transport).map { (payer: $0, pages: vendor.pagePaths) }
        }
        var payer = Payer(policy: .firstWhateverItCosts)
        for part in parts.map(\.payer) {
            payer.accounts += part.accounts
            payer.signer = payer.signer ?? part.signer
            payer.appLauncher = payer.appLauncher ?? part.appLauncher
            payer.codeDisplay = payer.codeDisplay ?? part.codeDisplay
            payer.settler = payer.settler ?? part.settler
        }
        payer.browser = { page in
            guard page.url.origin == origin.origin else {
                throw PaymentError(.payer, "the page at \(page.url.authority) is not the sandbox's; it is not opened")
            }
            let owner = parts.first { part in part.pages.contains { page.url.path.hasPrefix($0 + "/") } }
            guard let browser = owner?.payer.browser else {
                throw PaymentError(.payer, "no simulated payer opens the page \(page.url.path); it is not opened")
            }
            return try await browser(page)
        }
        // Every service asks for its own data. The first part that has all required fields answers.
        let collectors = parts.compactMap(\.payer.dataCollector)
        payer.dataCollector = { request in
            for collect in collectors {
                guard let values = try await collect(request) else { continue }
                if request.isAnswered(by: values) { return values }
            }
            return nil
        }
        return payer
    }
}

// MARK: - Settings and accounts

/// The settings of a vendor's providers.
package struct VendorSettings: Sendable {
    /// The sandbox that they call, or nil for the real services, which take nothing without an account.
    package let sandbox: HTTPURL?
    /// Reads the payment standards.
    package let reader: any InstructionReader
    /// The settings of the private channels for asking payees for invoices. If nil, payees are paid by what they
    /// publish.
    package let privately: PrivateSettings?
    /// Tokens that wallets may pay although no table knows them.
    package let allowedTokens: [AssetID]
    /// True if the payer pays invoices and addresses.
    package let hasWallet: Bool
    /// The DNS resolver over HTTPS that looks up payees' names. If nil, no name is looked up.
    package let names: HTTPURL?
    /// The accounts at the real services.
    package let accounts: [ProviderID: VendorAccount]

    package init(
        sandbox: HTTPURL?, reader: any InstructionReader, privately: PrivateSettings? = nil,
        allowedTokens: [AssetID] = [], hasWallet: Bool = false, names: HTTPURL? = nil,
        accounts: [ProviderID: VendorAccount] = [:]
    ) {
        self.accounts = accounts
        self.hasWallet = hasWallet
        self.names = names
        self.allowedTokens = allowedTokens
        self.sandbox = sandbox
        self.reader = reader
        self.privately = privately
    }
}

/// The settings of private channels for asking payees for invoices, with a key that can be computed, like the
/// development wallet's.
package struct PrivateSettings: Sendable, Hashable {
    /// The seed of the payer's key.
    package let seed: UInt64
    /// The journal's file, which the receipts are kept next to. If nil, they are kept as long as the program runs.
    package let journal: String?
    /// True if only invoices that were agreed on over such a channel are paid.
    package let isOnly: Bool

    package init(seed: UInt64, journal: String? = nil, isOnly: Bool = false) {
        self.seed = seed
        self.journal = journal
        self.isOnly = isOnly
    }
}

/// A vendor's account at its real service, as a file of accounts states it.
package struct VendorAccount: Sendable {
    /// A statement that such an account may have.
    package struct Member: Sendable {
        package let name: String
        /// The value's meaning in a few words.
        package let words: String
        package let isRequired: Bool

        package init(_ name: String, _ words: String, isRequired: Bool = false) {
            (self.name, self.words, self.isRequired) = (name, words, isRequired)
        }

        /// True if the value is the name of a file, whose content is secret.
        package var isFile: Bool { name.hasSuffix("File") }
    }

    private let texts: [String: String]
    private let files: [String: Redacted<String>]

    /// Creates an account whose members were checked.
    package init(texts: [String: String], files: [String: Redacted<String>]) {
        (self.texts, self.files) = (texts, files)
    }

    /// Returns the value of a member that is no file.
    package subscript(name: String) -> String? { texts[name] }

    /// Returns the content of a member's file, or nil if the account names none.
    package func file(_ name: String) -> Redacted<String>? { files[name] }

    /// Returns the secrets in a member's file, one on each of its lines, or none if the account does not name it.
    package func secrets(_ name: String) -> [Redacted<String>] {
        files[name]?.reveal().split(whereSeparator: \.isNewline).map { Redacted(String($0)) } ?? []
    }
}

// MARK: - Simulated services

/// The settings of simulated services.
package struct SandboxSettings: Sendable {
    package var clock: any PaymentClock
    package var random: any RandomSource
    /// The transport of notifications to merchants' servers.
    package var transport: any HTTPTransport
    /// The time in which payments can be paid, in seconds, or nil for that of the real services.
    package var lifetime: Int64?
    /// The delay before the next question while a payment is open, in milliseconds, or nil for that of the real
    /// services.
    package var pace: Int64?
    /// The receiver of webhooks that are registered with the service instead of named by a payment, or nil if there is
    /// none.
    package var webhooks: HTTPURL?

    package init(
        clock: any PaymentClock, random: any RandomSource, transport: any HTTPTransport, lifetime: Int64? = nil,
        pace: Int64? = nil, webhooks: HTTPURL? = nil
    ) {
        self.clock = clock
        self.random = random
        self.transport = transport
        self.lifetime = lifetime
        self.pace = pace
        self.webhooks = webhooks
    }
}

/// A payment that a merchant's server makes at a sandbox.
package struct SandboxOrder: Sendable {
    package let reference: String
    package let amount: Money
    package let expiresAt: Date
    /// The merchant's id, or nil for the sandbox's own merchant.
    package let merchant: String?
    /// True if it is made in the sandbox's live world, whose webhooks and lists never show the world of tests.
    package let isLive: Bool

    package init(reference: String, amount: Money, expiresAt: Date, merchant: String?, isLive: Bool) {
        self.reference = reference
        self.amount = amount
        self.expiresAt = expiresAt
        self.merchant = merchant
        self.isLive = isLive
    }
}

/// A payment that was made.
package struct CreatedSandboxPayment: Sendable {
    package let id: String
    package let link: String
    package let expiresAt: Date
    package let merchant: String
    /// `test` or `live`.
    package let mode: String

    package init(id: String, link: String, expiresAt: Date, merchant: String, mode: String) {
        self.id = id
        self.link = link
        self.expiresAt = expiresAt
        self.merchant = merchant
        self.mode = mode
    }
}

// MARK: - Links and demonstration

/// The content of a provider's link, as the provider itself reads it: the amount, the order, the expiry, and the
/// service that is called. None of it is a secret, even if the link holds one.
package struct LinkDetails: Sendable {
    /// The amount to be paid, if the link states it.
    package private(set) var amount: Money?
    /// By the names of `inspect --json`.
    package private(set) var fields: [String: String] = [:]

    package init(amount: Money? = nil, expires: Date? = nil, _ fields: [String: String?] = [:]) {
        self.amount = amount
        self.fields = fields.compactMapValues { $0 }
        if let expires { self.fields["expires"] = RFC3339(expires).text }
        if let amount {
            self.fields["amount"] = amount.decimalText
            self.fields["unit"] = amount.currency.mainUnit
        }
    }
}

/// One payment of the demonstration: the action, the command line's output, and the rules about the money.
package struct DemoScenario: Sendable {
    /// The result of a payment.
    package enum Ending: String, Sendable { case succeeded, declined, cancelled, expired, unknown }

    package let title: String
    /// The scenario's name at the vendor's sandbox.
    package let scenario: String
    package let ending: Ending
    /// The number of times that money must have been taken.
    package let captures: Int
    /// The ledger's last event of the payment.
    package let lastEvent: LedgerStatus
    /// True if the payer takes no option.
    package let isRefused: Bool
    /// The end of the path, behind the payment's id, of the request whose answer is lost on its way back.
    package let lostAnswer: String?
    /// True if the link is paid a second time.
    package let isPaidTwice: Bool

    package init(
        _ title: String, _ scenario: some RawRepresentable<String>, _ ending: Ending, captures: Int,
        last lastEvent: LedgerStatus, isRefused: Bool = false, lostAnswer: String? = nil, isPaidTwice: Bool = false
    ) {
        self.title = title
        self.scenario = scenario.rawValue
        self.ending = ending
        self.captures = captures
        self.lastEvent = lastEvent
        self.isRefused = isRefused
        self.lostAnswer = lostAnswer
        self.isPaidTwice = isPaidTwice
    }
}

/// A text that a scanner or a deep link may bring, and the router's expected decision.
package struct SampleText: Sendable {
    /// The router's decision.
    package enum Decision: String, Sendable { case matched, recognized, rejected, unroutable }

    package let title: String
    package let text: String
    package let decision: Decision
    /// True if the link proves where it leads, or nil if it leads nowhere.
    package let isVerified: Bool?

    package init(_ title: String, _ text: String, _ decision: Decision, isVerified: Bool? = nil) {
        self.title = title
        self.text = text
        self.decision = decision
        self.isVerified = isVerified
    }
}

// MARK: - Secrets

/// The secrets that an application keeps, got with accounts.
package struct AccountSecrets: SecretStore {
    private let accounts: [(vendor: any SandboxVendor, account: VendorAccount)]
    private let transport: any HTTPTransport

    /// Creates the secrets of the accounts at the real services.
    package init(_ vendors: SandboxVendors, _ accounts: [ProviderID: VendorAccount], transport: any HTTPTransport) {
        self.accounts = vendors.list.compactMap { vendor in accounts[vendor.id].map { (vendor, $0) } }
        self.transport = transport
    }

    /// Creates the secrets of the accounts that the sandbox served at `sandbox` has.
    package init(_ vendors: SandboxVendors, sandbox: HTTPURL, transport: any HTTPTransport) {
        accounts = vendors.list.flatMap { vendor in vendor.accounts(at: sandbox).map { (vendor, $0) } }
        self.transport = transport
    }

    /// Returns a secret that one of the accounts gives, or nil for any other name.
    package func secret(_ name: String) async throws -> Redacted<String>? {
        for (vendor, account) in accounts {
            if let secret = try await vendor.secret(name, of: account, over: transport) { return secret }
        }
        return nil
    }
}
