import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

/// Quotes that callers of `payroute serve` have seen.
@Suite("serve: quotes")
struct ServeQuotesTests {
    @Test("The latest thousand are kept, each for its tenant")
    func kept() async throws {
        let quotes = ServeQuotes()
        let order = try ServeOrder(stored: ["link": "https://shop.example/order/7"])
        let quote = PaymentQuote(
            ProviderQuote(
                reference: PaymentReference(provider: "shop", id: "7"), payee: Payee(name: "The shop"), amount: nil,
                options: []))
        var ids: [String] = []
        for _ in 0..<1001 { ids.append(await quotes.keep(quote, order, of: "ann")) }
        #expect(await quotes.quote(ids[0], of: "ann") == nil)
        for id in ids.dropFirst() { #expect(await quotes.quote(id, of: "ann") != nil) }
        #expect(await quotes.quote(ids[1], of: "bob") == nil)
    }
}
