import Foundation

/// A Swift block of an article, and the place where the same code is compiled.
struct Snippet: CustomStringConvertible {
    let article: String
    let number: Int
    let lines: [String]

    var description: String { "\(article), block \(number)" }

    static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    /// The folders whose code `swift build --build-tests` builds, and that of the files that `payroute new-provider`
    /// writes, which `make new-provider-test` builds.
    private static let compiled = [
        "Tests/ArticleTests", "Tests/PaymentPostgresTests", "Tests/PaymentStandardsTests", "Plugins", "Examples",
        "Sources/payroute/Commands",
    ]

    /// The Swift blocks of the README and of all articles, without imports: several blocks are compiled in one file.
    static func all() throws -> [Snippet] {
        var snippets: [Snippet] = []
        for (article, text) in try articles() {
            var block: [String]?
            var number = 0
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let trimmed = line.trimmingCharacters(in: .whitespaces)
                if let lines = block {
                    guard trimmed == "```" else {
                        if !trimmed.isEmpty, !trimmed.hasPrefix("import ") { block = lines + [trimmed] }
                        continue
                    }
                    snippets.append(Snippet(article: article, number: number, lines: lines))
                    block = nil
                } else if trimmed == "```swift" {
                    number += 1
                    block = []
                }
            }
        }
        return snippets
    }

    /// The README and all articles, by their paths.
    static func articles() throws -> [(path: String, text: String)] {
        try (["README.md", "CONTRIBUTING.md", "Examples/README.md", firstPage] + files(["Sources", "Plugins"], ".md"))
            .map { path in (path, try String(contentsOf: root.appending(path: path), encoding: .utf8)) }
    }

    /// The page that links to all of the documentation.
    static let firstPage = ".ci/documentation/PaymentRouter.docc/PaymentRouter.md"

    /// The compiled files, as lines without indentation; without empty lines.
    static func sources() throws -> [String: [String]] {
        try Dictionary(
            uniqueKeysWithValues: files(compiled, ".swift").map { file in
                let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
                let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                return (file, lines.filter { !$0.isEmpty && !$0.hasPrefix("import ") })
            })
    }

    /// The file that holds the block, line by line.
    func home(in sources: [String: [String]]) -> String? {
        sources.first { _, code in
            code.indices.contains { start in
                code[start] == lines.first && code[start...].prefix(lines.count).elementsEqual(lines)
            }
        }?.key
    }

    private static func files(_ folders: [String], _ end: String) throws -> [String] {
        try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
                .filter { $0.hasSuffix(end) }.map { "\(folder)/\($0)" }
        }
    }
}
