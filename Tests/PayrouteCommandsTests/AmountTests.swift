import PaymentCore
import Testing

@testable import PayrouteCommands

@Suite("Amounts as people write them")
struct AmountTests {
    private static let usdc = "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

    @Test(
        "Known assets by their name and chain, currencies by their code, and nothing is rounded",
        arguments: [
            ("iso4217/USD", "1250", 2, "12.50 USD"), ("iso4217/JPY", "1250", 0, "1250 JPY"),
            ("sat", "1000", 8, "1000 sat"), ("sat", "210000", 8, "0.0021 BTC"),
            ("caip19/bip122:12a765e31ffd4059bada1e25190f6e98/slip44:2", "150000000", 8, "1.50 LTC"),
            (usdc, "12500000", 6, "12.50 USDC on Base"),
            // Letter case of an address is only a checksum.
            (
                "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "12500001", 6,
                "12.500001 USDC on Base"
            ),
            (usdc, "0", 6, "0.00 USDC on Base"),
            ("caip19/eip155:1/slip44:60", "1", 18, "0.000000000000000001 ETH on Ethereum"),
            ("caip19/solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501", "5", 9, "0.000000005 SOL on Solana"),
        ] as [(String, String, UInt8, String)])
    func known(unit: String, units: String, exponent: UInt8, words: String) throws {
        let amount = try Money(minorUnitText: units, currency: Currency(unit: unit), exponent: exponent)
        #expect(AmountText.words(amount) == words)
    }

    @Test(
        "An unknown asset, or one with other decimals than its own, keeps its id: its name proves nothing",
        arguments: [
            ("caip19/eip155:8453/erc20:0x000000000000000000000000000000000000dEaD", 6), (usdc, 2), (usdc, 18),
            ("caip19/eip155:8453/slip44:501", 18), ("caip19/eip155:99999999/slip44:60", 18),
            (usdc + "/7", 6),
        ] as [(String, UInt8)])
    func unknown(unit: String, exponent: UInt8) throws {
        let amount = try Money(minorUnits: 1250, currency: Currency(unit: unit), exponent: exponent)
        #expect(AmountText.words(amount).hasSuffix(" " + unit.dropFirst("caip19/".count)))
    }

    @Test("In JSON the number is exact, and its unit apart")
    func json() throws {
        var buffer: [UInt8] = []
        buffer.addJSONLine { line in
            line.addAmount(try? Money(minorUnits: 12_500_000, currency: try Currency(unit: Self.usdc), exponent: 6))
            line.addUnit(try? Money(minorUnits: 12_500_000, currency: try Currency(unit: Self.usdc), exponent: 6))
        }
        let object = try JSONValue(parsing: buffer)
        #expect(object["amount"] == "12.500000" && object["unit"]?.string == Self.usdc)
    }
}
