import PaymentCore
import PaymentSandbox
import PaymentTesting
import PaymentWallet
import WalletConnectPayProvider

/// The providers that are probed.
enum Subjects {
    static let secret = "canary-4f1c9e"

    static func keyed(
        _ provider: any PaymentProvider = KeyedProvider(), capabilities: Set<ProviderDescriptor.Capability> = []
    ) -> ConformanceSubject {
        ConformanceSubject(provider, capabilities: capabilities, canaries: [secret]) { behaviour, clock, _ in
            let service = KeyedService(clock: clock)
            let link = await service.createPayment("p1", behaviour == .payable ? .paidAfterPolling : .neverSettles)
            return ConformanceSubject.Backend(
                link: link, services: [KeyedService.host: service, "other.example": service]
            ) {
                await service.keys(of: "p1").map { _ in 1000 }
            }
        }
    }

    static func walletConnectPay() throws -> ConformanceSubject {
        let configuration = try GatewayConfiguration(credentials: .apiKey(Redacted(secret)))
        let payer = DevelopmentWallet(seed: 7).payer()
        return ConformanceSubject(
            WalletConnectPayProvider(configuration: configuration), payer: payer, canaries: [secret]
        ) { behaviour, clock, random in
            var pace = WalletConnectPaySandbox.Configuration()
            if behaviour == .neverSettles { pace.settlementPolls = .max }
            let sandbox = WalletConnectPaySandbox(pace, clock: clock, random: random)
            let payment = await sandbox.createPayment(.paidAfterPolling)
            return ConformanceSubject.Backend(
                link: payment.link, services: ["api.pay.walletconnect.com": sandbox]
            ) {
                await sandbox.ledger.events(of: payment.id).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
        }
    }
}
