import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPaySandbox

/// Merchants of an account, and the destinations of their payouts (Protocol 6).
@Suite struct AccountTests {
    private static let usdc = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    private static let payee = "eip155:8453:0x00000000000000000000000000000000000000ab"

    private static func terms(_ asset: String = usdc, _ payee: String = payee) throws -> Shop.TokenSettlement.Terms {
        .init(asset: try AssetID(asset), destination: try AccountID(payee))
    }

    private static let details = Shop.MerchantDetails(
        name: "Second", email: Redacted("shop@second.example"), icon: .copied(from: "https://second.example/logo.png"))

    @Test("Makes, shows, finds, changes and removes merchants")
    func merchants() async throws {
        let world = try ShopWorld()
        let made = try await world.accounts.createMerchant(Self.details, idempotencyKey: "key-1")
        #expect(made.name == "Second" && made.status == .active && made.id.hasPrefix("mrch_") && made.createdAt != nil)
        // Two creations under one key are one merchant; under a used key, nothing else is created.
        #expect(try await world.accounts.createMerchant(Self.details, idempotencyKey: "key-1").id == made.id)
        var other = Self.details
        other.name = "Third"
        let conflict = await failure { _ = try await world.accounts.createMerchant(other, idempotencyKey: "key-1") }
        #expect(conflict?.vendorCode == "idempotency_conflict")
        #expect(try await world.accounts.merchants().merchants.count == 2)

        #expect(try await world.accounts.merchants(search: "SEC").merchants.map(\.id) == [made.id])
        let page = try await world.accounts.merchants(limit: 1)
        #expect(page.nextCursor != nil)
        #expect(try await world.accounts.merchants(after: page.nextCursor, limit: 1).merchants.map(\.id) == [made.id])
        #expect(try await world.accounts.merchant(made.id).iconURL == "https://second.example/logo.png")
        let changed = try await world.accounts.updateMerchant(
            made.id, .init(name: "Zweite", icon: Shop.MerchantDetails.Icon.none))
        #expect(changed.name == "Zweite" && changed.iconURL == nil && changed.email?.reveal() == "shop@second.example")
        try await world.accounts.deleteMerchant(made.id)
        try await world.accounts.deleteMerchant(made.id)
        #expect(await failure { _ = try await world.accounts.merchant(made.id) }?.code == .notFound)
        #expect(!"\(made)".contains("shop@"))
    }

    @Test("A lost answer is got back under the same key", arguments: [FaultInjector.Fault.dropAfter, .status(502)])
    func lostAnswers(_ fault: FaultInjector.Fault) async throws {
        let world = try ShopWorld()
        world.faults.inject(fault) { $1 == "/v1/merchants" }
        let lost = await failure { _ = try await world.accounts.createMerchant(Self.details, idempotencyKey: "key-1") }
        #expect(lost?.phase == .maybeSent)
        _ = try await world.accounts.createMerchant(Self.details, idempotencyKey: "key-1")
        #expect(try await world.accounts.merchants().merchants.count == 2)
    }

    @Test("Adds, changes and removes accounts to be paid out to")
    func settlements() async throws {
        let world = try ShopWorld()
        let merchant = WalletConnectPaySandbox.merchantID
        let made = try await world.accounts.addSettlements([try Self.terms()], to: merchant, idempotencyKey: "s-1")
        #expect(made.map(\.terms) == [try Self.terms()])
        #expect(
            try await world.accounts.addSettlements([try Self.terms()], to: merchant, idempotencyKey: "s-1") == made)
        let conflict = await failure {
            _ = try await world.accounts.addSettlements([try Self.terms()], to: merchant, idempotencyKey: "s-2")
        }
        #expect(conflict?.vendorCode == "settlement_asset_conflict")
        let payee = try AccountID("eip155:8453:0x00000000000000000000000000000000000000cd")
        let changed = try await world.accounts.changeSettlement(made[0], to: payee, of: merchant)
        #expect(changed.id == made[0].id && changed.terms.destination == payee)
        #expect(try await world.accounts.settlements(of: merchant).tokens == [changed])
        #expect(try await world.accounts.merchant(merchant).settlements?.tokens == [changed])
        try await world.accounts.deleteSettlement(changed.id, of: merchant)
        try await world.accounts.deleteSettlement(changed.id, of: merchant)
        #expect(try await world.accounts.settlements(of: merchant).tokens.isEmpty)
    }

    @Test("Payouts that would go elsewhere than asked for are seen")
    func lyingSettlements() async throws {
        let world = try ShopWorld()
        let merchant = WalletConnectPaySandbox.merchantID
        let path = "/v1/merchants/\(merchant)/settlements/crypto"
        let thief = "eip155:8453:0x00000000000000000000000000000000000000ee"
        let row: JSONValue = ["id": "crypto_1", "asset": .string(Self.usdc), "destination": .string(thief)]
        for lie: JSONValue in [["settlements": [row]], ["settlements": []], ["settlements": [row, row]]] {
            world.lie(path, lie, status: 201)
            let error = await failure {
                _ = try await world.accounts.addSettlements([try Self.terms()], to: merchant, idempotencyKey: "s-1")
            }
            #expect(error?.code == .integrity && error?.phase == .maybeSent)
        }
        let made = try await world.accounts.addSettlements([try Self.terms()], to: merchant, idempotencyKey: "s-1")
        world.lie("\(path)/\(made[0].id)", row)
        let error = await failure {
            _ = try await world.accounts.changeSettlement(made[0], to: try AccountID(Self.payee), of: merchant)
        }
        #expect(error?.code == .integrity)
        world.lie("\(path)/\(made[0].id)", ["id": "crypto_2", "deleted": true])
        #expect(
            await failure { try await world.accounts.deleteSettlement(made[0].id, of: merchant) }?.code == .integrity)
    }

    @Test("Another merchant in the answer is seen")
    func lyingMerchants() async throws {
        let world = try ShopWorld()
        let other: JSONValue = [
            "merchant": [
                "id": "mrch_other", "name": "Other", "email": nil, "status": "active", "iconUrl": nil,
                "createdAt": "2027-01-15T08:00:00Z",
            ]
        ]
        world.faults.inject(.status(200, body: other.text), times: 2) { $1 == "/v1/merchants/mrch_1" }
        #expect(await failure { _ = try await world.accounts.merchant("mrch_1") }?.code == .integrity)
        #expect(
            await failure { _ = try await world.accounts.updateMerchant("mrch_1", .init(name: "x")) }?.code
                == .integrity)
        world.lie("/v1/merchants", other, status: 201)
        #expect(
            await failure { _ = try await world.accounts.createMerchant(Self.details, idempotencyKey: "k") }?.code
                == .integrity)
    }

    @Test("What the service would refuse is not sent")
    func unfit() async throws {
        let world = try ShopWorld()
        let accounts = world.accounts
        let details: [Shop.MerchantDetails] = [
            .init(name: "a"), .init(email: Redacted("a@b.example")), .init(name: "", email: Redacted("a@b.example")),
            .init(name: String(repeating: "a", count: 257), email: Redacted("a@b.example")),
            .init(name: "a", email: Redacted("a")), .init(name: "a", email: Redacted("a@b\n.example")),
            .init(name: "a", email: Redacted("a@b.example"), icon: .copied(from: "http://b.example/a.png")),
        ]
        for details in details {
            let error = await failure { _ = try await accounts.createMerchant(details, idempotencyKey: "k") }
            #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        }
        let elsewhere = try Self.terms(Self.usdc, "eip155:1:0x00000000000000000000000000000000000000ab")
        for terms in [
            [], [elsewhere], [try Self.terms(), try Self.terms()], Array(repeating: try Self.terms(), count: 51),
        ] {
            let error = await failure { _ = try await accounts.addSettlements(terms, to: "m", idempotencyKey: "k") }
            #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        }
        #expect(await failure { _ = try await accounts.merchant("a/b") }?.phase == .beforeSend)
        #expect(await failure { _ = try await accounts.updateMerchant("m", .init()) }?.phase == .beforeSend)
        #expect(await failure { _ = try await accounts.merchants(limit: 101) }?.phase == .beforeSend)
        #expect(
            await failure { _ = try await accounts.createMerchant(Self.details, idempotencyKey: "") }?.phase
                == .beforeSend)
        #expect(world.faults.requests.isEmpty)
    }
}
