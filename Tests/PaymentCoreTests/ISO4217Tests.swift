import PaymentCore
import Testing

@Suite("ISO 4217")
struct ISO4217Tests {
    @Test(
        "Exponents that are not two, and some that are easily taken for something else",
        arguments: [
            ("JPY", 0), ("KRW", 0), ("ISK", 0), ("CLP", 0), ("VND", 0), ("UGX", 0), ("XOF", 0), ("UYI", 0),
            ("HUF", 2), ("MGA", 2), ("MRU", 2), ("IDR", 2), ("TWD", 2), ("CRC", 2), ("USD", 2), ("XCG", 2),
            ("KWD", 3), ("BHD", 3), ("TND", 3), ("IQD", 3), ("CLF", 4), ("UYW", 4),
        ] as [(String, UInt8)])
    func exponent(code: String, expected: UInt8) {
        #expect(ISO4217.exponent(of: code) == expected)
    }

    @Test(
        "Codes without a minor unit, withdrawn long ago or malformed are unknown",
        arguments: ["XAU", "XTS", "XXX", "XDR", "DEM", "usd", "US", "USDT", "", "U D", "ＵＳＤ", "USD "])
    func unknown(code: String) {
        #expect(ISO4217.exponent(of: code) == nil)
        #expect(throws: MoneyError.unknownCurrency(code: code)) { try FiatCurrency(code) }
    }

    @Test("Every code is three capital letters, listed once")
    func codes() {
        let codes = ISO4217.codes
        #expect(codes.count == 171)
        #expect(Set(codes).count == codes.count)
        for code in codes {
            #expect(code.utf8.count == 3 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }, "\(code)")
        }
    }

    @Test("The ready-made currencies agree with the table")
    func constants() throws {
        #expect(try FiatCurrency.usd == FiatCurrency("USD"))
        #expect(try FiatCurrency.eur == FiatCurrency("EUR"))
    }
}
