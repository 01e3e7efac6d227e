import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import SandboxHome
import SandboxSupport

/// The vendors' simulated services together, at one address.
struct SandboxServices {
    let all: [any ListedService]

    /// Creates every service.
    ///
    /// - Parameters:
    ///   - vendors: Their vendors.
    ///   - lifetime: The time in which payments can be paid, in seconds, or nil for that of the real services.
    ///   - pace: The delay before the next question while a payment is open, in milliseconds.
    ///   - webhooks: The receiver, on this machine, of webhooks whose payment names none, or nil if there is none.
    ///   - clock: The services' clock.
    init(
        _ vendors: SandboxVendors, random: any RandomSource = SystemRandomSource(), lifetime: Int64? = nil,
        pace: Int64? = nil,
        webhooks: HTTPURL? = nil, clock: any PaymentClock = SystemPaymentClock()
    ) {
        let settings = SandboxSettings(
            clock: clock, random: random, transport: LocalTransport(base: StandardTransport()), lifetime: lifetime,
            pace: pace, webhooks: webhooks)
        all = vendors.list.compactMap { $0.makeSandbox(settings) }
    }

    /// The service that answers for all of them.
    var service: SharedAddress { SharedAddress(all.flatMap { $0.routes() }) }

    /// The services' names for people.
    var titles: String { all.map(\.title).joined(separator: ", ") }

    /// The service that `provider` pays at.
    subscript(provider: ProviderID) -> (any ListedService)? { all.first { $0.id == provider.rawValue } }
}

/// A network that ends at this machine: a simulated service notifies no other machine of simulated payments.
struct LocalTransport: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.url.isLoopback else {
            throw TransportError(.notSent, .hostNotDeclared(request.url.authority), origin: request.url.origin)
        }
        return try await base.send(request)
    }
}

/// The actions that this program passes to the sandbox's home. The page shows the same as the command line.
struct HomeActions: SandboxActions {
    let program: String? = "payroute"
    private let vendors: SandboxVendors
    private let registry: ProviderRegistry
    private let clock: any PaymentClock

    init(_ vendors: SandboxVendors, clock: any PaymentClock = SystemPaymentClock()) throws {
        self.vendors = vendors
        registry = try vendors.registry()
        self.clock = clock
    }

    func read(_ text: String) -> TextReading {
        let answer = Installation.route(text, registry)
        let inspected = InspectedText(text, answer, in: ReadingContext(vendors, registry, at: clock.now))
        let (report, inspection) = (inspected.report, inspected.inspection)
        var reading = TextReading()
        reading.summary = Printable.text(inspected.reading.summary, limit: 2000)
        reading.rows = inspected.reading.rows.filter { $0.label != "note" }
        reading.common = inspected.reading.json
        reading.shown = Printable.text(report.input, limit: 8192)
        reading.decision = report.decision.rawValue
        reading.provider = report.provider
        reading.standard = report.standard
        reading.candidates = report.candidates
        reading.role = report.role
        reading.trust = report.trust
        reading.reference = report.reference.map { Printable.text($0) }
        reading.reason = Printable.text(report.reason)
        reading.error = inspection.error.map { Printable.text($0) }
        reading.hidesSecret = inspection.hidesSecret
        reading.lookAlike = report.resembles?.explanation
        reading.fields = inspection.rows.map { ($0.label, Printable.text($0.text, limit: 8192)) }
        reading.warnings = inspected.reading.warnings.map { (Printable.text($0.name), Printable.text($0.words)) }
        return reading
    }

    func texts(in picture: [UInt8]) throws(PictureError) -> [String] {
        do { return try CodeReader.texts(of: picture, called: "The picture") } catch {
            let words = "\(error)"
            throw PictureError(words.prefix(1).uppercased() + words.dropFirst() + ".")
        }
    }

    func picture(of text: String) -> String? {
        QRCode(text).map { String(decoding: QRImage.svg.bytes(of: $0), as: UTF8.self) }
    }

    func pay(
        _ payment: SandboxPayment, at base: HTTPURL, onStep: @escaping @Sendable (String, String) -> Void
    ) async -> PaidReport {
        let journal = InMemoryJournal()
        do {
            let session = try PaymentSession(
                vendors, sandbox: base, wallet: DevelopmentWallet(seed: 1), transport: StandardTransport(),
                journal: journal,
                clock: clock,
                amount: try payment.satoshi.map { try Money(minorUnits: UInt128($0), currency: .satoshi) },
                privately: payment.isPrivate ? PrivateSettings(seed: 1, isOnly: true) : nil
            ) { event in for line in event.lines { onStep(event.label, Printable.text(line)) } }
            let result = await session.pay(payment.link, trustsLink: !payment.isTrusted)
            let page = await journal.attempts(AttemptQuery())
            let entries = page.histories.flatMap(\.entries).map { entry in
                Printable.text("\(AttemptSummary.text(entry.date)) \(entry.words.what) \(entry.words.detail)")
            }
            return PaidReport(
                outcome: result.ending.rawValue, reason: Printable.text(result.reason), journal: entries)
        } catch {
            return PaidReport(outcome: "failed", reason: Printable.text("\(error)"), journal: [])
        }
    }
}
