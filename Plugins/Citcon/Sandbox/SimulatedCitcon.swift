import CitconMerchant
import CitconProvider
package import PaymentCore
package import PaymentTesting
import SandboxSupport

/// Citcon as tests and the simulator know it: the provider and the merchant's service at a sandbox with all its
/// scenarios, the payer's wallets, and another merchant at the same service.
package struct SimulatedCitcon: SimulatedVendor {
    private static let host = "api.sandbox.citconpay.com"
    private static let pages = "landing.uat01.citconpay.com"
    private static let scheme = "com.citcon.citconpay"
    /// An application's provider has its token from the beginning. Those of a sandbox are made later.
    private static let token = Redacted("token-canary-4f1c9e")
    private static let key = Redacted("sk-canary-4f1c9e")
    /// The sandbox only keeps notifications to it.
    private static let ipn = "https://shop.example/ipn"

    package let scenarios =
        CitconSandbox.Scenario.allCases.map { SimulatedScenario($0) } + [SimulatedScenario(.endless)]
    package let capabilities: Set<ProviderDescriptor.Capability> = [
        .completesRedirects, .captures, .refunds, .cancels, .verifiesNotifications,
    ]
    package let services: [any PaymentService]
    package let payer: Payer
    package let secrets = [token.reveal(), key.reveal()]
    private let sandbox: CitconSandbox
    private let otherMerchants: CitconSandbox

    package init(clock: any PaymentClock, random: any RandomSource) throws {
        var rules = CitconSandbox.Configuration()
        // A payer that loses the launch data of a wallet has to wait for the end of the charge.
        rules.chargeLifetime = 1200
        rules.privateKey = Self.key
        sandbox = CitconSandbox(rules, clock: clock, random: random)
        rules.privateKey = Redacted("sk-of-another-merchant")
        otherMerchants = CitconSandbox(rules, clock: clock, random: random)
        let endpoint = try CitconEndpoint(.UAT)
        let places = CitconConfiguration.ReturnPlaces(bundleIDs: [Self.scheme], pages: ["\(Self.scheme)://"])
        let configuration = CitconConfiguration(
            endpoint: endpoint, accessToken: Self.token,
            application: .init(scheme: Self.scheme, universalLink: "https://app.example/", places: places))
        services = [
            CitconProvider(configuration: configuration),
            CitconMerchant(id: CitconProvider.id, endpoint: endpoint, privateKey: Self.key),
        ]
        payer = CitconSandbox.payer(at: try HTTPURL("https://\(Self.pages)"), over: DirectTransport(service: sandbox))
    }

    package var hosts: [String: any SandboxService] {
        [Self.host: Front(sandbox: sandbox, token: Self.token), Self.pages: sandbox]
    }

    package func makePayment(
        _ scenario: SimulatedScenario, over amount: Money?
    ) async throws -> any SimulatedPayment {
        let known = CitconSandbox.Scenario(rawValue: scenario.name) ?? .endless
        guard let charge = await sandbox.createCharge(known, over: amount, ipn: Self.ipn) else {
            let asked = amount.map { " than \($0)" } ?? ""
            throw PaymentError(.requestRefused, "the scenario \(scenario.name) has another currency\(asked)")
        }
        let (paid, foreign) = await (sandbox.createCharge(.unionPay), otherMerchants.createCharge(ipn: Self.ipn))
        await sandbox.pay(paid)
        await otherMerchants.pay(foreign)
        return ChargePayment(
            charge: charge, price: await sandbox.facts(of: charge.id).amount, sandbox: sandbox, paid: paid,
            otherMerchants: otherMerchants)
    }

    /// Payers' references name the environment, too.
    package func id(of reference: String) -> String {
        reference.hasPrefix("uat/") ? String(reference.dropFirst(4)) : reference
    }

    /// Accepts the provider's access token in place of one of the sandbox's. Merchants get theirs from the service.
    private struct Front: SandboxService {
        let sandbox: CitconSandbox
        let token: Redacted<String>

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            var request = request
            if request.headers["Authorization"] == "Bearer \(token.reveal())" {
                request.headers["Authorization"] = "Bearer \(await sandbox.accessToken().reveal())"
            }
            return await sandbox.respond(to: request)
        }
    }

    private struct ChargePayment: SimulatedPayment {
        let charge: CitconSandbox.Charge
        let price: Money?
        let sandbox: CitconSandbox
        /// Another charge at the service, which is paid.
        let paid: CitconSandbox.Charge
        let otherMerchants: CitconSandbox

        var reference: PaymentReference { PaymentReference(provider: CitconProvider.id, id: charge.reference) }
        var links: [String] { [charge.link] }

        func pay() async {
            await sandbox.pay(charge)
            await sandbox.capture(charge)
        }

        func authorize() async { await sandbox.pay(charge) }

        /// Reserved money that was released was given back.
        func truth() async -> PaymentTruth {
            var truth = PaymentTruth(await sandbox.ledger.events(of: charge.id))
            // The others are captured without being asked for.
            if charge.scenario == .authorizeOnly { truth.captured = truth.taken.compactMap(\.self) }
            truth.isReturned = truth.cancellations > 0
            truth.transactions = [charge.id]
            return truth
        }

        func isMoved(by request: HTTPRequest) -> Bool {
            request.url.authority == SimulatedCitcon.host && request.url.path.hasSuffix("/charges/\(charge.token)")
        }

        func messages() async -> VendorMessages {
            let app = "\(SimulatedCitcon.scheme)://"
            var messages = VendorMessages()
            messages.returns = [
                app, "\(app)uppayresult?code=success", "\(app)uppayresult?code=cancel", "\(app)cashapp",
            ]
            messages.foreignReturns = [
                "\(app)?reference=\(paid.reference)&id=\(paid.id)",
                "\(app)uppayresult?code=success&data="
                    + PercentCoding.encode(#"{"data":"pay_result=success&tn=000000000000000000001"}"#),
            ]
            let sent = await sandbox.notifications
            messages.notifications = sent.filter { $0.charge == charge.id }.map(\.incoming)
            messages.foreignNotifications =
                await otherMerchants.notifications.map(\.incoming)
                + sent.prefix(3).flatMap {
                    [
                        $0.altered("status", $0.status == "success" ? "fail" : "success"),
                        $0.altered("reference", "another"),
                    ]
                }
            return messages
        }
    }
}

extension CitconSandbox.Scenario {
    /// Alipay accepted the payment and never has a result.
    fileprivate static let endless = Self(
        "endless", "Alipay never says how it ends", ends: .pending,
        .init(method: "alipay", isPending: true, isEndless: true))
}

extension SimulatedScenario {
    init(_ scenario: CitconSandbox.Scenario) {
        let ending: Ending =
            switch scenario.expectedOutcome {
            case .paid: scenario == .authorizeOnly ? .authorized : .paid
            // One that is pending fails in the end.
            case .declined, .pending: scenario == .endless ? .open : .declined
            case .expired: .expired
            case .cancelled: .cancelled
            case .error: .unknown
            }
        // A sandbox lists it by what its payer sees at first.
        let group = scenario.expectedOutcome == .pending ? Ending.open.heading : nil
        self.init(scenario.rawValue, scenario.summary, ending: ending, group: group)
    }
}

extension CitconSandbox.Notification {
    fileprivate var incoming: IncomingNotification { IncomingNotification(headers: [:], body: body) }

    fileprivate func altered(_ name: String, _ value: String) -> IncomingNotification {
        var json = (try? JSONValue(parsing: body)) ?? [:]
        json[name] = .string(value)
        return IncomingNotification(headers: [:], body: json.serialized())
    }
}
