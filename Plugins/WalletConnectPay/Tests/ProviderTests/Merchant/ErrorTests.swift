import PaymentCore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant

/// The table of errors (Protocol 8).
@Suite struct ErrorTests {
    private static let codes: [(String, Int, PaymentError.Code)] = [
        ("invalid_api_key", 401, .unauthorized), ("missing_api_key", 401, .unauthorized),
        ("missing_merchant_id", 401, .unauthorized), ("missing_merchant_api_key", 401, .unauthorized),
        ("api_key_not_found", 401, .unauthorized), ("partner_not_found", 401, .unauthorized),
        ("forbidden", 403, .unauthorized), ("not_found", 404, .notFound), ("payment_not_found", 404, .notFound),
        ("merchant_not_found", 404, .notFound), ("customer_not_found", 404, .notFound),
        ("merchant_exists", 409, .requestRefused), ("idempotency_conflict", 409, .requestRefused),
        ("missing_idempotency_key", 400, .requestRefused), ("settlement_asset_conflict", 409, .requestRefused),
        ("version_conflict", 409, .requestRefused), ("payment_not_succeeded", 400, .requestRefused),
        ("already_refunded", 409, .requestRefused), ("invalid_state", 400, .requestRefused),
        ("params_validation", 400, .requestRefused), ("invalid_params", 400, .requestRefused),
        ("header_not_ascii", 400, .requestRefused), ("rate_limited", 429, .rateLimited),
        ("internal_error", 500, .serviceFailure), ("bad_gateway", 502, .serviceFailure),
        ("executor_not_found", 404, .serviceFailure), ("api_version_downgrade", 400, .unsupported),
    ]

    @Test("Every code has a meaning and a text of ours", arguments: codes)
    func meaning(_ code: String, _ status: Int, _ meaning: PaymentError.Code) async throws {
        let world = try ShopWorld()
        world.lie("/v1/merchants/payments", ["code": .string(code), "message": "SECRET"], status: status)
        let error = await failure { _ = try await world.client.payments() }
        #expect(error?.code == meaning && error?.vendorCode == code)
        #expect(error?.message.contains("SECRET") == false)
        #expect(error?.phase != .maybeSent, "a question moves nothing")
        #expect(error?.message.contains("HTTP") == false, "the code says more than the status")
    }

    @Test(
        "Without a code, the status speaks",
        arguments: [
            (401, PaymentError.Code.unauthorized), (403, .unauthorized), (404, .notFound), (409, .requestRefused),
            (410, .requestRefused), (422, .requestRefused), (429, .rateLimited), (500, .serviceFailure),
            (307, .invalidResponse), (418, .requestRefused),
        ])
    func statusMeaning(_ status: Int, _ meaning: PaymentError.Code) async throws {
        let world = try ShopWorld()
        world.faults.inject(.status(status, body: "<html>")) { $1 == "/v1/merchants/payments" }
        let error = await failure { _ = try await world.client.payments() }
        #expect(error?.code == meaning && error?.vendorCode == nil)
        #expect(error?.message.contains("payer") == false, "that is what it would say to a wallet")
    }

    @Test(
        "Without a code, the message is in a merchant's terms",
        arguments: [
            (403, "not for this"), (404, "in this account"), (409, "contradicts"), (410, "no more"), (422, "data"),
        ])
    func statusText(_ status: Int, _ text: String) async throws {
        let world = try ShopWorld()
        world.faults.inject(.status(status, body: "<html>")) { $1 == "/v1/merchants/payments" }
        let error = await failure { _ = try await world.client.payments() }
        #expect(error?.message.contains(text) == true, "\(String(describing: error))")
    }

    @Test("Only some refusals prove that nothing was changed")
    func proofs() async throws {
        for (status, phase) in [
            (400, PaymentError.Phase.answered), (409, .maybeSent), (429, .maybeSent), (500, .maybeSent),
        ] {
            let world = try ShopWorld()
            world.lie("/v1/merchants/m", ["code": "params_validation", "message": "m"], status: status)
            #expect(await failure { try await world.accounts.deleteMerchant("m") }?.phase == phase, "\(status)")
        }
    }

    @Test("Rate limits say when to ask again")
    func rateLimits() async throws {
        let world = try ShopWorld()
        world.lie("/v1/merchants/payments", ["code": "rate_limited", "message": "m"], status: 429)
        #expect(await failure { _ = try await world.client.payments() }?.retry == .later)
    }
}
