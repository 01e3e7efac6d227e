import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import payroute

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
            line.addMember("b", Dictionary(uniqueKeysWithValues: texts.map { ($0, $0) }))
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
        ])
    func printable(text: String, shown: String) {
        #expect(Printable.text(text) == shown)
    }

    @Test("Long texts lose their middle")
    func short() {
        #expect(Printable.short("0123456789", 10) == "0123456789")
        #expect(Printable.short("0123456789A", 10) == "012345…89A")
        #expect(Printable.short(String(repeating: "😀", count: 100_000), 12).count == 12)
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
        "The bar tells how much is done, how fast and how long the rest takes",
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
        #expect(Console(output: terminal.terminal) { environment[$0] }.style.isColored == isColored)
        let file = ScratchFile()
        defer { close(file.descriptor) }
        #expect(!Console(output: file.descriptor) { environment[$0] }.style.isColored)
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
