package import Foundation

/// The files under `Tests/Vectors`.
package enum Vectors {
    /// The bytes of `name`.json.
    package static func data(_ name: String) throws -> Data { try file(name + ".json") }

    /// The bytes of the file `name`.
    package static func file(_ name: String) throws -> Data {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appending(path: "Vectors/\(name)"))
    }
}
