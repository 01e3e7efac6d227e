import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting
import PaymentTransport

/// One provider's simulated service as the command line serves and lists it. A new provider adds one here.
protocol SandboxSite: Sendable {
    /// The provider that pays at it.
    var provider: ProviderID { get }
    /// The service's name for people.
    var title: String { get }
    /// The service behind its paths.
    var tenants: [SharedAddress.Tenant] { get }
    /// What a merchant's server has to know to play its part; nil where there is nothing for it.
    var hint: String? { get }
    /// What happened so far.
    var ledger: SandboxLedger { get async }
    /// The names of what it can show.
    var scenarios: [String] { get }
    /// The names of what it shows when it is dishonest: nobody may sign or pay any of it.
    var lies: [String] { get }

    /// What else can be asked of it; nil where there is nothing.
    var office: (any BackOffice)? { get }

    /// Whether payments can be made over another amount than the scenario's own.
    var takesAmounts: Bool { get }

    /// What a scenario shows and how it ends.
    func listed(_ scenario: String) -> ListedScenario
    /// Makes a payment that behaves as the scenario of this name says, at a sandbox served at `base`.
    func payment(_ scenario: String, at base: HTTPURL) async -> SandboxPayment?
    /// Makes one over `amount`; nil also where a scenario's amount is its own.
    func payment(_ scenario: String, over amount: Money, at base: HTTPURL) async -> SandboxPayment?
}

extension SandboxSite {
    var hint: String? { nil }
    var lies: [String] { [] }
    var office: (any BackOffice)? { nil }
    var takesAmounts: Bool { true }
    func listed(_ scenario: String) -> ListedScenario {
        ListedScenario(name: scenario, summary: "", group: "Scenarios")
    }
    func payment(_ scenario: String, over amount: Money, at base: HTTPURL) async -> SandboxPayment? { nil }
}

/// The simulated services together, at one address.
struct SandboxSites {
    let all: [any SandboxSite]

    /// Every service.
    ///
    /// - Parameters:
    ///   - lifetime: how long payments can be paid, in seconds; nil for as long as at the real services.
    ///   - pace: when to ask again while a payment is open, in milliseconds.
    ///   - webhooks: where WalletConnect Pay's webhooks go, on this machine; nil for nowhere.
    ///   - clock: what the services go by.
    init(
        random: any RandomSource = SystemRandomSource(), lifetime: Int64? = nil, pace: Int64? = nil,
        webhooks: HTTPURL? = nil, clock: any PaymentClock = SystemPaymentClock()
    ) {
        var walletConnectPay = WalletConnectPaySandbox.Configuration()
        var citcon = CitconSandbox.Configuration()
        var payrails = PayrailsSandbox.Configuration()
        var pubky = PubkySandbox.Configuration()
        if let lifetime {
            pubky.invoiceLifetime = UInt64(max(0, lifetime))
            walletConnectPay.lifetime = lifetime
            citcon.chargeLifetime = lifetime
            payrails.tokenLifetime = lifetime
        }
        if let pace { walletConnectPay.pollInMs = pace }
        citcon.notifications = LocalTransport(base: StandardTransport())
        payrails.notificationTransport = LocalTransport(base: StandardTransport())
        if let webhooks {
            walletConnectPay.testWebhooks = .init(url: webhooks)
            walletConnectPay.liveWebhooks = .init(url: webhooks)
            walletConnectPay.webhookTransport = LocalTransport(base: StandardTransport())
        }
        all = [
            WalletConnectPaySite(sandbox: WalletConnectPaySandbox(walletConnectPay, clock: clock, random: random)),
            CitconSite(sandbox: CitconSandbox(citcon, clock: clock, random: random)),
            PayrailsSite(PayrailsSandbox(payrails, clock: clock, random: random), clock: clock, random: random),
            // Its homeserver answers for every path that is nobody else's.
            PaykitSite(sandbox: PubkySandbox(pubky, clock: clock, random: random)),
        ]
    }

    /// What answers for all of them.
    var service: SharedAddress { SharedAddress(all.flatMap(\.tenants)) }

    /// The services' names for people.
    var titles: String { all.map(\.title).joined(separator: ", ") }

    /// The service that `provider` pays at.
    subscript(provider: ProviderID) -> (any SandboxSite)? { all.first { $0.provider == provider } }
}

/// WalletConnect Pay's.
struct WalletConnectPaySite: SandboxSite {
    let sandbox: WalletConnectPaySandbox
    let provider: ProviderID = "walletconnect-pay"
    let title = "WalletConnect Pay"
    var tenants: [SharedAddress.Tenant] {
        // Refunds are a call of Citcon's, too; its credentials stand in another header field.
        let (header, paths) = WalletConnectPaySandbox.keyedPaths
        return [.init(sandbox, paths: WalletConnectPaySandbox.paths), .init(sandbox, paths: paths, header: header)]
    }
    var hint: String? {
        "For a server: the API key is \(WalletConnectPaySandbox.testKey.reveal()) or \(WalletConnectPaySandbox.liveKey.reveal()), "
            + "the merchant \(WalletConnectPaySandbox.merchantID); 'payroute sandbox new' makes a payment."
    }
    var ledger: SandboxLedger { get async { await sandbox.ledger } }
    var scenarios: [String] { WalletConnectPaySandbox.Scenario.allCases.map(\.rawValue) }
    var lies: [String] { WalletConnectPaySandbox.Lie.all.map(\.name) }
    var office: (any BackOffice)? { sandbox }

    func listed(_ scenario: String) -> ListedScenario {
        let known = WalletConnectPaySandbox.Scenario(rawValue: scenario)
        let lie = WalletConnectPaySandbox.Lie.all.first { $0.name == scenario }
        return ListedScenario(
            name: scenario, summary: known?.summary ?? lie?.summary ?? "",
            group: known.map { SandboxGroup.title($0.expectedOutcome.rawValue) } ?? SandboxGroup.dishonest)
    }

    func payment(_ scenario: String, over amount: Money, at base: HTTPURL) async -> SandboxPayment? {
        // Its scenarios are priced in dollars.
        guard amount.currency.description == "USD", let scenario = WalletConnectPaySandbox.Scenario(rawValue: scenario)
        else { return nil }
        return Self.payment(await sandbox.createPayment(scenario, cents: amount.minorUnits))
    }

    private static func payment(_ payment: WalletConnectPaySandbox.Payment) -> SandboxPayment {
        SandboxPayment(
            id: payment.id, scenario: payment.scenario.rawValue, summary: payment.scenario.summary, link: payment.link)
    }

    func payment(_ scenario: String, at base: HTTPURL) async -> SandboxPayment? {
        if let lie = WalletConnectPaySandbox.Lie.all.first(where: { $0.name == scenario }) {
            let payment = await sandbox.createPayment(telling: lie)
            return SandboxPayment(id: payment.id, scenario: lie.name, summary: lie.summary, link: payment.link)
        }
        guard let scenario = WalletConnectPaySandbox.Scenario(rawValue: scenario) else { return nil }
        return Self.payment(await sandbox.createPayment(scenario))
    }
}

/// Citcon's.
struct CitconSite: SandboxSite {
    let sandbox: CitconSandbox
    let provider: ProviderID = "citcon"
    let title = "Citcon"
    var tenants: [SharedAddress.Tenant] { [.init(sandbox, paths: CitconSandbox.paths)] }
    var ledger: SandboxLedger { get async { await sandbox.ledger } }
    var scenarios: [String] { CitconSandbox.Scenario.allCases.map(\.rawValue) }
    var office: (any BackOffice)? { sandbox }

    func listed(_ scenario: String) -> ListedScenario {
        let known = CitconSandbox.Scenario(rawValue: scenario)
        return ListedScenario(
            name: scenario, summary: known?.summary ?? "",
            group: SandboxGroup.title(known?.expectedOutcome.rawValue ?? ""))
    }
    var hint: String? {
        "For a server: the private key is \(CitconSandbox.privateKey.reveal()); notifications go to a urls.ipn on this "
            + "machine."
    }

    func payment(_ scenario: String, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = CitconSandbox.Scenario(rawValue: scenario) else { return nil }
        return Self.payment(await sandbox.createCharge(scenario))
    }

    func payment(_ scenario: String, over amount: Money, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = CitconSandbox.Scenario(rawValue: scenario) else { return nil }
        return await sandbox.createCharge(scenario, over: amount).map(Self.payment)
    }

    private static func payment(_ charge: CitconSandbox.Charge) -> SandboxPayment {
        SandboxPayment(
            id: charge.id, scenario: charge.scenario.rawValue, summary: charge.scenario.summary, link: charge.link)
    }
}

/// Payrails'.
struct PayrailsSite: SandboxSite {
    let sandbox: PayrailsSandbox
    /// A shop in front of it, with the library's checkout page.
    private let shop: PayrailsCheckout
    let provider: ProviderID = "payrails"
    let title = "Payrails"
    var tenants: [SharedAddress.Tenant] { [.init(shop, paths: PayrailsSandbox.paths)] }
    var ledger: SandboxLedger { get async { await sandbox.ledger } }
    var scenarios: [String] { PayrailsSandbox.Scenario.allCases.map(\.rawValue) }
    var office: (any BackOffice)? { sandbox }

    init(_ sandbox: PayrailsSandbox, clock: any PaymentClock, random: any RandomSource) {
        self.sandbox = sandbox
        shop = PayrailsCheckout(sandbox, clock: clock, random: random)
    }

    func listed(_ scenario: String) -> ListedScenario {
        let known = PayrailsSandbox.Scenario(rawValue: scenario)
        return ListedScenario(
            name: scenario, summary: known?.summary ?? "",
            group: SandboxGroup.title(known?.expectedOutcome.rawValue ?? ""))
    }
    var hint: String? {
        let known = PayrailsSandbox.Configuration()
        return "For a server: the client id is \(known.clientID), its secret \(known.clientSecret.reveal()); "
            + "meta.sandboxScenario chooses a scenario."
    }

    func payment(_ scenario: String, at base: HTTPURL) async -> SandboxPayment? {
        await payment(scenario, amount: nil, at: base)
    }

    func payment(_ scenario: String, over amount: Money, at base: HTTPURL) async -> SandboxPayment? {
        await payment(scenario, amount: amount, at: base)
    }

    private func payment(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = PayrailsSandbox.Scenario(rawValue: scenario) else { return nil }
        let session = await sandbox.createSession(scenario, amount: amount, base: base)
        return SandboxPayment(
            id: session.id, scenario: scenario.rawValue, summary: scenario.summary, link: session.link,
            isTrusted: false)
    }
}
