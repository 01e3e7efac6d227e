import Testing

/// Proof that every rule can fail: each is shown a breach.
@Suite("Rules find breaches")
struct RuleTests {
    private static let manifest = """
        // swift-tools-version: 6.2
        let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]
        let package = Package(
            name: "sample", products: [.library(name: "PaymentCore", targets: ["PaymentCore"])],
            targets: [
                .systemLibrary(name: "CCurl", path: "Sources/SystemLibraries/CCurl"),
                .target(name: "PaymentCore", swiftSettings: settings),
                .target(name: "PaymentCrypto"),
                .target(name: "PaymentRouting", dependencies: ["PaymentCore"]), // , "PaymentStore"
                .target(name: "PaymentStore", dependencies: [.target(name: "PaymentCore")]),
                .target(name: "PaymentWallet", dependencies: ["PaymentCore", "PaymentCrypto"]),
                .target(
                    name: "PaymentTransport",
                    dependencies: ["PaymentCore", .target(name: "CCurl", condition: .when(platforms: [.linux]))]),
                .target(name: "PaymentSandbox", dependencies: ["PaymentCore", "AProvider"]),
                .target(name: "AProvider", dependencies: ["PaymentCore", "PaymentCrypto"], path: "Plugins/A"),
                .target(name: "BProvider", dependencies: ["PaymentCore"], path: "Plugins/B"),
                .target(name: "BKit", dependencies: ["BProvider", "PaymentTransport"], path: "Plugins/BKit"),
                .target(name: "BMerchant", dependencies: ["BProvider", "PaymentCrypto"], path: "Plugins/BMerchant"),
                .target(name: "BTypes", dependencies: ["PaymentCore"], path: "Plugins/BTypes"),
                .target(name: "BComponents", dependencies: ["BProvider", "BTypes"], path: "Plugins/BComponents"),
                .executableTarget(name: "Tour", dependencies: ["PaymentRouting"], path: "Examples/Tour"),
                .testTarget(name: "PaymentTransportTests", dependencies: ["PaymentTransport", "CCurl"]),
            ]
        )
        """

    private static func project(
        _ files: [String: String] = [:], manifest: String = Self.manifest, folders: [String] = ["Sources"]
    ) -> Project {
        Project(files: files, manifest: manifest, folders: folders)
    }

    private func changed(_ old: String, _ new: String) -> String {
        #expect(Self.manifest.contains(old))
        return Self.manifest.replacing(old, with: new)
    }

    @Test("A sample that keeps all rules")
    func sound() {
        let project = Self.project([
            "Sources/PaymentCore/A.swift": "import Foundation\n",
            "Sources/PaymentWallet/A.swift": "import PaymentCore\nimport PaymentCrypto",
            "Sources/PaymentTransport/A.swift": "import CCurl\nlet session = URLSession.shared",
            "Sources/PaymentSandbox/A.swift": "import AProvider",
            "Plugins/A/A.swift":
                "public import PaymentCore\n// Date() and URLSession are for others\nlet x = \"UUID()\"",
            "Examples/Tour/main.swift": "import PaymentRouting",
            "Tests/PaymentTransportTests/A.swift":
                "@testable import PaymentTransport\nimport CCurl\nlet x = URLSession.self",
        ])
        for rule in Rules.all { #expect(rule.check(project).isEmpty, "\(rule.name)") }
    }

    @Test("Package dependencies")
    func packageDependencies() {
        let one = changed(
            "targets: [\n", "dependencies: [.package(url: \"https://a.example\", from: \"1.0.0\")], targets: [\n")
        #expect(Rules.manifest(Self.project(manifest: one)).map(\.message).first?.contains("https://a.example") == true)
        let hidden = changed("targets: [\n", "dependencies: others + more, targets: [\n")
        #expect(Rules.manifest(Self.project(manifest: hidden)).count == 1)
        let none = changed("targets: [\n", "dependencies: [], targets: [\n")
        #expect(Rules.manifest(Self.project(manifest: none)).isEmpty)
    }

    @Test("A manifest that cannot be read")
    func unreadableManifest() {
        #expect(Rules.manifest(Self.project(manifest: "let package = make()")).count == 1)
        #expect(Rules.manifest(Self.project(manifest: "let package = Package(name: \"a\", targets: all)")).count == 1)
    }

    @Test("Other folders")
    func folders() {
        let found = Rules.topLevelFolders(Self.project(folders: ["Sources", "Scripts", "docs", "Tests", "Utils"]))
        #expect(found.map(\.place) == ["Scripts", "Utils"])
    }

    @Test("Files outside all targets")
    func homeless() {
        let found = Rules.homeless(
            Self.project([
                "Sources/Stray/A.swift": "", "Plugins/C/A.swift": "", "Plugins/A/B/C.swift": "",
                "Tests/AppleStandIns/UIKit/Views.swift": "",
            ]))
        #expect(found.map(\.place) == ["Plugins/C/A.swift", "Sources/Stray/A.swift"])
    }

    @Test(
        "Dependencies against the arrows",
        arguments: [
            (
                #"name: "PaymentCore", swift"#, #"name: "PaymentCore", dependencies: ["PaymentCrypto"], swift"#,
                "PaymentCore"
            ),
            (#"name: "PaymentCrypto")"#, #"name: "PaymentCrypto", dependencies: ["PaymentStore"])"#, "PaymentCrypto"),
            (#"["PaymentCore"]), //"#, #"["PaymentCore", "PaymentStore"]), //"#, "PaymentRouting"),
            (#"["PaymentCore"]), //"#, #"["PaymentCore", .target(name: "AProvider")]), //"#, "PaymentRouting"),
            (#"[.target(name: "PaymentCore")]"#, #"["CCurl"]"#, "PaymentStore"),
            (#"["PaymentCore"], path: "Plugins/B""#, #"["PaymentCore", "AProvider"], path: "Plugins/B""#, "BProvider"),
            (#"["PaymentCore"], path: "Plugins/B""#, #"["PaymentRouting"], path: "Plugins/B""#, "BProvider"),
            (#"["BProvider", "PaymentTransport"]"#, #"["AProvider", "PaymentTransport"]"#, "BKit"),
            (#"["BProvider", "PaymentTransport"]"#, #"["BProvider", "PaymentRouting"]"#, "BKit"),
            (#"["BProvider", "PaymentTransport"]"#, #"["BProvider", "BMerchant"]"#, "BKit"),
            (#"["BProvider", "PaymentCrypto"]"#, #"["AProvider", "PaymentCrypto"]"#, "BMerchant"),
            (#"["BProvider", "PaymentCrypto"]"#, #"["BProvider", "BKit"]"#, "BMerchant"),
            (#"["BProvider", "PaymentCrypto"]"#, #"["BProvider", "PaymentTransport"]"#, "BMerchant"),
            (#"["PaymentCore"], path: "Plugins/BTypes""#, #"["BProvider"], path: "Plugins/BTypes""#, "BTypes"),
            (#"["BProvider", "BTypes"]"#, #"["BProvider", "BKit"]"#, "BComponents"),
            (#"["BProvider", "BTypes"]"#, #"["AProvider", "BTypes"]"#, "BComponents"),
            (#"["BProvider", "BTypes"]"#, #"["BProvider", "PaymentTransport"]"#, "BComponents"),
            (#"["PaymentCore", "AProvider"]"#, #"["PaymentCore", "Tour"]"#, "PaymentSandbox"),
            (#"["PaymentRouting"], path: "Examples"#, #"["CCurl"], path: "Examples"#, "Tour"),
            (#"name: "PaymentSandbox""#, #"name: "PaymentNovelty""#, "PaymentNovelty"),
        ])
    func dependencies(old: String, new: String, place: String) {
        #expect(Rules.dependencies(Self.project()).isEmpty)
        let found = Rules.dependencies(Self.project(manifest: changed(old, new)))
        #expect(!found.isEmpty && found.allSatisfy { $0.place == place }, "\(found)")
    }

    @Test(
        "Imports against the arrows, however written",
        arguments: [
            "import PaymentStore", "@testable import PaymentStore", "public import PaymentStore",
            "package import PaymentStore",
            "@preconcurrency import PaymentStore", "@preconcurrency\npublic import PaymentStore",
            "@_spi(Inner) import PaymentStore",
            "import struct PaymentStore.Journal", "import func PaymentStore.open", "import PaymentStore.Inner",
            "import `PaymentStore`",
            "import Foundation; import PaymentStore", "#if os(Linux)\nimport PaymentStore\n#endif",
            "/* x */ import /* y */ PaymentStore",
            "let x = \"/*\"\nimport PaymentStore // */", "import\n    PaymentStore",
            "internal import class PaymentStore.Journal",
            "let x = #\"\"\"#\nimport PaymentStore", "let x = \"\\(\"a\")\"\nimport PaymentStore",
        ])
    func imports(text: String) {
        let found = Rules.imports(Self.project(["Sources/PaymentRouting/A.swift": text]))
        #expect(found.map(\.place) == ["Sources/PaymentRouting/A.swift"])
    }

    @Test(
        "What only looks like an import",
        arguments: [
            "// import PaymentStore", "/* import PaymentStore */", "/* /* */ import PaymentStore */",
            "let x = \"import PaymentStore\"",
            "let x = \"\"\"\n    import PaymentStore\n    \"\"\"", "let x = #\"\" import PaymentStore \"#",
            "#if canImport(PaymentStore)\n#endif",
            "x.import(PaymentStore)", "func `import`() {}",
        ])
    func noImports(text: String) {
        #expect(Rules.imports(Self.project(["Sources/PaymentRouting/A.swift": text])).isEmpty)
    }

    @Test(
        "Imports that only their owner may have",
        arguments: [
            ("Sources/PaymentCore/A.swift", "FoundationNetworking"), ("Sources/PaymentStore/A.swift", "CCurl"),
            ("Plugins/A/A.swift", "FoundationNetworking"), ("Examples/Tour/A.swift", "FoundationNetworking"),
            ("Plugins/A/A.swift", "CLibcrypto"), ("Plugins/A/A.swift", "BProvider"),
            ("Plugins/B/A.swift", "PaymentTransport"),
            ("Sources/PaymentTransport/A.swift", "CSQLite"), ("Sources/PaymentWallet/A.swift", "CSecp256k1"),
            ("Sources/PaymentSandbox/A.swift", "CQREncode"), ("Sources/PaymentSandbox/A.swift", "CMicrohttpd"),

            ("Sources/PaymentCore/A.swift", "CLzma"), ("Sources/PaymentRouting/A.swift", "SQLite3"),
            ("Tests/PaymentTransportTests/A.swift", "CSodium"), ("Sources/PaymentRouting/A.swift", "AProvider"),
        ])
    func owners(file: String, module: String) {
        #expect(Rules.imports(Self.project([file: "import \(module)"])).map(\.place) == [file])
    }

    @Test("Imports that are not declared")
    func undeclared() {
        let found = Rules.declared(
            Self.project(["Plugins/B/A.swift": "import PaymentCrypto", "Plugins/A/A.swift": "import PaymentCrypto"]))
        #expect(found.map(\.place) == ["Plugins/B/A.swift"])
    }

    @Test("URLSession outside the transport")
    func urlSession() {
        for text in [
            "let s = URLSession.shared", "let c: URLSessionConfiguration", "let s = \"\\(URLSession.shared)\"",
        ] {
            for file in [
                "Sources/PaymentCore/A.swift", "Plugins/A/A.swift", "Examples/Tour/main.swift",
                "Sources/payroute/A.swift",
            ] {
                #expect(Rules.urlSession(Self.project([file: text])).map(\.place) == [file], "\(text)")
            }
        }
        #expect(Rules.urlSession(Self.project(["Plugins/A/A.swift": "// URLSession\nlet x = \"URLSession\""])).isEmpty)
    }

    @Test(
        "Providers that help themselves",
        arguments: [
            "let now = Date()", "let now = Date ( )", "f(Date.now)", "let id = UUID().uuidString",
            "var g = SystemRandomNumberGenerator()",
            "Int.random(in: 0...9)", "Bool.random()", "[1].randomElement()", "[1].shuffled()",
            "try await Task.sleep(for: .seconds(1))",
            "try await Task<Never, Never>.sleep(nanoseconds: 1)", "ContinuousClock().now", "let s = \"\\(Date())\"",
            "Date(timeIntervalSinceNow: 5)", "date.timeIntervalSinceNow",
            "Task\n    .sleep(for: d)",
        ])
    func providerEffects(text: String) {
        #expect(!Rules.providerEffects(Self.project(["Plugins/A/A.swift": text])).isEmpty)
        #expect(Rules.providerEffects(Self.project(["Sources/PaymentCore/A.swift": text])).isEmpty)
    }

    @Test("Public enums that may grow and do not say so")
    func growth() {
        for text in [
            "public enum A {\n    /// B.\n    case b\n}",
            "struct A {\n    public indirect enum B: Int {\n        case c\n    }\n}",
        ] {
            let file = "Sources/PaymentCore/A.swift"
            #expect(Rules.growth(Self.project([file: text])).map(\.place) == [file])
            #expect(
                Rules.growth(Self.project([file: "@nonexhaustive\n" + text])).count == (text.hasPrefix("p") ? 0 : 1))
            #expect(Rules.growth(Self.project(["Plugins/AKit/A.swift": text])).isEmpty)
        }
        for text in [
            "public enum Names {\n    static let a = 1\n}", "enum A {\n    case b\n}",
            "public enum Phase {\n    case b\n}",
        ] {
            #expect(Rules.growth(Self.project(["Sources/PaymentCore/A.swift": text])).isEmpty)
        }
    }

    @Test(
        "Provider code that only looks like it",
        arguments: [
            "let x = PaymentDate()", "context.clock.now", "let x = \"Date()\"", "// UUID()",
            "Date(timeIntervalSince1970: 0)", "clock.sleep(for: d)",
        ])
    func noProviderEffects(text: String) {
        #expect(Rules.providerEffects(Self.project(["Plugins/A/A.swift": text])).isEmpty)
    }

    @Test("Long files")
    func length() {
        let longest = String(repeating: "\n", count: Rules.maximumLines)
        for file in ["Sources/PaymentCore/A.swift", "Plugins/A/A.swift"] {
            #expect(Rules.length(Self.project([file: longest])).isEmpty)
            #expect(Rules.length(Self.project([file: longest + "\n"])).map(\.place) == [file])
        }
        #expect(Rules.length(Self.project(["Tests/PaymentTransportTests/A.swift": longest + "\n"])).isEmpty)
    }

    @Test("Every rule is shown to fail here")
    func complete() {
        #expect(Rules.all.count == 10)
    }
}
