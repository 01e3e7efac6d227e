import PaykitProvider
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting

/// Paykit's users, and bare texts of Bitcoin and Lightning that pay them.
struct PaykitSite: SandboxSite {
    /// What is paid without looking anybody up.
    private enum Text: String, CaseIterable {
        case invoice
        case bareInvoice = "bare-invoice"
        case bareAddress = "bare-address"

        var summary: String {
            switch self {
            case .invoice: "a link with an invoice"
            case .bareInvoice: "an invoice by itself"
            case .bareAddress: "an address on the chain, with an amount"
            }
        }
    }

    let sandbox: PubkySandbox
    let provider: ProviderID = "paykit"
    let title = "Paykit"
    var tenants: [SharedAddress.Tenant] { [.init(sandbox, paths: PubkySandbox.paths)] }
    var ledger: SandboxLedger { get async { await sandbox.ledger } }
    var scenarios: [String] {
        PubkySandbox.Scenario.allCases.map(\.rawValue) + Text.allCases.map(\.rawValue)
    }
    var hint: String? {
        "Money is simulated: invoices and addresses are of regtest, and no real funds move. For an app: "
            + "PubkyNetwork.sandbox(…) at this address; the homeserver is \(sandbox.homeserver), the relay of signed packets "
            + "below /pkarr, the HTTP relay of authorisations below /link and /inbox."
    }

    func listed(_ scenario: String) -> ListedScenario {
        if let text = Text(rawValue: scenario) {
            return ListedScenario(name: scenario, summary: text.summary, group: SandboxGroup.title("payable"))
        }
        let known = PubkySandbox.Scenario(rawValue: scenario)
        return ListedScenario(
            name: scenario, summary: known?.summary ?? "",
            group: SandboxGroup.title(known?.expectedOutcome.rawValue ?? ""))
    }

    func payment(_ scenario: String, at base: HTTPURL) async -> SandboxPayment? {
        if let text = Text(rawValue: scenario) { return await payment(text) }
        guard let scenario = PubkySandbox.Scenario(rawValue: scenario) else { return nil }
        let user = await sandbox.createUser(scenario)
        let isOpen = scenario.expectedOutcome == .payable && Self.openAmounts.contains(scenario)
        return SandboxPayment(
            id: user.key.text, scenario: scenario.rawValue, summary: scenario.summary, link: user.link,
            satoshi: isOpen ? 2100 : nil)
    }

    private static let openAmounts: Set<PubkySandbox.Scenario> = [
        .openAmount, .chainOnly, .emptyEndpoint, .expiredInvoice, .lightningAddress,
    ]

    private func payment(_ text: Text) async -> SandboxPayment? {
        let user = await sandbox.createUser(.ready)
        let invoice = await sandbox.createInvoice(2100, for: user.key)
        let address = await sandbox.file(at: "/pub/paykit.app/v0/onchain", of: user.key)
        switch text {
        case .invoice:
            return SandboxPayment(
                id: user.key.text, scenario: text.rawValue, summary: text.summary,
                link: "paykit:invoice?method=lightning&data=\(invoice)")
        case .bareInvoice:
            return SandboxPayment(
                id: user.key.text, scenario: text.rawValue, summary: text.summary,
                link: "lightning:\(invoice)")
        case .bareAddress:
            guard let address = address.flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
            return SandboxPayment(
                id: user.key.text, scenario: text.rawValue, summary: text.summary,
                link: "bitcoin:\(address)?amount=0.000021")
        }
    }
}
