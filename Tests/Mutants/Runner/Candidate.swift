import Foundation
import MutationList

/// A change to try: a chosen mutation or a generated one.
struct Candidate: Sendable {
    let name: String
    /// The fault, for people.
    let meaning: String
    let isGenerated: Bool
    /// The path of the changed file, its first changed line and its text.
    let file: String
    let line: Int
    let text: String
    /// The suites that have to notice, in the order in which they are run.
    let stages: [[String]]

    /// Returns a chosen mutation, whose suites run at once.
    init(_ mutation: Mutation, of texts: [String: String]) throws {
        let applied = try mutation.applied(to: texts)
        (name, meaning, isGenerated) = (mutation.name, mutation.meaning, false)
        (file, line, text) = (applied.file, applied.line, applied.text)
        stages = [mutation.killedBy]
    }

    /// Returns a generated mutation, whose suites run one after the other.
    init(_ mutation: GeneratedMutation, of texts: [String: String], in folder: MutatedFolder) {
        (name, isGenerated, file, line) = (mutation.name, true, mutation.file, mutation.lines.lowerBound)
        func flat(_ text: String) -> Substring { text.split { $0.isWhitespace }.joined(separator: " ").prefix(120) }
        meaning = "\(file):\(line): `\(flat(mutation.old))` → `\(flat(mutation.new))`"
        text = mutation.applied(to: texts[mutation.file] ?? "")
        stages = folder.noticedBy.map { [$0] }
    }

    /// The targets of its suites.
    var targets: Set<String> { Set(stages.joined().map { String($0.prefix { $0 != "." }) }) }
}
