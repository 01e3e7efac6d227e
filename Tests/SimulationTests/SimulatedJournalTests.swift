import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Testing

@Suite("Simulated journal")
struct SimulatedJournalTests {
    private static let payment = PaymentReference(provider: "acme", id: "p1")

    private static func lease(_ holder: String) -> PaymentLease {
        PaymentLease(payment: payment, holder: holder, duration: .seconds(600))
    }

    @Test("A lease ends with the process that has it")
    func leases() throws {
        let world = SimulatedWorld(seed: 5)
        defer { world.end() }
        try world.run {
            let (first, second) = (world.start(), world.start())
            let start = first.clock.now
            let isTaken = try await second.journal.acquire(Self.lease("b"), at: start)
            let isShared = try await first.journal.acquire(Self.lease("c"), at: start)
            second.crash()
            let isFreed = try await first.journal.acquire(Self.lease("c"), at: start)
            #expect(isTaken && !isShared && isFreed)
        }
    }

    @Test("The simulation's journal keeps the contract, on a disk that loses all it may")
    func simulated() throws {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        let report = try world.run {
            await JournalConformance.check(
                JournalSubject("simulated") {
                    let disk = world.makeDisk()
                    return JournalSubject.Storage(
                        world.start(on: disk).journal, reopen: { world.start(on: disk).journal },
                        losePower: {
                            world.failPower(.lostTail, of: disk)
                            return world.start(on: disk).journal
                        })
                })
        }
        #expect(report.isPassed && report.skipped == [.pages, .pruning], "\(report)")
    }
}
