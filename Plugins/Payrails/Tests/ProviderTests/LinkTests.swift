import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

@Suite("Links")
struct LinkTests {
    private let router: PaymentRouter

    init() throws { router = try Sample.router(ScriptedService([:])) }

    private func match(_ text: String) -> LinkMatch? {
        guard case .matched(let route) = router.route(text) else { return nil }
        return route.match
    }

    private let link = Sample.link

    @Test("A session as a link, both alphabets of base64 included")
    func asLink() throws {
        #expect(link.hasPrefix("payrails:session?version=1.0.0&data=") && !link.hasSuffix("="))
        #expect(match(link) == LinkMatch(.payment("e1"), holdsSecret: true))
        // Every length of padding and every digit of the alphabet.
        for extra in 0..<40 {
            var payload = Sample.payload()
            payload["padding"] = .string(String(repeating: "\u{3FF}?~", count: extra))
            let data = Sample.initData(payload)
            let link = try PaymentLink(SessionLink.link(to: data).reveal())
            #expect(try SessionLink.initData(of: link) == data)
        }
    }

    @Test("A session as the merchant's server answers it")
    func asText() throws {
        let data = Sample.initData().data
        for text in [#"{"version":"1.0.0","data":"\#(data)"}"#, #"{"data":"\#(data)","version":"1.0.0","more":1}"#] {
            #expect(match(text) == LinkMatch(.payment("e1"), holdsSecret: true))
        }
        for text in [
            #"{"version":"1.0.0"}"#, #"{"version":1,"data":"x"}"#, #"{"version":"1","data":"x""#, #"{"version":"#,
        ] {
            #expect(match(text) == nil, "\(text)")
        }
    }

    @Test("A session that leads elsewhere is not trusted, and says where")
    func untrusted() throws {
        for (path, address) in [
            (["execution", "links", "self"], "https://evil.example/e1"),
            (["links", "instrumentDelete", "href"], "https://payrails.io.evil.example/x"),
            (["vaultConfiguration", "links", "saveInstrument", "href"], "https://api.payrails.io:8443/x"),
            (["execution", "links", "self"], "http://127.0.0.1:8080/e1"),
        ] {
            let link = SessionLink.link(to: Sample.initData(Sample.payload().setting(path, .string(address)))).reveal()
            let match = try #require(self.match(link))
            guard case .unverified(let reason) = match.trust else {
                Issue.record("\(address) is trusted")
                continue
            }
            #expect(reason.contains(try HTTPURL(address).origin) && match.reference == "e1")
        }
    }

    @Test("A link that cannot be read says why and names no payment")
    func unreadable() throws {
        var odd = Sample.payload()
        odd["execution"]?["id"] = "e1 /../x"
        for bad in [
            "payrails:session", "payrails:other?version=1&data=e30", "payrails:session?version=1",
            "payrails:session?version=1&data=e30&data=e30", "payrails:session?version=1&data=e30&x=1",
            "payrails:session?version=1&data=e30=", "payrails:session?version=1&data=a+b", link + "#x",
            "payrails:session?version=1&data=e30", "payrails://session?version=1&data=e30", String(link.dropLast(9)),
            SessionLink.link(to: Sample.initData(odd)).reveal(),
        ] {
            let match = self.match(bad)
            #expect(match?.reference == nil, "\(bad.prefix(60))")
            if let match {
                guard case .unverified(let reason) = match.trust else {
                    Issue.record("trusted: \(bad.prefix(60))")
                    continue
                }
                #expect(reason.hasPrefix("the session cannot be read: ") && !reason.contains(Canary.token))
            }
        }
    }

    @Test("Return pages and challenges bring payers back")
    func callbacks() throws {
        for url in ReturnURLs.standard.all {
            #expect(match(url + "?token=EC-1") == LinkMatch(nil, role: .callback))
        }
        #expect(
            match("https://api-pub.staging.payrails.io/public/redirect/merchant/payment-acceptance/e1/t0")
                == LinkMatch(.payment("e1"), role: .callback, holdsSecret: true))
        for url in [
            "https://payrails.io/", "https://api.payrails.io/public/redirect/merchant/w/e1",
            "https://api.payrails.io/public/redirect/merchant/w/e1/", "https://assets.payrails.io/html/other.html",
            "https://payrails.io.evil.example/public/redirect/merchant/w/e1/t",
            "https://assets.payrails.io.evil.example/html/payrails-success.html",
        ] {
            #expect(match(url) == nil, "\(url)")
        }
        let own = ReturnURLs(
            success: "shop://paid/ok", cancel: "shop://paid/no", error: "shop://paid/bad", pending: "shop://paid/wait")
        let router = try PaymentRouter(PayrailsProvider(returnURLs: own), over: ScriptedService([:]))
        guard case .matched(let route) = router.route("shop://paid/no?x=1") else {
            Issue.record("not matched")
            return
        }
        #expect(route.match.role == .callback)
    }
}

extension JSONValue {
    /// This value with the member at `path` replaced.
    func setting(_ path: [String], _ value: JSONValue) -> JSONValue {
        guard let first = path.first else { return value }
        var copy = self
        copy[first] = (self[first] ?? [:]).setting(Array(path.dropFirst()), value)
        return copy
    }
}
