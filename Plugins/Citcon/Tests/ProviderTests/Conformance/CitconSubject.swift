import CitconMerchant
import CitconProvider
import CitconSandbox
import PaymentCore
import PaymentTesting
import Synchronization

enum Subjects {
    static let secret = "canary-4f1c9e"

    /// One kind of hand-over: a wallet with a payload, a page, or consent before the confirmation.
    static func citcon(_ scenario: CitconSandbox.Scenario) throws -> ConformanceSubject {
        let wallets = CitconWallets()
        let configuration = CitconConfiguration(
            endpoint: try CitconEndpoint(.UAT), accessToken: Redacted(secret),
            application: .init(
                scheme: "com.citcon.citconpay",
                places: CitconConfiguration.ReturnPlaces(
                    bundleIDs: ["com.citcon.citconpay"], pages: ["com.citcon.citconpay://"])))
        return ConformanceSubject(
            CitconProvider(configuration: configuration), capabilities: [.completesRedirects], payer: wallets.payer,
            canaries: [secret]
        ) { behaviour, clock, random in
            var pace = CitconSandbox.Configuration()
            // A payer that loses the launch data of the wallet has to wait for the end of the charge.
            pace.chargeLifetime = 1200
            if behaviour == .neverSettles { pace.pendingTime = 1 << 40 }
            let sandbox = CitconSandbox(pace, clock: clock, random: random)
            let charge = await sandbox.createCharge(behaviour == .payable ? scenario : .pending)
            wallets.use(sandbox)
            let front = CitconFront(sandbox: sandbox, token: secret)
            let other = await sandbox.createCharge(scenario)
            await sandbox.pay(other)
            return ConformanceSubject.Backend(
                link: charge.link, services: [host: front], returns: returns(besides: other)
            ) {
                await sandbox.captures(of: charge)
            }
        }
    }

    private static let host = "api.sandbox.citconpay.com"
    private static let ipn = "https://shop.example/ipn"

    private static func returns(besides other: CitconSandbox.Charge) -> ConformanceSubject.Returns {
        let app = "com.citcon.citconpay://"
        return ConformanceSubject.Returns(
            own: [app, "\(app)uppayresult?code=success", "\(app)uppayresult?code=cancel", "\(app)cashapp"],
            others: [
                "\(app)?reference=\(other.reference)&id=\(other.id)",
                "\(app)uppayresult?code=success&data="
                    + PercentCoding.encode(#"{"data":"pay_result=success&tn=000000000000000000001"}"#),
            ])
    }

    /// The merchant's side, without a payer's provider.
    static func citconMerchant() throws -> ConformanceSubject {
        let key = "sk-\(secret)"
        let merchant = CitconMerchant(endpoint: try CitconEndpoint(.UAT), privateKey: Redacted(key))
        return ConformanceSubject(
            merchant, capabilities: [.captures, .refunds, .cancels, .verifiesNotifications], canaries: [key]
        ) { behaviour, clock, random in
            guard behaviour == .payable else { return nil }
            @Sendable func shop(_ key: String) async -> (sandbox: CitconSandbox, charge: CitconSandbox.Charge) {
                var pace = CitconSandbox.Configuration()
                pace.privateKey = Redacted(key)
                let sandbox = CitconSandbox(pace, clock: clock, random: random)
                return (sandbox, await sandbox.createCharge(.authorizeOnly, ipn: ipn))
            }
            @Sendable func pay(_ charge: CitconSandbox.Charge, _ sandbox: CitconSandbox) async {
                await sandbox.pay(charge)
                await sandbox.capture(charge)
            }
            let (sandbox, charge) = await shop(key)
            var sale = ConformanceSubject.Sale(
                PaymentReference(provider: CitconMerchant.id, id: charge.reference),
                price: try price(in: charge.link),
                refunds: {
                    await sandbox.ledger.events(of: charge.id).compactMap { event in
                        guard case .refunded(let amount) = event else { return nil }
                        return amount.split(separator: " ").first.flatMap { UInt128($0) }
                    }
                },
                cancellations: { await sandbox.ledger.events(of: charge.id).count { $0 == .cancelled } },
                pay: { await pay(charge, sandbox) })
            sale.captures = ConformanceSubject.Sale.Captures(
                authorize: { await sandbox.pay(charge) },
                made: { await sandbox.captures(of: charge).compactMap(\.self) })
            return ConformanceSubject.Backend(
                services: [host: sandbox], sale: sale,
                notifications: ConformanceSubject.NotificationFixture(
                    sent: { await sandbox.notifications.map { IncomingNotification(headers: [:], body: $0.body) } },
                    foreign: {
                        let (other, charge) = await shop("sk-of-somebody-else")
                        await pay(charge, other)
                        return await other.notifications.map { IncomingNotification(headers: [:], body: $0.body) }
                    })
            ) {
                await sandbox.captures(of: charge)
            }
        }
    }

    private static func price(in link: String) throws -> Money {
        let items = try PaymentLink(link).queryItems
        let (amount, code) = (items.values("amount").first ?? "", items.values("currency").first ?? "")
        return try Money(minorUnitText: String(amount), currency: .fiat(try FiatCurrency(String(code))))
    }
}

extension CitconSandbox {
    /// The amounts that were taken for a charge, one for each capture.
    fileprivate func captures(of charge: Charge) -> [UInt128?] {
        ledger.events(of: charge.id).compactMap { event -> UInt128?? in
            guard case .captured(_, let amount, _) = event else { return nil }
            return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
        }
    }
}

/// A sandbox that accepts a token of the test's choice in place of one of its tokens.
private struct CitconFront: SandboxService {
    let sandbox: CitconSandbox
    let token: String

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        var request = request
        guard request.headers["Authorization"] == "Bearer \(token)" else { return HTTPResponse(status: 401) }
        request.headers["Authorization"] = "Bearer \(await sandbox.accessToken().reveal())"
        return await sandbox.respond(to: request)
    }
}

/// The wallets of a payer that meets one sandbox after the other.
private struct CitconWallets: Sendable {
    private final class Current: Sendable {
        private let content = Mutex<Payer?>(nil)

        var payer: Payer? {
            get { content.withLock { $0 } }
            set { content.withLock { $0 = newValue } }
        }
    }

    private let current = Current()

    func use(_ sandbox: CitconSandbox) {
        guard let origin = try? HTTPURL("https://landing.uat01.citconpay.com") else { return }
        current.payer = CitconSandbox.payer(.pays, at: origin, over: DirectTransport(service: sandbox))
    }

    var payer: Payer {
        Payer(
            browser: { [current] page in try await current.payer?.browser?(page) },
            appLauncher: { [current] app in try await current.payer?.appLauncher?(app) }, policy: .firstWhateverItCosts)
    }
}
