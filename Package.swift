// swift-tools-version: 6.2
import PackageDescription

// `Plugins/` holds the payment providers: ordinary library targets with an explicit path,
// not SwiftPM build or command plug-ins.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let linux = TargetDependencyCondition.when(platforms: [.linux])
let linuxAndMac = TargetDependencyCondition.when(platforms: [.linux, .macOS])

let package = Package(
    name: "swift-payment-router",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "PaymentCore", targets: ["PaymentCore"]),
        .library(name: "PaymentRouting", targets: ["PaymentRouting"]),
        .library(name: "PaymentTransport", targets: ["PaymentTransport"]),
        .library(name: "PaymentStore", targets: ["PaymentStore"]),
        .library(name: "PaymentReview", targets: ["PaymentReview"]),
        .library(name: "PaymentStandards", targets: ["PaymentStandards"]),
        .library(name: "PaymentWallet", targets: ["PaymentWallet"]),
        .library(name: "PaymentSandbox", targets: ["PaymentSandbox"]),
        .library(name: "PaymentTesting", targets: ["PaymentTesting"]),
        .library(name: "PaymentLoopback", targets: ["PaymentLoopback"]),
        .library(name: "WalletConnectPayProvider", targets: ["WalletConnectPayProvider"]),
        .library(name: "WalletConnectPayKit", targets: ["WalletConnectPayKit"]),
        .library(name: "WalletConnectPayMerchant", targets: ["WalletConnectPayMerchant"]),
        .library(name: "CitconProvider", targets: ["CitconProvider"]),
        .library(name: "CitconKit", targets: ["CitconKit"]),
        .library(name: "CitconMerchant", targets: ["CitconMerchant"]),
        .library(name: "PaykitProvider", targets: ["PaykitProvider"]),
        .library(name: "PaykitKit", targets: ["PaykitKit"]),
        .library(name: "PayrailsProvider", targets: ["PayrailsProvider"]),
        .library(name: "PayrailsKit", targets: ["PayrailsKit"]),
        .library(name: "PayrailsComponents", targets: ["PayrailsComponents"]),
        .library(name: "PayrailsMerchant", targets: ["PayrailsMerchant"]),
        .executable(name: "payroute", targets: ["payroute"]),
    ],
    targets: [
        // System libraries, each wrapped by exactly one target below.
        .systemLibrary(
            name: "CCurl", path: "Sources/SystemLibraries/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CLibcrypto", path: "Sources/SystemLibraries/CLibcrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CLzma", path: "Sources/SystemLibraries/CLzma", pkgConfig: "liblzma",
            providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
        .systemLibrary(
            name: "CSecp256k1", path: "Sources/SystemLibraries/CSecp256k1", pkgConfig: "libsecp256k1",
            providers: [.apt(["libsecp256k1-dev"]), .brew(["secp256k1"])]),
        .systemLibrary(
            name: "CMicrohttpd", path: "Sources/SystemLibraries/CMicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "CQREncode", path: "Sources/SystemLibraries/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .systemLibrary(
            name: "CPNG", path: "Sources/SystemLibraries/CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CSodium", path: "Sources/SystemLibraries/CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/SystemLibraries/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),

        // Loaded at run time, where it is there: no header and no library of it is needed to build.
        .systemLibrary(
            name: "CZBar", path: "Sources/SystemLibraries/CZBar",
            providers: [.apt(["libzbar0"]), .brew(["zbar"])]),

        // The core and what stands on it.
        .target(name: "PaymentCore", swiftSettings: settings),
        .target(name: "PaymentRouting", dependencies: ["PaymentCore", "PaymentCrypto"], swiftSettings: settings),
        .target(
            name: "PaymentTransport",
            dependencies: ["PaymentCore", .target(name: "CCurl", condition: linux)],
            swiftSettings: settings),
        .target(
            name: "PaymentStore",
            dependencies: ["PaymentCore", .target(name: "CSQLite", condition: linux)],
            resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings),
        .target(
            name: "PaymentCrypto", dependencies: ["PaymentCore", .target(name: "CLibcrypto", condition: linux)],
            swiftSettings: settings),
        .target(name: "PaymentSecp256k1", dependencies: ["CSecp256k1"], swiftSettings: settings),
        // Two ciphers of Pubky that no other library has. Apart, so that nobody else needs libsodium.
        .target(
            name: "PaymentSodium", dependencies: [.target(name: "CSodium", condition: linuxAndMac)],
            swiftSettings: settings),
        .target(name: "PaymentReview", dependencies: ["PaymentCore", "PaymentCrypto"], swiftSettings: settings),
        .target(
            name: "PaymentStandards", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1", "CLzma"],
            swiftSettings: settings),
        .target(
            name: "PaymentWallet", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1"],
            swiftSettings: settings),
        .target(
            name: "PaymentSandbox",
            dependencies: [
                "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentReview", "PaymentRouting",
                "PaymentSecp256k1",
                "PaymentStandards", "PaymentTesting", "PaymentTransport", "PaymentWallet",
                "CitconProvider", "PaykitProvider", "PayrailsComponents", "PayrailsKit", "PayrailsProvider",
                "WalletConnectPayProvider",
            ],
            swiftSettings: settings),

        .target(name: "PaymentTesting", dependencies: ["PaymentCore", "PaymentRouting"], swiftSettings: settings),
        .target(
            name: "PaymentLoopback", dependencies: ["PaymentCore", "PaymentTesting", "CMicrohttpd"],
            swiftSettings: settings),

        // Providers.
        .target(
            name: "WalletConnectPayProvider", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentReview"],
            path: "Plugins/WalletConnectPay", swiftSettings: settings),
        .target(
            name: "CitconProvider", dependencies: ["PaymentCore", "PaymentCrypto"],
            path: "Plugins/Citcon", swiftSettings: settings),
        .target(
            name: "PayrailsProvider", dependencies: ["PaymentCore", "PaymentCrypto", "PayrailsTypes"],
            path: "Plugins/Payrails", swiftSettings: settings),
        .target(
            name: "PaykitProvider", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSodium"],
            path: "Plugins/Paykit", swiftSettings: settings),
        // What Payrails' flow, client and components all speak of: kinds of payment, instruments, cards, errors.
        .target(
            name: "PayrailsTypes", dependencies: ["PaymentCore"],
            path: "Plugins/PayrailsTypes", swiftSettings: settings),

        // The vendors' own entry points, ready to use: a provider and the network.
        .target(
            name: "WalletConnectPayKit",
            dependencies: [
                "PaymentCore", "PaymentCrypto", "PaymentReview", "PaymentTransport", "WalletConnectPayProvider",
            ],
            path: "Plugins/WalletConnectPayKit", swiftSettings: settings),
        .target(
            name: "PaykitKit", dependencies: ["PaymentCore", "PaymentTransport", "PaykitProvider"],
            path: "Plugins/PaykitKit", swiftSettings: settings),
        .target(
            name: "CitconKit", dependencies: ["PaymentCore", "PaymentTransport", "CitconProvider"],
            path: "Plugins/CitconKit", swiftSettings: settings),
        .target(
            name: "PayrailsKit",
            dependencies: [
                "PaymentCore", "PaymentTransport", "PayrailsComponents", "PayrailsProvider", "PayrailsTypes",
            ],
            path: "Plugins/PayrailsKit", swiftSettings: settings),

        // What payers see of a vendor's checkout: models without a screen, and skins of them.
        .target(
            name: "PayrailsComponents", dependencies: ["PaymentCore", "PaymentCrypto", "PayrailsTypes"],
            path: "Plugins/PayrailsComponents", swiftSettings: settings),

        // Merchants' services, for servers: they hold private keys, which have no place in an app.
        .target(
            name: "CitconMerchant", dependencies: ["PaymentCore", "PaymentCrypto", "CitconProvider"],
            path: "Plugins/CitconMerchant", swiftSettings: settings),
        .target(
            name: "PayrailsMerchant",
            dependencies: ["PaymentCore", "PaymentCrypto", "PayrailsProvider", "PayrailsTypes"],
            path: "Plugins/PayrailsMerchant", swiftSettings: settings),
        .target(
            name: "WalletConnectPayMerchant",
            dependencies: ["PaymentCore", "PaymentCrypto", "WalletConnectPayProvider"],
            path: "Plugins/WalletConnectPayMerchant", swiftSettings: settings),

        // The command line.
        .executableTarget(
            name: "payroute",
            dependencies: [
                "PaymentCore", "PaymentReview", "PaymentRouting", "PaymentStandards", "PaymentTransport",
                "PaymentStore",
                "PaymentWallet", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "CitconMerchant",
                "CitconProvider", "PaykitProvider",
                "PayrailsMerchant", "PayrailsProvider", "WalletConnectPayMerchant", "WalletConnectPayProvider",
                "CPNG", "CQREncode", "CZBar",
            ],
            swiftSettings: settings),

        // Measurements and generated inputs: run by hand or by `make`, not by `swift test`.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "PaykitKit", "PaykitProvider",
                "PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentSecp256k1", "PaymentStandards",
                "PaymentStore",
                "PaymentTransport", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentWallet",
                "TestSupport",
                "WalletConnectPayProvider",
            ],
            path: "Tests/Benchmarks", swiftSettings: settings),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CitconKit", "CitconMerchant", "CitconProvider", "PaykitProvider", "PaymentCore", "PaymentCrypto",
                "PaymentReview", "PaymentRouting", "PaymentStandards", "PaymentStore", "PaymentWallet", "PayrailsKit",
                "PayrailsProvider",
                "ReviewModel",
                "TestSupport", "WalletConnectPayProvider",
            ],
            path: "Tests/Fuzz", swiftSettings: settings),

        // Examples.
        .executableTarget(
            name: "quick-start",
            dependencies: [
                "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "WalletConnectPayProvider",
            ],
            path: "Examples/quick-start", swiftSettings: settings),
        .executableTarget(
            name: "route-links",
            dependencies: ["PaymentCore", "PaymentRouting", "WalletConnectPayProvider"],
            path: "Examples/route-links", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "custom-provider",
            dependencies: [
                "PaymentCore", "PaymentRouting", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentStore",
                "PaymentTransport",
                "WalletConnectPayProvider",
            ],
            path: "Examples/custom-provider", swiftSettings: settings),
        .executableTarget(
            name: "auto-pay", dependencies: ["PaymentCore", "PaymentRouting", "PaymentStore"],
            path: "Examples/auto-pay", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "wallet-checkout",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentWallet",
                "WalletConnectPayKit",
            ],
            path: "Examples/wallet-checkout", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "stored-instrument-checkout",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentTransport", "PayrailsKit",
                "PayrailsMerchant",
            ],
            path: "Examples/stored-instrument-checkout", exclude: ["docs", "expected-output.txt"],
            swiftSettings: settings),
        .executableTarget(
            name: "citcon-order",
            dependencies: [
                "CitconKit", "PaymentCore", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentTransport",
            ],
            path: "Examples/citcon-order", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "merchant-checkout",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentSandbox", "PaymentStore", "PaymentTesting",
                "PaymentTransport", "WalletConnectPayMerchant", "WalletConnectPayProvider",
            ],
            path: "Examples/merchant-checkout", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "payrails-merchant",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentSandbox", "PaymentStore", "PaymentTesting",
                "PaymentTransport", "PayrailsKit", "PayrailsMerchant",
            ],
            path: "Examples/payrails-merchant", exclude: ["expected-output.txt"], swiftSettings: settings),

        .executableTarget(
            name: "paykit-contacts",
            dependencies: [
                "PaykitKit", "PaykitProvider", "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentRouting",
                "PaymentSandbox", "PaymentStandards", "PaymentStore", "PaymentTesting",
                "PaymentTransport",
            ],
            path: "Examples/paykit-contacts", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "subscriptions",
            dependencies: [
                "PaykitKit", "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentSandbox", "PaymentStandards",
                "PaymentStore", "PaymentTesting", "PaymentTransport",
            ],
            path: "Examples/subscriptions", exclude: ["expected-output.txt"], swiftSettings: settings),

        .executableTarget(
            name: "own-provider",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentStore", "PaymentTesting",
                "PaymentTransport",
            ],
            path: "Examples/own-provider", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "claim-a-standard",
            dependencies: ["PaymentCore", "PaymentRouting", "PaymentStandards", "PaymentStore", "PaymentTesting"],
            path: "Examples/claim-a-standard", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "crash-recovery",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentSandbox", "PaymentStore", "PaymentTesting",
                "PaymentTransport", "WalletConnectPayProvider",
            ],
            path: "Examples/crash-recovery", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "merchant-server",
            dependencies: [
                "CitconMerchant", "CitconProvider", "PaymentCore", "PaymentLoopback", "PaymentRouting",
                "PaymentSandbox", "PaymentStore", "PaymentTesting", "PaymentTransport",
            ],
            path: "Examples/merchant-server", exclude: ["expected-output.txt"], swiftSettings: settings),
        .executableTarget(
            name: "progress",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentSandbox", "PaymentStore", "PaymentTesting",
                "PaymentTransport", "WalletConnectPayProvider",
            ],
            path: "Examples/progress", exclude: ["expected-output.txt"], swiftSettings: settings),
        // A package of its own, too: see its Package.swift.
        .executableTarget(
            name: "standalone-app",
            dependencies: ["CitconProvider", "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport"],
            path: "Examples/standalone-app/Sources/standalone-app", swiftSettings: settings),

        // Tests.
        .target(name: "TestSupport", dependencies: ["PaymentCore"], path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "ReviewModel", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentWallet"],
            path: "Tests/ReviewModel", swiftSettings: settings),
        .testTarget(
            name: "PaymentCoreTests", dependencies: ["PaymentCore", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "ArchitectureTests", dependencies: ["MutationList"], swiftSettings: settings),
        .testTarget(
            name: "ArticleTests",
            dependencies: [
                "CitconKit", "CitconMerchant", "CitconProvider", "PaykitKit", "PaymentCore", "PaymentLoopback",
                "PaymentRouting", "PaymentSandbox", "PaymentStore", "PaymentTesting", "PaymentTransport",
                "PaymentWallet", "PayrailsKit", "PayrailsTypes", "TestSupport", "WalletConnectPayKit",
                "WalletConnectPayMerchant", "WalletConnectPayProvider", "own-provider",
            ],
            swiftSettings: settings),
        .target(name: "MutationList", path: "Tests/Mutants/List", swiftSettings: settings),
        .executableTarget(
            name: "Mutants", dependencies: ["MutationList"], path: "Tests/Mutants/Runner", swiftSettings: settings),
        .testTarget(
            name: "PaymentRoutingTests",
            dependencies: [
                "PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentStandards", "PaymentStore",
                "PaymentTransport",
                "TestSupport",
            ],
            swiftSettings: settings),
        // Years of plans, charged by workers that crash.
        .target(
            name: "RecurringSimulation", dependencies: ["PaymentCore", "PaymentStore"],
            path: "Tests/RecurringSimulation", swiftSettings: settings),
        .testTarget(
            name: "PaymentStoreTests",
            dependencies: [
                "PaymentCore", "PaymentRouting", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentStore",
                "PaymentTransport", "PaymentWallet", "RecurringSimulation",
                "TestSupport", "WalletConnectPayProvider", .target(name: "CSQLite", condition: linux),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "KillTests",
            dependencies: [
                "PayingProcess", "RequestProcess", "SpendingProcess", "PaykitKit", "PaykitProvider", "PaymentCore",
                "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentStore",
                "TestSupport", "payroute",
            ],
            swiftSettings: settings),
        // Stopped and killed by KillTests.
        .executableTarget(
            name: "PayingProcess",
            dependencies: [
                "PaymentCore", "PaymentRouting", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentStore",
                "PaymentTransport", "PaymentWallet",
                "WalletConnectPayProvider",
            ],
            path: "Tests/PayingProcess", swiftSettings: settings),
        .executableTarget(
            name: "RequestProcess",
            dependencies: [
                "PaykitKit", "PaykitProvider", "PaymentCore", "PaymentRouting", "PaymentSandbox", "PaymentStandards",
                "PaymentStore", "PaymentTransport",
            ],
            path: "Tests/RequestProcess", swiftSettings: settings),
        .executableTarget(
            name: "SpendingProcess", dependencies: ["PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTesting"],
            path: "Tests/SpendingProcess", swiftSettings: settings),
        .testTarget(
            name: "PaymentTransportTests", dependencies: ["PaymentCore", "PaymentTransport", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PaymentWalletTests",
            dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1", "PaymentWallet", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PaymentCryptoTests",
            dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSodium", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "PaymentStandardsTests",
            dependencies: ["PaymentCore", "PaymentCrypto", "PaymentStandards", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "PaymentReviewTests",
            dependencies: [
                "PaymentCore", "PaymentCrypto", "PaymentReview", "PaymentWallet", "ReviewModel", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CitconProviderTests",
            dependencies: [
                "CitconKit", "CitconMerchant", "CitconProvider", "PaymentCore", "PaymentCrypto", "PaymentRouting",
                "PaymentLoopback",
                "PaymentSandbox", "PaymentTesting",
                "PaymentStore", "PaymentTransport", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PayrailsProviderTests",
            dependencies: [
                "PayrailsComponents", "PayrailsKit", "PayrailsProvider", "PayrailsTypes", "PaymentCore",
                "PaymentCrypto", "PaymentRouting", "PaymentLoopback",
                "PaymentSandbox", "PaymentTesting", "PaymentStore",
                "PaymentTransport", "TestSupport",
            ],
            swiftSettings: settings),
        // Two wallets with a private link between them, and all that can go wrong with it.
        .target(
            name: "LinkSimulation",
            dependencies: ["PaykitProvider", "PaymentCore", "PaymentCrypto", "PaymentSandbox", "PaymentTesting"],
            path: "Tests/LinkSimulation", swiftSettings: settings),
        .testTarget(
            name: "PaykitProviderTests",
            dependencies: [
                "LinkSimulation", "PaykitKit", "PaykitProvider", "PaymentCore", "PaymentCrypto", "PaymentLoopback",
                "PaymentRouting",
                "PaymentSandbox", "PaymentSodium", "PaymentStandards", "PaymentStore", "PaymentTesting",
                "PaymentTransport", "TestSupport",
            ],
            exclude: ["DHT/Interop/libtorrent-swarm.py"], swiftSettings: settings),
        .testTarget(
            name: "PayrailsMerchantTests",
            dependencies: [
                "PayrailsKit", "PayrailsMerchant", "PayrailsProvider", "PaymentCore", "PaymentCrypto", "PaymentRouting",
                "PaymentSandbox", "PaymentStore", "PaymentTesting", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PaymentSandboxTests",
            dependencies: [
                "PaykitProvider", "PaymentCore", "PaymentCrypto", "PaymentSodium", "PaymentStandards",
                "PaymentTransport", "PaymentWallet", "PaymentLoopback", "PaymentSandbox", "PaymentTesting",
                "TestSupport", "payroute",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "PaymentCore", "PaymentRouting", "PaymentLoopback", "PaymentSandbox", "PaymentStore", "PaymentTesting",
                "PaymentTransport", "PaymentWallet",
                "TestSupport", "custom-provider", "payroute",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WalletConnectPayProviderTests",
            dependencies: [
                "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentWallet",
                "PaymentReview", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "TestSupport",
                "WalletConnectPayKit", "WalletConnectPayProvider",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WalletConnectPayMerchantTests",
            dependencies: [
                "PaymentCore", "PaymentCrypto", "PaymentReview", "PaymentRouting", "PaymentSandbox", "PaymentStore",
                "PaymentTesting", "TestSupport", "WalletConnectPayMerchant", "WalletConnectPayProvider",
            ],
            swiftSettings: settings),
        // The vendors' guides as printed, in a package of plain Swift 6: nothing of ours but the kits
        // (and what a presenter without UIKit is handed), and warnings allowed.
        .testTarget(
            name: "GuideTests",
            dependencies: ["CitconKit", "PaykitKit", "PaymentCore", "PayrailsKit", "WalletConnectPayKit"],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(
            name: "Simulation",
            dependencies: [
                "CitconMerchant", "CitconProvider", "PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentLoopback",
                "PaykitProvider", "PaymentSandbox", "PaymentStandards", "PaymentTesting", "PaymentTransport",
                "PaymentWallet", "PayrailsProvider", "WalletConnectPayProvider",
            ],
            path: "Tests/Simulation", swiftSettings: settings),
        .executableTarget(
            name: "Simulate", dependencies: ["LinkSimulation", "RecurringSimulation", "Simulation"],
            path: "Tests/Simulate",
            swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "PaymentCore", "PaymentRouting", "PaymentLoopback", "PaymentSandbox", "PaymentStore", "PaymentTesting",
                "PaymentWallet", "Simulate", "Simulation", "TestSupport", "WalletConnectPayProvider",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "CitconMerchant", "CitconProvider", "PaymentCore", "PaymentRouting", "PaymentLoopback",
                "PaykitProvider", "PaymentSandbox", "PaymentStandards",
                "PaymentTesting", "PaymentWallet", "PayrailsMerchant", "PayrailsProvider", "Simulation",
                "WalletConnectPayMerchant", "WalletConnectPayProvider", "custom-provider",
            ],
            swiftSettings: settings),
        // What `payroute new-provider` writes, for a provider called Sample.
        .target(
            name: "SampleProvider", dependencies: ["PaymentCore"], path: "Tests/NewProvider/Sources/SampleProvider",
            swiftSettings: settings),
        .testTarget(
            name: "SampleProviderTests", dependencies: ["PaymentCore", "PaymentTesting", "SampleProvider"],
            path: "Tests/NewProvider/Tests/SampleProviderTests", swiftSettings: settings),
        // Run by `make browser-test` only; skipped otherwise.
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "PaymentCore", "PaymentLoopback", "PaymentSandbox", "PaymentTesting", "PaymentTransport", "TestSupport",
                "payroute",
            ], swiftSettings: settings),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "TestSupport", "quick-start", "route-links", "custom-provider", "stored-instrument-checkout",
                "wallet-checkout", "citcon-order", "merchant-checkout", "paykit-contacts", "payrails-merchant",
                "auto-pay", "subscriptions", "own-provider", "claim-a-standard", "crash-recovery", "merchant-server",
                "progress", "standalone-app",
            ],
            swiftSettings: settings),
    ]
)
