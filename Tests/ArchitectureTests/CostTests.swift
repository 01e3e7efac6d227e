import Foundation
import Testing

/// The size of the targets, and the sources that have to be looked at again after a change in one.
@Suite("The cost of a change")
struct CostTests {
    private static let page = Project.root.appending(path: "CONTRIBUTING.md")

    @Test("A change in a vendor's provider re-opens at most 40,000 lines, and in any part of a house as many outside")
    func houses() throws {
        let project = try Project.onDisk()
        let parts = project.libraries.filter { $0.vendor != nil }
        #expect(parts.count { $0.name.hasSuffix("Provider") } >= 4)
        for (part, size) in zip(parts, project.sizes(of: parts)) {
            let counted = part.name.hasSuffix("Provider") ? size.downstream : size.outside
            #expect(counted <= 40_000, "\(part.name): \(size)")
        }
    }

    @Test("The core and the standards stay small")
    func limits() throws {
        let project = try Project.onDisk()
        func size(_ name: String) throws -> TargetSize {
            try #require(project.sizes(of: project.libraries.filter { $0.name == name }).first)
        }
        let (core, standards) = (try size("PaymentCore"), try size("PaymentStandards"))
        #expect(1...150 ~= core.publicTypes, "make package what no program outside needs")
        #expect(1...30 ~= standards.publicTypes, "a standard says all in its fields and its instruction")
    }

    @Test("The table in CONTRIBUTING.md states them")
    func table() throws {
        let project = try Project.onDisk()
        let targets = project.libraries.sorted { $0.name < $1.name }
        let table = CostTable(Dictionary(uniqueKeysWithValues: zip(targets.map(\.name), project.sizes(of: targets))))
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        if ProcessInfo.processInfo.environment["UPDATE_COST_TABLE"] == "1" {
            try table.replaced(in: text).write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        let written = try #require(CostTable(writtenIn: text))
        let remedy = "run UPDATE_COST_TABLE=1 swift test --filter CostTests"
        #expect(written.rows.keys.sorted() == table.rows.keys.sorted(), "\(remedy)")
        for (name, size) in table.rows {
            #expect(size.isStated(by: written.rows[name] ?? TargetSize()), "\(name): \(size); \(remedy)")
        }
    }

    // MARK: Counting

    private static let sample = Project(
        files: [
            "Sources/A/A.swift": "public struct A {\n    public final class B {}\n}\n",
            "Sources/B/B.swift": "1\n", "Plugins/C/Kit/C.swift": "1\n2\n3\n", "Plugins/C/Tests/C.swift": "1\n",
            "Sources/D/D.swift": "// public enum A {}\nlet a = \"public enum A {}\"; public static func b() {}\n",
            "Plugins/C/Provider/E.swift": "@frozen public indirect enum E {}\npublic protocol F {}\n",
        ],
        manifest: Manifest(targets: [
            Manifest.Target("A"), Manifest.Target("B", ["A", "CProvider"]),
            Manifest.Target("CProvider", ["A"], at: "Plugins/C/Provider"),
            Manifest.Target("CKit", ["A", "CProvider"], at: "Plugins/C/Kit"),
            Manifest.Target("CTests", ["CKit"], at: "Plugins/C/Tests", kind: "test"), Manifest.Target("D"),
            Manifest.Target("CSystem", kind: "system"),
        ]), folders: ["Sources"])

    @Test("A target's dependents are counted with those behind them, once each, and a house's apart")
    func counting() {
        let project = Self.sample
        #expect(project.libraries.map(\.name) == ["A", "B", "CProvider", "CKit", "D"])
        #expect(
            project.sizes(of: project.libraries) == [
                TargetSize(lines: 3, publicTypes: 2, dependents: 4, downstream: 7, outside: 7),
                TargetSize(lines: 1, publicTypes: 0, dependents: 0, downstream: 0, outside: 0),
                TargetSize(lines: 2, publicTypes: 2, dependents: 3, downstream: 5, outside: 1),
                TargetSize(lines: 3, publicTypes: 0, dependents: 1, downstream: 1, outside: 0),
                TargetSize(lines: 2, publicTypes: 0, dependents: 0, downstream: 0, outside: 0),
            ])
    }

    @Test("A table is read as it is written, and a stale one is found")
    func reading() throws {
        let size = TargetSize(lines: 10_000, publicTypes: 20, dependents: 3, downstream: 5_000, outside: 0)
        let table = CostTable(["A": size, "BProvider": TargetSize()])
        let old = "before\n\n\(CostTable(["A": TargetSize()]).text)\n\nbehind\n"
        let text = table.replaced(in: old)
        #expect(text.hasPrefix("before\n\n| a change in |") && text.hasSuffix("|\n\nbehind\n"))
        #expect(CostTable(writtenIn: text)?.rows == table.rows)
        #expect(table.replaced(in: text) == text)
        #expect(CostTable(writtenIn: "| another | table |\n") == nil)
        var near = size
        (near.lines, near.publicTypes, near.outside) = (10_200, 22, 20)
        #expect(size.isStated(by: near))
        let changes: [(inout TargetSize) -> Void] = [
            { $0.lines += 201 }, { $0.publicTypes += 3 }, { $0.dependents += 1 }, { $0.downstream -= 101 },
            { $0.outside += 21 },
        ]
        for change in changes {
            var other = size
            change(&other)
            #expect(!size.isStated(by: other), "\(other)")
        }
    }
}
