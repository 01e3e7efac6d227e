import Testing

/// Proves that every rule can fail: each gets a breach.
@Suite("Rules find breaches")
struct RuleTests {
    private static let manifest = Manifest(targets: [
        .init("CCurl", at: "Sources/SystemLibraries/CCurl", kind: "system"),
        .init("PaymentCore"),
        .init("PaymentCrypto"),
        .init("PaymentRouting", ["PaymentCore"]),
        .init("PaymentStore", ["PaymentCore"]),
        .init("PaymentWallet", ["PaymentCore", "PaymentCrypto"]),
        .init("PaymentTransport", ["PaymentCore", "CCurl"]),
        .init("PaymentSandbox", ["PaymentCore", "AProvider"]),
        .init("AProvider", ["PaymentCore", "PaymentCrypto"], at: "Plugins/A/Provider"),
        .init("BProvider", ["PaymentCore"], at: "Plugins/B/Provider"),
        .init("BKit", ["BProvider", "PaymentTransport"], at: "Plugins/B/Kit"),
        .init("BMerchant", ["BProvider", "PaymentCrypto"], at: "Plugins/B/Merchant"),
        .init("BProviderTests", ["BProvider", "PaymentStore"], at: "Plugins/B/Tests/ProviderTests", kind: "test"),
        .init("Tour", ["PaymentRouting"], at: "Examples/Tour", kind: "executable"),
        .init("PaymentTransportTests", ["PaymentTransport", "CCurl"], kind: "test"),
    ])

    /// The sample with other dependencies of one target.
    private static func changed(_ name: String, _ dependencies: [String]) -> Manifest {
        var manifest = manifest
        manifest.targets = manifest.targets.map {
            $0.name == name ? .init(name, dependencies, at: $0.path, kind: $0.kind) : $0
        }
        return manifest
    }

    private static func project(
        _ files: [String: String] = [:], manifest: Manifest = Self.manifest, folders: [String] = ["Sources"]
    ) -> Project {
        Project(files: files, manifest: manifest, folders: folders)
    }

    @Test("A sample that keeps all rules")
    func sound() {
        let project = Self.project([
            "Sources/PaymentCore/A.swift": "import Foundation\n",
            "Sources/PaymentWallet/A.swift": "import PaymentCore\nimport PaymentCrypto",
            "Sources/PaymentTransport/A.swift": "import CCurl\nlet session = URLSession.shared",
            "Sources/PaymentSandbox/A.swift": "import AProvider",
            "Plugins/A/Provider/A.swift":
                "public import PaymentCore\n// Date() and URLSession are for others\nlet x = \"UUID()\"",
            "Examples/Tour/main.swift": "import PaymentRouting",
            "Tests/PaymentTransportTests/A.swift":
                "@testable import PaymentTransport\nimport CCurl\nlet x = URLSession.self",
        ])
        for rule in Rules.all { #expect(rule.check(project).isEmpty, "\(rule.name)") }
    }

    @Test("Package dependencies")
    func packageDependencies() {
        var manifest = Self.manifest
        manifest.packageDependencies = ["https://a.example"]
        #expect(
            Rules.manifest(Self.project(manifest: manifest)).map(\.message).first?.contains("https://a.example") == true
        )
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
                "Sources/Stray/A.swift": "", "Plugins/C/A.swift": "", "Plugins/A/Provider/B/C.swift": "",
                "Tests/AppleStandIns/UIKit/Views.swift": "",
            ]))
        #expect(found.map(\.place) == ["Plugins/C/A.swift", "Sources/Stray/A.swift"])
    }

    @Test(
        "Dependencies against the arrows",
        arguments: [
            ("PaymentCore", ["PaymentCrypto"]), ("PaymentCrypto", ["PaymentStore"]),
            ("PaymentRouting", ["PaymentCore", "PaymentStore"]), ("PaymentRouting", ["PaymentCore", "AProvider"]),
            ("PaymentStore", ["CCurl"]), ("BProvider", ["PaymentCore", "AProvider"]), ("BProvider", ["PaymentRouting"]),
            ("BKit", ["AProvider", "PaymentTransport"]), ("BKit", ["BProvider", "PaymentSandbox"]),
            ("BKit", ["BProvider", "BMerchant"]), ("BMerchant", ["AProvider", "PaymentCrypto"]),
            ("BMerchant", ["BProvider", "BKit"]), ("BMerchant", ["BProvider", "PaymentTransport"]),
            ("BProviderTests", ["AProvider"]),
            ("PaymentSandbox", ["PaymentCore", "Tour"]), ("Tour", ["CCurl"]),
        ])
    func dependencies(name: String, dependencies: [String]) {
        #expect(Rules.dependencies(Self.project()).isEmpty)
        let found = Rules.dependencies(Self.project(manifest: Self.changed(name, dependencies)))
        #expect(!found.isEmpty && found.allSatisfy { $0.place == name }, "\(found)")
    }

    @Test("A room that imports, or names, what only the rest of its target may")
    func rooms() {
        let room = Rules.Room(
            folder: "Plugins/B/Kit/Screens", imports: ["BProvider"], neighbours: ["Plugins/B/Kit/Names"])
        func found(_ text: String) -> [String] {
            let files = [
                "Plugins/B/Kit/Screens/A.swift": text, "Plugins/B/Kit/Names/B.swift": "public enum Name {}\n",
                "Plugins/B/Kit/Client/C.swift": "import PaymentTransport\n@MainActor public final class Client {\n}\n",
            ]
            return Rules.rooms([room], in: Self.project(files)).map(\.message)
        }
        #expect(found("import BProvider\nimport Foundation\n// A Client is elsewhere.\nlet a = Name.self\n").isEmpty)
        #expect(found("import PaymentTransport\n") == ["imports PaymentTransport, which Plugins/B/Kit/Screens may not"])
        #expect(found("let a: Client? = nil\n") == ["names Client, which is outside of Plugins/B/Kit/Screens"])
    }

    @Test("A target that the arrows do not know may use nothing")
    func unknown() {
        var manifest = Self.manifest
        manifest.targets.append(.init("PaymentNovelty", ["PaymentCore"]))
        #expect(Rules.dependencies(Self.project(manifest: manifest)).map(\.place) == ["PaymentNovelty"])
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
            ("Plugins/A/Provider/A.swift", "FoundationNetworking"), ("Examples/Tour/A.swift", "FoundationNetworking"),
            ("Plugins/A/Provider/A.swift", "CLibcrypto"), ("Plugins/A/Provider/A.swift", "BProvider"),
            ("Plugins/B/Provider/A.swift", "PaymentTransport"),
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
            Self.project([
                "Plugins/B/Provider/A.swift": "import PaymentCrypto",
                "Plugins/A/Provider/A.swift": "import PaymentCrypto",
            ]))
        #expect(found.map(\.place) == ["Plugins/B/Provider/A.swift"])
    }

    @Test("URLSession outside the transport")
    func urlSession() {
        for text in [
            "let s = URLSession.shared", "let c: URLSessionConfiguration", "let s = \"\\(URLSession.shared)\"",
        ] {
            for file in [
                "Sources/PaymentCore/A.swift", "Plugins/A/Provider/A.swift", "Examples/Tour/main.swift",
                "Sources/payroute/A.swift",
            ] {
                #expect(Rules.urlSession(Self.project([file: text])).map(\.place) == [file], "\(text)")
            }
        }
        #expect(
            Rules.urlSession(Self.project(["Plugins/A/Provider/A.swift": "// URLSession\nlet x = \"URLSession\""]))
                .isEmpty)
    }

    @Test(
        "Programs started by Foundation's Process, and others",
        arguments: [
            ("let process = Process()", true), ("f(Process . init ( ))", true),
            ("try Foundation.Process.run(url, arguments: [])", true), ("// Process()", false),
            ("let process = ChildProcess()", false), ("return Process(router: router)", false),
        ])
    func processes(text: String, isBreach: Bool) {
        for file in ["Sources/A/A.swift", "Plugins/A/Tests/B/A.swift", "Tests/ATests/A.swift"] {
            #expect(Rules.processes(Self.project([file: text])).map(\.place) == (isBreach ? [file] : []))
        }
        #expect(Rules.processes(Self.project(["Examples/Tour/main.swift": text])).isEmpty)
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
        #expect(!Rules.providerEffects(Self.project(["Plugins/A/Provider/A.swift": text])).isEmpty)
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
            for vendors in ["Plugins/A/Kit/A.swift", "Plugins/A/Provider/Types/A.swift"] {
                #expect(Rules.growth(Self.project([vendors: text])).isEmpty)
            }
            #expect(!Rules.growth(Self.project(["Plugins/A/Provider/A.swift": text])).isEmpty)
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
        #expect(Rules.providerEffects(Self.project(["Plugins/A/Provider/A.swift": text])).isEmpty)
    }

    @Test("Vendors that are named where all are served")
    func vendorNames() {
        var manifest = Self.manifest
        manifest.targets.append(.init("AcmePayProvider", at: "Plugins/AcmePay/Provider"))
        for text in ["if service == \"acme\" {}", "let acmePay = 1", "import AcmePayProvider"] {
            let found = Rules.vendorNames(
                Self.project(["Sources/PaymentCore/A.swift": "\n" + text], manifest: manifest))
            #expect(found.map(\.place) == ["Sources/PaymentCore/A.swift:2"], "\(text)")
            for file in ["Sources/PaymentSandbox/A.swift", "Plugins/AcmePay/Provider/A.swift", "Tests/A/A.swift"] {
                #expect(Rules.vendorNames(Self.project([file: text], manifest: manifest)).isEmpty)
            }
        }
        for text in ["// As Acme does.", ".init(\"payroute status acme/7\", \"by id\")", "let bitcoin = 1"] {
            #expect(Rules.vendorNames(Self.project(["Sources/A/A.swift": text], manifest: manifest)).isEmpty)
        }
    }

    @Test("Every exception of a vendor's name is needed")
    func neededNames() throws {
        let project = try Project.onDisk()
        for place in Rules.mayNameVendors.keys {
            let files = project.files.filter { $0.key.hasPrefix(place) }.map { ("Sources/X/" + $0.key, $0.value) }
            let moved = Project(
                files: Dictionary(uniqueKeysWithValues: files), manifest: project.manifest, folders: project.folders)
            #expect(!Rules.vendorNames(moved).isEmpty, "\(place)")
        }
    }

    @Test("A vendor that is not simulated")
    func markets() {
        var manifest = Self.manifest
        manifest.targets.append(.init("BSandbox", at: "Plugins/B/Sandbox"))
        let file = "Tests/VendorSimulation/VendorMarkets.swift"
        for text in ["", "import BSandbox", "let all = [AMarket.maker(share: 4)]"] {
            let found = Rules.markets(Self.project([file: text], manifest: manifest))
            #expect(found.map(\.place) == [file], "\(text)")
        }
        for text in ["let all = [BMarket.maker(share: 4)]", "let all = [SimulatedB(clock: clock)]"] {
            #expect(Rules.markets(Self.project([file: text], manifest: manifest)).isEmpty, "\(text)")
        }
    }

    @Test("Every rule is shown to fail here")
    func complete() {
        #expect(Rules.all.count == 13)
    }
}
