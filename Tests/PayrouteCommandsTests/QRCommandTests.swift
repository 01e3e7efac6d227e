import Foundation
import TestSupport
import Testing

@testable import PayrouteCommands

/// `payroute qr`, and its pictures.
@Suite("qr")
struct QRCommandTests {
    private let folder = ScratchFolder()

    private static let texts = [
        "pay_1", "bitcoin:BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ?amount=0.5&label=Café", "BCD\n002\n1\nSCT",
    ]

    @Test("A PNG file holds exactly the code's modules, eight pixels wide, in their quiet zone", arguments: texts)
    func png(text: String) async throws {
        let file = folder.file("code.PNG")
        let result = await payroute(["qr", text, "-o", file], input: [])
        #expect((result.code, result.output, result.errors) == (0, "", ""))
        let picture = try #require(Picture(png: Array(try Data(contentsOf: URL(filePath: file)))))
        let code = try #require(QRCode(text))
        #expect(picture.side == (code.size + 8) * 8)
        for row in 0..<picture.side {
            for column in 0..<picture.side {
                let (y, x) = (row / 8 - 4, column / 8 - 4)
                let isInside = (0..<code.size).contains(y) && (0..<code.size).contains(x)
                #expect(picture.isDark(row, column) == (isInside && code.modules[y * code.size + x]))
            }
        }
    }

    @Test("An SVG file draws as many dark modules as the code has, each once", arguments: texts)
    func svg(text: String) async throws {
        let file = folder.file("code.svg")
        #expect(await payroute(["qr", text, "--output=\(file)"], input: []).code == 0)
        let svg = try String(contentsOfFile: file, encoding: .utf8)
        let code = try #require(QRCode(text))
        var drawn = Array(repeating: 0, count: code.size * code.size)
        let runs = svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/)
        for run in runs {
            let (x, y, width) = (Int(run.1) ?? 0, Int(run.2) ?? 0, Int(run.3) ?? 0)
            #expect(run.3 == run.4)
            for column in x..<(x + width) { drawn[(y - 4) * code.size + column - 4] += 1 }
        }
        #expect(drawn == code.modules.map { $0 ? 1 : 0 })
        #expect(svg.contains(#"viewBox="0 0 \#(code.size + 8) \#(code.size + 8)""#))
    }

    /// A text may be a token or a request that is worth money.
    @Test("A picture is its user's alone, and takes the place of a file or a link")
    func permissions() async throws {
        let (file, target, link) = (folder.file("code.png"), folder.file("target"), folder.file("link.png"))
        try Data("mine".utf8).write(to: URL(filePath: target))
        try Data("old".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let before = umask(0)
        defer { umask(before) }
        for name in [file, link] {
            #expect(await payroute(["qr", "pay_1", "-o", name], input: []).code == 0)
            var status = stat()
            #expect(lstat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "code.png", "link.png", "target",
            ])
        try FileManager.default.createDirectory(atPath: folder.file("full.png/x"), withIntermediateDirectories: true)
        #expect(await payroute(["qr", "pay_1", "-o", folder.file("full.png")], input: []).code == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
    }

    @Test("Without a file the code is printed; - reads the text, a JSON string too")
    func terminal() async throws {
        let code = try #require(QRCode("BCD\n002"))
        let expected = code.lines(Style(isColored: false)).map { $0 + "\n" }.joined()
        #expect(await payroute("qr", "BCD\n002").output == expected)
        #expect(await payroute("qr", "-", input: #""BCD\n002""#).output == expected)
    }

    @Test("What cannot be drawn or written is said, and nothing is left behind")
    func failures() async throws {
        let long = await payroute("qr", String(repeating: "x", count: 2954))
        #expect(long.code == 1 && long.errors.contains("2954 of 2953 bytes"))
        #expect(await payroute("qr", "").code == 1)
        let kind = await payroute("qr", "pay_1", "-o", folder.file("code.gif"))
        #expect(kind.code == 64 && kind.errors.contains("--output <file>"))
        #expect(kind.errors.contains("ends with neither .png nor .svg"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("code.gif")))
        let place = await payroute("qr", "pay_1", "-o", folder.file("none/code.png"))
        #expect(place.code == 1 && place.errors.contains("No such file or directory"))
        let two = await payroute("qr", "pay_1", "-x")
        #expect(two.code == 64)
    }
}

/// A black and white PNG file, read as far as necessary: every checksum, stored blocks only, no filters.
private struct Picture {
    let side: Int
    private let lines: [ArraySlice<UInt8>]

    init?(png bytes: [UInt8]) {
        guard bytes.starts(with: [0x89] + Array("PNG\r\n\u{1A}\n".utf8)) else { return nil }
        var rest = bytes.dropFirst(8)
        var chunks: [String: [UInt8]] = [:]
        while !rest.isEmpty {
            guard rest.count >= 12 else { return nil }
            let length = Self.number(rest.prefix(4))
            let body = rest.dropFirst(4).prefix(length + 4)
            guard rest.count >= length + 12, Self.number(rest.dropFirst(8 + length).prefix(4)) == Self.crc(body) else {
                return nil
            }
            chunks[String(decoding: body.prefix(4), as: UTF8.self)] = Array(body.dropFirst(4))
            rest = rest.dropFirst(12 + length)
        }
        guard let header = chunks["IHDR"], let data = chunks["IDAT"], chunks["IEND"] == [], header.count == 13,
            Array(header[8...]) == [1, 0, 0, 0, 0], header[..<4] == header[4..<8]
        else { return nil }
        let side = Self.number(header[..<4])
        let width = side / 8 + 1
        guard let raw = Self.unpacked(data), raw.count == side * width else { return nil }
        let starts = stride(from: 0, to: raw.count, by: width)
        guard starts.allSatisfy({ raw[$0] == 0 }) else { return nil }
        self.side = side
        lines = starts.map { raw[($0 + 1)..<($0 + width)] }
    }

    func isDark(_ row: Int, _ column: Int) -> Bool {
        let line = lines[row]
        return line[line.startIndex + column / 8] >> (7 - column % 8) & 1 == 0
    }

    private static func unpacked(_ stream: [UInt8]) -> [UInt8]? {
        guard stream.count > 6, (Int(stream[0]) << 8 | Int(stream[1])) % 31 == 0 else { return nil }
        var (rest, raw, isLast) = (stream[2..<(stream.count - 4)], [UInt8](), false)
        while !isLast {
            guard rest.count >= 5, rest[rest.startIndex] <= 1 else { return nil }
            let head = Array(rest.prefix(5))
            let length = Int(head[1]) | Int(head[2]) << 8
            guard length ^ 0xFFFF == Int(head[3]) | Int(head[4]) << 8, rest.count >= 5 + length else { return nil }
            isLast = head[0] == 1
            raw += rest.dropFirst(5).prefix(length)
            rest = rest.dropFirst(5 + length)
        }
        let one = raw.reduce(1) { ($0 + Int($1)) % 65521 }
        var (sum, two) = (1, 0)
        for byte in raw {
            sum = (sum + Int(byte)) % 65521
            two = (two + sum) % 65521
        }
        return rest.isEmpty && number(stream.suffix(4)) == two << 16 | one ? raw : nil
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// By long division, bit by bit from the opposite end to the program's.
    private static func crc(_ bytes: some Sequence<UInt8>) -> Int {
        var remainder: UInt32 = ~0
        for byte in bytes {
            for bit in 0..<8 {
                let top = remainder >> 31 ^ UInt32(byte >> bit & 1)
                remainder = remainder << 1 ^ (top == 1 ? 0x04C1_1DB7 : 0)
            }
        }
        var mirrored: UInt32 = 0
        for bit in 0..<32 where ~remainder >> bit & 1 == 1 { mirrored |= 1 << (31 - bit) }
        return Int(mirrored)
    }
}
