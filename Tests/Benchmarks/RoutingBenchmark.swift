import Foundation
import PaymentCore
import PaymentRouting
import TestSupport

/// The cost of routing one link, compared with Foundation's parsers for the same links.
enum RoutingBenchmark {
    static func run() throws {
        let routers = try [4, 100, 10_000].map { ($0, try router(providers: $0)) }
        var subjects = routers.map { count, router in
            Subject(name: "route, \(count) providers", operations: Links.mixed.count) {
                for link in Links.mixed { blackHole(router.route(link)) }
            }
        }
        let reader = try router(providers: 4, reading: true)
        subjects.append(
            Subject(name: "route, 4, WalletConnect reads", operations: Links.mixed.count) {
                for link in Links.mixed { blackHole(reader.route(link)) }
            })
        subjects.append(
            Subject(name: "PaymentLink(_:) alone", operations: Links.mixed.count) {
                for link in Links.mixed { blackHole(try? PaymentLink(link)) }
            })
        subjects.append(
            Subject(name: "URL(string:)", operations: Links.mixed.count) {
                for link in Links.mixed { blackHole(URL(string: link)) }
            })
        subjects.append(
            Subject(name: "URLComponents(string:)", operations: Links.mixed.count) {
                for link in Links.mixed { blackHole(URLComponents(string: link)) }
            })
        let figures = Measure.nanoseconds(subjects, callsPerRound: 4_000)
        print("Routing, \(Links.mixed.count) mixed links, median of 15 interleaved rounds")
        print("subject".column(32) + "ns per link".column(14, right: true) + "of URLComponents".column(20, right: true))
        let components = figures[figures.count - 1]
        for (subject, figure) in zip(subjects, figures) {
            print(
                subject.name.column(32) + figure.text().column(14, right: true)
                    + "1/\((components / figure).text())".column(20, right: true))
        }
        print("10,000 providers cost \((figures[2] / figures[0]).text(2)) times as much as 4")
        try perLink(routers[0].1, reader)
    }

    /// The same, link by link, to find the expensive forms.
    private static func perLink(_ router: PaymentRouter, _ reader: PaymentRouter) throws {
        print()
        print(
            "link".column(44) + "route ns".column(10, right: true) + "reading ns".column(12, right: true)
                + "URLComponents ns".column(18, right: true))
        for link in Links.mixed {
            let figures = Measure.nanoseconds(
                [
                    Subject(name: "route", operations: 1) { blackHole(router.route(link)) },
                    Subject(name: "reading", operations: 1) { blackHole(reader.route(link)) },
                    Subject(name: "URLComponents", operations: 1) { blackHole(URLComponents(string: link)) },
                ], rounds: 5, callsPerRound: 10_000)
            let shown = link.utf8.count > 40 ? String(link.prefix(39)) + "…" : link
            print(
                shown.column(44) + figures[0].text().column(10, right: true)
                    + figures[1].text().column(12, right: true) + figures[2].text().column(18, right: true))
        }
    }

    /// A router with the providers that the mixed links name, and as many more as make `count`.
    private static func router(providers count: Int, reading: Bool = false) throws -> PaymentRouter {
        var providers: [any PaymentProvider] = try Links.providers(reading: reading)
        for index in providers.count..<max(count, providers.count) {
            providers.append(Links.stranger(index))
        }
        return PaymentRouter(
            registry: try ProviderRegistry(providers), transport: NoNetwork(), journal: InMemoryJournal())
    }
}

/// No network.
