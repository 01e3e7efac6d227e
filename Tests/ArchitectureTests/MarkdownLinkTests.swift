import Foundation
import Testing

/// Links within the repository's own texts: a file that was moved, or a heading that was renamed, leaves them dead.
@Suite("Links in Markdown")
struct MarkdownLinkTests {
    @Test("Every link to a file leads to one, every anchor to a heading")
    func links() throws {
        let texts = try Self.texts()
        #expect(texts.count > 40)
        #expect(
            Self.deadLinks(in: texts) { FileManager.default.fileExists(atPath: Project.root.appending(path: $0).path) }
                == [])
    }

    @Test("Dead ones are found")
    func dead() {
        let texts = [
            "A.md":
                "# A b: `c`!\n[x](B.md#two-2) [y](#a-b-c) [z](docs/C.md) ![p](p.png) <https://x.example/a> [w](https://x.example)",
            "B.md":
                "# Two\n## Two 2\n## Two\n[up](../A.md) [a](A.md#missing) [n](none.md) [t](#two-1) [h](http://x.example)\n```\n[code](nothing.md)\n```\n`[c](nothing.md)`",
        ]
        let found = Self.deadLinks(in: texts) { ["docs/C.md", "p.png", "A.md", "B.md"].contains($0) }
        #expect(found == ["B.md: ../A.md", "B.md: A.md#missing", "B.md: http://x.example", "B.md: none.md"])
    }

    /// All Markdown of the repository by path, what is built or checked out into it left out.
    private static func texts() throws -> [String: String] {
        var texts: [String: String] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: Project.root.path) ?? .init()
        where path.hasSuffix(".md") && !path.contains(".build/") {
            texts[path] = try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
        }
        return texts
    }

    /// The links that lead nowhere, in order. Links of the web have to be encrypted and are not followed.
    private static func deadLinks(in texts: [String: String], exists: (String) -> Bool) -> [String] {
        var dead: [String] = []
        for (path, text) in texts {
            for link in prose(of: text).matches(of: /\]\(([^()\s]+(?:\([^()\s]*\))?)\)/).map({ String($0.1) }) {
                if link.hasPrefix("https://") || link.hasPrefix("doc:") || link.hasPrefix("mailto:") { continue }
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target = parts[0].isEmpty ? path : resolved(parts[0], from: path)
                guard !link.contains("://"), let target, parts[0].isEmpty || exists(target) else {
                    dead.append("\(path): \(link)")
                    continue
                }
                guard parts.count == 2, let headings = texts[target].map(anchors) else { continue }
                if !headings.contains(parts[1]) { dead.append("\(path): \(link)") }
            }
        }
        return dead.sorted()
    }

    /// The text without code, which may hold anything.
    private static func prose(of text: String) -> String {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isCode && !isFence
        }.joined(separator: "\n").replacing(/`[^`\n]*`/, with: "")
    }

    /// A path from the repository's folder; nil for one that leads out of it.
    private static func resolved(_ link: String, from path: String) -> String? {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") where part != "." {
            guard part == ".." else {
                parts.append(part.removingPercentEncoding ?? String(part))
                continue
            }
            guard parts.popLast() != nil else { return nil }
        }
        return parts.joined(separator: "/")
    }

    /// The anchors that repositories' sites make of headings: small letters, hyphens for blanks, no marks.
    private static func anchors(of text: String) -> Set<String> {
        var counts: [String: Int] = [:]
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, let heading = line.wholeMatch(of: /#{1,6} +(.*)/)?.1 else { continue }
            let plain = heading.lowercased().filter {
                $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
            }
            counts[plain.replacing(" ", with: "-"), default: 0] += 1
        }
        return Set(counts.flatMap { name, count in (0..<count).map { $0 == 0 ? name : "\(name)-\($0)" } })
    }
}
