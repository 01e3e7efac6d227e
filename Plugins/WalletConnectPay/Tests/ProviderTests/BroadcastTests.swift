import PaymentCore
import PaymentRouting
import Synchronization
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Coins that the wallet itself sends: the service can refuse the payer, but not undo the transfer (Protocol 4.4).
@Suite struct BroadcastTests {
    /// A wallet that counts the transactions it sends.
    private final class CountingWallet: PaymentSigner {
        let sent = Mutex(0)
        private let base: SandboxWallet
        init(_ base: SandboxWallet) { self.base = base }

        func supports(method: String) -> Bool { base.supports(method: method) }

        func sign(_ request: SigningRequest) async throws -> String {
            if request.method == "eth_sendTransaction" { sent.withLock { $0 += 1 } }
            return try await base.sign(request)
        }
    }

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
        #expect(wallet.sent.withLock { $0 } == 1)
        #expect(await world.journal.unfinished().count == 1)
    }

}
