// swift-tools-version: 6.2
import PackageDescription

// MARK: The library

// System libraries that stand in for what Apple's platforms have themselves.
let curl: Target.Dependency = .target(name: "CCurl", condition: .when(platforms: [.linux]))
let libcrypto: Target.Dependency = .target(name: "CLibcrypto", condition: .when(platforms: [.linux]))
let sqlite: Target.Dependency = .target(name: "CSQLite", condition: .when(platforms: [.linux]))
let sodium: Target.Dependency = .target(name: "CSodium", condition: .when(platforms: [.linux, .macOS]))

let systems: [Target] = [
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
    // Loaded at run time, where they are there: no header and no library of theirs is needed to build.
    .systemLibrary(
        name: "CZBar", path: "Sources/SystemLibraries/CZBar", providers: [.apt(["libzbar0"]), .brew(["zbar"])]),
    .systemLibrary(
        name: "CPostgreSQL", path: "Sources/SystemLibraries/CPostgreSQL",
        providers: [.apt(["libpq5"]), .brew(["libpq"])]),
]

let sources: [Target] = [
    .target(name: "PaymentCore"),
    // The start of other programs, for the command line and tests.
    .target(name: "ChildProcesses"),
    .target(name: "PaymentCrypto", dependencies: ["PaymentCore", libcrypto]),
    .target(name: "PaymentSecp256k1", dependencies: ["CSecp256k1"]),
    // What the vendors' clients of their services share.
    .target(name: "ServiceSupport", dependencies: ["PaymentCore", "PaymentCrypto"]),
    .target(name: "PaymentRouting", dependencies: ["PaymentCore", "PaymentCrypto"]),
    .target(name: "PaymentSettlement", dependencies: ["PaymentCore", "PaymentCrypto"]),
    .target(name: "PaymentRecurring", dependencies: ["PaymentCore", "PaymentRouting"]),
    .target(
        name: "PaymentStore", dependencies: ["PaymentCore", "PaymentRouting", sqlite],
        resources: [.copy("PrivacyInfo.xcprivacy")]),
    .target(
        name: "PaymentPostgres",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentStore", "SocketPoll", "CPostgreSQL",
        ]),
    .target(name: "PaymentReview", dependencies: ["PaymentCore", "PaymentCrypto"]),
    .target(name: "PaymentTransport", dependencies: ["PaymentCore", curl]),
    .target(
        name: "PaymentStandards",
        dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1", "PaymentSettlement", "CLzma"]),
    .target(name: "PaymentTesting", dependencies: ["PaymentCore", "PaymentRouting"]),
    .target(
        name: "PaymentSimulation",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentTesting", "PaymentTransport", "PaymentWallet",
        ]),
    .target(name: "SocketPoll"),
    .target(name: "PaymentWallet", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1"]),
    .target(name: "PaymentLoopback", dependencies: ["PaymentCore", "PaymentTesting", "CMicrohttpd"]),
    // What sandboxes share.
    .target(
        name: "SandboxSupport", dependencies: ["PaymentCore", "PaymentLoopback", "PaymentTesting", "PaymentWallet"]),
    .target(
        name: "SandboxHome",
        dependencies: ["PaymentCore", "PaymentLoopback", "PaymentStandards", "PaymentTesting", "SandboxSupport"]),
    // Every vendor's sandbox: the one list of vendors.
    .target(
        name: "PaymentSandbox",
        dependencies: [
            "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentStandards", "PaymentTesting",
            "PaymentTransport", "PaymentWallet", "SandboxHome", "SandboxSupport",
            "BitcoinSandbox", "CitconSandbox", "PaykitSandbox", "PayrailsSandbox", "WalletConnectPaySandbox",
        ]),
    // The command line, which is given its vendors, and the program, which gives it all of them.
    .target(
        name: "PayrouteCommands",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "ChildProcesses", "PaymentReview", "PaymentRouting", "PaymentStandards", "PaymentTransport", "PaymentStore",
            "SandboxHome", "CPNG", "CQREncode", "CZBar",
        ],
        path: "Sources/payroute"),
    .executableTarget(
        name: "payroute", dependencies: ["PaymentSandbox", "PayrouteCommands"], path: "Sources/PayrouteProgram"),
]

// MARK: The vendors

// One vendor, one house: everything below `Plugins/Citcon` is Citcon's.

let walletConnectPay: [Target] = [
    .target(
        name: "WalletConnectPayProvider", dependencies: ["PaymentCore", "PaymentReview", "ServiceSupport"],
        path: "Plugins/WalletConnectPay/Provider"),
    .target(
        name: "WalletConnectPayMerchant",
        dependencies: ["PaymentCore", "PaymentCrypto", "ServiceSupport", "WalletConnectPayProvider"],
        path: "Plugins/WalletConnectPay/Merchant"),
    .target(
        name: "WalletConnectPayKit",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentReview", "PaymentTransport", "WalletConnectPayProvider",
        ],
        path: "Plugins/WalletConnectPay/Kit"),
    .target(
        name: "WalletConnectPaySandbox",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentReview", "PaymentSecp256k1", "WalletConnectPayMerchant", "WalletConnectPayProvider",
        ],
        path: "Plugins/WalletConnectPay/Sandbox"),
    .testTarget(
        name: "WalletConnectPayProviderTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "WalletConnectPayProvider", "WalletConnectPaySandbox", "WalletConnectPayKit", "WalletConnectPayMerchant",
        ],
        path: "Plugins/WalletConnectPay/Tests/ProviderTests"),
    .testTarget(
        name: "WalletConnectPayGuideTests", dependencies: ["WalletConnectPayKit"],
        path: "Plugins/WalletConnectPay/Tests/GuideTests"),
    .target(
        name: "WalletConnectPayLaboratory",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentSimulation", "PaymentTesting", "WalletConnectPayProvider",
            "WalletConnectPaySandbox", "PaymentWallet",
        ],
        path: "Plugins/WalletConnectPay/Tests/Laboratory"),
]

let payrails: [Target] = [
    .target(
        name: "PayrailsProvider", dependencies: ["PaymentCore", "PaymentCrypto", "ServiceSupport"],
        path: "Plugins/Payrails/Provider"),
    .target(
        name: "PayrailsKit", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentTransport", "PayrailsProvider"],
        path: "Plugins/Payrails/Kit"),
    .target(
        name: "PayrailsMerchant", dependencies: ["PaymentCore", "PaymentCrypto", "ServiceSupport", "PayrailsProvider"],
        path: "Plugins/Payrails/Merchant"),
    .target(
        name: "PayrailsSandbox",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PayrailsKit", "PayrailsMerchant", "PayrailsProvider",
        ],
        path: "Plugins/Payrails/Sandbox"),
    .testTarget(
        name: "PayrailsProviderTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "PayrailsProvider", "PayrailsSandbox", "PayrailsKit", "PayrailsMerchant",
        ],
        path: "Plugins/Payrails/Tests/ProviderTests"),
    .testTarget(
        name: "PayrailsGuideTests", dependencies: ["PaymentCore", "PayrailsKit"],
        path: "Plugins/Payrails/Tests/GuideTests"),
    .target(
        name: "PayrailsLaboratory",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentSimulation", "PaymentTesting", "PayrailsProvider",
            "PayrailsSandbox",
            "FuzzModel", "PaymentRouting", "PaymentStore", "PayrailsKit",
        ],
        path: "Plugins/Payrails/Tests/Laboratory"),
]

let citcon: [Target] = [
    .target(
        name: "CitconProvider", dependencies: ["PaymentCore", "PaymentCrypto", "ServiceSupport"],
        path: "Plugins/Citcon/Provider"),
    .target(
        name: "CitconKit", dependencies: ["PaymentCore", "PaymentTransport", "CitconProvider"],
        path: "Plugins/Citcon/Kit"),
    .target(
        name: "CitconMerchant", dependencies: ["PaymentCore", "PaymentCrypto", "ServiceSupport", "CitconProvider"],
        path: "Plugins/Citcon/Merchant"),
    .target(
        name: "CitconSandbox",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "CitconMerchant", "CitconProvider",
        ],
        path: "Plugins/Citcon/Sandbox"),
    .testTarget(
        name: "CitconProviderTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "CitconProvider", "CitconSandbox", "CitconKit", "CitconMerchant",
        ],
        path: "Plugins/Citcon/Tests/ProviderTests"),
    .testTarget(name: "CitconGuideTests", dependencies: ["CitconKit"], path: "Plugins/Citcon/Tests/GuideTests"),
    .target(
        name: "CitconLaboratory",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentSimulation", "PaymentTesting", "CitconProvider", "CitconSandbox",
            "FuzzModel", "PaymentRouting", "PaymentStore", "CitconKit", "CitconMerchant",
        ],
        path: "Plugins/Citcon/Tests/Laboratory"),
]

let paykit: [Target] = [
    // With the network below: keys, homeservers, grants, Noise, sealed texts, and the DHT.
    .target(
        name: "PaykitProvider", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSettlement", sodium],
        path: "Plugins/Paykit/Provider"),
    // With sockets for its channels and its DHT.
    .target(
        name: "PaykitKit",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentRecurring", "PaymentRouting", "PaymentStore", "PaymentTransport",
            "SocketPoll", "PaykitProvider",
        ],
        path: "Plugins/Paykit/Kit"),
    .target(
        name: "PaykitSandbox",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentStore", "PaymentTesting", "PaymentWallet",
            "SandboxSupport", "PaymentSecp256k1", "PaymentStandards", "PaykitKit", "PaykitProvider",
        ],
        path: "Plugins/Paykit/Sandbox"),
    .testTarget(
        name: "PaykitPubkyTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "ChildProcesses", "PaymentCrypto",
            "PaymentTesting", "SocketPoll", "TestSupport", "PaykitKit", "PaykitProvider", "PaykitSandbox",
        ],
        path: "Plugins/Paykit/Tests/PubkyTests"),
    .testTarget(
        name: "PaykitProviderTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "PaykitProvider", "PaykitSandbox", "PaymentRecurring", "PaymentSettlement", "PaymentStandards", "PaykitKit",
            "PaykitLaboratory", "BitcoinProvider",
        ],
        path: "Plugins/Paykit/Tests/ProviderTests"),
    .testTarget(
        name: "PaykitSandboxTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "PaykitProvider", "PaykitSandbox", "PaymentStandards", "SandboxHome",
        ],
        path: "Plugins/Paykit/Tests/SandboxTests"),
    .testTarget(name: "PaykitGuideTests", dependencies: ["PaykitKit"], path: "Plugins/Paykit/Tests/GuideTests"),
    // Also two wallets with a private link and its troubles.
    .target(
        name: "PaykitLaboratory",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentSimulation", "PaymentTesting", "PaykitProvider", "PaykitSandbox",
            "FuzzModel", "PaymentRouting", "PaymentStore", "PaymentRecurring", "PaymentSecp256k1", "PaymentSettlement",
            "PaymentStandards", "TestSupport", "PaykitKit",
        ],
        path: "Plugins/Paykit/Tests/Laboratory"),
    // What KillTests kills; what is measured, and speaks in interop.
    .executableTarget(
        name: "PaykitRequestProcess",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentStandards", "TestSupport",
            "PaykitKit", "PaykitProvider", "PaykitSandbox",
        ],
        path: "Plugins/Paykit/Tests/RequestProcess"),
    .executableTarget(
        name: "PaykitBenchmarkProcess",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "ChildProcesses", "PaymentLoopback",
            "PaymentTesting", "TestSupport", "PaykitKit", "PaykitProvider", "PaykitSandbox",
        ],
        path: "Plugins/Paykit/Tests/BenchmarkProcess"),
    .executableTarget(
        name: "PaykitSubscriptionProcess",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "PaykitProvider", "PaykitSandbox", "PaymentRecurring", "PaymentSettlement", "PaymentStandards", "PaykitKit",
        ],
        path: "Plugins/Paykit/Tests/SubscriptionProcess"),
]

let bitcoin: [Target] = [
    .target(
        name: "BitcoinProvider", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSettlement"],
        path: "Plugins/Bitcoin/Provider"),
    .target(
        name: "BitcoinWallets",
        dependencies: ["PaymentCore", "PaymentCrypto", "PaymentRouting", "PaymentSettlement", "PaymentStore"],
        path: "Plugins/Bitcoin/Wallets"),
    .target(
        name: "BitcoinSandbox",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentSecp256k1", "PaymentStandards", "BitcoinProvider", "BitcoinWallets",
        ],
        path: "Plugins/Bitcoin/Sandbox"),
    .testTarget(
        name: "BitcoinWalletTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "BitcoinProvider", "BitcoinSandbox", "PaymentSettlement", "PaymentStandards", "PayrouteCommands",
            "BitcoinWallets",
        ],
        path: "Plugins/Bitcoin/Tests/WalletTests"),
    .target(
        name: "BitcoinLaboratory",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentSimulation", "PaymentTesting", "BitcoinProvider", "BitcoinSandbox",
            "FuzzModel", "PaymentRouting", "PaymentStore", "PaymentSettlement", "PaymentStandards", "SandboxSupport",
            "TestSupport", "BitcoinWallets",
        ],
        path: "Plugins/Bitcoin/Tests/Laboratory"),
    .testTarget(
        name: "BitcoinPostgresTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentReview", "ServiceSupport", "TestSupport",
            "BitcoinProvider", "BitcoinSandbox", "PaymentPostgres", "PaymentStandards", "PostgresServing",
            "BitcoinWallets",
        ],
        path: "Plugins/Bitcoin/Tests/PostgresTests"),
]

// MARK: Examples

let examples: [Target] = [
    .executableTarget(
        name: "quick-start", dependencies: ["PaymentRouting", "PaymentTransport", "WalletConnectPayProvider"],
        path: "Examples/quick-start"),
    .executableTarget(
        name: "sandbox-payment",
        dependencies: ["PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentSandbox"],
        path: "Examples/sandbox-payment"),
    .executableTarget(
        name: "route-links", dependencies: ["PaymentCore", "PaymentRouting", "WalletConnectPayProvider"],
        path: "Examples/route-links", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "custom-provider",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "WalletConnectPayProvider",
        ],
        path: "Examples/custom-provider"),
    .executableTarget(
        name: "own-provider",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
        ],
        path: "Examples/own-provider", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "own-store", dependencies: ["PaymentCore", "PaymentTesting"], path: "Examples/own-store",
        exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "auto-pay", dependencies: ["PaymentCore", "PaymentRouting", "PaymentStore"],
        path: "Examples/auto-pay", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "wallet-checkout",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaymentWallet", "WalletConnectPayKit", "WalletConnectPaySandbox",
        ],
        path: "Examples/wallet-checkout", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "stored-instrument-checkout",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PayrailsKit", "PayrailsMerchant", "PayrailsSandbox",
        ],
        path: "Examples/stored-instrument-checkout", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "payrails-merchant",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PayrailsKit", "PayrailsMerchant", "PayrailsSandbox",
        ],
        path: "Examples/payrails-merchant", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "merchant-checkout",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "WalletConnectPayProvider", "WalletConnectPaySandbox", "WalletConnectPayMerchant",
        ],
        path: "Examples/merchant-checkout", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "citcon-order",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "CitconKit", "CitconSandbox",
        ],
        path: "Examples/citcon-order", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "progress",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "WalletConnectPayProvider", "WalletConnectPaySandbox",
        ],
        path: "Examples/progress", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "paykit-contacts",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaykitKit", "PaykitProvider", "PaykitSandbox", "BitcoinWallets", "PaymentStandards",
        ],
        path: "Examples/paykit-contacts", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "subscriptions",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaykitKit", "PaykitProvider", "PaykitSandbox", "PaymentRecurring", "PaymentStandards",
        ],
        path: "Examples/subscriptions", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "claim-a-standard",
        dependencies: ["PaymentCore", "PaymentRouting", "PaymentStandards", "PaymentStore", "PaymentTesting"],
        path: "Examples/claim-a-standard", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "crash-recovery",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "WalletConnectPayProvider", "WalletConnectPaySandbox",
        ],
        path: "Examples/crash-recovery", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "pay-a-lightning-address",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "BitcoinProvider", "BitcoinWallets", "PaymentStandards",
        ],
        path: "Examples/pay-a-lightning-address", exclude: ["expected-output.txt"]),
    .executableTarget(
        name: "merchant-server",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "CitconMerchant", "CitconProvider", "CitconSandbox",
        ],
        path: "Examples/merchant-server", exclude: ["expected-output.txt"]),
    // A separate package, too: see its Package.swift.
    .executableTarget(
        name: "standalone-app",
        dependencies: ["PaymentCore", "PaymentRouting", "PaymentTransport", "CitconProvider"],
        path: "Examples/standalone-app/Sources/standalone-app"),
]

// MARK: Tests of the whole

let wholes: [Target] = [
    .target(
        name: "TestSupport",
        dependencies: [
            "ChildProcesses", "PaymentCore", "PaymentLoopback", "PaymentRouting", "PaymentTesting", "PaymentTransport",
        ],
        path: "Tests/TestSupport"),
    .testTarget(name: "ArchitectureTests", dependencies: ["MutationList", "TestSupport"]),
    .testTarget(
        name: "PaymentCoreTests", dependencies: ["PaymentCore", "PaymentTesting", "ServiceSupport", "TestSupport"]),
    .testTarget(name: "PaymentCryptoTests", dependencies: ["PaymentCore", "PaymentCrypto", "TestSupport"]),
    .testTarget(
        name: "PaymentLoopbackTests",
        dependencies: ["PaymentCore", "PaymentLoopback", "PaymentTesting", "TestSupport"]),
    .target(
        name: "ReviewModel", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentTesting", "PaymentWallet"],
        path: "Tests/ReviewModel"),
    .testTarget(
        name: "PaymentStandardsTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentTesting", "TestSupport", "PaymentSettlement", "PaymentStandards",
        ]),
    .testTarget(
        name: "PaymentReviewTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentTesting", "TestSupport", "PaymentReview", "PaymentWallet",
            "ReviewModel",
        ]),
    .testTarget(
        name: "PaymentRoutingTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentCrypto", "PaymentTesting",
            "TestSupport", "PaymentRecurring", "PaymentSettlement", "PaymentStandards",
        ]),
    .testTarget(name: "PaymentTransportTests", dependencies: ["PaymentCore", "PaymentTransport", "TestSupport"]),
    .testTarget(
        name: "PaymentWalletTests",
        dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSecp256k1", "PaymentWallet", "TestSupport"]),
    .target(
        name: "RecurringSimulation",
        dependencies: ["PaymentCore", "PaymentRecurring", "PaymentTesting", "TestSupport"],
        path: "Tests/RecurringSimulation"),
    .target(
        name: "PostgresServing", dependencies: ["ChildProcesses", "PaymentCore", "PaymentPostgres"],
        path: "Tests/PostgresServing"),
    .testTarget(
        name: "PaymentPostgresTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaymentRecurring", "PaymentPostgres", "PostgresServing", "SimulatedShop",
            "PaymentSimulation", "TestSupport", "WorkingProcess",
        ]),
    .testTarget(
        name: "PaymentRecurringTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaymentRecurring", "RecurringSimulation", "TestSupport",
        ]),
    .testTarget(
        name: "PaymentStoreTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "ChildProcesses", "PaymentWallet", "TestSupport", "WalletConnectPayProvider", "WalletConnectPaySandbox",
            sqlite,
        ]),
    .testTarget(
        name: "SandboxHomeTests",
        dependencies: [
            "PaymentCore", "PaymentCrypto", "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport",
            "PaymentRouting", "PaymentStore", "PaymentTransport", "CitconSandbox", "PayrailsSandbox",
            "WalletConnectPaySandbox", "SandboxHome", "TestSupport",
        ]),
    .testTarget(
        name: "MerchantTableTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentTesting", "TestSupport", "CitconSandbox", "PayrailsSandbox",
            "WalletConnectPaySandbox",
        ]),
    .testTarget(
        name: "PayrouteCommandsTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaymentCrypto", "TestSupport", "ChildProcesses", "PaymentSettlement", "PaymentWallet", "PayrouteCommands",
            "SandboxSupport",
        ]),
    .executableTarget(
        name: "PayingProcess",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentWallet",
            "WalletConnectPayProvider", "WalletConnectPaySandbox",
        ],
        path: "Tests/PayingProcess"),
    .executableTarget(
        name: "SpendingProcess",
        dependencies: [
            "PaymentCore", "PaymentRecurring", "PaymentRouting", "PaymentStore", "PaymentTesting", "TestSupport",
        ],
        path: "Tests/SpendingProcess"),
    .testTarget(
        name: "KillTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaymentRecurring", "TestSupport", "PaykitKit", "PaykitProvider", "PaykitSandbox",
            "WalletConnectPaySandbox", "PayingProcess", "PaykitRequestProcess", "SpendingProcess", "payroute",
        ]),
    .testTarget(
        name: "CommandLineTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "ChildProcesses", "PaymentSandbox", "PaymentWallet", "SandboxHome", "SandboxSupport", "TestSupport",
            "CitconSandbox", "PayrailsSandbox", "WalletConnectPaySandbox", "PaykitSandbox", "PaykitProvider",
            "BitcoinSandbox", "PaykitKit", "PayrouteCommands", "custom-provider", "payroute", "sandbox-payment",
        ]),
    .testTarget(
        name: "ConformanceTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTesting", "SimulatedShop", "TestSupport",
        ]),
    // That the vendors' guides are built as printed, in the vendors' houses.
    .testTarget(name: "GuideTests"),
    .testTarget(
        name: "ArticleTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "WalletConnectPayProvider", "WalletConnectPaySandbox", "CitconSandbox", "PayrailsSandbox", "PaymentSandbox",
            "PaymentStandards", "PaymentWallet", "TestSupport", "PaykitSandbox", "own-provider",
            "CitconKit", "CitconMerchant", "CitconProvider", "PaykitKit", "PayrailsKit", "PayrailsProvider",
            "WalletConnectPayKit", "WalletConnectPayMerchant",
        ]),
    .testTarget(
        name: "ExampleTests",
        dependencies: [
            "PaymentCore", "PaymentTesting", "TestSupport", "quick-start", "sandbox-payment", "route-links",
            "custom-provider", "own-provider", "own-store", "auto-pay", "wallet-checkout", "stored-instrument-checkout",
            "payrails-merchant", "merchant-checkout", "citcon-order", "progress", "paykit-contacts", "subscriptions",
            "claim-a-standard", "crash-recovery", "pay-a-lightning-address", "merchant-server", "standalone-app",
        ]),
    .testTarget(
        name: "BrowserTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "CitconSandbox", "PayrailsSandbox", "WalletConnectPaySandbox", "TestSupport", "payroute",
        ]),
    .target(name: "FuzzModel", dependencies: ["PaymentCore", "PaymentTesting"], path: "Tests/FuzzModel"),
    .target(
        name: "SimulatedShop", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentSimulation", "PaymentTesting"],
        path: "Tests/SimulatedShop"),
    .target(
        name: "VendorSimulation",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "PaymentCrypto", "PaymentSimulation", "PayrouteCommands", "SimulatedShop",
            "BitcoinLaboratory", "CitconSandbox", "PaykitLaboratory", "PayrailsSandbox",
            "WalletConnectPayLaboratory",
        ],
        path: "Tests/VendorSimulation"),
    .executableTarget(
        name: "Simulate",
        dependencies: ["PaykitLaboratory", "PaymentSimulation", "RecurringSimulation", "VendorSimulation"],
        path: "Tests/Simulate"),
    .testTarget(
        name: "SimulationTests",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "WalletConnectPayProvider", "WalletConnectPaySandbox", "BitcoinLaboratory", "PaymentSimulation",
            "PaymentRecurring", "PaymentSettlement", "PaymentWallet", "SimulatedShop", "Simulate", "TestSupport",
            "VendorSimulation",
        ]),
    .executableTarget(
        name: "Benchmarks",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "ChildProcesses", "PaymentCrypto",
            "PaymentLoopback", "PaymentTesting", "PaymentWallet", "SandboxSupport", "BitcoinProvider", "BitcoinSandbox",
            "BitcoinWallets", "PaymentStandards", "WalletConnectPayProvider", "WalletConnectPaySandbox",
            "PaymentSecp256k1", "TestSupport",
        ],
        path: "Tests/Benchmarks"),
    .executableTarget(
        name: "PostgresBenchmarks",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentPostgres", "PaymentTesting",
            "PostgresServing", "SimulatedShop",
        ],
        path: "Tests/PostgresBenchmarks"),
    .executableTarget(
        name: "Fuzz",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentLoopback", "PaymentTesting",
            "FuzzModel", "PaymentCrypto", "PaymentReview", "PaymentStandards", "PaymentWallet", "ReviewModel",
            "TestSupport", "BitcoinLaboratory", "CitconLaboratory", "PaykitLaboratory", "PayrailsLaboratory",
            "WalletConnectPayProvider",
        ],
        path: "Tests/Fuzz"),
    .executableTarget(
        name: "InteropWriter", dependencies: ["PaymentCore", "PaymentCrypto", "PaymentStandards", "PaymentWallet"],
        path: "Tests/Interop/Writer"),
    .target(name: "MutationList", path: "Tests/Mutants/List"),
    .executableTarget(
        name: "WorkingProcess",
        dependencies: [
            "PaymentCore", "PaymentRouting", "PaymentStore", "PaymentTransport", "PaymentPostgres", "SimulatedShop",
        ],
        path: "Tests/WorkingProcess"),
    .executableTarget(
        name: "Mutants", dependencies: ["ChildProcesses", "MutationList", "PaymentCrypto"],
        path: "Tests/Mutants/Runner"),
]

// MARK: The package

/// The libraries that a program outside imports by themselves.
let products: [Product] = [
    .library(name: "PaymentCore", targets: ["PaymentCore"]),
    .library(name: "PaymentRouting", targets: ["PaymentRouting"]),
    .library(name: "PaymentSettlement", targets: ["PaymentSettlement"]),
    .library(name: "PaymentRecurring", targets: ["PaymentRecurring"]),
    .library(name: "PaymentStore", targets: ["PaymentStore"]),
    .library(name: "PaymentPostgres", targets: ["PaymentPostgres"]),
    .library(name: "PaymentReview", targets: ["PaymentReview"]),
    .library(name: "PaymentTransport", targets: ["PaymentTransport"]),
    .library(name: "PaymentStandards", targets: ["PaymentStandards"]),
    .library(name: "PaymentTesting", targets: ["PaymentTesting"]),
    .library(name: "PaymentSimulation", targets: ["PaymentSimulation"]),
    .library(name: "PaymentWallet", targets: ["PaymentWallet"]),
    .library(name: "PaymentLoopback", targets: ["PaymentLoopback"]),
    .library(name: "PaymentSandbox", targets: ["PaymentSandbox"]),
    .library(name: "WalletConnectPayProvider", targets: ["WalletConnectPayProvider"]),
    .library(name: "WalletConnectPayMerchant", targets: ["WalletConnectPayMerchant"]),
    .library(name: "WalletConnectPayKit", targets: ["WalletConnectPayKit"]),
    .library(name: "WalletConnectPaySandbox", targets: ["WalletConnectPaySandbox"]),
    .library(name: "PayrailsProvider", targets: ["PayrailsProvider"]),
    .library(name: "PayrailsKit", targets: ["PayrailsKit"]),
    .library(name: "PayrailsMerchant", targets: ["PayrailsMerchant"]),
    .library(name: "PayrailsSandbox", targets: ["PayrailsSandbox"]),
    .library(name: "CitconProvider", targets: ["CitconProvider"]),
    .library(name: "CitconKit", targets: ["CitconKit"]),
    .library(name: "CitconMerchant", targets: ["CitconMerchant"]),
    .library(name: "CitconSandbox", targets: ["CitconSandbox"]),
    .library(name: "PaykitProvider", targets: ["PaykitProvider"]),
    .library(name: "PaykitKit", targets: ["PaykitKit"]),
    .library(name: "PaykitSandbox", targets: ["PaykitSandbox"]),
    .library(name: "BitcoinProvider", targets: ["BitcoinProvider"]),
    .library(name: "BitcoinWallets", targets: ["BitcoinWallets"]),
]

var targets = systems + sources + walletConnectPay + payrails + citcon + paykit + bitcoin + examples + wholes
for target in targets where target.type != .system {
    // The vendors' guides are printed for plain Swift 6, and their warnings are theirs.
    target.swiftSettings =
        target.name.hasSuffix("GuideTests")
        ? [.swiftLanguageMode(.v6)]
        : [
            .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InternalImportsByDefault"),
        ]
}

// ONLY=Citcon,PaymentStoreTests: one vendor's suites, or the suites of these names, with what they need and nothing
// else that tests or runs.
if let only = Context.environment["ONLY"]?.split(separator: ",").map(String.init), !only.isEmpty {
    let byName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
    var queue = targets.filter { target in
        only.contains(target.name)
            || target.type == .test && only.contains { target.path?.hasPrefix("Plugins/\($0)/") == true }
    }.map(\.name)
    var wanted = Set(queue)
    while let target = queue.popLast().flatMap({ byName[$0] }) {
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _):
                if wanted.insert(name).inserted { queue.append(name) }
            default: break
            }
        }
    }
    targets.removeAll { ($0.type == .test || $0.type == .executable) && !wanted.contains($0.name) }
}
let programs: [Product] = targets.filter { $0.name == "payroute" }.map {
    .executable(name: $0.name, targets: [$0.name])
}

let package = Package(
    name: "swift-payment-router", platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: products + programs, targets: targets)
