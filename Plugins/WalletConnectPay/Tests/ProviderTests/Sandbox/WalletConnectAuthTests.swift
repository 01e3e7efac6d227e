import PaymentCore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The allowed callers and versions.
@Suite struct WalletConnectAuthTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let headers: [(String, String)]
        let answer: String
        var testDescription: String { headers.map { "\($0.0)=\($0.1)" }.joined(separator: " ") + " → \(answer)" }

        init(_ headers: [(String, String)], _ answer: String = "200") {
            self.headers = headers
            self.answer = answer
        }
    }

    static let app = [("App-Id", "a"), ("Client-Id", "c")]
    static let walletRows = [
        Row([("Api-Key", "k")]), Row(app),
        Row([("api-key", "k"), ("Client-Id", "c")]),
        Row([], "401 missing_auth_headers: Missing authentication headers"),
        Row([("Api-Key", "")], "401 invalid_api_key: Invalid API key"),
        Row([("App-Id", ""), ("Client-Id", "c")], "401 invalid_app_id: Invalid app id"),
        Row([("App-Id", "a")], "400 missing_client_id: Missing Client-Id header"),
        Row([("App-Id", "a"), ("Client-Id", "")], "400 missing_client_id: Missing Client-Id header"),
        Row([("Client-Id", "c")], "400 missing_app_id: Missing App-Id header"),
        Row([("Api-Key", "k")] + app, "400 conflicting_auth_headers: Conflicting authentication headers"),
        Row([("Api-Key", "ключ")], "400 header_not_ascii: Header Api-Key is not ASCII"),
        Row(app + [("WCP-Version", "2026-02-18")]), Row(app + [("WCP-Version", "2026-02-19.preview")]),
        Row(app + [("WCP-Version", "2026-02-19")], "400 unknown_api_version: Unknown API version"),
        Row(app + [("WCP-Version", "1")], "400 invalid_api_version: Invalid API version"),
        Row(app + [("WCP-Version", "")], "400 invalid_api_version: Invalid API version"),
        Row(app + [("WCP-Version", "2026-02-18.beta")], "400 invalid_api_version: Invalid API version"),
    ]
    static let merchantRows = [
        Row([PayWorld.merchantKey, PayWorld.merchant]),
        Row([], "401 missing_api_key: Missing API key"),
        Row([("Api-Key", "wcp_other"), PayWorld.merchant], "401 invalid_api_key: Invalid API key"),
        Row([PayWorld.merchantKey, ("Merchant-Id", "mrch_other")], "404 payment_not_found: Payment not found"),
        Row([("Api-Key", ""), ("Merchant-Id", "m")], "401 invalid_api_key: Invalid API key"),
        Row([PayWorld.merchantKey], "400 missing_merchant_id: Missing Merchant ID"),
        Row([PayWorld.merchantKey, ("Merchant-Id", "ü")], "400 header_not_ascii: Header Merchant-Id is not ASCII"),
        Row(
            [PayWorld.merchantKey, PayWorld.merchant, ("WCP-Version", "2030-01-01")],
            "400 unknown_api_version: Unknown API version"),
    ]

    @Test("Wallets' credentials", arguments: walletRows)
    func wallets(_ row: Row) async throws {
        let (world, id) = await PayWorld.made()
        for path in ["", "/status"] {
            let answer = try await world.send(.get, "/v1/gateway/payment/\(id)" + path, headers: row.headers)
            #expect(answer.summary == row.answer)
        }
    }

    @Test("Merchants' credentials", arguments: merchantRows)
    func merchants(_ row: Row) async throws {
        let (world, id) = await PayWorld.made()
        for path in ["/v1/payments/\(id)", "/v1/merchant/payment/\(id)/status"] {
            #expect(try await world.send(.get, path, headers: row.headers).summary == row.answer)
        }
    }

    @Test("Nothing is done without credentials")
    func nothingIsDoneWithoutCredentials() async throws {
        let (world, id) = await PayWorld.made()
        for verb in ["cancel", "confirm", "options", "fetch"] {
            let answer = try await world.send(.post, "/v1/gateway/payment/\(id)/\(verb)", [:], headers: [])
            #expect(answer.status == 401)
        }
        #expect(await world.events(id) == [.created])
    }
}
