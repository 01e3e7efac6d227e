import BitcoinSandbox
import BitcoinWallets
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

/// The wallets' requests and the simulated nodes' answers against the facts of the published interfaces. Every test
/// that has a `WalletBench` checks them as they pass; these play everything, and prove that the check is sharp.
@Suite("Wallets and their published interfaces")
struct WalletFactTests {
    private typealias Face = SimulatedNode.Face

    /// Plays every behaviour of a node with every loss, and returns what reached the node, each once.
    private static func everything(_ face: Face) async throws -> [WalletTraffic.Exchange] {
        var exchanges: [WalletTraffic.Exchange] = []
        let losses: [FaultInjector.Fault?] = [nil, .dropBefore, .dropAfter, .status(502, body: "<html>")]
        for scenario in NodeScenario.allCases {
            for loss in losses {
                let bench = try await WalletBench(face)
                bench.node.scenario = scenario
                if let loss { bench.faults.inject(loss, when: WalletBench.isOrder) }
                let settlement = try bench.settlement()
                _ = try? await bench.settler.settle(settlement)
                _ = try? await bench.settler.order(paying: settlement.endpoint)
                // Another program of the same wallet.
                _ = await bench.wallet.pay(invoice(settlement.endpoint.text))
                bench.clock.advance(by: .seconds(90_000))
                _ = try? await bench.settler.state(of: settlement)
                exchanges += bench.traffic.exchanges
            }
        }
        let poor = try await WalletBench(face)
        poor.node.balance = 20_000
        _ = try? await poor.settler.settle(poor.settlement())
        let open = try await WalletBench(face)
        _ = try? await open.settler.settle(open.settlement("a", open.node.invoice(nil)))
        let strange = try await WalletBench(face, key: "another")
        _ = try? await strange.settler.settle(strange.settlement())
        _ = await strange.wallet.pay(invoice("lnbcrt1"))
        let lost = try await WalletBench(face)
        _ = try? await lost.wallet.objection(to: invoice("lnbcrt1"))
        _ = await lost.wallet.pay(invoice("lnbcrt1"))
        let others = try await WalletBench(face)
        await Self.playOffersAndChain(others)
        for bench in [poor, open, strange, lost, others] { exchanges += bench.traffic.exchanges }
        var seen: Set<[[UInt8]]> = []
        return exchanges.filter { exchange in
            let place = "\(exchange.request.method.rawValue) \(exchange.request.url.text) \(exchange.response.status)"
            return seen.insert([Array(place.utf8), exchange.request.body, exchange.response.body]).inserted
        }
    }

    /// Plays what some wallets pay beside invoices.
    private static func playOffersAndChain(_ bench: WalletBench) async {
        guard let amount = try? Money(minorUnits: 2100, currency: .satoshi), let offer = try? bench.node.offer(nil)
        else {
            return
        }
        let address = SettlementEndpoint(
            .bitcoinAddress, text: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", network: "regtest")
        let offered = SettlementEndpoint(.bolt12Offer, text: offer.text)
        _ = try? await bench.settler.settle(Settlement(key: "a", endpoint: offered, amount: amount))
        _ = try? await bench.settler.settle(Settlement(key: "b", endpoint: address, amount: amount))
        bench.node.chain.fee = 1_000_000
        _ = try? await bench.settler.settle(Settlement(key: "c", endpoint: address, amount: amount))
        bench.node.chain.fee = 100_000
        _ = try? await bench.settler.settle(Settlement(key: "d", endpoint: address, amount: amount))
    }

    private static func invoice(_ text: String, feeLimit: UInt64 = 10_000) -> WalletInvoice {
        WalletInvoice(
            text: text, paymentHash: String(repeating: "ab", count: 32), amount: 21_000, isAmountless: false,
            feeLimit: feeLimit)
    }

    /// The statuses with which each node answers.
    private static let statuses: [SimulatedNode.Face: Set<Int>] = [
        .lnbits: [200, 201, 400, 404, 520], .lnd: [200, 404, 409, 500], .coreLightning: [201, 401, 500],
        .phoenixd: [200, 400, 401, 404],
    ]
    /// The statuses of payments.
    private static let words: [SimulatedNode.Face: Set<String>] = [
        .lnbits: ["pending", "success", "failed"], .lnd: ["IN_FLIGHT", "SUCCEEDED", "FAILED"],
        .coreLightning: ["pending", "complete", "failed"], .phoenixd: [],
    ]

    @Test("Every call of every scenario keeps to the interface, and every call is made", arguments: Face.allCases)
    func calls(face: SimulatedNode.Face) async throws {
        let facts = try WalletFacts(face)
        let exchanges = try await Self.everything(face)
        for exchange in exchanges {
            #expect(facts.breaches(of: exchange.request) == [])
            #expect(facts.breaches(of: exchange.response, to: exchange.request) == [])
        }
        let called = Set(exchanges.compactMap { facts.operation(of: $0.request)?.name })
        #expect(called == Set(facts.operations.map(\.name)))
        #expect(Set(exchanges.map(\.response.status)) == Self.statuses[face])
        let text = exchanges.map { String(decoding: $0.response.body, as: UTF8.self) }.joined()
        for word in Self.words[face] ?? [] { #expect(text.contains(#""status":"\#(word)""#), "\(word)") }
    }

    @Test("A wallet needs nothing that its interface does not promise", arguments: Face.allCases)
    func promises(face: SimulatedNode.Face) async throws {
        func states(_ scenario: NodeScenario, isTerse: Bool) async throws -> [SettlementState?] {
            let bench = try await WalletBench(face, isTerse: isTerse)
            bench.node.scenario = scenario
            let settlement = try bench.settlement()
            let first = try? await bench.settler.settle(settlement)
            let found = try? await bench.settler.order(paying: settlement.endpoint)
            bench.clock.advance(by: .seconds(90_000))
            return [first, found?.state, try? await bench.settler.state(of: settlement)]
        }
        for scenario in NodeScenario.allCases {
            let (full, terse) = (try await states(scenario, isTerse: false), try await states(scenario, isTerse: true))
            #expect(full == terse, "\(scenario)")
        }
        let (full, terse) = (try await WalletBench(face), try await WalletBench(face, isTerse: true))
        let (account, least) = (try await full.wallet.account(), try await terse.wallet.account())
        #expect((account.id, account.network, account.balance) == (least.id, least.network, least.balance))
        #expect(account.balance == (face == .coreLightning ? nil : full.node.balance))
        // phoenixd may leave out its height. Then no lost request ends by the chain.
        #expect(least.height == account.height || face == .phoenixd && least.height == nil)
        let invoice = try full.node.invoice(nil)
        #expect(try terse.node.invoice(nil).text == invoice.text)
        let settlement = try terse.settlement("a", invoice)
        #expect(try await terse.settler.settle(settlement).isSettled == (face != .lnbits))
    }

    @Test("The highest limit of fees is a number that the node reads", arguments: Face.allCases)
    func limit(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        let text = try bench.node.invoice(21_000).text
        #expect(await bench.wallet.pay(Self.invoice(text, feeLimit: .max)) == .dealtWith)
    }

    // MARK: The check

    /// Returns `json` with one value replaced, for each of its values.
    private static func spoilt(_ json: JSONValue) -> [JSONValue] {
        switch json {
        case .object(let members):
            members.flatMap { name, member in
                spoilt(member).map { .object(members.merging([name: $0]) { $1 }) }
            }
        case .array(let elements):
            elements.indices.flatMap { index in
                spoilt(elements[index]).map { .array(elements[..<index] + [$0] + elements[(index + 1)...]) }
            }
        default: [["unheard-of": 1]]
        }
    }

    @Test(
        "Each addition to an exchange, each spoilt value and each loss from an answer is noticed",
        arguments: Face.allCases)
    func sharp(face: SimulatedNode.Face) async throws {
        let facts = try WalletFacts(face)
        for exchange in try await Self.everything(face) {
            let (request, response) = (exchange.request, exchange.response)
            func isNoticed(_ change: (inout HTTPRequest) -> Void) -> Bool {
                var changed = request
                change(&changed)
                return facts.breaches(of: changed) != []
            }
            func isNoticed(answer body: JSONValue) -> Bool {
                let changed = HTTPResponse(status: response.status, body: body.serialized())
                return facts.breaches(of: changed, to: request) != []
            }
            #expect(isNoticed { $0.headers = HTTPHeaders() })
            let url = try HTTPURL(service: "https://node.example")
            #expect(isNoticed { $0 = HTTPRequest(.get, url, headers: $0.headers) })
            let more = try url.appending(
                request.url.path.split(separator: "/").compactMap { PercentCoding.decode($0) },
                query: [("unheard-of", "1")])
            #expect(isNoticed { $0 = HTTPRequest($0.method, more, headers: $0.headers, body: $0.body) })
            if let body = try? JSONValue(parsing: request.body) {
                for body in Self.spoilt(body) + Self.added(to: body) {
                    #expect(isNoticed { $0.body = body.serialized() }, "\(body.text)")
                }
            }
            guard let answer = try? JSONValue(parsing: response.body) else {
                #expect(face == .phoenixd)
                continue
            }
            for body in Self.spoilt(answer) + Self.added(to: answer) {
                #expect(isNoticed(answer: body), "\(body.text)")
            }
            #expect((answer.object ?? [:]).keys.contains { isNoticed(answer: Self.removed($0, from: answer)) })
        }
    }

    private static func removed(_ name: String, from json: JSONValue) -> JSONValue {
        var less = json
        less[name] = nil
        return less
    }

    private static func added(to json: JSONValue) -> [JSONValue] {
        var more = json
        more["unheard-of"] = 1
        return [more]
    }
}
