import PaymentCore
import Testing

@testable import PaykitProvider

@Suite("What a change in the middle of a period costs")
struct ProrationTests {
    private static func sat(_ number: UInt128) throws -> Money { try Money(minorUnits: number, currency: .satoshi) }

    private static func prorated(
        _ old: UInt128, _ new: UInt128, _ days: Int64, change: Int64
    ) throws -> PaykitProration {
        try PaykitProration(from: sat(old), to: sat(new), start: 1000, end: 1000 + days * 86_400, change: 1000 + change)
    }

    @Test(
        "The recorded reckonings: each side is rounded by itself, halves to the even number",
        arguments: [
            (3000, 6000, 30, 10 * 86_400, 2000, 4000), (6000, 3000, 30, 15 * 86_400, 3000, 1500),
            (3000, 6000, 30, 0, 3000, 6000), (3000, 6000, 30, 30 * 86_400, 0, 0),
            (1000, 1000, 30, 10 * 86_400, 667, 667), (999, 1000, 7, 3 * 86_400, 571, 571), (10, 20, 3, 86_400, 7, 13),
            (5, 5, 2, 86_400, 2, 2), (1, 2, 2, 86_400, 0, 1), (3, 6, 2, 86_400, 2, 3),
            (1000, 2000, 30, 85_536, 1000, 2000),
        ] as [(UInt128, UInt128, Int64, Int64, UInt128, UInt128)])
    func recorded(_ row: (UInt128, UInt128, Int64, Int64, UInt128, UInt128)) throws {
        let proration = try Self.prorated(row.0, row.1, row.2, change: row.3)
        #expect(proration.credit.minorUnits == row.4)
        #expect(proration.charge.minorUnits == row.5)
        #expect(proration.payable?.minorUnits == (row.5 >= row.4 ? row.5 - row.4 : nil))
        #expect(proration.refundable?.minorUnits == (row.4 >= row.5 ? row.4 - row.5 : nil))
    }

    @Test("Outside of the period, and in periods without a day, nothing is reckoned")
    func refused() throws {
        let (one, two) = try (Self.sat(1), Self.sat(2))
        func defect(_ end: Int64, _ change: Int64) -> PaykitSubscriptionDefect? {
            do throws(PaykitSubscriptionDefect) {
                _ = try PaykitProration(from: one, to: two, start: 0, end: end, change: change)
                return nil
            } catch { return error }
        }
        #expect(defect(86_400, -1) == .order("Change date must be within the billing period"))
        #expect(defect(86_400, 86_401) == .order("Change date must be within the billing period"))
        #expect(defect(86_399, 0) == .order("Billing period must be at least one day"))
        #expect(defect(.max, 5) == nil)
        #expect(throws: PaykitSubscriptionDefect.self) {
            try PaykitProration(
                from: Self.sat(1), to: Self.sat(1), start: .min, end: .max, change: 0)
        }
        #expect(throws: PaykitSubscriptionDefect.self) {
            try PaykitProration(
                from: Self.sat(1), to: Money(decimal: "1", currency: .eur), start: 0, end: 86_400, change: 0)
        }
    }

    @Test("The largest amounts are parted exactly, and the parts of a whole add up to within a unit")
    func exact() throws {
        let most = Money.maximumMinorUnits
        #expect(try Self.prorated(most, most, 3, change: 0).credit.minorUnits == most)
        #expect(try Self.prorated(most, most, 3, change: 86_400).credit.minorUnits == most / 3 * 2)
        for amount in [1, 7, 999, 1_000_003] as [UInt128] {
            for day in 0...30 {
                let left = try Self.prorated(amount, amount, 30, change: Int64(day) * 86_400).credit.minorUnits
                let other = try Self.prorated(amount, amount, 30, change: Int64(30 - day) * 86_400).credit.minorUnits
                #expect(left + other <= amount + 1 && left + other + 1 >= amount)
            }
        }
    }
}
