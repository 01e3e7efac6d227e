// swift-tools-version: 6.2
import PackageDescription

// One vendor, one house: `house("Citcon", …)` is everything below `Plugins/Citcon`, a target for each part. A target's
// name is the vendor's and its folder's. In a list of needs `+` stands for the vendor's name.

// MARK: What every target is made with

let settings: [SwiftSetting] =
    [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    + ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"].map { .enableUpcomingFeature($0) }

/// System libraries that stand in for what Apple's platforms have themselves.
let linux = TargetDependencyCondition.when(platforms: [.linux])
let condition = ["CCurl": linux, "CLibcrypto": linux, "CSQLite": linux, "CSodium": .when(platforms: [.linux, .macOS])]

func needs(_ list: String) -> [Target.Dependency] {
    var seen: Set<Substring> = []
    return list.split(separator: " ").filter { seen.insert($0).inserted }
        .map { .target(name: String($0), condition: condition[String($0)] ?? nil) }
}

func system(_ name: String, pkgConfig: String? = nil, apt: String, brew: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt])] + (brew.map { [.brew([$0])] } ?? []))
}

func library(_ name: String, _ list: String = "", at path: String? = nil, resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: needs(list), path: path, resources: resources, swiftSettings: settings)
}

func program(_ name: String, _ list: String, at path: String? = nil, exclude: [String] = []) -> Target {
    .executableTarget(name: name, dependencies: needs(list), path: path, exclude: exclude, swiftSettings: settings)
}

/// What several of the tests of the whole share.
func shared(_ name: String, _ list: String) -> Target { library(name, list, at: "Tests/\(name)") }
func tool(_ name: String, _ list: String) -> Target { program(name, list, at: "Tests/\(name)") }

func example(_ name: String, _ list: String, exclude: [String] = ["expected-output.txt"]) -> Target {
    program(name, list, at: "Examples/\(name)", exclude: exclude)
}

func tests(_ name: String, _ list: String, at path: String? = nil) -> Target {
    // The vendors' guides are printed for plain Swift 6, and their warnings are theirs.
    let settings = name.hasSuffix("GuideTests") ? [.swiftLanguageMode(.v6)] : settings
    return .testTarget(name: name, dependencies: needs(list), path: path, swiftSettings: settings)
}

/// A vendor's targets, by their folders: `…Tests` is a suite, `…Process` a program, all else a library.
func house(_ vendor: String, _ folders: KeyValuePairs<String, String>) -> [Target] {
    folders.map { folder, list in
        let (name, path) = (vendor + (folder.split(separator: "/").last ?? ""), "Plugins/\(vendor)/\(folder)")
        let list = list.split(separator: " ").map { $0.hasPrefix("+") ? vendor + $0.dropFirst() : String($0) }
            .joined(separator: " ")
        if name.hasSuffix("Tests") { return tests(name, list, at: path) }
        return name.hasSuffix("Process") ? program(name, list, at: path) : library(name, list, at: path)
    }
}

// MARK: The library

let systems = [
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    system("CLibcrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
    system("CLzma", pkgConfig: "liblzma", apt: "liblzma-dev", brew: "xz"),
    system("CSecp256k1", pkgConfig: "libsecp256k1", apt: "libsecp256k1-dev", brew: "secp256k1"),
    system("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
    system("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev", brew: "qrencode"),
    system("CPNG", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
    system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev", brew: "libsodium"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    // Loaded at run time, where they are there: no header and no library of theirs is needed to build.
    system("CZBar", apt: "libzbar0", brew: "zbar"), system("CPostgreSQL", apt: "libpq5", brew: "libpq"),
]

/// What a vendor's client is made with, and what a simulated service.
let service = "PaymentCore PaymentCrypto ServiceSupport"
let sandboxed = "PaymentCore PaymentCrypto PaymentLoopback PaymentTesting PaymentWallet SandboxSupport"

let sources = [
    library("PaymentCore"), library("ChildProcesses"),  // The start of other programs, for the command line and tests.
    library("PaymentCrypto", "PaymentCore CLibcrypto"), library("PaymentSecp256k1", "CSecp256k1"),
    library("ServiceSupport", "PaymentCore PaymentCrypto"),  // What the vendors' clients of their services share.
    library("PaymentRouting", "PaymentCore PaymentCrypto"), library("PaymentSettlement", "PaymentCore PaymentCrypto"),
    library("PaymentRecurring", "PaymentCore PaymentRouting PaymentStore"),
    library("PaymentStore", "PaymentCore PaymentRouting CSQLite", resources: [.copy("PrivacyInfo.xcprivacy")]),
    library(
        "PaymentPostgres",
        "PaymentCore PaymentCrypto PaymentRecurring PaymentRouting PaymentStore SocketPoll CPostgreSQL"),
    library("PaymentReview", "PaymentCore PaymentCrypto"), library("PaymentTransport", "PaymentCore CCurl"),
    library("PaymentStandards", "PaymentCore PaymentCrypto PaymentSecp256k1 PaymentSettlement CLzma"),
    library("PaymentTesting", "PaymentCore PaymentRouting"), library("SocketPoll"),
    library("PaymentWallet", "PaymentCore PaymentCrypto PaymentSecp256k1"),
    library("PaymentRecurringTesting", "PaymentCore PaymentRecurring PaymentRouting PaymentTesting"),
    library("PaymentLoopback", "PaymentCore PaymentTesting CMicrohttpd"),
    library("SandboxSupport", "PaymentCore PaymentLoopback PaymentTesting PaymentWallet"),  // What sandboxes share.
    library("SandboxHome", "PaymentCore PaymentLoopback PaymentStandards PaymentTesting SandboxSupport"),
    library(  // Every vendor's sandbox: the one list of vendors.
        "PaymentSandbox",
        "PaymentCore PaymentRouting PaymentStandards PaymentTransport PaymentWallet SandboxSupport "
            + "BitcoinSandbox CitconSandbox PaykitSandbox PayrailsSandbox WalletConnectPaySandbox"),
    // The command line, which is given its vendors, and the program, which gives it all of them.
    library(
        "PayrouteCommands",
        "\(sandboxed) ChildProcesses PaymentReview PaymentRouting PaymentStandards PaymentTransport PaymentStore "
            + "SandboxHome CPNG CQREncode CZBar", at: "Sources/payroute"),
    program("payroute", "PaymentSandbox PayrouteCommands", at: "Sources/PayrouteProgram"),
]

// MARK: The vendors

/// A router with a journal and the network.
let app = "PaymentCore PaymentRouting PaymentStore PaymentTransport"
/// What a vendor's suites use of the library and of what tests share, and what its laboratory does: its market in
/// simulations, and what is fuzzed.
let suite = "\(sandboxed) \(app) PaymentReview ServiceSupport TestSupport +Provider +Sandbox"
let market = "MarketModel PaymentCore PaymentCrypto PaymentTesting +Provider +Sandbox"
let laboratory = "\(market) FuzzModel PaymentRouting PaymentStore"

let vendors =
    house(
        "WalletConnectPay",
        [
            "Provider": "PaymentCore PaymentReview ServiceSupport", "Merchant": "\(service) +Provider",
            "Kit": "PaymentCore PaymentCrypto PaymentReview PaymentTransport +Provider",
            "Sandbox": "\(sandboxed) PaymentReview PaymentSecp256k1 +Merchant +Provider",
            "Tests/ProviderTests": "\(suite) +Kit +Merchant", "Tests/GuideTests": "+Kit",
            "Tests/Laboratory": "\(market) PaymentWallet",
        ])
    + house(
        "Payrails",
        [
            "Provider": service,
            "Kit": "PaymentCore PaymentCrypto PaymentTransport +Provider", "Merchant": "\(service) +Provider",
            "Sandbox": "\(sandboxed) +Kit +Merchant +Provider",
            "Tests/ProviderTests": "\(suite) +Kit +Merchant", "Tests/GuideTests": "PaymentCore +Kit",
            "Tests/Laboratory": "\(laboratory) +Kit",
        ])
    + house(
        "Citcon",
        [
            "Provider": service, "Kit": "PaymentCore PaymentTransport +Provider", "Merchant": "\(service) +Provider",
            "Sandbox": "\(sandboxed) +Merchant +Provider",
            "Tests/ProviderTests": "\(suite) +Kit +Merchant", "Tests/GuideTests": "+Kit",
            "Tests/Laboratory": "\(laboratory) +Kit +Merchant",
        ])
    + house(
        "Paykit",
        [
            // With the network below: keys, homeservers, grants, Noise, sealed texts, and the DHT.
            "Provider": "PaymentCore PaymentCrypto PaymentSettlement CSodium",
            "Postgres": "PaymentCore PaymentPostgres PaymentRouting PaymentStore +Kit +Provider",
            // With sockets for its channels and its DHT, and files of its receipts and private links.
            "Kit": "PaymentCore PaymentCrypto PaymentRecurring PaymentRouting PaymentStore PaymentTransport SocketPoll "
                + "+Provider",
            "Sandbox": "\(sandboxed) PaymentSecp256k1 PaymentStandards +Kit +Provider",
            "Tests/PubkyTests":
                "\(app) ChildProcesses PaymentCrypto PaymentTesting SocketPoll TestSupport +Kit +Provider +Sandbox",
            "Tests/ProviderTests": "\(suite) PaymentRecurring PaymentSettlement PaymentStandards +Kit +Laboratory "
                + "BitcoinProvider",
            "Tests/SandboxTests": "\(suite) PaymentStandards SandboxHome", "Tests/GuideTests": "+Kit",
            "Tests/PostgresTests": "PaymentCore PaymentPostgres PostgresServing +Postgres +Provider",
            // Also two wallets with a private link and its troubles.
            "Tests/Laboratory": "\(laboratory) PaymentRecurring PaymentSecp256k1 PaymentSettlement PaymentStandards "
                + "TestSupport +Kit",
            // What KillTests kills; what is measured, and speaks in interop.
            "Tests/RequestProcess": "\(app) PaymentStandards +Kit +Provider +Sandbox",
            "Tests/BenchmarkProcess":
                "\(app) ChildProcesses PaymentLoopback PaymentTesting TestSupport +Kit +Provider +Sandbox",
            "Tests/SubscriptionProcess": "\(suite) PaymentRecurring PaymentSettlement PaymentStandards +Kit",
        ])
    + house(
        "Bitcoin",
        [
            "Provider": "PaymentCore PaymentCrypto PaymentSettlement",
            "Wallets": "PaymentCore PaymentCrypto PaymentRouting PaymentSettlement PaymentStore",
            "Postgres": "PaymentCore PaymentPostgres PaymentRouting PaymentStore +Wallets",
            "Sandbox": "\(sandboxed) PaymentSecp256k1 PaymentStandards +Provider +Wallets",
            "Tests/WalletTests": "\(suite) PaymentSettlement PaymentStandards PayrouteCommands +Wallets",
            "Tests/Laboratory":
                "\(laboratory) PaymentSettlement PaymentStandards SandboxSupport TestSupport +Wallets",
            "Tests/PostgresTests": "\(suite) PaymentPostgres PaymentStandards PostgresServing +Postgres +Wallets",
        ])

// MARK: Examples

let served = "\(app) PaymentLoopback PaymentTesting"
let payrails = "\(served) PayrailsKit PayrailsMerchant PayrailsSandbox"
let paykit = "PaykitKit PaykitProvider PaykitSandbox"
let walletConnect = "WalletConnectPayProvider WalletConnectPaySandbox"

let examples = [
    example("quick-start", "PaymentRouting PaymentTransport WalletConnectPayProvider", exclude: []),
    example("sandbox-payment", "\(app) PaymentSandbox", exclude: []),
    example("route-links", "PaymentCore PaymentRouting WalletConnectPayProvider"),
    example("custom-provider", "\(served) WalletConnectPayProvider", exclude: []),
    example("own-provider", served), example("auto-pay", "PaymentCore PaymentRouting PaymentStore"),
    example("wallet-checkout", "\(served) PaymentWallet WalletConnectPayKit WalletConnectPaySandbox"),
    example("stored-instrument-checkout", payrails), example("payrails-merchant", payrails),
    example("merchant-checkout", "\(served) \(walletConnect) WalletConnectPayMerchant"),
    example("citcon-order", "\(served) CitconKit CitconSandbox"), example("progress", "\(served) \(walletConnect)"),
    example("paykit-contacts", "\(served) \(paykit) BitcoinWallets PaymentStandards"),
    example("subscriptions", "\(served) \(paykit) PaymentRecurring PaymentStandards"),
    example("claim-a-standard", "PaymentCore PaymentRouting PaymentStandards PaymentStore PaymentTesting"),
    example("crash-recovery", "\(served) \(walletConnect)"),
    example("pay-a-lightning-address", "\(served) BitcoinProvider BitcoinWallets PaymentStandards"),
    example("merchant-server", "\(served) CitconMerchant CitconProvider CitconSandbox"),
    // A separate package, too: see its Package.swift.
    program("standalone-app", "\(app) CitconProvider", at: "Examples/standalone-app/Sources/standalone-app"),
]

// MARK: Tests of the whole

let charging = "PaymentCore PaymentRecurring PaymentRouting PaymentStore PaymentTesting"
let values = "PaymentCore PaymentCrypto PaymentTesting TestSupport"
let bitcoin = "BitcoinProvider BitcoinSandbox BitcoinWallets PaymentStandards"
let shops = "CitconSandbox PayrailsSandbox WalletConnectPaySandbox"
let new = "Tests/NewProvider"  // What `payroute new-provider` writes, for a provider called Sample.
let laboratories =
    "BitcoinLaboratory CitconLaboratory PaykitLaboratory PayrailsLaboratory WalletConnectPayLaboratory"

let wholes = [
    shared("TestSupport", "ChildProcesses PaymentCore"), tests("ArchitectureTests", "MutationList TestSupport"),
    tests("PaymentCoreTests", "PaymentCore PaymentTesting ServiceSupport TestSupport"),
    tests("PaymentCryptoTests", "PaymentCore PaymentCrypto TestSupport"),
    tests("PaymentLoopbackTests", "PaymentCore PaymentLoopback PaymentTesting TestSupport"),
    shared("ReviewModel", "PaymentCore PaymentCrypto PaymentTesting PaymentWallet"),
    tests("PaymentStandardsTests", "\(values) PaymentSettlement PaymentStandards"),
    tests("PaymentReviewTests", "\(values) PaymentReview PaymentWallet ReviewModel"),
    tests("PaymentRoutingTests", "\(app) \(values) PaymentRecurring PaymentSettlement PaymentStandards"),
    tests("PaymentTransportTests", "PaymentCore PaymentTransport TestSupport"),
    tests("PaymentWalletTests", "PaymentCore PaymentCrypto PaymentSecp256k1 PaymentWallet TestSupport"),
    shared("RecurringSimulation", charging), shared("PostgresServing", "ChildProcesses PaymentCore PaymentPostgres"),
    tests(
        "PaymentPostgresTests",
        "\(served) \(charging) PaymentPostgres PaymentRecurringTesting PostgresServing SimulatedShop Simulation "
            + "TestSupport WorkingProcess"),
    tests("PaymentRecurringTests", "\(served) \(charging) PaymentRecurringTesting RecurringSimulation TestSupport"),
    tests("PaymentStoreTests", "\(served) ChildProcesses PaymentWallet TestSupport \(walletConnect) CSQLite"),
    tests("SandboxHomeTests", "\(sandboxed) \(app) \(shops) SandboxHome TestSupport"),
    tests(
        "MerchantTableTests",
        "\(app) PaymentTesting TestSupport \(shops) CitconMerchant CitconProvider PayrailsMerchant WalletConnectPayMerchant"
    ),
    tests(
        "PayrouteCommandsTests",
        "\(served) \(values) ChildProcesses PaymentSettlement PaymentWallet PayrouteCommands SandboxSupport"),
    tool("PayingProcess", "\(app) PaymentWallet \(walletConnect)"), tool("SpendingProcess", "\(charging) TestSupport"),
    tests(
        "KillTests",
        "\(served) PaymentRecurring TestSupport \(paykit) WalletConnectPaySandbox PayingProcess "
            + "PaykitRequestProcess SpendingProcess payroute"),
    tests(
        "CommandLineTests",
        "\(served) ChildProcesses PaymentSandbox PaymentWallet SandboxHome SandboxSupport TestSupport \(shops) "
            + "PaykitSandbox PaykitProvider BitcoinSandbox PaykitKit PayrouteCommands custom-provider payroute "
            + "sandbox-payment"),
    tests("ConformanceTests", "PaymentCore PaymentRouting PaymentStore PaymentTesting SimulatedShop TestSupport"),
    library("SampleProvider", "PaymentCore", at: "\(new)/Sources/SampleProvider"),
    tests("SampleProviderTests", "PaymentCore PaymentTesting SampleProvider", at: "\(new)/Tests/SampleProviderTests"),
    tests("GuideTests", ""),  // That the vendors' guides are built as printed, in the vendors' houses.
    tests(
        "ArticleTests",
        "\(served) \(walletConnect) \(shops) PaymentSandbox PaymentStandards PaymentWallet TestSupport "
            + "PaykitSandbox own-provider CitconKit CitconMerchant CitconProvider PaykitKit PayrailsKit PayrailsProvider "
            + "WalletConnectPayKit WalletConnectPayMerchant"),
    tests("ExampleTests", "PaymentCore PaymentTesting TestSupport " + examples.map(\.name).joined(separator: " ")),
    tests("BrowserTests", "\(served) \(shops) TestSupport payroute"),
    shared("MarketModel", "PaymentCore PaymentTesting"), shared("FuzzModel", "PaymentCore PaymentTesting"),
    shared("SimulatedShop", "PaymentCore PaymentCrypto PaymentTesting"),
    shared("Simulation", "\(served) MarketModel PaymentCrypto PaymentWallet SandboxSupport SimulatedShop"),
    shared(
        "VendorSimulation",
        "\(served) MarketModel PaymentCrypto PayrouteCommands SimulatedShop Simulation TestSupport \(laboratories)"),
    tool("Simulate", "PaykitLaboratory RecurringSimulation Simulation VendorSimulation"),
    tests(
        "SimulationTests",
        "\(served) \(walletConnect) BitcoinLaboratory MarketModel PaymentRecurring PaymentSettlement PaymentWallet Simulate "
            + "Simulation TestSupport VendorSimulation"),
    tool("Benchmarks", "\(app) ChildProcesses \(sandboxed) \(bitcoin) \(walletConnect) PaymentSecp256k1 TestSupport"),
    tool("PostgresBenchmarks", "\(app) PaymentPostgres PaymentTesting PostgresServing SimulatedShop"),
    tool(
        "Fuzz",
        "\(served) FuzzModel PaymentCrypto PaymentReview PaymentStandards PaymentWallet ReviewModel TestSupport "
            + "BitcoinLaboratory CitconLaboratory PaykitLaboratory PayrailsLaboratory WalletConnectPayProvider"),
    program("InteropWriter", "PaymentCore PaymentCrypto PaymentStandards PaymentWallet", at: "Tests/Interop/Writer"),
    library("MutationList", at: "Tests/Mutants/List"), tool("WorkingProcess", "\(app) PaymentPostgres SimulatedShop"),
    program("Mutants", "ChildProcesses MutationList PaymentCrypto", at: "Tests/Mutants/Runner"),
]

/// Libraries that no program outside imports by itself.
let inner = Set(
    ("PaymentCrypto PaymentSecp256k1 SandboxSupport SandboxHome BitcoinSandbox "
        + "PayrouteCommands ServiceSupport ChildProcesses SocketPoll").split(separator: " ").map(String.init))
var targets = systems + sources + vendors + examples + wholes
var products: [Product] = (sources + vendors).filter { $0.type == .regular && !inner.contains($0.name) }
    .filter { $0.path?.contains("/Tests/") != true }.map { .library(name: $0.name, targets: [$0.name]) }

// ONLY=Citcon,PaymentStoreTests: one vendor's suites, or the suites of these names, with what they need and nothing else
// that tests or runs.
if let only = Context.environment["ONLY"]?.split(separator: ",").map(String.init), !only.isEmpty {
    let byName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
    var queue = targets.filter { target in
        only.contains(target.name)
            || target.type == .test && only.contains { target.path?.hasPrefix("Plugins/\($0)/") == true }
    }.map(\.name)
    var wanted = Set(queue)
    while let target = queue.popLast().flatMap({ byName[$0] }) {
        for case .targetItem(let name, _) in target.dependencies where wanted.insert(name).inserted {
            queue.append(name)
        }
    }
    targets.removeAll { ($0.type == .test || $0.type == .executable) && !wanted.contains($0.name) }
}
products += targets.filter { $0.name == "payroute" }.map { .executable(name: $0.name, targets: [$0.name]) }

let package = Package(
    name: "swift-payment-router", platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: products, targets: targets)
