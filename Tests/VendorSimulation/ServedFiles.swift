import Foundation
package import PaymentCore
import PaymentCrypto
package import PaymentRouting
package import PaymentSimulation
package import PaymentTesting
package import PayrouteCommands
import TestSupport

/// `payroute serve` in the processes of one history. Each has its own copy of the file of payments. What a process
/// writes after its end reaches no other process.
package final class ServedFiles: PaymentFaces {
    private let folder = ScratchFolder(isInMemory: true)
    /// True if no process has the file of an earlier one.
    private let isLost: Bool
    private static let file = "payments.served"
    private static let tokens = Tenant.names.map { name in
        "\(name) \(Hex.encode(Digest.sha256.hash(Array(name.utf8)))) read,pay\n"
    }.joined()

    package init(isLost: Bool = false) { self.isLost = isLost }

    package func open(
        over router: PaymentRouter, in process: SimulatedProcess, wallet: Payer?
    ) async throws -> any PaymentFace {
        let files = FileManager.default
        let (kept, own) = (folder.file("kept"), folder.file("process-\(process.number)"))
        if files.fileExists(atPath: kept) {
            try files.moveItem(atPath: kept, toPath: own)
        } else {
            try files.createDirectory(atPath: own, withIntermediateDirectories: true)
        }
        if !isLost { process.atEnd { try? FileManager.default.copyItem(atPath: own, toPath: kept) } }
        return try await ServeInterface(
            over: router, journal: process.journal, table: own + "/" + Self.file, wallet: wallet, tokens: Self.tokens,
            random: process.random, clock: FragileClock(process: process))
    }
}

/// The clock of a process that may end at each look at it: a look comes before most changes of the file of payments.
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
