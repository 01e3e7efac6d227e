import PaymentCore
import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `payroute new-provider`: a new provider package, to begin with.
enum NewProviderCommand: Command {
    static let name = "new-provider"
    static let summary = "Write your own provider, which compiles and passes its tests."
    static let syntax = CommandSyntax(
        path: "payroute new-provider",
        overview: "Write a package with your own provider, its simulated service and a test.",
        discussion: """
            The package compiles as it is and passes the conformance kit, so that every later change is tested. The folder must not exist yet.

            In another language a provider is a separate program: Examples/external-provider shows one.
            """,
        arguments: [.init(name: "name", help: "The provider's name, in letters and digits: Coffee.")],
        options: [
            .init(name: "folder", value: "folder", help: "The folder to write. (default: the name, here)"),
            .init(
                name: "package", value: "folder",
                help:
                    "The path of swift-payment-router from the new package. (default: ../swift-payment-router)"
            ),
        ],
        examples: [.init("payroute new-provider Coffee", "the folder Coffee, ready to test")])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let word = arguments.positionals[0]
        guard let template = ProviderTemplate(name: word) else {
            throw UsageError(
                "The value \(UsageError.quoted(word)) is not a name for a provider: 2 to 40 ASCII letters and digits that begin "
                    + "with a letter, such as Coffee", syntax)
        }
        let package = arguments.value("package") ?? "../swift-payment-router"
        guard let package = ProviderTemplate.literal(package) else {
            throw UsageError("The value of '--package <folder>' has characters that no manifest can hold", syntax)
        }
        let folder = arguments.value("folder") ?? template.name
        try makeFolder(folder, isNew: true)
        for (path, text) in template.files(package: package) {
            var parent = folder
            for part in path.split(separator: "/").dropLast() {
                parent += "/\(part)"
                try makeFolder(parent, isNew: false)
            }
            try write(text, to: "\(folder)/\(path)")
            console.output.line("\(folder)/\(path)")
        }
        console.output.line("\nNext: cd \(Printable.text(folder)) && swift test")
        return .done
    }

    private static func makeFolder(_ path: String, isNew: Bool) throws {
        guard mkdir(path, 0o777) != 0 else { return }
        if errno == EEXIST, !isNew { return }
        let reason = errno == EEXIST ? "it is there already; nothing was written" : String(cString: strerror(errno))
        throw CommandError(description: "the folder \(Printable.text(path)) cannot be made: \(reason)")
    }

    private static func write(_ text: String, to path: String) throws {
        // An existing file is never replaced.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandError(
                description: "\(Printable.text(path)) cannot be written: \(String(cString: strerror(errno)))")
        }
        let stream = OutputStream(descriptor: descriptor)
        stream.write(text)
        stream.flush()
        close(descriptor)
        if let failure = stream.failure {
            throw CommandError(description: "\(Printable.text(path)) cannot be written: \(failure)")
        }
    }
}

// MARK: - Template

/// A package with a provider, under a chosen name.
struct ProviderTemplate {
    /// The name in the form of types: `Coffee`.
    let name: String
    /// The name in the form of providers and hosts: `coffee`.
    let id: String

    /// Creates a template, or nil when the name fits no type or no host.
    init?(name word: String) {
        let isPlain = word.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        guard (2...40).contains(word.utf8.count), isPlain, let first = word.first, first.isLetter else { return nil }
        // Its type would have the name of the protocol that it conforms to.
        guard word.lowercased() != "payment" else { return nil }
        name = first.uppercased() + word.dropFirst()
        id = word.lowercased()
    }

    /// Returns a text as it may stand between quotation marks in a manifest, or nil if it may not.
    static func literal(_ text: String) -> String? {
        let isSafe = text.unicodeScalars.allSatisfy { !Printable.isUnsafe($0) && $0 != "\"" && $0 != "\\" }
        return isSafe && !text.isEmpty ? text : nil
    }

    /// Returns the files by their paths in the package.
    ///
    /// - Parameter package: The path of swift-payment-router.
    func files(package: String) -> [(path: String, text: String)] {
        [
            ("Package.swift", ProviderTemplateFiles.manifest),
            ("README.md", ProviderTemplateFiles.readme),
            ("Sources/SampleProvider/SampleProvider.swift", ProviderTemplateFiles.provider),
            ("Tests/SampleProviderTests/SampleService.swift", ProviderTemplateFiles.service),
            ("Tests/SampleProviderTests/SampleProviderTests.swift", ProviderTemplateFiles.tests),
        ].map { (named($0), named($1).replacing("@PACKAGE@", with: package)) }
    }

    private func named(_ text: String) -> String {
        text.replacing("Sample", with: name).replacing("sample", with: id)
    }
}

/// The files that `new-provider` writes, for a provider called Sample.
///
/// `make check-examples` compiles them as another package does; `make new-provider-test` checks their format, builds
/// them and runs their tests.
enum ProviderTemplateFiles {
    static let manifest = #"""
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "sample-provider",
            platforms: [.macOS(.v15), .iOS(.v18)],
            products: [.library(name: "SampleProvider", targets: ["SampleProvider"])],
            dependencies: [.package(name: "swift-payment-router", path: "@PACKAGE@")],
            targets: [
                .target(
                    name: "SampleProvider", dependencies: [.product(name: "PaymentCore", package: "swift-payment-router")]),
                .testTarget(
                    name: "SampleProviderTests",
                    dependencies: [
                        "SampleProvider",
                        .product(name: "PaymentCore", package: "swift-payment-router"),
                        .product(name: "PaymentSimulation", package: "swift-payment-router"),
                        .product(name: "PaymentTesting", package: "swift-payment-router"),
                    ]),
            ],
            swiftLanguageModes: [.v6]
        )

        """#

    static let readme = #"""
        # SampleProvider

        Pays orders at Sample. Register it like any other provider:

        ```swift
        import PaymentCore
        import PaymentRouting
        import SampleProvider

        let provider = SampleProvider(service: try HTTPURL("https://api.sample.example"))
        let registry = try ProviderRegistry([provider])
        ```

        `swift test` runs the conformance kit: spoilt answers, crashes and cancellations at any moment, secrets in logs. Then it plays
        histories with crashes, several devices and wrong clocks. Both know of Sample what `SimulatedSample` says. Change one thing at a
        time, and keep it green:

        1. the links: `descriptor.patterns` and `recognize(_:)`
        2. the service's answers: `SampleOrder`, and the simulated service in the tests beside it
        3. the states: every word that the service knows, in `report(of:)`; what is not known stays unknown
        4. what moves money: in `context.step(_, .mutation(replay:))` and nothing else there; `.sameKey` only where the service
           recognises a repetition by its key
        5. secrets: from `context.secrets`, and in the `secrets` of `SimulatedSample`
        6. refunds and cancelling: `RefundingService`, `CancellingService`, and what `SimulatedSample` knows of them

        """#

    static let provider = #"""
        public import PaymentCore

        /// Pays orders at Sample: links look like `https://sample.example/order/42`.
        public struct SampleProvider: PaymentProvider {
            /// The service's address.
            public let service: HTTPURL

            /// Creates a provider.
            ///
            /// - Parameter service: The service's address; another one for a test or a sandbox.
            public init(service: HTTPURL) { self.service = service }

            /// Its name, the links that it claims, and the only host that it may call.
            public var descriptor: ProviderDescriptor {
                ProviderDescriptor(
                    id: "sample", name: "Sample", patterns: [.host("sample.example", path: "/order")],
                    outboundHosts: [service.authority])
            }

            /// Reads the order's id from a link. Nothing is asked for it, and no link is trusted that could lead
            /// elsewhere.
            public func recognize(_ link: PaymentLink) -> LinkMatch? {
                let parts = link.path.split(separator: "/")
                guard parts.count == 2, PathSegment.isSafe(parts[1]) else { return nil }
                return LinkMatch(.payment(String(parts[1])))
            }

            /// Asks what is to be paid.
            ///
            /// - Throws: ``PaymentError``; nothing has been paid then.
            public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
                let order: SampleOrder = try await context.json(.get, service.appending(["orders", request.reference.id]))
                let price = try order.amount()
                let report = try order.report(of: request.reference)
                return ProviderQuote(
                    reference: request.reference, payee: Payee(name: order.shop), amount: price,
                    options: report.isFinal
                        ? [] : [PaymentMethodOption(id: "account", title: "From the account", amount: price)],
                    report: report.isFinal ? report : nil)
            }

            /// Pays. What moves money stands in the step, and nothing else does.
            ///
            /// - Throws: ``PaymentError``; its phase says whether money can have moved.
            public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
                let url = try service.appending(["orders", attempt.reference.id, "pay"])
                let price = attempt.option.amount.decimalText
                // Sample does not recognise repetitions, so a payment whose fate is not known is asked about, never
                // sent again.
                let order: SampleOrder = try await context.step("pay", .mutation(replay: .never)) {
                    try await context.json(.post, url, body: ["price": .string(price)])
                }
                return try order.report(of: attempt.reference)
            }

            /// Asks what has become of a payment.
            ///
            /// - Throws: ``PaymentError`` when the question is not answered, which says nothing about the payment.
            public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
                let order: SampleOrder = try await context.json(.get, service.appending(["orders", payment.id]))
                return try order.report(of: payment)
            }
        }

        /// An order as the service reports it.
        struct SampleOrder: Codable, Sendable {
            let id: String
            let shop: String
            let price: String
            let state: String

            /// The exact price.
            func amount() throws -> Money {
                do { return try Money(decimal: price, currency: .eur) } catch {
                    throw PaymentError(.invalidResponse, "the order's price is no amount: \(error)", phase: .answered)
                }
            }

            /// The report that the order's state means. A state that is not known stays unknown and is kept: never a
            /// guess.
            func report(of payment: PaymentReference) throws -> ServiceReport {
                guard id == payment.id else {
                    return .unknown(UnknownOutcome(reference: payment, message: "the service spoke of another order"))
                }
                switch state {
                case "paid": return .succeeded(PaymentReceipt(reference: payment, amount: try amount()))
                case "void": return .cancelled
                case "open", "working": return .pending(retryAfter: nil)
                default:
                    return .unknown(
                        UnknownOutcome(
                            reference: payment, rawStatus: String(state.prefix(40)), message: "the order's state is not known"))
                }
            }
        }

        """#

    static let service = #"""
        import Foundation
        import PaymentCore
        import PaymentTesting
        import SampleProvider

        /// The service itself, simulated: orders that become void when they are not paid in time.
        actor SampleService: SandboxService {
            private struct Order {
                let price: String
                let end: Date
                /// True if a payment never settles.
                let isSlow: Bool
                /// The number of times that it was paid: never more than one.
                var payments = 0
            }

            private let clock: any PaymentClock
            private var orders: [String: Order] = [:]

            init(clock: any PaymentClock) { self.clock = clock }

            /// Makes an order, and returns its id.
            func makeOrder(price: String = "4.80", isSlow: Bool = false) -> String {
                let id = String(42 + orders.count)
                orders[id] = Order(price: price, end: clock.now.addingTimeInterval(900), isSlow: isSlow)
                return id
            }

            /// Returns the number of times that an order was paid.
            func payments(of id: String) -> Int { orders[id]?.payments ?? 0 }

            private func state(_ order: Order) -> String {
                if order.payments > 0 { return order.isSlow ? "working" : "paid" }
                return clock.now < order.end ? "open" : "void"
            }

            func respond(to request: HTTPRequest) -> HTTPResponse {
                let path = request.url.path.split(separator: "/").map(String.init)
                guard path.count >= 2, path[0] == "orders", var order = orders[path[1]] else { return answer(404, [:]) }
                if request.method == .post, path.dropFirst(2) == ["pay"] {
                    let price = (try? JSONValue(parsing: request.body))?["price"]?.string
                    guard price == order.price else { return answer(422, ["error": "another price"]) }
                    guard state(order) == "open" else { return answer(409, ["error": "it is not open"]) }
                    order.payments += 1
                    orders[path[1]] = order
                }
                return answer(
                    200,
                    [
                        "id": .string(path[1]), "shop": "Sample Shop", "price": .string(order.price),
                        "state": .string(state(order)),
                    ])
            }

            private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
                HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
            }
        }

        /// The vendor as tests know it: the service, the provider that pays there, and what is true of each order.
        struct SimulatedSample: SimulatedVendor {
            let scenarios = [
                SimulatedScenario("paid", "It is paid at once.", ending: .paid),
                SimulatedScenario("slow", "A payment never settles.", ending: .open),
            ]
            let services: [any PaymentService]
            let service: SampleService

            init(clock: any PaymentClock, random: any RandomSource) throws {
                services = [SampleProvider(service: try HTTPURL("https://api.sample.example"))]
                service = SampleService(clock: clock)
            }

            var hosts: [String: any SandboxService] { ["api.sample.example": service] }

            func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
                let price = try amount ?? Money(decimal: "4.80", currency: .eur)
                let id = await service.makeOrder(price: price.decimalText, isSlow: scenario.ending == .open)
                return SampleOrderPayment(service: service, id: id, price: price)
            }
        }

        private struct SampleOrderPayment: SimulatedPayment {
            let service: SampleService
            let id: String
            let price: Money?

            var reference: PaymentReference { PaymentReference(provider: "sample", id: id) }
            var links: [String] { ["https://sample.example/order/\(id)"] }

            func truth() async -> PaymentTruth {
                var truth = PaymentTruth(taken: Array(repeating: price?.minorUnits, count: await service.payments(of: id)))
                truth.amounts = price.map { [$0] } ?? []
                return truth
            }

            func isMoved(by request: HTTPRequest) -> Bool { request.url.path == "/orders/\(id)/pay" }
        }

        """#

    static let tests = #"""
        import PaymentCore
        import PaymentSimulation
        import PaymentTesting
        import Testing

        @testable import SampleProvider

        @Suite("Sample")
        struct SampleProviderTests {
            @Test("It conforms: spoilt answers, crashes and cancellations at any moment, secrets, hosts")
            func conformance() async {
                let report = await ProviderConformance.check(SimulatedSample.self)
                // It has no secrets yet: name them in the vendor's `secrets` as soon as it has some.
                #expect(report.isPassed && report.skipped == [.echoes, .secrets], "\(report)")
            }

            @Test("Histories with crashes, lost answers and several devices break nothing")
            func histories() {
                let broken = VendorSimulation.play(SimulatedSample.self, histories: 0..<100)
                #expect(broken.isEmpty, "\(broken)")
            }

            @Test(
                "Every state of the service has its report, and a state that is not known is unknown",
                arguments: [("paid", true), ("void", true), ("open", false), ("working", false), ("brand-new", false)])
            func states(word: String, isFinal: Bool) throws {
                let payment = PaymentReference(provider: "sample", id: "42")
                let order = SampleOrder(id: "42", shop: "Sample Shop", price: "4.80", state: word)
                #expect(try order.report(of: payment).isFinal == isFinal)
                #expect(try !order.report(of: PaymentReference(provider: "sample", id: "43")).isFinal)
            }

            @Test(
                "Links that name an order are read, others are not its own",
                arguments: [
                    ("https://sample.example/order/42", "42"), ("https://sample.example/order", nil),
                    ("https://sample.example/order/42/more", nil), ("https://sample.example/order/..%2F", nil),
                ])
            func links(text: String, order: String?) throws {
                let provider = SampleProvider(service: try HTTPURL("https://api.sample.example"))
                #expect(provider.recognize(try PaymentLink(text))?.reference == order)
            }
        }

        """#
}
