import CQREncode

/// A QR code (ISO/IEC 18004) of a text's bytes.
struct QRCode: Equatable {
    /// The number of modules of a side.
    let size: Int
    /// The modules row by row; true is dark.
    let modules: [Bool]

    /// The number of UTF-8 among the character sets that a code can name: ECI 26.
    private static let utf8: UInt32 = 26

    /// Encodes `text` with medium error correction, or low where only that fits. Nil when it is too long for any code.
    ///
    /// The code names its character set where the text has more than ASCII: without that readers take it for ISO
    /// 8859-1, or guess.
    init?(_ text: String) {
        self.init(bytes: Array(text.utf8), characterSet: text.utf8.allSatisfy { $0 < 0x80 } ? nil : Self.utf8)
    }

    /// Encodes bytes in the same way.
    ///
    /// - Parameter characterSet: The number of the set that the code names (ECI); nil for a code that names none.
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
