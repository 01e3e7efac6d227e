import PaymentCore
import PaymentRouting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Coins that the wallet itself sends: the service can refuse the payer, but not undo the transfer (Protocol 4.4).
@Suite struct BroadcastTests {
    @Test("A refusal after the coins were sent is not reported as unpaid, and they are sent once")
    func refusedAfterSending() async throws {
        let (world, payment) = try await TestWorld.made(.sanctionedAtConfirm)
        let wallet = CountingWallet(SandboxWallet(world.wallet))
        var payer = SandboxWallet(world.wallet).payer(chooser: { quote in
            quote.options.first { $0.needs.contains(.signing(method: "eth_sendTransaction")) }?.id
        })
        payer.signer = wallet
        for _ in 0..<3 {
            let outcome = try await world.router.pay(payment.link, as: payer)
            #expect(outcome.isUnknown)
        }
        #expect(wallet.sent.count == 1)
        #expect(await world.journal.unfinished().count == 1)
    }
}
