import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import Testing
import WalletConnectPaySandbox

/// The blocks of Observing.md for metrics and traces, over stand-ins of the packages' types.
private enum Metrics {
    static let counts = Mutex<[String: Int]>([:])

    struct Counter {
        let key: String

        init(label: String, dimensions: [(String, String)]) {
            key = label + dimensions.map { "{\($0.0)=\($0.1)}" }.joined()
        }

        func increment() { Metrics.counts.withLock { $0[key, default: 0] += 1 } }
    }

    struct Span { var attributes: [String: String] = [:] }

    static func withSpan<Value>(_ name: String, _ work: (inout Span) async throws -> Value) async throws -> Value {
        var span = Span()
        return try await work(&span)
    }

    static var log: PaymentLog {
        let log = PaymentLog { event in
            let provider = ("provider", event.provider?.rawValue ?? "none")
            switch event.kind {
            case .outcome(let outcome):
                let labels = [("outcome", outcome.name), provider]
                Counter(label: "payment_outcomes_total", dimensions: labels).increment()
            case .retrying: Counter(label: "payment_retries_total", dimensions: [provider]).increment()
            case .failed(let error):
                let labels = [("code", error.code.rawValue), ("phase", "\(error.phase)"), provider]
                Counter(label: "payment_errors_total", dimensions: labels).increment()
            case .waiting: Counter(label: "payment_waits_total", dimensions: [provider]).increment()
            default: break
            }
        }
        return log
    }

    static func traced(_ router: PaymentRouter, _ route: Route, _ payer: Payer) async throws -> PaymentOutcome {
        let outcome = try await withSpan("payment") { span in
            span.attributes["payment.provider"] = route.provider.rawValue
            return try await router.pay(route, as: payer)
        }
        return outcome
    }
}

@Suite("Article: metrics and traces")
struct MetricsTests {
    @Test("One payment is one outcome, with labels of few values")
    func counted() async throws {
        let world = await ArticleWorld()
        let router = PaymentRouter(
            registry: try world.registry, transport: SandboxTransport(world.sandbox), journal: world.journal,
            log: Metrics.log)
        guard case .matched(let route) = router.route(world.link) else {
            Issue.record("\(router.route(world.link))")
            return
        }
        guard case .succeeded = try await Metrics.traced(router, route, world.wallet.payer()) else {
            Issue.record("not paid")
            return
        }
        let key = "payment_outcomes_total{outcome=succeeded}{provider=walletconnect-pay}"
        #expect(Metrics.counts.withLock { $0[key] } == 1)
    }
}
