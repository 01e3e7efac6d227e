import Foundation
import PaymentCore
import PaymentSettlement
import PaymentTesting
import TestSupport
import Testing

/// The options that a payer is offered for the endpoints of a payee.
@Suite("Quotes of endpoints")
struct SettlementQuoteTests {
    private typealias Offers = [(id: String, title: String, offer: SettlementOffer)]

    private let clock = VirtualClock()
    private static let reference = PaymentReference(provider: "acme", id: "p1")
    private static let payee = Payee(name: "Mina")
    private static let (fixed, other) = (Money.cents(2100, .satoshi), Money.cents(500, .satoshi))

    private static func endpoint(_ text: String) -> SettlementEndpoint {
        SettlementEndpoint(.lightningAddress, text: text, network: "mainnet")
    }

    private func offer(
        _ id: String, _ amount: PaymentInstruction.Amount, for seconds: TimeInterval? = nil
    ) -> (id: String, title: String, offer: SettlementOffer) {
        let end = seconds.map { clock.now.addingTimeInterval($0) }
        return (id, "pay \(id)", SettlementOffer(endpoint: Self.endpoint(id), amount: amount, expiresAt: end))
    }

    private func quote(
        _ offers: Offers, payeeID: String? = nil, _ chooser: Payer.AmountChooser? = nil
    ) async throws -> ProviderQuote {
        let context = ProviderContext.unstored(
            hosts: [], http: RecordingTransport(), payer: Payer(amountChooser: chooser), clock: clock)
        return try await SettlementFlow.quote(
            offers, of: Self.reference, payee: Self.payee, payeeID: payeeID, in: context)
    }

    private func code(_ offers: Offers, _ chooser: Payer.AmountChooser? = nil) async throws -> PaymentError.Code? {
        await #expect(throws: PaymentError.self) { try await quote(offers, chooser) }?.code
    }

    @Test("Each endpoint that states its amount is an option with all that is needed to pay it")
    func options() async throws {
        let quote = try await quote([offer("a", .fixed(Self.fixed), for: 60), offer("b", .fixed(Self.fixed))])
        #expect(quote.reference == Self.reference && quote.payee == Self.payee && quote.amount == Self.fixed)
        let option = try #require(quote.options.first)
        #expect(quote.options.map(\.id) == ["a", "b"] && option.title == "pay a" && option.amount == Self.fixed)
        #expect(option.needs == [.settlement(.lightningAddress, network: "mainnet")])
        #expect(option.expiresAt == clock.now.addingTimeInterval(60) && quote.options[1].expiresAt == nil)
        #expect(try option.providerData?["endpoint"]?.decode(SettlementEndpoint.self) == Self.endpoint("a"))
        #expect(SettlementFlow.payee(of: option) == nil)
        let named = try await self.quote([offer("a", .fixed(Self.fixed))], payeeID: "mina")
        #expect(named.options.map(SettlementFlow.payee) == ["mina"])
        let two = try await self.quote([offer("a", .fixed(Self.fixed)), offer("b", .fixed(Self.other))])
        #expect(two.amount == nil && two.options.map(\.amount) == [Self.fixed, Self.other])
    }

    @Test("What is over at this time is not offered, and where all is, a new demand is needed")
    func over() async throws {
        let offers = [offer("a", .fixed(Self.fixed), for: 0), offer("b", .fixed(Self.fixed), for: 1)]
        #expect(try await quote(offers).options.map(\.id) == ["b"])
        let error = await #expect(throws: PaymentError.self) { try await quote(Array(offers.prefix(1))) }
        #expect(error?.code == .unusableOption && error?.phase == .answered)
        #expect(error?.message.hasPrefix("every invoice is over") == true)
    }

    @Test("The payer states an open amount once, and only endpoints that take it are offered")
    func open() async throws {
        let requests = Collected<AmountRequest>()
        let chooser: Payer.AmountChooser = { request in
            requests.add(request)
            return Self.other
        }
        let all = [
            offer("a", .open), offer("b", .fixed(Self.fixed)), offer("c", .fixed(Self.other)),
            offer("d", .minimum(Self.other)), offer("e", .minimum(Self.fixed)), offer("f", .onService),
            offer("g", .uncounted(digits: "1", unit: "x")),
        ]
        let quote = try await quote(all, chooser)
        #expect(quote.options.map(\.id) == ["a", "c", "d", "f"] && quote.amount == Self.other)
        #expect(requests.all.map(\.suggested) == [Self.fixed] && requests.all.map(\.minimum) == [nil])
        #expect(requests.all.map(\.payee) == [Self.payee] && requests.all.map(\.currency) == [.satoshi])
        #expect(
            try await code([offer("a", .open), offer("b", .minimum(Self.fixed))].suffix(1), chooser) == .unusableOption)
    }

    @Test("The payer learns the least amount of a single endpoint, and what is suggested")
    func requests() async throws {
        for (amounts, minimum, suggested) in [
            ([.minimum(Self.fixed)], Self.fixed, Self.fixed), ([.suggested(Self.fixed)], nil, Self.fixed),
            ([.minimum(Self.fixed), .open], nil, Self.fixed),
            ([.minimum(Self.fixed), .minimum(Self.other)], nil, Self.fixed),
            ([.suggested(Self.other), .suggested(Self.fixed)], nil, Self.other),
            ([.suggested(Self.other), .fixed(Self.fixed), .fixed(Self.other)], nil, Self.fixed),
            ([.onService], nil, nil),
        ] as [([PaymentInstruction.Amount], Money?, Money?)] {
            let requests = Collected<AmountRequest>()
            let offers = amounts.enumerated().map { offer("\($0.offset)", $0.element) }
            _ = try await quote(offers) { request in
                requests.add(request)
                return Self.fixed
            }
            #expect(
                requests.all == [
                    AmountRequest(payee: Self.payee, currency: .satoshi, minimum: minimum, suggested: suggested)
                ])
        }
    }

    @Test("A payer who states no amount has cancelled; without a chooser only stated amounts are offered")
    func noAmount() async throws {
        let declined = try await quote([offer("a", .open)]) { _ in nil }
        #expect(declined.report == .cancelled && declined.options.isEmpty && declined.amount == nil)
        #expect(try await code([offer("a", .open)]) == .noChooser)
        let stated = try await quote([offer("a", .open), offer("b", .fixed(Self.fixed))])
        #expect(stated.options.map(\.id) == ["b"])
        #expect(try await code([offer("a", .uncounted(digits: "1", unit: "x"))]) == .unusableOption)
    }

    @Test("An amount of nothing or in another currency is the payer's error, as is a chooser that fails")
    func odd() async throws {
        struct Failure: Error {}
        let offers = [offer("a", .open)]
        #expect(try await code(offers) { _ in .cents(0, .satoshi) } == .payer)
        #expect(try await code(offers) { _ in .cents(5) } == .payer)
        #expect(try await code(offers) { _ in throw Failure() } == .payer)
        #expect(try await code(offers) { _ in throw CancellationError() } == .cancelled)
        #expect(try await quote(offers) { _ in .cents(1, .satoshi) }.amount == .cents(1, .satoshi))
    }
}
