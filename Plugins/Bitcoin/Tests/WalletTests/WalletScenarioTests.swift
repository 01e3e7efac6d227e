import BitcoinSandbox
import BitcoinWallets
import Foundation
import PaymentCore
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
            let bench = try WalletBench(face)
            bench.node.scenario = scenario
            let settlement = try bench.settlement()
            #expect(try await bench.settler.settle(settlement).isInFlight)
            bench.clock.advance(by: .seconds(80_000))
            #expect(try await bench.another().state(of: settlement).isInFlight, "after the invoice's end")
            bench.clock.advance(by: .seconds(7000))
            let end = try await bench.settler.state(of: settlement)
            #expect(end.isSettled == (scenario.description == "pays-after-a-day"))
            #expect(end.hasSentNothing == (scenario.description == "fails-after-a-day"))
            #expect(bench.node.attemptCount == 1)
        }
    }

    @Test("A payment whose parts never come back is never called failed", arguments: Face.allCases)
    func stuck(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face)
        bench.node.scenario = .staysInFlight
        let settlement = try bench.settlement()
        _ = try await bench.settler.settle(settlement)
        bench.clock.advance(by: .seconds(14 * 86_400))
        #expect(try await bench.settler.state(of: settlement).isInFlight)
        #expect(try await bench.settler.abandon("a").isInFlight)
    }

    @Test("A wallet without the proof of its payment is not believed", arguments: Face.allCases)
    func proof(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face)
        bench.node.scenario = .wrongPreimage
        let settlement = try bench.settlement()
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
        #expect(bench.node.attemptCount == 1)
    }

    @Test("What another program has paid is found, and not paid again", arguments: Face.allCases)
    func elsewhere(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face)
        bench.node.scenario = .paidBefore
        let settlement = try bench.settlement()
        #expect(try await bench.settler.order(named: "a") == nil)
        let order = try #require(try await bench.settler.order(paying: settlement.endpoint))
        #expect(order.name == nil && order.state.isSettled)
        let error = await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
        #expect(error?.phase == .maybeSent && bench.node.attemptCount == 1)
    }

    @Test("Too little balance sends nothing, permanently", arguments: Face.allCases)
    func balance(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face)
        bench.node.balance = 20_000
        let settlement = try bench.settlement()
        #expect(try await bench.settler.settle(settlement).hasSentNothing)
        bench.node.balance = 1_000_000
        #expect(try await bench.settler.settle(settlement).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
    }

    @Test("An invoice that is over is not requested, whatever the wallet would do", arguments: Face.allCases)
    func expiry(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face)
        let settlement = try bench.settlement(lifetime: 60)
        bench.clock.advance(by: .seconds(61))
        #expect(try await bench.settler.settle(settlement).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
        #expect(!bench.faults.requests.contains { WalletBench.isOrder($0.method, $0.path) })
    }

    @Test("An open amount is paid as chosen, except by LNbits, which refuses it", arguments: Face.allCases)
    func amountless(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face)
        let settlement = try bench.settlement("a", bench.node.invoice(nil))
        let state = try await bench.settler.settle(settlement)
        #expect(face == .lnbits ? state.hasSentNothing : state.isSettled)
        #expect(bench.node.attemptCount == (face == .lnbits ? 0 : 1))
    }

    @Test("A fee above the limit is not paid", arguments: [SimulatedNode.Face.lnbits, .phoenixd])
    func fees(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face, feeLimit: FeeLimit(satoshi: 1, partsPerMillion: 0))
        #expect(try await bench.settler.settle(bench.settlement()).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
    }

    @Test("A wrong key pays nothing, and is in no error", arguments: Face.allCases)
    func wrongKey(face: SimulatedNode.Face) async throws {
        let secret = "secret-that-nobody-may-see"
        let bench = try WalletBench(face, key: secret)
        let settlement = try bench.settlement()
        guard case .nothingSent(let reason) = try await bench.settler.settle(settlement) else {
            Issue.record("it paid")
            return
        }
        #expect(reason?.contains(secret) == false)
        #expect(!"\(bench.wallet)".contains(secret))
        var dumped = ""
        dump(bench.settler, to: &dumped)
        #expect(!dumped.contains(secret))
        do {
            _ = try await bench.wallet.account()
            Issue.record("it has an account")
        } catch { #expect(!"\(error)".contains(secret)) }
    }

    @Test("The wallet's fee is kept with the order", arguments: Face.allCases)
    func fee(face: SimulatedNode.Face) async throws {
        let bench = try WalletBench(face)
        _ = try await bench.settler.settle(bench.settlement())
        let order = try await bench.settler.walletOrder(named: "a")
        guard case .paid(_, let fee)? = order?.state else {
            Issue.record("it is not paid")
            return
        }
        #expect(fee == (face == .phoenixd ? 8000 : 1500))
    }
}
