import PaymentCore

/// The lines of a QR text. Empty lines at the end are data in several standards, so they are kept.
struct TextLines {
    /// The line ends of a text.
    enum Ending {
        case none, lf, crlf, cr, mixed
    }

    /// The parts between line ends, at least one. A text that ends with a line end has an empty last line.
    let lines: [TextPart]
    /// The kind of its line ends.
    let ending: Ending
    /// The kind of those that have more than white space after them.
    let endingInside: Ending

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

    /// Line `index`, counted from 0; an empty part at the text's end if there are fewer.
    subscript(_ index: Int) -> TextPart {
        index < lines.count ? lines[index] : lines[lines.count - 1].suffix(0)
    }

    var count: Int { lines.count }
}

/// Lines whose number determines their meaning, as in most printed codes.
final class FixedLines: PartList {
    private let lines: [TextPart]
    /// The lines that were taken, as bits.
    private var taken: UInt64 = 0
    /// The end of the text, the place of missing lines.
    private let end: TextPart

    /// Reads the lines of `text`.
    ///
    /// - Parameters:
    ///   - counts: The allowed numbers of lines, without an empty one at the end.
    ///   - allowsCR: True if CR alone may end lines.
    /// - Throws: ``StandardDefect`` if line ends are mixed or there are too few or too many lines.
    init(_ text: TextPart, _ counts: ClosedRange<Int>, allowsCR: Bool = false) throws(StandardDefect) {
        let read = TextLines(text)
        // Line ends that were added after the text may be of another kind.
        let ending = read.endingInside
        guard ending != .mixed, allowsCR || ending != .cr else {
            throw text.defect(.malformed, "line ends", "must all be LF or all CR LF")
        }
        var lines = (consume read).lines
        end = text.suffix(0)
        while lines.count > counts.upperBound, lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count <= counts.upperBound else {
            throw lines[counts.upperBound].defect(
                .length, "line \(counts.upperBound + 1)", "stands behind the last; remove it")
        }
        guard lines.count >= counts.lowerBound else {
            throw end.defect(
                .missing, "line \(lines.count + 1)",
                "is missing; there must be \(counts.lowerBound) lines. Scan the code again")
        }
        // White space at the end of a text is not part of it, with or without line ends after it.
        for index in lines.indices.reversed() {
            lines[index] = lines[index].trimmed
            if !lines[index].isEmpty { break }
        }
        self.lines = lines
    }

    /// Returns the text of `lines`.
    ///
    /// - Throws: ``StandardDefect`` if one holds a line end: the text after it would be read as another field.
    static func joined(_ lines: [String]) throws(StandardDefect) -> String {
        for (index, line) in lines.enumerated() where line.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            throw StandardDefect(.malformed, "line \(index + 1)", at: 0, "may not hold a line end")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the number of characters of the first `count` lines, without taking them.
    func scalarCount(ofFirst count: Int) -> Int { lines.prefix(count).reduce(0) { $0 + $1.scalarCount } }

    var count: Int { lines.count }

    /// Line `index`, counted from 0; empty if there are fewer.
    subscript(_ index: Int) -> TextPart {
        taken |= 1 << UInt64(index)
        return index < lines.count ? lines[index] : end
    }

    var untaken: [UnreadPart] {
        var parts: [UnreadPart] = []
        for index in lines.indices where taken >> UInt64(index) & 1 == 0 && !lines[index].isEmpty {
            parts.append(UnreadPart(name: "line \(index + 1)", value: lines[index].text, couldChangePayment: false))
        }
        return parts
    }

    /// Returns the name of line `index` for people, who count from 1.
    static func name(_ what: String, _ index: Int) -> String { "\(what) (line \(index + 1))" }

    /// Returns a text of 1 to `limit` characters.
    func required(_ index: Int, _ limit: Int, _ what: @autoclosure () -> String) throws(StandardDefect) -> String {
        guard !self[index].isEmpty else { throw self[index].defect(.missing, Self.name(what(), index), "is missing") }
        return try self[index].limited(to: limit, Self.name(what(), index)).text
    }

    /// Returns a text of at most `limit` characters; nil if there is none.
    func optional(_ index: Int, _ limit: Int, _ what: @autoclosure () -> String) throws(StandardDefect) -> String? {
        self[index].isEmpty ? nil : try self[index].limited(to: limit, Self.name(what(), index)).text
    }

    /// Returns one of `choices`.
    func choice(
        _ index: Int, _ choices: [String], _ what: @autoclosure () -> String
    ) throws(StandardDefect) -> String {
        let text = self[index].text
        guard choices.contains(text) else {
            throw self[index].defect(
                .malformed, Self.name(what(), index), "must be \(choices.joined(separator: " or "))")
        }
        return text
    }

    /// Returns a text of one of `counts` ASCII characters, each accepted by `isAllowed`; nil for an empty line.
    func shaped(
        _ index: Int, _ counts: ClosedRange<Int>, _ what: String, mustBe words: String, where isAllowed: (UInt8) -> Bool
    ) throws(StandardDefect) -> String? {
        let line = self[index]
        guard !line.isEmpty else { return nil }
        guard counts.contains(line.count), line.bytes.allSatisfy(isAllowed) else {
            throw line.defect(.malformed, Self.name(what, index), "must be \(words)")
        }
        return line.text
    }
}
