import PaymentCore
import PaymentRecurring
import TestSupport
import Testing

/// The names by which a payer's settler knows periods.
@Suite("The settler's names of periods")
struct PeriodNameTests {
    private let phone = RecurringWorld()
    private let tablet: RecurringWorld
    private let period: RecurringCharge.ID

    init() {
        tablet = RecurringWorld(beside: phone)
        period = RecurringCharge.ID(plan: phone.id, number: 0)
    }

    /// The distinct names of the requests to pay, in their order.
    private var names: [String] {
        phone.settler.settlements.map(\.key).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    @Test("Two devices with one wallet pay a period once, however many tries each of them needs")
    func twoDevices() async throws {
        let asking = try phone.scheduler(limit: 10)
        let paying = try tablet.scheduler(limit: 5000)
        for scheduler in [asking, paying] { try await scheduler.add(try phone.plan()) }
        try await asking.look()
        try await asking.approve(period)
        try await paying.look()
        #expect(phone.heard.all == ["rent/0 waiting", "rent/0 paid"] && tablet.heard.all == ["rent/0 paid"])
        #expect(phone.settler.payments == 1)
    }

    @Test(
        "Two devices that spell the payee's link in two ways pay a period once",
        arguments: ["https://pay.acme.example:443/?payee=mina", "https://PAY.acme.example/?payee=mina"])
    func twoSpellings(link: String) async throws {
        let devices = try [phone, tablet].map { try $0.scheduler(limit: 50_000) }
        try await devices[0].add(try phone.plan())
        try await devices[1].add(try tablet.plan(link: link))
        for scheduler in devices { try await scheduler.look() }
        #expect(phone.heard.all == ["rent/0 paid"] && tablet.heard.all == ["rent/0 paid"])
        #expect(phone.settler.payments == 1 && names.count == 1)
    }

    @Test("Plans of two devices that have one name, and different payees, are two payments from the wallet")
    func twoPayees() async throws {
        let devices = try [phone, tablet].map { try $0.scheduler(limit: 50_000) }
        try await devices[0].add(try phone.plan())
        try await devices[1].add(try tablet.plan(link: "https://pay.acme.example/?payee=otto"))
        for scheduler in devices { try await scheduler.look() }
        #expect(phone.heard.all == ["rent/0 paid"] && tablet.heard.all == ["rent/0 paid"])
        #expect(phone.settler.payments == 2 && names.count == 2)
    }

    @Test("After the settler's final refusal a period has another name, the same on every device")
    func refused() async throws {
        phone.settler.habit = .refuses
        let devices = try [phone, tablet].map { try $0.scheduler(limit: 5000) }
        for scheduler in devices { try await scheduler.add(try phone.plan()) }
        try await devices[0].look()
        phone.settler.habit = .pays
        for scheduler in devices {
            for _ in 0..<2 {
                phone.clock.advance(by: .seconds(3600))
                try await scheduler.look()
            }
        }
        #expect(phone.heard.all == ["rent/0 postponed", "rent/0 paid"])
        #expect(tablet.heard.all == ["rent/0 postponed", "rent/0 paid"])
        #expect(phone.settler.payments == 1 && names.count == 2)
    }

    @Test("A settler that is not reached has refused nothing: the period keeps its name")
    func unreached() async throws {
        let scheduler = try phone.scheduler(limit: 5000)
        try await scheduler.add(try phone.plan())
        phone.settler.isSilent = true
        try await scheduler.look()
        phone.settler.isSilent = false
        phone.settler.habit = .diesBefore
        phone.clock.advance(by: .seconds(3600))
        try await scheduler.look()
        phone.settler.habit = .pays
        phone.clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(phone.heard.all == ["rent/0 postponed", "rent/0 unknown", "rent/0 paid"])
        #expect(phone.settler.payments == 1 && names.count == 1)
    }

    @Test("What a payee says of a period is believed only of this period, and of its amount")
    func statements() async throws {
        let other = PaymentReference(provider: "acme", id: "somebody else's")
        let euro = Money.cents(2100)
        let statements: [(@Sendable (PaymentReference) -> PaymentReceipt, String)] = [
            ({ PaymentReceipt(reference: $0) }, "rent/0 paid"),
            ({ PaymentReceipt(reference: $0, amount: .cents(2100, .satoshi)) }, "rent/0 paid"),
            ({ PaymentReceipt(reference: $0, amount: .cents(1, .satoshi)) }, "rent/0 unknown"),
            ({ PaymentReceipt(reference: $0, amount: euro) }, "rent/0 unknown"),
            ({ _ in PaymentReceipt(reference: other, amount: .cents(2100, .satoshi)) }, "rent/0 unknown"),
        ]
        for (receipt, event) in statements {
            var world = RecurringWorld()
            world.statement = { .succeeded(receipt($0)) }
            _ = try await world.scheduler(limit: 5000, of: try world.plan())
            #expect(world.heard.all == [event] && world.settler.payments == 0)
        }
    }
}
