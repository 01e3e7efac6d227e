import PaykitProvider
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting
import PaymentTransport
import Synchronization

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

    /// What people are like who can be spoken to privately. Those who never answer would keep everybody waiting.
    private static let manners: [PubkySandbox.PeerManner] = [
        .ready, .unconfirming, .refuses, .anotherAmount, .anotherInvoice, .closesAtOnce, .nobodyListens,
    ]
    private static let privately = "private-"

    let sandbox: PubkySandbox
    private let doors = OpenDoors()

    init(sandbox: PubkySandbox) { self.sandbox = sandbox }

    let provider: ProviderID = "paykit"
    let title = "Paykit"
    var tenants: [SharedAddress.Tenant] { [.init(sandbox, paths: PubkySandbox.paths)] }
    var ledger: SandboxLedger { get async { await sandbox.ledger } }
    var office: (any BackOffice)? { sandbox }
    /// What payees ask for stands in what they have published.
    let takesAmounts = false
    var scenarios: [String] {
        PubkySandbox.Scenario.allCases.map(\.rawValue) + Text.allCases.map(\.rawValue)
            + Self.manners.map { Self.privately + $0.rawValue }
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
        if let manner = manner(scenario) {
            return ListedScenario(
                name: scenario, summary: Self.summary(manner), group: "Asked for an invoice over a private channel")
        }
        let known = PubkySandbox.Scenario(rawValue: scenario)
        return ListedScenario(
            name: scenario, summary: known?.summary ?? "",
            group: SandboxGroup.title(known?.expectedOutcome.rawValue ?? ""))
    }

    func payment(_ scenario: String, at base: HTTPURL) async -> SandboxPayment? {
        if let text = Text(rawValue: scenario) { return await payment(text) }
        if let manner = manner(scenario) { return await privatePayment(manner) }
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

    /// Somebody who can be asked privately as long as this site is there.
    private func privatePayment(_ manner: PubkySandbox.PeerManner) async -> SandboxPayment? {
        guard let peer = try? await sandbox.createPeer(manner, over: TCPTransport()) else { return nil }
        doors.keep(Task { await peer.run() })
        return SandboxPayment(
            id: peer.user.key.text, scenario: Self.privately + manner.rawValue,
            summary: Self.summary(manner), link: peer.user.link, isPrivate: true)
    }

    private func manner(_ scenario: String) -> PubkySandbox.PeerManner? {
        Self.manners.first { Self.privately + $0.rawValue == scenario }
    }

    private static func summary(_ manner: PubkySandbox.PeerManner) -> String { "asked privately, \(manner.summary)" }

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

/// What listens in the background, until nobody holds this any more.
private final class OpenDoors: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    func keep(_ task: Task<Void, Never>) { tasks.withLock { $0.append(task) } }

    deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }
}
