import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTransport

/// Pays people of a simulated network through a router, which asks them over a private channel where they have one.
struct PrivateRouting {
    let sandbox: PubkySandbox
    let url: HTTPURL
    let keyPair: PubkyKeyPair

    /// Returns a router that prefers private payments, or makes no others.
    private func router(_ use: PaykitChannelPayments.Use) throws -> PaymentRouter {
        let privately = try PaykitChannelPayments(
            as: keyPair, over: TCPTransport(), store: InMemoryRecords(), use: use, chain: .regtest)
        let provider = PaykitProvider(
            network: try .sandbox(url), reader: StandardsReader(), privately: privately)
        return PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: StandardTransport(), journal: InMemoryJournal())
    }

    /// Pays a peer of this manner.
    func pay(_ manner: PubkySandbox.PeerManner, _ use: PaykitChannelPayments.Use) async throws {
        let peer = try await sandbox.createPeer(manner, over: TCPTransport())
        let listening = Task { await peer.run() }
        defer { listening.cancel() }
        print("- \(peer.user.name) \(manner.summary)\(use == .only ? "; only private payments are wanted" : "")")
        let payer = Payer(
            policy: .first(upTo: [try Money(minorUnits: 5000, currency: .satoshi)]),
            settler: SandboxSettler(at: url, over: StandardTransport()))
        let router = try router(use)
        do throws(PaymentError) {
            switch try await router.pay(peer.user.link, as: payer) {
            case .succeeded(let receipt):
                print("  paid \(receipt.amount?.minorUnitText ?? "?") satoshi")
            case .declined(let reason): print("  declined: \(reason.message)")
            case let other: print("  \(other)")
            }
        } catch { print("  \(error.code.rawValue): \(error.message)") }
    }
}
