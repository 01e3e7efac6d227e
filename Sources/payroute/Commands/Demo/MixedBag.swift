import PaymentRouting
import SandboxSupport

/// Texts of every kind that a scanner or a deep link may bring: each vendor's, and some of no vendor.
enum MixedBag {
    static func samples(of vendors: SandboxVendors) -> [SampleText] { vendors.list.flatMap(\.samples) + others }
    private static let others = [
        SampleText("some web page", "https://example.com/checkout?order=42", .unroutable),
        SampleText("merchant QR code (EMV)", emv, .recognized),
        SampleText("no link at all", "two for the price of one!", .unroutable),
    ]

    // EMVCo's merchant-presented layout: tag, length, value; 63 is the checksum.
    private static let emv =
        "00020101021226180014com.example.qr5204581253038405802US5911Coffee Cart6008New York6304947F"

    /// Shows the routed texts as a table; true when every text was routed as expected.
    static func show(_ console: Console) throws -> Bool {
        let registry = try console.vendors.registry()
        var table = Table(["TEXT", "WHAT IT IS", "DECISION", "TRUST", "WHY"])
        var agrees = true
        for sample in samples(of: console.vendors) {
            let report = RouteReport(
                sample.text, Installation.route(sample.text, registry), of: console.vendors)
            agrees = agrees && sample.agrees(with: report)
            let tone = report.isVerified == false ? Style.Tone.doubtful : report.decision.tone
            table.add([
                Table.Cell(Printable.link(report.input, 36)), Table.Cell(sample.title),
                Table.Cell(report.decision.rawValue, tone), Table.Cell(report.trust ?? "-"),
                Table.Cell(Printable.text(report.reason)),
            ])
        }
        console.show(table)
        return agrees
    }
}

extension SampleText {
    /// Returns true if the router's report is the expected one.
    func agrees(with report: RouteReport) -> Bool {
        report.decision.rawValue == decision.rawValue && report.isVerified == isVerified
    }
}
