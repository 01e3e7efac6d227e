import PaymentCore

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
    /// - Throws: ``StandardDefect`` where line ends are mixed or there are too few or too many lines.
    init(_ text: TextPart, _ counts: ClosedRange<Int>, allowsCR: Bool = false) throws(StandardDefect) {
        let read = TextLines(text)
        // What was added at the end may be of another kind.
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
        // White space at the end of a text is no part of it, with or without line ends behind it.
        for index in lines.indices.reversed() {
            lines[index] = lines[index].trimmed
            if !lines[index].isEmpty { break }
        }
        self.lines = lines
    }

    /// Returns the text of `lines`.
    ///
    /// - Throws: ``StandardDefect`` where one holds a line end: the text behind it would be read as another field.
    static func joined(_ lines: [String]) throws(StandardDefect) -> String {
        for (index, line) in lines.enumerated() where line.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            throw StandardDefect(.malformed, "line \(index + 1)", at: 0, "may not hold a line end")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the number of characters of the first `count` lines, without taking them.
    func scalarCount(ofFirst count: Int) -> Int { lines.prefix(count).reduce(0) { $0 + $1.scalarCount } }

    /// The number of lines.
    var count: Int { lines.count }

    /// Line `index`, counted from 0; empty where there are fewer.
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

    /// Returns a text of at most `limit` characters; nil when there is none.
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

    /// Returns a text of the ASCII characters that `isAllowed` takes, with one of `counts` characters; nil for an empty
    /// line.
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
