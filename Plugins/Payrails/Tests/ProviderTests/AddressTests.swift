import Foundation
import PaymentCore
import PaymentRouting
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The addresses that get the token, the pages that are opened, and the values that may become part of either (Protocol
/// 2.2).
@Suite("Addresses and ids")
struct AddressTests {
    private static let local = "http://127.0.0.1:8080"

    /// A session whose every address is on this machine.
    private static var localPayload: JSONValue {
        (try? JSONValue(parsing: Sample.payload().text.replacing(Sample.host, with: local))) ?? [:]
    }

    @Test(
        "Init data with a plain http address elsewhere are refused, and say so",
        arguments: [
            ["execution", "links", "self"], ["links", "instrumentDelete", "href"],
            ["links", "instrumentUpdate", "href"],
            ["vaultConfiguration", "links", "saveInstrument", "href"],
        ])
    func insecure(_ path: [String]) throws {
        for origin in ["http://api.payrails.io", "http://10.0.0.1:8080", "http://127.0.0.1.evil.example"] {
            let data = Sample.initData(Sample.payload().setting(path, .string(origin + "/x/:instrumentId")))
            let error = #expect(throws: PayrailsError.self) {
                try PayrailsSession(Payrails.Configuration(initData: data), transport: ScriptedService([:]))
            }
            #expect(error?.word.contains("\(origin) is plain http") == true, "\(error?.word ?? "-")")
            let link = try PaymentLink(SessionLink.link(to: data).reveal())
            guard case .unverified(let reason)? = PayrailsProvider().recognize(link)?.trust else {
                Issue.record("trusted")
                return
            }
            #expect(reason.contains(origin))
        }
        for host in ["http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:8080", "http://localhost"] {
            _ = try SessionPayload(Sample.payload().setting(path, .string(host + "/x")))
        }
    }

    @Test("A plain http address in an answer gets no token")
    func insecureAnswer() async throws {
        let service = ScriptedService([
            .authorize: [
                .json(
                    ["name": "authorize", "actionId": "a", "links": ["execution": "http://api-pub.payrails.io/e1"]], 201
                )
            ]
        ])
        let result = try await service.pay()
        #expect(result.word.contains("http://api-pub.payrails.io is plain http"), "\(result.word)")
        #expect(service.calls == [.authorize])
    }

    static let localPages = [
        "http://127.0.0.1:9/x", "https://127.0.0.1/x", "http://localhost/x", "https://localhost:8443/x",
        "https://[::1]/x",
        "https://[0:0:0:0:0:0:0:1]/x", "https://app.localhost/x", "https://0.0.0.0/x", "http://127.0.0.1:8080/x",
    ]

    private static func links(_ page: String, _ type: Payrails.PaymentType) -> JSONValue {
        switch type {
        case .card, .applePay: ["3ds": .string(page)]
        case .genericRedirect: ["redirect": .string(page)]
        case .payPal: Sample.payPal(page: page)
        }
    }

    private static func opened(
        _ page: String, _ type: Payrails.PaymentType, _ payload: JSONValue
    ) async throws -> (pages: [String], result: OnPayResult) {
        var pending = Sample.status([Sample.requested, Sample.pending], action: "x", links: links(page, type))
        var authorized = Sample.authorized
        if let url = payload["execution"]?["links"]?["self"] {
            pending["links"]?["self"] = url
            authorized["links"]?["execution"] = url
        }
        let service = ScriptedService([
            .authorize: [.json(authorized, 201)], .read: [.ok(pending)], .wait: [.silence],
        ])
        let session = try PayrailsSession.scripted(service, payload: payload)
        let screen = await Screen(.returns(ReturnURLs.standard.cancel))
        let result =
            type == .card
            ? await session.executePayment(withStoredInstrument: session.card, presenter: screen)
            : await session.executePayment(with: type, presenter: screen)
        return (await screen.pages.map(\.url.text), result)
    }

    @Test("A page on this machine is opened only for a service on this machine", arguments: localPages)
    func localPage(_ page: String) async throws {
        // Also if the init data name an address on this machine for another purpose.
        let mixed = Sample.payload().setting(
            ["vaultConfiguration", "links", "saveInstrument", "href"], .string(try HTTPURL(page).origin + "/save"))
        for payload in [Sample.payload(), mixed] where payload != mixed || (try? SessionPayload(mixed)) != nil {
            for type in [Payrails.PaymentType.card, .genericRedirect, .payPal] {
                let (pages, result) = try await Self.opened(page, type, payload)
                #expect(pages.isEmpty && result.mayHaveBeenPaid, "\(type) \(page): \(result.word)")
            }
        }
    }

    @Test("A sandbox on this machine leads to its own pages")
    func sandboxPage() async throws {
        for type in [Payrails.PaymentType.card, .genericRedirect, .payPal] {
            let page = Self.local + "/page"
            #expect(try await Self.opened(page, type, Self.localPayload).pages == [page], "\(type)")
        }
        #expect(try await Self.opened("http://bank.example/", .genericRedirect, Self.localPayload).pages.isEmpty)
    }

    // MARK: Ids

    static let unsound = [
        "", ".", "..", "a/b", "../x", "a..b", "a\\b", "a%2Fb", "%2e%2e", "a\nb", "a\u{0}", "a?b", "a#b", "a;b",
        "\u{202E}a",
    ]

    @Test("An instrument's id that would change a path is refused before a request is built", arguments: unsound)
    func instruments(_ id: String) async throws {
        let service = ScriptedService([.delete: [.ok(["success": true])], .update: [.ok([:])]])
        let session = try PayrailsSession.scripted(service)
        let deleted = await #expect(throws: PayrailsError.self) {
            try await session.deleteInstrument(instrumentId: id)
        }
        #expect(deleted?.word.contains("instrumentId") == true, "\(deleted?.word ?? "-")")
        let updated = await #expect(throws: PayrailsError.self) {
            try await session.updateInstrument(instrumentId: id, body: UpdateInstrumentBody(status: "disabled"))
        }
        #expect(updated?.word.contains("instrumentId") == true)
        let result = await session.executePayment(
            withStoredInstrument: StoredCardInstrument(id: id, bin: nil, suffix: nil))
        #expect(result.word.contains("instrumentId") && !result.mayHaveBeenPaid, "\(result.word)")
        #expect(service.requests.isEmpty)
    }

    @Test("A session whose execution's id would change a path is refused, naming the field", arguments: unsound)
    func executions(_ id: String) throws {
        let data = Sample.initData(Sample.payload().setting(["execution", "id"], .string(id)))
        let error = #expect(throws: PayrailsError.self) { try SessionPayload(data) }
        #expect(error?.word.contains("'execution.id'") == true, "\(error?.word ?? "-")")
        let link = try PaymentLink(SessionLink.link(to: data).reveal())
        #expect(PayrailsProvider().recognize(link)?.reference == nil)
        let page = "https://api.payrails.io/public/redirect/merchant/w/\(PercentCoding.encode(id))/t"
        #expect(PayrailsProvider().recognize(try PaymentLink(page))?.reference == nil)
    }

    @Test("A stored instrument with such an id is never offered")
    func offered() throws {
        var payload = Sample.payload()
        payload = try JSONValue(parsing: payload.text.replacing(#""id":"i4""#, with: #""id":"i/4""#))
        #expect(try SessionPayload(payload).instruments(.card).map(\.id) == ["i1"])
    }

    @Test("The same execution over another amount is not reported as paid because the first was")
    func otherAmount() async throws {
        let (world, made) = await PayrailsWorld.made()
        let router = try world.router()
        #expect(try await router.pay(made.link, as: world.payer("stored")).isFinal)
        let data = try SessionLink.initData(of: PaymentLink(made.link))
        var payload = try JSONValue(parsing: Array(try #require(Data(base64Encoded: data.data))))
        payload["amount"]?["value"] = "999.99"
        let other = SessionLink.link(to: Sample.initData(payload)).reveal()
        let error = await failure { _ = try await router.pay(other, as: world.payer("stored")) }
        #expect(error?.code == .integrity && error?.phase == .beforeSend)
        #expect(await world.captures(made.id) == 1)
        #expect(try await router.pay(made.link, as: world.payer("stored")).isFinal)
    }
}
