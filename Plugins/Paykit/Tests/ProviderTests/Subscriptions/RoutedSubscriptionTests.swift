import Foundation
import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// The guide's subscriptions over a router with limits: due, endpoint, then paid automatically or after a question.
@Suite("The guide's subscriptions, paid by a router")
struct RoutedSubscriptionTests: NetworkSuite {
    let network = TestNetwork()
    private let asked = Noted<String>()

    /// The state of one device.
    private struct Device {
        let journal = InMemoryJournal()
        let plans = InMemoryRecords()
    }

    private func service(_ device: Device, limits: SpendingLimits?, seed: UInt64 = 2) throws -> SubscriptionService {
        let router = try network.router(
            journal: device.journal, seed: seed,
            autoPay: limits.map { AutoPay(within: try $0.limits(), timeZone: .gmt) })
        let payer = RouterPayer(router, as: Payer(settler: try network.settler)) { PaykitStandingOrder($0)?.order }
        let asked = asked
        return SubscriptionService(store: device.plans, payer: payer, clock: clock) { subscription in
            asked.note("\(subscription.id) \(subscription.amount)")
        }
    }

    private func subscription(
        _ id: String, to user: PubkySandbox.User, amount: UInt64 = 2100, byItself: Bool = true
    ) -> Subscription {
        Subscription(
            id: id, recipientPubkey: user.key.text, amount: amount, interval: .daily, methodId: "onchain",
            autoPayEnabled: byItself)
    }

    private func paid(_ user: PubkySandbox.User) async -> Int { await captures(of: user.key) }

    @Test("Within the guide's limits a period is paid without a question, once a day, and counts against them")
    func paysByItself() async throws {
        let (user, device) = (await sandbox.createUser(.chainOnly), Device())
        let service = try service(device, limits: SpendingLimits(globalDaily: 3000, globalMonthly: 5000))
        let own = subscription("coffee", to: user)
        try await service.createSubscription(own)
        for day in 1...2 {
            for _ in 0..<3 { try await service.processSubscription(own) }
            #expect(try await service.isSubscriptionDue(own) == false)
            #expect(await paid(user) == day)
            clock.advance(by: .seconds(86_400))
        }
        // 4,200 of 5,000 are spent this month.
        try await service.processSubscription(own)
        #expect(await paid(user) == 2 && asked.all == ["coffee 2100"])
        try await service.approve(own)
        await #expect(throws: RecurringAnswerError.self) { try await service.approve(own) }
        await #expect(throws: RecurringAnswerError.self) { try await service.refuse(own) }
        #expect(await paid(user) == 3)
        #expect(await device.journal.reservedSpendings().isEmpty)
    }

    @Test(
        "Beyond the limits, without limits, or where it is not to pay by itself the payer is asked and nothing is spent"
    )
    func asks() async throws {
        for (id, limits, byItself) in [
            ("dear", SpendingLimits(globalDaily: 2099, globalMonthly: 2099), true), ("none", nil, true),
            ("asked", SpendingLimits(), false),
            ("peer", nil, true),
        ] as [(String, SpendingLimits?, Bool)] {
            let (user, device) = (await sandbox.createUser(.chainOnly), Device())
            var limits = limits
            if id == "peer" {
                limits = SpendingLimits()
                limits?.perPeer = [user.key.text: 2099]
            }
            let service = try service(device, limits: limits)
            let own = subscription(id, to: user, byItself: byItself)
            try await service.createSubscription(own)
            for _ in 0..<3 { try await service.processSubscription(own) }
            #expect(await paid(user) == 0, "\(id)")
            #expect(asked.all.last == "\(id) 2100" && asked.all.count { $0 == "\(id) 2100" } == 1)
            #expect(try await service.waitingSubscriptions() == [own])
            // A later subscriber to the events sees the open question, and answers it.
            let later = try self.service(device, limits: limits, seed: 5)
            for waiting in try await later.waitingSubscriptions() { try await later.approve(waiting) }
            #expect(await paid(user) == 1, "\(id)")
            #expect(try await service.waitingSubscriptions().isEmpty)
        }
    }

    @Test("Many subscriptions of one payee are all paid in one look")
    func samePayee() async throws {
        let user = await sandbox.createUser(.chainOnly)
        let service = try service(Device(), limits: SpendingLimits())
        for number in 0..<6 {
            try await service.createSubscription(subscription("s\(number)", to: user, amount: 1000 + UInt64(number)))
        }
        try await service.scheduler.look()
        #expect(await paid(user) == 6)
    }

    @Test("A payee without an endpoint is neither paid nor asked about; a payee with another price is not paid")
    func notPaid() async throws {
        let service = try service(Device(), limits: SpendingLimits())
        let nobody = await sandbox.createUser(.emptyDirectory)
        // Their invoice is over 2,100 satoshi.
        let dearer = await sandbox.createUser(.ready)
        let list = [
            subscription("nobody", to: nobody),
            Subscription(
                id: "cheaper", recipientPubkey: dearer.key.text, amount: 2000, interval: .daily, methodId: "lightning",
                autoPayEnabled: true),
        ]
        for own in list {
            try await service.createSubscription(own)
            try await service.processSubscription(own)
            clock.advance(by: .seconds(120))
            #expect(try await service.isSubscriptionDue(own), "it is tried again")
        }
        #expect(await paid(nobody) + paid(dearer) == 0)
        #expect(asked.all.isEmpty)
    }

    @Test("A payee who leaves a paid invoice published is not reported as paid again")
    func spentInvoice() async throws {
        let user = await sandbox.createUser(.ready)
        let device = Device()
        let service = try service(device, limits: SpendingLimits())
        let own = Subscription(
            id: "s", recipientPubkey: user.key.text, amount: 2100, interval: .daily, methodId: "lightning",
            autoPayEnabled: true)
        try await service.createSubscription(own)
        try await service.processSubscription(own)
        clock.advance(by: .seconds(86_400))
        try await service.processSubscription(own)
        let plans = RecurringPlans(device.plans)
        let charges = try await plans.charges(of: #require(try await plans.all().first).id)
        #expect(charges.map { if case .paid = $0.state { true } else { false } } == [true, false])
        #expect(await paid(user) == 1)
    }

    @Test("A clock that is set back by a month pays nothing again, and asks for nothing")
    func clockSetBack() async throws {
        let (user, device) = (await sandbox.createUser(.chainOnly), Device())
        let service = try service(device, limits: SpendingLimits())
        let own = subscription("s", to: user)
        try await service.createSubscription(own)
        for _ in 0..<3 {
            try await service.processSubscription(own)
            clock.advance(by: .seconds(86_400))
        }
        clock.advance(by: .seconds(-33 * 86_400))
        for service in [service, try self.service(device, limits: SpendingLimits(), seed: 9)] {
            #expect(try await service.isSubscriptionDue(own) == false)
            try await service.processSubscription(own)
            try await service.scheduler.look()
        }
        #expect(await paid(user) == 3 && asked.all.isEmpty)
        clock.advance(by: .seconds(33 * 86_400))
        try await service.processSubscription(own)
        #expect(await paid(user) == 4)
    }

    @Test("Two devices that have the same agreed subscription and one wallet pay a period once")
    func twoDevices() async throws {
        let user = await sandbox.createUser(.chainOnly)
        let terms = PaykitSubscriptionTerms(
            amount: "2100", frequency: .daily, methodID: "onchain", description: "milk")
        let start = Int64(clock.now.timeIntervalSince1970)
        let agreed = try PaykitSubscription(
            id: "sub_1", subscriber: PubkyKey(bare: "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo"),
            provider: user.key, terms: terms, createdAt: start, startsAt: start)
        let devices = try [2, 3].map { try service(Device(), limits: SpendingLimits(), seed: $0) }
        for service in devices { try await service.scheduler.add(agreed.plan(paysByItself: true)) }
        for day in 1...3 {
            for service in devices { try await service.scheduler.look() }
            #expect(await paid(user) == day)
            clock.advance(by: .seconds(86_400))
        }
    }

    /// A scheduler of daily subscriptions at a peer, each paid over a channel.
    private static func scheduler(
        _ names: [String], of peer: PubkySandbox.Peer, _ plans: InMemoryRecords, _ world: RoutedWorld
    ) async throws -> RecurringScheduler {
        let process = try world.process(
            autoPay: AutoPay(within: try SpendingLimits().limits(), timeZone: .gmt))
        let scheduler = RecurringScheduler(
            store: plans,
            payer: RouterPayer(process.router, as: process.payer) { PaykitStandingOrder($0)?.orderOverChannel },
            clock: world.clock)
        let start = Int64(world.clock.now.timeIntervalSince1970)
        for name in names {
            let agreed = try PaykitSubscription(
                id: name, subscriber: PubkySamples.pair(0x11).publicKey, provider: peer.user.key,
                terms: PaykitSubscriptionTerms(amount: "2100", frequency: .daily, description: name),
                createdAt: start, startsAt: start)
            try await scheduler.add(agreed.plan(paysByItself: true))
        }
        return scheduler
    }

    @Test("A period is paid over a channel, by an invoice for it alone, once")
    func overChannel() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.ready)
        let plans = InMemoryRecords()
        let scheduler = try await Self.scheduler(["sub 1&?"], of: peer, plans, world)
        for day in 1...2 {
            for _ in 0..<2 { try await scheduler.look() }
            #expect(await world.captures(peer.user.key) == day)
            world.wait(.seconds(86_400))
        }
        #expect(await !world.settled.contains(world.published(peer.user.key)))
        let receipts = try await world.receipts.receipts(before: nil, limit: 10)
        #expect(receipts.map(\.stage) == [.paid, .paid])
        #expect(receipts.allSatisfy { $0.metadata["subscription_id"] == "sub 1&?" })
        let stored = RecurringPlans(plans)
        #expect(try await stored.charges(of: #require(try await stored.all().first).id).count == 2)
    }

    @Test("Two subscriptions at one payee are both paid in one look, each under its name")
    func samePayeeOverChannel() async throws {
        let world = RoutedWorld()
        let peer = try await world.peer(.ready)
        let scheduler = try await Self.scheduler(["sub_milk", "sub_tea"], of: peer, InMemoryRecords(), world)
        try await scheduler.look()
        #expect(await world.captures(peer.user.key) == 2)
        let names = try await world.receipts.receipts(before: nil, limit: 10).map {
            $0.metadata["subscription_id"]?.string
        }
        #expect(Set(names) == ["sub_milk", "sub_tea"] && names.count == 2)
    }

    @Test("A link names at most one subscription, of 1 to 64 bytes")
    func names() async throws {
        let key = await sandbox.createUser().key
        for (query, name) in [
            ("", nil), ("?subscription=a%20%26b", "a &b"), ("?subscription=", nil), ("?subscription=%FF", nil),
            ("?subscription=a&subscription=b", nil),
            ("?subscription=\(String(repeating: "a", count: 65))", nil),
        ] as [(String, String?)] {
            let link = try PaymentLink("paykit:\(key)\(query)")
            #expect(PaykitSubscription.name(in: link) == name, "\(query)")
        }
    }
}
