import Testing

@testable import PayrouteCommands

@Suite("QR codes")
struct QRCodeTests {
    @Test(
        "The half blocks show exactly the code's modules, in a quiet zone of four",
        arguments: ["pay_1", "https://pay.example/?pid=pay_123"])
    func blocks(text: String) throws {
        let code = try #require(QRCode(text))
        let lines = code.lines(Style(isColored: false)).map(Array.init)
        #expect(lines.allSatisfy { $0.count == code.columns })
        func isLight(_ row: Int, _ column: Int) -> Bool {
            let block = lines[row / 2][column]
            return block == "█" || block == (row % 2 == 0 ? "▀" : "▄")
        }
        for row in 0..<(lines.count * 2) {
            for column in 0..<code.columns {
                let inside = (4..<(code.size + 4)).contains(row) && (4..<(code.size + 4)).contains(column)
                let isDark = inside && code.modules[(row - 4) * code.size + column - 4]
                #expect(isLight(row, column) == !isDark)
            }
        }
    }

    @Test("The three finder patterns are where ISO/IEC 18004 puts them")
    func finders() throws {
        let code = try #require(QRCode("pay_1"))
        #expect(code.size == 21)
        let pattern = ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"].map(Array.init)
        for (top, left) in [(0, 0), (0, code.size - 7), (code.size - 7, 0)] {
            for row in 0..<7 {
                for column in 0..<7 {
                    #expect(code.modules[(top + row) * code.size + left + column] == (pattern[row][column] == "#"))
                }
            }
        }
    }

    @Test("With colours the code is black on white on every terminal")
    func colours() throws {
        let lines = try #require(QRCode("x")).lines(Style(isColored: true))
        #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[97;40m") && $0.hasSuffix("\u{1B}[0m") })
    }

    @Test("Texts too long for any code have none; those that fit with less correction have one")
    func lengths() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "x", count: 2331))?.size == 177)
        #expect(QRCode(String(repeating: "x", count: 2953))?.size == 177)
        #expect(QRCode(String(repeating: "x", count: 2954)) == nil)
    }
}
