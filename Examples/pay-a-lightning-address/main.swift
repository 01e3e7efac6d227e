import BitcoinProvider
import BitcoinSandbox
import BitcoinWallets
import Foundation
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentStore
import PaymentTesting

// A Lightning address, paid from the payer's own wallet: here a simulated LNbits, and a simulated service of the payee.

let node = SimulatedNode(.lnbits)
let wallet = FaultInjector(node)
let payee = AddressService(node: node)

let folder = URL.temporaryDirectory.appending(
    path: "pay-a-lightning-address-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

// The wallet, and the orders that keep a payment from being made twice.
let settler = WalletSettler(
    LNbitsWallet(
        at: try HTTPURL(service: "https://lnbits.example"), key: Redacted(SimulatedNode.key),
        over: SandboxTransport(wallet)),
    orders: try WalletOrders(path: folder.appending(path: "orders").path), reader: StandardsReader(),
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

print("the same address once more, and the wallet's answer is lost:")
wallet.inject(.dropAfter) { method, path in method == "POST" && path == "/api/v1/payments" }
await pay("lightning:ann@pay.example")

print("a service whose invoice is over more than was asked for:")
payee.asksForMore()
await pay("lightning:ann@pay.example")

print("the wallet has sent \(node.sentCount) payments; the service made \(payee.invoiceCount) invoices")
