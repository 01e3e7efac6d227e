import BitcoinProvider
import Foundation
import PaymentCore
import PaymentRouting
import PaymentSettlement
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaymentStandards

/// Names of BIP-353, paid over real records of the DNS with real signatures.
@Suite("Payments to names")
struct NamePaymentTests {
    /// A settler that pays everything at once, and keeps what it was asked for.
    private final class Settler: PaymentSettler {
        private let orders = Mutex<[Settlement]>([])
        private let registered = Mutex<Set<String>>([])
        private let kinds: Set<SettlementEndpoint.Kind>
        let name = "orders"

        init(_ kinds: Set<SettlementEndpoint.Kind> = [.bolt12Offer, .bitcoinAddress]) { self.kinds = kinds }

        var payments: [Settlement] { orders.withLock { $0 } }

        func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

        func register(_ name: String) async throws { registered.withLock { _ = $0.insert(name) } }

        func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { kinds.contains(kind) }

        private func order(_ settlement: Settlement) -> SettlementOrder {
            let proof: SettlementProof =
                settlement.endpoint.kind.isLightning
                ? .preimage(String(repeating: "07", count: 32)) : .transaction(String(repeating: "ab", count: 32))
            return SettlementOrder(
                name: settlement.key, endpoint: settlement.endpoint, amount: settlement.amount, state: .settled(proof))
        }

        func order(named name: String) async throws -> SettlementOrder? {
            if let order = payments.first(where: { $0.key == name }).map(order) { return order }
            guard registered.withLock({ $0.contains(name) }) else { return nil }
            return SettlementOrder(name: name, endpoint: nil, amount: nil, state: .registered)
        }

        func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? { nil }

        func settle(_ settlement: Settlement) async throws -> SettlementState {
            orders.withLock { if !$0.contains(where: { $0.key == settlement.key }) { $0.append(settlement) } }
            return order(settlement).state
        }

        func abandon(_ name: String) async throws -> SettlementState { .nothingSent(reason: nil) }
    }

    private static let time = Date(timeIntervalSince1970: 1_754_500_000)
    private static let (onChain, both) = (
        "₿override.x_domain_cname_wild@dnssec_proof_tests.bitcoin.ninja",
        "₿a.x_domain_cname_wild@dnssec_proof_tests.bitcoin.ninja"
    )
    /// As the record has it; settlers see it in its canonical form.
    private static let address = "BC1QYYQ734DCNHHCWYW8YJXSWXG4P7K9NXU0QT84QZ"
    private let journal = InMemoryJournal()
    private let settler = Settler()
    private let clock = VirtualClock(Self.time)

    private static func proofs(_ list: String = "valid") throws -> [[UInt8]] {
        let file = try JSONValue(parsing: Array(Vectors.data("lib-bip353-dns")))
        return (file[list]?.array ?? []).compactMap { $0["input"]?["proof"]?.string.flatMap { Hex.decode($0) } }
    }

    private func router(_ server: NameServer, _ names: (any PayeeNameResolver)? = nil) throws -> PaymentRouter {
        let resolver = DNSResolver(try HTTPURL(service: "https://dns.example/dns-query"))
        let provider = BitcoinProvider(reader: StandardsReader(), names: resolver)
        let other = names.map { BitcoinProvider(reader: StandardsReader(), names: $0) }
        return try PaymentRouter(
            other ?? provider, over: server, journal: journal, clock: clock, readers: [StandardsReader()])
    }

    private func payer(_ satoshi: UInt128 = 1000, _ settler: Settler? = nil) throws -> Payer {
        let amount = try Money(minorUnits: satoshi, currency: .satoshi)
        return Payer(
            policy: .firstWhateverItCosts, settler: settler ?? self.settler, amountChooser: { _ in amount })
    }

    @Test("A name is a payee, whatever its letters' case, where names are looked up, and nothing to pay elsewhere")
    func recognized() throws {
        let router = try router(NameServer([]))
        for text in ["₿ann@pay.example", "₿Ann@PAY.example"] {
            guard case .matched(let route) = router.route(text) else { throw PaymentError(.unroutable, text) }
            #expect(route.match.subject == .payee("₿ann@pay.example") && !route.holdsSecret)
        }
        #expect(router.registry.descriptors.map(\.outboundHosts) == [["dns.example"]])
        let without = try PaymentRouter(
            BitcoinProvider(reader: StandardsReader()), over: NoNetwork(), readers: [StandardsReader()])
        guard case .recognized = without.route("₿ann@pay.example") else { throw PaymentError(.unroutable, "") }
        #expect(without.registry.descriptors.map(\.outboundHosts) == [[]])
        // An address of Lightning stays one.
        guard case .matched(let route) = router.route("lightning:ann@pay.example") else {
            throw PaymentError(.unroutable, "")
        }
        #expect(route.match.reference == "ann@pay.example")
    }

    @Test("A name is looked up, proved and paid at the address of its link")
    func paid() async throws {
        let server = NameServer(try Self.proofs())
        let router = try router(server)
        guard case .matched(let route) = router.route(Self.onChain) else { throw PaymentError(.unroutable, "") }
        let quote = try await router.quote(route, as: payer())
        // The name is proved, and nothing else is said of the payee.
        #expect(quote.payee == Payee(name: Self.onChain, id: Self.onChain))
        #expect(quote.options.map(\.id) == ["bitcoin-address"] && settler.payments.isEmpty)
        #expect(quote.options[0].expiresAt == Self.time + 600)
        let outcome = try await router.pay(quote, option: "bitcoin-address", as: payer())
        guard case .succeeded = outcome else { throw PaymentError(.integrity, "\(outcome)") }
        #expect(settler.payments.map(\.endpoint.text) == [Self.address.lowercased()])
        #expect(settler.payments.map(\.amount.minorUnits) == [1000])
        // The payment goes to the endpoint that the payer saw, without another question.
        #expect(server.requests.allSatisfy { $0.url.host == "dns.example" } && server.requests.count <= 12)
    }

    @Test("Lightning comes first, and the address where the wallet pays no offers")
    func lightning() async throws {
        let router = try router(NameServer(try Self.proofs()))
        guard case .matched(let route) = router.route(Self.both) else { throw PaymentError(.unroutable, "") }
        let quote = try await router.quote(route, as: payer())
        #expect(quote.options.map(\.id) == ["bolt12-offer", "bitcoin-address"])
        _ = try await router.pay(Self.both, as: payer())
        #expect(settler.payments.map(\.endpoint.kind) == [.bolt12Offer])
        #expect(settler.payments[0].endpoint.text.hasPrefix("lno1"))
        let chain = Settler([.bitcoinAddress])
        _ = try await router.pay(Self.both, as: payer(5, chain))
        #expect(chain.payments.map(\.endpoint.text) == ["bc1qztwy6xen3zdtt7z0vrgapmjtfz8acjkfp5fp7l"])
    }

    @Test("Each payment to a name is a new one, and looks it up again")
    func again() async throws {
        let server = NameServer(try Self.proofs())
        let router = try router(server)
        _ = try await router.pay(Self.onChain, as: payer())
        let count = server.requests.count
        _ = try await router.pay(Self.onChain, as: payer())
        #expect(Set(settler.payments.map(\.key)).count == 2 && server.requests.count == 2 * count)
    }

    @Test("What is quoted can be paid for ten minutes")
    func late() async throws {
        let router = try router(NameServer(try Self.proofs()))
        guard case .matched(let route) = router.route(Self.onChain) else { throw PaymentError(.unroutable, "") }
        let quote = try await router.quote(route, as: payer())
        clock.advance(by: .seconds(601))
        let outcome = try? await router.pay(quote, option: "bitcoin-address", as: payer())
        if case .succeeded? = outcome { Issue.record("an old quote was paid") }
        #expect(settler.payments.isEmpty)
    }

    @Test("An invoice in a name's link can be paid for as long as it and the link's proof are valid")
    func invoice() async throws {
        // Valid for a minute.
        let invoice = [
            "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfq",
            "qqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp",
            "53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh",
        ].joined()
        let time = Date(timeIntervalSince1970: 1_496_314_660)
        for (seconds, expected) in [(600.0, Date(timeIntervalSince1970: 1_496_314_718)), (30, time + 30)] {
            let names = Believer(link: "bitcoin:?lightning=\(invoice)", seconds: seconds)
            let provider = BitcoinProvider(reader: StandardsReader(), names: names)
            let router = try PaymentRouter(
                provider, over: NoNetwork(), journal: journal, clock: VirtualClock(time), readers: [StandardsReader()])
            guard case .matched(let route) = router.route("₿ann@pay.example") else {
                throw PaymentError(.unroutable, "")
            }
            let quote = try await router.quote(route, as: payer(250_000, Settler([.bolt11])))
            #expect(quote.options.map(\.expiresAt) == [expected])
        }
    }

    @Test("A payer who states no amount pays nothing")
    func declined() async throws {
        let router = try router(NameServer(try Self.proofs()))
        let payer = Payer(policy: .firstWhateverItCosts, settler: settler, amountChooser: { _ in nil })
        guard case .cancelled = try await router.pay(Self.onChain, as: payer) else {
            throw PaymentError(.integrity, "")
        }
        let silent = Payer(policy: .firstWhateverItCosts, settler: settler)
        let error = await #expect(throws: PaymentError.self) { try await router.pay(Self.onChain, as: silent) }
        #expect(error?.code == .noChooser && settler.payments.isEmpty)
    }

    @Test("A dishonest resolver, one that is silent, and a name without a proof lead to no payment")
    func refused() async throws {
        let (valid, invalid) = (try Self.proofs(), try Self.proofs("invalid"))
        let forged: [UInt8] = [12] + Array("bitcoin:bc1q".utf8)
        let servers: [(server: NameServer, text: String)] = [
            (NameServer([]), Self.onChain),
            (NameServer(valid, change: { $0.answers.removeAll { $0.type == 46 } }), Self.onChain),
            (
                NameServer(
                    valid,
                    change: { answer in
                        for index in answer.answers.indices where answer.answers[index].type == 16 {
                            answer.answers[index].data = forged
                        }
                    }), Self.onChain
            ),
            (NameServer(valid, change: { $0.status = 302 }), Self.onChain),
            (NameServer(valid, change: { $0.code = 2 }), Self.onChain),
            (NameServer(valid, change: { $0.authorities = [] }), Self.both),
            (NameServer(invalid), "₿invalid@dnssec_proof_tests.bitcoin.ninja"),
            (NameServer(invalid), Self.both),
        ]
        for (server, text) in servers {
            let router = try router(server)
            await #expect(throws: PaymentError.self) { try await router.pay(text, as: payer()) }
        }
        // The signatures have run out.
        clock.advance(by: .seconds(400 * 86_400))
        let router = try router(NameServer(valid))
        await #expect(throws: PaymentError.self) { try await router.pay(Self.onChain, as: payer()) }
        #expect(settler.payments.isEmpty)
    }

    /// A resolver that proves any link.
    private struct Believer: PayeeNameResolver {
        let host = "dns.example"
        let link: String
        var seconds = 600.0

        func link(
            of name: PaymentLink, over transport: any HTTPTransport, clock: any PaymentClock
        ) async throws(PaymentError) -> ProvedLink {
            ProvedLink(text: link, expiresAt: clock.now + seconds)
        }
    }

    @Test("A proved link that nothing can pay is an error, and its label is not the payee's name")
    func links() async throws {
        for link in ["bitcoin:?sp=sp1q", "bitcoin:bc1qnothing", "bitcoin:?lightning=lnbc1", "mailto:ann@pay.example"] {
            let router = try router(NameServer([]), Believer(link: link))
            let error = await #expect(throws: PaymentError.self, "\(link)") {
                try await router.pay("₿ann@pay.example", as: payer())
            }
            #expect(error?.code == .unusableOption && settler.payments.isEmpty)
            #expect(error?.message.hasPrefix("the name is proved, but") == true)
        }
        let router = try router(NameServer([]), Believer(link: "bitcoin:\(Self.address)?label=Bob&amount=0.00000021"))
        guard case .matched(let route) = router.route("₿Ann@pay.example") else { throw PaymentError(.unroutable, "") }
        let quote = try await router.quote(route, as: payer())
        #expect(quote.payee == Payee(name: "₿Ann@pay.example", id: "₿ann@pay.example"))
        #expect(quote.amount?.minorUnits == 21 && quote.options.count == 1)
        // The same offer in both places where links have one.
        let proved = try BIP353Proof(try Self.proofs()[1], at: Self.time).link
        let offer = try #require(proved.split(separator: "=").last)
        let twice = try self.router(NameServer([]), Believer(link: "bitcoin:?lightning=\(offer)&lno=\(offer)"))
        guard case .matched(let other) = twice.route("₿ann@pay.example") else { throw PaymentError(.unroutable, "") }
        #expect(try await twice.quote(other, as: payer()).options.map(\.id) == ["bolt12-offer"])
    }
}
