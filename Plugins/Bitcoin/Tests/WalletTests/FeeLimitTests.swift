import BitcoinWallets
import PaymentCore
import Testing

@Suite("Limits of fees")
struct FeeLimitTests {
    @Test("A limit is a part of the amount and something on top, without rounding up or overflow")
    func limits() {
        #expect(FeeLimit.standard.limit(for: 1_000_000) == 20_000)
        #expect(FeeLimit(satoshi: 0, partsPerMillion: 4000).limit(for: 249) == 0)
        #expect(FeeLimit(satoshi: 0, partsPerMillion: 1_000_000).limit(for: .max) == .max)
        #expect(FeeLimit(satoshi: 1, partsPerMillion: 1_000_000).limit(for: .max) == .max)
        #expect(FeeLimit(satoshi: 1, partsPerMillion: .max).limit(for: .max) == .max)
    }

    @Test("A limit in satoshi is rounded up", arguments: [(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 2)])
    func satoshi(base: UInt32, partsPerMillion: UInt32, limit: UInt128) throws {
        let amount = try Money(minorUnits: 1000, currency: .satoshi)
        let found = FeeLimit(satoshi: base, partsPerMillion: partsPerMillion).limit(for: amount)
        #expect(found?.minorUnits == limit)
    }
}
