import BitcoinSandbox
import Foundation
import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import BitcoinWallets

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
        /// The requests that could have been led into a private network.
        let unguarded = Mutex(0)
        /// The comment of the last request for an invoice.
        let comment = Mutex<String?>(nil)

        init(_ node: SimulatedNode, _ mistake: Mistake? = nil, hasHash: Bool = true) {
            (self.node, self.mistake, self.hasHash) = (node, mistake, hasHash)
        }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            if request.reachesPrivateNetworks { unguarded.withLock { $0 += 1 } }
            guard request.url.path == "/callback" else { return terms() }
            asked.withLock { $0 += 1 }
            guard mistake != .refusal else { return json(["status": "ERROR", "reason": "closed"]) }
            let items = (request.url.query ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
            comment.withLock { $0 = items.first { $0.first == "comment" }?.last.map(String.init) }
            let asked = items.first { $0.first == "amount" }?.last.flatMap { UInt64($0) } ?? 0
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
        let bench = try await WalletBench(.lnd)
        let service = Service(bench.node, hasHash: hasHash)
        let settler = try await bench.asking(service)
        #expect(settler.canSettle(.lightningAddress, on: nil) && !bench.settler.canSettle(.lightningAddress, on: nil))
        let paid = try await settler.settle(Self.settlement())
        #expect(paid.isSettled, "\(paid)")
        #expect(try await settler.settle(Self.settlement()) == paid)
        #expect(try await settler.state(of: Self.settlement()) == paid)
        #expect(service.asked.withLock { $0 } == 1 && service.unguarded.withLock { $0 } == 0)
        #expect(try await settler.walletOrder(named: "a")?.successAction == .message("thank you"))
        #expect(try await settler.settle(Self.settlement("b")).isSettled)
        #expect(bench.node.attemptCount == 2)
    }

    @Test("An invoice that is not what was asked for is not paid", arguments: Service.Mistake.allCases)
    fileprivate func mistakes(mistake: Service.Mistake) async throws {
        // This wallet pays whatever it is asked to.
        let bench = try await WalletBench(.phoenixd)
        let settler = try await bench.asking(Service(bench.node, mistake))
        #expect(try await settler.settle(Self.settlement()).hasSentNothing)
        #expect(bench.node.attemptCount == 0)
    }

    /// A service that has moved.
    private struct MovedService: SandboxService {
        let base: Service
        let moves: [String: String]

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            guard let place = moves["\(request.url.host)\(request.url.path)"] else {
                return await base.respond(to: request)
            }
            return HTTPResponse(status: 301, headers: ["Location": place])
        }
    }

    @Test("A service that has moved is asked at its new place, if that is one on the open web")
    func moved() async throws {
        let start = "pay.example/.well-known/lnurlp/ann"
        func state(_ moves: [String: String]) async throws -> SettlementState {
            let bench = try await WalletBench(.lnd)
            let state = try await bench.asking(MovedService(base: Service(bench.node), moves: moves)).settle(
                Self.settlement())
            #expect(bench.node.attemptCount == (state.isSettled ? 1 : 0))
            return state
        }
        #expect(
            try await state([start: "https://www.pay.example/ann", "www.pay.example/ann": "/other"]).isSettled)
        // Three moves are followed, and no fourth.
        var moves = [start: "https://www.pay.example/1", "www.pay.example/1": "/2", "www.pay.example/2": "/3"]
        #expect(try await state(moves).isSettled)
        moves["www.pay.example/3"] = "/4"
        #expect(try await state(moves).hasSentNothing)
        for place in [
            "http://pay.example/ann", "https://192.168.1.1/ann", "//evil.example", "", "ann",
            "https://pay.example/.well-known/lnurlp/ann",
        ] {
            #expect(try await state([start: place]).hasSentNothing, "\(place)")
        }
        // Where money is worth nothing, the services of this machine are asked as well.
        let local = [start: "http://127.0.0.1/ann"]
        #expect(try await state(local).isSettled)
        let other = Service(try await WalletBench(.lnd).node)
        let transport = SandboxTransport(MovedService(base: other, moves: local), clock: TestClock())
        for (network, count) in [("mainnet", 0), ("regtest", 1)] {
            let services = PayService(transport: transport, reader: StandardsReader(), network: network)
            _ = try? await services.invoice(of: Self.settlement().endpoint, over: 21_000)
            #expect(other.asked.withLock { $0 } == count, "\(network)")
        }
        // The invoice's host is the last one, which is shown with its message.
        let bench = try await WalletBench(.lnd)
        moves = ["pay.example/callback": "https://new.example/callback?amount=21000"]
        let settler = try await bench.asking(MovedService(base: Service(bench.node), moves: moves))
        #expect(try await settler.settle(Self.settlement()).isSettled)
        #expect(try await settler.walletOrder(named: "a")?.message?.host == "new.example")
    }

    @Test("An amount outside the service's limits is not asked for", arguments: [0, 26] as [UInt64])
    func limits(satoshi: UInt64) async throws {
        let bench = try await WalletBench(.lnd)
        let service = Service(bench.node)
        #expect(try await bench.asking(service).settle(Self.settlement("a", satoshi)).hasSentNothing)
        #expect(service.asked.withLock { $0 } == 0)
    }

    @Test("A comment goes to the service, as long as it takes it, and to no invoice and no address on the chain")
    func comments() async throws {
        let bench = try await WalletBench(.lnd)
        let service = Service(bench.node)
        #expect(try await bench.asking(service, comment: "for Ann & Bo").settle(Self.settlement()).isSettled)
        #expect(service.comment.withLock { $0 } == "for%20Ann%20%26%20Bo")
        let long = String(repeating: "x", count: 21)
        #expect(try await bench.asking(service, comment: long).settle(Self.settlement("b")).hasSentNothing)
        #expect(try await bench.asking(service, comment: "x").settle(bench.settlement("c")).hasSentNothing)
        let onChain = try WalletChainTests.settlement("d")
        #expect(try await bench.asking(service, comment: "x").settle(onChain).hasSentNothing)
        #expect(bench.node.chain.payments.isEmpty)
        #expect(service.asked.withLock { $0 } == 1 && bench.node.attemptCount == 1)
    }

    /// Encrypted by the `openssl` command: `enc -aes-256-cbc -K … -iv …`.
    @Test("What a service encrypts for the payer opens with the proof of the payment, and with nothing else")
    func secrets() throws {
        let preimage = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        let invoice = WalletInvoice(text: "lnbc1", paymentHash: "", amount: 1, isAmountless: false, feeLimit: 0)
        func action(_ body: JSONValue, _ preimage: String) -> SuccessAction? {
            WalletOrder(
                name: "a", payment: .invoice(invoice), placedAt: Date(timeIntervalSince1970: 0),
                state: .paid(.preimage(preimage), fee: nil),
                message: ServiceMessage(host: "pay.example", text: String(decoding: body.serialized(), as: UTF8.self))
            ).successAction
        }
        let body: JSONValue = [
            "tag": "aes", "description": "your voucher", "ciphertext": "ABLGTR+zwH1OSkyO0kFVfg==",
            "iv": "oKGio6SlpqeoqaqrrK2urw==",
        ]
        #expect(action(body, preimage) == .secret("your voucher", Redacted("VOUCHER-2100-é")))
        #expect(action(body, String(repeating: "00", count: 32)) == nil)
        // Half a proof would be a key of AES-128.
        let half = String(preimage.prefix(32))
        var weak = body
        weak["ciphertext"] = .string(
            Data(
                try AESCBC.encrypt(
                    [0x78], key: try #require(Hex.decode(half)), vector: [UInt8](0xA0...0xAF))
            ).base64EncodedString())
        #expect(action(weak, half) == nil)
        for (member, value) in [
            ("iv", "oKGio6SlpqeoqaqrrK2urw"), ("ciphertext", "AAAA"), ("ciphertext", "*"),
            ("description", String(repeating: "x", count: 145)),
        ] {
            var broken = body
            broken[member] = .string(value)
            #expect(action(broken, preimage) == nil, "\(member)")
        }
    }

    @Test("After a lost answer the same invoice is looked for, not a new one")
    func lost() async throws {
        let bench = try await WalletBench(.lnd)
        let service = Service(bench.node)
        let settler = try await bench.asking(service)
        bench.node.scenario = .paysAfterADay
        #expect(try await settler.settle(Self.settlement()).isInFlight)
        bench.clock.advance(by: .seconds(86_400))
        #expect(try await settler.settle(Self.settlement()).isSettled)
        #expect(service.asked.withLock { $0 } == 1 && bench.node.attemptCount == 1)
    }
}
