import Foundation

/// The rules for comments, in all of the package but what the vendors print and what `payroute new-provider` writes.
enum GlossaryComments {
    private struct Comment {
        let file: String
        let line: Int
        let isDoc: Bool
        let text: Substring
        var place: String { "\(file):\(line)" }
    }

    /// The comment lines: what follows the slashes and their space.
    private static func comments(_ package: TextRules.Package) -> [Comment] {
        package.files.filter { !$0.key.contains("Guide") && !$0.key.contains("/NewProvider/") }
            .sorted { $0.key < $1.key }.flatMap { file, text in
                SourceLine.all(of: text).filter { $0.isComment && !$0.isInText }.map { line in
                    let text = line.content.drop { $0 == "/" }.drop { $0 == " " }
                    return Comment(file: file, line: line.number, isDoc: line.content.hasPrefix("///"), text: text)
                }
            }
    }

    /// Phrases that are banned from comments: those of messages, and a few more.
    static let never = GlossaryRules.Phrases(
        GlossaryRules.neverInMessages
            + ["gave up", "is told", "are told", "was told", "tells", "told", "lends", "lent"])

    static func words(_ package: TextRules.Package) -> [Violation] {
        comments(package).compactMap { comment in
            // Code and quotations in comments are not the package's own words; a hyphen stands for each.
            let isPlain = !comment.text.utf8.contains { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "\"") }
            let own = isPlain ? String(comment.text) : String(comment.text.replacing(/`[^`]*`|"[^"]*"/, with: "-"))
            let words = own.split { !$0.isLetter && $0 != "-" }.map { $0.lowercased() }
            guard let phrase = never.first(in: words) else { return nil }
            let found = phrase.joined(separator: " ")
            return Violation(place: comment.place, message: "\"\(found)\" in a comment: use the glossary's term")
        }
    }

    /// The titles of tests and suites keep to the same phrases.
    static func titles(_ package: TextRules.Package) -> [Violation] {
        package.files.sorted { $0.key < $1.key }.flatMap { file, text -> [Violation] in
            var follows = false
            return SourceLine.all(of: text).compactMap { line in
                let begins = line.content.hasPrefix("@Test(") || line.content.hasPrefix("@Suite(")
                defer { follows = begins && !line.hasQuotation }
                guard begins || follows && line.content.hasPrefix("\""), !line.isInText,
                    let title = line.text.firstMatch(of: #/"((?:[^"\\]|\\.)*)"/#)?.output.1
                else { return nil }
                let words = title.split { !$0.isLetter && $0 != "-" }.map { $0.lowercased() }
                guard let phrase = never.first(in: words) else { return nil }
                return Violation(
                    place: "\(file):\(line.number)",
                    message: "\"\(phrase.joined(separator: " "))\" in a title: use the glossary's term")
            }
        }
    }

    static func beginnings(_ package: TextRules.Package) -> [Violation] {
        let comments = comments(package)
        return comments.indices.compactMap { index in
            let comment = comments[index]
            // The second line of a comment is inside a sentence.
            let follows =
                index > 0 && comments[index - 1].file == comment.file
                && comments[index - 1].line + 1 == comment.line
            guard comment.isDoc, !follows, comment.text.hasBytes(of: "Wh") || comment.text.hasBytes(of: "How"),
                let begin = comment.text.firstMatch(of: /^(What|How|Whether|Who|Whose|Which|Why)\b/)
            else { return nil }
            return Violation(
                place: comment.place, message: "begins with \(begin.output.1): begin with a noun or a verb")
        }
    }
}
