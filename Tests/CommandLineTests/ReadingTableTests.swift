import Foundation
import PaymentCore
import SandboxSupport
import TestSupport
import Testing

@testable import PayrouteCommands

/// The article with sixty texts, each with the line that `payroute inspect` prints first.
@Suite("Table of readings")
struct ReadingTableTests {
    private static let page = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "Sources/PaymentStandards/PaymentStandards.docc/Readings.md")

    private static let head = """
        # Sixty texts, read

        Each row is the line that `payroute inspect` prints first: who gets how much until when.

        The texts are examples of the standards' own documents, from `Tests/Vectors`. Long ones are shortened here; a text
        that is worth money is not shown. The clock is set to 2026-06-01. Written by
        `UPDATE_READINGS_TABLE=1 swift test --filter ReadingTableTests` and checked by that test.

        | text | reading |
        | --- | --- |

        """

    /// Standards whose first valid vector is shown, in groups: shops and people, banks, coins, ecash, services.
    private static let standards = [
        "bip321", "bitcoin-address", "bolt11", "bolt12-offer", "lnurl", "bip353", "eip681", "eip55", "solana-pay",
        "sep7",
        "xrp", "monero", "cashaddr", "bip321-like", "litecoin-address", "dogecoin-address", "cip13", "ton-link",
        "sui-pay",
        "algorand", "nano", "tron-address", "zip321", "payment-pointer", "cashu-request", "cashu-token", "epc-qr",
        "iban",
        "payto", "swiss-qr-bill", "spd", "paybysquare", "bezahlcode", "hub3", "upn-qr", "mnb-qr", "nbs-ips", "st00012",
        "fi-barcode", "pagopa", "zbp-2d", "usingqr", "emv-mpm", "emv-cpm", "upi", "swish-qr", "paypal-me", "venmo",
        "cash-app", "revolut-me", "stripe-payment-link", "wechat-native", "alipay-collect", "pubky",
    ]
    /// Texts of providers and of no payment.
    private static let others = [
        "https://pay.walletconnect.com/?pid=pay_123", "https://pay.walletconnect.com.evil.example/?pid=pay_123",
        "wc:7f6e504bfad60b485450578e05678ed3e8e8c4751d3c6160be17160d63ec90f9@2?relay-protocol=irn&symKey=587d",
        "DE89370400440532013001", "https://example.com/menu", "WIFI:S:Cafe;T:WPA;P:espresso;;",
    ]

    @Test("It is what the program prints")
    func isTrue() async throws {
        let table = try await Self.table()
        if ProcessInfo.processInfo.environment["UPDATE_READINGS_TABLE"] == "1" {
            try table.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(written == table, "run UPDATE_READINGS_TABLE=1 swift test --filter ReadingTableTests")
    }

    @Test("Its lines are short, and hold no name of a field")
    func isPlain() async throws {
        for line in try await Self.table().split(separator: "\n").dropFirst(6) where line.hasPrefix("|") {
            #expect(line.count < 330, "\(line)")
            #expect(line.firstMatch(of: #/[a-z]+[A-Z][a-z]+: /#) == nil, "\(line)")
        }
    }

    private static func table() async throws -> String {
        var texts: [String] = []
        let rows = try vectorFiles.flatMap { file in
            try file.rows("valid").map { (standard: file.standard(of: $0), text: $0.input) }
        }
        for standard in standards {
            let row = rows.first { $0.standard == standard }
            texts.append(try #require(row, "\(standard) has no vector").text)
        }
        texts += others
        #expect(texts.count == 60)
        let input = texts.map { JSONValue.string($0).text }.joined(separator: "\n")
        let lines = await ReadingTests.run(["inspect", "--json", "-"], input: input).lines
        #expect(lines.count == texts.count)
        return try head
            + lines.map { line in
                let object = try JSONValue(parsing: line)
                let shown = Printable.short(object["input"]?.string ?? "", 48)
                let summary = Printable.text(object["reading"]?["summary"]?.string ?? "", limit: 2000)
                return "| `\(cell(shown))` | \(cell(summary)) |\n"
            }.joined()
    }

    private static func cell(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("`", with: "'").replacing("<", with: "&lt;")
    }
}
