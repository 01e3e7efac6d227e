import Testing

/// The sandboxes' scenarios: static values, each of which has to be in the list for users and tests.
@Suite("Every scenario is listed")
struct ScenarioTests {
    /// The scenarios of a sandbox: the declared values, and the names in its lists.
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

    /// The files of sandboxes' scenarios.
    private static func files() throws -> [String: Scenarios] {
        try Project.onDisk().files.filter { file, _ in
            file.contains("/Sandbox/") && file.hasSuffix("Scenario.swift") && !file.hasPrefix("Tests/")
        }.mapValues { Scenarios($0) }
    }

    @Test("What is declared is listed once, and nothing else")
    func listed() throws {
        let files = try Self.files()
        #expect(files.count == 5)
        for (file, scenarios) in files {
            #expect(scenarios.declared.count >= 20, "\(file): the scenarios cannot be read any more")
            #expect(scenarios.listed.sorted() == scenarios.declared.sorted(), "\(file)")
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
