package import Foundation
import PaymentCore

/// The files under `Tests/Vectors`.
package enum Vectors {
    /// The bytes of `name`.json.
    package static func data(_ name: String) throws -> Data { try file(name + ".json") }

    /// The bytes of the file `name`.
    package static func file(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    /// The package's folder.
    package static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    private static let folder = root.appending(path: "Tests/Vectors")

    /// The names of all files of vectors, without their ending.
    package static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.map { $0.deletingPathExtension().lastPathComponent }.sorted()
    }

    /// The payment texts of one file.
    package struct Texts: Sendable {
        /// The sound texts.
        package let valid: [String]
        /// The unsound texts.
        package let invalid: [String]
    }

    /// The texts of every file that has any, in the order of the files' names.
    package static func texts() throws -> [Texts] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.compactMap { file in
            let json = try JSONValue(parsing: Array(try Data(contentsOf: file)))
            let rows = ["valid", "invalid"].map { list in
                (json[list]?.array ?? []).compactMap { $0["input"]?.string }.filter { !$0.isEmpty }
            }
            return rows[0].isEmpty ? nil : Texts(valid: rows[0], invalid: rows[1])
        }
    }
}
