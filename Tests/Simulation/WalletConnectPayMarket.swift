import PaymentCore
import PaymentSandbox
import PaymentTesting
import WalletConnectPayProvider

/// WalletConnect Pay: its provider and its sandbox with everything that the sandbox can play.
struct WalletConnectPayMarket: Market {
    private static let gateway = "api.pay.walletconnect.com"

    /// Most are ordinary payments: they have the most to lose.
    private static let scenarios: [WalletConnectPaySandbox.Scenario] = {
        let all = WalletConnectPaySandbox.Scenario.allCases
        return all + all.flatMap { _ in [.paidAtOnce, .paidAfterPolling] }
    }()

    static func maker(share: Int) -> MarketMaker {
        MarketMaker(share: share) { try WalletConnectPayMarket($0) }
    }

    let provider: any PaymentProvider
    private let sandbox: WalletConnectPaySandbox

    init(_ world: SimulatedWorld) throws {
        sandbox = WalletConnectPaySandbox(clock: world.clock, random: world.random)
        world.connect(sandbox, to: Self.gateway)
        provider = WalletConnectPayProvider(
            configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("key"))))
    }

    func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        // Another amount for each, by which the payer's transactions can be told apart.
        let payment = await sandbox.createPayment(random.pick(Self.scenarios), cents: 1250 + UInt128(number))
        return MarketPayment(
            reference: PaymentReference(provider: WalletConnectPayProvider.id, id: payment.id), link: payment.link,
            isEndless: payment.scenario == .unknownStatus)
    }

    func captures(of payment: PaymentReference) async -> Int { await sandbox.ledger.captures(of: payment.id) }

    /// A payment that somebody else has paid counts.
    func isPaid(_ payment: PaymentReference) async -> Bool {
        if await sandbox.ledger.events(of: payment.id).contains(.settled) { return true }
        let path = "https://\(Self.gateway)/v1/gateway/payment/\(payment.id)/status"
        guard let url = try? HTTPURL(path) else { return false }
        let answer = await sandbox.respond(to: HTTPRequest(.get, url, headers: ["Api-Key": "key"]))
        return (try? JSONValue(parsing: answer.body))?["status"]?.string == "succeeded"
    }

    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        await sandbox.ledger.events(of: attempt.reference.id).contains { event in
            if case .captured(let option, _, _) = event { option == attempt.option.id } else { false }
        }
    }

    func payment(movedBy request: HTTPRequest) -> String? {
        let path = request.url.path.split(separator: "/")
        guard request.url.authority == Self.gateway, path.last == "confirm", path.count >= 2 else { return nil }
        return String(path[path.count - 2])
    }
}
