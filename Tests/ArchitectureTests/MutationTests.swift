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

    @Test("Every folder whose lines are changed exists, and each of its suites is built")
    func folders() throws {
        let project = try Project.onDisk()
        let targets = Set(try Manifest.onDisk.get().targets.filter { $0.kind == "test" }.map(\.name))
        for folder in try MutatedFolder.all() {
            #expect(project.files.keys.contains(where: folder.holds), "\(folder.folder)")
            let noticing = folder.noticedBy.map { String($0.prefix { $0 != "." }) }
            #expect(!noticing.isEmpty && targets.isSuperset(of: noticing), "\(folder.folder)")
            for inner in folder.without ?? [] {
                #expect(project.files.keys.contains { $0.hasPrefix("\(folder.folder)/\(inner)") }, "\(inner)")
            }
        }
    }

    @Test("Each mutation that changes nothing is one that is made, of a line that exists, with a reason; few are")
    func equivalents() throws {
        let generated = try MutationList.generated(from: Project.onDisk().files)
        let names = Dictionary(generated.map { ($0.name, $0) }) { first, _ in first }
        #expect(names.count == generated.count, "each has a separate name")
        let equivalents = try EquivalentMutation.all()
        for equivalent in equivalents {
            let mutation = names[equivalent.name]
            #expect(
                mutation?.line == equivalent.line && mutation?.new == equivalent.new,
                "\(equivalent.name): change Tests/Mutants/equivalent.json with the code")
            #expect(equivalent.reason.hasSuffix("."), "\(equivalent.name)")
        }
        #expect(Set(equivalents.map(\.name)).count == equivalents.count)
        #expect(equivalents.count * 50 <= generated.count, "at most one in fifty")
    }

    /// The changes of a text, as the changed lines.
    private func made(_ text: String) -> Set<String> {
        Set(
            GeneratedMutation.all(of: text, at: "A.swift").map { mutation in
                let operation = mutation.name.split(separator: ":")[1]
                return "\(operation): " + mutation.applied(to: text).split { $0.isWhitespace }.joined(separator: " ")
            })
    }

    @Test("Conditions are negated and dropped, comparisons, bounds, connectives, signs and constants exchanged")
    func operations() {
        #expect(
            made("guard a < b, c else { return }") == [
                "negated: guard !(a < b), c else { return }", "dropped-condition: guard true, c else { return }",
                "comparison: guard a <= b, c else { return }", "negated: guard a < b, !(c) else { return }",
                "dropped-condition: guard a < b, true else { return }",
            ])
        #expect(
            made("if !a { b = 1 }") == [
                "negated: if a { b = 1 }", "dropped-condition: if true { b = 1 }", "never: if false, !a { b = 1 }",
                "dropped-write: if !a { _ = () }", "constant: if !a { b = 2 }",
            ])
        #expect(
            made("if let a = b { try await c() }") == [
                "never: if false, let a = b { try await c() }", "dropped-write: if let a = b { _ = () }",
            ])
        #expect(
            made("let d = a == b && c ? min(e.x, f) : g - 0x0F") == [
                "comparison: let d = a != b && c ? min(e.x, f) : g - 0x0F",
                "connective: let d = a == b || c ? min(e.x, f) : g - 0x0F",
                "negated: let d = !(a == b && c) ? min(e.x, f) : g - 0x0F",
                "extreme: let d = a == b && c ? max(e.x, f) : g - 0x0F",
                "arithmetic: let d = a == b && c ? min(e.x, f) : g + 0x0F",
                "constant: let d = a == b && c ? min(e.x, f) : g - 0x10",
            ])
        #expect(made("let a = pay(b.x, c)") == ["swapped-arguments: let a = pay(c, b.x)"])
        #expect(made("for a in b where a > 9 {}").contains("dropped-condition: for a in b where true {}"))
        #expect(made("extension A where B == C {}") == ["comparison: extension A where B != C {}"])
    }

    @Test("Functions return at once, and statements that write are dropped, over several lines, too")
    func bodies() {
        #expect(
            made("func a(b: C) -> D? {\n    e(\n        f)\n    return nil\n}") == [
                "early-return: func a(b: C) -> D? { return nil }",
                "dropped-write: func a(b: C) -> D? { _ = () return nil }",
            ])
        #expect(
            made("var a: Bool { b }") == [
                "early-return: var a: Bool { return true }", "early-return: var a: Bool { return false }",
            ])
        #expect(
            made("switch a {\ncase .b: try c()\ndefault: d.e += 1\n}").isSuperset(of: [
                "dropped-write: switch a { case .b: _ = () default: d.e += 1 }",
                "dropped-write: switch a { case .b: try c() default: _ = () }",
            ]))
        #expect(made("func a() -> Int { b() }") == ["early-return: func a() -> Int { return 0 }"])
        #expect(made("protocol A { func a() -> Bool\n var b: Bool { get } }") == [])
    }

    @Test("Nothing is made of comments, texts, directives and generic arguments")
    func nothing() {
        #expect(made("// a == b\nlet a = \"b == 1\" /* true */") == [])
        #expect(made("let a = \"\"\"\n    b == \\(c == 1)\n    \"\"\"") == [])
        #expect(made("#if os(Linux) && true\nlet a: Set<B> = [.c]\n#endif") == [])
    }

    @Test("Nothing is made of default arguments, which callers in other files keep")
    func defaults() {
        #expect(made("func a<T>(b: C = d(1, 2), e: Bool = true, _ f: G = { $0 == 3 }) throws -> H { i }") == [])
        #expect(made("public init?(\n    a: B = .c(24 * 60),\n    d: E) {}") == [])
        #expect(made("subscript(a: Int = 1) -> B { c }") == [])
        #expect(made("func a(b: Int = 1) { c(2) }").contains("constant: func a(b: Int = 1) { c(3) }"))
        #expect(made("let a = .init(b, 1)") == ["constant: let a = .init(b, 2)"])
        #expect(made("case .a(let b) where b == 1: c()").contains("constant: case .a(let b) where b == 2: c()"))
    }

    @Test("A name stays where other lines change, and depends on the neighbours of its line")
    func names() {
        func names(_ text: String) -> [String] { GeneratedMutation.all(of: text, at: "A.swift").map(\.name) }
        let text = "let a = 1\nlet b = c == d\nlet e = 2\n"
        let name = names(text)[1]
        #expect(name.hasPrefix("generated/A.swift:comparison:"))
        #expect(names("let z = 0\n\n" + text + "let f = 3\n")[2] == name)
        #expect(names("let a = 1\n// why\nlet b = c == d\nlet e = 2\n")[1] == name)
        #expect(names("let a = 7\nlet b = c == d\nlet e = 2\n")[1] != name)
        #expect(Set(names("a == b\n\na == b\n\na == b\n")).count == 3)
    }
}
