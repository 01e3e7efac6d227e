import PaymentCore
import Testing

@Suite("Links that are refused")
struct LinkDefectTests {
    @Test(
        "Text that no link or QR code holds",
        arguments: [
            ("", .empty),
            (" https://a.example", .leadingWhitespace), ("\thttps://a.example", .leadingWhitespace),
            ("\nhttps://a.example", .leadingWhitespace), (" HTTP://a.example", .leadingWhitespace),
            (" https%3A%2F%2Fa.example", .leadingWhitespace), ("\u{B}wc:a@2", .leadingWhitespace),
            (" ", .leadingWhitespace), ("\r\n", .leadingWhitespace),
            ("\u{0}https://a.example", .forbiddenByte(0, offset: 0)), ("\u{8}x", .forbiddenByte(8, offset: 0)),
            ("pay_1\u{0}", .forbiddenByte(0, offset: 5)), ("pay_1\u{1B}[31m", .forbiddenByte(0x1B, offset: 5)),
            ("pay_1\u{7F}", .forbiddenByte(0x7F, offset: 5)), ("pay_1\u{9B}31m", .forbiddenByte(0x9B, offset: 6)),
            ("é\u{85}", .forbiddenByte(0x85, offset: 3)), ("pay_\u{80}", .forbiddenByte(0x80, offset: 5)),
        ] as [(String, LinkDefect)])
    func text(input: String, defect: LinkDefect) {
        #expect(throws: defect) { try PaymentLink(input) }
    }

    @Test(
        "Bytes that no URI holds, wherever they stand",
        arguments: [
            ("https://a.example/ ", .forbiddenByte(0x20, offset: 18)),
            ("https://a.example/a b", .forbiddenByte(0x20, offset: 19)),
            ("https:\\\\a.example", .forbiddenByte(0x5C, offset: 6)),
            ("https://a.example\\@b.example", .forbiddenByte(0x5C, offset: 17)),
            ("https://a.example/\\", .forbiddenByte(0x5C, offset: 18)),
            ("https://a.ex\tample/", .forbiddenByte(9, offset: 12)),
            ("https://a.example/\n", .forbiddenByte(10, offset: 18)),
            ("https://a.example/?\r", .forbiddenByte(13, offset: 19)),
            ("https://a.example/#\u{0}", .forbiddenByte(0, offset: 19)),
            ("https:\u{7F}", .forbiddenByte(0x7F, offset: 6)), ("wc:a b", .forbiddenByte(0x20, offset: 4)),
            ("https://а.example/", .nonASCII(offset: 8)), ("https://pay。example/", .nonASCII(offset: 11)),
            ("https://pay.example/\u{200B}", .invisible("\u{200B}", offset: 20)),
            ("https://pay.example/?a=\u{202E}", .invisible("\u{202E}", offset: 23)),
            ("https://pa\u{AD}y.example", .invisible("\u{AD}", offset: 10)), ("wc:é", .nonASCII(offset: 3)),
            ("https://a.example/\u{A0}", .invisible("\u{A0}", offset: 18)),
            ("https:／／pay.example", .nonASCII(offset: 6)), ("https://a.example/#\u{9B}", .nonASCII(offset: 19)),
        ] as [(String, LinkDefect)])
    func bytes(input: String, defect: LinkDefect) {
        #expect(throws: defect) { try PaymentLink(input) }
    }

    @Test("The first unfit byte is found at every offset and alignment")
    func everyOffset() {
        for unfit in [0x00, 0x0A, 0x1F, 0x20, 0x5C, 0x7F] as [UInt8] {
            for offset in 10..<60 {
                var bytes = Array("https://a.".utf8) + Array(repeating: UInt8(ascii: "b"), count: 60)
                bytes[offset] = unfit
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(throws: LinkDefect.forbiddenByte(unfit, offset: offset)) { try PaymentLink(text) }
            }
        }
    }

    @Test(
        "Web links without a host",
        arguments: [
            "https:", "https:/", "https://", "https:a.example", "https:/a.example", "https:///a.example",
            "https:////a.example",
            "https://?x", "https://#x", "http://:80/", "HTTPS:a", "https:?x",
        ])
    func missingHost(input: String) {
        #expect(throws: LinkDefect.missingHost) { try PaymentLink(input) }
    }

    @Test(
        "User information",
        arguments: [
            ("https://a.example@b.example/", 17), ("https://a:b@c.example", 11), ("https://@a.example", 8),
            ("https://a%40b@c.example", 13), ("https://a;b@c.example", 11), ("https://a:80@b.example/", 12),
            ("https://:@a.example/", 9), ("https://a@b@c.example", 9), ("app://user@host", 10), ("wc://topic@2", 10),
            ("https://a..b@c.example", 12), ("https://-a@b.example", 10),
        ])
    func userInformation(input: String, offset: Int) {
        #expect(throws: LinkDefect.userInformation(offset: offset)) { try PaymentLink(input) }
    }

    @Test(
        "Hosts that are no plain name or address",
        arguments: [
            ("https://a.example./", 18), ("https://a..example/", 10), ("https://.a.example/", 8), ("https://./", 8),
            ("https://a%2eexample/", 9), ("https://%61.example/", 8), ("https://-a.example/", 8),
            ("https://a-.example/", 8),
            ("https://a.-b/", 10), ("https://a!b.example/", 9), ("https://a,b/", 9), ("https://a*b/", 9),
            ("https://a;b.example/", 9), ("https://a&b/", 9), ("https://<a>/", 8),
            ("https://" + String(repeating: "a", count: 64) + ".example/", 8),
            ("https://" + String(repeating: "a.", count: 126) + "ab/", 8),
            ("app://a%41/", 7),
        ])
    func invalidHost(input: String, offset: Int) {
        #expect(throws: LinkDefect.invalidHost(offset: offset)) { try PaymentLink(input) }
    }

    @Test(
        "Numbers that browsers read as an address",
        arguments: [
            ("https://2130706433/", 8), ("https://0x7f000001/", 8), ("https://0x7f.1/", 13), ("https://127.1/", 12),
            ("https://127.0.1/", 14), ("https://0177.0.0.1/", 17), ("https://127.0.0.01/", 16),
            ("https://127.0.0.256/", 16),
            ("https://1.2.3.4.5/", 16), ("https://a.1/", 10), ("https://a.0x/", 10), ("https://a.0Xff/", 10),
            ("https://127.0.0.0x1/", 16), ("https://00/", 8), ("https://0/", 8), ("https://a.09/", 10),
        ])
    func numbers(input: String, offset: Int) {
        #expect(throws: LinkDefect.invalidHost(offset: offset)) { try PaymentLink(input) }
    }

    @Test(
        "Malformed IPv6 addresses",
        arguments: [
            ("[", 9), ("[]", 8), ("[:]", 8), ("[::1", 12), ("[1]", 8), ("[1:2]", 8), ("[:::]", 8), ("[1::2::3]", 8),
            ("[1:2:3:4:5:6:7]", 8), ("[1:2:3:4:5:6:7:8:9]", 8), ("[1:2:3:4:5:6:7:8::]", 8), ("[12345::]", 8),
            ("[1:]", 8),
            ("[:1]", 8), ("[1.2.3.4]", 8), ("[::1.2.3]", 8), ("[::1.2.3.04]", 8), ("[::1.2.3.4:1]", 8), ("[abc]", 8),
            ("[1:2:3:4:5:6:7:1.2.3.4]", 8), ("[::g]", 11), ("[::1%25eth0]", 12), ("[v1.a]", 9), ("[::1]x", 13),
            ("[::1]@a.example", 13), ("[[::1]]", 9),
        ])
    func addresses(host: String, offset: Int) {
        #expect(throws: LinkDefect.invalidHost(offset: offset)) { try PaymentLink("https://\(host)/") }
    }

    @Test(
        "Ports",
        arguments: [
            "", "0", "00", "0443", "65536", "99999", "655350", "4294967739", "18446744073709552059", "443a", "a", "-1",
            "+1",
            "4%34", "443:443", "0x1BB", "443.", "]",
        ])
    func ports(port: String) {
        #expect(throws: LinkDefect.invalidPort(offset: 18)) { try PaymentLink("https://a.example:\(port)/") }
        #expect(throws: LinkDefect.invalidPort(offset: 14)) { try PaymentLink("https://[::1]:\(port)") }
        #expect(throws: LinkDefect.invalidPort(offset: 16)) { try PaymentLink("app://a.example:\(port)?x") }
    }

    @Test(
        "Links encoded as a whole",
        arguments: [
            ("https%3A%2F%2Fa.example%", .invalidPercentEncoding),
            ("https%3A%2F%2Fa.example%2", .invalidPercentEncoding),
            ("https%3A%2F%2Fa.example%zz", .invalidPercentEncoding), ("https%3A%FF", .invalidPercentEncoding),
            ("https%3A//a.example/", .invalidPercentEncoding), ("https%3A%2F%2Fa.example/x", .invalidPercentEncoding),
            ("https%3A%2F%2Fa.example%2F?a=b", .invalidPercentEncoding),
            ("https%3A%2F%2Fa.example%2F%3Fx%26pid=1", .invalidPercentEncoding),
            ("wc%3Aa@2?pay=x", .invalidPercentEncoding), ("https%3A%2F%2Fé", .invalidPercentEncoding),
            ("https%3A%2F%2Fa.example%2F x", .invalidPercentEncoding),
            ("https%3A%2F%2Fa.example%2F+x", .invalidPercentEncoding),
            ("https%3A%2F%2Fa%40b.example", .userInformation(offset: 9)),
            ("https%3A%2F%2Fa.example%5C", .forbiddenByte(0x5C, offset: 17)),
            ("https%3A%2F%2Fa.example%2F%0A", .forbiddenByte(10, offset: 18)),
            ("https%3A%2F%2F%D0%B0.example", .nonASCII(offset: 8)), ("https%3A%2F%2F", .missingHost),
            ("https%3A%2F%2Fa%252eexample", .invalidHost(offset: 9)),
        ] as [(String, LinkDefect)])
    func encoded(input: String, defect: LinkDefect) {
        #expect(throws: defect) { try PaymentLink(input) }
    }

    @Test("Every defect is a sentence that says where")
    func descriptions() {
        let all: [(LinkDefect, String)] = [
            (.empty, "empty"), (.tooLong(bytes: 9000), "9000"), (.leadingWhitespace, "white space"),
            (.forbiddenByte(0x20, offset: 7), "a space at byte 7"),
            (.forbiddenByte(0x5C, offset: 7), "a backslash at byte 7"),
            (.forbiddenByte(0x1B, offset: 7), "0x1b at byte 7"), (.nonASCII(offset: 7), "byte 7"),
            (.invisible("\u{FEFF}", offset: 7), "U+FEFF (zero width no-break space) at byte 7"),
            (.missingHost, "no host"),
            (.userInformation(offset: 7), "byte 7"), (.invalidHost(offset: 7), "byte 7"),
            (.invalidPort(offset: 7), "byte 7"),
            (.invalidPercentEncoding, "partial"), (.dotSegment, "dots"), (.unusableSegment, "control character"),
            (.unencrypted(origin: "http://a.example"), "http://a.example"),
        ]
        for (defect, part) in all { #expect(defect.description.contains(part)) }
        #expect(Set(all.map(\.0.description)).count == all.count)
    }
}
