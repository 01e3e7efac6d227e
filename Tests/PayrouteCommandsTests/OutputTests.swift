import Foundation
import PaymentCore
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("Output")
struct OutputTests {
    @Test("JSON text is escaped so that every reader gets the same text back, and no terminal a command")
    func json() throws {
        let texts = [
            "", "plain", "quote \" backslash \\", "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1B}[31m\u{1F}\u{7F}",
            "\u{80}\u{9B}31m\u{9F}\u{A0}é€😀\u{202E}", "</script>", "ends with {",
        ]
        var buffer: [UInt8] = []
        buffer.addJSONLine { line in
            line.addMember("a", texts)
            line.addMember("b", Dictionary(uniqueKeysWithValues: texts.map { ($0, JSONValue.string($0)) }))
            line.addMember("c", nil)
            line.addMember("d", true)
        }
        #expect(buffer.last == UInt8(ascii: "\n"))
        #expect(buffer.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        #expect(!String(decoding: buffer, as: UTF8.self).unicodeScalars.contains("\u{9B}"))
        let value = try JSONValue(parsing: buffer)
        #expect(value["a"] == .array(texts.map(JSONValue.string)))
        #expect(value["b"]?.object?.count == texts.count)
        for text in texts { #expect(value["b"]?[text] == .string(text)) }
        #expect(value["c"] == .null)
        #expect(value["d"] == true)
    }

    @Test(
        "Foreign text cannot drive the terminal or turn the direction of writing",
        arguments: [
            ("plain", "plain"), ("äöü 😀", "äöü 😀"), ("a\u{1B}[31mb", #"a\u{1B}[31mb"#), ("\u{9B}0m", #"\u{9B}0m"#),
            ("a\u{202E}b", #"a\u{202E}b"#), ("zero\u{200B}width", #"zero\u{200B}width"#), ("a\nb", #"a\u{A}b"#),
            ("a\u{2066}b\u{2069}\u{200E}\u{200F}\u{61C}", #"a\u{2066}b\u{2069}\u{200E}\u{200F}\u{61C}"#),
            ("a\u{2028}b\u{2029}\u{85}", #"a\u{2028}b\u{2029}\u{85}"#), ("\u{E0041}", #"\u{E0041}"#),
            ("\u{3164}\u{115F}\u{34F}\u{FFA0}", #"\u{3164}\u{115F}\u{34F}\u{FFA0}"#), ("❤️", "❤️"),
        ])
    func printable(text: String, shown: String) {
        #expect(Printable.text(text) == shown)
    }

    @Test("No foreign text is longer than a few lines, however its letters are stacked")
    func bounded() {
        let long = Printable.text(String(repeating: "x", count: 100_000))
        #expect(long.count == Printable.limit && long.hasSuffix("…"))
        let stacked = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(Printable.text(stacked).unicodeScalars.count <= Printable.limit)
        #expect(Printable.short(stacked, 40).unicodeScalars.count <= 40)
        let escaped = Printable.text(String(repeating: "\u{202E}", count: 100_000))
        #expect(escaped.count <= Printable.limit && escaped.hasSuffix("…"))
        #expect(Printable.text("\u{E9}\u{202E}" + long, limit: .max).hasSuffix(long))
    }

    @Test(
        "A shortened link keeps its whole host, and shows where that ends",
        arguments: [
            (
                "https://pay.walletconnect.com/?pid=pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV",
                "https://pay.walletconnect.com/…4RRFFQ69G5FAV"
            ),
            ("https://pay.walletconnect.com.evil.example/", "https://pay.walletconnect.com.evil.example/"),
            ("https://pay.walletconnect.com.evil.example/?pid=pay_123", "https://pay.walletconnect.com.evil.example/…"),
            ("https://pay.walletconnect.com.evil.example?pid=pay_123", "https://pay.walletconnect.com.evil.example/…"),
            (
                "https://pay.walletconnect.com:8443/pay_7fa2ecc101ARZ3NDEKTSV",
                "https://pay.walletconnect.com:8443/…3NDEKTSV"
            ),
            ("https://a.example/short", "https://a.example/short"),
            (
                "https://p\u{430}y.walletconnect.com.evil.example/?pid=pay_123",
                "https://p\u{430}y.walletconnect.com.evil.example/…"
            ),
            (
                "https://…@evil.walletconnect.com.evil.example/?pid=pay_12",
                "https://…@evil.walletconnect.com.evil.example/…"
            ),
            (
                "https://a.example\\.walletconnect.com/?pid=pay_7fa2ecc101ARZ3",
                "https://a.example/…m/?pid=pay_7fa2ecc101ARZ3"
            ),
            ("0123456789012345678901234567890123456789012345", "01234567890123456789012345678…23456789012345"),
        ])
    func links(text: String, shown: String) {
        #expect(Printable.link(text, 44) == shown)
    }

    @Test("Of a host too long for anything its end is shown, which says whose it is")
    func endlessHost() {
        let host = String(repeating: "pay.walletconnect.com.", count: 40) + "evil.example"
        let shown = Printable.link("https://\(host)/x", 44)
        #expect(shown.hasPrefix("https://…") && shown.hasSuffix("pay.walletconnect.com.evil.example/…"))
        #expect(shown.count < 300)
    }

    @Test("What turns the direction of writing, breaks lines or cannot be seen is escaped in JSON")
    func invisibleJSON() throws {
        let unseen =
            "\u{202A}\u{202E}\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}\u{2028}\u{2029}\u{200B}\u{FEFF}\u{E0041}\u{34F}"
        var buffer: [UInt8] = []
        buffer.addJSONLine { $0.addMember("a", unseen + "é😀") }
        let text = String(decoding: buffer, as: UTF8.self)
        #expect(
            text == #"{"a":"\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u2028\u2029\u200b\ufeff\udb40\udc41\u034fé😀"}"#
                + "\n")
        #expect(try JSONValue(parsing: buffer)["a"] == .string(unseen + "é😀"))
    }

    @Test("Long texts lose their middle")
    func short() {
        #expect(Printable.short("0123456789", 10) == "0123456789")
        #expect(Printable.short("0123456789A", 10) == "012345…89A")
        #expect(Printable.short(String(repeating: "😀", count: 100_000), 12).count == 12)
        #expect(Printable.short(String(repeating: "\u{202E}", count: 100), 40).count <= 40)
    }

    @Test("Columns are as wide as their widest cell, and the last one ends without blanks")
    func table() {
        var table = Table(["A", "LONG TITLE", "C"])
        table.add(["wide cell", "x", "y"])
        table.add([Table.Cell("z", .good), "", "-"])
        #expect(
            table.lines(Style(isColored: false)) == [
                "A          LONG TITLE  C", "wide cell  x           y", "z                      -",
            ])
        #expect(table.lines(Style(isColored: true))[2].hasPrefix("\u{1B}[32mz\u{1B}[0m          "))
    }

    @Test(
        "The bar shows the progress, the speed and the time that is left",
        arguments: [
            (0, 0, 100, 40, "0%  0 links  0 links/s  -:-- left"),
            (50, 20, 100, 60, "[###########-----------] 50%  20 links  2 links/s  0:10 left"),
            (100, 40, 100, 60, "[#####################] 100%  40 links  4 links/s  0:00 left"),
            (300, 40, 100, 60, "[#####################] 100%  40 links  4 links/s  0:00 left"),
        ])
    func progress(bytes: Int, links: Int, total: Int, width: Int, expected: String) {
        let line = Progress.line(bytes: bytes, links: links, total: total, elapsed: .seconds(10), width: width)
        #expect(line == expected)
        #expect(line.count <= width)
    }

    @Test(
        "Times",
        arguments: [
            (0.0, "0:00"), (0.2, "0:01"), (59.9, "1:00"), (3599, "59:59"), (3725, "1:02:05"), (1e30, "99:59:59"),
        ])
    func clock(seconds: Double, text: String) {
        #expect(Progress.clock(seconds) == text)
    }

    @Test(
        "A terminal gets colours unless NO_COLOR is set to something; a file never",
        arguments: [
            ([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false), (["NO_COLOR": "0"], false),
            (["TERM": "dumb"], false),
        ] as [([String: String], Bool)])
    func colour(environment: [String: String], isColored: Bool) throws {
        let terminal = try PseudoTerminal()
        defer { _ = terminal.close() }
        func console(_ output: Int32) -> Console {
            Console(vendors: SandboxVendors([]), output: output) { environment[$0] }
        }
        #expect(console(terminal.terminal).style.isColored == isColored)
        let file = ScratchFile()
        defer { close(file.descriptor) }
        #expect(!console(file.descriptor).style.isColored)
    }

    @Test("A reader that goes away is no error; a full disk is")
    func failures() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        signal(SIGPIPE, SIG_IGN)
        let orphan = OutputStream(descriptor: ends[1])
        orphan.line("nobody reads this")
        #expect(orphan.isClosed)
        #expect(orphan.failure == nil)
        close(ends[1])

        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let stream = OutputStream(descriptor: full)
        stream.line("this fits nowhere")
        #expect(stream.isClosed)
        #expect(stream.failure == "No space left on device")
    }
}
