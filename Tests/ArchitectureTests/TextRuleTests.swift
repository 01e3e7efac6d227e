import Testing

@Suite("This package's wording")
struct TextRuleTests {
    private static func package(_ files: [String: String]) -> TextRules.Package {
        TextRules.Package(
            files: files,
            protocols: [
                "Plugins/Citcon/Provider": "# Protocol\n## 2 Calls\n### 2.4 Making\n#### 2.4.1 Kinds\n",
                "Plugins/Other/Provider": "",
            ])
    }

    @Test("Keeps the rule", arguments: TextRules.all.map(\.name))
    func keepsTheRule(name: String) throws {
        let rule = try #require(TextRules.all.first { $0.name == name })
        let violations = rule.check(try TextRules.Package.onDisk())
        #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
    }

    @Test("Is what the rules looked at")
    func isRead() throws {
        let package = try TextRules.Package.onDisk()
        #expect(Set(package.protocols.keys).isSuperset(of: ["Plugins/Citcon/Provider", "Plugins/Payrails/Merchant"]))
        let journal = try #require(package.files["Sources/PaymentRouting/Journal/AttemptStore.swift"])
        #expect(PublicFunction.all(in: journal).filter(\.throwsErrors).count == 6)
        for folder in TextRules.documented {
            #expect(package.files.keys.contains { $0.hasPrefix(folder) }, "\(folder) is gone")
        }
    }

    @Test(
        "Tests without a sentence",
        arguments: [
            "@Test func a() {}", "@Test(arguments: [\"x\"]) func a() {}", "@Test(.disabled(\"x\")) func a() {}",
            "@Test\n    func a() {}",
        ])
    func names(text: String) {
        #expect(TextRules.names(Self.package(["Tests/ATests/A.swift": text])).map(\.place) == ["Tests/ATests/A.swift"])
        #expect(TextRules.names(Self.package(["Sources/A/A.swift": text])).isEmpty)
    }

    @Test(
        "Tests with one",
        arguments: [
            "@Test(\"A\") func a() {}", "@Test(\n    \"A\",\n    arguments: [1])\nfunc a(_ x: Int) {}",
            "@Testable func a() {}", "// @Test func a() {}", "let x = \"@Test func a()\"",
        ])
    func goodNames(text: String) {
        #expect(TextRules.names(Self.package(["Tests/ATests/A.swift": text])).isEmpty)
    }

    @Test(
        "Citations of what is not there",
        arguments: [
            "/// As reference section 2.4 has it.", "// Protocol 2.5", "// Protocol 2, 2.4 and 9.", "// Protocol 2.4.2",
        ])
    func citations(text: String) {
        for file in [
            "Plugins/Citcon/Provider/A.swift", "Plugins/Citcon/Kit/A.swift",
            "Plugins/Citcon/Tests/ProviderTests/A.swift",
        ] {
            #expect(TextRules.citations(Self.package([file: text])).map(\.place) == [file])
        }
    }

    @Test("Citations of existing symbols, and words that are none")
    func goodCitations() {
        let text =
            "// Protocol 2.4 and 2.4.1; Protocol 2.\n/// Protocol of `Protocol.md`. The reference: section 3 of RFC 1."
        #expect(TextRules.citations(Self.package(["Plugins/Citcon/Sandbox/A.swift": text])).isEmpty)
        // The protocol's vendor is ambiguous.
        #expect(TextRules.citations(Self.package(["Sources/PaymentCore/A.swift": "// Protocol 2.4"])).count == 1)
    }

    @Test(
        "Outcomes that the ledger does not make",
        arguments: [
            "return PaymentOutcome(stating: .cancelled)", "Ledger.empty.verdict(on: report, at: .run)",
            "try json.decode(PaymentOutcome.self)",
        ])
    func outcomes(text: String) {
        let place = "Sources/PaymentRouting/Attempts/A.swift"
        #expect(TextRules.outcomes(Self.package([place: text])).map(\.place) == [place])
        #expect(TextRules.outcomes(Self.package(["Sources/PaymentTesting/A.swift": text])).isEmpty)
        #expect(TextRules.outcomes(Self.package(["Plugins/Citcon/Tests/A.swift": text])).isEmpty)
    }

    @Test(
        "Functions that hide what they throw",
        arguments: [
            "/// Pays.\npublic func pay(_ x: Int) throws {}", "public init(x: Int) throws(E) {}",
            "/// Pays.\n@MainActor\npublic static func pay<A>(\n    _ x: A\n) async throws -> A {\n}",
            "public protocol P: Sendable {\n    /// Pays.\n    func pay(_ x: Int) async throws\n}",
            "/// - Throws: no.\n\n/// Pays.\npublic mutating func pay(_ x: (Int) -> Int)\n    throws -> Int { 1 }",
        ])
    func throwing(text: String) {
        #expect(TextRules.throwing(Self.package(["Sources/PaymentCore/A.swift": text])).count == 1)
        #expect(TextRules.throwing(Self.package(["Sources/payroute/A.swift": text])).isEmpty)
    }

    @Test(
        "Functions that say it, or have nothing to say",
        arguments: [
            "/// Pays.\n///\n/// - Throws: ``E``.\n@MainActor\npublic func pay(_ x: Int) throws {}",
            "public func pay() throws {}", "public func pay(_ x: () throws -> Void) {}", "func pay(_ x: Int) throws {}",
            "public func pay(_ x: Int) { try? { throw E() }() }", "package init(x: Int) throws {}",
            "public protocol P {\n    func pay(_ x: Int)\n}\nfunc pay(_ x: Int) throws {}",
        ])
    func quiet(text: String) {
        #expect(TextRules.throwing(Self.package(["Sources/PaymentCore/A.swift": text])).isEmpty)
    }

    @Test(
        "Nulls that are made absent in place",
        arguments: ["json[\"a\"].flatMap { $0 == .null ? nil : $0 }", "let x = value.isNull ? nil : value"])
    func nulls(text: String) {
        #expect(TextRules.nulls(Self.package(["Sources/A/A.swift": text])).map(\.place) == ["Sources/A/A.swift"])
        #expect(TextRules.nulls(Self.package(["Tests/ATests/A.swift": text])).isEmpty)
        #expect(TextRules.nulls(Self.package(["Sources/A/A.swift": "json.present(\"a\")"])).isEmpty)
    }
}
