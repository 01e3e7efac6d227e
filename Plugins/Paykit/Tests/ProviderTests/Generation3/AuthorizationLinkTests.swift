import PaymentCore
import Testing

@testable import PaykitProvider

/// Links that request authorisation, and the ways back from them (Protocol 10.7).
@Suite("Paykit's authorisation links of generation 3")
struct AuthorizationLinkTests {
    private static let time: UInt64 = 1_700_000_000

    private static func grant() throws -> PubkyGrant {
        try PubkyGrant(
            PubkyCapability.list("/pub/paykit/v0/:rw"), to: PubkySamples.pair(0x33).publicKey, called: "router.example",
            id: "AQEBAQEBAQEBAQEBAQEBAQ", at: time, by: PubkySamples.pair(0x11))
    }

    private static let secret = "REREREREREREREREREREREREREREREREREREREREREQ"
    private static let key = "n9fzu63meroxfcxccz1budmqbn3e7yj97cy6jjyyoqpamacyod8y"
    private static let server = "8um71us3fyw6h8wbcxb5ar3rwusy1a6u49956ikzojg3gcwd1dty"
    private static let recorded =
        "pubkyauth://signin_grant?caps=%2Fpub%2Fpaykit%2Fv0%2F%3Arw&relay=https%3A%2F%2Fhttprelay.pubky.app%2Finbox&secret=REREREREREREREREREREREREREREREREREREREREREQ&cid=router.example&cpk=n9fzu63meroxfcxccz1budmqbn3e7yj97cy6jjyyoqpamacyod8y"

    private func read(_ text: String) throws -> PubkyAuthorizationLink {
        try PubkyAuthorizationLink(PaymentLink(text))
    }

    @Test("A link for a grant is written as another library writes it, and read again")
    func recordedLink() throws {
        let link = try #require(
            PubkyAuthorizationLink(
                asking: PubkyCapability.list("/pub/paykit/v0/:rw"), as: "router.example",
                relay: HTTPURL("https://httprelay.pubky.app/inbox"),
                secret: Redacted([UInt8](repeating: 0x44, count: 32)),
                seed: Redacted([UInt8](repeating: 0x33, count: 32))))
        #expect(link.text.reveal() == Self.recorded)
        let shown = try read(Self.recorded)
        #expect(shown.intent == .signInGrant && shown.clientID == "router.example" && shown.clientKey?.text == Self.key)
        #expect(shown.channel == "9qccw9HChRBFOe4q2Q7-u47GjlgTq1LmoDKrxvArSco")
        #expect(shown.text.reveal() == Self.recorded)
        // A scanned link is useless to others: only the app that made it has the key.
        #expect(throws: PaykitNetworkError.self) {
            try shown.held(Self.grant(), at: PubkySamples.pair(0x22).publicKey, now: Self.time)
        }
        #expect(
            try link.held(Self.grant(), at: PubkySamples.pair(0x22).publicKey, now: Self.time).grant.id != "")
        #expect(throws: PaykitNetworkError.self) {
            try link.held(Self.grant(), at: PubkySamples.pair(0x22).publicKey, now: 1_763_072_000)
        }
    }

    @Test(
        "Lengths are those of the table: 191 and what is asked, by whom",
        arguments: [("/:rw", 215), ("/pub/a/:rw", 225)])
    func lengths(_ capability: String, _ length: Int) throws {
        let link = try #require(
            PubkyAuthorizationLink(
                asking: PubkyCapability.list(capability), as: "sixteen.letters.",
                relay: HTTPURL("https://httprelay.pubky.app/inbox"),
                secret: Redacted([UInt8](repeating: 0x44, count: 32)),
                seed: Redacted([UInt8](repeating: 0x33, count: 32))))
        #expect(link.text.reveal().utf8.count == length)
    }

    @Test(
        "Each intent has its query, and misses what it needs",
        arguments: [
            ("signin", "caps relay secret", ""), ("signup", "caps relay secret hs", "st"),
            ("signin_grant", "caps relay secret cid cpk", ""), ("signup_grant", "caps relay secret hs cid cpk", "st"),
            ("direct_signup", "hs", "st"), ("secret_export", "secret", ""), ("", "caps relay secret", ""),
        ])
    func intents(_ intent: String, _ needed: String, _ possible: String) throws {
        let values = [
            "caps": "/pub/x/:rw", "relay": "https://r.example/inbox", "secret": Self.secret, "hs": Self.server,
            "cid": "My+App+%C3%BC", "cpk": Self.key, "st": "AAAA-BBBB-CCCC",
        ]
        func text(without name: String? = nil) -> String {
            let names = (needed + " " + possible).split(separator: " ").map(String.init).filter { $0 != name }
            let slash = intent.isEmpty ? "/" : ""
            return "pubkyauth://\(intent)\(slash)?" + names.map { "\($0)=\(values[$0] ?? "")" }.joined(separator: "&")
        }
        let link = try read(text())
        #expect(link.intent.rawValue == (intent.isEmpty ? "signin" : intent))
        #expect(link.clientID == (needed.contains("cid") ? "My App ü" : nil))
        #expect(link.signUpToken?.reveal() == (possible.isEmpty ? nil : "AAAA-BBBB-CCCC"))
        #expect(try read(link.text.reveal()) == link)
        for name in needed.split(separator: " ").map(String.init) {
            #expect(throws: PaykitLinkDefect.parameter(name), "\(intent) \(name)") { try read(text(without: name)) }
        }
    }

    @Test("An empty list of capabilities is one; a bad entry spoils the link, and names are bounded")
    func parameters() throws {
        func link(_ caps: String, cid: String = "a", cpk: String = Self.key) -> String {
            "pubkyauth://signin_grant?caps=\(caps)&relay=https://r.example/inbox&secret=\(Self.secret)&cid=\(cid)&cpk=\(cpk)"
        }
        #expect(try read(link("")).capabilities.isEmpty)
        #expect(throws: PaykitLinkDefect.parameter("caps")) { try read(link("/pub/a/:rw,bad")) }
        #expect(throws: PaykitLinkDefect.parameter("cid")) { try read(link("/:r", cid: "")) }
        #expect(try read(link("/:r", cid: String(repeating: "a", count: 253))).clientID?.count == 253)
        #expect(throws: PaykitLinkDefect.parameter("cid")) {
            try read(link("/:r", cid: String(repeating: "a", count: 254)))
        }
        #expect(throws: PaykitLinkDefect.parameter("cpk")) { try read(link("/:r", cpk: "pubky" + Self.key)) }
        #expect(throws: PaykitLinkDefect.form) { try read("pubkyauth://signin_other?secret=\(Self.secret)") }
    }

    @Test(
        "Which relay keeps messages, its path says",
        arguments: [
            ("https://r.example/inbox", true), ("https://r.example/link", false), ("https://r.example/link/", false),
            ("https://r.example/", true), ("https://r.example/a/link", false), ("https://r.example/linked", true),
        ])
    func inbox(_ relay: String, _ isInbox: Bool) throws {
        let link = try read("pubkyauth://signin?caps=/:r&relay=\(relay)&secret=\(Self.secret)")
        #expect(link.isInbox == isInbox)
    }

    // MARK: Ways back

    private func callbacks(_ query: String) throws -> PubkyCallbacks {
        try read("pubkyauth://signin?caps=/:r&relay=https://r.example/inbox&secret=\(Self.secret)&\(query)").callbacks
    }

    @Test("Ways back are decoded once, the first of a name counts, and a plus stays a plus")
    func decoding() throws {
        let back = try callbacks(
            "x-source=My+App&x-success=app%3A%2F%2Fok%3Fa%3D%252F&x-success=app%3A%2F%2Fother&x-error=app://no%ZZ")
        #expect(back.source == "My+App")
        #expect(back.success == "app://ok?a=%2F")
        #expect(back.error == "app://no%ZZ")
        #expect(back.cancel == nil)
        #expect(try callbacks("callback=app%3A%2F%2Fold").success == "app://old")
        #expect(try callbacks("callback=app%3A%2F%2Fold&x-success=app%3A%2F%2Fnew").success == "app://new")
    }

    @Test("Ways back are written last, as JavaScript encodes them, and never by the older name")
    func writing() throws {
        let back = PubkyCallbacks(
            source: "Bitkit", success: "bitkit://pubky-auth/success?nonce=1", error: "a'b(c)!*~", cancel: "ü+ ")
        let link = PubkyAuthorizationLink(
            .signIn, [.root], relay: try HTTPURL("https://r.example/inbox"),
            secret: Redacted([UInt8](repeating: 0x44, count: 32)), callbacks: back)
        let text = link.text.reveal()
        #expect(
            text.hasSuffix(
                "&x-source=Bitkit&x-success=bitkit%3A%2F%2Fpubky-auth%2Fsuccess%3Fnonce%3D1&x-error=a'b(c)!*~&x-cancel=%C3%BC%2B%20"
            ))
        #expect(try read(text).callbacks == back)
    }

    @Test("A way back after a failure says which, and none leads to what runs here")
    func endings() throws {
        let back = PubkyCallbacks(success: "app://ok", error: "app://no?x=1", cancel: "https://app.example/back")
        #expect(back.link(after: .success)?.text == "app://ok")
        #expect(back.link(after: .cancelled)?.text == "https://app.example/back")
        #expect(
            back.link(after: .failure(code: "SESSION_FAILED", message: "a b&c"))?.text
                == "app://no?x=1&errorCode=SESSION_FAILED&errorMessage=a%20b%26c")
        #expect(
            PubkyCallbacks(error: "app://no").link(after: .failure(code: "x", message: "y"))?.text
                == "app://no?errorCode=x&errorMessage=y")
        #expect(PubkyCallbacks().link(after: .success) == nil)
        for text in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "nothing", "", "JavaScript:x"] {
            #expect(PubkyCallbacks(success: text).link(after: .success) == nil, "\(text)")
        }
    }
}
