import PaymentCore
import ServiceSupport
import TestSupport
import Testing

@testable import WalletConnectPayProvider

/// The wire bodies and the meaning of statuses and errors (Protocol 1.5, 2.1 and 3).
@Suite struct WireTests {
    static let payment = PaymentReference(provider: WalletConnectPayProvider.id, id: "pay_1")

    @Test("Recorded options are read")
    func readsRecordedOptions() throws {
        let body = try #require(try RecordedTests.recorded()["options"]).decode(OptionsBody.self)
        #expect(body.info?.merchant.name == "Gem Wallet Test Merchant")
        #expect(body.info?.amount.unit == "iso4217/USD")
        let options = try #require(body.options)
        #expect(options.map(\.amount.value) == ["41877035785636", "100000", "100000000000000000"])
        #expect(try options[1].amount.money().decimalText == "0.100000")
        #expect(options[0].actions.map(\.type) == ["build"])
        #expect(options[0].expiresAt == 1_789_587_155 && options[1].expiresAt == nil)
    }

    @Test("Answers without options are read")
    func readsFinishedPayments() throws {
        let body = try JSONValue(parsing: #"{"info":null,"collectData":null,"options":null,"new":[1]}"#)
            .decode(OptionsBody.self)
        #expect(body.options == nil)
    }

    static let statuses: [(String, Bool, String)] = [
        ("requires_action", false, "pending"), ("processing", false, "pending"), ("failed", true, "declined"),
        ("expired", true, "expired"), ("cancelled", true, "cancelled"), ("succeeded", true, "paid"),
        ("reversed", true, "unknown"), ("", false, "unknown"), ("Succeeded", true, "unknown"),
    ]

    @Test("Each status becomes the right outcome", arguments: statuses)
    func readsStatuses(_ word: String, _ isFinal: Bool, _ expected: String) throws {
        let text = "{\"status\":\"\(word)\",\"isFinal\":\(isFinal),\"pollInMs\":null,\"info\":null}"
        let outcome = try JSONValue(parsing: text).decode(StatusBody.self).report(of: Self.payment)
        #expect(outcome.description.hasPrefix(expected))
        if case .unknown(let unknown) = outcome { #expect(unknown.rawStatus == word) }
    }

    @Test("Recorded statuses are read")
    func readsRecordedStatuses() throws {
        let bodies = try #require(try RecordedTests.recorded()["statuses"]?.array).map {
            try $0.decode(StatusBody.self)
        }
        let outcomes = bodies.map { $0.report(of: Self.payment) }
        #expect(outcomes[0] == .pending(retryAfter: .seconds(1)))
        #expect(outcomes[1] == .pending(retryAfter: .seconds(2)))
        let receipt = try #require(outcomes[4].receipt)
        #expect(receipt.transactionID == "0x46fc18618d378feb6cbdff6ba42231ccfb73eea417f666e43e8ecc7a88df8024")
        #expect(receipt.amount?.decimalText == "0.100000000000000000")
    }

    static let errors: [(Int, String, PaymentError.Code, Bool)] = [
        (404, #"{"code":"payment_not_found","message":"Payment not found"}"#, .notFound, false),
        (410, #"{"code":"invalid_state","message":"Payment expired"}"#, .requestRefused, false),
        (429, #"{"code":"rate_limited","message":"Too many requests"}"#, .rateLimited, true),
        (401, "", .unauthorized, false), (400, "garbage", .requestRefused, false),
        (400, #"{"code":"brand_new","message":"?"}"#, .requestRefused, false),
        (409, "", .requestRefused, true), (425, "", .requestRefused, true),
        (409, #"{"code":"invalid_state","message":"Route expired"}"#, .requestRefused, true),
        (409, #"{"code":"quote_expired","message":"Quote expired"}"#, .requestRefused, false),
        (422, "", .requestRefused, false), (451, "", .payerRefused, false),
        (500, "", .serviceFailure, true), (503, "<html>", .serviceFailure, true), (408, "", .requestRefused, true),
        (302, "", .invalidResponse, true), (204, "", .invalidResponse, true),
    ]

    @Test("Each error becomes the right code and phase", arguments: errors)
    func readsErrors(_ status: Int, _ body: String, _ code: PaymentError.Code, _ isOpen: Bool) {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let refused = GatewayError.refused(ErrorAnswer(response))
        let confirm = ErrorTable.walletConnectPay.paymentError(from: refused, isMutation: true, at: "wcp-test")
        #expect(confirm.code == code)
        #expect(confirm.phase == (isOpen ? .maybeSent : .answered))
        let query = ErrorTable.walletConnectPay.paymentError(from: refused, isMutation: false, at: "wcp-test")
        #expect(query.phase == .answered)
    }

    @Test("What the service says of when to ask again reaches the router", arguments: [429, 503, 422])
    func retryAfter(status: Int) {
        let response = HTTPResponse(status: status, headers: ["Retry-After": "7"])
        let error = ErrorTable.walletConnectPay.paymentError(
            from: GatewayError.refused(ErrorAnswer(response)), isMutation: false, at: "wcp-test")
        #expect(error.retry == (status == 422 ? .never : .after(.seconds(7))))
    }

    /// Every code of the public table that a wallet's calls can get.
    @Test(
        "Every code has a text",
        arguments: [
            "payment_not_found", "payment_expired", "quote_expired", "invalid_state", "params_validation",
            "invalid_params",
            "sanctioned_user", "rate_limited", "internal_error", "missing_auth_headers", "conflicting_auth_headers",
            "missing_app_id", "missing_client_id", "invalid_app_id", "missing_api_key", "invalid_api_key",
            "unauthorized",
            "forbidden", "header_not_ascii", "invalid_api_version", "unknown_api_version", "api_version_downgrade",
            "wallet_not_found", "not_sandbox_api_key",
        ])
    func everyCodeHasAText(_ code: String) {
        let body = Array(#"{"code":"\#(code)","message":"m"}"#.utf8)
        let known = ErrorAnswer(HTTPResponse(status: 418, body: body))
        let other = ErrorAnswer(HTTPResponse(status: 418, body: []))
        let table = ErrorTable.walletConnectPay
        #expect(table.meaning(of: known).text != table.meaning(of: other).text)
    }
}
