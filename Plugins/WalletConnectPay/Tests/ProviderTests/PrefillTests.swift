import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import WalletConnectPayProvider

/// The pages that are opened, and the data in their addresses (Protocol 5.2).
@Suite struct PrefillTests {
    static let accepted: [String] = [
        "https://pay.walletconnect.com/collect/?pid=pay_1&accounts=eip155%3A1%3A0xF977",
        "https://staging.pay.walletconnect.com/collect/?pid=pay_1",
        "https://dev.pay.walletconnect.com/collect/",
        "HTTPS://PAY.WALLETCONNECT.COM/collect/",
        "https://pay.walletconnect.com:443/collect/",
        "https://pay.walletconnect.com",
    ]

    @Test("The vendor's pages are accepted", arguments: accepted)
    func accepts(_ text: String) throws {
        let page = try DataCollectionPage(text)
        #expect(page.origin.scheme == "https")
        #expect(DataCollectionPage.hosts.contains(page.origin.host))
        #expect(page.origin.port == 443)
    }

    static let refused: [(String, String)] = [
        ("http://pay.walletconnect.com/collect/", "not encrypted"),
        ("https://pay.walletconnect.com:8443/collect/", "not a WalletConnect Pay page"),
        ("https://pay.walletconnect.com.evil.example/collect/", "not a WalletConnect Pay page"),
        ("https://evil-pay.walletconnect.com/", "not a WalletConnect Pay page"),
        ("https://evil.example/pay.walletconnect.com", "not a WalletConnect Pay page"),
        ("https://x.pay.walletconnect.com/", "not a WalletConnect Pay page"),
        ("https://api.pay.walletconnect.com/", "not a WalletConnect Pay page"),
        ("https://staging.api.pay.walletconnect.com/", "not a WalletConnect Pay page"),
        ("https://pay.walletconnect.org/", "not a WalletConnect Pay page"),
        ("https://api.pay.walletconnect.org/", "not a WalletConnect Pay page"),
        ("https://walletconnect.com/", "not a WalletConnect Pay page"),
        ("https://pay.wct.me/123", "not a WalletConnect Pay page"),
        ("https://data-collection.walletconnect.com/ic/pay_123?accounts=eip155:1:0x123", "not a WalletConnect Pay"),
        ("https://wc-pay-buyer-experience-dev.walletconnect-v1-bridge.workers.dev/?pid=pay_x", "not a WalletConnect"),
        ("https://pay.walletconnect.com./", "malformed"),
        ("https://pay.walletconnect.com@evil.example/", "malformed"),
        ("https://pay.walletconnect.com\\@evil.example/", "malformed"),
        ("https://pау.walletconnect.com/", "malformed"),
        ("javascript:alert(1)", "malformed"),
        ("data:text/html,x", "malformed"),
        ("file:///etc/passwd", "malformed"),
        ("", "malformed"),
        ("http://127.0.0.1:8080/collect", "not encrypted"),
        ("https://localhost/collect", "not a WalletConnect Pay page"),
    ]

    @Test("Other addresses are refused with the reason", arguments: refused)
    func refuses(_ text: String, _ words: String) {
        do throws(DataCollectionPageError) {
            _ = try DataCollectionPage(text)
            Issue.record("accepted \(text)")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test("Pages on this machine are accepted only when that is allowed")
    func loopbackOnlyWhenAllowed() throws {
        for text in ["http://127.0.0.1:8080/collect", "http://localhost:1/", "https://[::1]/", "http://127.0.0.9/"] {
            #expect(throws: DataCollectionPageError.self) { try DataCollectionPage(text) }
            let page = try DataCollectionPage(text, allowsLoopback: true)
            #expect(page.url.reveal().isLoopback)
        }
        for text in ["http://127.0.0.1.evil.example/", "http://localhost.evil.example/", "http://10.0.0.1/"] {
            #expect(throws: DataCollectionPageError.self) { try DataCollectionPage(text, allowsLoopback: true) }
        }
    }

    // MARK: Query items

    /// These contain all characters of base64's alphabet beyond letters and digits: `+`, `/`, `=`.
    static let known = [
        "fullName": "Zoë ÿ>>??", "dob": "1990-01-15", "pobCountry": "US", "pobAddress": "~~~ 1, Ünter Straße",
        "porAddress": " ", "tosConfirmed": "true", "email": "a@b.example",
    ].mapValues { Redacted($0) }

    static func decoded(_ url: String) throws -> JSONValue {
        let link = try PaymentLink(url)
        let values = link.queryItems.values("prefill")
        try #require(values.count == 1)
        #expect(!values[0].contains("+") && !values[0].contains("/") && !values[0].contains("="))
        let text = try #require(PercentCoding.decode(values[0], plusIsSpace: true))
        return try JSONValue(parsing: try #require(Data(base64Encoded: text)))
    }

    @Test("What is asked for and known is handed over")
    func handsOverWhatIsAskedForAndKnown() throws {
        let page = try DataCollectionPage("https://pay.walletconnect.com/collect/?pid=pay_1&accounts=a%3Ab,c")
        let prefilled = try page.prefilled(with: Self.known, for: DataCollectionFormTests.form())
        let text = prefilled.url.reveal().text
        #expect(text.hasPrefix("https://pay.walletconnect.com/collect/?pid=pay_1&accounts=a%3Ab,c&prefill="))
        #expect(
            try Self.decoded(text) == [
                "fullName": "Zoë ÿ>>??", "dob": "1990-01-15", "pobCountry": "US", "pobAddress": "~~~ 1, Ünter Straße",
            ])
        #expect(prefilled.origin == page.origin)
    }

    @Test("All characters of Base64 are escaped")
    func escapesAllOfBase64() throws {
        let form = DataForm(fields: [.init(id: "fullName", name: "", kind: .text, isRequired: true)])
        var seen: Set<Character> = []
        for name in ["~~~>>>", "~~>>>~", "~>>>~~", "ÿÿÿ", "a", "ab", "abc", "???", "x???", "xy???"] {
            let page = try DataCollectionPage("https://pay.walletconnect.com/")
                .prefilled(with: ["fullName": Redacted(name)], for: form)
            #expect(try Self.decoded(page.url.reveal().text) == ["fullName": .string(name)])
            seen.formUnion(Data(JSONValue.object(["fullName": .string(name)]).serialized()).base64EncodedString())
        }
        #expect(seen.isSuperset(of: "+/="), "the names do not exercise what they should")
    }

    static let queries: [(String, String)] = [
        ("", "?prefill=#"),
        ("?", "?prefill=#"),
        ("?a=1", "?a=1&prefill=#"),
        ("?a=+%2B%2b&&b", "?a=+%2B%2b&&b&prefill=#"),
        ("?prefill=old", "?prefill=#"),
        ("?prefill=old&a=1", "?prefill=#&a=1"),
        ("?a=1&prefill=old&b=2&prefill=older", "?a=1&prefill=#&b=2"),
        ("?%70refill=old&a=1", "?prefill=#&a=1"),
        ("?prefill", "?prefill=#"),
        ("?Prefill=x&prefills=y", "?Prefill=x&prefills=y&prefill=#"),
        ("?a=prefill=x", "?a=prefill=x&prefill=#"),
    ]

    @Test("The prefilled values replace the page's, or are appended", arguments: queries)
    func replacesOrAppends(_ query: String, _ expected: String) throws {
        let form = DataForm(fields: [.init(id: "dob", name: "", kind: .date, isRequired: true)])
        let page = try DataCollectionPage("https://pay.walletconnect.com/c\(query)")
            .prefilled(with: ["dob": Redacted("2000-01-01")], for: form)
        let value = "eyJkb2IiOiIyMDAwLTAxLTAxIn0%3D"
        let wanted = "https://pay.walletconnect.com/c" + expected.replacing("#", with: value)
        #expect(page.url.reveal().text == wanted)
    }

    @Test("Nothing that is known changes nothing")
    func nothingKnownChangesNothing() throws {
        let text = "https://pay.walletconnect.com/c?prefill=theirs&b"
        let page = try DataCollectionPage(text)
        let form = try DataCollectionFormTests.form()
        let nothing: [[String: String]] = [
            [:], ["fullName": "  "], ["tosConfirmed": "true"], ["email": "a@b.example"], ["dob": "yesterday"],
            ["pobCountry": "usa"],
        ]
        for values in nothing {
            let same = try page.prefilled(with: values.mapValues { Redacted($0) }, for: form)
            #expect(same.url.reveal().text == text)
        }
        let asksForNothing = DataForm(fields: [.init(id: "fullName", name: "", kind: .text, isRequired: false)])
        #expect(try page.prefilled(with: Self.known, for: asksForNothing).url.reveal().text == text)
    }

    /// Not even if the service declares the consent as an ordinary text.
    @Test("Consent is never given in advance")
    func neverGivesConsent() throws {
        let form = try DataForm(
            schema: ["required": ["tosConfirmed"], "properties": ["tosConfirmed": ["type": "string"]]])
        let page = try DataCollectionPage("https://pay.walletconnect.com/c")
        let same = try page.prefilled(with: ["tosConfirmed": Redacted("true")], for: form)
        #expect(same.url.reveal().text == "https://pay.walletconnect.com/c")
    }

    @Test("A page gets its theme")
    func themes() throws {
        let page = try DataCollectionPage("https://pay.walletconnect.com/c?theme=dark&a=1")
        #expect(try page.themed(.light).url.reveal().text == "https://pay.walletconnect.com/c?theme=light&a=1")
        let plain = try DataCollectionPage("https://pay.walletconnect.com?x").themed(.dark)
        #expect(plain.url.reveal().text == "https://pay.walletconnect.com/?x&theme=dark")
    }

    @Test("The address is bounded")
    func isBounded() throws {
        let page = try DataCollectionPage("https://pay.walletconnect.com/c?a=" + String(repeating: "x", count: 8100))
        #expect(throws: DataCollectionPageError.tooLong) {
            try page.prefilled(with: Self.known, for: DataCollectionFormTests.form())
        }
        #expect(throws: DataCollectionPageError.tooLong) {
            try DataCollectionPage("https://pay.walletconnect.com/" + String(repeating: "x", count: 9000))
        }
    }

    @Test("A page prints nothing of the payer")
    func printsNothing() throws {
        let page = try DataCollectionPage("https://pay.walletconnect.com/c?accounts=eip155:1:0xabc")
            .prefilled(with: Self.known, for: DataCollectionFormTests.form())
        let secrets = ["0xabc", "prefill", "1990", "eyJ"]
        for secret in secrets { #expect(!shown(page).contains(secret)) }
        #expect(secrets.contains { page.url.reveal().text.contains($0) })
    }
}
