import Foundation
import Synchronization

/// A line of a Swift file.
struct SourceLine: Sendable {
    let number: Int
    let text: Substring
    /// The line without its indentation.
    let content: Substring
    /// True between the triple quotation marks of a text, and in the line of the last ones.
    let isInText: Bool
    /// True if the line has a quotation mark.
    let hasQuotation: Bool
    /// True if the line has triple quotation marks.
    let hasMarks: Bool

    var isComment: Bool { content.hasPrefix("//") }

    /// The lines of the package's files, which many rules read.
    private static let known = Mutex<[String: [SourceLine]]>([:])

    /// Returns the lines of `text`, read once.
    static func all(of text: String) -> [SourceLine] {
        if let lines = known.withLock({ $0[text] }) { return lines }
        let lines = read(text)
        known.withLock { $0[text] = lines }
        return lines
    }

    private static func read(_ text: String) -> [SourceLine] {
        var isInText = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            let hasQuotation = line.hasBytes(of: "\"")
            let marks = line.hasBytes(of: "\"\"\"") ? line.components(separatedBy: "\"\"\"").count - 1 : 0
            defer { if marks % 2 == 1 { isInText.toggle() } }
            return SourceLine(
                number: index + 1, text: line, content: Substring(line.utf8.drop { $0 == 0x20 }), isInText: isInText,
                hasQuotation: hasQuotation, hasMarks: marks > 0)
        }
    }
}
