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
    /// A slow disk, which delays the wallet's signature.
    private struct SlowJournal: PaymentJournal {
        let base = InMemoryJournal()
        let clock: VirtualClock
        let time: Once

        func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool { await base.acquire(lease, at: now) }
        func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
        func release(_ lease: PaymentLease) async throws { await base.release(lease) }
        func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
            try await base.open(attempt, under: lease)
        }
        func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
            try await base.append(entry, to: attempt, under: lease)
            if case .stepStarted(let name, _) = entry.event, name.hasPrefix("sign") { clock.advance(by: time.take()) }
        }
        func history(of attempt: AttemptID) async throws -> AttemptHistory? { await base.history(of: attempt) }
        func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
            await base.histories(of: payment)
        }
        func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
            await base.refunds(relatedTo: refund)
        }
        func unfinished() async throws -> [AttemptHistory] { await base.unfinished() }
    }

    /// Sends transactions, and counts them.
    private struct Sender: PaymentSigner {
        let sent = Count()

        func supports(method: String) -> Bool { true }

        func sign(_ request: SigningRequest) async throws -> String {
            sent.add()
            return "0x" + String(repeating: "ab", count: 32)
        }
    }

    @Test("The wallet sends no coin at a price that is over by then", arguments: [299, 300, 3000])
    func overWhenTheWalletIsAsked(seconds: Int) async throws {
        let clock = VirtualClock()
        let sandbox = WalletConnectPaySandbox(clock: clock)
        let journal = SlowJournal(clock: clock, time: Once(.seconds(seconds)))
        let router = PaymentRouter(
            registry: try ProviderRegistry([
                WalletConnectPayProvider(
                    configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("k"))))
            ]), transport: SandboxTransport(sandbox), journal: journal, clock: clock)
        let sender = Sender()
        let payer = Payer(
            accounts: DevelopmentWallet(seed: 7).accounts(onChains: [1, 10, 8453]), signer: sender,
            chooser: { $0.options.first?.id })
        let payment = await sandbox.createPayment(.nativeCoin)
        let first = try? await router.pay(payment.link, as: payer)
        #expect(sender.sent.value == (seconds < 300 ? 1 : 0))
        #expect((first != nil) == (seconds != 300), "the payment itself lasts longer than its price")
        guard seconds == 300 else { return }
        // Nothing was sent, so it can be paid at the next price.
        #expect(try await journal.unfinished().isEmpty)
        _ = try await router.pay(payment.link, as: payer)
        #expect(sender.sent.value == 1)
    }
}

/// A delay that happens once.
private final class Once: Sendable {
    private let left: Mutex<Duration>

    init(_ time: Duration) { left = Mutex(time) }

    func take() -> Duration {
        left.withLock { left in
            defer { left = .zero }
            return left
        }
    }
}

private final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
