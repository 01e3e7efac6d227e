import BitcoinWallets
import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTransport

/// Pays a contact by the invoice that they publish, from the user's own wallet at an LNbits server, with the money that
/// is there. It runs where `LNBITS_URL`, `LNBITS_KEY` (the admin key) and `LNBITS_INVOICE` (the payee's) are set.
struct OwnWallet {
    let sandbox: PubkySandbox
    let network: PubkyNetwork

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let address = environment["LNBITS_URL"], let key = environment["LNBITS_KEY"],
            let invoice = environment["LNBITS_INVOICE"]
        else {
            print("  skipped, since no LNbits is named here: 'make wallet-test' installs one and pays from it")
            return
        }
        let payee = PaykitClient(
            configuration: PaykitClientConfiguration(network: network), transport: StandardTransport())
        try await payee.initialize(
            secretKeyHex: String(repeating: "0a", count: 32), homeserverPubkey: sandbox.homeserver.text)
        try await payee.setEndpoint(methodId: "lightning", endpoint: invoice)
        guard let user = await payee.user else { return }

        let folder = URL.temporaryDirectory.appending(
            path: "paykit-contacts-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // An application keeps this file for as long as it has the wallet.
        let settler = WalletSettler(
            LNbitsWallet(at: try HTTPURL(service: address), key: Redacted(key), over: StandardTransport()),
            orders: try await WalletOrders(path: folder.appending(path: "orders").path), reader: StandardsReader())
        let router = PaymentRouter(
            registry: try ProviderRegistry([PaykitProvider(network: network, reader: StandardsReader())]),
            transport: StandardTransport(), journal: InMemoryJournal())
        let payer = Payer(
            policy: .first(upTo: [try Money(minorUnits: 5000, currency: .satoshi)]), settler: settler)
        // The payee publishes the same invoice still: it is not paid again.
        for _ in 0..<2 {
            switch try await router.pay("paykit:\(user.text)", as: payer) {
            case .succeeded(let receipt): print("  paid \(receipt.amount?.decimalText ?? "?") BTC")
            case .declined(let reason): print("  declined: \(reason.message)")
            case let other: print("  \(other)")
            }
        }
    }
}
