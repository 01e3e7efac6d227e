import PaymentCore

/// A malformed command line: ends with exit code 64.
struct UsageError: Error, Equatable {
    let message: String
    /// The command's usage, and where to read more.
    let hint: String

    /// - Parameter message: The message; it quotes words of the line by ``quoted(_:)`` only.
    init(_ message: String, _ syntax: CommandSyntax) {
        self.message = message
        let words = syntax.path.split(separator: " ", maxSplits: 1)
        let help = words.count == 2 ? "\(words[0]) help \(words[1])" : "\(syntax.path) --help"
        hint = "Usage: \(syntax.usage)\n  See '\(help)' for more information."
    }

    /// An error about a word that is not among `known`, with the nearest one as a suggestion.
    static func unknown(_ what: String, _ word: String, known: [String], in syntax: CommandSyntax) -> UsageError {
        let nearest = known.min { distance($0, word) < distance($1, word) }
        let suggestion = nearest.flatMap {
            distance($0, word) <= max(1, word.count / 3) ? ". Did you mean '\($0)'?" : nil
        }
        return UsageError("Unknown \(what) \(quoted(word))\(suggestion ?? "")", syntax)
    }

    /// A word of the line as it may be repeated: a link may have slipped into its place, with a secret.
    static func quoted(_ word: String) -> String { "'\(Printable.short(LinkPrivacy.shown(word), 100))'" }

    /// The number of characters to insert, remove or replace (Levenshtein). Long words are compared by their start.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.prefix(32))
        let right = Array(right.prefix(32))
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let substitution = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
