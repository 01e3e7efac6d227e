import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTesting

/// Paykit's: a part of the Pubky network, with a user for each scenario.
struct PaykitSite: SandboxSite {
    let sandbox: PubkySandbox
    let provider: ProviderID = "paykit"
    let title = "Paykit"
    /// The homeserver takes every path that nobody else does, so that this site comes last.
    var tenants: [SharedAddress.Tenant] { [.init(sandbox, paths: PubkySandbox.paths)] }
    var ledger: SandboxLedger { get async { await sandbox.ledger } }
    var scenarios: [String] { PubkySandbox.Scenario.allCases.map(\.rawValue) }
    var verb: String { "inspect" }
    var hint: String? {
        "For an app: PubkyNetwork.sandbox(…) at this address; the homeserver is \(sandbox.homeserver), the relay of signed "
            + "packets below /pkarr, the HTTP relay of authorisations below /link and /inbox. Each link is a user's."
    }

    func payment(_ scenario: String, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = PubkySandbox.Scenario(rawValue: scenario) else { return nil }
        let user = await sandbox.createUser(scenario)
        return SandboxPayment(
            id: "\(user.key)", scenario: scenario.rawValue, summary: user.title, link: user.link)
    }
}
