import Foundation

/// Rules for the English of the README and the articles, as functions from a text to breaches.
enum ReadabilityRules {
    /// The most words of a clause: what stands between two of `.`, `?`, `!`, `:` and `;`.
    static let longest = 40

    /// The glossary's "never" column, with the phrases that are banned from messages and comments.
    static let never = GlossaryRules.Phrases(
        GlossaryRules.neverInMessages + [
            "is told", "are told", "was told", "is told in", "told", "tell", "tells", "lend", "lends", "lent",
            "lending", "for good", "today's", "gave up", "mail", "news",
        ])

    /// Sentences that may stay, by their beginnings: the paragraphs of CONTRIBUTING about mutants, and the one question
    /// that this package answers.
    static let allowed = [
        "Who gets how much until when"
    ]

    /// Returns what breaks a rule in `text`, which is Markdown.
    static func breaches(in text: String, of file: String) -> [Violation] {
        clauses(of: text).filter { clause in !allowed.contains { clause.hasPrefix($0) } }.flatMap { clause in
            let words = clause.lowercased().split { !$0.isLetter && $0 != "-" && $0 != "'" }.map(String.init)
            var found: [String] = []
            if let phrase = never.first(in: words) {
                found.append("\"\(phrase.joined(separator: " "))\": use the glossary's term")
            }
            if clause.firstMatch(of: /^(Who|Whoever|Whose|What|Whatever)\b/) != nil, clause.last != "?" {
                found.append("begins with a clause that lacks its noun")
            }
            if words.count > longest { found.append("has \(words.count) words; say it in two sentences") }
            return found.map { Violation(place: file, message: "\($0): \(clause.prefix(100))") }
        }
    }

    /// The clauses of the prose: of paragraphs, items and cells, without code and links' targets.
    static func clauses(of text: String) -> [String] {
        var blocks: [String] = []
        var paragraph = ""
        var isCode = false
        func end() {
            if !paragraph.isEmpty { blocks.append(paragraph) }
            paragraph = ""
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            if content.hasPrefix("```") {
                isCode.toggle()
                end()
                continue
            }
            if isCode { continue }
            if content.isEmpty || content.hasPrefix("#") || content.hasPrefix("@") {
                end()
                continue
            }
            if content.hasPrefix("|") {
                end()
                blocks += content.split(separator: "|").map(String.init).filter {
                    !$0.allSatisfy { " -:".contains($0) }
                }
                continue
            }
            if let item = content.firstMatch(of: /^(?:[-*]|[0-9]+\.) +/) {
                end()
                paragraph = String(content[item.range.upperBound...])
            } else {
                paragraph += (paragraph.isEmpty ? "" : " ") + content
            }
        }
        end()
        return blocks.flatMap { block in
            let plain = block.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
                .replacing(/``?[^`]*``?/, with: "").replacing(/<doc:[^>]*>/, with: "").replacing("*", with: "")
            return split(plain)
        }
    }

    /// The clauses of a paragraph, each with the mark that ends it.
    private static func split(_ text: String) -> [String] {
        var clauses: [String] = []
        var clause = ""
        var mayEnd = false
        for character in text {
            if mayEnd, character == " " {
                clauses.append(clause)
                clause = ""
            } else {
                clause.append(character)
            }
            mayEnd = ".?!:;".contains(character)
        }
        clauses.append(clause)
        return clauses.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
