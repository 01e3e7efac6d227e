package import PaymentCore
import PaymentCrypto
package import PaymentRouting
package import PaymentSimulation
package import PaymentTesting
package import PayrouteCommands
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `payroute serve` in the processes of one history. Each has its own copy of the store of payments. What a process
/// writes after its end reaches no other process.
package final class ServedRecords: PaymentFaces {
    private let kept = Mutex(InMemoryRecords.Content())
    /// True if no process has the store of an earlier one.
    private let isLost: Bool
    private static let tokens = Tenant.names.map { name in
        "\(name) \(Hex.encode(Digest.sha256.hash(Array(name.utf8)))) read,pay\n"
    }.joined()

    package init(isLost: Bool = false) { self.isLost = isLost }

    package func open(
        over router: PaymentRouter, in process: SimulatedProcess, wallet: Payer?
    ) async throws -> any PaymentFace {
        let records = InMemoryRecords()
        records.content = kept.withLock(\.self)
        if !isLost { process.atEnd { [self] in kept.withLock { $0 = records.content } } }
        return try await ServeInterface(
            over: router, journal: process.journal, records: records, wallet: wallet, tokens: Self.tokens,
            random: process.random, clock: FragileClock(process: process))
    }
}

/// The clock of a process that may end at each look at it: a look comes before every change of the store of
/// payments.
private struct FragileClock: PaymentClock {
    let process: SimulatedProcess

    var now: Date {
        if process.world.faults != .none, process.world.random.happens(0.004) { process.crash() }
        return process.clock.now
    }

    var uptime: Duration { process.clock.uptime }
    func sleep(for duration: Duration) async throws { try await process.clock.sleep(for: duration) }
}

extension ServeInterface: PaymentFace {}
