import BitcoinSandbox
import BitcoinWallets
import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

/// The statements of a wallet's settler when requests and answers are lost.
@Suite("Wallets and lost answers")
struct WalletFaultTests {
    private typealias Face = SimulatedNode.Face

    @Test("A payment whose answer is lost is found", arguments: Face.allCases)
    func answerLost(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.dropAfter, when: WalletBench.isOrder)
        #expect(try await bench.settler.settle(bench.settlement()).isSettled)
        #expect(bench.node.attemptCount == 1)
    }

    @Test("A request that is lost is open until the chain has grown past its invoice's end", arguments: Face.allCases)
    func requestLost(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.dropBefore, when: WalletBench.isOrder)
        let settlement = try bench.settlement()
        #expect(try await bench.settler.settle(settlement).isInFlight)
        #expect(try await bench.settler.abandon("a").isInFlight)
        bench.mine(WalletBench.lifetime - 1)
        #expect(try await bench.settler.state(of: settlement).isInFlight)
        bench.mine(1)
        #expect(try await bench.settler.state(of: settlement).hasSentNothing == bench.refusesExpired)
        bench.mine(4032)
        let state = try await bench.another().state(of: settlement)
        #expect(bench.refusesExpired ? state.hasSentNothing : state.isInFlight)
        #expect(try await bench.settler.settle(settlement) == state)
        #expect(bench.node.attemptCount == 0)
    }

    /// A clock that is set to another date while the machine runs.
    private struct SetClock: PaymentClock {
        let base: TestClock

        var now: Date { base.now + 86_400 * 365 * 56 }
        var uptime: Duration { base.uptime }
        func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
    }

    @Test("A clock that is set forward ends no order", arguments: Face.allCases)
    func setClock(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.dropBefore, when: WalletBench.isOrder)
        let settlement = try bench.settlement()
        #expect(try await bench.settler.settle(settlement).isInFlight)
        let late = WalletSettler(
            bench.wallet, orders: try await bench.orders(), reader: bench.reader, network: "regtest",
            clock: SetClock(base: bench.clock))
        for _ in 0..<2 { #expect(try await late.state(of: settlement).isInFlight) }
    }

    @Test("A proxy's answer proves nothing", arguments: Face.allCases, [502, 504, 503, 500, 400, 404, 200, 201])
    func proxy(face: SimulatedNode.Face, status: Int) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.status(status, body: "<html>busy</html>"), when: WalletBench.isOrder)
        let settlement = try bench.settlement()
        #expect(try await bench.settler.settle(settlement).isInFlight)
        bench.mine(WalletBench.lifetime)
        let state = try await bench.settler.state(of: settlement)
        #expect(bench.refusesExpired ? state.hasSentNothing : state.isInFlight)
        guard !bench.refusesExpired else { return }
        #expect(try await bench.settler.end("a", because: "a person has looked").hasSentNothing)
        #expect(try await bench.another().state(of: settlement) == .nothingSent(reason: "a person has looked"))
    }

    @Test("A request that arrives while it is open is paid, once, and never called unpaid", arguments: Face.allCases)
    func late(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.stall(nil), when: WalletBench.isOrder)
        let settlement = try bench.settlement()
        let first = Task { try await bench.settler.settle(settlement) }
        while bench.faults.stalledCount == 0 { await Task.yield() }
        // Another process, while the request is with the wallet.
        let other = try await bench.another()
        #expect(try await other.state(of: settlement).isInFlight)
        bench.mine(5)
        #expect(try await other.settle(settlement).isInFlight)
        bench.faults.release()
        #expect(try await first.value.isSettled)
        #expect(try await other.settle(settlement).isSettled)
        #expect(bench.node.attemptCount == 1)
    }

    @Test("A wallet that does not answer is no wallet that paid nothing", arguments: Face.allCases)
    func silence(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face)
        bench.faults.inject(.dropBefore, when: WalletBench.isOrder)
        // It falls silent after the questions that come before the request.
        let questions = face == .lnbits || face == .phoenixd ? 3 : 4
        bench.faults.inject(.status(502, body: "<html>"), times: 100, after: questions) { method, path in
            !WalletBench.isOrder(method, path)
        }
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(settlement) }
        bench.mine(WalletBench.lifetime)
        await #expect(throws: PaymentError.self) { try await bench.settler.state(of: settlement) }
    }

    @Test("Nothing is requested when the orders cannot be read", arguments: Face.allCases)
    func unreadable(face: SimulatedNode.Face) async throws {
        let (bench, settlement) = try await WalletBench.ready(face)
        try bench.spoilOrders()
        await #expect(throws: (any Error).self) { try await bench.settler.settle(settlement) }
        #expect(bench.node.attemptCount == 0)
    }
}
