public import PaymentCore
public import PaymentRouting
import PaymentStandards
import PaymentTransport
import PaymentWallet
import SandboxSupport

/// A connection to a running `payroute sandbox` from another program: every provider, a payer for each, and the
/// network.
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
    ///   - address: The address, as `payroute sandbox` prints it, such as `http://127.0.0.1:8080`.
    ///   - transport: The transport to the sandbox; nil for `StandardTransport`.
    /// - Throws: ``PaymentError``: `rejected-link` when the address is malformed, or not on this machine; `network`
    ///   when no server answers there; `invalid-response` when the server is not a sandbox.
    public init(_ address: String, over transport: (any HTTPTransport)? = nil) async throws(PaymentError) {
        let url: HTTPURL
        do { url = try HTTPURL(address) } catch {
            throw PaymentError(
                .rejectedLink, "the sandbox's address is malformed: \(error); it looks like http://127.0.0.1:8080")
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

    /// Checks that a sandbox answers: only a sandbox hands out keys, which are not secret.
    private func check() async throws(PaymentError) {
        let names = SandboxVendors.all.list.flatMap(\.secretNames)
        var isSandbox = !names.isEmpty
        do {
            let secrets = AccountSecrets(.all, sandbox: url, transport: transport)
            for name in names where isSandbox {
                isSandbox = try await secrets.secret(name) != nil
            }
        } catch let error as TransportError {
            throw PaymentError(
                .network, "nothing answers at \(url.origin): \(error); start a sandbox with 'payroute sandbox'")
        } catch {
            isSandbox = false
        }
        guard isSandbox else {
            throw PaymentError(
                .invalidResponse,
                "the server at \(url.origin) is no sandbox; give the address that 'payroute sandbox' prints",
                phase: .answered)
        }
    }

    /// Returns a router with every provider, which calls only the sandbox.
    ///
    /// - Parameter journal: The memory of its payments.
    /// - Throws: The errors of making the providers, none of which occurs for a sandbox's address.
    public func router(journal: any PaymentJournal) throws -> PaymentRouter {
        let reader = StandardsReader()
        return PaymentRouter(
            registry: try ProviderRegistry(
                SandboxVendors.all.providers(VendorSettings(sandbox: url, reader: reader))), transport: transport,
            journal: journal, readers: [reader],
            secrets: AccountSecrets(.all, sandbox: url, transport: transport))
    }

    /// Returns a payer with made-up wallets, apps, pages and data, who takes the first option whatever it costs: no
    /// money moves. Its wallet's key follows from `seed`.
    ///
    /// - Parameter seed: The number that makes the wallet's key; never for real money.
    public func payer(seed: UInt64 = 1) -> Payer {
        SandboxVendors.all.payer(DevelopmentWallet(seed: seed), at: url, over: transport)
    }
}
