import Foundation

/// The lines of a file that only its owner may read, each as words. Blank lines, and lines that begin with `#`, have no
/// meaning.
struct OwnersFile: Sendable {
    /// The file's name, for messages.
    let name: String
    let lines: [(number: Int, words: [String])]

    /// - Parameter content: What it holds, for messages: `tokens`.
    init(path: String, of content: String) throws(CommandError) {
        let name = Printable.text(path)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = attributes[.posixPermissions] as? Int,
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { throw CommandError(description: "the file of \(content) \(name) cannot be read") }
        guard mode & 0o077 == 0 else {
            throw CommandError(
                description:
                    "other users of this machine may read the file of \(content) \(name); run chmod 600 on it")
        }
        self.init(text, called: name)
    }

    init(_ text: String, called name: String) {
        self.name = name
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { return nil }
            return (index + 1, words)
        }
    }
}
