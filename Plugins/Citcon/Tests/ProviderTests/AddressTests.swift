import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The addresses that are called, the pages that are opened, and the values that may become part of either.
@Suite struct AddressTests {
    // MARK: The service

    @Test("Plain http is for this machine alone")
    func endpoints() throws {
        for text in [
            "http://api.citconpay.com/v1/", "http://10.0.0.1/", "http://127.0.0.1.evil.example/", "http://0.0.0.0/",
            "http://localhost.evil.example/", "http://[::2]/", "http://192.168.1.2:8080/v1",
        ] {
            let origin = try HTTPURL(text).origin
            #expect(throws: CPayEndpointError.insecure(origin: origin)) { try CPayEndpoint(.UAT, baseURL: text) }
            let manager = CPayManager()
            #expect(throws: CPayEndpointError.self) { try manager.setBaseURL(text) }
        }
        #expect("\(CPayEndpointError.insecure(origin: "http://a.b"))".contains("https"))
        for text in ["http://127.0.0.1:1/v1/", "http://127.8.9.10/", "http://[::1]:8080/", "http://localhost/v1"] {
            _ = try CPayEndpoint(.UAT, baseURL: text)
        }
    }

    // MARK: Pages

    static let localPages = [
        "http://127.0.0.1:9/x", "https://127.0.0.1/x", "http://localhost/x", "https://localhost:8443/x",
        "http://[::1]/x",
        "https://[::1]/x", "https://[0:0:0:0:0:0:0:1]/x", "https://[::ffff:127.0.0.1]/x", "https://app.localhost/x",
        "https://127.1.2.3/x", "https://0.0.0.0/x", "https://[::]/x",
    ]

    private static func payer(_ opened: Mutexed<[String]>) -> Payer {
        Payer(
            browser: { page in
                opened.change { $0.append(page.url.text) }
                return nil
            },
            codeDisplay: { code in opened.change { $0.append(code.text.reveal()) } }, policy: .firstWhateverItCosts)
    }

    private static func router(_ service: ScriptedCitcon, _ baseURL: String?) throws -> PaymentRouter {
        try PaymentRouter(try Shop.provider(baseURL: baseURL), over: service)
    }

    @Test("A page on this machine is opened only for a service on this machine", arguments: localPages)
    func localPage(_ page: String) async throws {
        for (gateway, method) in [("toss", "toss"), ("fomo", "paynow"), ("xendit", "paymaya")] {
            for format in gateway == "fomo" ? ["redirect", "qr"] : ["redirect"] {
                let charge = ScriptedCitcon.charge(page, format: format)
                let service = ScriptedCitcon(
                    gateway: gateway, confirm: .ok(charge), inquiry: .ok(ScriptedCitcon.transaction("initiated")))
                let link = LinkTests.good.replacing("wechatpay", with: method)
                let opened = Mutexed<[String]>([])
                let outcome = try? await Self.router(service, nil).pay(link, as: Self.payer(opened))
                #expect(opened.value.isEmpty && outcome?.isFinal != true, "\(page)")
                let client = try CPayClient(service) { launch in
                    opened.change { $0.append("\(launch)") }
                    return .returned(url: nil)
                }
                let result = await client.requestOrder(Shop.order(method))
                #expect(result.status == "fail" && result.data.message?.hasPrefix(CPayMessage.invalidRedirect) == true)
                #expect(opened.value.isEmpty, "\(page)")
            }
        }
    }

    @Test("A sandbox on this machine leads to its own pages")
    func sandboxPage() async throws {
        for page in ["http://127.0.0.1:9/x", "https://localhost/x", "https://bank.example/x"] {
            let service = ScriptedCitcon(
                gateway: "toss", confirm: .ok(ScriptedCitcon.charge(page, format: "redirect")))
            let opened = Mutexed<[String]>([])
            _ = try await Self.router(service, "http://127.0.0.1:8080/v1/").pay(
                LinkTests.good.replacing("wechatpay", with: "toss"), as: Self.payer(opened))
            #expect(opened.value == [page])
        }
        let service = ScriptedCitcon(
            gateway: "toss", confirm: .ok(ScriptedCitcon.charge("http://bank.example/x", format: "redirect")),
            inquiry: .ok(ScriptedCitcon.transaction("initiated")))
        let opened = Mutexed<[String]>([])
        _ = try? await Self.router(service, "http://127.0.0.1:8080/v1/").pay(
            LinkTests.good.replacing("wechatpay", with: "toss"), as: Self.payer(opened))
        #expect(opened.value.isEmpty, "plain http elsewhere is never opened")
    }

    // MARK: Ids

    static let unsound = [
        "a/b", "../x", "..", ".", "a..b", "a\\b", "a%2Fb", "%2e%2e", "50%", "a\nb", "a\u{0}b", "a\u{7F}", "a\u{85}b",
        "a?b", "a#b", "a\u{2028}b", "\u{202E}x", "a;b=1",
    ]

    @Test("An id that would change a path is refused before a request is built", arguments: unsound)
    func ids(_ id: String) async throws {
        let service = ScriptedCitcon()
        let client = try CPayClient(service)
        for check in [await client.inquireOrder(id), await client.inquireOrder(reference: id)] {
            #expect(check.status == "fail" && check.data.code == CPayCode.failure, "\(check)")
            #expect(check.data.message?.contains("id") == true || check.data.message?.contains("reference") == true)
        }
        let token = Shop.order()
        token.chargeToken = id
        let first = await client.requestOrder(token)
        #expect(first.status == "fail" && first.data.message?.contains("chargeToken") == true)
        let reference = Shop.order()
        reference.transaction.reference = id
        let second = await client.requestOrder(reference)
        #expect(second.status == "fail" && second.data.message?.contains("transaction.reference") == true)
        #expect(service.calls.isEmpty)

        let text = LinkTests.good.replacing("order-1", with: PercentCoding.encode(id))
        #expect(throws: CitconOrderLink.Defect.malformed("reference")) {
            try CitconOrderLink(PaymentLink(text))
        }
        let router = try Self.router(service, nil)
        let payment = PaymentReference(provider: CitconProvider.id, id: "uat/\(id)")
        let error = await failure { _ = try await router.status(of: payment) }
        // With a slash it reads as the name of another merchant.
        #expect(error?.message.contains("reference") == true || error?.message.contains("merchant") == true)
        #expect(error?.phase == .beforeSend)
        #expect(service.calls.isEmpty)
    }

    @Test("An id of the service's that would change a path is not called", arguments: unsound)
    func serviceIDs(_ id: String) async throws {
        let charge = ScriptedCitcon.charge().replacing(
            #""2000470537596802752517""#, with: JSONValue.string(id).text)
        let service = ScriptedCitcon(confirm: .ok(charge), inquiry: .ok(ScriptedCitcon.transaction("initiated")))
        let outcome = try await Self.router(service, nil).pay(
            LinkTests.good, as: Payer(appLauncher: { _ in nil }, policy: .firstWhateverItCosts))
        let unknown = try #require(outcome.unknownOutcome)
        #expect(unknown.message.contains("'id'"))
        #expect(service.calls.dropFirst(2).allSatisfy { $0 == "GET transactions/order-1?type=reference" })
        let again = ScriptedCitcon(confirm: .ok(charge), inquiry: .ok(ScriptedCitcon.transaction("initiated")))
        let result = await (try CPayClient(again, launcher: { _ in .returned(url: nil) })).requestOrder(Shop.order())
        #expect(result.status == "fail" && !result.isPaid)
        #expect(again.calls.dropFirst(2).allSatisfy { $0 == "GET transactions/order-1?type=reference" })
    }

    @Test("What merchants call their orders goes through")
    func sound() async throws {
        for reference in ["sdk_digit_1647181572.353276", "a b", "A&B=1", "Bestellung 12:30 (ü)", "~", "a.b"] {
            let service = ScriptedCitcon()
            _ = await (try CPayClient(service)).inquireOrder(reference: reference)
            #expect(service.calls == ["GET transactions/\(PercentCoding.encode(reference))?type=reference"])
        }
    }
}
