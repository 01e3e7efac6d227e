import PaymentCore
import PaymentTesting
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// A payee's endpoints for paying a request (Protocol 12.9).
@Suite("Ways to pay requests over private links, by a router", .timeLimit(.minutes(5)))
struct RoutedOfferTests {
    @Test("An invoice that was paid before pays no second request")
    func sameInvoice() async throws {
        let world = try await RequestWorld()
        let invoice = await world.invoice(2100)
        let process = try world.process()
        let first = try await world.ask(for: "tea", at: [invoice])
        #expect(isPaid(await process.pay(try world.link(first))))
        let second = try await world.ask(for: "cake", at: [invoice])
        #expect(code(await process.pay(try world.link(second))) == .unusableOption)
        #expect(try await world.proofs(second).isEmpty)
        #expect(await world.captures == 1)
        try await world.offer(await world.invoice(2100))
        #expect(isPaid(await process.pay(try world.link(second))))
        #expect(await world.captures == 2)
    }

    @Test("An invoice that the payer has paid elsewhere pays no request, whatever is kept of the link")
    func paidElsewhere() async throws {
        let world = try await RequestWorld()
        let invoice = await world.invoice(2100)
        _ = try await world.sandbox.pay(invoice.endpoint)
        let id = try await world.ask(at: [invoice])
        #expect(code(await (try world.process()).pay(try world.link(id))) == .unusableOption)
        #expect(world.settled.isEmpty)
        #expect(try await world.proofs(id).isEmpty)
    }

    @Test("A list is used up by one payment, whatever else is in it")
    func usedList() async throws {
        let world = try await RequestWorld()
        let address = PaykitEndpoint(
            methodID: "btc-regtest-p2wpkh", endpoint: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080")
        let first = try await world.ask(at: [await world.invoice(2100), address])
        let process = try world.process()
        #expect(isPaid(await process.pay(try world.link(first))))
        let terms = PaymentTerms(
            try PrivateLinkAmount("0.000021", "btc"), reference: "cake",
            identifiers: [RequestWorld.bolt11, "btc-regtest-p2wpkh"].compactMap { PaykitIdentifier($0) })
        let second = try await world.payee.flow.ask(for: terms, at: nil, world.asPayee)
        try await world.deliver()
        #expect(code(await process.pay(try world.link(second))) == .unusableOption)
        #expect(world.settled.count == 1)
    }

    @Test("An invoice over another amount, or of another network, is not paid")
    func otherAmount() async throws {
        let world = try await RequestWorld()
        let process = try world.process()
        let dear = try await world.ask(2100, at: [await world.invoice(2101)])
        #expect(code(await process.pay(try world.link(dear))) == .unusableOption)
        #expect(world.settled.isEmpty)
        #expect(try await world.phase(dear) == .proposed)
    }

    @Test("Another way to pay that arrives while the payer chooses is not taken for the chosen one")
    func changed() async throws {
        let (world, _, link) = try await RequestWorld.asked()
        let process = try world.process()
        let chosen = try await process.choose(link)
        try await world.offer(await world.invoice(2100))
        #expect(code(await process.pay(chosen)) == .optionChanged)
        #expect(world.settled.isEmpty)
        #expect(isPaid(await process.pay(link)))
        #expect(await world.captures == 1)
    }
}
