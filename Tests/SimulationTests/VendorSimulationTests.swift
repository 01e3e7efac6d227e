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

    @Test("A vendor whose description is wrong is named as the reason, and ends no process")
    func wrongDescription() async {
        func breaches<Vendor: SimulatedVendor>(_ vendor: Vendor.Type) -> [String] {
            VendorSimulation.play(vendor, histories: 0..<1).flatMap(\.breaches)
        }
        #expect(breaches(ShortVendor<NoPayments>.self).contains { $0.contains("the service is out of payments") })
        #expect(breaches(ShortVendor<NoScenarios>.self) == ["the vendor has no scenario"])
        #expect(breaches(ShortVendor<NoServices>.self) == ["the vendor has no provider: it takes no payers"])
        #expect(await ProviderConformance.check(ShortVendor<NoPayments>.self).isPassed == false)
        #expect(await ProviderConformance.check(ShortVendor<NoScenarios>.self).isComplete == false)
        let report = await ProviderConformance.check(ShortVendor<NoServices>.self)
        #expect(report.failed == ProviderConformance.Probe.allCases, "\(report)")
    }
}

/// The reference vendor, which cannot do what its description says.
private struct ShortVendor<Lack: VendorLack>: SimulatedVendor {
    let base: KeyedVendor

    init(clock: any PaymentClock, random: any RandomSource) { base = KeyedVendor(clock: clock, random: random) }

    var scenarios: [SimulatedScenario] { Lack.lacksScenarios ? [] : base.scenarios }
    var services: [any PaymentService] { Lack.lacksServices ? [] : base.services }
    var hosts: [String: any SandboxService] { base.hosts }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
        throw PaymentError(.requestRefused, "the service is out of payments")
    }
}

private protocol VendorLack {
    static var lacksScenarios: Bool { get }
    static var lacksServices: Bool { get }
}

private enum NoPayments: VendorLack { static let (lacksScenarios, lacksServices) = (false, false) }
private enum NoScenarios: VendorLack { static let (lacksScenarios, lacksServices) = (true, false) }
private enum NoServices: VendorLack { static let (lacksScenarios, lacksServices) = (false, true) }

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
