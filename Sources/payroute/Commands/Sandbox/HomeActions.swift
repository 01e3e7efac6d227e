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
        let report = RouteReport(text, answer, of: vendors)
        let inspection = Inspection(answer, of: vendors)
        var reading = TextReading()
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
        reading.lookAlike = report.resembles.map { real in
            "\(real.host) of \(real.provider.rawValue) (\(real.difference.rawValue)): it is not that host"
        }
        reading.fields = inspection.fields.sorted { $0.key < $1.key }.map {
            (Printable.text($0.key), Printable.text($0.value.string ?? $0.value.text, limit: 8192))
        }
        if let instruction = answer.instruction(of: vendors) {
            reading.warnings = instruction.warnings.map { ($0.rawValue, $0.words) }
        }
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
            ) { onStep($0, Printable.text($1)) }
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

extension InstructionWarning {
    /// The meaning, for people.
    fileprivate var words: String {
        switch self {
        case .testNetwork: "money of a test network, worth nothing"
        case .missingChecksum: "nothing in the account would show a typing mistake"
        case .expires: "it names a time that may have passed"
        case .amountEditable: "the payer may change the amount"
        case .amountMayDiffer: "the payee may demand another amount than the one printed"
        case .amountsDiffer: "the text and something inside it name different amounts"
        case .missingTag: "a memo or tag that decides whose money it becomes is not there"
        case .missingField: "fields that the standard demands are not there"
        case .contractCall: "it calls a contract; what that does cannot be read from the text"
        case .followsURL: "it leads on to an address on the network that decides about the payment"
        case .opensNothing: "another app or page would be opened afterwards, and may not be"
        case .unsignedOrigin: "the payee is named, but the name is not signed"
        default: rawValue.split(separator: "-").joined(separator: " ")
        }
    }
}
