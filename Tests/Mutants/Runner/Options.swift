import Foundation
import MutationList

/// The arguments of the program.
struct Options {
    /// A regular expression over names, files and suites; all if empty.
    var filter = ""
    /// True for generated mutations instead of chosen ones.
    var isGenerated = false
    /// The commit since which lines were changed, `auto` for one that is found; nil for all lines.
    var base: String?
    /// The most mutations that are tried.
    var draw: Int?
    var seed = "0"
    /// The seconds after which no further trial begins. Those in progress are cut off after ``grace``.
    var limit: Double?
    /// The seconds that trials in progress at the limit have left.
    static let grace = 40.0
    /// True for those alone that were not noticed the last time.
    var onlySurvivors = false

    struct Misused: Error, CustomStringConvertible {
        let description: String
    }

    init(_ words: some Sequence<String>) throws {
        var words = Array(words)[...]
        func value(of option: String) throws -> String {
            guard let value = words.popFirst() else { throw Misused(description: "\(option) needs a value") }
            return value
        }
        while let word = words.popFirst() {
            switch word {
            case "--generated": isGenerated = true
            case "--changed":
                base = try value(of: word)
                isGenerated = true
            case "--draw":
                guard let count = Int(try value(of: word)), count > 0 else {
                    throw Misused(description: "--draw needs a number above 0")
                }
                draw = count
                isGenerated = true
            case "--seed": seed = try value(of: word)
            case "--within": limit = Double(try value(of: word))
            case "--survivors":
                onlySurvivors = true
                isGenerated = true
            case _ where word.hasPrefix("--"): throw Misused(description: "there is no option \(word)")
            default: filter = word
            }
        }
    }
}

/// The lines that a change touches, by the path of their file.
struct ChangedLines {
    /// The commit that is compared with, for people.
    let base: String
    let lines: [String: [ClosedRange<Int>]]

    /// Returns the lines that differ from a commit, without those that only moved; nil where there is none to compare
    /// with, as in a shallow clone.
    ///
    /// - Parameter base: the commit, or `auto`: where the branch left `origin/main`, or the last commit that is four
    ///   hours older than the newest one, or else the oldest one.
    init?(since base: String, in root: URL) throws {
        func git(_ words: [String]) throws -> String? {
            let ended = try Command(["git"] + words, in: root).run()
            let text = ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
            return ended.ending.isGood && !text.isEmpty ? text : nil
        }
        func git(_ words: String...) throws -> String? { try git(words) }
        /// Returns the commit to compare with by itself, and what it is.
        func found() throws -> (commit: String, what: String)? {
            guard let newest = try git("rev-parse", "HEAD") else { return nil }
            if let fork = try git("merge-base", "HEAD", "origin/main"), fork != newest {
                return (fork, "where the branch left origin/main")
            }
            if let date = try git("log", "-1", "--format=%ct").flatMap({ Int($0) }),
                let earlier = try git("rev-list", "-1", "--before=\(date - 4 * 3600)", "HEAD")
            {
                return (earlier, "four hours before the newest commit")
            }
            let oldest = try git("rev-list", "--max-parents=0", "HEAD")?.split(separator: "\n").last.map(String.init)
            return oldest.flatMap { $0 == newest ? nil : ($0, "the oldest commit") }
        }
        guard let (commit, what) = try base == "auto" ? found() : (base, "as asked for") else { return nil }
        guard try git("cat-file", "-t", "\(commit)^{commit}") != nil else { return nil }
        // Git marks the lines that only moved, and nothing else, with these colours.
        let (moved, movedAway) = ("\u{1B}[35m", "\u{1B}[34m")
        let colors =
            ["meta", "frag", "func", "old", "new", "context", "whitespace"].map { "color.diff.\($0)=normal" }
            + ["color.diff.newMoved=magenta", "color.diff.oldMoved=blue"]
        let diff = [
            "diff", "--unified=0", "--color=always", "--color-moved=blocks",
            "--color-moved-ws=allow-indentation-change", "--no-ext-diff", commit, "--", "Sources", "Plugins",
        ]
        var lines: [String: [ClosedRange<Int>]] = [:]
        var (file, next) = ("", 0)
        for line in try git(colors.flatMap { ["-c", $0] } + diff)?.split(separator: "\n") ?? [] {
            if line.hasPrefix("+++ ") {
                // Each line ends with the end of its colour.
                file = String(line.dropFirst(4).trimmingPrefix("b/")).replacing("\u{1B}[m", with: "")
            } else if let hunk = line.prefixMatch(of: #/@@ -\S+ \+(\d+)(?:,(\d+))? @@/#) {
                // The number of a hunk that only removes is that of the line before it.
                next = (Int(hunk.1) ?? 0) + (hunk.2 == "0" ? 1 : 0)
            } else if line.hasPrefix("+") {
                lines[file, default: []].append(next...next)
                next += 1
            } else if line.hasPrefix(moved) {
                next += 1
            } else if line.hasPrefix("-"), !line.hasPrefix("--- ") {
                // Where a line is removed, those around the place are changed.
                lines[file, default: []].append(max(next - 1, 1)...next)
            } else {
                precondition(!line.hasPrefix("\u{1B}") || line.hasPrefix(movedAway), "git says \(line)")
            }
        }
        for path in try git("ls-files", "--others", "--exclude-standard", "Sources", "Plugins")?.split(separator: "\n")
            ?? []
        {
            lines[String(path)] = [1...Int.max]
        }
        self.base = "\(commit.prefix(12)), \(what)"
        self.lines = lines
    }

    /// Returns true if a mutation changes one of them.
    func touch(_ mutation: GeneratedMutation) -> Bool {
        (lines[mutation.file] ?? []).contains { $0.overlaps(mutation.lines) }
    }
}
