import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pays every sound text of two payment standards, without claiming a scheme or a host.
/// Run it with `swift run claim-a-standard`.
@main
struct ClaimAStandard {
    /// The example of BOLT 11, over 0.0025 bitcoin.
    static let invoice =
        "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyq"
        + "cyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06f"
        + "v3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh"

    /// A clock at the second in which that invoice was made: the invoice is valid for a minute.
    struct ThatDay: PaymentClock {
        private let difference = Date(timeIntervalSince1970: 1_496_314_658).timeIntervalSinceNow
        var now: Date { Date().addingTimeInterval(difference) }
        func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
    }

    static func main() async throws {
        let custodian = Custodian()
        let provider = CustodianProvider(service: try HTTPURL("https://custodian.example"))
        func router(_ service: Custodian, at clock: any PaymentClock) throws -> PaymentRouter {
            PaymentRouter(
                registry: try ProviderRegistry([provider]), transport: SandboxTransport(service),
                journal: InMemoryJournal(), readers: [StandardsReader()], clock: clock)
        }
        let thatDay = try router(custodian, at: ThatDay())
        let payer = Payer(policy: .first(upTo: [try Money(decimal: "0.01", currency: .satoshi, exponent: 8)]))
        let link = "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.0021&label=Coffee"
        let texts = [
            ("an invoice", invoice), ("the same as a link", "lightning:\(invoice)"),
            ("in capitals", invoice.uppercased()),
            ("with a typing mistake", invoice.replacing("2500u", with: "2600u")), ("a link of Bitcoin", link),
            ("without an amount", "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"),
            ("of another standard", "upi://pay?pa=shop@bank&am=1.00&cu=INR"),
        ]
        for (what, text) in texts {
            switch thatDay.route(text) {
            case .matched(let route): print("\(what): goes to \(route.provider)")
            case let other: print("\(what): \(other.explanation)")
            }
        }
        for (what, text) in [
            ("the invoice", invoice), ("the same as a link", "lightning:\(invoice)"), ("the link", link),
        ] {
            print("paying \(what): \(try await thatDay.pay(text, as: payer))")
        }
        // A payer who has paid nothing yet, years later.
        let today = try router(Custodian(), at: SystemPaymentClock())
        print("the invoice, today: \(try await today.pay(invoice, as: payer))")
        for payment in await custodian.sent.values.sorted(by: { $0.amount < $1.amount }) {
            print("the custodian has sent \(payment.amount) bitcoin")
        }
    }
}
