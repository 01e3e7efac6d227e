import PaymentCore

/// The lines of a QR text. Empty lines at the end are data in several standards, so none is dropped.
struct TextLines {
    /// The line ends of a text.
    enum Ending {
        case none, lf, crlf, cr, mixed
    }

    /// The parts between line ends; at least one line. A text that ends with a line end has an empty last line.
    let lines: [TextPart]
    /// The kind of its line ends.
    let ending: Ending
    /// The kind of those with more than white space behind them.
    let endingInside: Ending

    /// Splits `text`.
    init(_ text: TextPart) {
        var lines: [TextPart] = []
        let first = text.bytes.startIndex
        let (start, ending, endingInside) = text.bytes.withUnsafeBufferPointer { bytes in
            lines.reserveCapacity(20)
            var (ending, endingInside) = (Ending.none, Ending.none)
            var (start, index) = (0, 0)
            var isBlank = true
            while index < bytes.count {
                let byte = bytes[index]
                guard byte == 0x0A || byte == 0x0D else {
                    if !byte.isSpaceOrLineEnd { isBlank = false }
                    index += 1
                    continue
                }
                lines.append(text[first + start..<first + index])
                if !isBlank { endingInside = ending }
                isBlank = true
                let isPair = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
                let found: Ending = byte == 0x0A ? .lf : isPair ? .crlf : .cr
                ending = ending == .none || ending == found ? found : .mixed
                index += isPair ? 2 : 1
                start = index
            }
            return (start, ending, isBlank ? endingInside : ending)
        }
        lines.append(text[first + start..<text.bytes.endIndex])
        self.lines = lines
        (self.ending, self.endingInside) = (ending, endingInside)
    }

    /// Line `index`, counted from 0; an empty part at the text's end where there are fewer.
    subscript(_ index: Int) -> TextPart {
        index < lines.count ? lines[index] : lines[lines.count - 1].suffix(0)
    }

    /// The number of lines.
    var count: Int { lines.count }
}
