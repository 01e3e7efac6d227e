import Foundation
import PaymentCore
import PaymentSandbox
import PaymentTesting
import PaymentTransport
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

    @Test("Its sandbox makes and pays its payments, and shows the requests and where the money went")
    func sandbox() async throws {
        let sandbox = try await VendorSandbox(SimulatedTea.self)
        print("Open \(sandbox.url.text)")
        let page = try await StandardTransport().send(HTTPRequest(.get, sandbox.url))
        #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("Tea House"))
        func call(_ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
            let url = try HTTPURL("\(sandbox.url.origin)/_sandbox/\(path)")
            var request = HTTPRequest(.get, url)
            if let body {
                request = HTTPRequest(
                    .post, url, headers: ["Content-Type": "application/json"], body: body.serialized())
            }
            return try JSONValue(parsing: await StandardTransport().send(request).body)
        }
        let tea = try await call("scenarios")["services"]?.array?.first
        #expect(tea?["scenarios"]?.array?.compactMap { $0["ending"]?.string } == ["Ends paid", "Stays open"])
        let made = try await call("payments", ["service": "tea", "scenario": "paid"])
        #expect(made["link"] == "https://tea.example/order/7")
        let paid = try await call("payments/7/pay", [:])
        #expect(paid["outcome"] == "succeeded", "\(paid.text)")
        #expect(paid["events"]?.array?.compactMap(\.string) == ["created", "captured", "settled"])
        let log = try await call("log")["events"]?.array?.compactMap { $0["title"]?.string }
        #expect(log?.contains("POST /api.tea.example/orders/7/charge") == true, "\(log ?? [])")
        await sandbox.close()
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
