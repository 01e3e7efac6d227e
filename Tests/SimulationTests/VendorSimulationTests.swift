import PaymentCore
import PaymentSimulation
import PaymentTesting
import Testing

@Suite("Histories of any vendor")
struct VendorSimulationTests {
    @Test("The reference vendor breaks nothing")
    func reference() {
        let broken = VendorSimulation.play(KeyedVendor.self, histories: 0..<60)
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test("A provider that makes up a key for each request is found, and its history can be played again")
    func mistake() throws {
        let broken = VendorSimulation.play(ForgetfulVendor.self, histories: 0..<300)
        let first = try #require(broken.first)
        #expect(broken.contains { $0.description.contains("2 times") }, "\(broken)")
        #expect(!first.trace.isEmpty)
        let again = VendorSimulation.play(ForgetfulVendor.self, histories: first.history..<first.history + 1)
        #expect(again == [first])
    }
}

/// The reference vendor with a provider that never repeats a key.
private struct ForgetfulVendor: SimulatedVendor {
    let base: KeyedVendor

    init(clock: any PaymentClock, random: any RandomSource) {
        base = KeyedVendor(
            KeyedProvider { _, context in context.random.hex(16) }, at: KeyedService(clock: clock))
    }

    var scenarios: [SimulatedScenario] { base.scenarios.filter { $0.ending == .paid } }
    var services: [any PaymentService] { base.services }
    var hosts: [String: any SandboxService] { base.hosts }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async -> any SimulatedPayment {
        await base.makePayment(scenario, over: amount)
    }
}
