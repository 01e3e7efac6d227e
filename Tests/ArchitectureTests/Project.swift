import Foundation

/// The input of the rules: the package as text. Read from the disk, or made by hand to prove that a rule can fail.
struct Project: Sendable {
    /// Swift files by path, relative to the package's folder.
    var files: [String: String]
    /// The content of `Package.swift`.
    var manifest: Manifest
    /// The visible folders beside it.
    var folders: [String]

    /// The folder of the package with this file.
    static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The package with this file, read once.
    static func onDisk() throws -> Project { try known.get() }

    private static let known = Result { try read() }

    private static func read() throws -> Project {
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
    /// The file or the target.
    let place: String
    /// The defect and its remedy.
    let message: String

    var description: String { "\(place): \(message)" }
}
