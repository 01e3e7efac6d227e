import CitconProvider
import PaymentCore
import PaymentSandbox
import PaymentTesting
import Synchronization

extension Subjects {
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
            // Whoever loses what the wallet is started with has to wait for the end of the charge.
            pace.chargeLifetime = 1200
            if behaviour == .neverSettles { pace.pendingTime = 1 << 40 }
            let sandbox = CitconSandbox(pace, clock: clock, random: random)
            let charge = await sandbox.createCharge(behaviour == .payable ? scenario : .pending)
            wallets.use(sandbox)
            let front = CitconFront(sandbox: sandbox, token: secret)
            return ConformanceSubject.Backend(
                link: charge.link, services: ["api.sandbox.citconpay.com": front]
            ) {
                await sandbox.ledger.events(of: charge.id).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
        }
    }
}

/// A sandbox that takes a token of the test's choice for one of its own.
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

/// The wallets of a payer, who meets one sandbox after the other.
private struct CitconWallets: Sendable {
    private struct Direct: HTTPTransport {
        let sandbox: CitconSandbox

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            await sandbox.respond(to: request)
        }
    }

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
        current.payer = CitconSandbox.payer(.pays, at: origin, over: Direct(sandbox: sandbox))
    }

    var payer: Payer {
        Payer(
            browser: { [current] page in try await current.payer?.browser?(page) },
            appLauncher: { [current] app in try await current.payer?.appLauncher?(app) }, policy: .firstWhateverItCosts)
    }
}
