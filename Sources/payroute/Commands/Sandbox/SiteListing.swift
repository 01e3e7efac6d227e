import PaymentCore
import PaymentSandbox
import PaymentTesting

/// A site as the sandbox's home lists it.
struct SiteListing: ListedService {
    let site: any SandboxSite
    /// Whether what it shows when it is dishonest is listed, too.
    var showsLies = false

    var id: String { site.provider.rawValue }
    var title: String { site.title }
    var hint: String? { site.hint }
    var office: (any BackOffice)? { site.office }
    var takesAmounts: Bool { site.takesAmounts }
    var ledger: SandboxLedger { get async { await site.ledger } }
    var scenarios: [ListedScenario] { (site.scenarios + (showsLies ? site.lies : [])).map(site.listed) }

    func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        if let amount { return await site.payment(scenario, over: amount, at: base) }
        return await site.payment(scenario, at: base)
    }
}

/// How scenarios are put together on the page: by how they end for a payer who wants to pay.
enum SandboxGroup {
    static let dishonest = "Dishonest: nothing of it may be signed"

    static func title(_ outcome: String) -> String {
        switch outcome {
        case "paid": "Ends paid"
        case "declined": "Ends declined"
        case "expired": "Ends expired"
        case "cancelled": "Ends called off"
        case "pending": "Stays open"
        case "unknown", "error": "Nobody can tell at first"
        case "refused": "Refused before it begins"
        default: outcome.isEmpty ? "Scenarios" : "Ends \(outcome)"
        }
    }
}
