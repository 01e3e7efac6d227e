import Testing

@Suite("This package")
struct ArchitectureTests {
    @Test("Keeps the rule", arguments: Rules.all.map(\.name))
    func keepsTheRule(name: String) throws {
        let rule = try #require(Rules.all.first { $0.name == name })
        let violations = rule.check(try Project.onDisk())
        #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
    }

    @Test("Is what the rules looked at")
    func isRead() throws {
        let project = try Project.onDisk()
        let manifest = project.manifest
        #expect(project.files["Sources/PaymentCore/Link/PaymentLink.swift"] != nil)
        #expect(project.files.keys.contains { $0.hasPrefix("Plugins/") })
        #expect(project.files["Tests/ArchitectureTests/ArchitectureTests.swift"] != nil)
        #expect(manifest.targets.first { $0.name == "PaymentTransport" }?.dependencies == ["PaymentCore", "CCurl"])
        #expect(manifest.targets.contains { $0.area == "Plugins" })
        #expect(manifest.target(of: "Sources/PaymentCore/Link/PaymentLink.swift")?.name == "PaymentCore")
    }

    @Test("Has every room that the rules keep apart")
    func roomsExist() throws {
        let files = try Project.onDisk().files.keys
        for folder in Rules.allRooms.flatMap({ [$0.folder] + $0.neighbours }) {
            #expect(files.contains { $0.hasPrefix(folder + "/") }, "\(folder)")
        }
    }

    @Test("Has arrows for every target under Sources")
    func arrowsAreComplete() throws {
        let manifest = try Manifest.onDisk.get()
        for target in manifest.targets where target.area == "Sources" && target.kind != "system" {
            #expect(Rules.arrows.keys.contains(target.name), "\(target.name)")
        }
    }
}
