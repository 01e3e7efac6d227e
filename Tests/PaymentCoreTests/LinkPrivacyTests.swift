import PaymentCore
import Testing

/// A link prints only its public parts; its text is available to code that needs it.
@Suite("Privacy of links")
struct LinkPrivacyTests {
    struct Box { let link: PaymentLink }

    @Test(
        "However it is printed, a link shows its origin or scheme and nothing behind it",
        arguments: [
            ("citcon:charge?token=hunter2&reference=order-7", "citcon:…"),
            ("payrails:session?version=1&data=hunter2", "payrails:…"),
            ("wc:c4ef@2?relay-protocol=irn&symKey=hunter2", "wc:…"), ("unheard-of://hunter2/x", "unheard-of:…"),
            ("https://pay.example/hunter2?pid=hunter2#hunter2", "https://pay.example/…"),
            ("https://pay.example:8443/?hunter2", "https://pay.example:8443/…"),
            ("https://pay.example/", "https://pay.example"), ("hunter2 is a text", "(text of 17 bytes)"),
        ])
    func printing(text: String, shown: String) throws {
        let link = try PaymentLink(text)
        #expect(link.text == text)
        #expect(link.publicText == shown)
        #expect("\(link)" == shown)
        #expect(String(reflecting: link) == shown)
        for value in [link, Box(link: link), [link], Optional(link) as Any, ["x": link]] as [Any] {
            #expect(!everyPrint(of: value).contains("hunter2"))
        }
    }

    @Test(
        "Without a provider's declaration a link holds a secret unless it is a web link or a plain text",
        arguments: [
            ("https://pay.example/?pid=pay_1", false), ("http://pay.example/", false), ("pay_1", false),
            ("BCD\n002\n1\nSCT\n\nA Name", false), ("00020101021226180014com.example.qr", false),
            ("see https://pay.example/x", false),
            ("bitcoin:bc1q", true), ("wc:a@2?symKey=b", true), ("app://x", true),
            ("https://wallet.example/wc?uri=wc%3Aa%402%3FsymKey%3Db", true),
            ("https://wallet.example/wc?uri=wc%253Aa%25402%253FSYMKEY%253Db", true),
            (#"{"version":"1","data":"x"}"#, true), ("\u{200B}citcon:charge?token=x", true),
            ("pay here citcon:charge?token=x", true), ("wc%3Aa%402%3FsymKey%3Db&", true),
        ])
    func defaults(text: String, holdsSecret: Bool) throws {
        guard let link = try? PaymentLink(text) else { return #expect(LinkPrivacy.shown(text) == "wc:…") }
        #expect(link.mayHoldSecret == holdsSecret)
    }

    @Test(
        "A text that is no link hides what stands before an @, and all behind another scheme",
        arguments: [
            ("https://user:hunter2@evil.example/?pid=1", "https://…@evil.example/?pid=1"),
            ("https:user:hunter2@evil.example", "https://…@evil.example"),
            ("https://a@hunter2@evil.example#x", "https://…@evil.example#x"),
            ("HTTP://hunter2@evil.example", "http://…@evil.example"), ("https://a b/", "https://a b/"),
            (" citcon:charge?token=hunter2", "citcon:…"), ("citcon:charge?token=hunter2 ", "citcon:…"),
            (#""citcon:charge?token=hunter2"#, "citcon:…"), ("CITCON%3Acharge%3Ftoken=hunter2", "citcon:…"),
            ("\u{1B}citcon:hunter2", "citcon:…"), ("\u{FEFF}citcon:hunter2\n", "citcon:…"),
            ("https%3A%2F%2Fhunter2%40evil.example&", "https:…"), ("https://a.example/ symKey=hunter2", "https:…"),
            ("{\"token\":\"hunter2\u{0}\"}", "(text of 20 bytes)"), ("\u{1B}[31mred", "\u{1B}[31mred"), ("", ""),
        ])
    func refused(text: String, shown: String) {
        #expect(LinkPrivacy.shown(text) == shown)
    }
}
