import Foundation
import PaymentCore
import PaymentLoopback
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrouteCommands

/// The output of `inspect` for the vendors' links: amount, order, expiry and host; and no secret.
@Suite("inspect, for the vendors' links")
struct VendorLinkTests {
    private static let token = "62d5c1e0242011eda300f59379b812ce"
    private static let order =
        "citcon:charge?token=\(token)&method=wechatpay&reference=order-7&amount=1250&currency=USD&country=US&env=uat&consumer=ada"

    @Test("An order at Citcon")
    func citcon() async throws {
        for flags in [["--json"], [], ["--reveal"]] {
            let result = await payroute(["inspect"] + flags + [Self.order], input: [])
            #expect(result.code == 0 && result.output.contains(Self.token) == flags.contains("--reveal"), "\(result)")
        }
        let fields = try await payroute("inspect", "--json", Self.order).ending["fields"]
        #expect(fields?["amount"] == "12.50" && fields?["unit"] == "iso4217/USD" && fields?["order"] == "order-7")
        #expect(fields?["host"] == "api.sandbox.citconpay.com" && fields?["environment"] == "uat")
        #expect(fields?["method"] == "wechatpay" && fields?["query.token"] == "…" && fields?["query.consumer"] == "…")
        let shown = await payroute("inspect", Self.order)
        #expect(
            shown.lines.first == "Citcon payment link · 12.50 USD"
                && shown.lines.contains("    amount           12.50 USD"), "\(shown.output)")
        #expect(!shown.output.contains("iso4217"))
    }

    @Test("A session at Payrails: amount, order, hosts and the end of its token, and nothing of the token")
    func payrails() async throws {
        let sandbox = PayrailsSandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let session = await sandbox.createSession(.paid, base: server.baseURL)
        let result = await payroute("inspect", "--json", session.link)
        let fields = try result.ending["fields"]
        #expect(fields?["amount"] == "99.00" && fields?["unit"] == "iso4217/EUR", "\(result)")
        #expect(fields?["host"]?.string == server.baseURL.authority)
        #expect(fields?["order"]?.string?.isEmpty == false && fields?["expires"]?.string?.hasSuffix("Z") == true)
        let data = try #require(try PaymentLink(session.link).queryItems.values("data").first)
        #expect(!result.output.contains(data.prefix(40)))
        #expect(await payroute("inspect", session.link).output.contains("  99.00 EUR"))
    }

    @Test("A pairing that carries a payment: where the payment is, and until when it can be paired with")
    func pairing() async throws {
        let link =
            "wc:c4ef1cc5@2?expiryTimestamp=1900000000&relay-protocol=irn&symKey=b0487747&pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123"
        let result = await payroute("inspect", "--json", link)
        let fields = try result.ending["fields"]
        #expect(fields?["host"] == "pay.walletconnect.com" && fields?["payment"] == "pay_123", "\(result)")
        #expect(fields?["expires"] == "2030-03-17T17:46:40Z" && !result.output.contains("b0487747"))
    }

    @Test(
        "Damaged or dishonest input reports nothing that is not there", arguments: ["amount=1250", "amount=x"])
    func damaged(item: String) async throws {
        let link = Self.order.replacing("amount=1250", with: item).replacing("env=uat", with: "env=moon")
        let fields = try await payroute("inspect", "--json", link).ending["fields"]
        #expect(fields?["amount"] == nil && fields?["host"] == nil)
    }
}
