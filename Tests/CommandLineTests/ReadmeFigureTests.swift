import Foundation
import TestSupport
import Testing

@Suite("The README's figures")
struct ReadmeFigureTests {
    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The blocks of a command, `$ payroute …`, and its output.
    private static func figures() throws -> [(command: [String], output: String)] {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        return try readme.matches(of: /(?s)```console\n\$ payroute ([^\n]+)\n(.*?)```/).map { match in
            // Quoted words stay as they are; the figures use no other quoting.
            let words = match.1.split(separator: "'", omittingEmptySubsequences: false)
            try #require(words.count % 2 == 1)
            let command = words.enumerated().flatMap { index, part in
                index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
            }
            return (command, String(match.2))
        }
    }

    @Test("Each is what the command prints")
    func figures() async throws {
        let figures = try Self.figures()
        #expect(!figures.isEmpty)
        for figure in figures {
            let run = await payroute(figure.command, input: [])
            #expect(run.output.trimmingCharacters(in: .newlines) + "\n" == figure.output)
        }
    }
}
