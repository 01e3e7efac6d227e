import Foundation

/// A private copy of the package, in which lines are changed. It is kept between runs, so that only changes are built.
struct Checkout {
    let folder: URL

    /// Makes the copy equal to the original; equal files are left untouched, and so are build products.
    init(of original: URL) throws {
        folder = original.appending(path: ".build/mutants/checkout")
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        let wanted = try Self.files(in: original)
        for file in try Self.files(in: folder).subtracting(wanted) {
            try manager.removeItem(at: folder.appending(path: file))
        }
        for file in wanted.sorted() {
            let (source, copy) = (original.appending(path: file), folder.appending(path: file))
            if manager.contentsEqual(atPath: source.path, andPath: copy.path) { continue }
            try manager.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            if manager.fileExists(atPath: copy.path) { try manager.removeItem(at: copy) }
            try manager.copyItem(at: source, to: copy)
        }
    }

    /// The files of a package, except hidden ones, which include build products.
    private static func files(in folder: URL) throws -> Set<String> {
        var files: Set<String> = []
        for top in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !top.hasPrefix(".") {
            var isFolder: ObjCBool = false
            let path = folder.appending(path: top).path
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            guard isFolder.boolValue else {
                files.insert(top)
                continue
            }
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
                var isInnerFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isInnerFolder),
                    !isInnerFolder.boolValue
                else { continue }
                files.insert("\(top)/\(name)")
            }
        }
        return files
    }

    /// Writes one file of the copy.
    func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: file))
    }

    /// The product's texts in the copy, by path.
    func texts() throws -> [String: String] {
        var texts: [String: String] = [:]
        for top in ["Sources", "Plugins"] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: top).path)
            where path.hasSuffix(".swift") {
                texts["\(top)/\(path)"] = try text(of: "\(top)/\(path)")
            }
        }
        return texts
    }

    /// The content of one file of the copy.
    func text(of file: String) throws -> String {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }

    // MARK: Commands

    /// Builds everything that the tests need. Changed lines may leave something unused, which must not stop the build.
    func build(within limit: Duration = .seconds(1800)) throws -> Command.Ended {
        try run(["nice", "-n", "5", "swift", "build", "--build-tests", "-Xswiftc", "-no-warnings-as-errors"], limit)
    }

    /// The ids of all tests.
    func tests() throws -> [String] {
        try run(["swift", "test", "list", "--skip-build", "-Xswiftc", "-no-warnings-as-errors"], .seconds(300)).output
            .split(separator: "\n").map(String.init)
    }

    /// Runs the suites of these names until a test has failed: others may wait endlessly after that.
    func test(_ suites: [String], within limit: Duration) throws -> Command.Ended {
        let filters = suites.flatMap { ["--filter", "^\($0)[./]"] }
        return try run(
            [
                "nice", "-n", "5", "swift", "test", "--skip-build", "-Xswiftc", "-no-warnings-as-errors", "--parallel",
                "--experimental-maximum-parallelization-width", "2",
            ] + filters, limit, isEnough: { $0.contains("✘ Test ") && $0.contains("recorded an issue") })
    }

    private func run(
        _ words: [String], _ limit: Duration, isEnough: @escaping @Sendable (Substring) -> Bool = { _ in false }
    ) throws -> Command.Ended {
        try Command(words: words, folder: folder, limit: limit, isEnough: isEnough).run()
    }
}
