import Testing

@Suite("This package's code")
struct SourceRuleTests {
    private static func package(_ files: [String: String]) -> SourceRules.Package {
        SourceRules.Package(
            files: files,
            protocols: [
                "Plugins/Citcon/Provider": "# Protocol\n## 2 Calls\n### 2.4 Making\n#### 2.4.1 Kinds\n",
                "Plugins/Other/Provider": "",
            ])
    }

    @Test("Keeps the rule", arguments: SourceRules.all.map(\.name))
    func keepsTheRule(name: String) throws {
        let rule = try #require(SourceRules.all.first { $0.name == name })
        let violations = rule.check(try SourceRules.Package.onDisk())
        #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
    }

    @Test("Is what the rules looked at")
    func isRead() throws {
        let package = try SourceRules.Package.onDisk()
        #expect(Set(package.protocols.keys).isSuperset(of: ["Plugins/Citcon/Provider", "Plugins/Payrails/Merchant"]))
        let journal = try #require(package.files["Sources/PaymentRouting/Journal/PaymentJournal.swift"])
        #expect(PublicFunction.all(in: journal).filter(\.throwsErrors).count == 9)
        for folder in SourceRules.documented {
            #expect(package.files.keys.contains { $0.hasPrefix(folder) }, "\(folder) is gone")
        }
    }

    @Test(
        "Citations of what is not there",
        arguments: [
            "// Protocol 2.5", "// Protocol 2, 2.4 and 9.", "// Protocol 2.4.2",
        ])
    func citations(text: String) {
        for file in [
            "Plugins/Citcon/Provider/A.swift", "Plugins/Citcon/Kit/A.swift",
            "Plugins/Citcon/Tests/ProviderTests/A.swift",
        ] {
            #expect(SourceRules.citations(Self.package([file: text])).map(\.place) == [file])
        }
    }

    @Test("Citations of existing symbols, and words that are none")
    func goodCitations() {
        let text =
            "// Protocol 2.4 and 2.4.1; Protocol 2.\n/// Protocol of `Protocol.md`. The reference: section 3 of RFC 1."
        #expect(SourceRules.citations(Self.package(["Plugins/Citcon/Sandbox/A.swift": text])).isEmpty)
        // The protocol's vendor is ambiguous.
        #expect(SourceRules.citations(Self.package(["Sources/PaymentCore/A.swift": "// Protocol 2.4"])).count == 1)
    }

    @Test(
        "Outcomes that the ledger does not make",
        arguments: [
            "return PaymentOutcome(stating: .cancelled)", "Ledger.empty.verdict(on: report, at: .run)",
            "try json.decode(PaymentOutcome.self)",
        ])
    func outcomes(text: String) {
        let place = "Sources/PaymentRouting/Attempts/A.swift"
        #expect(SourceRules.outcomes(Self.package([place: text])).map(\.place) == [place])
        #expect(SourceRules.outcomes(Self.package(["Sources/PaymentTesting/A.swift": text])).isEmpty)
        #expect(SourceRules.outcomes(Self.package(["Plugins/Citcon/Tests/A.swift": text])).isEmpty)
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
        #expect(SourceRules.throwing(Self.package(["Sources/PaymentCore/A.swift": text])).count == 1)
        #expect(SourceRules.throwing(Self.package(["Sources/payroute/A.swift": text])).isEmpty)
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
        #expect(SourceRules.throwing(Self.package(["Sources/PaymentCore/A.swift": text])).isEmpty)
    }

    @Test(
        "Nulls that are made absent in place",
        arguments: ["json[\"a\"].flatMap { $0 == .null ? nil : $0 }", "let x = value.isNull ? nil : value"])
    func nulls(text: String) {
        #expect(SourceRules.nulls(Self.package(["Sources/A/A.swift": text])).map(\.place) == ["Sources/A/A.swift"])
        #expect(SourceRules.nulls(Self.package(["Tests/ATests/A.swift": text])).isEmpty)
        #expect(SourceRules.nulls(Self.package(["Sources/A/A.swift": "json.present(\"a\")"])).isEmpty)
    }

    @Test(
        "Too many parameters without a label",
        arguments: [
            "func hurl(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {}",
            "func hurl<A>(\n    _ a: A, _ b: (Int, Int) -> Int, c: Int, _ d: [Int: Int], _ e: Int = f(1, _)\n) {}",
        ])
    func unlabelled(text: String) {
        #expect(SourceRules.unlabelled(Self.package(["Sources/A/A.swift": text])).count == 1)
        #expect(SourceRules.unlabelled(Self.package(["Tests/ATests/A.swift": text])).isEmpty)
    }

    @Test(
        "Few enough",
        arguments: [
            "func hurl(_ a: Int, _ b: Int, _ c: Int, d: Int) {}",
            "func hurl(_ a: (_ b: Int, _ c: Int, _ d: Int, _ e: Int) -> Int) {}",
            "let (_, _, _, _) = quadruple()",
        ])
    func labelled(text: String) {
        #expect(SourceRules.unlabelled(Self.package(["Sources/A/A.swift": text])).isEmpty)
    }

    @Test("Every exception of a parameter without a label is needed")
    func neededUnlabelled() throws {
        let found = SourceRules.bare(try SourceRules.Package.onDisk()).map(\.name)
        #expect(Set(found) == SourceRules.allowedUnlabelled)
    }
}
