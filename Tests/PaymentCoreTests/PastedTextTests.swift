import PaymentCore
import Testing

@Suite("Texts as people paste them")
struct PastedTextTests {
    private static let spaces = [
        " ", "\t", "\n", "\r\n", "\r", "  \n ", "\u{B}", "\u{C}", "\u{A0}", "\u{202F}", "\u{2009}", "\u{3000}",
        "\u{2028}",
    ]

    @Test("White space and line ends around a text are not part of it", arguments: spaces)
    func around(space: String) throws {
        for text in [
            "lnbc1x", "pay_1", "lightning:lnbc1x", "bitcoin:bc1q?amount=0.1", "UPI://pay?pa=a@b", "ethereum:0x1@1",
            "algorand://ABC", "cashu:cashuBx", "spd*1.0*acc:x", "a b",
        ] {
            let plain = try PaymentLink(text)
            for pasted in [space + text, text + space, space + text + space] {
                let link = try PaymentLink(pasted)
                #expect(link == plain && link.text == plain.text, "\(pasted.debugDescription)")
                #expect(link.spelling == plain.spelling)
            }
        }
    }

    @Test("Lines at the end of several stay, and those before the first do not")
    func lines() throws {
        #expect(try PaymentLink("\n BCD\n002\n\n").text == "BCD\n002\n\n")
    }

    @Test("No web link or wallet connection comes of a text with white space around it", arguments: spaces)
    func strict(space: String) {
        for text in ["https://a.example/", "HTTP://a.example", "https%3A%2F%2Fa.example", "wc:a@2", "WC%3Aa%402"] {
            for pasted in [space + text, text + space] {
                #expect((try? PaymentLink(pasted)).map { $0.form == .text } ?? true, "\(pasted.debugDescription)")
            }
        }
    }

    @Test("Places of defects count from the start of what was given")
    func places() {
        #expect(throws: LinkDefect.forbiddenByte(0x5C, offset: 7)) { try PaymentLink(" \nabc:d\\") }
        #expect(throws: LinkDefect.userInformation(offset: 9)) { try PaymentLink("\u{A0} app://@x") }
        #expect(throws: LinkDefect.tooLong(bytes: 9002)) {
            try PaymentLink(" " + String(repeating: "x", count: 9000) + " ")
        }
    }

    @Test(
        "A number in groups has plain spaces, and no word before it",
        arguments: [
            "DE33 1002 0500 0001 1947 00", "DE33\u{A0}1002\u{A0}0500\u{A0}0001\u{A0}1947\u{A0}00",
            "DE33\u{202F}1002\u{2009}0500 0001\u{2007}1947 00\u{A0}", "IBAN: DE33 1002 0500 0001 1947 00",
            "iban DE33 1002 0500 0001 1947 00", "Iban:\u{A0}DE33 1002 0500 0001 1947 00",
            "\tIBAN:DE33 1002 0500 0001 1947 00\n", "IBAN.: DE33 1002 0500 0001 1947 00",
        ])
    func numbers(text: String) throws {
        let link = try PaymentLink(text)
        #expect(link.form == .text && link.text == "DE33 1002 0500 0001 1947 00")
    }

    @Test(
        "Other texts keep their spaces and words",
        arguments: ["Caf\u{E9}\u{A0}au lait", "iban", "IBANAS 12", "ibanx: a1"])
    func others(text: String) {
        #expect((try? PaymentLink(text)).map { $0.text == text } ?? true)
    }

    @Test("A space in a upi: link is %20, and in others a defect with the remedy")
    func inside() throws {
        let link = try PaymentLink("UPI://pay?pa=a@b&pn=Paytm Merchant  X&am=2 ")
        #expect(link.text == "upi://pay?pa=a@b&pn=Paytm%20Merchant%20%20X&am=2")
        #expect(try PaymentLink("phonepe://pay?pn=a b").query == "pn=a%20b")
        for text in ["upi://p ay?pa=a@b", "upi://pay?pa=a b\\", "monero:4?tx_description=a b", "bitcoin:x?label=a b"] {
            let error = #expect(throws: LinkDefect.self) { try PaymentLink(text) }
            #expect(error?.description.contains("write it as %20") == true, "\(text)")
        }
    }

    @Test("Slashes before a payload, a user or a long address are left to its standard")
    func slashes() throws {
        let long = String(repeating: "a1", count: 200)
        for scheme in ["lightning", "lnurl", "cashu"] {
            #expect(try PaymentLink("\(scheme)://\(long)").text == "\(scheme):\(long)")
            #expect(try PaymentLink("\(scheme)://user@host.example").text == "\(scheme):user@host.example")
        }
        #expect(try PaymentLink("monero://\(long)?tx_amount=1").host.map { $0.utf8.count } == 400)
        #expect(throws: LinkDefect.invalidHost(offset: 8)) { try PaymentLink("https://\(long)/") }
        #expect(throws: LinkDefect.invalidHost(offset: 7)) { try PaymentLink("http://\(long).example/") }
    }

    @Test("Ecash inside a link or text is a secret")
    func tokens() throws {
        for text in [
            "https://wallet.cashu.me/?token=cashuBo2FteBtodHRwczovL",
            "https://wallet.cashu.me/#token=cashuAeyJ0b2tlbiI6W3s",
            "https://a.example/r/cashuBo2FteBtodHRwczovL", "take cashuBo2FteBtodHRwczovL",
        ] { #expect(try PaymentLink(text).mayHoldSecret) }
        for text in [
            "https://wallet.cashu.me/", "https://docs.cashu.space/faq?x=cashu-tokens", "https://a.example/?q=cashuB",
        ] {
            #expect(try !PaymentLink(text).mayHoldSecret)
        }
        #expect(LinkPrivacy.shown("https://a.example/ ?token=cashuBo2FteBtodHRwczovL") == "https:…")
    }
}
