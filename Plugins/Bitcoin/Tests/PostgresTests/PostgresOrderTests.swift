import BitcoinSandbox
import PaymentCore
import PaymentPostgres
import PaymentStandards
import PaymentTesting
import PostgresServing
import TestSupport
import Testing

@testable import BitcoinWallets

/// Orders that several machines share: each machine has its own store, and a clock that may be wrong.
@Suite(
    "Orders at wallets in PostgreSQL",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct PostgresOrderTests {
    private let proxy: CuttingProxy
    private let configuration: PostgresConfiguration
    private let clock = TestClock()
    private let node: SimulatedNode
    private let wallet: LNbitsWallet

    init() async throws {
        (proxy, configuration) = try await PostgresServer.shared().proxied()
        node = SimulatedNode(.lnbits, clock: clock)
        wallet = LNbitsWallet(
            at: try HTTPURL(service: "https://node.example"), key: Redacted(SimulatedNode.key),
            over: SandboxTransport(node, clock: clock))
    }

    /// Another machine's store, whose leases end by the tests' clock.
    private func orders(lease: Duration = .seconds(600), timeout: Duration? = nil) async throws -> WalletOrders {
        var configuration = configuration
        configuration.timeout = timeout ?? configuration.timeout
        let store = try await PostgresStore(configuration, clock: .simulated(clock))
        return try await WalletOrders(PostgresRecords(store), lease: lease, clock: clock)
    }

    private func settler(
        _ orders: WalletOrders, at wallet: (any LightningWallet)? = nil, clock: (any PaymentClock)? = nil
    ) -> WalletSettler {
        WalletSettler(
            wallet ?? self.wallet, orders: orders, reader: StandardsReader(), network: "regtest",
            clock: clock ?? self.clock)
    }

    private func settlement(_ key: String, _ invoice: SimulatedInvoice) throws -> Settlement {
        Settlement(key: key, endpoint: invoice.endpoint, amount: try Money(minorUnits: 21, currency: .satoshi))
    }

    /// A wallet whose server answers no request to pay, until the connection is closed.
    private struct SilentWallet: LightningWallet {
        let base: any LightningWallet
        let asked: AsyncStream<Void>.Continuation

        var name: String { base.name }
        var conduct: WalletConduct { base.conduct }

        func account() async throws(PaymentError) -> WalletAccount { try await base.account() }

        func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? { nil }

        func pay(_ invoice: WalletInvoice) async -> WalletAnswer {
            asked.finish()
            try? await Task.sleep(for: .seconds(3600))
            return .nothing
        }

        func record(
            of invoice: WalletInvoice, in account: WalletAccount
        ) async throws(PaymentError) -> WalletRecord { try await base.record(of: invoice, in: account) }
    }

    @Test("The settler keeps the rules of settlers")
    func conforms() async {
        let report = await SettlerConformance.check(
            SettlerSubject("PostgreSQL") {
                let bench = try await PostgresOrderTests()
                let orders = try await bench.orders()
                return SettlerSubject.Wallet(
                    bench.settler(orders),
                    invoice: {
                        (try bench.node.invoice(21_000).endpoint, try Money(minorUnits: 21, currency: .satoshi))
                    },
                    payments: { bench.node.sentCount },
                    refuse: { bench.node.balance = $0 ? 0 : 1_000_000_000 },
                    reopen: { bench.settler(try await bench.orders()) })
            })
        #expect(report.isComplete, "\(report)")
    }

    @Test("Of eight machines that want the same invoice under different names, one requests it")
    func names() async throws {
        let invoice = try node.invoice(21_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let settler = settler(try await orders())
                let settlement = try settlement("name \(number)", invoice)
                group.addTask { _ = try await settler.settle(settlement) }
            }
            try await group.waitForAll()
        }
        #expect(node.attemptCount == 1)
    }

    @Test("Of eight machines that pay under one name, one requests it, and all agree")
    func oneName() async throws {
        let settlement = try settlement("a", node.invoice(21_000))
        let machines = try await [settler(orders()), settler(orders())]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 { group.addTask { _ = try await machines[number % 2].settle(settlement) } }
            try await group.waitForAll()
        }
        #expect(node.attemptCount == 1)
        for machine in machines {
            guard case .settled? = try await machine.order(named: "a")?.state else {
                Issue.record("it is not settled")
                return
            }
        }
    }

    @Test("The request of a machine that died is over with its lease, and open until a person ends it")
    func dead() async throws {
        let (mortal, other) = try await (orders(), settler(orders()))
        let settlement = try settlement("a\u{0}", node.invoice(21_000))
        guard case .begun(let request) = try await mortal.begin(order(settlement), alone: false) else {
            Issue.record("it did not begin")
            return
        }
        clock.advance(by: .seconds(599))
        #expect(try await other.settle(settlement) == .inFlight(retryAfter: WalletSettler.pause), "it may live")
        #expect(try await other.orders.order(named: settlement.key, at: clock.now)?.state == .sending)
        clock.advance(by: .seconds(2))
        let open = SettlementState.inFlight(retryAfter: WalletSettler.blockPause)
        #expect(try await other.settle(settlement) == open)
        // A machine whose clock is wrong states nothing earlier.
        let ahead = settler(try await orders(), clock: OffsetClock(clock, by: 86_400 * 30))
        #expect(try await ahead.settle(settlement) == open)
        // One that was only stopped writes nothing any more.
        try await mortal.end(request, isDealtWith: true, now: clock.now)
        #expect(try await ahead.settle(settlement) == open)
        // The request may wait in the server's queue: a person ends it.
        #expect(try await other.end(settlement.key, because: "looked at") == .nothingSent(reason: "looked at"))
        #expect(try await ahead.settle(settlement) == .nothingSent(reason: "looked at"))
        #expect(node.attemptCount == 0)
    }

    /// An order of a settlement that is being sent.
    private func order(_ settlement: Settlement) async throws -> WalletOrder {
        let invoice = WalletInvoice(
            text: settlement.endpoint.text, paymentHash: settlement.endpoint.paymentHash ?? "", amount: 21_000,
            isAmountless: false, feeLimit: 10_000)
        return WalletOrder(
            name: settlement.key, wallet: try await wallet.account().id, payment: .invoice(invoice),
            placedAt: clock.now,
            state: .sending)
    }

    @Test("A machine that stores an order too late sends nothing, and says so")
    func late() async throws {
        let settlement = try settlement("a", node.invoice(21_000))
        guard case .nothingSent = try await settler(orders(lease: .zero)).settle(settlement) else {
            Issue.record("it was sent")
            return
        }
        #expect(node.attemptCount == 0)
        #expect(try await settler(orders()).order(named: "a")?.state.isOpen == false)
    }

    @Test("A machine that loses the database closes its request; another one asks the wallet")
    func cutOff() async throws {
        let settlement = try settlement("a", node.invoice(21_000))
        let (asked, asks) = AsyncStream.makeStream(of: Void.self)
        let alone = settler(
            try await orders(timeout: .seconds(3)), at: SilentWallet(base: wallet, asked: asks))
        let paying = Task { try await alone.settle(settlement) }
        for await _ in asked {}
        // Its renewals, and the look at its end.
        await clock.sleepers(2)
        proxy.decide { _, _ in .isLost }
        clock.advance(by: .seconds(540))
        // Its request ends although nothing answers; then it cannot say what became of it.
        await #expect(throws: (any Error).self) { try await paying.value }
        proxy.decide { _, _ in .passes }
        let other = settler(try await orders())
        #expect(try await other.settle(settlement).isOpen)
        clock.advance(by: .seconds(60))
        #expect(try await other.settle(settlement).isOpen)
    }

    @Test(
        "A lost answer to a commit neither begins an order twice nor ends it otherwise",
        arguments: [CuttingProxy.Fate.arrivesLast, .isLost])
    func lostAnswers(fate: CuttingProxy.Fate) async throws {
        let settler = settler(try await orders())
        // The order, the end of its request, and its proof.
        var (number, isLast) = (0, false)
        while !isLast {
            number += 1
            let (settlement, counter, lost) = (
                try settlement("name \(number)", node.invoice(21_000)), Counter(), number
            )
            proxy.decide { toServer, packet in
                toServer && packet.contains("COMMIT\u{0}") && counter.next() == lost ? fate : .passes
            }
            let state = try await settler.settle(settlement)
            guard case .settled = state else {
                Issue.record("\(state)")
                return
            }
            isLast = counter.count < number
        }
        #expect(number > 3)
        #expect(node.attemptCount == number)
        #expect(node.sentCount == number)
    }
}

extension SettlementState {
    /// False where it is known what became of the payment.
    fileprivate var isOpen: Bool { if case .inFlight = self { true } else { false } }
}
