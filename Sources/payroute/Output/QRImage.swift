import PaymentStandards

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
