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
        let host = "api.tea.example"
        let provider = TeaProvider(service: try HTTPURL("https://\(host)"), key: Redacted(TeaHouse.key))
        let report = await ProviderConformance.check(
            ConformanceSubject(provider, capabilities: [.refunds], canaries: [TeaHouse.key]) { behaviour, clock, _ in
                let house = TeaHouse(clock: clock, behaviour == .neverSettles ? .slow : .paid)
                return ConformanceSubject.Backend(
                    link: "https://tea.example/order/7", services: [host: house],
                    sale: ConformanceSubject.Sale(
                        PaymentReference(provider: "tea", id: "7"),
                        price: try Money(decimal: "4.80", currency: .eur),
                        refunds: { await Array(house.refunds.values) }, pay: { await house.payAtTheCounter() })
                ) {
                    await Array(repeating: 480, count: house.charges.count)
                }
            })
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
