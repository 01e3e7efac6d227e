import Testing

/// The sources that have to be looked at again after a change: those of every target that depends on the changed one,
/// directly or not, without its own.
@Suite("The cost of a change")
struct CostTests {
    @Test("A change in a vendor's provider re-opens at most 40,000 lines")
    func providers() throws {
        let project = try Project.onDisk()
        let providers = project.manifest.targets.filter { $0.vendor != nil && $0.name.hasSuffix("Provider") }
        #expect(providers.count >= 4)
        for provider in providers {
            let (targets, lines) = downstream(of: provider.name, in: project)
            #expect(lines <= 40_000, "\(provider.name): \(targets) targets, \(lines) lines")
        }
    }

    @Test("A target's dependents are counted with those behind them, once each")
    func counting() {
        let project = Project(
            files: [
                "Sources/A/A.swift": "1\n2\n", "Sources/B/B.swift": "1\n", "Sources/C/C.swift": "1\n2\n3\n",
                "Sources/D/D.swift": "1\n",
            ],
            manifest: Manifest(targets: [
                Manifest.Target("A"), Manifest.Target("B", ["A"]), Manifest.Target("C", ["A", "B"]),
                Manifest.Target("D"),
            ]), folders: ["Sources"])
        #expect(downstream(of: "A", in: project) == (2, 4))
        #expect(downstream(of: "D", in: project) == (0, 0))
    }

    private func downstream(of name: String, in project: Project) -> (targets: Int, lines: Int) {
        var reached: Set = [name]
        var count = 0
        while reached.count > count {
            count = reached.count
            for target in project.manifest.targets where !reached.isDisjoint(with: target.dependencies) {
                reached.insert(target.name)
            }
        }
        let lines = project.files.filter { file in
            project.manifest.target(of: file.key).map { $0.name != name && reached.contains($0.name) } ?? false
        }.map { $0.value.utf8.count { $0 == UInt8(ascii: "\n") } }
        return (reached.count - 1, lines.reduce(0, +))
    }
}
