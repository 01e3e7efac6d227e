import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

/// Texts, merchants' work, notifications, returns and counts of `payroute serve`.
@Suite("serve: services")
struct ServeMerchantTests {
    private static let link: JSONValue = "https://shop.example/order/7"

    @Test("Readings and decisions say what the commands say")
    func texts() async throws {
        let served = try await ServedShop()
        for text: JSONValue in [Self.link, "upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR", "nothing", "a\u{0}b"] {
            let reading = try await served.call(.post, "/v1/readings", ["text": text])
            let decision = try await served.call(.post, "/v1/decisions", ["text": text])
            #expect(reading.status == 200 && decision.status == 200)
            for member in ["decision", "input", "reading"] {
                #expect(reading.json[member] != nil && reading.json[member] == decision.json[member])
            }
        }
        let decision = try await served.call(.post, "/v1/decisions", ["text": Self.link]).json
        #expect(decision["provider"] == "shop" && decision["reference"] == "7")
        #expect(try await served.call(.post, "/v1/quotes", ["link": "nothing"]).status == 422)
    }

    @Test("A refund is made once for its id")
    func refunds() async throws {
        let served = try await ServedShop()
        _ = try await served.pay(["link": Self.link, "option": "tab"])
        let body: JSONValue = [
            "payment": "shop/7", "amount": ["amount": "1.00", "unit": "iso4217/EUR"], "id": "note-1",
        ]
        for _ in 0..<2 {
            let answer = try await served.call(.post, "/v1/refunds", body)
            #expect(answer.status == 200 && answer.json["subject"] == "refund" && answer.json["reference"] == "note-1")
            #expect(answer.json["outcome"]?["outcome"] == "succeeded" && answer.json["outcome"]?["amount"] == "1.00")
        }
        #expect(await served.shop.refunds(of: "7") == 1)
        var other = body
        other["amount"] = ["amount": "2.00", "unit": "iso4217/EUR"]
        #expect(try await served.call(.post, "/v1/refunds", other).status == 409)
        // Nor does the id stand for a refund of another payment.
        _ = try await served.pay(["link": "https://shop.example/order/8", "option": "tab"])
        var elsewhere = body
        elsewhere["payment"] = "shop/8"
        let refused = try await served.call(.post, "/v1/refunds", elsewhere)
        #expect((refused.status, refused.json["error"]?["code"]) == (409, "integrity"))
        #expect(await served.shop.refunds(of: "8") == 0)
        elsewhere["id"] = "note-2"
        #expect(try await served.call(.post, "/v1/refunds", elsewhere).status == 200)
        #expect(await served.shop.refunds(of: "8") == 1)
        for name in ["payment", "amount", "id"] {
            var part = body
            part[name] = nil
            #expect(try await served.call(.post, "/v1/refunds", part).status == 422, "\(name)")
        }
        other["payment"] = "nowhere/7"
        #expect(try await served.call(.post, "/v1/refunds", other).status == 422)
        let capture = try await served.call(
            .post, "/v1/captures", ["payment": "shop/7", "amount": try #require(body["amount"])])
        #expect((capture.status, capture.json["error"]?["code"]) == (422, "unsupported"))
    }

    @Test("A merchant cancels what is not paid")
    func cancellations() async throws {
        let served = try await ServedShop()
        let open = try await served.call(.post, "/v1/cancellations", ["payment": "https://shop.example/order/9"])
        #expect(open.json["outcome"]?["outcome"] == "cancelled", "\(open.json.text)")
        _ = try await served.pay(["link": Self.link, "option": "tab"])
        let paid = try await served.call(.post, "/v1/cancellations", ["payment": "shop/7"])
        #expect(paid.json["outcome"]?["outcome"] == "succeeded", "\(paid.json.text)")
    }

    @Test("A notification is taken if it is genuine, with its fields but without the caller's token")
    func notifications() async throws {
        let served = try await ServedShop()
        let headers: HTTPHeaders = ["X-Shop": "genuine", "Authorization": "Bearer x"]
        let taken = try await served.call(.post, "/v1/notifications/shop", ["order": "7"], headers)
        #expect(taken.status == 200 && taken.json["outcome"]?["outcome"] == "succeeded", "\(taken.json.text)")
        let forged = try await served.call(.post, "/v1/notifications/shop", ["order": "7"])
        #expect((forged.status, forged.json["error"]?["code"]) == (403, "untrusted-notification"))
        #expect(try await served.call(.post, "/v1/notifications/none", ["order": "7"], headers).status == 422)
    }

    @Test("A return is taken by the payment that waits for it, and says nothing of it")
    func returns() async throws {
        let served = try await ServedShop([])
        let back: JSONValue = ["url": "https://shop.example/back/7"]
        #expect(try await served.call(.post, "/v1/returns", back).json == ["taken": false])
        let asked = try await served.pay(["link": Self.link, "option": "page"])
        #expect(try await served.call(.post, "/v1/returns", back).json == ["taken": true])
        #expect(try await served.call(.post, "/v1/returns", ["url": "nothing"]).json == ["taken": false])
        #expect(try await served.answer(asked, [:])["outcome"]?["outcome"] == "succeeded")
    }

    @Test("The counts have each outcome, and nothing of a payment")
    func metrics() async throws {
        let served = try await ServedShop()
        _ = try await served.pay(["link": Self.link, "option": "tab"], key: "secret-key")
        let text = String(decoding: try await served.call(.get, "/metrics").body, as: UTF8.self)
        for line in [
            "payroute_payments_total{outcome=\"succeeded\"} 1", "payroute_payments_running 0",
            "payroute_payment_seconds_count 1", "payroute_http_answers_total{status=\"201\"} 1",
        ] {
            #expect(text.contains(line + "\n"), "\(text)")
        }
        #expect(!text.contains("shop") && !text.contains("secret-key"))
    }
}
