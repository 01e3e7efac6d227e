import Foundation
import PaykitKit
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentStore
import PaymentTesting
import PaymentTransport
import Synchronization

/// Half a year of the guide's subscriptions, to somebody on a simulated network over loopback HTTP: one is paid by itself, one
/// is above the limit and asked about. A week is missed, because nobody was there. No money moves: a ledger here notes what
/// would be paid.
@main
struct SubscriptionsExample {
    static func main() async throws {
        // The same people every time.
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 7))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let network = try PubkyNetwork.sandbox(HTTPURL("http://localhost:\(server.baseURL.port)"))
        let client = PaykitClient(
            configuration: PaykitClientConfiguration(network: network), transport: StandardTransport())
        let ada = await sandbox.createUser(.ready, name: "Ada Lind")

        let calendar = ExampleCalendar()
        let ledger = ExampleLedger(calendar)
        let subscriptions = SubscriptionService(
            client: client, journal: InMemoryRecurringJournal(), clock: calendar,
            canAutoPay: { _, amount in amount <= 10_000 }, executePayment: { ledger.pay($0) },
            paymentFate: { ledger.fate(of: $0, upTo: $1) },
            listener: { event in
                guard case .missed(let charge) = event, case .missed(let reason) = charge.state else { return }
                print("  \(calendar.day)  period \(charge.id.number) missed: \(reason)")
            },
            notifySubscriptionDue: { print("  \(calendar.day)  \($0.id): \($0.amount) sat to be approved") })

        let coffee = Subscription(
            id: "coffee", recipientPubkey: ada.key.text, amount: 2100, interval: .monthly, methodId: "lightning",
            autoPayEnabled: true)
        let lessons = Subscription(
            id: "lessons", recipientPubkey: ada.key.text, amount: 50_000, interval: .weekly, methodId: "lightning",
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
        print("Payments: \(ledger.count)")
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

/// What would have been paid: each payment under its name, once, and none that was called off.
final class ExampleLedger: Sendable {
    private struct Books {
        var paid: Set<PaymentReference> = []
        /// Up to which attempt a payment was said not to be made.
        var calledOff: [PaymentReference: Int] = [:]
    }

    private let calendar: ExampleCalendar
    private let books = Mutex(Books())

    init(_ calendar: ExampleCalendar) { self.calendar = calendar }

    var count: Int { books.withLock { $0.paid.count } }

    func pay(_ payment: SubscriptionService.Payment) -> RecurringAnswer {
        let isNew = books.withLock { books -> Bool? in
            if books.paid.contains(payment.reference) { return false }
            guard payment.attempt > books.calledOff[payment.reference] ?? 0 else { return nil }
            books.paid.insert(payment.reference)
            return true
        }
        guard let isNew else { return .declined("it was called off meanwhile") }
        if isNew {
            print(
                "  \(calendar.day)  paid \(payment.amount.minorUnitText) sat to \(payment.endpoint.endpoint.prefix(9))…"
            )
        }
        return .paid(transactionID: nil)
    }

    func fate(of reference: PaymentReference, upTo attempt: Int) -> RecurringAnswer? {
        books.withLock { books in
            if books.paid.contains(reference) { return .paid(transactionID: nil) }
            books.calledOff[reference] = max(books.calledOff[reference] ?? 0, attempt)
            return nil
        }
    }
}
