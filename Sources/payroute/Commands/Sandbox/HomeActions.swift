import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import SandboxHome
import SandboxSupport

/// The actions that this program passes to the sandbox's home: the page shows what the command line shows.
struct HomeActions: SandboxActions {
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
