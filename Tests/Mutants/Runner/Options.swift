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
    /// The seconds after which no further trial begins.
    var limit: Double?
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
    let base: String
    let lines: [String: [ClosedRange<Int>]]

    /// Returns the lines that differ from a commit; nil where history does not reach back to one.
    ///
    /// - Parameter base: the commit, or `auto`: where the branch left `origin/main`, or the last commit that is four
    ///   hours older than the newest one.
    init?(since base: String, in root: URL) throws {
        func git(_ words: String...) throws -> String? {
            let ended = try Command(["git"] + words, in: root).run()
            guard ended.ending.isGood else { return nil }
            return ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        var found: String? = base
        if base == "auto" {
            let newest = try git("rev-parse", "HEAD")
            found = try git("merge-base", "HEAD", "origin/main")
            if found == nil || found == newest {
                let date = try git("log", "-1", "--format=%ct").flatMap { Int($0) } ?? 0
                found = try git("rev-list", "-1", "--before=\(date - 4 * 3600)", "HEAD")
            }
        }
        guard let found, !found.isEmpty,
            let changes = try git(
                "diff", "--unified=0", "--no-color", "--no-ext-diff", found, "--", "Sources", "Plugins")
        else { return nil }
        var lines: [String: [ClosedRange<Int>]] = [:]
        var file = ""
        for line in changes.split(separator: "\n") {
            if line.hasPrefix("+++ ") {
                file = String(line.dropFirst(4).trimmingPrefix("b/"))
            } else if let hunk = line.prefixMatch(of: #/@@ -\S+ \+(\d+)(?:,(\d+))? @@/#) {
                let (start, count) = (Int(hunk.1) ?? 0, hunk.2.flatMap { Int($0) } ?? 1)
                // Where lines are only removed, those around the place are changed.
                lines[file, default: []].append(count == 0 ? start...start + 1 : start...start + count - 1)
            }
        }
        for path in try git("ls-files", "--others", "--exclude-standard", "Sources", "Plugins")?.split(separator: "\n")
            ?? []
        {
            lines[String(path)] = [1...Int.max]
        }
        self.base = found
        self.lines = lines
    }

    /// Returns true if a mutation changes one of them.
    func touch(_ mutation: GeneratedMutation) -> Bool {
        (lines[mutation.file] ?? []).contains { $0.overlaps(mutation.lines) }
    }
}
