import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentStandards
import TestSupport

/// The cost of recognising and reading one payment text, over the valid texts of the test vectors.
enum StandardsBenchmark {
    /// The cost of one text, in nanoseconds; each column includes those before it.
    private struct Row {
        let standard: String
        /// The strict scan alone.
        let link: Double
        /// The typed value too: every part found, decoded and checked, checksums and signatures among them.
        let read: Double
        /// The value's fields by the standard's names too.
        let fields: Double
        /// The common reading too, which holds the fields.
        let instruction: Double
    }

    static func run() throws {
        let reader = StandardsReader()
        let texts = try Vectors.texts().flatMap(\.valid)
        // Each text separately, since the median over texts is the cost of a typical one.
        let rows = texts.compactMap { measure($0, reader) }
        print(
            "Reading, \(rows.count) valid texts of the vectors, each measured by itself; nanoseconds, each column's work"
        )
        print("includes that of the columns before it. read: the typed value, every part decoded and checked")
        print(
            "median over texts of".column(28) + "texts".column(7, right: true) + "scan".column(9, right: true)
                + "read".column(9, right: true) + "fields".column(9, right: true)
                + "instruction".column(13, right: true))
        func line(_ name: String, _ rows: [Row]) {
            guard !rows.isEmpty else { return }
            func median(_ figure: (Row) -> Double) -> String { Measure.median(rows.map(figure)).text(0) }
            print(
                name.column(28) + "\(rows.count)".column(7, right: true) + median(\.link).column(9, right: true)
                    + median(\.read).column(9, right: true) + median(\.fields).column(9, right: true)
                    + median(\.instruction).column(13, right: true))
        }
        let signed: Set = [
            "bolt11", "bolt12-offer", "bolt12-invoice", "bolt12-invoice-request", "bip353-proof", "sep7",
        ]
        line("all", rows)
        line("all without signatures", rows.filter { !signed.contains($0.standard) })
        for standard in Set(rows.map(\.standard)).sorted() {
            line("  " + standard, rows.filter { $0.standard == standard })
        }
        try invoices(reader, rows.isEmpty ? [] : texts.filter { $0.hasPrefix("lnbc") })
        length(texts)
    }

    private static func measure(_ text: String, _ reader: StandardsReader) -> Row? {
        guard let link = try? PaymentLink(text), case .sound(let value) = reader.recognize(link) else { return nil }
        func subject(_ name: String, _ use: @escaping (any PaymentStandard) -> Void) -> Subject {
            Subject(name: name, operations: 1) {
                if let link = try? PaymentLink(text), case .sound(let value) = reader.recognize(link) {
                    use(value.value)
                }
            }
        }
        let figures = Measure.nanoseconds(
            [
                Subject(name: "scan", operations: 1) { blackHole(try? PaymentLink(text)) },
                subject("read") { blackHole($0) },
                subject("fields") { blackHole($0.fields) },
                subject("instruction") { blackHole($0.instruction) },
            ], rounds: 5, callsPerRound: 400)
        return Row(
            standard: value.standard, link: figures[0], read: figures[1], fields: figures[2], instruction: figures[3])
    }

    /// An invoice whose payee is recovered, beside libsecp256k1's recovery alone.
    private static func invoices(_ reader: StandardsReader, _ texts: [String]) throws {
        let invoice = texts.compactMap { text -> (String, Bolt11)? in
            guard let link = try? PaymentLink(text), let value = try? Bolt11(link) else { return nil }
            return (text, value)
        }.min { $0.0.utf8.count < $1.0.utf8.count }
        guard let (text, value) = invoice else { return }
        let signature = try RecoverableSignature(
            r: Array(value.signature[..<32]), s: Array(value.signature[32...]), recoveryID: value.recoveryID,
            allowingHighS: true)
        let digest = Digest.sha256.hash(Array("any digest will do".utf8))
        let figures = Measure.nanoseconds(
            [
                Subject(name: "recovery", operations: 1) {
                    blackHole(try? Secp256k1PublicKey.recover(digest: digest, signature: signature))
                },
                Subject(name: "invoice", operations: 1) {
                    if let link = try? PaymentLink(text) { blackHole(reader.recognize(link)) }
                },
            ], callsPerRound: 200)
        print(
            "a BOLT 11 invoice of \(text.utf8.count) bytes: \(figures[1].text(0)) ns, "
                + "\((figures[1] / figures[0]).text(2)) times a bare recovery (\(figures[0].text(0)) ns)")
    }

    /// Checks that reading takes time linear in the length, for each standard up to the longest possible text: its
    /// shortest sound text with suffixes that strain parsers.
    private static func length(_ texts: [String]) {
        var worst: [(standard: String, way: String, ratio: Double)] = []
        for standard in KnownStandards.all {
            let reader = StandardsReader([standard])
            let own = texts.filter { text in
                if let link = try? PaymentLink(text), case .sound = reader.recognize(link) { true } else { false }
            }
            guard let text = own.min(by: { $0.utf8.count < $1.utf8.count }) else { continue }
            for (way, piece) in ways {
                let longer = [1000, 8000].map { length in
                    text + String(repeating: piece, count: max(0, length - text.utf8.count) / piece.utf8.count)
                }
                // Called directly, as if its patterns accepted every text.
                let figures = Measure.nanoseconds(
                    longer.map { text in
                        Subject(name: way, operations: 1) {
                            if let link = try? PaymentLink(text) { blackHole(try? standard.init(link)) }
                        }
                    }, rounds: 3, callsPerRound: 20)
                worst.append((standard.id, way, figures[1] / figures[0]))
            }
        }
        worst.sort { $0.ratio > $1.ratio }
        print(
            "\nFrom 1 KiB to 8 KiB, \(KnownStandards.all.count) readers of standards in \(ways.count) ways: "
                + "at most \((worst.first?.ratio ?? 0).text()) times the time; 64 would be quadratic")
        for item in worst.prefix(8) {
            print("  " + item.standard.column(26) + item.way.column(22) + item.ratio.text().column(8, right: true))
        }
    }

    /// The suffixes, repeated behind a text.
    private static let ways: [(String, String)] = [
        ("letters", "a"), ("capitals", "A"), ("digits", "1"), ("zeros", "0"), ("bech32", "q"), ("parameters", "&a=1"),
        ("a query", "?a=1&"), ("escapes", "%41"), ("segments", "/A"), ("points", ".1"), ("lines", "\n"),
        ("stars", "*X-A:1"),
        ("pipes", "|A"), ("semicolons", ";1"), ("tags", "2600"), ("brackets", "["),
    ]
}
