import BitcoinSandbox
import Foundation
import PaymentCore
import PaymentTesting
import Testing

@testable import BitcoinWallets

/// Addresses paid by LND: what is signed is known here alone until it is published.
@Suite("Payments on the chain by LND")
struct LNDChainTests {
    @Test("A request that is lost leaves the payment open, and counts where it arrives late", arguments: [true, false])
    func requestLost(arrives: Bool) async throws {
        let bench = try await WalletBench(.lnd)
        bench.faults.inject(.dropBefore, when: WalletChainTests.isPublishing)
        let settlement = try WalletChainTests.settlement()
        #expect(try await bench.settler.settle(settlement).isInFlight)
        bench.mine(2015)
        #expect(try await bench.another().state(of: settlement).isInFlight)
        #expect(bench.node.chain.payments.isEmpty)
        if arrives {
            let lost = try #require(
                bench.faults.requests.last { $0.path == "/v2/wallet/tx" && $0.method == "POST" })
            let signed = try #require(try JSONValue(parsing: lost.body)["tx_hex"]?.string)
            let bytes = try #require(Data(base64Encoded: signed)).map(\.self)
            let transaction = ChainTransaction(id: "", address: "", amount: 0, fee: 0, signed: bytes)
            #expect(await (bench.wallet as? LNDWallet)?.publish(transaction) == .dealtWith)
            #expect(try await bench.another().state(of: settlement).isInFlight, "it is in no block")
            bench.mine(1)
            #expect(try await bench.another().state(of: settlement).isSettled)
            #expect(bench.node.chain.payments.map(\.amount) == [2100])
        } else {
            bench.mine(1)
            #expect(try await bench.another().state(of: settlement).hasSentNothing)
        }
    }

    @Test("A transaction that the node keeps while it broadcasts it is not yet paid, and may be dropped")
    func triesInVain() async throws {
        let bench = try await WalletBench(.lnd)
        bench.node.chain.publishing = .triesInVain
        bench.faults.inject(.stall(nil), when: WalletChainTests.isPublishing)
        let settlement = try WalletChainTests.settlement()
        let first = Task { try await bench.settler.settle(settlement) }
        while bench.faults.stalledCount == 0 { await Task.yield() }
        bench.faults.release()
        #expect(try await first.value.isInFlight, "the node keeps it")
        bench.node.chain.drop()
        #expect(try await bench.another().state(of: settlement).isInFlight)
        bench.mine(2016)
        #expect(try await bench.another().state(of: settlement).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty)
    }

    @Test("The key of a macaroon that may not publish is known to have sent nothing")
    func refused() async throws {
        let bench = try await WalletBench(.lnd)
        let denied = #"{"code":2,"message":"permission denied","details":[]}"#
        bench.faults.inject(.status(500, body: denied), when: WalletChainTests.isPublishing)
        let state = try await bench.settler.settle(WalletChainTests.settlement())
        #expect(state == .nothingSent(reason: "permission denied"))
    }

    @Test("A reservation whose answer is lost publishes nothing, and no later payment waits for it")
    func reservationLost() async throws {
        let bench = try await WalletBench(.lnd)
        bench.faults.inject(.dropAfter) { _, path in path == "/v2/wallet/psbt/fund" }
        #expect(try await bench.settler.settle(WalletChainTests.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty && bench.node.chain.reservedCount == 1)
        #expect(try await bench.settler.settle(WalletChainTests.settlement("b")).isSettled)
        // The lost name stays ended, although its coin is reserved.
        #expect(try await bench.another().settle(WalletChainTests.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.map(\.amount) == [2100])
    }

    @Test("What the node signs in another way is not published, and what it reserved is free", arguments: 0..<5)
    func other(number: Int) async throws {
        let bench = try await WalletBench(.lnd)
        let finalized = "/v2/wallet/psbt/finalize"
        // A transaction that spends what is not reserved, one that pays 2,101 satoshi, no transaction, none at all, an
        // error.
        let foreign =
            "02000000011a62fcc004efd39a7b3fe4f8fe2eef26ab47414f06e05e7eec20e8109376078e0000000000fdffffff01340800000000"
            + "0000220020819a6c0f60f0c015655fd15f678d18f2944159952e4d632b8eb5ada26586f910a0000000"
        let coin = String(repeating: "c0", count: 32)
        let other = "0200000001\(coin)0100000000fdffffff0235080000000000000151df380f0000000000015100000000"
        var texts = [foreign, other].map { Data(Hex.decode($0) ?? []).base64EncodedString() }
        texts += ["AAAA", "", ""]
        let body = #"{"signed_psbt":"","raw_final_tx":"\#(texts[number])"}"#
        bench.faults.inject(.status(number == 4 ? 500 : 200, body: body)) { _, path in path == finalized }
        #expect(try await bench.settler.settle(WalletChainTests.settlement()).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty && bench.node.chain.reservedCount == 0)
        #expect(!bench.faults.requests.contains { WalletChainTests.isPublishing($0.method, $0.path) })
    }
}
