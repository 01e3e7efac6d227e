import CQREncode
import PaymentStandards

/// A QR code (ISO/IEC 18004) of a text's bytes.
struct QRCode: Equatable {
    /// The number of modules of a side.
    let size: Int
    /// The modules row by row. True is dark.
    let modules: [Bool]

    /// The number of UTF-8 among the character sets that a code can name: ECI 26.
    private static let utf8: UInt32 = 26

    /// Encodes `text` with medium error correction, or low if only that fits. Nil when it is too long for any code.
    ///
    /// The code names its character set if the text has more than ASCII. Without that readers take it for ISO 8859-1,
    /// or guess.
    init?(_ text: String) {
        self.init(bytes: Array(text.utf8), characterSet: text.utf8.allSatisfy { $0 < 0x80 } ? nil : Self.utf8)
    }

    /// Encodes bytes in the same way.
    ///
    /// - Parameter characterSet: The number of the set that the code names (ECI), or nil for a code that names none.
    init?(bytes: [UInt8], characterSet: UInt32?) {
        guard !bytes.isEmpty, let count = Int32(exactly: bytes.count) else { return nil }
        func encoded(_ level: QRecLevel) -> UnsafeMutablePointer<QRcode>? {
            guard let input = QRinput_new2(0, level) else { return nil }
            defer { QRinput_free(input) }
            if let characterSet, QRinput_appendECIheader(input, characterSet) != 0 { return nil }
            guard QRinput_append(input, QR_MODE_8, count, bytes) == 0 else { return nil }
            return QRcode_encodeInput(input)
        }
        guard let code = encoded(QR_ECLEVEL_M) ?? encoded(QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        guard let data = code.pointee.data else { return nil }
        modules = (0..<(size * size)).map { data[$0] & 1 == 1 }
    }

    /// The code in half blocks, two rows of modules a line, with the quiet zone that scanners need.
    ///
    /// With colours it is black on white on every terminal. Without colours, light modules are drawn in the terminal's
    /// own foreground: right on a dark background, inverted on a light one.
    func lines(_ style: Style) -> [String] {
        let quiet = QRImage.quietZone
        func isLight(_ row: Int, _ column: Int) -> Bool {
            guard row >= 0, row < size, column >= 0, column < size else { return true }
            return !modules[row * size + column]
        }
        return stride(from: -quiet, to: size + quiet, by: 2).map { row in
            let blocks = (-quiet..<(size + quiet)).map { column in
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            let line = blocks.joined()
            return style.isColored ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
        }
    }

    /// Draws the code of `text`, or reports why it cannot.
    static func show(_ text: String, _ console: Console) {
        guard let code = QRCode(text) else {
            console.output.write("  (too long for a QR code)\n")
            return
        }
        guard code.columns <= console.output.columns ?? 80 else {
            console.output.write("  (the QR code needs a terminal of \(code.columns) columns)\n")
            return
        }
        for line in code.lines(console.style) { console.output.write(line + "\n") }
    }

    /// The columns that ``lines(_:)`` takes.
    var columns: Int { size + 2 * QRImage.quietZone }
}

// MARK: - Pictures

/// A QR code as a picture file, dark on white, with the quiet zone that scanners need.
enum QRImage: String, CaseIterable {
    case png, svg

    /// The light modules around the code (ISO/IEC 18004, 6.3.8).
    static let quietZone = 4
    /// The pixels of a module's side in a PNG file.
    private static let scale = 8

    /// The file's bytes.
    func bytes(of code: QRCode) -> [UInt8] {
        switch self {
        case .png: Self.png(code)
        case .svg: Array(Self.svg(code).utf8)
        }
    }

    // MARK: SVG

    private static func svg(_ code: QRCode) -> String {
        let side = code.size + 2 * quietZone
        var path = ""
        for row in 0..<code.size {
            var column = 0
            while column < code.size {
                let start = column
                while column < code.size, code.modules[row * code.size + column] { column += 1 }
                if column > start {
                    path += "M\(start + quietZone) \(row + quietZone)h\(column - start)v1h-\(column - start)z"
                }
                column += column == start ? 1 : 0
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path d="\(path)"/></svg>

            """
    }

    // MARK: PNG (ISO/IEC 15948), one bit a pixel

    private static func png(_ code: QRCode) -> [UInt8] {
        let side = (code.size + 2 * quietZone) * scale
        var rows: [UInt8] = []
        for row in -quietZone..<(code.size + quietZone) {
            let line = [0] + pixels(of: row, code)
            for _ in 0..<scale { rows += line }
        }
        // One bit deep, grey, and the only compression, filter and interlacing methods that exist or that mean none.
        let header = bigEndian(UInt32(side)) + bigEndian(UInt32(side)) + [1, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", header) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
    }

    /// One line of pixels: a module is one byte wide.
    private static func pixels(of row: Int, _ code: QRCode) -> [UInt8] {
        (-quietZone..<(code.size + quietZone)).map { column in
            let isInside = (0..<code.size).contains(row) && (0..<code.size).contains(column)
            return isInside && code.modules[row * code.size + column] ? 0x00 : 0xFF
        }
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(CyclicRedundancy.crc32(body))
    }

    /// Returns a zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4): a code is too small for compression to
    /// matter.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            stream += [rest.isEmpty ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8)]
            stream += [UInt8(~length & 0xFF), UInt8(~length >> 8)] + block
        } while !rest.isEmpty
        var (one, two): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            one = (one + UInt32(byte)) % 65521
            two = (two + one) % 65521
        }
        return stream + bigEndian(two << 16 | one)
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
