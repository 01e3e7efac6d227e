import PaymentCore
import PaymentTesting
import PayrailsProvider
import PayrailsSandbox
import Synchronization
import Testing

@Suite("Payrails, probed as every provider is")
struct ConformanceTests {
    private static let secret = "canary-4f1c9e"

    @Test("It conforms, whatever is paid with", arguments: ["stored", "card", "payPal", "redirect"])
    func provider(option: String) async {
        let report = await ProviderConformance.check(Self.subject(paying: option))
        #expect(report.isComplete, "\(report)")
    }

    /// - Parameter pays: the beginning of the option's id that is chosen.
    private static func subject(paying option: String = "stored") -> ConformanceSubject {
        let card = [
            "card_number": "4111111111111111", "expiry_month": "12", "expiry_year": "2040", "security_code": "737",
        ]
        // The pages belong to the backend, which does not exist yet.
        let browsers = Mutex<Payer.Browser?>(nil)
        let payer = Payer(
            chooser: { quote in quote.options.first { $0.id.hasPrefix(option) }?.id },
            dataCollector: { _ in card.mapValues { Redacted($0) } },
            browser: { page in try await browsers.withLock { $0 }?(page) })
        return ConformanceSubject(
            PayrailsProvider(), capabilities: [.completesRedirects], payer: payer,
            canaries: ["4111111111111111", "ada@example.com", "eyJhbGciOiJSUzI1NiIs"]
        ) { behaviour, clock, random in
            var pace = PayrailsSandbox.Configuration()
            // An interrupted request to pay is never sent again: the shop cancels the order.
            pace.abandonedAfter = .seconds(1200)
            let sandbox = PayrailsSandbox(pace, clock: clock, random: random)
            browsers.withLock { $0 = PayrailsSandbox.payer(transport: DirectTransport(service: sandbox)).browser }
            let session = await sandbox.createSession(behaviour == .payable ? .challenge : .neverSettles)
            let other = await sandbox.createSession(.paid)
            let page = "https://assets.payrails.io/html/payrails"
            let redirect = "https://api-pub.payrails.io/public/redirect/merchant/m"
            return ConformanceSubject.Backend(
                link: session.link, services: ["api-pub.payrails.io": sandbox],
                returns: ConformanceSubject.Returns(
                    own: ["success", "cancel", "error"].map { "\(page)-\($0).html" } + [
                        "\(redirect)/\(session.id)/success"
                    ],
                    others: ["\(redirect)/\(other.id)/success", "\(page)-success.html?executionId=\(other.id)"])
            ) {
                await sandbox.ledger.events(of: session.id).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    let price = amount.split(separator: " ").first.flatMap {
                        try? Money(decimal: String($0), currency: .eur)
                    }
                    return .some(price?.minorUnits)
                }
            }
        }
    }
}
