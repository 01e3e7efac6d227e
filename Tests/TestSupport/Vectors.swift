package import Foundation

/// The files under `Tests/Vectors`.
package enum Vectors {
    /// The bytes of `name`.json.
    package static func data(_ name: String) throws -> Data {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appending(path: "Vectors/\(name).json"))
    }
}
