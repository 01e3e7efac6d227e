import PaymentCore
import PaymentSandbox
import PaymentTesting
import PaymentWallet
import PayrailsProvider
import Synchronization
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
        let page = "https://shop.example/thanks"
        let returns = try CheckoutReturns(success: page, error: "https://shop.example/sorry")
        return ConformanceSubject(
            WalletConnectPayProvider(configuration: configuration, returns: [returns]),
            capabilities: [.completesRedirects], payer: payer, canaries: [secret]
        ) { behaviour, clock, random in
            var pace = WalletConnectPaySandbox.Configuration()
            if behaviour == .neverSettles { pace.settlementPolls = .max }
            let sandbox = WalletConnectPaySandbox(pace, clock: clock, random: random)
            let payment = await sandbox.createPayment(.paidAfterPolling)
            let other = await sandbox.createPayment(.alreadyPaid)
            return ConformanceSubject.Backend(
                link: payment.link, services: ["api.pay.walletconnect.com": sandbox],
                returns: ConformanceSubject.Returns(
                    own: [page, "https://shop.example/sorry"].map { "\($0)?payment_id=\(payment.id)" },
                    others: ["\(page)?payment_id=\(other.id)", "\(page)?payment_id=\(other.id)&pid=\(payment.id)"])
            ) {
                await sandbox.ledger.events(of: payment.id).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
        }
    }

    /// - Parameter pays: the beginning of the option's id that is chosen.
    static func payrails(paying option: String = "stored") -> ConformanceSubject {
        let card = [
            "card_number": "4111111111111111", "expiry_month": "12", "expiry_year": "2040", "security_code": "737",
        ]
        // The pages are the backend's, which does not exist yet.
        let browsers = Mutex<Payer.Browser?>(nil)
        let payer = Payer(
            chooser: { quote in quote.options.first { $0.id.hasPrefix(option) }?.id },
            dataCollector: { _ in card.mapValues { Redacted($0) } },
            browser: { page in try await browsers.withLock { $0 }?(page) })
        return ConformanceSubject(
            PayrailsProvider(), capabilities: [.completesRedirects], payer: payer,
            canaries: ["4111111111111111", "ada@example.com", "eyJhbGciOiJSUzI1NiIs"]
        ) { behaviour, clock, random in
            var pace = PayrailsSandbox.Configuration()
            // A request to pay that was interrupted is never sent again: the shop clears the order away.
            pace.abandonedAfter = .seconds(1200)
            let sandbox = PayrailsSandbox(pace, clock: clock, random: random)
            browsers.withLock { $0 = PayrailsSandbox.payer(transport: Direct(service: sandbox)).browser }
            let session = await sandbox.createSession(behaviour == .payable ? .challenge : .neverSettles)
            let other = await sandbox.createSession(.paid)
            let page = "https://assets.payrails.io/html/payrails"
            let redirect = "https://api-pub.payrails.io/public/redirect/merchant/m"
            return ConformanceSubject.Backend(
                link: session.link, services: ["api-pub.payrails.io": sandbox],
                returns: ConformanceSubject.Returns(
                    own: ["success", "cancel", "error"].map { "\(page)-\($0).html" } + [
                        "\(redirect)/\(session.id)/success"
                    ],
                    others: ["\(redirect)/\(other.id)/success", "\(page)-success.html?executionId=\(other.id)"])
            ) {
                await sandbox.ledger.events(of: session.id).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    let price = amount.split(separator: " ").first.flatMap {
                        try? Money(decimal: String($0), currency: .eur)
                    }
                    return .some(price?.minorUnits)
                }
            }
        }
    }
}

/// The payer's own way to a service: without timeouts, which would leave the simulation.
struct Direct: HTTPTransport {
    let service: any SandboxService

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        await service.respond(to: request)
    }
}
