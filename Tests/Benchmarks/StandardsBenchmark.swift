import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentStandards
import TestSupport

/// What recognising and reading one payment text costs, over the valid texts of the test vectors.
enum StandardsBenchmark {
    static func run() throws {
        let reader = StandardsReader()
        let texts = try Vectors.texts().flatMap(\.valid)
        // Each text by itself, since the median over texts is what a typical one costs.
        var rows: [(standard: String, link: Double, read: Double)] = []
        for text in texts {
            guard let link = try? PaymentLink(text), case .sound(let value) = reader.recognize(link) else { continue }
            let figures = Measure.nanoseconds(
                [
                    Subject(name: "link", operations: 1) { blackHole(try? PaymentLink(text)) },
                    Subject(name: "read", operations: 1) {
                        if let link = try? PaymentLink(text) { blackHole(reader.recognize(link)) }
                    },
                ], rounds: 5, callsPerRound: 400)
            rows.append((value.standard, figures[0], figures[1]))
        }
        print("Reading, \(rows.count) valid texts of the vectors, each measured by itself")
        print("texts of".column(28) + "texts".column(7, right: true) + "median ns".column(12, right: true))
        func row(_ name: String, _ figures: [Double]) {
            guard !figures.isEmpty else { return }
            print(
                name.column(28) + "\(figures.count)".column(7, right: true)
                    + Measure.median(figures).text(0).column(12, right: true))
        }
        let signed: Set = [
            "bolt11", "bolt12-offer", "bolt12-invoice", "bolt12-invoice-request", "bip353-proof", "sep7",
        ]
        row("all: PaymentLink(_:) alone", rows.map(\.link))
        row("all", rows.map(\.read))
        row("all without signatures", rows.filter { !signed.contains($0.standard) }.map(\.read))
        for standard in Set(rows.map(\.standard)).sorted() {
            row("  " + standard, rows.filter { $0.standard == standard }.map(\.read))
        }
        try invoices(reader, rows.isEmpty ? [] : texts.filter { $0.hasPrefix("lnbc") })
        try length(reader)
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

    /// Whether a text of twice the length costs about twice as much, up to the longest that there may be.
    private static func length(_ reader: StandardsReader) throws {
        print(
            "\n" + "text of growing length".column(28) + "1 KiB".column(10, right: true)
                + "8 KiB".column(10, right: true) + "ratio".column(8, right: true))
        for (name, make) in growing {
            let texts = [1000, 8000].map(make)
            let figures = Measure.nanoseconds(
                texts.map { text in
                    Subject(name: name, operations: 1) {
                        if let link = try? PaymentLink(text) { blackHole(reader.recognize(link)) }
                    }
                }, rounds: 7, callsPerRound: 40)
            print(
                name.column(28) + figures[0].text(0).column(10, right: true)
                    + figures[1].text(0).column(10, right: true)
                    + (figures[1] / figures[0]).text().column(8, right: true))
        }
    }

    private static let growing: [(String, @Sendable (Int) -> String)] = [
        ("bitcoin: many parameters", { "bitcoin:?" + repeated("a=1&", $0) }),
        ("bitcoin: one long value", { "bitcoin:?label=" + repeated("%41", $0) }),
        ("lnbc of one letter", { "lnbc1" + repeated("q", $0) }),
        ("lno of one letter", { "lno1" + repeated("q", $0) }),
        ("EMVCo of empty tags", { "000201" + repeated("2600", $0) }),
        ("EPC with long lines", { "BCD\n002\n1\nSCT\n\n" + repeated("A", $0) + "\n" }),
        ("ethereum: many parameters", { "ethereum:0x0/transfer?" + repeated("uint256=1&", $0) }),
        ("upi: many parameters", { "upi://pay?" + repeated("pa=a@b&", $0) }),
        ("zcash: many parameters", { "zcash:?" + repeated("address.1=z&", $0) }),
        ("payto with a long path", { "payto://iban/" + repeated("A/", $0) }),
        ("SPD of many fields", { "SPD*1.0*" + repeated("X-A:1*", $0) }),
        ("base58 of one letter", { "1" + repeated("A", $0) }),
        ("base64 after cashuA", { "cashuA" + repeated("e", $0) }),
        ("base32 of one letter", { repeated("A", $0) }),
        ("an unknown web link", { "https://a.example/?" + repeated("a=1&", $0) }),
    ]

    private static func repeated(_ text: String, _ length: Int) -> String {
        String(repeating: text, count: length / text.utf8.count)
    }
}
