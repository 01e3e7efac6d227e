import Foundation
import Testing

/// Checks that `make check-apple` compiles all code for Apple's systems.
struct AppleTests {
    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The Apple modules that a text checks with `canImport`.
    private static func asked(in text: String) -> Set<String> {
        let others: Set<String> = [
            "FoundationEssentials", "FoundationNetworking", "Glibc", "Musl", "CCurl", "CSQLite", "CSodium",
            // No stand-in: it only chooses a word.
            "AppKit",
            // Part of Swift's own toolchain.
            "Observation",
        ]
        return Set(text.matches(of: /canImport\((\w+)\)/).map { String($0.1) }).subtracting(others)
    }

    @Test("Every file that asks for one of Apple's modules is compiled by make check-apple, with a stand-in of it")
    func covered() throws {
        let script = try String(
            contentsOf: Self.root.appending(path: "Tests/AppleStandIns/check"), encoding: .utf8)
        let compiled = script.matches(of: /our \w+ ([\w\/]+)/).map { String($0.1) + "/" }
        #expect(compiled.count > 5)
        for (file, text) in try Project.onDisk().files.sorted(by: { $0.key < $1.key })
        where file.hasPrefix("Sources/") || file.hasPrefix("Plugins/") && !file.contains("/Tests/") {
            let modules = Self.asked(in: text)
            guard !modules.isEmpty else { continue }
            #expect(compiled.contains(where: file.hasPrefix), "\(file) asks for \(modules.sorted())")
            for module in modules {
                let standIn = Self.root.appending(path: "Tests/AppleStandIns/\(module)")
                #expect(FileManager.default.fileExists(atPath: standIn.path), "\(file) asks for \(module)")
            }
        }
    }

    @Test("Nothing is chosen by the system's name, which no stand-in can change, but what is listed")
    func systems() throws {
        // The allowed distinctions between Apple's systems, for differing modules.
        let listed = try Regex(#"os\((watchOS|tvOS)\)"#)
        for (file, text) in try Project.onDisk().files
        where file.hasPrefix("Sources/") || file.hasPrefix("Plugins/") {
            for line in text.split(separator: "\n") where line.contains("os(") && line.contains("#") {
                let rest = String(line).replacing(listed, with: "")
                #expect(!rest.contains(" os(") && !rest.contains("!os("), "\(file): \(line)")
            }
        }
    }

    @Test("Modules are distinguished from those that are not Apple's")
    func told() {
        #expect(Self.asked(in: "#if canImport(UIKit) && !canImport(Glibc)\n#if canImport(AppKit)") == ["UIKit"])
        #expect(Self.asked(in: "#if canImport(FoundationEssentials)").isEmpty)
    }
}
