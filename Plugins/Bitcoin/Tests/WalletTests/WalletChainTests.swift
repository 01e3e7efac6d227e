import BitcoinSandbox
import PaymentCore
import PaymentTesting
import Testing

@testable import BitcoinWallets

/// Addresses on the chain: a transaction is stored before it is published, so that it can be asked for.
@Suite("Payments on the chain by wallets")
struct WalletChainTests {
    private static let address = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"

    static func settlement(_ key: String = "a", satoshi: UInt64 = 2100) throws -> Settlement {
        Settlement(
            key: key, endpoint: SettlementEndpoint(.bitcoinAddress, text: address, network: "regtest"),
            amount: try Money(minorUnits: UInt128(satoshi), currency: .satoshi))
    }

    static func isPublishing(_ method: String, _ path: String) -> Bool {
        method == "POST" && (path == "/v1/txsend" || path == "/v2/wallet/tx")
    }

    private static let faces: [SimulatedNode.Face] = [.coreLightning, .lnd]

    @Test("An address is paid once for each name, and the proof is the transaction", arguments: faces)
    func paid(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        #expect(bench.settler.canSettle(.bitcoinAddress, on: "regtest"))
        #expect(!bench.settler.canSettle(.bitcoinAddress, on: "mainnet"))
        let state = try await bench.settler.settle(Self.settlement())
        guard case .settled(.transaction(let id)) = state else {
            Issue.record("\(state)")
            return
        }
        #expect(try await bench.another().settle(Self.settlement()) == state)
        let order = try #require(try await bench.settler.order(named: "a"))
        #expect(try order.endpoint == Self.settlement().endpoint && order.state == state)
        guard case .transaction(let transaction)? = try await bench.settler.walletOrder(named: "a")?.payment else {
            Issue.record("it has no transaction")
            return
        }
        #expect(transaction == ChainTransaction(id: id, address: Self.address, amount: 2100, fee: 300))
        #expect(bench.node.chain.payments.map(\.amount) == [2100])
        // An address takes every payment.
        #expect(try await bench.settler.settle(Self.settlement("b")).isSettled)
        #expect(bench.node.chain.payments.count == 2)
    }

    @Test(
        "Only a wallet that prepares transactions pays on the chain",
        arguments: [.lnbits, .phoenixd] as [SimulatedNode.Face])
    func others(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        #expect(!bench.settler.canSettle(.bitcoinAddress, on: "regtest"))
        #expect(try await bench.settler.settle(Self.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty)
    }

    @Test("A transaction whose answer is lost is found by its id", arguments: faces, [true, false])
    func answerLost(face: SimulatedNode.Face, isRestarted: Bool) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.dropAfter, when: Self.isPublishing)
        let state = try await bench.settler.settle(Self.settlement())
        if isRestarted { bench.node.chain.restart() }
        // LND may still drop what is in no block.
        #expect(face == .lnd ? state.isInFlight : state.isSettled, "\(state)")
        bench.mine(1)
        #expect(try await bench.another().state(of: Self.settlement()).isSettled)
        #expect(bench.node.chain.payments.count == 1)
    }

    @Test("A request that is lost publishes nothing, not even late")
    func requestLost() async throws {
        let bench = try await WalletBench(.coreLightning)
        bench.faults.inject(.dropBefore, when: Self.isPublishing)
        #expect(try await bench.settler.settle(Self.settlement()).hasSentNothing)
        guard case .transaction(let transaction)? = try await bench.settler.walletOrder(named: "a")?.payment,
            let wallet = bench.wallet as? any ChainWallet
        else {
            Issue.record("it has no transaction")
            return
        }
        // The lost request arrives after all.
        #expect(await wallet.publish(transaction) == .sentNothing(reason: "not an unreleased txid '\(transaction.id)'"))
        #expect(bench.node.chain.payments.isEmpty && bench.node.chain.reservedCount == 0)
        #expect(try await bench.settler.settle(Self.settlement("b")).isSettled)
    }

    @Test("A transaction that is being published is not discarded by another process", arguments: faces)
    func beingPublished(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.stall(nil), when: Self.isPublishing)
        let first = Task { try await bench.settler.settle(Self.settlement()) }
        while bench.faults.stalledCount == 0 { await Task.yield() }
        let other = try await bench.another()
        #expect(try await other.state(of: Self.settlement()).isInFlight)
        #expect(try await other.abandon("a").isInFlight)
        bench.faults.release()
        #expect(try await first.value.isSettled)
        #expect(try await other.settle(Self.settlement()).isSettled)
        #expect(bench.node.chain.payments.count == 1)
    }

    @Test("A node that states another transaction's id publishes nothing")
    func otherID() async throws {
        let bench = try await WalletBench(.coreLightning)
        let transaction =
            "02000000011a62fcc004efd39a7b3fe4f8fe2eef26ab47414f06e05e7eec20e8109376078e0000000000fdffffff01340800000000"
            + "0000220020819a6c0f60f0c015655fd15f678d18f2944159952e4d632b8eb5ada26586f910a0000000"
        let body = #"{"psbt":"","unsigned_tx":"\#(transaction)","txid":"\#(String(repeating: "a", count: 64))"}"#
        bench.faults.inject(.status(201, body: body)) { _, path in path == "/v1/txprepare" }
        let funds = #"{"txid":"8e07769310e8c2ee7ee5e0064f4147ab26effef8e43f7b9ad3ef04c0fc622a1a","output":0,"#
        bench.faults.inject(.status(201, body: #"{"outputs":[\#(funds)"amount_msat":2200000}],"channels":[]}"#)) {
            _, path in path == "/v1/listfunds"
        }
        guard case .nothingSent(let reason) = try await bench.settler.settle(Self.settlement()) else {
            Issue.record("it paid")
            return
        }
        #expect(reason?.contains("transaction") == true)
        #expect(!bench.faults.requests.contains { $0.path == "/v1/txsend" })
    }

    @Test("A node that has forgotten a transaction leaves it open for as long as it may be somewhere")
    func forgotten() async throws {
        let bench = try await WalletBench(.coreLightning)
        bench.faults.inject(.dropBefore, when: Self.isPublishing)
        bench.faults.inject(.dropBefore) { _, path in path == "/v1/txdiscard" }
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(Self.settlement()) }
        bench.node.chain.restart()
        #expect(try await bench.settler.state(of: Self.settlement()).isInFlight)
        bench.mine(2015)
        #expect(try await bench.settler.state(of: Self.settlement()).isInFlight)
        bench.mine(1)
        #expect(try await bench.settler.state(of: Self.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty)
    }

    /// A wallet whose held request is carried out when it is asked to discard the transaction.
    private struct LateWallet: ChainWallet {
        let base: CoreLightningWallet

        var name: String { base.name }
        var conduct: WalletConduct { base.conduct }
        func account() async throws(PaymentError) -> WalletAccount { try await base.account() }
        func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String? { nil }
        func pay(_ invoice: WalletInvoice) async -> WalletAnswer { .nothing }
        func record(
            of invoice: WalletInvoice, in account: WalletAccount
        ) async throws(PaymentError) -> WalletRecord { .none }
        func prepare(payingTo address: String, _ amount: UInt64) async throws(PaymentError) -> ChainTransaction {
            try await base.prepare(payingTo: address, amount)
        }
        func publish(_ transaction: ChainTransaction) async -> WalletAnswer { await base.publish(transaction) }
        func record(of transaction: ChainTransaction) async throws(PaymentError) -> ChainRecord {
            try await base.record(of: transaction)
        }
        func discard(_ transaction: ChainTransaction) async throws(PaymentError) -> Bool {
            _ = await base.publish(transaction)
            return try await base.discard(transaction)
        }
    }

    @Test("A request that is carried out between two questions is never called unsent, however late")
    func arrivesBetween() async throws {
        let bench = try await WalletBench(.coreLightning)
        bench.faults.inject(.dropBefore, when: Self.isPublishing)
        bench.faults.inject(.dropBefore) { _, path in path == "/v1/txdiscard" }
        await #expect(throws: PaymentError.self) { try await bench.settler.settle(Self.settlement()) }
        bench.mine(2016)
        let late = try await bench.another(LateWallet(base: try #require(bench.wallet as? CoreLightningWallet)))
        #expect(try await late.state(of: Self.settlement()).isInFlight)
        #expect(bench.node.chain.payments.count == 1)
        #expect(try await late.state(of: Self.settlement()).isSettled)
    }

    @Test(
        "A node that says no is not believed before its records are asked, and then for long enough", arguments: faces)
    func saysNo(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.node.chain.publishing = .takesAndSaysNo
        let state = try await bench.settler.settle(Self.settlement())
        #expect(face == .lnd ? state.isInFlight : state.isSettled)
        bench.mine(1)
        #expect(try await bench.settler.state(of: Self.settlement()).isSettled)
        bench.node.chain.publishing = .refuses
        #expect(try await bench.settler.settle(Self.settlement("b")).isInFlight)
        bench.mine(2016)
        #expect(try await bench.settler.state(of: Self.settlement("b")).hasSentNothing)
        #expect(bench.node.chain.payments.count == 1)
    }

    @Test("A transaction is asked for by its id, however many the wallet has", arguments: faces)
    func manyTransactions(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        for _ in 0..<3 { bench.node.chain.addOthers(1000) }
        let state = try await bench.settler.settle(Self.settlement())
        #expect(state.isSettled, "\(state)")
        #expect(bench.traffic.exchanges.allSatisfy { $0.response.body.count < 1 << 16 })
    }

    @Test("What the wallet cannot be asked about is not published", arguments: faces)
    func unaskable(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.faults.inject(.status(500, body: #"{"code":-1,"message":"no"}"#)) { method, path in
            path == "/v1/sql" || path == "/v2/wallet/tx" && method == "GET"
        }
        #expect(try await bench.settler.settle(Self.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty && bench.node.chain.reservedCount == 0)
    }

    @Test("What is not sent leaves nothing reserved", arguments: faces, [200, 999_900] as [UInt64])
    func refused(face: SimulatedNode.Face, satoshi: UInt64) async throws {
        let bench = try await WalletBench(face)
        #expect(try await bench.settler.settle(Self.settlement(satoshi: satoshi)).hasSentNothing)
        #expect(bench.node.chain.reservedCount == 0)
    }

    @Test("A transaction whose fee cannot be determined is discarded")
    func unknownFee() async throws {
        let bench = try await WalletBench(.coreLightning)
        bench.faults.inject(.dropBefore) { _, path in path == "/v1/listfunds" }
        #expect(try await bench.settler.settle(Self.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty && bench.node.chain.reservedCount == 0)
    }

    @Test("A transaction above the limit of fees is discarded", arguments: faces)
    func tooDear(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        bench.node.chain.fee = 10_022
        #expect(try await bench.settler.settle(Self.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty && bench.node.chain.reservedCount == 0)
        bench.node.chain.fee = 10_021
        #expect(try await bench.settler.settle(Self.settlement("b")).isSettled)
    }

    @Test("Of eight processes that pay under one name, one does", arguments: faces)
    func concurrent(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                let settler = try await bench.another()
                group.addTask { _ = try await settler.settle(Self.settlement()) }
            }
            try await group.waitForAll()
        }
        #expect(bench.node.chain.payments.count == 1)
        #expect(try await bench.settler.state(of: Self.settlement()).isSettled)
        #expect(bench.node.chain.reservedCount == 1)
    }

    @Test("An abandoned name is paid on no chain, and a published transaction stays paid", arguments: faces)
    func abandoned(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        #expect(try await bench.settler.abandon("a").hasSentNothing)
        #expect(try await bench.settler.settle(Self.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty)
        _ = try await bench.settler.settle(Self.settlement("b"))
        #expect(try await bench.settler.abandon("b").isSettled)
    }
}
