package import Foundation

/// One line of code, changed so that money could go wrong, and the tests that have to notice it.
package struct Mutation: Codable, Sendable {
    /// The name in the list.
    package let name: String
    /// The fault, for people.
    package let meaning: String
    /// The file, or a folder with the file of the line: a folder survives moves of files within it.
    package let place: String
    /// A preceding line, if the line itself appears more than once: the first occurrence behind it counts, at most a
    /// few lines away.
    package let after: String?
    /// The exact content of the line.
    package let old: String
    /// The replacement.
    package let new: String
    /// The suites that have to notice, `Target.Suite`.
    package let killedBy: [String]

    private enum CodingKeys: String, CodingKey {
        case name, meaning, after, old, new, killedBy
        case place = "in"
    }

    /// Makes a mutation.
    package init(
        _ name: String, in place: String, after: String? = nil, _ old: String, _ new: String, meaning: String = "",
        killedBy: [String]
    ) {
        self.name = name
        self.meaning = meaning
        self.place = place
        self.after = after
        self.old = old
        self.new = new
        self.killedBy = killedBy
    }

    /// The reason that a mutation does not apply.
    package struct Misfit: Error, CustomStringConvertible {
        package let description: String
    }

    /// A mutated file.
    package struct Applied: Sendable {
        /// The path within the package.
        package let file: String
        /// The line's number, from 1.
        package let line: Int
        package let text: String
    }

    /// The largest distance of the line behind ``after``.
    private static let reach = 25

    /// Applies it to a package.
    ///
    /// - Parameter files: the package's texts, by path.
    /// - Throws: ``Misfit`` when there is not exactly one place for it.
    package func applied(to files: [String: String]) throws -> Applied {
        guard ["Sources/", "Plugins/"].contains(where: place.hasPrefix), !killedBy.isEmpty, old != new, !old.isEmpty,
            !(old + new + (after ?? "")).contains("\n")
        else { throw Misfit(description: "it is not a change of one line of the product that some test has to notice") }
        var found: [Applied] = []
        for (path, text) in files where path == place || path.hasPrefix(place + "/") {
            if text.contains(old) { found += matches(in: text, of: path) }
        }
        guard let only = found.first else { throw Misfit(description: "\(place) has no such line") }
        guard found.count == 1 else {
            throw Misfit(description: "\(place) has such a line \(found.count) times; say after which line it stands")
        }
        return only
    }

    private func matches(in text: String, of file: String) -> [Applied] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func made(_ index: Int) -> Applied {
            var changed = lines
            changed[index] = lines[index].replacing(old, with: new, maxReplacements: 1)
            return Applied(file: file, line: index + 1, text: changed.joined(separator: "\n"))
        }
        guard let after else {
            // A line that contains it twice counts twice, because the target is ambiguous.
            return lines.indices.flatMap { index in
                Array(repeating: index, count: lines[index].ranges(of: old).count).map(made)
            }
        }
        return lines.indices.filter { lines[$0].contains(after) }.compactMap { anchor in
            lines.indices[anchor...].prefix(Self.reach).first { lines[$0].contains(old) }.map(made)
        }
    }
}

/// The kept lists.
package enum MutationList {
    /// The folder of this package.
    package static var root: URL {
        (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    }

    /// All chosen mutations, by file and in its order.
    package static func all() throws -> [Mutation] {
        let folder = root.appending(path: "Tests/Mutants/Lines")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        return try names.sorted().flatMap { try read("Lines/\($0)") as [Mutation] }
    }

    /// All mutations that are made of the folders that decide about money, by file and place.
    ///
    /// - Parameter files: the package's texts, by path.
    package static func generated(from files: [String: String]) throws -> [GeneratedMutation] {
        let folders = try MutatedFolder.all()
        return files.sorted { $0.key < $1.key }.filter { file in folders.contains { $0.holds(file.key) } }
            .flatMap { GeneratedMutation.all(of: $0.value, at: $0.key) }
    }

    static func read<Entry: Decodable>(_ name: String) throws -> [Entry] {
        let file = root.appending(path: "Tests/Mutants/\(name)")
        return try JSONDecoder().decode([Entry].self, from: Data(contentsOf: file))
    }
}
