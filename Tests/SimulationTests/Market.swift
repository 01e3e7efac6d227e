import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentTesting
import PaymentWallet
import WalletConnectPayProvider

/// The services of a world, their payments and what they know to be true.
struct Market: Sendable {
    struct Payment: Sendable {
        let id: String
        let link: String
        let service: Variation.Service
    }

    static let gateway = "api.pay.walletconnect.com"
    static let payer = DevelopmentWallet(seed: 7).payer()

    /// Those that come to an end by themselves. Most are ordinary payments: they have the most to lose.
    private static let scenarios: [WalletConnectPaySandbox.Scenario] = {
        let endless: [WalletConnectPaySandbox.Scenario] = [
            .unknownStatus, .unknownAction, .dataCollection, .dataForSomeOptions, .nativeCoin, .solana, .tron,
        ]
        let some = WalletConnectPaySandbox.Scenario.allCases.filter { !endless.contains($0) }
        return some + some.flatMap { _ in [.paidAtOnce, .paidAfterPolling] }
    }()

    let walletConnectPay: WalletConnectPaySandbox
    let keyed: KeyedService
    let registry: ProviderRegistry

    init(_ world: SimulatedWorld, _ variation: Variation) throws {
        walletConnectPay = WalletConnectPaySandbox(clock: world.clock, random: world.random)
        keyed = KeyedService(clock: world.clock, recognizesKeys: variation.serviceRecognizesKeys)
        world.connect(walletConnectPay, to: Self.gateway)
        world.connect(keyed, to: KeyedService.host)
        let configuration = try GatewayConfiguration(credentials: .apiKey(Redacted("key")))
        registry = try ProviderRegistry([
            WalletConnectPayProvider(configuration: configuration), variation.provider,
        ])
    }

    func payments(_ count: Int, _ variation: Variation, _ random: SeededRandomSource) async -> [Payment] {
        var payments: [Payment] = []
        for number in 0..<count {
            var service = variation.services[0]
            if variation.services.count > 1 {
                service = random.below(8) < variation.shareOfWalletConnectPay ? .walletConnectPay : .keyed
            }
            switch service {
            case .walletConnectPay:
                let scenario = random.pick(Self.scenarios)
                let payment = await walletConnectPay.createPayment(scenario)
                payments.append(Payment(id: payment.id, link: payment.link, service: service))
            case .keyed:
                let scenario = random.pick([
                    KeyedService.Scenario.paidAtOnce, .paidAtOnce, .paidAfterPolling, .declined,
                ])
                let id = "p\(number)"
                payments.append(Payment(id: id, link: await keyed.createPayment(id, scenario), service: service))
            }
        }
        return payments
    }

    func captures(of payment: Payment) async -> Int {
        switch payment.service {
        case .walletConnectPay: await walletConnectPay.ledger.captures(of: payment.id)
        case .keyed: await keyed.captures(of: payment.id)
        }
    }

    /// Whether money was taken by this very attempt.
    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        if attempt.reference.provider == "keyed" {
            return await keyed.keys(of: attempt.reference.id).contains(attempt.idempotencyKey)
        }
        return await walletConnectPay.ledger.events(of: attempt.reference.id).contains { event in
            if case .captured(let option, _, _) = event { option == attempt.option.id } else { false }
        }
    }

    /// Whether the payee has the money. A payment that somebody else has paid counts.
    func isPaid(_ payment: Payment) async -> Bool {
        switch payment.service {
        case .walletConnectPay:
            let events = await walletConnectPay.ledger.events(of: payment.id)
            if events.contains(.settled) { return true }
            let path = "https://\(Self.gateway)/v1/gateway/payment/\(payment.id)/status"
            guard let url = try? HTTPURL(path) else { return false }
            let answer = await walletConnectPay.respond(to: HTTPRequest(.get, url, headers: ["Api-Key": "key"]))
            return (try? JSONValue(parsing: answer.body))?["status"]?.string == "succeeded"
        case .keyed: return await keyed.isPaid(payment.id)
        }
    }
}

extension SeededRandomSource {
    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
    func happens(_ probability: Double) -> Bool { fraction() < probability }
}
