import Foundation

/// A line of a Swift file.
struct SourceLine {
    let number: Int
    let text: Substring
    /// The line without its indentation.
    let content: Substring
    /// True between the triple quotation marks of a text, and in the line of the last ones.
    let isInText: Bool
    /// True if the line has triple quotation marks.
    let hasMarks: Bool

    var isComment: Bool { content.hasPrefix("//") }

    static func all(of text: String) -> [SourceLine] {
        var isInText = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            let hasQuotation = line.utf8.contains(UInt8(ascii: "\""))
            let marks = hasQuotation ? line.components(separatedBy: "\"\"\"").count - 1 : 0
            defer { if marks % 2 == 1 { isInText.toggle() } }
            return SourceLine(
                number: index + 1, text: line, content: line.drop { $0 == " " }, isInText: isInText,
                hasMarks: marks > 0)
        }
    }
}
