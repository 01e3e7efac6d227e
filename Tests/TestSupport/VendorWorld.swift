import Foundation
package import PaymentCore
package import PaymentLoopback
package import PaymentRouting
package import PaymentTesting
import PaymentTransport

/// A vendor's sandbox with a ledger.
package protocol WorldSandbox: SandboxService {
    /// The origin of the vendor's service.
    static var origin: String { get }
    /// The header fields of requests that name none.
    static var headers: [(String, String)] { get }
    var ledger: SandboxLedger { get async }
}

extension WorldSandbox {
    package static var headers: [(String, String)] { [] }
}

/// A vendor's sandbox on virtual time, behind a network that records requests and can fail.
///
/// `Service` is the vendor's service that ``router`` has. It is `Void` in suites that send their own requests or make
/// their own services.
package struct VendorWorld<Sandbox: WorldSandbox, Service: Sendable>: Sendable {
    package let clock: VirtualClock
    package let sandbox: Sandbox
    package let faults: FaultInjector
    /// The server of the sandbox; nil if it is called in the same process.
    package private(set) var server: LoopbackServer?
    package private(set) var wire: RecordingTransport
    package let journal: InMemoryJournal
    package let service: Service
    package let router: PaymentRouter

    /// Adds a service to a world.
    private init(_ world: VendorWorld<Sandbox, Void>, _ service: Service, _ router: PaymentRouter) {
        (clock, sandbox, faults, journal) = (world.clock, world.sandbox, world.faults, world.journal)
        (server, wire) = (world.server, world.wire)
        (self.service, self.router) = (service, router)
    }

    /// Returns a router over this world's network and time. Another journal makes it that of another process.
    package func router(
        of services: any PaymentService..., over transport: (any HTTPTransport)? = nil,
        journal: (any PaymentJournal)? = nil, seed: UInt64 = 7, secrets: any SecretStore = NoSecrets(),
        log: PaymentLog = .silent
    ) throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry(services), transport: transport ?? wire, journal: journal ?? self.journal,
            clock: clock, random: SeededRandomSource(seed: seed), secrets: secrets, log: log)
    }
}

extension VendorWorld where Service == Void {
    /// Opens a sandbox in this process.
    ///
    /// - Parameters:
    ///   - start: The time at first, in seconds since 1970.
    ///   - seed: The seed of the sandbox's random numbers.
    ///   - open: Returns the sandbox.
    package init(
        at start: Double = 1_800_000_000, seed: UInt64 = 6, _ open: (VirtualClock, SeededRandomSource) -> Sandbox
    ) {
        clock = VirtualClock(Date(timeIntervalSince1970: start))
        sandbox = open(clock, SeededRandomSource(seed: seed))
        faults = FaultInjector(sandbox)
        wire = RecordingTransport(over: SandboxTransport(faults))
        journal = InMemoryJournal()
        service = ()
        // Without services a registry has nothing to refuse.
        router = PaymentRouter(registry: try! ProviderRegistry([]), transport: wire, journal: journal, clock: clock)
    }

    /// Returns this world with its sandbox behind `wire`.
    package func on(_ wire: Wire) throws -> Self {
        guard wire == .loopback else { return self }
        var served = self
        served.server = try LoopbackServer(faults)
        served.wire = RecordingTransport(over: PlatformTransport())
        return served
    }

    /// Returns this world with a service, and a router that has it and `others`.
    package func serving<Other: PaymentService>(
        _ service: Other, _ others: any PaymentService..., through network: (any HTTPTransport)? = nil,
        seed: UInt64 = 7,
        log: PaymentLog = .silent
    ) throws -> VendorWorld<Sandbox, Other> {
        let router = PaymentRouter(
            registry: try ProviderRegistry([service] + others), transport: network ?? wire, journal: journal,
            clock: clock, random: SeededRandomSource(seed: seed), log: log)
        return VendorWorld<Sandbox, Other>(self, service, router)
    }
}

// MARK: - Requests

extension VendorWorld {
    /// The origin of the sandbox's API.
    package var origin: String { server?.baseURL.origin ?? Sandbox.origin }

    package func send(_ request: HTTPRequest) async throws -> PayAnswer { PayAnswer(try await wire.send(request)) }

    /// Sends a request to a path of the sandbox, or to a URL.
    package func send(
        _ method: HTTPRequest.Method, _ url: String, _ body: JSONValue? = nil,
        headers: [(String, String)] = Sandbox.headers
    ) async throws -> PayAnswer {
        var request = HTTPRequest(method, try HTTPURL(url.contains("://") ? url : origin + url))
        if let body {
            request.body = body.serialized()
            request.headers["Content-Type"] = "application/json"
        }
        for (name, value) in headers { request.headers.append(name, value) }
        return try await send(request)
    }

    /// The number of requests of a method to a path that reached the sandbox, whether or not it carried them out.
    package func requests(_ method: String, _ path: String) -> Int {
        faults.requests.count { $0.method == method && $0.path == path }
    }
}

// MARK: - Truth

extension VendorWorld {
    package func events(_ payment: String) async -> [SandboxLedger.Event] { await sandbox.ledger.events(of: payment) }
    package func captures(_ payment: String) async -> Int { await sandbox.ledger.captures(of: payment) }

    /// The amounts that were refunded, oldest first.
    package func refunds(_ payment: String) async -> [String] {
        await events(payment).compactMap { if case .refunded(let amount) = $0 { amount } else { nil } }
    }
}
