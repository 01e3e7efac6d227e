import BitcoinProvider
import BitcoinWallets
import Foundation
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting

// Pays a Lightning address from the payer's own wallet at an LNbits server. The server and the payee's service are
// simulated, in this process: no money moves. Run it with `swift run pay-a-lightning-address`.

let lnbits = SimulatedLNbits()
let wallet = FaultInjector(lnbits)
let payee = AddressService()

let folder = URL.temporaryDirectory.appending(
    path: "pay-a-lightning-address-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

// The wallet, and the orders that keep a payment from being made twice.
let settler = WalletSettler(
    LNbitsWallet(
        at: try HTTPURL(service: "https://lnbits.example"), key: Redacted(SimulatedLNbits.key),
        over: SandboxTransport(wallet)),
    orders: try await WalletOrders(path: folder.appending(path: "orders").path), reader: StandardsReader(),
    network: "regtest", services: SandboxTransport(payee))

let router = PaymentRouter(
    registry: try ProviderRegistry([BitcoinProvider(reader: StandardsReader())]), transport: SandboxTransport(wallet),
    journal: InMemoryJournal(), readers: [StandardsReader()])
let amount = try Money(minorUnits: 21, currency: .satoshi)
// A limit covers the fee of the route, too.
let limit = try Money(minorUnits: 50, currency: .satoshi)
let payer = Payer(policy: .first(upTo: [limit]), settler: settler, amountChooser: { _ in amount })

func pay(_ text: String) async {
    do { print("  \(try await router.pay(text, as: payer))") } catch { print("  \(error)") }
}

print("an address:")
await pay("lightning:ann@pay.example")

print("the same address again, and the wallet's answer is lost:")
wallet.inject(.dropAfter) { method, path in method == "POST" && path == "/api/v1/payments" }
await pay("lightning:ann@pay.example")

print("a service whose invoice is over more than was asked for:")
await payee.askForMore()
await pay("lightning:ann@pay.example")

let (sent, invoices) = (await lnbits.sentCount, await payee.invoiceCount)
print("the wallet has sent \(sent) payments; the service gave out \(invoices) invoices")
