// swift-tools-version: 6.2
import PackageDescription

// A separate package, as an application has it. Elsewhere the dependency is a URL. There is no public one yet: replace
// this one by your clone's, and `branch:` by `from: "0.1.0"` once that is tagged.
// .package(url: "https://example.com/swift-payment-router.git", branch: "main")
let package = Package(
    name: "standalone-app",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-payment-router", path: "../..")],
    targets: [
        .executableTarget(
            name: "standalone-app",
            dependencies: [
                .product(name: "PaymentCore", package: "swift-payment-router"),
                .product(name: "PaymentRouting", package: "swift-payment-router"),
                .product(name: "PaymentTransport", package: "swift-payment-router"),
                .product(name: "CitconProvider", package: "swift-payment-router"),
            ])
    ]
)
