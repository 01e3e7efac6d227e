import Foundation
import TestSupport

/// The content of the manifest, as SwiftPM reads it.
struct Manifest: Sendable {
    struct Target: Equatable, Sendable {
        let name: String
        /// `regular`, `executable`, `test` or `system`.
        let kind: String
        let path: String
        let dependencies: [String]

        init(_ name: String, _ dependencies: [String] = [], at path: String? = nil, kind: String = "regular") {
            self.name = name
            self.kind = kind
            self.path = path ?? (kind == "test" ? "Tests/" : "Sources/") + name
            self.dependencies = dependencies
        }

        /// The top-level folder of the target.
        var area: Substring { path.prefix { $0 != "/" } }
        /// The vendor in whose folder the target is, or nil.
        var vendor: Substring? { area == "Plugins" ? path.split(separator: "/").dropFirst().first : nil }
        /// True if it tests, or is a part of a test target.
        var isTest: Bool { area == "Tests" || path.contains("/Tests/") }
    }

    var targets: [Target]
    /// The entries of the package's `dependencies:`.
    var packageDependencies: [String] = []

    init(targets: [Target], packageDependencies: [String] = []) {
        self.targets = targets
        self.packageDependencies = packageDependencies
    }

    /// The manifest of this package.
    static let onDisk = Result { try Manifest(dump: PackageDump.json.get()) }

    /// Reads the output of `swift package dump-package`.
    init(dump: Data) throws {
        let package = try JSONDecoder().decode(Dump.self, from: dump)
        targets = package.targets.map { target in
            Target(
                target.name, target.dependencies.compactMap(\.name), at: target.path, kind: target.type)
        }
        packageDependencies = package.dependencies.map { _ in "a package" }
    }

    /// The target whose folder holds `file`.
    func target(of file: String) -> Target? {
        targets.filter { file.hasPrefix($0.path + "/") }.max { $0.path.utf8.count < $1.path.utf8.count }
    }

    private struct Dump: Decodable {
        struct Target: Decodable {
            let name: String
            let type: String
            let path: String?
            let dependencies: [Dependency]
        }

        struct Dependency: Decodable {
            let name: String?

            private enum Key: String, CodingKey { case byName, target, product }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                guard let key = container.allKeys.first else {
                    name = nil
                    return
                }
                var list = try container.nestedUnkeyedContainer(forKey: key)
                name = try list.decode(String.self)
            }
        }

        struct Package: Decodable {}

        let targets: [Target]
        let dependencies: [Package]
    }
}
