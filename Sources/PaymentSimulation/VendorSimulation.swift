public import PaymentTesting

/// Histories of payments at a vendor: processes that die between any two operations, lost and doubled messages, several
/// devices, wrong clocks, restored backups, merchants who refund and cancel meanwhile. In the end everything heals, and
/// every payment must end.
///
/// ```swift
/// let broken = VendorSimulation.play(SimulatedTea.self, histories: 0..<1000)
/// #expect(broken.isEmpty, "\(broken)")
/// ```
///
/// The judgement knows every movement of money, every live signature and every outcome that was stated. A history follows
/// from its number alone, so that a broken one can be played again. ``PaymentTesting/ProviderConformance`` tells faster
/// what is wrong; histories find what only happens together.
public enum VendorSimulation {
    /// A history that broke a promise.
    public struct Broken: Sendable, Hashable, CustomStringConvertible {
        /// The history's number: the same one breaks in the same way.
        public let history: UInt64
        /// What was broken, one sentence each.
        public let breaches: [String]
        /// What happened, line by line.
        public let trace: [String]

        /// The number, and what was broken.
        public var description: String { "history \(history): " + breaches.joined(separator: "; ") }
    }

    /// Plays histories, one after the other, until three are broken. It takes about ten milliseconds for each.
    ///
    /// - Parameters:
    ///   - vendor: The vendor; its payments need at least one scenario that ends paid.
    ///   - histories: The numbers of the histories.
    /// - Returns: the broken ones.
    public static func play<Vendor: SimulatedVendor>(
        _ vendor: Vendor.Type, histories: Range<UInt64> = 0..<300
    ) -> [Broken] {
        let market = VendorMarket.maker(share: 1) { try Vendor(clock: $0.clock, random: $0.random) }
        var broken: [Broken] = []
        for number in histories where broken.count < 3 {
            let history = History(seed: number, variation: Variation([market]))
            guard !history.run(isTraced: false).breaches.isEmpty else { continue }
            let verdict = history.run()
            broken.append(Broken(history: number, breaches: verdict.breaches, trace: verdict.trace))
        }
        return broken
    }
}
