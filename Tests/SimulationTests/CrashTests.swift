import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentTesting
import Synchronization
import Testing

/// One payment, without other faults, that dies at each of its input and output operations in turn.
@Suite("Crashes everywhere")
struct CrashTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let service: Variation.Service
        let fate: SimulatedDisk.Fate
        var testDescription: String { "\(service), \(fate)" }
    }

    private static let cases = Variation.Service.allCases.flatMap { service in
        [SimulatedDisk.Fate.clean, .torn, .lostTail].map { Case(service: service, fate: $0) }
    }

    @Test("A crash at every operation leads to one capture after the next start", arguments: cases)
    func everyOperation(subject: Case) throws {
        var index = 0
        while true {
            let crashed = try payment(subject, crashingAt: index)
            guard crashed else { break }
            index += 1
            try #require(index < 200, "a payment has a bounded number of operations")
        }
        #expect(index > 15, "only \(index) operations were tried")
    }

    /// Pays in a process that dies at operation `index`, then in another one.
    ///
    /// - Returns: whether the first process died.
    private func payment(_ subject: Case, crashingAt index: Int) throws -> Bool {
        let world = SimulatedWorld(seed: UInt64(index))
        defer { world.end() }
        return try world.run {
            let market = try Market(world, Variation())
            let link: String
            let id: String
            switch subject.service {
            case .walletConnectPay:
                let payment = await market.walletConnectPay.createPayment(.paidAfterPolling)
                (link, id) = (payment.link, payment.id)
            case .keyed:
                (link, id) = (await market.keyed.createPayment("p1", .paidAfterPolling), "p1")
            }
            let payment = Market.Payment(id: id, link: link, service: subject.service)
            let first = world.start(crashingAt: index, leaving: subject.fate)
            _ = try? await first.router(market.registry).pay(link, as: Market.payer)
            let died = first.isDead
            first.crash()
            let second = world.start()
            let router = second.router(market.registry)
            var outcome: PaymentOutcome?
            // An attempt whose request was cut off is settled when the payment's time is over.
            for _ in 0..<30 {
                outcome = try await router.pay(link, as: Market.payer)
                if outcome?.isFinal == true { break }
                try await world.clock.sleep(for: .seconds(60))
            }
            let captures = await market.captures(of: payment)
            let place = "operation \(index), \(subject.fate)"
            switch outcome {
            case .succeeded: #expect(captures == 1, "\(place)")
            case .expired: #expect(captures == 0, "\(place)")
            default: Issue.record("\(place): \(outcome?.description ?? "none")")
            }
            #expect(JournalRules.breaches(in: world.disk.histories) == [], "\(place)")
            return died
        }
    }
}
