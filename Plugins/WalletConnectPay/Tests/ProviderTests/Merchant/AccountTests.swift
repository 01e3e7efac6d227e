import PaymentCore
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

        #expect(world.wire.requests.last?.url.query == "limit=20")
        #expect(try await world.accounts.merchants(search: "SEC").merchants.map(\.id) == [made.id])
        #expect(try await world.accounts.merchants(search: "S", status: .suspended).merchants.isEmpty)
        let longest = String(repeating: "s", count: 256)
        #expect(try await world.accounts.merchants(search: longest).merchants.isEmpty)
        #expect(await failure { _ = try await world.accounts.merchants(search: longest + "s") }?.phase == .beforeSend)
        #expect(await failure { _ = try await world.accounts.merchants(search: "") }?.phase == .beforeSend)
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

    @Test("A merchant's e-mail address may have signs")
    func signs() async throws {
        let world = try ShopWorld()
        let details = Shop.MerchantDetails(name: "a", email: Redacted("!~@b.example"))
        #expect(
            try await world.accounts.createMerchant(details, idempotencyKey: "k").email?.reveal() == "!~@b.example")
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
        let bank: JSONValue = ["id": "bank_1", "status": "verified", "bankType": "us"]
        let coin: JSONValue = ["id": "crypto_1", "asset": "a coin", "destination": .string(Self.payee)]
        let token: JSONValue = [
            "id": "crypto_2", "asset": .string(Self.usdc), "destination": .string(Self.payee),
        ]
        world.lie("/v1/merchants/\(merchant)/settlements", ["fiat": [bank], "crypto": [coin, token]])
        let unread = try await world.accounts.settlements(of: merchant)
        #expect(unread.tokens.map(\.id) == ["crypto_2"] && unread.unreadableCount == 1)
        #expect(unread.banks.map(\.rawStatus) == ["verified"])
    }

    @Test("Payouts that would go elsewhere than asked for are seen")
    func lyingSettlements() async throws {
        let world = try ShopWorld()
        let merchant = WalletConnectPaySandbox.merchantID
        let path = "/v1/merchants/\(merchant)/settlements/crypto"
        let thief = "eip155:8453:0x00000000000000000000000000000000000000ee"
        let row: JSONValue = ["id": "crypto_1", "asset": .string(Self.usdc), "destination": .string(thief)]
        let good: JSONValue = ["id": "crypto_2", "asset": .string(Self.usdc), "destination": .string(Self.payee)]
        let unread: JSONValue = ["id": "crypto_3", "asset": "a coin", "destination": .string(thief)]
        for lie: JSONValue in [
            ["settlements": [row]], ["settlements": []], ["settlements": [row, row]], ["settlements": [good, unread]],
        ] {
            world.lie(path, lie, status: 201)
            let error = await failure {
                _ = try await world.accounts.addSettlements([try Self.terms()], to: merchant, idempotencyKey: "s-1")
            }
            #expect(error?.code == .integrity && error?.phase == .maybeSent)
        }
        let made = try await world.accounts.addSettlements([try Self.terms()], to: merchant, idempotencyKey: "s-1")
        var moved = row
        moved["id"] = .string(made[0].id)
        for lie in [row, good, moved] {
            world.lie("\(path)/\(made[0].id)", lie)
            let error = await failure {
                _ = try await world.accounts.changeSettlement(made[0], to: try AccountID(Self.payee), of: merchant)
            }
            #expect(error?.code == .integrity)
        }
        for lie: JSONValue in [
            ["id": "crypto_2", "deleted": true], ["id": .string(made[0].id), "deleted": false],
        ] {
            world.lie("\(path)/\(made[0].id)", lie)
            let error = await failure { try await world.accounts.deleteSettlement(made[0].id, of: merchant) }
            #expect(error?.code == .integrity && error?.phase == .maybeSent)
        }
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
        let shown = await failure { _ = try await world.accounts.merchant("mrch_1") }
        #expect(shown?.code == .integrity && shown?.phase == .answered)
        #expect(
            await failure { _ = try await world.accounts.updateMerchant("mrch_1", .init(name: "x")) }?.code
                == .integrity)
        for lie: JSONValue in [["id": "mrch_other", "deleted": true], ["id": "mrch_1", "deleted": false]] {
            world.lie("/v1/merchants/mrch_1", lie)
            #expect(await failure { try await world.accounts.deleteMerchant("mrch_1") }?.code == .integrity)
        }
        world.lie("/v1/merchants", other, status: 201)
        #expect(
            await failure { _ = try await world.accounts.createMerchant(Self.details, idempotencyKey: "k") }?.code
                == .integrity)
    }

    @Test("What the service would refuse is not sent")
    func unfit() async throws {
        let world = try ShopWorld()
        let accounts = world.accounts
        let details: [Shop.MerchantDetails] =
            [
                .init(name: "a"), .init(email: Redacted("a@b.example")),
                .init(name: "", email: Redacted("a@b.example")),
                .init(name: String(repeating: "a", count: 257), email: Redacted("a@b.example")),
                .init(name: "a", email: Redacted("a@b.example"), icon: .copied(from: "http://b.example/a.png")),
            ]
            + [
                "a", "@b.example", "a@b", "a@@b.example", "a@b.example@c.example", "a@b\n.example", "a @b.example",
                "a\u{7F}@b.example",
            ].map { .init(name: "a", email: Redacted($0)) }
        for details in details {
            let error = await failure { _ = try await accounts.createMerchant(details, idempotencyKey: "k") }
            #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        }
        let elsewhere = try Self.terms(Self.usdc, "eip155:1:0x00000000000000000000000000000000000000ab")
        let many = try (10...60).map { number in
            try Self.terms("eip155:8453/erc20:0x" + String(repeating: "0", count: 38) + "\(number)")
        }
        for terms in [[], [elsewhere], [try Self.terms(), try Self.terms()], many] {
            let error = await failure { _ = try await accounts.addSettlements(terms, to: "m", idempotencyKey: "k") }
            #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        }
        let unnamed = await failure {
            _ = try await accounts.addSettlements([try Self.terms()], to: "m", idempotencyKey: "")
        }
        #expect(unnamed?.phase == .beforeSend)
        let settlement = try await ShopWorld().accounts.addSettlements(
            [try Self.terms()], to: WalletConnectPaySandbox.merchantID, idempotencyKey: "k")[0]
        let moved = await failure {
            _ = try await accounts.changeSettlement(settlement, to: elsewhere.destination, of: "m")
        }
        #expect(moved?.code == .requestRefused && moved?.phase == .beforeSend)
        #expect(await failure { _ = try await accounts.merchant("a/b") }?.phase == .beforeSend)
        #expect(await failure { _ = try await accounts.updateMerchant("m", .init()) }?.phase == .beforeSend)
        #expect(await failure { _ = try await accounts.merchants(limit: 101) }?.phase == .beforeSend)
        #expect(
            await failure { _ = try await accounts.createMerchant(Self.details, idempotencyKey: "") }?.phase
                == .beforeSend)
        #expect(world.faults.requests.isEmpty)
    }
}
