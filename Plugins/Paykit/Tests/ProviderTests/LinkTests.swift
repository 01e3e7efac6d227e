import PaymentCore
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

@Suite("Paykit's links")
struct PaykitLinkTests {
    private static let key = "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"

    private func read(_ text: String) throws -> PaykitLink? { try PaykitLink.read(PaymentLink(text)) }

    @Test(
        "A user is named in many ways",
        arguments: [
            "pubky://KEY", "pubky://KEY/", "pubky://KEY#frag", "pubky://KEY/pub/x", "pk:KEY", "paykit:KEY", "KEY",
            "pubkyKEY", "pubkyKEY/pub/x", "pip:KEY",
        ])
    func payees(_ form: String) throws {
        let key = try PubkyKey(Self.key)
        #expect(try read(form.replacing("KEY", with: Self.key)) == .payee(key))
    }

    @Test("Requests and invoices are read with what they carry")
    func requests() throws {
        let key = try PubkyKey(Self.key)
        #expect(
            try read("paykit:request?request_id=abc&from=pubky://\(Self.key)") == .request(id: "abc", from: key))
        let id = "b7f9c2a1-6d43-4b0e-a8d4-0fe2c712ab33"
        for recurs in [true, false] {
            let app = try #require(PaykitReceiverPath("bitkit/wallet"))
            let request = try #require(PaykitRequestURL(id.uppercased(), from: key, app: app, recurs: recurs))
            #expect(try read(request.text) == .privateRequest(request) && request.id == id)
            let match = try #require(PayableLink.match(PaymentLink(request.text), StandardsReader(), []))
            #expect(match.role == .payment && match.trust == .verified && (match.payee != nil) == recurs)
            #expect(match.reference == "\(Self.key)/bitkit/wallet/request/\(id)")
        }
        #expect(
            try read("paykit:invoice?method=lightning&data=lnbc1%20x")
                == .invoice(PaykitEndpoint(methodID: "lightning", endpoint: "lnbc1 x")))
        #expect(
            try read("paykit:invoice?data=a+b&method=onchain")
                == .invoice(PaykitEndpoint(methodID: "onchain", endpoint: "a b")))
    }

    @Test(
        "What is Paykit's and cannot be used says why",
        arguments: [
            ("paykit:foo", .form), ("paykit:", .form),
            ("paykit:request?request_id=abc", .parameter("from")),
            ("paykit:request?request_id=abc&from=KEY", .parameter("from")),
            ("paykit:request?from=pubky://KEY", .parameter("request_id")),
            ("paykit:request?request_id=abc&from=pubky://KEY&app=a/wallet", .parameter("request_id")),
            ("paykit:request?request_id=abc&from=pubky://KEY&app=a", .parameter("app")),
            ("paykit:request?request_id=abc&from=pubky://KEY&app=a/wallet&recurs=1", .parameter("recurs")),
            ("paykit:invoice?method=lightning", .parameter("data")),
            ("paykit:invoice?method=lightning&data=", .parameter("data")),
            ("paykit:invoice?method=lightning&data=a&data=b", .parameter("data")),
            ("paykit:invoice?method=noise&data=a", .parameter("method")),
            ("paykit:invoice?method=../x&data=a", .parameter("method")),
            ("pubky://short", .key(.length(3))),
        ] as [(String, PaykitLinkDefect)])
    func defects(_ form: String, _ defect: PaykitLinkDefect) throws {
        #expect(throws: defect) { try read(form.replacing("KEY", with: Self.key)) }
    }

    @Test("Keys in capitals are none, and other links are not Paykit's")
    func strangers() throws {
        #expect(throws: PaykitLinkDefect.key(.encoding)) { try read("pubky://\(Self.key.uppercased())") }
        #expect(throws: PaykitLinkDefect.self) { try read("pk:\(Self.key.uppercased())") }
        for text in ["https://example.com", "lightning:lnbc1abc", "hello", "bitcoin:bc1q", Self.key.uppercased()] {
            #expect(try read(text) == nil)
        }
    }

    @Test("Data of other generations are named as such")
    func generations() throws {
        let today = "/pub/paykit/v0/bitkit/wallet/endpoints/btc-lightning-bolt11"
        #expect(try read("pubky://\(Self.key)\(today)") == .payee(PubkyKey(Self.key)))
        for path in ["/public/paykit.json", "/public/slashpay/x"] {
            guard case .otherGeneration(let word)? = try read("pubky://\(Self.key)\(path)") else {
                Issue.record("\(path)")
                continue
            }
            #expect(word.contains("first"))
        }
    }

    // MARK: Authorisation

    private static let secret = "kqnceEMgrNQM_xi06oQXjA3cJHX_RQmw1BY6JE1bse8"

    @Test("A link that asks for a sign-in is read, and its channel is the known one")
    func signIn() throws {
        let text =
            "pubkyauth://signin?caps=/pub/pubky.app/:rw&secret=\(Self.secret)&relay=https://httprelay.pubky.app/link"
        guard case .authorization(let link)? = try read(text) else {
            Issue.record("not read")
            return
        }
        #expect(link.intent == .signIn)
        #expect(link.capabilities == [try PubkyCapability("/pub/pubky.app/:rw")])
        #expect(link.relay?.text == "https://httprelay.pubky.app/link")
        #expect(link.channel == "Bd7wcIdR29_ncsAJbRkIpWDg_pEvZzULycHdh5Fz4QY")
        #expect(!"\(link)".contains(Self.secret))
        var dumped = ""
        dump(link, to: &dumped)
        #expect(!dumped.contains(Self.secret))
        #expect(try PubkyAuthorizationLink(PaymentLink(link.text.reveal())) == link)
    }

    @Test("The older form without a host is a sign-in, and both schemes mean the same")
    func olderForms() throws {
        let query = "caps=/pub/pubky.app/:rw&secret=\(Self.secret)&relay=https://httprelay.pubky.app/link"
        let signIn = try PubkyAuthorizationLink(PaymentLink("pubkyauth://signin?\(query)"))
        for text in ["pubkyauth:///?\(query)", "pubkyring://signin?\(query)", "pubkyring://signin/?\(query)"] {
            #expect(try read(text) == .authorization(signIn), "\(text)")
        }
    }

    @Test("The relay that a link names leads no request into a private network")
    func relays() async throws {
        let link = try PubkyAuthorizationLink(
            PaymentLink("pubkyauth://signin?caps=/:rw&secret=\(Self.secret)&relay=https://r.example/link"))
        let http = RecordingTransport(statuses: [200])
        try await PubkyAuthorization(over: http).answer(link, with: [1], SeededRandomSource(seed: 1))
        #expect(http.requests.map(\.reachesPrivateNetworks) == [false])
    }

    @Test("A sign-up names a homeserver, and an export no relay")
    func others() throws {
        let server = "5jsjx1o6fzu6aeeo697r3i5rx15zq41kikcye8wtwdqm4nb4tryo"
        let signUp = try PubkyAuthorizationLink(
            PaymentLink(
                "pubkyauth://signup?caps=/:rw&secret=\(Self.secret)&relay=https://r.example/link&hs=\(server)&st=1234567890"
            ))
        #expect(signUp.intent == .signUp && signUp.homeserver?.text == server)
        #expect(signUp.signUpToken?.reveal() == "1234567890")
        #expect(try PubkyAuthorizationLink(PaymentLink(signUp.text.reveal())) == signUp)
        let export = try PubkyAuthorizationLink(PaymentLink("pubkyauth://secret_export?secret=\(Self.secret)"))
        #expect(export.intent == .secretExport && export.relay == nil)
    }

    @Test(
        "What is missing or malformed in it is named",
        arguments: [
            ("pubkyauth://signin?caps=/:rw&relay=https://r.example/link", .parameter("secret")),
            ("pubkyauth://signin?caps=x&relay=https://r.example/link&secret=S", .parameter("caps")),
            ("pubkyauth://signin?caps=/:rw&relay=http://r.example/link&secret=S", .parameter("relay")),
            (
                "pubkyauth://signin?caps=/:rw&relay=https://r.example/&relay=https://s.example/&secret=S",
                .parameter("relay")
            ),
        ] as [(String, PaykitLinkDefect)])
    func malformed(_ text: String, _ defect: PaykitLinkDefect) throws {
        #expect(throws: defect) { try read(text.replacing("=S", with: "=" + Self.secret)) }
    }
}
