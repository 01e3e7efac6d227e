import BitcoinSandbox
import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import BitcoinWallets

/// The rules of orders: one request for a name, one open name for a payment hash, one wallet for an order.
@Suite("Orders at wallets")
struct WalletOrderTests {
    @Test("Of eight processes that want the same invoice under different names, one requests it")
    func names() async throws {
        let bench = try await WalletBench(.lnd)
        let invoice = try bench.node.invoice(21_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let settler = try await bench.another()
                let settlement = try bench.settlement("name \(number)", invoice)
                group.addTask { _ = try await settler.settle(settlement) }
            }
            try await group.waitForAll()
        }
        #expect(bench.node.attemptCount == 1)
        #expect(bench.faults.requests.count { WalletBench.isOrder($0.method, $0.path) } == 1)
    }

    /// Does something before the wallet is first asked.
    private struct LateWallet: LightningWallet {
        let base: any LightningWallet
        let before: @Sendable () async -> Void

        var name: String { base.name }
        var conduct: WalletConduct { base.conduct }

        func account() async throws(PaymentError) -> WalletAccount {
            await before()
            return try await base.account()
        }

        func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? {
            try await base.objection(to: invoice)
        }

        func pay(_ invoice: WalletInvoice) async -> WalletAnswer { await base.pay(invoice) }

        func record(
            of invoice: WalletInvoice, in account: WalletAccount
        ) async throws(PaymentError) -> WalletRecord { try await base.record(of: invoice, in: account) }
    }

    @Test("An invoice that another process orders while the wallet is asked is left to that order")
    func orderedMeanwhile() async throws {
        let bench = try await WalletBench(.lnd)
        let invoice = try bench.node.invoice(21_000)
        let (first, second) = (try bench.settlement("a", invoice), try bench.settlement("b", invoice))
        let other = try await bench.another()
        let wallet = LateWallet(base: bench.wallet) { _ = try? await other.settle(first) }
        let state = try await bench.another(wallet).settle(second)
        #expect(state == .settledElsewhere(name: "a"), "\(state)")
        #expect(bench.node.attemptCount == 1)
    }

    @Test("A name keeps its first invoice, whatever it is asked for later")
    func firstInvoice() async throws {
        let bench = try await WalletBench(.phoenixd)
        let first = try bench.settlement("a")
        let paid = try await bench.settler.settle(first)
        let fresh = try bench.settlement("a")
        #expect(try await bench.settler.state(of: fresh) == paid)
        #expect(try await bench.settler.settle(fresh) == paid)
        let order = try await bench.another().walletOrder(named: "a")
        guard case .invoice(let invoice)? = order?.payment else {
            Issue.record("it has no invoice")
            return
        }
        #expect(invoice.text == first.endpoint.text)
        #expect(bench.node.attemptCount == 1)
        #expect(try await bench.settler.order(named: "b") == nil)
    }

    @Test(
        "Another invoice of the same payment hash is neither paid nor called paid",
        arguments: SimulatedNode.Face.allCases)
    func twin(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        let first = try bench.settlement("a", number: 7)
        #expect(try await bench.settler.settle(first).isSettled)
        bench.clock.advance(by: .seconds(5))
        let twin = try bench.settlement("b", number: 7)
        #expect(twin.endpoint.paymentHash == first.endpoint.paymentHash && twin.endpoint != first.endpoint)
        await #expect(throws: PaymentError.self) { try await bench.settler.order(paying: twin.endpoint) }
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(twin) }
        // Neither without the file of orders: the wallet's own record has the invoice.
        let folder = ScratchFolder()
        let forgetful = WalletSettler(
            bench.wallet, orders: try await WalletOrders(path: folder.file("orders")), reader: bench.reader,
            network: "regtest", clock: bench.clock)
        await #expect(throws: PaymentError.self) { try await forgetful.order(paying: twin.endpoint) }
        #expect(try await forgetful.settle(twin).hasSentNothing)
        #expect(bench.node.attemptCount == 1)
    }

    @Test("What the wallet has paid without an order is found by its invoice, and not paid again")
    func lostOrders() async throws {
        let (bench, settlement) = try await WalletBench.ready(.lnd)
        #expect(try await bench.settler.settle(settlement).isSettled)
        let folder = ScratchFolder()
        let forgetful = WalletSettler(
            bench.wallet, orders: try await WalletOrders(path: folder.file("orders")), reader: bench.reader,
            network: "regtest", clock: bench.clock)
        let found = try await forgetful.order(paying: settlement.endpoint)
        #expect(found?.state.isSettled == true && found?.name == nil)
        await #expect(throws: PaymentError.self) { try await forgetful.settle(settlement) }
        #expect(bench.node.attemptCount == 1)
    }

    @Test("An invoice that the wallet has paid is not called unpaid, though it could not be paid within the limit")
    func paidAboveLimit() async throws {
        let (bench, settlement) = try await WalletBench.ready(.phoenixd)
        #expect(try await bench.settler.settle(settlement).isSettled)
        let folder = ScratchFolder()
        let forgetful = WalletSettler(
            bench.wallet, orders: try await WalletOrders(path: folder.file("orders")), reader: bench.reader,
            network: "regtest", feeLimit: FeeLimit(satoshi: 0, partsPerMillion: 0), clock: bench.clock)
        await #expect(throws: PaymentError.self) { try await forgetful.settle(settlement) }
        #expect(try await forgetful.settle(bench.settlement("b")).hasSentNothing && bench.node.attemptCount == 1)
    }

    @Test("The wallet is not asked about an invoice of another network")
    func otherNetwork() async throws {
        let bench = try await WalletBench(.lnd)
        let settler = WalletSettler(
            bench.wallet, orders: try await bench.orders(), reader: bench.reader, clock: bench.clock)
        let endpoint = try bench.settlement().endpoint
        #expect(try await settler.order(paying: endpoint) == nil && bench.faults.requests.isEmpty)
        #expect(try await bench.settler.order(paying: endpoint) == nil && !bench.faults.requests.isEmpty)
    }

    @Test("An abandoned name is never requested")
    func abandoned() async throws {
        let (bench, settlement) = try await WalletBench.ready(.lnbits)
        #expect(try await bench.settler.abandon("a").hasSentNothing)
        #expect(try await bench.another().settle(settlement).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
        let paid = try bench.settlement("b")
        #expect(try await bench.settler.settle(paid).isSettled)
        #expect(try await bench.settler.abandon("b").isSettled, "what is paid cannot be abandoned")
    }

    @Test("An order of one wallet is not looked for in another")
    func otherWallet() async throws {
        let (bench, settlement) = try await WalletBench.ready(.lnbits, .paysAfterADay)
        #expect(try await bench.settler.settle(settlement).isInFlight)
        let other = SandboxTransport(OtherWallet(), clock: bench.clock)
        let settler = try await bench.another(WalletBench.wallet(.lnbits, over: other))
        await #expect(throws: PaymentError.self) { try await settler.state(of: settlement) }
    }

    /// An LNbits server that knows nothing, with another wallet.
    private struct OtherWallet: SandboxService {
        func respond(to request: HTTPRequest) async -> HTTPResponse {
            let isWallet = request.url.path.hasSuffix("/wallet")
            let body = isWallet ? #"{"id":"other","name":"B","balance":0}"# : #"{"detail":"Payment does not exist."}"#
            return HTTPResponse(status: isWallet ? 200 : 404, body: Array(body.utf8))
        }
    }

    @Test("Another process finds an order by its invoice, and sees it sent for as long as its process lives")
    func otherProcess() async throws {
        let (bench, settlement) = try await WalletBench.ready(.lnd)
        let order = try await Self.order("a", settlement, bench)
        let (orders, others) = (try await bench.orders(), try await bench.orders())
        guard case .begun(let request) = try await orders.begin(order, alone: false),
            case .known(let known) = try await others.begin(Self.order("b", settlement, bench), alone: false)
        else {
            Issue.record("the wrong one began")
            return
        }
        #expect(known == order)
        bench.clock.advance(by: .seconds(86_400 * 365))
        #expect(try await others.order(named: "a", at: bench.clock.now)?.state == .sending)
        try await orders.end(request, isDealtWith: true, now: bench.clock.now)
        #expect(
            try await others.order(named: "a", at: bench.clock.now)?.state
                == .asked(since: bench.clock.now, isDealtWith: true, height: nil))
    }

    /// An order of a settlement that is being sent.
    private static func order(
        _ name: String, _ settlement: Settlement, _ bench: WalletBench
    ) async throws -> WalletOrder {
        let invoice = WalletInvoice(
            text: settlement.endpoint.text, paymentHash: settlement.endpoint.paymentHash ?? "", amount: 21_000,
            isAmountless: false, feeLimit: 10_000)
        return WalletOrder(
            name: name, wallet: try await bench.wallet.account().id, payment: .invoice(invoice),
            placedAt: bench.clock.now, state: .sending)
    }

    @Test("The request of a process that is gone is over, and open until its invoice has ended on the chain")
    func gone() async throws {
        let (bench, settlement) = try await WalletBench.ready(.lnd)
        var mortal: WalletOrders? = try await bench.orders()
        let claim = try await mortal?.begin(Self.order("a", settlement, bench), alone: false)
        guard case .begun = claim else {
            Issue.record("it did not begin")
            return
        }
        bench.mine(WalletBench.lifetime)
        #expect(try await bench.settler.state(of: settlement).isInFlight, "its process lives")
        #expect(try await bench.settler.walletOrder(named: "a")?.state == .sending)
        mortal = nil
        bench.mine(WalletBench.lifetime)
        #expect(try await bench.settler.state(of: settlement).isInFlight, "its end was just seen")
        bench.mine(WalletBench.lifetime - 1)
        #expect(try await bench.settler.state(of: settlement).isInFlight)
        bench.mine(1)
        #expect(try await bench.settler.order(paying: settlement.endpoint) == nil, "it is not being paid any more")
        #expect(try await bench.settler.state(of: settlement).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
    }

    @Test("An order that is being sent cannot be ended, and one that was abandoned before is never paid")
    func endedInFlight() async throws {
        let (bench, settlement) = try await WalletBench.ready(.lnbits)
        let orders = try await bench.orders()
        _ = try await orders.begin(Self.order("a", settlement, bench), alone: true)
        #expect(try await bench.settler.end("a", because: "too early").isInFlight)
        #expect(try await bench.settler.walletOrder(named: "a")?.state == .sending)
        await #expect(throws: PaymentError.self) { try await bench.settler.end("b", because: "no order") }
        #expect(try await bench.settler.abandon("c").hasSentNothing)
        try await orders.settle("c", .unproven(paymentHash: "aa"), fee: nil)
        #expect(try await bench.settler.order(named: "c")?.state.hasSentNothing == true)
    }

    @Test("A wallet that takes turns gets one request at a time; others wait, and are then refused before they leave")
    func turns() async throws {
        let bench = try await WalletBench(.lnbits)
        bench.faults.inject(.stall(nil), when: WalletBench.isOrder)
        let first = Task { try await bench.settler.settle(bench.settlement("a")) }
        while bench.faults.stalledCount == 0 { await Task.yield() }
        let second = try bench.settlement("b")
        let waiting = Task { try await bench.another().settle(second) }
        await bench.clock.sleepers(1)
        #expect(bench.node.attemptCount == 0)
        bench.faults.release()
        #expect(try await first.value.isSettled)
        bench.clock.advance(by: WalletSettler.pause)
        #expect(try await waiting.value.isSettled)
        // A request that is lost holds others up for 15 seconds. That ends nothing, and holds up no other wallet.
        bench.faults.inject(.dropBefore, when: WalletBench.isOrder)
        #expect(try await bench.settler.settle(bench.settlement("c")).isInFlight)
        let third = try bench.settlement("d")
        let late = Task { try await bench.settler.settle(third) }
        for _ in 0..<8 {
            await bench.clock.sleepers(1)
            #expect(bench.node.attemptCount == 2)
            bench.clock.advance(by: WalletSettler.pause)
        }
        #expect(try await late.value.isSettled)
        #expect(bench.node.attemptCount == 3)
        // Another process that sends for longer than any request lasts: nothing leaves beside it.
        let orders = try await bench.orders()
        _ = try await orders.begin(Self.order("busy", bench.settlement("busy"), bench), alone: true)
        let refused = try await Self.settle(bench.settlement("f"), bench)
        #expect(refused.state?.hasSentNothing == true && refused.pauses == 35)
        #expect(bench.node.attemptCount == 3)
        withExtendedLifetime(orders) {}
        let lnd = try await WalletBench(.lnd)
        lnd.faults.inject(.dropBefore, when: WalletBench.isOrder)
        #expect(try await lnd.settler.settle(lnd.settlement("a")).isInFlight)
        #expect(try await lnd.settler.settle(lnd.settlement("b")).isSettled)
    }

    /// Settles while time passes.
    ///
    /// - Returns: the state, nil for an error, and the number of pauses that it took.
    private static func settle(
        _ settlement: Settlement, _ bench: WalletBench
    ) async -> (state: SettlementState?, pauses: Double) {
        let (begun, pause) = (bench.clock.now, WalletSettler.pause)
        let settling = Task {
            let state = try? await bench.settler.settle(settlement)
            let waited = bench.clock.now.timeIntervalSince(begun)
            // Each turn of the loop below waits for a sleeper.
            try? await bench.clock.sleep(for: pause * 50 - .seconds(waited))
            return (state, waited / (pause / .seconds(1)))
        }
        for _ in 0..<50 {
            await bench.clock.sleepers(1)
            bench.clock.advance(by: pause)
        }
        return await settling.value
    }

    @Test("A process that is gone while it sends holds up the others of its wallet for 15 seconds, and no longer")
    func goneInTurn() async throws {
        let bench = try await WalletBench(.lnbits)
        var mortal: WalletOrders? = try await bench.orders()
        let claim = try await mortal?.begin(Self.order("a", bench.settlement("a"), bench), alone: true)
        guard case .begun = claim else {
            Issue.record("it did not begin")
            return
        }
        mortal = nil
        let next = try await Self.settle(bench.settlement("b"), bench)
        #expect(next.state?.isSettled == true && next.pauses == 8)
        #expect(bench.node.attemptCount == 1)
    }

    // MARK: Lost and older orders

    /// Copies the file of orders, or puts the copy back.
    private static func copy(_ from: String, _ to: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: to + suffix)
            guard FileManager.default.fileExists(atPath: from + suffix) else { continue }
            try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
        }
    }

    @Test("Orders that were lost, or put back from an older copy, are others', and know no name")
    func olderCopy() async throws {
        let (folder, bench) = (ScratchFolder(), try await WalletBench(.lnd))
        let (path, copy) = (folder.file("orders"), folder.file("copy"))
        func settler() async throws -> WalletSettler {
            WalletSettler(
                bench.wallet, orders: try await WalletOrders(path: path), reader: bench.reader, network: "regtest",
                clock: bench.clock)
        }
        let name: String
        do {
            let first = try await settler()
            name = first.name
            try await first.register("a")
        }
        #expect(try await settler().name == name)
        try Self.copy(path, copy)
        let settlement = try WalletChainTests.settlement()
        do { #expect(try await settler().settle(settlement).isSettled) }
        #expect(try await settler().name == name)
        try Self.copy(copy, path)
        var names: Set<String> = [name]
        for _ in 0..<2 {
            let older = try await settler()
            names.insert(older.name)
            #expect(try await older.order(named: "a") == nil, "a router does not ask it to pay")
        }
        #expect(names.count == 2, "it is called the same from then on")
        try Self.copy(copy, path)
        #expect(try await names.contains(settler().name) == false)
        try Self.copy(folder.file("none"), path)
        let lost = try await settler()
        #expect(lost.name != name)
        #expect(try await lost.order(named: "a") == nil)
        #expect(bench.node.chain.payments.count == 1)
    }
}
