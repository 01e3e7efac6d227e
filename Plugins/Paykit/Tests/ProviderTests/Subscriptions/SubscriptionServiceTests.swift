import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentRecurring
import Synchronization
import TestSupport
import Testing

@Suite("The guide's subscriptions")
struct SubscriptionServiceTests: NetworkSuite {
    let network = TestNetwork()

    /// The payments, and the questions to the user.
    private final class Heard: Sendable {
        let paid = Mutex<[UInt128]>([])
        let asked = Mutex<[String]>([])
    }

    private let heard = Heard()

    private func service(
        _ store: InMemoryRecords = InMemoryRecords(), _ policy: RecurringPolicy = RecurringPolicy()
    ) throws -> SubscriptionService {
        let (client, heard) = (try sandbox.newClient(clock: clock), heard)
        return SubscriptionService(
            client: client, store: store, policy: policy, clock: clock, canAutoPay: { _, amount in amount <= 1000 },
            executePayment: { payment in
                heard.paid.withLock { $0.append(payment.amount.minorUnits) }
                return .paid(transactionID: nil)
            }, paymentFate: { _, _ in .unknown("nobody asked") },
            notifySubscriptionDue: { subscription in heard.asked.withLock { $0.append(subscription.id) } })
    }

    private func subscription(
        _ id: String, to user: String, amount: UInt64 = 500, byItself: Bool = true
    ) -> Subscription {
        Subscription(
            id: id, recipientPubkey: user, amount: amount, interval: .daily, methodId: "lightning",
            autoPayEnabled: byItself)
    }

    @Test("Due, paid once, and not due again before the next day")
    func processed() async throws {
        let user = await sandbox.createUser(.ready, name: "Ada").key.text
        let service = try service()
        let own = subscription("s", to: user)
        #expect(try await service.isSubscriptionDue(own) == false, "it was not created")
        try await service.createSubscription(own)
        await #expect(throws: RecurringPlanError.self) { try await service.createSubscription(own) }
        for _ in 0..<3 {
            #expect(try await service.isSubscriptionDue(own))
            for _ in 0..<3 { try await service.processSubscription(own) }
            #expect(try await service.isSubscriptionDue(own) == false)
            clock.advance(by: .seconds(86_400))
        }
        #expect(heard.paid.withLock { $0 } == [500, 500, 500])
        #expect(try await service.subscriptions() == [own])
        try await service.cancelSubscription(own)
        clock.advance(by: .seconds(5 * 86_400))
        try await service.processSubscription(own)
        #expect(heard.paid.withLock { $0.count } == 3)
    }

    @Test(
        "A subscriber who is notified beforehand can refuse, or approve at once, and is charged when the notice is over"
    )
    func noticed() async throws {
        let user = await sandbox.createUser(.ready, name: "Ada").key.text
        let service = try service(InMemoryRecords(), RecurringPolicy(notice: .seconds(3600)))
        let own = subscription("s", to: user)
        try await service.createSubscription(own)
        for word in ["no", "yes", ""] {
            try await service.processSubscription(own)
            #expect(try await service.isSubscriptionDue(own) == false, "they were only told")
            switch word {
            case "no": try await service.refuse(own)
            case "yes": try await service.approve(own)
            default: break
            }
            clock.advance(by: .seconds(3600))
            #expect(try await service.isSubscriptionDue(own) == word.isEmpty)
            try await service.processSubscription(own)
            clock.advance(by: .seconds(82_800))
        }
        #expect(heard.paid.withLock { $0.count } == 2 && heard.asked.withLock { $0.isEmpty })
    }

    @Test("Above the limit, or where nothing is paid by itself, the payer is asked once and their answer counts")
    func asked() async throws {
        let user = await sandbox.createUser(.ready, name: "Ada").key.text
        let service = try service()
        for own in [subscription("dear", to: user, amount: 1001), subscription("asked", to: user, byItself: false)] {
            try await service.createSubscription(own)
            for _ in 0..<3 { try await service.processSubscription(own) }
            #expect(heard.paid.withLock { $0.isEmpty })
            if own.id == "asked" { try await service.refuse(own) } else { try await service.approve(own) }
            #expect(heard.paid.withLock { $0 } == (own.id == "asked" ? [] : [1001]))
            heard.paid.withLock { $0 = [] }
        }
        #expect(heard.asked.withLock { $0 } == ["dear", "asked"])
    }

    @Test("A payee without an endpoint is not paid, and tried again; nonsense is refused")
    func unreachable() async throws {
        let user = await sandbox.createUser(.emptyDirectory).key.text
        let service = try service()
        let own = subscription("s", to: user)
        try await service.createSubscription(own)
        try await service.processSubscription(own)
        #expect(heard.paid.withLock { $0.isEmpty } && heard.asked.withLock { $0.isEmpty })
        clock.advance(by: .seconds(120))
        #expect(try await service.isSubscriptionDue(own))
        for wrong in [
            subscription("", to: user), subscription("s2", to: "nobody"), subscription("s3", to: user, amount: 0),
        ] {
            await #expect(throws: PaykitError.self) { try await service.createSubscription(wrong) }
        }
    }
}
