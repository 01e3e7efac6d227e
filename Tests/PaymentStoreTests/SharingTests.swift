import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentWallet
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

@Suite("Routers that share a journal file", .serialized)
struct SharingTests {
    private let folder = ScratchFolder()

    private static func sandbox() -> WalletConnectPaySandbox {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        return WalletConnectPaySandbox(configuration)
    }

    /// A router with a separate connection, as in another process.
    private func router(_ service: any SandboxService) throws -> PaymentRouter {
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("key")))
        return PaymentRouter(
            registry: try ProviderRegistry([WalletConnectPayProvider(configuration: gateway)]),
            transport: SandboxTransport(service), journal: try SQLiteJournal(path: folder.file("journal")))
    }

    @Test("A hundred payments, each paid and recovered by three at once: a hundred captures, one outcome each")
    func race() async throws {
        let sandbox = Self.sandbox()
        var links: [String] = []
        for _ in 0..<100 { links.append(await sandbox.createPayment().link) }
        let routers = try (0..<3).map { _ in try router(sandbox) }
        let payer = DevelopmentWallet(seed: 3).payer(policy: .firstWhateverItCosts)
        let all = links
        let outcomes = try await withThrowingTaskGroup(of: (Int, [PaymentOutcome]).self) { group in
            for (index, router) in routers.enumerated() {
                group.addTask {
                    var outcomes: [PaymentOutcome] = []
                    for link in all {
                        outcomes.append(try await router.pay(link, as: payer))
                        if outcomes.count % 10 == index { _ = try await router.recover(as: payer) }
                    }
                    return (index, outcomes)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let ledger = await sandbox.ledger
        for (index, link) in links.enumerated() {
            let receipt = try #require(
                outcomes[0]?[index].receipt, "\(link): \(String(describing: outcomes[0]?[index]))")
            #expect(ledger.captures(of: receipt.reference.id) == 1)
            #expect(ledger.confirmRequests(of: receipt.reference.id) == 1)
            #expect(outcomes[1]?[index] == .succeeded(receipt) && outcomes[2]?[index] == .succeeded(receipt))
        }
    }

    @Test("A router that dies while the confirmation is in progress leaves a payment that the next one settles")
    func crash() async throws {
        let sandbox = Self.sandbox()
        let payment = await sandbox.createPayment()
        let payer = DevelopmentWallet(seed: 3).payer(policy: .firstWhateverItCosts)
        let faults = FaultInjector(sandbox)
        faults.inject(.dropAfter) { _, path in path.hasSuffix("/confirm") }
        do {
            let first = try router(faults)
            let task = Task { try await first.pay(payment.link, as: payer) }
            while await sandbox.ledger.confirmRequests(of: payment.id) == 0 { await Task.yield() }
            task.cancel()
            _ = try? await task.value
        }
        let reports = try await router(sandbox).recover(as: Payer())
        if let report = reports.first {
            guard case .success(.succeeded) = report.result else { throw try #require(report.failure) }
            #expect(report.isSettled)
        }
        let again = try await router(sandbox).pay(payment.link, as: payer)
        guard case .succeeded = again else { throw CancellationError() }
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
    }
}

extension RecoveryReport {
    fileprivate var failure: PaymentError? {
        if case .failure(let error) = result { error } else { nil }
    }
}
