import Foundation
import PaymentCore
import PaymentTesting
import Testing

@testable import own_provider

/// The code of FirstProvider.md that is not in `Examples/own-provider`.
@Suite("Article: your first provider")
struct FirstProviderTests {
    @Test("It conforms: spoilt answers, crashes and cancellations at any moment, refunds, secrets, hosts")
    func conformance() async throws {
        let report = await ProviderConformance.check(SimulatedTea.self)
        #expect(report.isPassed, "\(report)")
    }

    @Test("It is about as long as the article says")
    func length() throws {
        let folder = Snippet.root.appending(path: "Examples/own-provider")
        let lines = try ["TeaProvider.swift", "TeaProvider+Refunds.swift"].map { name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n").count
        }
        #expect(lines[0] < 90 && lines.reduce(0, +) < 130, "\(lines)")
    }
}

struct SimulatedTea: SimulatedVendor {
    let scenarios = [
        SimulatedScenario("paid", "It is paid at once.", ending: .paid),
        SimulatedScenario("slow", "It brews permanently.", ending: .open),
    ]
    let capabilities: Set<ProviderDescriptor.Capability> = [.refunds]
    let services: [any PaymentService]
    let secrets = [TeaHouse.key]
    let house: TeaHouse

    init(clock: any PaymentClock, random: any RandomSource) throws {
        services = [TeaProvider(service: try HTTPURL("https://api.tea.example"), key: Redacted(TeaHouse.key))]
        house = TeaHouse(clock: clock)
    }

    var hosts: [String: any SandboxService] { ["api.tea.example": house] }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async -> any SimulatedPayment {
        if scenario.ending == .open { await house.brewForever() }
        return TeaPayment(house: house)
    }
}

struct TeaPayment: SimulatedPayment {
    let house: TeaHouse
    let reference = PaymentReference(provider: "tea", id: "7")
    let links = ["https://tea.example/order/7"]
    let price = try? Money(decimal: "4.80", currency: .eur)

    func pay() async { await house.payAtTheCounter() }

    func truth() async -> PaymentTruth {
        var truth = PaymentTruth(taken: await house.charges.map { _ in 480 })
        truth.refunded = await Array(house.refunds.values)
        return truth
    }
}
