import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// The price of a chain's native coin is valid for five minutes, and a sent coin does not return (Protocol 4.1).
@Suite struct PriceTests {
    /// A journal that reports its entries once they are stored.
    private struct ReportingJournal: ForwardingJournal {
        let base = InMemoryJournal()
        let report: @Sendable (JournalEntry) -> Void

        func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
            try await base.append(entry, to: attempt, under: lease)
            report(entry)
        }
    }

    @Test("The wallet sends no coin at a price that is over by then", arguments: [299, 300, 3000])
    func overWhenTheWalletIsAsked(seconds: Int) async throws {
        let world = PayWorld(at: 1_800_000_000)
        // A slow disk, which delays the wallet's signature once.
        let delay = Mutex(Duration.seconds(seconds))
        let journal = ReportingJournal { entry in
            guard case .stepStarted(let name, _) = entry.event, name.hasPrefix("sign") else { return }
            world.clock.advance(
                by: delay.withLock { left in
                    defer { left = .zero }
                    return left
                })
        }
        let router = try world.router(of: try world.provider(), journal: journal)
        let keys = DevelopmentWallet(seed: 7)
        let wallet = CountingWallet(SandboxWallet(keys))
        let payer = Payer(
            accounts: keys.accounts(onChains: [1, 10, 8453]), signer: wallet, chooser: { $0.options.first?.id })
        let payment = await world.sandbox.createPayment(.nativeCoin)
        let first = try? await router.pay(payment.link, as: payer)
        #expect(wallet.sent.count == (seconds < 300 ? 1 : 0))
        #expect((first != nil) == (seconds != 300), "the payment itself lasts longer than its price")
        guard seconds == 300 else { return }
        // Nothing was sent, so it can be paid at the next price.
        #expect(try await journal.unfinished().isEmpty)
        _ = try await router.pay(payment.link, as: payer)
        #expect(wallet.sent.count == 1)
    }
}
