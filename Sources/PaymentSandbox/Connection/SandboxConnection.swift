package import CitconProvider
package import PaykitProvider
public import PaymentCore
import PaymentReview
public import PaymentRouting
import PaymentStandards
import PaymentTransport
import PaymentWallet
import PayrailsProvider
import WalletConnectPayProvider

/// A running `payroute sandbox`, from another program: every provider, a payer who can pay at each, and the network.
///
/// ```swift
/// let sandbox = try await SandboxConnection("http://127.0.0.1:8080")
/// let outcome = try await sandbox.router(journal: journal).pay(link, as: sandbox.payer(), acceptingUnverified: true)
/// ```
///
/// The same two lines for each vendor; the links are those that `payroute sandbox` prints.
public struct SandboxConnection: Sendable {
    /// The sandbox's address.
    public let url: HTTPURL
    private let transport: any HTTPTransport

    /// Connects to a sandbox on this machine, and asks whether it is one.
    ///
    /// - Parameters:
    ///   - address: as `payroute sandbox` prints it, such as `http://127.0.0.1:8080`.
    ///   - transport: the way there; `StandardTransport` unless told otherwise.
    /// - Throws: ``PaymentError``: `rejected-link` when the address is none, or not on this machine; `network` when nobody answers
    ///   there; `invalid-response` when whoever answers is no sandbox.
    public init(_ address: String, over transport: (any HTTPTransport)? = nil) async throws(PaymentError) {
        let url: HTTPURL
        do { url = try HTTPURL(address) } catch {
            throw PaymentError(
                .rejectedLink, "the sandbox's address is none: \(error); it looks like http://127.0.0.1:8080")
        }
        guard url.isLoopback else {
            throw PaymentError(
                .rejectedLink, "\(url.origin) is not on this machine; sandboxes are, and nothing is sent elsewhere")
        }
        guard url.path == "/", url.query == nil else {
            throw PaymentError(
                .rejectedLink, "the sandbox's address has no path: give \(url.origin) and nothing behind it")
        }
        self.url = url
        self.transport = transport ?? StandardTransport()
        try await check()
    }

    /// Whether a sandbox answers there: only one gives a token for the key that is no secret.
    private func check() async throws(PaymentError) {
        let token: Redacted<String>?
        do {
            token = try await SandboxSecrets(sandbox: url, transport: transport)
                .secret(CitconProvider.accessTokenName())
        } catch let error as TransportError {
            throw PaymentError(.network, "nobody answers at \(url.origin): \(error); start one with 'payroute sandbox'")
        } catch {
            token = nil
        }
        guard token != nil else {
            throw PaymentError(
                .invalidResponse,
                "whoever answers at \(url.origin) is no sandbox; give the address that 'payroute sandbox' prints",
                phase: .answered)
        }
    }

    /// Returns a router with every provider, which calls the sandbox and nobody else.
    ///
    /// - Parameter journal: the memory of its payments.
    /// - Throws: what making the providers throws, which does not happen for a sandbox's address.
    public func router(journal: any PaymentJournal) throws -> PaymentRouter {
        let reader = StandardsReader()
        return PaymentRouter(
            registry: try ProviderRegistry(Self.providers(at: url, reader: reader)), transport: transport,
            journal: journal, readers: [reader],
            secrets: SandboxSecrets(sandbox: url, transport: transport))
    }

    /// Returns a payer with made-up wallets, apps, pages and data, who takes the first option whatever it costs: there is no
    /// money. Its wallet's key follows from `seed`.
    ///
    /// - Parameter seed: the number that makes the wallet's key; never for real money.
    public func payer(seed: UInt64 = 1) -> Payer {
        SandboxPayer.make(DevelopmentWallet(seed: seed), at: url, over: transport)
    }

    /// Every provider, calling the sandbox at `url`.
    ///
    /// - Parameter privately: with what people of Paykit are asked for invoices of their own; nil pays what they publish.
    package static func providers(
        at url: HTTPURL, reader: any InstructionReader, privately: PaykitPrivatePayments? = nil
    ) throws -> [any PaymentService] {
        // The sandbox takes any key.
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("sandbox")), baseURL: url.text)
        let citcon = CitconConfiguration(
            endpoint: try CitconEndpoint(.UAT, baseURL: url.text + "/v1/"), application: .demonstration)
        // Transactions of Tron cannot be read yet; the sandbox's are signed all the same, to show the flow.
        let reviewer = SigningReviewer(unreviewedMethods: ["tron_signTransaction"])
        return [
            WalletConnectPayProvider(configuration: gateway, reviewer: reviewer),
            CitconProvider(configuration: citcon),
            PayrailsProvider(additionalHosts: [url.authority]),
            PaykitProvider(network: try .sandbox(url), reader: reader, privately: privately),
            BitcoinPaymentsProvider(reader: reader),
        ]
    }
}

extension CitconConfiguration.Application {
    /// The application that the vendor's guide shows, which the sandbox's wallets come back to.
    package static let demonstration = Self(
        scheme: "com.citcon.citconpay", universalLink: "https://dev.citconpay.com/apps/",
        places: CitconConfiguration.ReturnPlaces(
            weChatAppIDs: ["wxeb0650d489d69e14"], bundleIDs: ["com.citcon.citconpay"],
            pages: ["com.citcon.citconpay://"]))
}
