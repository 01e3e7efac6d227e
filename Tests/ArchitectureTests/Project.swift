import Foundation

/// What the rules look at: the package as text. Made from the disk, or by hand to prove that a rule can fail.
struct Project {
    /// Swift files by path, relative to the package's folder.
    var files: [String: String]
    /// What `Package.swift` says.
    var manifest: Manifest
    /// The visible folders beside it.
    var folders: [String]

    /// The folder of the package that this file belongs to.
    static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The package that this file belongs to.
    static func onDisk() throws -> Project {
        let manager = FileManager.default
        let folders = try manager.contentsOfDirectory(atPath: root.path).filter { name in
            var isFolder: ObjCBool = false
            return !name.hasPrefix(".")
                && manager.fileExists(atPath: root.appending(path: name).path, isDirectory: &isFolder)
                && isFolder.boolValue
        }
        var files: [String: String] = [:]
        for folder in folders where Rules.folders.contains(folder) {
            for case let path as String in manager.enumerator(atPath: root.appending(path: folder).path) ?? .init()
            where path.hasSuffix(".swift") && !path.contains(".build/") {
                let url = root.appending(path: folder).appending(path: path)
                files["\(folder)/\(path)"] = try String(contentsOf: url, encoding: .utf8)
            }
        }
        return Project(files: files, manifest: try Manifest.onDisk.get(), folders: folders)
    }
}

/// A breach of a rule.
struct Violation: Equatable, CustomStringConvertible {
    /// Which file or target.
    let place: String
    /// What is wrong and what to do.
    let message: String

    var description: String { "\(place): \(message)" }
}
