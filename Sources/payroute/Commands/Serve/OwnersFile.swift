/// The lines of a file that only its owner may read, each as words. Blank lines, and lines that begin with `#`, have no
/// meaning.
struct OwnersFile: Sendable {
    /// The file's name, for messages.
    let name: String
    let lines: [(number: Int, words: [String])]

    /// - Parameter content: What it holds, for messages: `tokens`.
    init(path: String, of content: String) throws(CommandError) {
        let kind = "file of \(content)"
        let bytes = try NamedFile.bytes(path, kind, limit: 1_048_576, keptFrom: .anyReading)
        // Two names that are not UTF-8 would become one.
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw NamedFile.unusable(path, kind, "it is not UTF-8")
        }
        self.init(text, called: Printable.text(path))
    }

    init(_ text: String, called name: String) {
        self.name = name
        // The two characters that end a line on Windows are one `Character`.
        let isEnd = { (character: Character) in character == "\n" || character == "\r\n" }
        let all = text.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        lines = all.enumerated().compactMap { index, line in
            let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { return nil }
            return (index + 1, words)
        }
    }
}
