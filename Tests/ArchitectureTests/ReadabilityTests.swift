import Foundation
import Testing

/// README, articles and guides in plain words.
@Suite("Readability")
struct ReadabilityTests {
    /// The texts that people read: README and its like, and all articles. `CHANGELOG.md` is left out: it says what was
    /// true of each release, in its words.
    private static func texts() throws -> [String: String] {
        var texts: [String: String] = [:]
        let named = [
            "README.md", "STATUS.md", "CONTRIBUTING.md", "SECURITY.md", "Examples/README.md",
            "Examples/external-provider/README.md",
        ]
        let root = Project.root
        let articles = try ["Sources", "Plugins", ".ci/documentation"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
                .filter { $0.hasSuffix(".md") && $0.contains(".docc/") }
                .map { "\(folder)/\($0)" }
        }
        for path in named + articles {
            texts[path] = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        return texts
    }

    @Test("No article keeps a word of the glossary's never column, a clause without its noun, or an endless sentence")
    func articles() throws {
        let texts = try Self.texts()
        #expect(texts.count > 50)
        let breaches = texts.sorted { $0.key < $1.key }.flatMap { ReadabilityRules.breaches(in: $0.value, of: $0.key) }
        #expect(breaches.isEmpty, "\(breaches.map { "\($0.place): \($0.message)" }.joined(separator: "\n"))")
    }

    @Test(
        "A breach is found, and what only looks like one is not",
        arguments: [
            ("Who listens slowly loses the oldest events.", 1), ("What is this text?", 0),
            ("This is told in Paying.", 1),
            ("- Whoever pays.\n- Fine.", 2), ("| a | Nobody pays. |\n| --- | --- |", 1), ("```\nWho pays.\n```", 0),
            ("`lend` is code.", 0), ("A [told](x.md) link.", 1), ("## Who pays", 0),
            (Array(repeating: "word", count: 41).joined(separator: " ") + ".", 1),
            (
                Array(repeating: "word", count: 25).joined(separator: " ") + "; "
                    + Array(repeating: "word", count: 25).joined(separator: " "), 0
            ),
        ])
    func rules(text: String, count: Int) {
        #expect(ReadabilityRules.breaches(in: text, of: "a").count == count)
    }

    @Test("Every allowed sentence is still there")
    func allowed() throws {
        let all = try Self.texts().values.flatMap(ReadabilityRules.clauses)
        for start in ReadabilityRules.allowed { #expect(all.contains { $0.hasPrefix(start) }, "\(start)") }
    }

    @Test("Help and messages of the command line keep the same rules")
    func messages() throws {
        let files = try TextRules.Package.onDisk().files.filter {
            // Templates hold code.
            $0.key.hasPrefix("Sources/payroute/") && !$0.key.contains("/NewProvider/")
        }
        #expect(files.count > 40)
        let breaches = files.sorted { $0.key < $1.key }.flatMap { file, text in
            GlossaryRules.texts(in: text).filter { $0.split(separator: " ").count > 3 }.flatMap {
                ReadabilityRules.breaches(in: $0, of: file)
            }
        }
        #expect(breaches.isEmpty, "\(breaches.map { "\($0.place): \($0.message)" }.joined(separator: "\n"))")
    }
}
