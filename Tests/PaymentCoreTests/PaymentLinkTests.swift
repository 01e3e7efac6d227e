import PaymentCore
import Testing

@Suite("Links that are accepted")
struct PaymentLinkTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let input: String
        let form: PaymentLink.Form
        let scheme: String?
        let host: String?
        let kind: PaymentLink.HostKind
        let port: UInt16?
        let path: String
        let query: String?
        let fragment: String?
        let canonical: String

        var testDescription: String { input.debugDescription }

        static func web(
            _ input: String, _ host: String, _ kind: PaymentLink.HostKind = .name, port: UInt16? = nil,
            path: String = "", query: String? = nil, fragment: String? = nil, as canonical: String? = nil
        ) -> Row {
            .uri(
                input, "https", host, kind, port: port, path: path, query: query, fragment: fragment, as: canonical)
        }

        static func uri(
            _ input: String, _ scheme: String, _ host: String?, _ kind: PaymentLink.HostKind = .name,
            port: UInt16? = nil, path: String = "", query: String? = nil, fragment: String? = nil,
            as canonical: String? = nil
        ) -> Row {
            Row(
                input: input, form: .web, scheme: scheme, host: host, kind: kind, port: port, path: path, query: query,
                fragment: fragment, canonical: canonical ?? input)
        }

        static func opaque(
            _ input: String, _ scheme: String, path: String = "", query: String? = nil, fragment: String? = nil,
            as canonical: String? = nil
        ) -> Row {
            Row(
                input: input, form: .opaque, scheme: scheme, host: nil, kind: .none, port: nil, path: path,
                query: query,
                fragment: fragment, canonical: canonical ?? input)
        }

        static func text(_ input: String) -> Row {
            Row(
                input: input, form: .text, scheme: nil, host: nil, kind: .none, port: nil, path: input, query: nil,
                fragment: nil, canonical: input)
        }
    }

    private func check(_ row: Row) throws {
        let link = try PaymentLink(row.input)
        #expect(link.form == row.form)
        #expect(link.scheme.map(String.init) == row.scheme)
        #expect(link.host.map(String.init) == row.host)
        #expect(link.hostKind == row.kind)
        #expect(link.port == row.port)
        #expect(link.path == row.path)
        #expect(link.query.map(String.init) == row.query)
        #expect(link.fragment.map(String.init) == row.fragment)
        #expect(link.text == row.canonical)
        #expect(try PaymentLink(row.canonical) == link)
    }

    @Test(
        "Web links",
        arguments: [
            .web("https://pay.example", "pay.example"),
            .web("https://pay.example/", "pay.example", path: "/"),
            .web("https://pay.example/a/b?x=1&y#z", "pay.example", path: "/a/b", query: "x=1&y", fragment: "z"),
            .web("https://pay.example?x", "pay.example", query: "x"),
            .web("https://pay.example#x?y", "pay.example", fragment: "x?y"),
            .web("https://pay.example/?", "pay.example", path: "/", query: ""),
            .web("https://pay.example/#", "pay.example", path: "/", fragment: ""),
            .web("https://pay.example/??#??", "pay.example", path: "/", query: "?", fragment: "??"),
            .uri("http://pay.example/x", "http", "pay.example", path: "/x"),
            .web(
                "HTTPS://PAY.Example/A?B=C#D", "pay.example", path: "/A", query: "B=C", fragment: "D",
                as: "https://pay.example/A?B=C#D"),
            .web("https://pay.example:443/x", "pay.example", path: "/x", as: "https://pay.example/x"),
            .web("https://pay.example:443", "pay.example", as: "https://pay.example"),
            .web(
                "https://pay.example:443?q#f", "pay.example", query: "q", fragment: "f", as: "https://pay.example?q#f"),
            .uri("HTTP://PAY.example:80/X", "http", "pay.example", path: "/X", as: "http://pay.example/X"),
            .web("https://pay.example:80/", "pay.example", port: 80, path: "/"),
            .uri("http://pay.example:443/", "http", "pay.example", port: 443, path: "/"),
            .web("https://pay.example:65535/", "pay.example", port: 65535, path: "/"),
            .web("https://pay.example:1", "pay.example", port: 1),
            .web("https://a.b.c.d.e.pay.example/", "a.b.c.d.e.pay.example", path: "/"),
            .web("https://a_b.example/", "a_b.example", path: "/"),
            .web("https://a--b.example/", "a--b.example", path: "/"),
            .web("https://1.example/", "1.example", path: "/"),
            .web("https://0x7f.1.example/", "0x7f.1.example", path: "/"),
            .web("https://localhost/", "localhost", .singleLabel, path: "/"),
            .web("https://xn--pypal-4ve.example/", "xn--pypal-4ve.example", .internationalName, path: "/"),
            .web("https://pay.XN--P1AI/", "pay.xn--p1ai", .internationalName, path: "/", as: "https://pay.xn--p1ai/"),
            .web("https://xn.example.xn-a/", "xn.example.xn-a", path: "/"),
            .web("https://pay.example/@user:x@evil.example", "pay.example", path: "/@user:x@evil.example"),
            .web("https://pay.example?@evil.example", "pay.example", query: "@evil.example"),
            .web(
                "https://pay.example/%2e%2E/%5c%00", "pay.example", path: "/../%5C%00",
                as: "https://pay.example/../%5C%00"),
            .web(
                "https://pay.example/%41%7A%30%2d%5F%7e?%70id=%2541#%61", "pay.example", path: "/Az0-_~",
                query: "pid=%2541", fragment: "a", as: "https://pay.example/Az0-_~?pid=%2541#a"),
            .web(
                "https://pay.example/%2f%3a%c3%a9%20", "pay.example", path: "/%2F%3A%C3%A9%20",
                as: "https://pay.example/%2F%3A%C3%A9%20"),
            .web(
                "https://pay.example/%%34%31%4%31%a%66%%67%&%61", "pay.example", path: "/%%341%4%31%a%66%g%&a",
                as: "https://pay.example/%%341%4%31%a%66%g%&a"),
            .web("https://pay.example//a//../b;c,d'e\"f<g>", "pay.example", path: "//a//../b;c,d'e\"f<g>"),
            .web("https://127.0.0.1/", "127.0.0.1", .address, path: "/"),
            .web("https://255.255.255.255:8443/", "255.255.255.255", .address, port: 8443, path: "/"),
            .uri("http://[::1]:8080/x", "http", "[::1]", .address, port: 8080, path: "/x"),
            .uri("http://[2001:DB8::A]/", "http", "[2001:db8::a]", .address, path: "/", as: "http://[2001:db8::a]/"),
            .uri("http://[1:2:3:4:5:6:7:8]", "http", "[1:2:3:4:5:6:7:8]", .address),
            .uri("http://[::ffff:1.2.3.4]?", "http", "[::ffff:1.2.3.4]", .address, query: ""),
            .uri("http://[1::]#", "http", "[1::]", .address, fragment: ""),
            .uri("http://[::]", "http", "[::]", .address),
        ] as [Row])
    func webLinks(row: Row) throws { try check(row) }

    @Test(
        "URIs with an authority of other schemes",
        arguments: [
            .uri("upi://pay?pa=a@b", "upi", "pay", .singleLabel, query: "pa=a@b"),
            .uri("UPI://PAY?pa=A@B", "upi", "pay", .singleLabel, query: "pa=A@B", as: "upi://pay?pa=A@B"),
            .uri("app://", "app", nil, .none),
            .uri("app:///x", "app", nil, .none, path: "/x"),
            .uri("app://?x", "app", nil, .none, query: "x"),
            .uri("app://1234/x", "app", "1234", .singleLabel, path: "/x"),
            .uri("app://host.example:443/x", "app", "host.example", port: 443, path: "/x"),
            .uri(
                "payto://iban/DE75512108001245126199?amount=EUR:200.0", "payto", "iban", .singleLabel,
                path: "/DE75512108001245126199", query: "amount=EUR:200.0"),
            .uri("a+b-c.d1://x.y", "a+b-c.d1", "x.y"),
        ] as [Row])
    func otherAuthorities(row: Row) throws { try check(row) }

    @Test(
        "Opaque URIs",
        arguments: [
            .opaque(
                "wc:7f6e504b@2?relay-protocol=irn&symKey=587d", "wc", path: "7f6e504b@2",
                query: "relay-protocol=irn&symKey=587d"),
            .opaque("WC:Ab@2?X=Y#Z", "wc", path: "Ab@2", query: "X=Y", fragment: "Z", as: "wc:Ab@2?X=Y#Z"),
            .opaque("bitcoin:BC1Q?amount=0.1", "bitcoin", path: "BC1Q", query: "amount=0.1"),
            .opaque("BITCOIN:BC1Q", "bitcoin", path: "BC1Q", as: "bitcoin:BC1Q"),
            .opaque("bitcoin:?lno=x", "bitcoin", query: "lno=x"),
            .opaque("lightning:", "lightning"), .opaque("lightning://", "lightning", as: "lightning:"),
            .opaque("LIGHTNING://LNBC1?x", "lightning", path: "LNBC1", query: "x", as: "lightning:LNBC1?x"),
            .opaque(
                "lightning:LIGHTNING://lightning:a@b.c#d", "lightning", path: "a@b.c", fragment: "d",
                as: "lightning:a@b.c#d"),
            .opaque("Bitcoin:bitcoin:1A", "bitcoin", path: "1A", as: "bitcoin:1A"),
            .opaque("bitcoin:%62itcoin:1A", "bitcoin", path: "1A", as: "bitcoin:1A"),
            .opaque("bitcoin:bitcoin", "bitcoin", path: "bitcoin"), .opaque("wc:wc:x", "wc", path: "wc:x"),
            .uri("bitcoin://1a", "bitcoin", "1a", .singleLabel),
            .opaque("solana:https%3A%2F%2Fa.example", "solana", path: "https%3A%2F%2Fa.example"),
            .opaque("wc:a@2%3Fpay%3Dx", "wc", path: "a@2%3Fpay%3Dx"),
            .opaque("mailto:a@b.example", "mailto", path: "a@b.example"),
            .opaque("pay.example:443/x", "pay.example", path: "443/x"),
            .opaque("tel:/+1", "tel", path: "/+1"),
        ] as [Row])
    func opaqueLinks(row: Row) throws { try check(row) }

    @Test(
        "Links encoded once as a whole",
        arguments: [
            .web(
                "https%3A%2F%2FPay.example%2F%3Fpid%3Dpay_1", "pay.example", path: "/", query: "pid=pay_1",
                as: "https://pay.example/?pid=pay_1"),
            .web(
                "HTTPS%3a%2f%2fpay.example%3A443%2fx%2541", "pay.example", path: "/xA", as: "https://pay.example/xA"),
            .web("https%3A%2F%2Fpay%2eexample", "pay.example", as: "https://pay.example"),
            .web(
                "https%3A%2F%2Fpay.example%2F(a)*'!~", "pay.example", path: "/(a)*'!~",
                as: "https://pay.example/(a)*'!~"),
            .opaque(
                "wc%3Aab%402%3Fpay%3Dhttps%253A%252F%252Fa.example", "wc", path: "ab@2",
                query: "pay=https%3A%2F%2Fa.example", as: "wc:ab@2?pay=https%3A%2F%2Fa.example"),
        ] as [Row])
    func encodedLinks(row: Row) throws { try check(row) }

    @Test(
        "Texts that are no URI",
        arguments: [
            .text("pay_123"), .text("p"), .text("pay.example/x"), .text("//pay.example/x"), .text("K:PR|V:01|C:1|R:1"),
            .text("BCD\n002\n1\nSCT\n\nMünster\nDE02"), .text("SPC\r\n0200\r\n1"), .text("a\tb"),
            .text("00020101021129370016A000000677010111"), .text("https"), .text("https;//pay.example"),
            .text("https%253A%252F%252Fpay.example"), .text("%68ttps://pay.example"), .text("pay%5F123"),
            .text("ｈttps://pay.example"), .text("héllo:there"), .text("\u{FEFF}https://pay.example"), .text("😀"),
            .text("1https://pay.example"), .text("\\\\pay.example\\x"), .text("Caf\u{E9}\u{A0}au lait"), .text("?x"),
        ] as [Row])
    func texts(row: Row) throws { try check(row) }

    @Test("The longest link, and one byte more")
    func length() throws {
        for start in ["https://pay.example/", "wc:", "pay_"] {
            let longest = start + String(repeating: "a", count: PaymentLink.maximumLength - start.utf8.count)
            let link = try PaymentLink(longest)
            #expect(link.text.utf8.count == 8192)
            #expect(link.path.utf8.last == UInt8(ascii: "a"))
            #expect(throws: LinkDefect.tooLong(bytes: 8193)) { try PaymentLink(longest + "a") }
        }
        #expect(throws: LinkDefect.tooLong(bytes: 8194)) { try PaymentLink(String(repeating: "é", count: 4097)) }
    }

    @Test("Links are equal when they name the same, and only then")
    func equality() throws {
        let link = try PaymentLink("https://pay.example/x")
        let same = [
            "HTTPS://Pay.Example/x", "https://pay.example:443/x", "https%3A%2F%2Fpay.example%2Fx",
            "https://pay.example/%78",
        ]
        for text in same {
            #expect(try PaymentLink(text) == link)
            #expect(try PaymentLink(text).hashValue == link.hashValue)
        }
        for text in [
            "https://pay.example/X", "http://pay.example/x", "https://pay.example:444/x", "https://pay.example/x?",
        ] {
            #expect(try PaymentLink(text) != link)
        }
    }

    @Test("Query items come in order, as they stand")
    func queryItems() throws {
        let link = try PaymentLink("https://a.example/?pid=1&%70id=2&PID=3&pid=4&flag&=x#pid=5")
        #expect(link.queryItems.values("pid") == ["1", "2", "4"])
        #expect(link.queryItems.map(\.name) == ["pid", "pid", "PID", "pid", "flag", ""])
        #expect(try PaymentLink("wc:a@2").queryItems.map(\.name).isEmpty)
    }
}
