import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("inspect --image")
struct ImageTests {
    private let folder = ScratchFolder()
    private static let hasScanner = SystemLibraries.all.first { $0.name == "libzbar" }?.isThere ?? false

    @Test(
        "A code that was drawn is read again from the picture, whatever it holds", .enabled(if: hasScanner),
        arguments: [
            "pay_1", "bitcoin:BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ?amount=0.5&label=Café", "BCD\n002\n1\nSCT",
        ])
    func roundTrip(text: String) async throws {
        let file = folder.file("code.png")
        #expect(await payroute(["qr", text, "-o", file], input: []).code == 0)
        let result = await payroute("inspect", "--json", "--image", file)
        let plain = await payroute(["inspect", "--json", text], input: [])
        #expect(result.output == plain.output && result.code == plain.code, "\(result)")
    }

    /// The scanner by itself takes most of these for Shift-JIS or Big5.
    private static let names = [
        "Zürich Söhne", "Café René", "Straße", "Müller", "Hôtel Étoile", "Łódź", "Škoda", "Crème brûlée", "Señor Núñez",
        "São Paulo", "Ægir Ø", "Åse Blåbær", "Çağlar", "Ğülşen", "Župnija Ž", "Őszi Ű", "Naïve Ÿ", "Gödel & Söhne",
        "Ça va",
        "Déjà vu",
    ]

    private static func texts(of name: String) -> [String] {
        let creditor = "S\n\(name)\nRue du Lac\n1268\n2501\nBiel\nCH"
        return [
            "BCD\n002\n1\nSCT\n\n\(name)\nDE89370400440532013000\nEUR12.30\n\n\n\n",
            "SPC\n0200\n1\nCH4431999123000889012\n\(creditor)\n\n\n\n\n\n\n\n1.00\nCHF\n\n\n\n\n\n\n\n"
                + "QRR\n210000000003139471430009017\n\nEPD",
            "upi://pay?pa=a@b&pn=\(name.replacing(" ", with: "%20").replacing("&", with: "%26"))&am=1.00&cu=INR",
        ]
    }

    @Test(
        "Names with accents come back as they were, from codes that name their character set and from others",
        .enabled(if: hasScanner), arguments: names)
    func accents(name: String) throws {
        for text in Self.texts(of: name) {
            for set in [UInt32?.none, 26] {
                let code = try #require(QRCode(bytes: Array(text.utf8), characterSet: set))
                #expect(try CodeReader.texts(of: Self.png(code, color: 0), called: name) == [text])
            }
        }
    }

    @Test("What is drawn here names its character set where that matters, and only there")
    func named() {
        #expect(QRCode("pay_1") == QRCode(bytes: Array("pay_1".utf8), characterSet: nil))
        #expect(QRCode("Café") == QRCode(bytes: Array("Café".utf8), characterSet: 26))
        #expect(QRCode("Café") != QRCode(bytes: Array("Café".utf8), characterSet: nil))
    }

    @Test(
        "Bytes that are not UTF-8 are read in the set that the text names, then the code, then as ISO 8859-1",
        .enabled(if: hasScanner),
        arguments: [
            ("BCD\n002\n2\nSCT\n\nZürich", [0x5A, 0xFC, 0x72, 0x69, 0x63, 0x68], nil),
            ("BCD\n002\n3\nSCT\n\nŁódź", [0xA3, 0xF3, 0x64, 0xBC], nil),
            ("BCD\r\n002\r\n6\r\nSCT\r\n\r\nΑθήνα", [0xC1, 0xE8, 0xDE, 0xED, 0xE1], nil),
            ("BCD\n002\n8\nSCT\n\n5 €", [0x35, 0x20, 0xA4], nil),
            ("UPNQR\n\nŽupnija", [0xAE, 0x75, 0x70, 0x6E, 0x69, 0x6A, 0x61], nil),
            ("ST00011|Name=Иван", [0xC8, 0xE2, 0xE0, 0xED], nil), ("ST00013|Name=Иван", [0xE9, 0xD7, 0xC1, 0xCE], nil),
            // ISO 8859-2 and ISO 8859-1 as the code itself says.
            ("Łódź", [0xA3, 0xF3, 0x64, 0xBC], 4),
            ("Zürich Söhne", Array("Z\u{FC}rich S\u{F6}hne".unicodeScalars.map { UInt8($0.value) }), 3),
            ("Zürich Söhne", Array("Z\u{FC}rich S\u{F6}hne".unicodeScalars.map { UInt8($0.value) }), nil),
        ] as [(String, [UInt8], UInt32?)])
    func sets(text: String, last: [UInt8], set: UInt32?) throws {
        // All but the last characters is ASCII.
        let head = Array(String(text.dropLast(last.count)).utf8)
        let code = try #require(QRCode(bytes: head + last, characterSet: set))
        #expect(try CodeReader.texts(of: Self.png(code, color: 0), called: "x") == [text])
    }

    @Test("Pictures of every kind of pixel say the same", .enabled(if: hasScanner), arguments: [0, 2, 3, 4, 6])
    func kinds(color: UInt8) async throws {
        let code = try #require(QRCode("pay_1"))
        let file = folder.file("code.png")
        try Data(Self.png(code, color: color)).write(to: URL(filePath: file))
        let result = await payroute("inspect", "--json", "--image", file)
        #expect(try result.ending["input"] == "pay_1", "\(result)")
        let light = folder.file("light.png")
        try Data(Self.png(code, color: color, isInverted: true)).write(to: URL(filePath: light))
        #expect(try await payroute("inspect", "--json", "--image", light).ending["input"] == "pay_1")
    }

    @Test("A file that is no picture, damaged, empty or without a code ends with exit code 1, and never traps")
    func damaged() async throws {
        let code = try #require(QRCode("pay_1"))
        let whole = Self.png(code, color: 0)
        var files: [(String, [UInt8])] = [
            ("empty", []), ("text", Array("pay_1".utf8)), ("head", Array(whole.prefix(20))),
        ]
        files += [("jpeg", [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0xFF, 0xFF, 0xFF, 0xFF, 3, 1])]
        // The last 12 bytes, after the pixels, do not affect them.
        for step in stride(from: 8, to: whole.count - 12, by: 7) {
            var spoilt = whole
            spoilt[step] ^= 0x55
            files.append(("spoilt-\(step)", spoilt))
        }
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(filePath: folder.file(name)))
            let result = await payroute("inspect", "--json", "--image", folder.file(name))
            #expect(result.code == 1 && result.output == "", "\(name): \(result)")
            #expect(result.errors.hasPrefix("Error: ") && result.errors.contains(name), "\(result.errors)")
        }
        let none = await payroute("inspect", "--image", folder.file("none"))
        #expect(none.code == 1 && none.errors.contains("No such file or directory"))
    }

    @Test("A small file that says that it is huge, or unpacks to more than it says, does not fill the memory")
    func bomb() throws {
        for (width, height) in [(1 << 20, 1 << 20), (1 << 31, 1), (0, 1)] as [(UInt32, UInt32)] {
            #expect(throws: PNGPicture.PNGDefect.self) {
                try PNGPicture(Self.file(width: width, height: height, [0x78, 0x01]))
            }
        }
        // Stored: 3 bytes for one row of one pixel, which takes 2. The excess is never unpacked.
        let stream: [UInt8] = [0x78, 0x01, 1, 3, 0, 0xFC, 0xFF, 0, 0, 0, 0, 3, 0, 1]
        let picture = try? PNGPicture(Self.file(width: 1, height: 1, stream))
        #expect(picture.map { $0.grey == [0] } ?? true)
    }

    // MARK: Pictures

    /// A PNG of 8 bits a sample, two pixels a module, stored.
    private static func png(_ code: QRCode, color: UInt8, isInverted: Bool = false) -> [UInt8] {
        let side = (code.size + 8) * 2
        var rows: [UInt8] = []
        for y in 0..<side {
            rows.append(0)
            for x in 0..<side {
                let (row, column) = (y / 2 - 4, x / 2 - 4)
                let isInside = (0..<code.size).contains(row) && (0..<code.size).contains(column)
                let isDark = (isInside && code.modules[row * code.size + column]) != isInverted
                let shade: UInt8 = isDark ? 0 : 255
                switch color {
                case 0: rows.append(shade)
                case 3: rows.append(isDark ? 1 : 0)
                case 4: rows += [shade, 255]
                case 2: rows += [shade, shade, shade]
                default: rows += isDark ? [0, 0, 0, 255] : isInverted ? [255, 255, 255, 255] : [0, 0, 0, 0]
                }
            }
        }
        var stream: [UInt8] = [0x78, 0x01]
        var rest = rows[...]
        while !rest.isEmpty {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            stream += [
                rest.isEmpty ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF),
                UInt8(~length >> 8),
            ]
            stream += block
        }
        var (one, two): (UInt32, UInt32) = (1, 0)
        for byte in rows {
            one = (one + UInt32(byte)) % 65521
            two = (two + one) % 65521
        }
        stream += big(two << 16 | one)
        return file(width: UInt32(side), height: UInt32(side), stream, color: color)
    }

    private static func file(width: UInt32, height: UInt32, _ stream: [UInt8], color: UInt8 = 0) -> [UInt8] {
        let palette: [UInt8] = color == 3 ? chunk("PLTE", [255, 255, 255, 0, 0, 0]) : []
        return PNGPicture.signature + chunk("IHDR", big(width) + big(height) + [8, color, 0, 0, 0]) + palette
            + chunk("IDAT", stream) + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        var remainder: UInt32 = ~0
        for byte in body {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return big(UInt32(data.count)) + body + big(~remainder)
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
