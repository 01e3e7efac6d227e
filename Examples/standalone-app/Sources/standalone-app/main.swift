import CitconProvider
import PaymentCore
import PaymentRouting
import PaymentTransport

// An application with one provider, written with nothing but the package: it needs libcurl, libcrypto and SQLite, and
// no other library. With the address of a sandbox and a link it requests a quote:
//
//     swift run standalone-app http://127.0.0.1:8080 'citcon:charge?…'

let words = Array(CommandLine.arguments.dropFirst())
let sandbox = words.first.map { $0 + "/v1/" }
let provider = CitconProvider(configuration: CitconConfiguration(endpoint: try CitconEndpoint(.UAT, baseURL: sandbox)))
let router = PaymentRouter(
    registry: try ProviderRegistry([provider]), transport: StandardTransport(), journal: InMemoryJournal())

if words.count == 2, case .matched(let route) = router.route(words[1]) {
    do {
        let quote = try await router.quote(route, as: Payer())
        print("\(quote.payee.name) asks for \(quote.amount?.description ?? "an open amount")")
        for option in quote.options { print("  \(option.title)") }
    } catch {
        print("no quote: \(error.message)")
    }
} else {
    for text in [
        "citcon:charge?token=t&method=alipay&reference=order-7&amount=1250&currency=USD&country=US&env=UAT",
        "https://shop.example/checkout/17",
    ] {
        print(text)
        print("  \(router.route(text).explanation)")
    }
}
