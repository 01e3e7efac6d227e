import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import PaymentTransport

/// An application's provider over loopback HTTP: paid once though an answer is lost, and refunded in part, once.
/// Run it with `swift run own-provider`.
@main
struct OwnProvider {
    static func main() async throws {
        let house = TeaHouse()
        let faults = FaultInjector(house)
        let server = try LoopbackServer(faults)
        defer { server.stop() }

        let provider = TeaProvider(service: server.baseURL, key: Redacted(TeaHouse.key))
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: StandardTransport(), journal: InMemoryJournal())
        let payer = Payer(policy: .first(upTo: [try Money(decimal: "5.00", currency: .eur)]))
        let link = "https://tea.example/order/7"

        guard case .matched(let route) = router.route(link) else { return print(router.route(link).explanation) }
        let quote = try await router.quote(route, as: payer)
        print("\(quote.payee.name) wants \(quote.amount?.description ?? "something")")

        // The charge arrives, and its answer is lost.
        faults.inject(.dropAfter) { method, path in method == "POST" && path.hasSuffix("/charge") }
        print("paying: \(try await router.pay(link, as: payer))")
        print("paying again: \(try await router.pay(link, as: payer))")
        let requests = faults.requests.count { $0.path.hasSuffix("/charge") }
        print("\(requests) requests to charge, \(await house.charges.count) charge")

        let half = RefundRequest(
            of: quote.reference, amount: try Money(decimal: "2.40", currency: .eur), id: "credit-1")
        for _ in 0..<2 {
            guard case .succeeded = try await router.refund(half) else { continue }
            print("refund of \(half.amount): done")
        }
        print("refunded: \(await house.refunds.values.reduce(0, +)) cents")

        let empty = TeaHouse(.declined)
        let other = try LoopbackServer(empty)
        defer { other.stop() }
        let refused = PaymentRouter(
            registry: try ProviderRegistry([TeaProvider(service: other.baseURL, key: Redacted(TeaHouse.key))]),
            transport: StandardTransport(), journal: InMemoryJournal())
        print("without credit: \(try await refused.pay(link, as: payer))")
    }
}
