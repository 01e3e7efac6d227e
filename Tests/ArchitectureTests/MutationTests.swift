import MutationList
import Testing

@Suite("The kept list of mutations")
struct MutationTests {
    @Test("Every mutation still applies to exactly one line")
    func applies() throws {
        let files = try Project.onDisk().files
        let list = try MutationList.all()
        #expect(list.count >= 60)
        for mutation in list {
            do {
                let applied = try mutation.applied(to: files)
                #expect(applied.text != files[applied.file], "\(mutation.name)")
            } catch {
                Issue.record("\(mutation.name): \(error); change Tests/Mutants/Lines with the code")
            }
        }
    }

    @Test("Each has a separate name, says what fails, and names existing suites")
    func isSaid() throws {
        let list = try MutationList.all()
        #expect(Set(list.map(\.name)).count == list.count)
        #expect(list.filter { !$0.meaning.hasSuffix(".") }.map(\.name).isEmpty)
        let manifest = try Manifest.onDisk.get()
        let tests = try Project.onDisk().files.filter { $0.key.hasPrefix("Tests/") || $0.key.contains("/Tests/") }
        for suite in Set(list.flatMap(\.killedBy)) {
            let (target, name) = (suite.prefix { $0 != "." }, suite.drop { $0 != "." }.dropFirst())
            let folder = manifest.targets.first { $0.name == target }?.path ?? "none"
            let isThere = tests.contains {
                $0.key.hasPrefix(folder + "/")
                    && ["struct \(name) {", "struct \(name): "].contains(where: $0.value.contains)
            }
            #expect(isThere && !name.isEmpty, "\(suite)")
        }
    }

    @Test("A line that is gone, stands twice or was moved far away does not apply")
    func misfits() {
        let files = [
            "Sources/Pay/Deep/A.swift":
                "func one() {\n    guard a else { return }\n}\nfunc two() {\n    guard a else { return }\n}\n",
            "Sources/Pay/B.swift":
                "// guard a\nfunc three() {\(String(repeating: "\n", count: 40))    b == b\n}\n",
            "Sources/Payment/C.swift": "b == b\n",
        ]
        func line(
            _ old: String, after: String? = nil, in place: String = "Sources/Pay", by suites: [String] = ["A.B"]
        ) -> Int? {
            try? Mutation("m", in: place, after: after, old, "else", killedBy: suites).applied(to: files).line
        }
        #expect(line("guard a else", after: "func two()") == 5)
        #expect(line("guard a else", after: "func one()", in: "Sources/Pay/Deep/A.swift") == 2)
        #expect(line("b == b") == 42)
        #expect(line("guard a else") == nil, "it stands twice")
        #expect(line("guard a else", in: "Sources/Pay/B.swift") == nil, "it is gone")
        #expect(line("guard a else", after: "func") == nil, "there are several such places")
        #expect(line("b == b", after: "func three()") == nil, "it is far from where it belongs")
        #expect(line("b") == nil, "it stands twice in one line")
        #expect(line("b == b", by: []) == nil, "nobody has to notice")
        #expect(line("b == b", in: "Tests") == nil, "it is not in the product")
    }
}
