// swift-tools-version: 6.2
import PackageDescription

// A separate package, as an application has it. Elsewhere the dependency is the repository's address:
// .package(url: "https://…/swift-payment-router.git", from: "0.1.0")
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
                .product(name: "PaymentStore", package: "swift-payment-router"),
                .product(name: "PaymentTransport", package: "swift-payment-router"),
                .product(name: "CitconProvider", package: "swift-payment-router"),
            ])
    ]
)
