import BitcoinSandbox
import BitcoinWallets
import PaymentCore
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// Each wallet's settler with each behaviour of a node.
@Suite("Wallets and what their nodes do")
struct WalletScenarioTests {
    private typealias Face = SimulatedNode.Face

    @Test("A payment that is in flight for a day stays open, and ends as the node says", arguments: Face.allCases)
    func day(face: SimulatedNode.Face) async throws {
        for scenario in [NodeScenario.paysAfterADay, .failsAfterADay] {
            let (bench, settlement) = try await WalletBench.ready(face, scenario)
            #expect(try await bench.settler.settle(settlement).isInFlight)
            bench.clock.advance(by: .seconds(80_000))
            #expect(try await bench.another().state(of: settlement).isInFlight, "after the invoice's end")
            bench.clock.advance(by: .seconds(7000))
            #expect(bench.node.attemptCount == 1)
            guard scenario.description == "fails-after-a-day" else {
                #expect(try await bench.settler.state(of: settlement).isSettled)
                continue
            }
            guard face != .lnbits else {
                let error = await #expect(throws: PaymentError.self) { try await bench.settler.state(of: settlement) }
                #expect(error?.message.contains("LNbits says that the payment failed") == true)
                continue
            }
            // Its request was never answered: another one may have made the record, and this one be on its way.
            #expect(try await bench.settler.state(of: settlement).isInFlight)
            bench.mine(5)
            #expect(try await bench.settler.state(of: settlement).isInFlight)
            bench.mine(1)
            #expect(try await bench.settler.state(of: settlement).hasSentNothing)
        }
    }

    @Test(
        "What a node says at once has failed is unpaid, and what a server says may still be paid",
        arguments: Face.allCases)
    func fails(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face, .refuses)
        guard face == .lnbits else {
            #expect(try await bench.settler.settle(settlement).hasSentNothing)
            return
        }
        for _ in 0..<2 {
            let error = await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
            #expect(error?.phase == .maybeSent)
            bench.mine(5000)
        }
    }

    @Test("A failure that a server corrects ends as paid, under its own name", arguments: Face.allCases)
    func corrected(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face, .failsThenPays)
        _ = try? await bench.settler.settle(settlement)
        let again = Settlement(key: "b", endpoint: settlement.endpoint, amount: settlement.amount)
        #expect(try await bench.settler.settle(again).hasSentNothing, "another order has it")
        bench.clock.advance(by: .seconds(9))
        #expect(try await bench.settler.state(of: settlement).isSettled)
        #expect(try await bench.settler.settle(again) == .settledElsewhere(name: "a"))
        #expect(bench.node.attemptCount == 1)
    }

    @Test(
        "A payment that is seen after its order was refused is the order's, and no other payment's",
        arguments: Face.allCases)
    func refusedThenPaid(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        // The wallet says that it has sent nothing, and pays it later all the same.
        let (status, body) = Self.refusals(face)
        bench.faults.inject(.status(status, body: body), when: WalletBench.isOrder)
        let settlement = try bench.settlement()
        #expect(try await bench.settler.settle(settlement).hasSentNothing)
        guard case .invoice(let invoice)? = try await bench.settler.walletOrder(named: "a")?.payment else {
            Issue.record("it has no invoice")
            return
        }
        #expect(await bench.wallet.pay(invoice) == .dealtWith)
        let again = Settlement(key: "b", endpoint: settlement.endpoint, amount: settlement.amount)
        let order = try await bench.another().order(paying: settlement.endpoint)
        #expect(order?.name == "a" && order?.state.isSettled == true)
        #expect(try await bench.settler.state(of: settlement).isSettled)
        #expect(try await bench.settler.settle(again) == .settledElsewhere(name: "a"))
        #expect(bench.node.attemptCount == 1)
    }

    private static func refusals(_ face: Face) -> (Int, String) {
        switch face {
        case .lnbits: (520, #"{"detail":"Insufficient balance.","status":"failed"}"#)
        case .lnd: (500, #"{"error":{"code":2,"message":"self-payments not allowed","details":[]}}"#)
        case .coreLightning: (500, #"{"code":213,"message":"declined"}"#)
        case .phoenixd: (200, #"{"reason":"payment amount must be positive"}"#)
        }
    }

    @Test(
        "A refused order does not take the payment of another name", arguments: [Face.lnd, .coreLightning, .phoenixd])
    func refusedThenPaidAnew(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face, .refuses)
        let refused = try await bench.settler.settle(settlement)
        #expect(refused.hasSentNothing)
        bench.node.scenario = .pays
        let again = Settlement(key: "b", endpoint: settlement.endpoint, amount: settlement.amount)
        #expect(try await bench.settler.settle(again).isSettled)
        #expect(try await bench.settler.state(of: settlement) == refused)
        #expect(try await bench.another().state(of: again).isSettled)
    }

    @Test("A payment without a preimage is paid, without proof, for this invoice only", arguments: Face.allCases)
    func proofless(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face, .noPreimage)
        let hash = try #require(settlement.endpoint.paymentHash)
        let state = SettlementState.settled(.unproven(paymentHash: hash))
        #expect(try await bench.settler.settle(settlement) == state)
        #expect(try await bench.another().settle(settlement) == state)
        #expect(try await bench.another().order(paying: settlement.endpoint)?.state == state)
        #expect(bench.node.attemptCount == 1)
    }

    @Test("A device that lost the race for an invoice has sent nothing", arguments: Face.allCases)
    func otherDevice(face: SimulatedNode.Face) async throws {
        for scenario in [NodeScenario.paidBefore, .paysAfterADay] {
            let (bench, settlement) = try await WalletBench.ready(face, scenario)
            if scenario.description == "pays-after-a-day" { _ = try await bench.settler.settle(settlement) }
            let folder = ScratchFolder()
            let other = WalletSettler(
                bench.wallet, orders: try await WalletOrders(path: folder.file("orders")), reader: bench.reader,
                network: "regtest", clock: bench.clock)
            try await other.register("other")
            let wish = Settlement(key: "other", endpoint: settlement.endpoint, amount: settlement.amount)
            #expect(try await other.settle(wish).hasSentNothing)
            bench.clock.advance(by: .seconds(90_000))
            #expect(try await other.state(of: wish).hasSentNothing)
            #expect(bench.node.attemptCount == 1)
        }
    }

    @Test("A payment whose parts never come back is never called failed", arguments: Face.allCases)
    func stuck(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face, .staysInFlight)
        _ = try await bench.settler.settle(settlement)
        bench.clock.advance(by: .seconds(14 * 86_400))
        #expect(try await bench.settler.state(of: settlement).isInFlight)
        #expect(try await bench.settler.abandon("a").isInFlight)
    }

    @Test("A wallet without the proof of its payment is not believed", arguments: Face.allCases)
    func proof(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face, .wrongPreimage)
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
        #expect(bench.node.attemptCount == 1)
    }

    @Test("What another program has paid is found, and not paid again", arguments: Face.allCases)
    func elsewhere(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face, .paidBefore)
        #expect(try await bench.settler.order(named: "a") == nil)
        let order = try #require(try await bench.settler.order(paying: settlement.endpoint))
        #expect(order.name == nil && order.state.isSettled)
        let error = await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
        #expect(error?.phase == .maybeSent && bench.node.attemptCount == 1)
    }

    @Test("Too little balance sends nothing, permanently", arguments: Face.allCases)
    func balance(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.node.balance = 20_000
        let settlement = try bench.settlement()
        #expect(try await bench.settler.settle(settlement).hasSentNothing)
        bench.node.balance = 1_000_000
        #expect(try await bench.settler.settle(settlement).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
    }

    @Test("An invoice that is over is not requested, whatever the wallet would do", arguments: Face.allCases)
    func expiry(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        let settlement = try bench.settlement(lifetime: 60)
        bench.clock.advance(by: .seconds(61))
        #expect(try await bench.settler.settle(settlement).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
        #expect(!bench.faults.requests.contains { WalletBench.isOrder($0.method, $0.path) })
    }

    @Test("An open amount is paid as chosen, except by LNbits, which refuses it", arguments: Face.allCases)
    func amountless(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        let settlement = try bench.settlement("a", bench.node.invoice(nil))
        let state = try await bench.settler.settle(settlement)
        #expect(face == .lnbits ? state.hasSentNothing : state.isSettled)
        #expect(bench.node.attemptCount == (face == .lnbits ? 0 : 1))
    }

    @Test("A fee above the limit is not paid", arguments: [SimulatedNode.Face.lnbits, .phoenixd])
    func fees(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face, feeLimit: FeeLimit(satoshi: 1, partsPerMillion: 0))
        #expect(try await bench.settler.settle(bench.settlement()).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
    }

    @Test(
        "A wallet of another network than the payment's is not asked to pay",
        arguments: [Face.lnd, .coreLightning, .phoenixd])
    func otherNetwork(face: SimulatedNode.Face) async throws {
        let (clock, folder) = (TestClock(), ScratchFolder())
        let node = SimulatedNode(face, isOnMainnet: true, clock: clock)
        let wallet = try WalletBench.wallet(face, over: SandboxTransport(node, clock: clock))
        let settler = WalletSettler(
            wallet, orders: try await WalletOrders(path: folder.file("orders")), reader: StandardsReader(), clock: clock
        )
        let settlement = Settlement(
            key: "a", endpoint: try node.invoice(21_000).endpoint,
            amount: try Money(minorUnits: 21, currency: .satoshi))
        guard case .nothingSent(let reason) = try await settler.settle(settlement) else {
            Issue.record("it was asked to pay")
            return
        }
        #expect(reason?.contains("is on regtest") == true && node.attemptCount == 0)
    }

    @Test("No payment costs more than the limit that is stated for it", arguments: Face.allCases)
    func feeBound(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face)
        let limit = try #require(bench.settler.feeLimit(for: settlement.amount, to: .bolt11))
        #expect(limit == (try Money(minorUnits: 11, currency: .satoshi)), "10.21 satoshi")
        #expect(bench.settler.feeLimit(for: settlement.amount, to: .lightningAddress) == limit)
        _ = try await bench.settler.settle(settlement)
        guard case .invoice(let invoice)? = try await bench.settler.walletOrder(named: "a")?.payment else {
            Issue.record("it has no invoice")
            return
        }
        #expect(invoice.feeLimit == 10_210)
        let fine = try Money(minorUnits: 21_000, currency: .satoshi, exponent: 11)
        #expect(
            bench.settler.feeLimit(for: fine, to: .bolt11)
                == (try Money(minorUnits: 10_210, currency: .satoshi, exponent: 11)))
        let chain = try #require(bench.settler.feeLimit(for: settlement.amount, to: .bitcoinAddress))
        #expect(chain == (try Money(minorUnits: 10_001, currency: .satoshi)), "10,000.21 satoshi")
        #expect(bench.settler.feeLimit(for: try Money(minorUnits: 1, currency: .eur), to: .bolt11) == nil)
    }

    @Test("A wrong key pays nothing, and is in no error", arguments: Face.allCases)
    func wrongKey(face: SimulatedNode.Face) async throws {
        let secret = "secret-that-nobody-may-see"
        let bench = try await WalletBench(face, key: secret)
        let settlement = try bench.settlement()
        guard case .nothingSent(let reason) = try await bench.settler.settle(settlement) else {
            Issue.record("it paid")
            return
        }
        #expect(reason?.contains(secret) == false)
        #expect(!shown(bench.wallet).contains(secret) && !shown(bench.settler).contains(secret))
        do {
            _ = try await bench.wallet.account()
            Issue.record("it has an account")
        } catch { #expect(!"\(error)".contains(secret)) }
    }

    @Test("The wallet's fee is kept with the order", arguments: Face.allCases)
    func fee(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        _ = try await bench.settler.settle(bench.settlement())
        let order = try await bench.settler.walletOrder(named: "a")
        guard case .paid(_, let fee)? = order?.state else {
            Issue.record("it is not paid")
            return
        }
        #expect(fee == (face == .phoenixd ? 8000 : 1500))
    }
}
