/// The package's rules of construction, as functions from its text to breaches.
enum Rules {
    /// The only top-level folders.
    static let folders: Set<String> = ["Sources", "Plugins", "Tests", "Examples"]
    /// Declarations of Apple's modules, which `make check-apple` compiles and SwiftPM does not.
    static let standIns = "Tests/AppleStandIns/"

    /// The targets under `Sources` that each of them may use; `nil` stands for all.
    static let arrows: [String: Set<String>?] = [
        "PaymentCore": [],
        "ChildProcesses": [],
        "PaymentCrypto": ["PaymentCore"],
        "PaymentSecp256k1": [],
        "ServiceSupport": ["PaymentCore", "PaymentCrypto"],
        "PaymentRouting": ["PaymentCore", "PaymentCrypto"],
        "PaymentSettlement": ["PaymentCore", "PaymentCrypto"],
        "PaymentRecurring": ["PaymentCore", "PaymentRouting"],
        "PaymentPostgres": ["PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentStore", "SocketPoll"],
        "SocketPoll": [],
        "PaymentTransport": ["PaymentCore"],
        "PaymentStore": ["PaymentCore", "PaymentRouting"],
        "PaymentStandards": ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1", "PaymentSettlement"],
        "PaymentReview": ["PaymentCore", "PaymentCrypto"],
        "PaymentWallet": ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1"],
        // A developer who tests a provider gets no vendor with it, and no server.
        "PaymentTesting": ["PaymentCore", "PaymentRouting"],
        "PaymentSimulation": [
            "PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentTesting", "PaymentTransport", "PaymentWallet",
        ],
        "PaymentLoopback": ["PaymentCore", "PaymentTesting"],
        // The home page knows sandboxes by protocol only.
        "SandboxSupport": ["PaymentCore", "PaymentLoopback", "PaymentTesting", "PaymentWallet"],
        "SandboxHome": ["PaymentCore", "PaymentLoopback", "PaymentStandards", "PaymentTesting", "SandboxSupport"],
        // The one list of vendors, and the program that has all of them.
        "PaymentSandbox": nil,
        "PayrouteCommands": [
            "PaymentCore", "PaymentCrypto", "PaymentReview", "PaymentRouting", "PaymentStandards", "PaymentTransport",
            "PaymentStore", "PaymentWallet", "PaymentLoopback", "PaymentTesting", "SandboxHome", "SandboxSupport",
            "ChildProcesses",
        ],
        "payroute": nil,
    ]
    /// The targets that every provider may use.
    static let providerArrows: Set<String> = [
        "PaymentCore", "PaymentCrypto", "PaymentReview", "PaymentSettlement", "ServiceSupport",
    ]

    /// The targets of `Sources` that a target under `Plugins` may use, by its part of the vendor's folder; of that
    /// folder it may use the listed parts. A test part may use all of `Sources`, its folder, and the shared test
    /// targets.
    private static let parts: [String: (sources: Set<String>, house: Set<String>)] = [
        "Provider": ([], []),
        // Settlers for wallets that payers have, with the orders that they keep.
        "Wallets": (["PaymentRouting", "PaymentStore"], []),
        "Kit": (
            ["PaymentTransport", "PaymentRouting", "PaymentRecurring", "PaymentStore", "SocketPoll"],
            ["Provider"]
        ),
        "Merchant": ([], ["Provider"]),
        "Sandbox": (
            [
                "PaymentLoopback", "PaymentSecp256k1", "PaymentStandards", "PaymentStore", "PaymentTesting",
                "PaymentWallet", "SandboxSupport",
            ],
            [
                "Provider", "Kit", "Merchant",
                "Wallets",
            ]
        ),
    ]

    /// Suites of a vendor's folder that need another one: Paykit's payees are also paid by bare texts.
    private static let neighbours: [String: Set<String>] = ["PaykitProviderTests": ["BitcoinProvider"]]

    /// True if a target of a vendor's folder may use another target of ours.
    private static func mayUse(_ target: Manifest.Target, _ used: Manifest.Target) -> Bool {
        guard let vendor = target.vendor else { return false }
        if target.isTest {
            return used.area == "Sources" || used.vendor == vendor || used.area == "Tests" && used.kind == "regular"
                || neighbours[target.name]?.contains(used.name) == true
        }
        guard let part = parts[String(target.name.dropFirst(vendor.count))] else { return false }
        return providerArrows.union(part.sources).contains(used.name)
            || part.house.contains { used.name == vendor + $0 }
    }

    /// Modules of the system that one target hides from all others.
    static let owners: [String: String] = [
        "CCurl": "PaymentTransport", "FoundationNetworking": "PaymentTransport",
        "CLibcrypto": "PaymentCrypto", "CSodium": "PaykitProvider", "CryptoKit": "PaymentCrypto",
        "CSecp256k1": "PaymentSecp256k1", "CSQLite": "PaymentStore", "SQLite3": "PaymentStore",
        "CLzma": "PaymentStandards", "CMicrohttpd": "PaymentLoopback", "CQREncode": "PayrouteCommands",
        "CPNG": "PayrouteCommands", "CPostgreSQL": "PaymentPostgres",
        "CZBar": "PayrouteCommands",
    ]

    /// The effects that a provider must be given, never obtain itself: time, chance and the network.
    static let forbiddenInProviders = [
        "Date()", "Date.now", "Date.init()", "Date(timeIntervalSinceNow", ".timeIntervalSinceNow", "UUID()",
        "UUID.init()",
        "SystemRandomNumberGenerator", ".random(in", ".random()", ".randomElement()", ".shuffled()", ".shuffle()",
        "Task.sleep", ">.sleep(", "Thread.sleep", "ContinuousClock",
        "SuspendingClock",
    ]

    /// Every rule, by name.
    static let all: [(name: String, check: @Sendable (Project) -> [Violation])] = [
        ("The manifest has no package dependencies", manifest),
        ("Only the agreed top-level folders", topLevelFolders),
        ("Every source file belongs to a target", homeless),
        ("Targets depend only along the arrows", dependencies),
        ("Files import only along the arrows", imports),
        ("What is imported is declared", declared),
        ("Rooms inside a target use what they may", rooms),
        ("URLSession only in the transport", urlSession),
        ("Providers take time, chance and the network from their context", providerEffects),
        ("Programs are started without Foundation's Process", processes),
        ("Public enums say whether they may grow", growth),
        ("Nothing in Sources names a vendor", vendorNames),
        ("Every vendor's market is simulated", markets),
    ]

    // MARK: The package

    static func manifest(_ project: Project) -> [Violation] {
        project.manifest.packageDependencies.map {
            Violation(place: "Package.swift", message: "depends on the package \($0); use the system's libraries")
        }
    }

    static func topLevelFolders(_ project: Project) -> [Violation] {
        project.folders.filter { !folders.contains($0) && $0 != "docs" }.map {
            Violation(place: $0, message: "move it into one of \(folders.sorted().joined(separator: ", "))")
        }
    }

    static func homeless(_ project: Project) -> [Violation] {
        let manifest = project.manifest
        // An example may be a separate package, with a separate manifest.
        return project.files.keys.sorted().filter {
            manifest.target(of: $0) == nil && !$0.hasPrefix(standIns) && !$0.hasSuffix("/Package.swift")
        }.map {
            Violation(place: $0, message: "belongs to no target of the manifest")
        }
    }

    // MARK: Arrows

    static func dependencies(_ project: Project) -> [Violation] {
        let manifest = project.manifest
        return manifest.targets.flatMap { target in
            target.dependencies.compactMap { breach(of: target, using: $0, manifest) }
        }
    }

    static func imports(_ project: Project) -> [Violation] {
        eachImport(project) { file, target, module, manifest in
            breach(of: target, using: module, manifest).map { Violation(place: file, message: $0.message) }
        }
    }

    static func declared(_ project: Project) -> [Violation] {
        eachImport(project) { file, target, module, manifest in
            guard manifest.targets.contains(where: { $0.name == module }), module != target.name,
                !target.dependencies.contains(module)
            else { return nil }
            return Violation(place: file, message: "imports \(module), which \(target.name) does not declare")
        }
    }

    private static func eachImport(
        _ project: Project, _ check: (String, Manifest.Target, String, Manifest) -> Violation?
    ) -> [Violation] {
        let manifest = project.manifest
        return project.files.sorted { $0.key < $1.key }.flatMap { file, text in
            guard let target = manifest.target(of: file) else { return [Violation]() }
            return SwiftText.of(text).imports.sorted().compactMap { check(file, target, $0, manifest) }
        }
    }

    /// The breach of `target` that uses `module`, or nil.
    private static func breach(of target: Manifest.Target, using module: String, _ manifest: Manifest) -> Violation? {
        if let owner = owners[module] {
            let isTest = target.isTest
            // Tests may look at the hidden parts of their subject, and compare with URLSession.
            if target.name == owner || isTest && (target.name == owner + "Tests" || module == "FoundationNetworking") {
                return nil
            }
            return Violation(place: target.name, message: "uses \(module), which only \(owner) may")
        }
        guard let used = manifest.targets.first(where: { $0.name == module }), module != target.name else { return nil }
        guard target.area == "Sources" || target.area == "Plugins" else { return nil }
        if target.vendor != nil {
            return mayUse(target, used)
                ? nil
                : Violation(
                    place: target.name, message: "uses \(module); below \(target.path) stand Sources and its own house")
        }
        if used.area != "Sources" && used.area != "Plugins" {
            return Violation(place: target.name, message: "uses \(module), which is not part of the library")
        }
        guard let allowed = arrows[target.name] ?? [] else { return nil }
        if allowed.contains(module) { return nil }
        let list = allowed.isEmpty ? "nothing of ours" : "only \(allowed.sorted().joined(separator: ", "))"
        return Violation(place: target.name, message: "uses \(module); it may use \(list)")
    }

    // MARK: Content

    private static func isTest(_ file: String) -> Bool { file.hasPrefix("Tests/") || file.contains("/Tests/") }

    private static func isProduct(_ file: String) -> Bool {
        (file.hasPrefix("Sources/") || file.hasPrefix("Plugins/")) && !isTest(file)
    }

    /// The part of a vendor's folder that a file belongs to; empty elsewhere.
    private static func part(_ file: String) -> Substring {
        file.hasPrefix("Plugins/") ? file.split(separator: "/").dropFirst(2).first ?? "" : ""
    }

    /// True for vendor code that is given its effects: simulated services and sockets have their own.
    private static func isVendorCode(_ file: String) -> Bool {
        file.hasPrefix("Plugins/") && !["Tests", "Sandbox"].contains(part(file))
            && !["/Kit/Network/", "/Kit/Store/"].contains(where: file.contains)
    }

    static func urlSession(_ project: Project) -> [Violation] {
        project.files.sorted { $0.key < $1.key }.filter { file, text in
            !file.hasPrefix("Sources/PaymentTransport/") && !isTest(file)
                && SwiftText.of(text).tokens.contains { $0.hasPrefix("URLSession") }
        }.map { Violation(place: $0.key, message: "uses URLSession; send through HTTPTransport") }
    }

    static func providerEffects(_ project: Project) -> [Violation] {
        project.files.sorted { $0.key < $1.key }.filter { isVendorCode($0.key) }.flatMap { file, text in
            let code = SwiftText.of(text)
            return forbiddenInProviders.filter(code.mentions).map {
                Violation(place: file, message: "says \($0); take it from ProviderContext")
            }
        }
    }

    /// On Linux `Process.run()` reads beyond the end of a buffer in a process with many open files, as that of parallel
    /// tests is, which then crashes now and then (swift-corelibs-foundation, pull request 5472). Examples have few
    /// files, and show what users write.
    static func processes(_ project: Project) -> [Violation] {
        let spellings = ["Process()", "Process.init()", "Process.run(", "Foundation.Process"]
        return project.files.sorted { $0.key < $1.key }.filter { file, text in
            guard !file.hasPrefix("Examples/"), text.hasBytes(of: "Process") else { return false }
            let code = SwiftText.of(text)
            return spellings.contains(where: code.mentions)
        }.map { Violation(place: $0.key, message: "starts a program by Foundation's Process; use ChildProcess") }
    }

    /// The public enums with all possible cases: yes or no, or a grammar.
    static let closedEnums: Set<String> = [
        "Form", "JSONValue", "Phase", "RecordWrite", "Replay", "ReviewVerdict", "Subject", "Trust",
    ]

    static func growth(_ project: Project) -> [Violation] {
        // The vendors' enums have the cases of their guides or SDKs.
        func isVendors(_ file: String) -> Bool { part(file) == "Kit" || file.contains("/Provider/Types/") }
        return project.files.sorted { $0.key < $1.key }.flatMap { file, text -> [Violation] in
            guard isProduct(file), !isVendors(file), text.hasBytes(of: "enum ") else { return [] }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.indices.compactMap { index in
                guard lines[index].hasBytes(of: "enum "),
                    let name = lines[index].firstMatch(of: /^ *public (?:indirect )?enum (\w+)/)?.1,
                    lines[index...].dropFirst().prefix(4).contains(where: { $0.contains(/^ *(?:indirect )?case\b/) }),
                    index == 0 || !lines[index - 1].contains("@nonexhaustive"), !closedEnums.contains(String(name))
                else { return nil }
                return Violation(
                    place: file,
                    message: "\(name) can get no further case; mark it @nonexhaustive, or list it as closed")
            }
        }
    }
}
