public import PaymentCore
import PaymentLoopback
import PaymentRouting
public import PaymentTesting
import PaymentTransport
import SandboxHome
import SandboxSupport

/// A vendor's simulated service on this machine, with the pages of the sandbox: its scenarios, each request that comes,
/// and where the money went.
///
/// The vendor's `SimulatedVendor` is all that it needs:
///
/// ```swift
/// let sandbox = try await VendorSandbox(SimulatedTea.self, port: 8080)
/// print("Open \(sandbox.url.text)")
/// ```
///
/// Each host of the vendor answers below its name. A program under test calls
/// `http://127.0.0.1:8080/api.tea.example` in place of `https://api.tea.example`.
public final class VendorSandbox: Sendable {
    /// The address of the pages, such as `http://127.0.0.1:8080`.
    public let url: HTTPURL
    private let home: SandboxHome
    private let server: LoopbackServer

    /// Serves a vendor's service without payments.
    ///
    /// - Parameters:
    ///   - vendor: The vendor.
    ///   - port: The port on 127.0.0.1; 0 for any free one.
    /// - Throws: `SandboxError` if the port cannot be served, and the error of a description that is wrong.
    public init<Vendor: SimulatedVendor>(_ vendor: Vendor.Type, port: UInt16 = 0) async throws {
        let clock = SandboxClock()
        let vendor = try Vendor(clock: clock, random: SystemRandomSource())
        let actions = VendorActions(vendor, try ProviderRegistry(vendor.services), clock)
        home = SandboxHome([DescribedService(vendor)], actions: actions, clock: clock)
        server = try LoopbackServer(home, port: port)
        url = server.baseURL
        await home.open()
    }

    /// Ends all work, and frees the port.
    public func close() async {
        await home.close()
        server.stop()
    }
}

/// What the pages do with a vendor's own provider and payer.
private struct VendorActions: SandboxActions {
    private let vendor: any SimulatedVendor
    private let registry: ProviderRegistry
    private let clock: any PaymentClock

    init(_ vendor: any SimulatedVendor, _ registry: ProviderRegistry, _ clock: any PaymentClock) {
        (self.vendor, self.registry, self.clock) = (vendor, registry, clock)
    }

    var program: String? { nil }

    func read(_ text: String) -> TextReading {
        let decision = registry.route(text)
        var reading = TextReading()
        reading.shown = Printable.text(decision.shown(text), limit: 8192)
        reading.summary = Printable.text(decision.explanation, limit: 2000)
        reading.reason = reading.summary
        reading.decision = decision.route == nil ? "unroutable" : "matched"
        reading.provider = decision.route?.provider.rawValue
        reading.reference = (decision.route?.match.reference).map { Printable.text($0) }
        reading.hidesSecret = decision.holdsSecret
        return reading
    }

    func texts(in picture: [UInt8]) throws(PictureError) -> [String] {
        throw PictureError("Pictures are not read here. Paste the text.")
    }

    func picture(of text: String) -> String? { nil }

    func pay(
        _ payment: SandboxPayment, at base: HTTPURL, onStep: @escaping @Sendable (String, String) -> Void
    ) async -> PaidReport {
        let network = VendorNetwork(hosts: Set(vendor.hosts.keys), base: base)
        let router = PaymentRouter(registry: registry, transport: network, journal: InMemoryJournal(), clock: clock)
        var payer = vendor.payer
        if payer.chooser == nil, payer.policy == nil { payer.policy = .firstWhateverItCosts }
        let statement: PaymentStatement
        do throws(PaymentError) {
            statement = .stated(try await router.pay(payment.link, as: payer, acceptingUnverified: true))
        } catch {
            let reference = registry.route(payment.link).route.flatMap { route in
                route.match.reference.map { PaymentReference(provider: route.provider, id: $0) }
            }
            statement = await router.statement(on: error, of: reference)
        }
        return switch statement {
        case .stated(let outcome): PaidReport(outcome: outcome.name, reason: "\(outcome)", journal: [])
        case .unanswered(let error, _): PaidReport(outcome: "unknown", reason: "\(error)", journal: [])
        case .notBegun(let error): PaidReport(outcome: "failed", reason: "\(error.fact)", journal: [])
        }
    }
}

/// The way to a vendor's hosts at its sandbox. There is none to another host.
private struct VendorNetwork: HTTPTransport {
    let hosts: Set<String>
    let base: HTTPURL
    private let transport = StandardTransport()

    init(hosts: Set<String>, base: HTTPURL) { (self.hosts, self.base) = (hosts, base) }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let (host, query) = (request.url.authority, request.url.query.map { "?" + $0 } ?? "")
        guard hosts.contains(host), let url = try? HTTPURL("\(base.origin)/\(host)\(request.url.path)\(query)") else {
            throw TransportError(.notSent, .hostNotDeclared(host), origin: request.url.origin)
        }
        var request = request
        request.url = url
        return try await transport.send(request)
    }
}
