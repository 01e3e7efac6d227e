import BitcoinSandbox
import BitcoinWallets
import Foundation
import PaymentCore
import PaymentStandards
import PaymentTesting
import TestSupport

/// One simulated node with money, a wallet of it, and the settler that pays from it. What passes between them is held
/// against the facts of the node's published interface.
struct WalletBench {
    let node: SimulatedNode
    let traffic: WalletTraffic
    let faults: FaultInjector
    let clock: TestClock
    let wallet: any LightningWallet
    let settler: WalletSettler
    let reader = StandardsReader()
    private let folder: ScratchFolder

    /// - Parameter isTerse: true if the node answers with what its interface promises, and nothing else.
    init(
        _ face: SimulatedNode.Face, feeLimit: FeeLimit = .standard, key: String = SimulatedNode.key,
        isTerse: Bool = false
    ) async throws {
        clock = TestClock()
        folder = ScratchFolder()
        node = SimulatedNode(face, clock: clock)
        traffic = WalletTraffic(try WalletFacts(face))
        faults = FaultInjector(WatchedNode(node: node, traffic: traffic, isTerse: isTerse), clock: clock)
        // Requests take real time, so that none ends when a test sets the clock forward.
        wallet = try Self.wallet(face, over: WatchedTransport(base: SandboxTransport(faults), traffic: traffic), key)
        settler = try await Self.settler(wallet, folder, clock, feeLimit)
    }

    static func wallet(
        _ face: SimulatedNode.Face, over transport: any HTTPTransport, _ key: String = SimulatedNode.key
    ) throws -> any LightningWallet {
        let (url, key) = (try HTTPURL(service: "https://node.example"), Redacted(key))
        return switch face {
        case .lnbits: LNbitsWallet(at: url, key: key, over: transport)
        case .lnd: LNDWallet(at: url, macaroon: key, over: transport)
        case .coreLightning: CoreLightningWallet(at: url, rune: key, over: transport)
        case .phoenixd: PhoenixdWallet(at: url, password: key, over: transport)
        }
    }

    private static func settler(
        _ wallet: any LightningWallet, _ folder: ScratchFolder, _ clock: TestClock, _ feeLimit: FeeLimit = .standard,
        services: (any HTTPTransport)? = nil, comment: String? = nil
    ) async throws -> WalletSettler {
        WalletSettler(
            wallet, orders: try await WalletOrders(path: folder.file("orders")), reader: StandardsReader(),
            network: "regtest", feeLimit: feeLimit, services: services, comment: { _ in comment }, clock: clock)
    }

    /// A settler that asks the services of Lightning addresses.
    func asking(_ service: any SandboxService, comment: String? = nil) async throws -> WalletSettler {
        try await Self.settler(
            wallet, folder, clock, services: SandboxTransport(service, clock: clock), comment: comment)
    }

    /// The orders as another process of the same machine has them.
    func orders() async throws -> WalletOrders { try await WalletOrders(path: folder.file("orders")) }

    /// A settler as another process of the same machine has it.
    func another(_ wallet: (any LightningWallet)? = nil) async throws -> WalletSettler {
        try await Self.settler(wallet ?? self.wallet, folder, clock)
    }

    /// A bench and a settlement of a new invoice.
    static func ready(
        _ face: SimulatedNode.Face, _ scenario: NodeScenario? = nil
    ) async throws -> (WalletBench, Settlement) {
        let bench = try await WalletBench(face)
        if let scenario { bench.node.scenario = scenario }
        return (bench, try bench.settlement())
    }

    /// A settlement of a new invoice over 21 satoshi.
    func settlement(_ key: String = "a", number: Int? = nil, lifetime: UInt64 = 3600) throws -> Settlement {
        try settlement(key, node.invoice(21_000, number: number, lifetime: lifetime))
    }

    func settlement(_ key: String, _ invoice: SimulatedInvoice) throws -> Settlement {
        Settlement(key: key, endpoint: invoice.endpoint, amount: try Money(minorUnits: 21, currency: .satoshi))
    }

    /// Removes the file of orders: what is written to it now, no other process sees.
    func spoilOrders() throws { try FileManager.default.removeItem(atPath: folder.file("orders")) }

    /// Lets the chain grow.
    func mine(_ blocks: Int) { clock.advance(by: .seconds(600 * blocks)) }

    /// True if the wallet refuses expired invoices, so that a lost request ends with its invoice.
    var refusesExpired: Bool { wallet.conduct.refusesExpired }

    /// The number of blocks in which an invoice of an hour has expired, whatever a clock says.
    static let lifetime = 144 + 12

    /// True for a request to pay.
    static func isOrder(_ method: String, _ path: String) -> Bool {
        ["/api/v1/payments", "/v2/router/send", "/v1/xpay", "/payinvoice"].contains(path) && method == "POST"
    }
}

extension WalletSettler {
    private struct NoOrder: Error {}

    /// Returns what the order of a settlement's name says.
    func state(of settlement: Settlement) async throws -> SettlementState {
        guard let order = try await order(named: settlement.key) else { throw NoOrder() }
        return order.state
    }
}

extension SettlementState {
    var isSettled: Bool { if case .settled = self { true } else { false } }
    var isInFlight: Bool { if case .inFlight = self { true } else { false } }
    var hasSentNothing: Bool { if case .nothingSent = self { true } else { false } }
}
