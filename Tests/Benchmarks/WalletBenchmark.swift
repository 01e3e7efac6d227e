import BitcoinProvider
import BitcoinSandbox
import BitcoinWallets
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStandards
import PaymentStore
import PaymentTransport
import Synchronization
import TestSupport

/// Payments from a wallet at an LNbits server, with the journal and the orders on the disk: the time of each, and the
/// part of it that is not the wait for the server. The server is simulated, over loopback, unless `LNBITS_URL`,
/// `LNBITS_KEY` (the payer's admin key) and `LNBITS_PAYEE_KEY` name a real one.
enum WalletBenchmark {
    private static let payments = 60
    private static let warmUp = 5

    private struct NotPaid: Error {}

    static func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wallet-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = try Place()
        let transport = WatchedTransport(base: StandardTransport())
        let settler = WalletSettler(
            LNbitsWallet(at: place.url, key: place.key, over: transport),
            orders: try await WalletOrders(path: folder.appending(path: "orders").path), reader: StandardsReader(),
            network: place.network)
        let router = PaymentRouter(
            registry: try ProviderRegistry([BitcoinProvider(reader: StandardsReader())]), transport: transport,
            journal: try SQLiteJournal(path: folder.appending(path: "journal").path), readers: [StandardsReader()])
        let payer = Payer(policy: .firstWhateverItCosts, settler: settler)

        var samples: [(total: Double, waiting: Double)] = []
        for number in 0..<warmUp + payments {
            let invoice = try await place.invoice()
            let before = transport.waited
            let start = ContinuousClock.now
            guard case .succeeded = try await router.pay(invoice, as: payer) else { throw NotPaid() }
            let total = (ContinuousClock.now - start) / .milliseconds(1)
            if number >= warmUp { samples.append((total, (transport.waited - before) / .milliseconds(1))) }
        }
        let total = Measure.median(samples.map(\.total))
        let ours = Measure.median(samples.map { $0.total - $0.waiting })
        let share = Measure.median(samples.map { ($0.total - $0.waiting) / $0.total * 100 })
        print("\n\(payments) payments from \(place.name), with the journal and the orders on the disk; medians")
        print(
            "ms per payment".column(16) + "waiting for it".column(16, right: true) + "ours".column(8, right: true)
                + "share %".column(10, right: true))
        print(
            total.text().column(16) + (total - ours).text().column(16, right: true) + ours.text().column(8, right: true)
                + share.text().column(10, right: true))
    }

    /// The server with a wallet to pay from, and a payee's.
    private struct Place {
        let url: HTTPURL
        let key: Redacted<String>
        let network: String
        let name: String
        private let node: SimulatedNode?
        private let server: LoopbackServer?
        private let payeeKey: String
        private let transport = StandardTransport()

        init() throws {
            let environment = ProcessInfo.processInfo.environment
            if let address = environment["LNBITS_URL"], let key = environment["LNBITS_KEY"],
                let payeeKey = environment["LNBITS_PAYEE_KEY"]
            {
                (url, self.key, self.payeeKey) = (try HTTPURL(service: address), Redacted(key), payeeKey)
                (node, server, network, name) = (nil, nil, "mainnet", "LNbits")
            } else {
                let node = SimulatedNode(.lnbits)
                let server = try LoopbackServer(node)
                (url, key, payeeKey) = (server.baseURL, Redacted(SimulatedNode.key), "")
                (self.node, self.server, network, name) = (node, server, "regtest", "a simulated LNbits over loopback")
            }
        }

        func invoice() async throws -> String {
            if let node { return try node.invoice(21_000).text }
            let body: JSONValue = ["out": false, "amount": 21, "unit": "sat", "memo": "benchmark"]
            let request = HTTPRequest(
                .post, try url.appending(["api", "v1", "payments"]),
                headers: ["X-Api-Key": payeeKey, "Content-Type": "application/json"], body: body.serialized())
            let answer = try JSONValue(parsing: try await transport.send(request).body)
            guard let text = answer["bolt11"]?.string else { throw NotPaid() }
            return text
        }
    }

    /// Adds up the time in which answers are waited for. A payment's requests follow each other.
    private final class WatchedTransport: HTTPTransport {
        private let base: StandardTransport
        private let total = Mutex(Duration.zero)

        init(base: StandardTransport) { self.base = base }

        var waited: Duration { total.withLock(\.self) }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let start = ContinuousClock.now
            defer { total.withLock { $0 += ContinuousClock.now - start } }
            return try await base.send(request)
        }
    }
}
