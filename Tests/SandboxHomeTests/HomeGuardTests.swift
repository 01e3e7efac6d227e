import CitconSandbox
import PaymentCore
import PaymentTesting
import PayrailsSandbox
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import SandboxHome

/// Pages of other sites, in a browser on this machine, can send any request to 127.0.0.1; they get nothing.
@Suite("Guards of the sandbox's home") struct HomeGuardTests {
    @Test(
        "Posts from pages of other sites are refused, wherever they go",
        arguments: [
            ["Origin": "https://evil.example"], ["Origin": "http://127.0.0.1.evil.example"],
            ["Origin": "https://127.0.0.1:8080@evil.example"], ["Origin": "null", "Sec-Fetch-Site": "cross-site"],
            ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"], ["Origin": "", "Sec-Fetch-Site": "none"],
            ["Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "cross-site"], ["Origin": "http://localhost:1/x"],
        ] as [HTTPHeaders])
    func forged(_ headers: HTTPHeaders) async throws {
        let world = HomeWorld()
        let payment = await world.payrails.createSession(base: try HTTPURL(world.base))
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        for (path, body) in [
            ("/scenarios", "make=citcon/wechatpay"), ("/playground", "text=x"), ("/ledger", "minutes=15"),
            ("/checkout/\(payment.id)", "action=pay"), ("/collect/submit", "pid=1"),
        ] {
            #expect(try await world.send(.post, path, headers, body: body).status == 403, "\(path)")
        }
        headers["Content-Type"] = "application/json"
        #expect(try await world.send(.post, "/_sandbox/clock", headers, body: #"{"advance":60}"#).status == 403)
        #expect(try await world.send(.delete, "/_sandbox/faults", headers).status == 403)
        #expect(world.clock.shift == .zero)
        #expect(await world.home.closing().count == 1)
    }

    @Test("Forms of pages that keep their own address to themselves are taken, and those of programs")
    func own() async throws {
        let world = HomeWorld()
        let form = ["Content-Type": "application/x-www-form-urlencoded"] as HTTPHeaders
        for more in [
            [:], ["Origin": "null", "Sec-Fetch-Site": "same-origin"], ["Origin": world.base],
        ] as [HTTPHeaders] {
            var headers = form
            for field in more.fields { headers[field.name] = field.value }
            #expect(try await world.send(.post, "/scenarios", headers, body: "make=citcon/wechatpay").status == 303)
        }
        #expect(await world.home.closing().count == 3)
    }

    @Test("Pages of this machine get leave to use the interface, but not the pages' forms")
    func loopback() async throws {
        let world = HomeWorld()
        for origin in ["http://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:80", "https://localhost:3000"] {
            let asked = try await world.send(
                HTTPRequest.Method(rawValue: "OPTIONS"), "/_sandbox/payments",
                [
                    "Origin": origin, "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "content-type",
                ])
            guard origin != "http://[::1]:80" else { continue }
            #expect(asked.status == 204, "\(origin)")
            #expect(asked.headers["Access-Control-Allow-Origin"] == origin)
            #expect(asked.headers["Access-Control-Allow-Headers"] == "content-type")
            #expect(asked.headers["Access-Control-Allow-Credentials"] == nil)
            let made = try await world.send(
                .post, "/_sandbox/payments", ["Origin": origin, "Content-Type": "application/json"],
                body: #"{"service":"citcon","scenario":"wechatpay"}"#)
            #expect(made.status == 201 && made.headers["Access-Control-Allow-Origin"] == origin)
            #expect(made.headers["Vary"] == "Origin")
            // A service's interface, too: a page under development uses it as its backend.
            #expect(
                try await world.send(.get, "/v1/gateway/payment/pay_1", ["Origin": origin])
                    .headers["Access-Control-Allow-Origin"] == origin)
            let form = try await world.send(
                .post, "/scenarios", ["Origin": origin, "Content-Type": "application/x-www-form-urlencoded"],
                body: "make=citcon/wechatpay")
            #expect(form.status == 403)
        }
        for origin in [
            "https://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost.evil.example:1",
        ] {
            let asked = try await world.send(
                HTTPRequest.Method(rawValue: "OPTIONS"), "/_sandbox/payments",
                ["Origin": origin, "Access-Control-Request-Method": "POST"])
            #expect(asked.status == 403 && asked.headers["Access-Control-Allow-Origin"] == nil, "\(origin)")
            let read = try await world.send(.get, "/_sandbox/ledger", ["Origin": origin])
            #expect(read.headers["Access-Control-Allow-Origin"] == nil, "\(origin)")
        }
    }

    @Test("The interface takes JSON only, so that no form can be sent there without leave")
    func types() async throws {
        let world = HomeWorld()
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
            let answer = try await world.send(
                .post, "/_sandbox/payments", ["Content-Type": type],
                body: #"{"service":"citcon","scenario":"wechatpay"}"#)
            #expect(answer.status == 415, "\(type)")
        }
        #expect(await world.home.closing().isEmpty)
    }
}
