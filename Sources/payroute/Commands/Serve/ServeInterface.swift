package import PaymentCore
package import PaymentRouting
import PaymentTesting
import SandboxSupport

/// The interface of `payroute serve` over any router, without a port: for callers in the same process.
package struct ServeInterface: Sendable {
    let api: ServeAPI

    /// Opens the file of payments, and looks at those that are left in it.
    ///
    /// - Parameters:
    ///   - router: the router, over `journal`.
    ///   - path: the file of the callers' payments.
    ///   - wallet: the wallet that pays by itself; nil asks the callers.
    ///   - tokens: the content of a file of tokens.
    package init(
        over router: PaymentRouter, journal: any PaymentJournal, table path: String, wallet: Payer?, tokens: String,
        random: any RandomSource, clock: any PaymentClock
    ) async throws {
        let metrics = ServeMetrics()
        let payments = ServePayments(
            router: router, journal: journal, table: try ServeTable(path: path), wallet: wallet, metrics: metrics,
            random: random, clock: clock)
        api = ServeAPI(
            vendors: SandboxVendors([]), session: ServiceSession(router, payer: wallet ?? Payer()),
            payments: payments, quotes: ServeQuotes(random: random), metrics: metrics,
            tokens: try ServeTokens(OwnersFile(tokens, called: "tokens")), clock: clock)
        _ = try await payments.open()
    }

    /// Answers a call.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse { await api.respond(to: request) }

    /// Ends it in good order.
    package func drain(within bound: Duration) async { await api.payments.drain(within: bound) }

    /// Cancels what runs, and begins nothing.
    package func stop() async { await api.payments.stop() }
}
