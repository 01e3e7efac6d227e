import Testing

/// The sandboxes' scenarios: static values, each of which has to be in the list for users and tests.
@Suite("Every scenario is listed")
struct ScenarioTests {
    /// The scenarios of a folder: the declared values, and the names in its lists.
    private struct Scenarios {
        var declared: [String]
        var listed: [String]

        init(_ text: String) {
            declared = text.matches(of: /static let (\w+) = Self\(/).map { String($0.1) }
            // All of them, or the names of parts.
            let whole = text.firstMatch(of: /static let allCases(?:: \[Self\])? = (.*)/)?.1 ?? ""
            let parts = whole.split { !$0.isLetter && !$0.isNumber }.map(String.init) + ["allCases"]
            listed = text.matches(of: /static let (\w+): \[Self\] = \[([^\]]*)\]/)
                .filter { parts.contains(String($0.1)) }
                .flatMap { $0.2.matches(of: /\.(\w+)/).map { String($0.1) } }
        }
    }

    /// The folders called `Scenarios`, each as one text.
    private static func folders() throws -> [String: Scenarios] {
        let files = try Project.onDisk().files.filter { file, _ in
            file.contains("/Scenarios/") && !file.hasPrefix("Tests/")
        }
        return Dictionary(grouping: files) { String($0.key.prefix(upTo: $0.key.lastIndex(of: "/") ?? $0.key.endIndex)) }
            .mapValues { Scenarios($0.map(\.value).joined(separator: "\n")) }
    }

    @Test("What is declared is listed once, and nothing else")
    func listed() throws {
        let folders = try Self.folders()
        #expect(folders.count == 5)
        for (folder, scenarios) in folders {
            #expect(scenarios.declared.count >= 20, "\(folder): the scenarios cannot be read any more")
            #expect(scenarios.listed.sorted() == scenarios.declared.sorted(), "\(folder)")
        }
    }

    @Test(
        "A scenario in no list, or in one that is no part of the whole, is noticed",
        arguments: [
            ("static let allCases: [Self] = [\n    .a, .b,\n]", true), ("static let allCases: [Self] = [.a]", false),
            ("static let allCases: [Self] = [.a, .b, .b]", false),
            ("static let allCases = x + y\nstatic let x: [Self] = [.a]\nstatic let y: [Self] = [.b]", true),
            ("static let allCases = x\nstatic let x: [Self] = [.a]\nstatic let y: [Self] = [.b]", false),
        ])
    func planted(_ lists: String, _ isWhole: Bool) {
        let values = "static let a = Self(\"a\", \"an a\")\npublic static let b = Self(\n    \"b\", \"a b\")\n"
        let scenarios = Scenarios(values + lists)
        #expect(scenarios.declared == ["a", "b"])
        #expect((scenarios.listed.sorted() == scenarios.declared) == isWhole)
    }
}
