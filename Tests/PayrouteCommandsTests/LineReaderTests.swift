import Foundation
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("Reading lines")
struct LineReaderTests {
    private static func lines(_ content: [UInt8]) throws -> [(text: String, length: Int, isCut: Bool)] {
        let file = ScratchFile(content)
        defer { close(file.descriptor) }
        var lines: [(text: String, length: Int, isCut: Bool)] = []
        try LineReader.read(file.descriptor) { line in
            lines.append((String(decoding: line.bytes, as: UTF8.self), line.length, line.isCut))
            return true
        } pause: { _ in
            true
        }
        return lines
    }

    @Test(
        "Line ends of every kind",
        arguments: [
            ("", []),
            ("\n", [""]),
            ("a", ["a"]),
            ("a\n", ["a"]),
            ("a\r\nb\r\n", ["a", "b"]),
            ("a\r", ["a"]),
            ("a\rb\n\n\nc", ["a\rb", "", "", "c"]),
            ("\r\n\r\r\n", ["", "\r"]),
            ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
        ])
    func lineEnds(content: String, expected: [String]) throws {
        #expect(try Self.lines(Array(content.utf8)).map(\.text) == expected)
    }

    @Test("Lines that straddle the buffer's end are whole", arguments: [0, 1, 65_535, 65_536, 131_071, 131_072])
    func straddling(offset: Int) throws {
        var expected: [String] = []
        for (index, length) in [offset / 3, offset / 3, offset - offset / 3 * 2].enumerated() {
            expected.append(String(repeating: "\(index)", count: length))
        }
        expected += ["https://pay.example/1", "x"]
        let found = try Self.lines(Array(expected.joined(separator: "\n").utf8))
        #expect(found.map(\.text) == expected)
        #expect(found.allSatisfy { !$0.isCut })
    }

    @Test(
        "A line longer than the limit is cut and its length known",
        arguments: [LineReader.limit - 1, LineReader.limit, LineReader.limit + 1, 131_072, 131_073, 1_000_000])
    func overlong(length: Int) throws {
        let content = "first\n" + String(repeating: "x", count: length) + "\nlast"
        let lines = try Self.lines(Array(content.utf8))
        #expect(lines.map(\.length) == [5, length, 4])
        #expect(lines.map(\.isCut) == [false, length > LineReader.limit, false])
        #expect(lines[1].text.utf8.count == min(length, LineReader.limit))
        #expect(lines[2].text == "last")
    }

    @Test("What cannot be read is an error with the system's reason")
    func unreadable() {
        #expect(throws: LineReader.ReadError.self) {
            try LineReader.read(-1) { _ in
                true
            } pause: { _ in
                true
            }
        }
    }

    @Test("Reading stops when asked to")
    func stopping() throws {
        let file = ScratchFile(Array("a\nb\nc\n".utf8))
        defer { close(file.descriptor) }
        var count = 0
        try LineReader.read(file.descriptor) { _ in
            count += 1
            return count < 2
        } pause: { _ in
            true
        }
        #expect(count == 2)
    }
}
