import Foundation
import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentRecurring
import PaymentRouting
import PaymentStandards
import PaymentTesting
import PaymentTransport
import Synchronization

/// Half a year of the guide's subscriptions, to a payee on a simulated network over loopback HTTP, paid by a router
/// with limits: one is paid by itself, one is above the limit and asked about. A week is missed, because the
/// application was not running. The sandbox notes the payments; no real funds move.
/// Run it with `swift run subscriptions`.
@main
struct SubscriptionsExample {
    static func main() async throws {
        // The same people every time.
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 7))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let url = try HTTPURL("http://localhost:\(server.baseURL.port)")
        let transport = StandardTransport()
        let ada = await sandbox.createUser(.chainOnly, name: "Ada Lind")

        let calendar = ExampleCalendar()
        let settler = SandboxSettler(at: url, over: transport)
        var limits = SpendingLimits()
        limits.globalDaily = 10_000
        let provider = PaykitProvider(network: try .sandbox(url), reader: StandardsReader())
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: transport, journal: InMemoryJournal(),
            clock: calendar, autoPay: AutoPay(within: try limits.limits(), timeZone: .gmt))

        let payer = RouterPayer(router, as: Payer(settler: settler)) { PaykitStandingOrder($0)?.order }
        let subscriptions = SubscriptionService(
            store: InMemoryRecords(), payer: payer, clock: calendar,
            listener: { event in print("  \(calendar.day)  \(Self.words(event))") },
            notifySubscriptionDue: { print("  \(calendar.day)  \($0.id): \($0.amount) sat to be approved") })

        let coffee = Subscription(
            id: "coffee", recipientPubkey: ada.key.text, amount: 2100, interval: .monthly, methodId: "onchain",
            autoPayEnabled: true)
        let lessons = Subscription(
            id: "lessons", recipientPubkey: ada.key.text, amount: 50_000, interval: .weekly, methodId: "onchain",
            autoPayEnabled: true)

        print("Coffee, from 31 January on:")
        try await subscriptions.createSubscription(coffee)
        for _ in 0..<150 {
            try await subscriptions.processSubscription(coffee)
            calendar.advance(days: 1)
        }
        try await subscriptions.cancelSubscription(coffee)

        print("Lessons, from \(calendar.day) on:")
        try await subscriptions.createSubscription(lessons)
        try await subscriptions.processSubscription(lessons)
        try await subscriptions.approve(lessons)
        calendar.advance(days: 7)
        try await subscriptions.processSubscription(lessons)
        try await subscriptions.refuse(lessons)
        calendar.advance(days: 15)
        try await subscriptions.processSubscription(lessons)
        print("Due again: \(try await subscriptions.isSubscriptionDue(lessons))")
        print("Payments: \(await sandbox.ledger.captures(of: ada.key.text))")
    }

    private static func words(_ event: RecurringEvent) -> String {
        switch event {
        case .paid(let charge): "period \(charge.id.number) paid: \(charge.amount.minorUnitText) sat"
        case .missed(let charge):
            if case .missed(let reason) = charge.state {
                "period \(charge.id.number) missed: \(reason)"
            } else {
                "\(event)"
            }
        case .waiting(let charge): "period \(charge.id.number) waits for the payer"
        default: "\(event)"
        }
    }
}

/// A clock that is moved by hand.
final class ExampleCalendar: PaymentClock {
    // 31 January 2027, 9:00 UTC.
    private let seconds = Mutex(1_801_386_000.0)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    var day: String { now.formatted(Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()) }

    func advance(days: Int) { seconds.withLock { $0 += Double(days) * 86_400 } }
    func sleep(for duration: Duration) async throws {}
}
