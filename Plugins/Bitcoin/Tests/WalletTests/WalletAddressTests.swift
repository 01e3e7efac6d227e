import BitcoinSandbox
import BitcoinWallets
import Foundation
import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport
import Testing

/// Lightning addresses and LNURLs, whose services make the invoices that the wallet pays.
@Suite("Lightning addresses")
struct WalletAddressTests {
    /// A payee's service, with one mistake or none.
    fileprivate final class Service: SandboxService {
        enum Mistake: CaseIterable {
            case otherAmount, otherDescription, otherNetwork, otherTag, refusal, malformed, plainCallback, localCallback
            case limitsCrossed, expired
        }

        static let metadata = #"[["text/plain","coffee"],["text/identifier","ann@pay.example"]]"#
        let node: SimulatedNode
        let mistake: Mistake?
        let hasHash: Bool
        let asked = Mutex(0)

        init(_ node: SimulatedNode, _ mistake: Mistake? = nil, hasHash: Bool = true) {
            (self.node, self.mistake, self.hasHash) = (node, mistake, hasHash)
        }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            guard request.url.path == "/callback" else { return terms() }
            asked.withLock { $0 += 1 }
            guard mistake != .refusal else { return json(["status": "ERROR", "reason": "closed"]) }
            let asked = request.url.query?.split(separator: "=").last.flatMap { UInt64($0) } ?? 0
            let metadata = Self.metadata + (mistake == .otherDescription ? " " : "")
            let hash = Digest.sha256.hash(Array(metadata.utf8))
            let invoice = try? node.invoice(
                mistake == .otherAmount ? asked + 1000 : asked, purpose: hasHash ? .hash(hash) : .words("coffee"),
                lifetime: mistake == .expired ? 0 : 600)
            let text = invoice?.text ?? ""
            let shown =
                mistake == .malformed
                ? String(text.dropLast()) : mistake == .otherNetwork ? text.replacing("lnbcrt", with: "lnbc") : text
            return json([
                "pr": .string(shown), "routes": [], "successAction": ["tag": "message", "message": "thank you"],
            ])
        }

        private func terms() -> HTTPResponse {
            let callback =
                switch mistake {
                case .plainCallback: "http://pay.example/callback"
                case .localCallback: "https://192.168.1.1/callback"
                default: "https://pay.example/callback"
                }
            return json([
                "tag": mistake == .otherTag ? "withdrawRequest" : "payRequest", "callback": .string(callback),
                "minSendable": mistake == .limitsCrossed ? 30_000 : 1000, "maxSendable": 25_000,
                "metadata": .string(Self.metadata), "commentAllowed": 20,
            ])
        }

        private func json(_ body: JSONValue) -> HTTPResponse { HTTPResponse(status: 200, body: body.serialized()) }
    }

    private static func settlement(_ key: String = "a", _ satoshi: UInt64 = 21) throws -> Settlement {
        Settlement(
            key: key, endpoint: SettlementEndpoint(.lightningAddress, text: "ann@pay.example"),
            amount: try Money(minorUnits: UInt128(satoshi), currency: .satoshi))
    }

    @Test("An address is paid by an invoice that is bound to its terms, once for each name", arguments: [true, false])
    func paid(hasHash: Bool) async throws {
        let bench = try WalletBench(.lnd)
        let service = Service(bench.node, hasHash: hasHash)
        let settler = try bench.asking(service)
        #expect(settler.canSettle(.lightningAddress, on: nil) && !bench.settler.canSettle(.lightningAddress, on: nil))
        let paid = try await settler.settle(Self.settlement())
        #expect(paid.isSettled, "\(paid)")
        #expect(try await settler.settle(Self.settlement()) == paid)
        #expect(try await settler.state(of: Self.settlement()) == paid)
        #expect(service.asked.withLock { $0 } == 1)
        #expect(try await settler.walletOrder(named: "a")?.successAction == .message("thank you"))
        #expect(try await settler.settle(Self.settlement("b")).isSettled)
        #expect(bench.node.attemptCount == 2)
    }

    @Test("An invoice that is not what was asked for is not paid", arguments: Service.Mistake.allCases)
    fileprivate func mistakes(mistake: Service.Mistake) async throws {
        // This wallet pays whatever it is asked to.
        let bench = try WalletBench(.phoenixd)
        let settler = try bench.asking(Service(bench.node, mistake))
        #expect(try await settler.settle(Self.settlement()).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
    }

    @Test("An amount outside the service's limits is not asked for", arguments: [0, 26] as [UInt64])
    func limits(satoshi: UInt64) async throws {
        let bench = try WalletBench(.lnd)
        let service = Service(bench.node)
        #expect(try await bench.asking(service).settle(Self.settlement("a", satoshi)).hasSentNothing)
        #expect(service.asked.withLock { $0 } == 0)
    }

    @Test("After a lost answer the same invoice is looked for, not a new one")
    func lost() async throws {
        let bench = try WalletBench(.lnd)
        let service = Service(bench.node)
        let settler = try bench.asking(service)
        bench.node.scenario = .paysAfterADay
        #expect(try await settler.settle(Self.settlement()).isInFlight)
        bench.clock.advance(by: .seconds(86_400))
        #expect(try await settler.settle(Self.settlement()).isSettled)
        #expect(service.asked.withLock { $0 } == 1 && bench.node.attemptCount == 1)
    }
}
