import PaymentSandbox
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("Tables")
struct TableTests {
    private static func table() -> Table {
        var table = Table(["ID", "NAME", "CLAIMS", "CAPABILITIES"])
        table.add([
            "walletconnect-pay", "WalletConnect Pay", "wc: https://pay.walletconnect.com/ https://pay.wct.me/ pay_…",
            "quotes pays completes-redirects",
        ])
        table.add(["citcon", "Citcon", "citcon: com.citcon.citconpay://safepay", "quotes pays"])
        return table
    }

    private static let plain = Style(isColored: false)

    /// True if a line fits, or holds a word that is too long for half of it: such words are copied, and never broken.
    private static func fits(_ line: some StringProtocol, _ columns: Int) -> Bool {
        line.count <= columns || line.split(separator: " ").contains { $0.count > columns / 2 }
    }

    @Test("Fit the terminal, and lose no text", arguments: [40, 60, 72, 80, 100, 200])
    func fits(columns: Int) {
        let table = Self.table()
        let lines = table.lines(Self.plain, within: columns)
        #expect(lines.allSatisfy { Self.fits($0, columns) }, "\(lines)")
        #expect(lines.allSatisfy { $0.last != " " })
        let words = lines.joined(separator: " ").filter { $0 != " " }.count
        // No text is lost: titles once in a table, once in each row of a list.
        let cells = table.rows.flatMap { $0 }.reduce(0) { $0 + $1.text.filter { $0 != " " }.count }
        let titles = "IDNAMECLAIMSCAPABILITIES".count
        #expect(words == cells + titles || words == cells + 2 * titles)
    }

    @Test("Where nothing limits them every row is one line")
    func unlimited() {
        #expect(Self.table().lines(Self.plain).count == 3)
        #expect(Self.table().lines(Self.plain, within: 200).count == 3)
    }

    @Test("Rows that are shown one by one fit, too", arguments: [40, 80, 120])
    func streamed(columns: Int) {
        let layout = Table.Layout(["LINK", "DECISION", "WHY"], [44, 10, 3], within: columns, Self.plain)
        let row = layout.lines([
            "https://pay.walletconnect.com/…4RRFFQ69G5FAV", "matched", "claimed by walletconnect-pay",
        ])
        #expect((layout.headerLines + row).allSatisfy { Self.fits($0, columns) }, "\(row)")
        #expect(row.joined().contains("matched"))
    }

    @Test("On narrow terminals the commands' tables fit", arguments: [40, 80])
    func commands(columns: UInt16) async throws {
        for words in [
            ["providers"], ["route", "https://pay.walletconnect.com/?pid=pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV"],
        ] {
            let (code, shown) = try await payrouteOnTerminal(words, columns: columns, environment: ["NO_COLOR": "1"])
            #expect(code == .done && !shown.contains("\u{1B}"))
            let lines = shown.split(whereSeparator: \.isNewline)
            #expect(!lines.isEmpty && lines.allSatisfy { Self.fits($0, Int(columns)) }, "\(shown)")
        }
    }

    @Test(
        "Below 120 columns a row that does not fit is a list, and no id, date or amount is broken",
        arguments: [40, 80, 119])
    func lists(columns: Int) {
        var table = Table(["ATTEMPT", "STARTED", "PAYMENT", "AMOUNT", "OUTCOME"])
        let cells: [Table.Cell] = [
            "att_a6cb8812fcbf9ece949c667d", "2026-11-23T09:26:21Z", "pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV",
            "0.005208333333333333 ETH", "succeeded",
        ]
        table.add(cells)
        let lines = table.lines(Self.plain, within: columns)
        #expect(lines.count >= 5)
        for cell in cells.dropLast(2) { #expect(lines.contains { $0.hasSuffix(cell.text) }) }
        // Wider, it is a table, whose ids are whole as well.
        let wide = table.lines(Self.plain, within: 150)
        #expect(wide.count == 2 && wide[1].contains(cells[2].text))
    }
}
