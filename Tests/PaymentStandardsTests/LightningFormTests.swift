import PaymentCore
import PaymentStandards
import TestSupport
import Testing

@Suite("Lightning and ecash in the forms of their makers")
struct LightningFormTests {
    private static let invoice =
        "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzq"
        + "fqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9v"
        + "dx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3r" + "h"
    private static let lnurl =
        "LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56N"
        + "YD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS"
    private static let offer =
        "lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcnygrfdej82um5wf5k2uckyypwa3"
        + "eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg"

    @Test("Slashes behind the scheme change nothing")
    func slashes() throws {
        for text in [Self.invoice, Self.lnurl, Self.offer, "satoshi@bitcoin.org"] {
            let plain = try #require(ReadText("lightning:\(text)").instruction)
            #expect(ReadText("lightning://\(text)").instruction == plain)
            #expect(ReadText("LIGHTNING://\(text)").instruction == plain)
        }
    }

    @Test(
        "A service behind its scheme inside another text",
        arguments: [
            "LIGHTNING:lnurlp://demo.lnbits.com/api/b4dE?pin=13", "lightning:lnurlp:demo.lnbits.com/api/b4dE?pin=13",
            "lnurlp://demo.lnbits.com/api/b4dE?pin=13", "lightning://LNURLP://demo.lnbits.com/api/b4dE?pin=13",
            "lnurl:lnurlp://demo.lnbits.com/api/b4dE?pin=13",
            "https://pay.example/?lightning=lnurlp%3A%2F%2Fdemo.lnbits.com%2Fapi%2Fb4dE%3Fpin%3D13",
        ])
    func services(text: String) {
        let read = ReadText(text)
        #expect(read.field("url") == "https://demo.lnbits.com/api/b4dE?pin=13" && read.field("kind") == "payRequest")
        #expect(read.warnings == [.followsURL])
    }

    @Test("Withdrawals, channels and logins inside lightning: are what they are alone")
    func kinds() {
        #expect(ReadText("lightning:lnurlw://a.example/w").instruction?.purpose == .receipt)
        #expect(ReadText("lightning:lnurlc://a.example/c").instruction?.purpose == .information)
        let login = "keyauth://a.example/l?tag=login&k1=" + String(repeating: "ab", count: 32)
        #expect(ReadText("lightning:" + login).instruction == ReadText(login).instruction)
        #expect(ReadText("lightning:" + login).instruction?.purpose == .information)
    }

    @Test("lnurl: is read like lightning:")
    func scheme() throws {
        for text in [Self.lnurl, Self.lnurl.lowercased(), "user@host.example"] {
            let plain = try #require(ReadText("lightning:\(text)").instruction)
            for scheme in ["lnurl:", "LNURL:", "lnurl://"] { #expect(ReadText(scheme + text).instruction == plain) }
        }
    }

    @Test(
        "A web page's parameter holds any Lightning text, in any case",
        arguments: ["lightning", "LIGHTNING", "Lightning"])
    func pages(name: String) throws {
        for text in [Self.invoice, Self.invoice.uppercased(), Self.lnurl, Self.lnurl.lowercased(), Self.offer] {
            let plain = try #require(ReadText("lightning:\(text)").instruction)
            for page in [
                "HTTPS://PAY.EXAMPLE.COM/SHOP?\(name)=\(text)", "https://pay.example/?x=1&\(name)=\(text)",
                "https://pay.example:8443/a?\(name)=lightning:\(text)",
            ] {
                let read = ReadText(page)
                #expect(read.standard == plain.standard && read.account == plain.payee?.account, "\(page)")
                #expect(read.instruction?.amount == plain.amount)
            }
        }
        #expect(ReadText("https://pay.example/?\(name)=user@host.example").account == "user@host.example")
        #expect(ReadText("https://pay.example/?\(name)=yes").instruction == nil)
        #expect(ReadText("https://pay.example/?\(name)=\(Self.invoice.dropLast())x").defect != nil)
    }

    @Test("A name may begin like an invoice, an offer or an LNURL")
    func names() {
        for user in ["lno1shop", "lnurl1x", "lnbc1", "lntb1x", "lnr1a", "lni1a", "creqb1"] {
            for text in ["\(user)@lnaddress.example.com", "lightning:\(user)@lnaddress.example.com"] {
                #expect(ReadText(text).account == "\(user)@lnaddress.example.com", "\(text)")
            }
        }
    }

    @Test("A parameter behind an invoice is named")
    func parameters() {
        let refused = ReadText("lightning:\(Self.invoice)?amount=250000").defect
        #expect(refused?.part == "parameter amount")
        #expect(ReadText("lightning:\(Self.invoice)?label=a").instruction?.unread.map(\.name) == ["label"])
        #expect(ReadText("lightning:\(Self.invoice)#x").instruction?.unread.map(\.name) == ["#"])
        let address = ReadText("lightning:user@host.example?amount=5").instruction
        #expect(address?.unclear.map(\.name) == ["amount"])
        #expect(ReadText("lightning:\(Self.lnurl)?amount=5").instruction?.unclear.map(\.name) == ["amount"])
    }

    @Test("An invoice or an offer inside a bitcoin: link names the parts that are skipped in it")
    func inside() throws {
        let invoice =
            "lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0ssp5zyg3zyg3zyg3zyg3zyg3zyg3z"
            + "yg3zyg3zyg3zyg3zyg3zyg3zygsdq2vdhkven9v59qrsgq2qrpzrtu7g0ttts5plvsfe8f5jmcuw7wmjqpls7ms5hk3ynl9wg0gw"
            + "y7dqzhqr2pkhxvhn4plz54ecr2x0qzr860gkfny4vwk7hvkun4ya3cgpp69gvp"
        #expect(ReadText(invoice).instruction?.unread.map(\.name) == ["field 2"])
        let offers = try Vectors.texts().flatMap(\.valid).filter { text in
            text.hasPrefix("lno1") && ReadText(text).instruction?.unread.isEmpty == false
        }
        #expect(!offers.isEmpty)
        for (key, text) in [("lightning", invoice)] + offers.map({ ("lno", $0) }) {
            let inside = ReadText("bitcoin:?\(key)=\(text)").instruction?.alternatives.first
            #expect(inside?.unread == ReadText(text).instruction?.unread, "\(text)")
        }
    }

    @Test("Ecash in a web page's link is that ecash, and secret")
    func ecash() throws {
        var count = 0
        for row in try VectorFile("cashu").rows("valid") where !row.input.lowercased().hasPrefix("cashu:") {
            guard let plain = ReadText(row.input).instruction else { continue }
            count += 1
            for page in [
                "https://wallet.cashu.me/?token=\(row.input)", "https://wallet.cashu.me/#token=\(row.input)",
                "https://wallet.example/claim/\(row.input)",
                "https://wallet.example:8080/redeem?a=b&ecash=\(row.input)", "https://wallet.example/#\(row.input)",
            ] {
                let link = try PaymentLink(page)
                let read = ReadText(page)
                #expect(read.standard == plain.standard && read.instruction?.amount == plain.amount, "\(page)")
                #expect(read.instruction?.holdsSecret == plain.holdsSecret)
                if plain.holdsSecret { #expect(link.mayHoldSecret && !"\(link)".contains(row.input.suffix(12))) }
            }
            #expect(ReadText("cashu://\(row.input)").instruction == ReadText("cashu:\(row.input)").instruction)
        }
        #expect(count > 5)
    }

    @Test("A broken token or two tokens in a web page's link are secret defects")
    func brokenEcash() {
        for page in [
            "https://wallet.cashu.me/?token=cashuBo2FteBtodHRwczovL",
            "https://wallet.cashu.me/?token=cashuBo2FteBtodHRwczovL&t=cashuBo2FteBtodHRwczovL",
        ] { #expect(ReadText(page).defect?.holdsSecret == true) }
        for page in [
            "https://wallet.cashu.me/?token=cashu", "https://github.com/cashubtc/nuts",
            "https://cashu.example/cashua/creqb",
        ] { #expect(ReadText(page).defect == nil, "\(page)") }
        #expect(ReadText("https://wallet.cashu.me/claim/cashuBo2FteBtodHRwczovL").defect?.holdsSecret == true)
    }
}
