import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import PayrouteCommands

/// The table of what callers of `payroute serve` asked for.
@Suite("serve: the table of payments")
struct ServeTableTests {
    private static func payment(
        _ id: String, key: String? = nil, of tenant: String = "ann"
    ) throws -> ServedPayment {
        let order = try ServeOrder(stored: ["link": "https://shop.example/order/7"])
        return ServedPayment(
            id: id, tenant: tenant, key: key ?? id, input: order.link, order: order, created: Date())
    }

    @Test("A payment is open until its end, and bound to no quote and stated no more after it")
    func ended() async throws {
        let table = try await ServeTable.opened()
        let payment = try Self.payment("pay_1")
        let order = try #require(payment.order)
        _ = try await table.begin(payment, digest: "d")
        try await table.bind("pay_1", order, terms: ["payee": "The shop"])
        try await table.state("pay_1", ["outcome": "unknown"], isEnd: false, webhook: "msg_1", at: Date())
        let webhook = try #require(try await table.nextWebhook(of: "ann"))
        #expect(try JSONValue(parsing: webhook.body)["type"] == "payment.interrupted")
        try await table.state("pay_1", ["outcome": "cancelled"], isEnd: true, at: Date())
        await #expect(throws: JournalError.self) { try await table.bind("pay_1", order, terms: ["payee": "Eve"]) }
        try await table.state("pay_1", ["outcome": "succeeded"], isEnd: false, at: Date())
        try await table.name("pay_1", PaymentReference(provider: "shop", id: "7"))
        let ended = try #require(try await table.payment("pay_1", of: "ann"))
        #expect(ended.hasEnded && ended.order == nil && ended.intent == nil && ended.reference == nil)
        #expect(ended.terms == ["payee": "The shop"] && ended.outcome == ["outcome": "cancelled"])
        #expect(try await table.open().isEmpty)
    }

    @Test("The stored form of a request keeps the amount that the caller has named")
    func amount() throws {
        let order = try ServeOrder(stored: ["link": "pay:1", "amount": ["amount": "7", "unit": "sat"]])
        let amount = try Money(minorUnits: 7, currency: .satoshi)
        #expect(order.amount == amount)
        #expect(try ServeOrder(stored: order.json).amount == amount)
    }

    @Test("A payment is read as it was stored")
    func fidelity() async throws {
        let table = try await ServeTable.opened()
        var payment = try Self.payment("pay_1", key: "k")
        payment.order = try ServeOrder(stored: ["link": "pay:1", "limits": [["amount": "7", "unit": "sat"]]])
        _ = try await table.begin(payment, digest: "d")
        try await table.name("pay_1", PaymentReference(provider: "shop", id: "7"))
        try await table.state("pay_1", ["outcome": "unknown", "amount": .null], isEnd: false, at: Date())
        let read = try #require(try await table.payment("pay_1", of: "ann"))
        #expect(read.order?.json == payment.order?.json && read.created == payment.created && !read.hasEnded)
        #expect((read.id, read.tenant, read.key) == ("pay_1", "ann", "k") && read.input == payment.input)
        #expect(read.reference == PaymentReference(provider: "shop", id: "7") && read.terms == nil)
        #expect(read.outcome == ["outcome": "unknown", "amount": .null])
        #expect(try await table.payment("pay_1", of: "bob") == nil)
        #expect(try await table.payment("pay_2", of: "ann") == nil)
    }

    @Test("A key of a tenant is one payment, by one request, however often it is begun at once")
    func keys() async throws {
        let table = try await ServeTable.opened()
        let begun = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                let payment = try Self.payment("pay_\(number)", key: "k")
                group.addTask { if case .begun = try await table.begin(payment, digest: "d") { true } else { false } }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        let stored = try await table.payments(of: "ann", before: nil, limit: 9)
        #expect(begun == 1 && stored.count == 1)
        guard case .known(let id)? = try await table.claim("k", digest: "d", of: "ann"), id == stored.first?.id,
            case .taken? = try await table.claim("k", digest: "e", of: "ann")
        else {
            Issue.record("the key does not stand for its payment")
            return
        }
        #expect(try await table.claim("k", digest: "d", of: "bob") == nil)
        guard case .begun = try await table.begin(try Self.payment("pay_9", key: "k", of: "bob"), digest: "e") else {
            Issue.record("a key of one tenant is another's")
            return
        }
    }

    @Test("A tenant's payments are listed latest first, and all that are open oldest first, however many")
    func lists() async throws {
        let table = try await ServeTable.opened()
        for number in 0..<1002 {
            let payment = try Self.payment("pay_\(number)", of: number % 500 == 0 ? "bob" : "ann")
            _ = try await table.begin(payment, digest: "d")
        }
        try await table.state("pay_500", ["outcome": "failed"], isEnd: true, at: Date())
        let ids = (0..<1002).filter { $0 != 500 }.map { "pay_\($0)" }
        #expect(try await table.open().map(\.id) == ids)
        let page = try await table.payments(of: "bob", before: nil, limit: 2).map(\.id)
        #expect(page == ["pay_1000", "pay_500"])
        #expect(try await table.payments(of: "bob", before: "pay_500", limit: 2).map(\.id) == ["pay_0"])
        #expect(try await table.payments(of: "bob", before: "pay_1", limit: 2).isEmpty, "it is another tenant's")
    }

    @Test("A table has one server at a time, and one name for all of them")
    func servers() async throws {
        let (records, clock) = (InMemoryRecords(), VirtualClock())
        let first = try await ServeTable.opened(records, clock: clock)
        clock.advance(by: .seconds(1198))
        await #expect(throws: JournalError.locked(path: "served")) {
            try await ServeTable.opened(records, clock: clock)
        }
        try await first.renew()
        clock.advance(by: .seconds(1198))
        await #expect(throws: JournalError.self) { try await ServeTable.opened(records, clock: clock) }
        clock.advance(by: .seconds(3))
        let second = try await ServeTable.opened(records, clock: clock)
        #expect(second.name == first.name && first.name.wholeMatch(of: /callers-[0-9a-f]{32}/) != nil)
        await #expect(throws: RecordError.self) { try await first.begin(try Self.payment("pay_1"), digest: "d") }
        await #expect(throws: RecordError.self) { try await first.renew() }
        #expect(try await second.open().isEmpty)
        // Once the other one has ended, a server that was silent for too long goes on.
        clock.advance(by: .seconds(1201))
        try await first.renew()
        #expect(try await first.payment("pay_1", of: "local") == nil)
        #expect(try await ServeTable.opened().name != first.name)
    }

    @Test("Payments are pruned by their ends with their keys and names, some at a time; open ones and webhooks stay")
    func pruned() async throws {
        let table = try await ServeTable.opened()
        let end = Date()
        for number in 0..<250 {
            let id = "pay_\(number)"
            _ = try await table.begin(try Self.payment(id), digest: "d")
            try await table.register("name-\(id)", for: id)
            guard number != 7 else { continue }
            try await table.state(
                id, ["outcome": "failed"], isEnd: true, webhook: number == 8 ? "msg_1" : nil,
                at: number == 9 ? end.addingTimeInterval(1) : end)
        }
        #expect(try await ServeTable.prune(table.records, called: "served", endedBefore: end) == 0)
        let later = end.addingTimeInterval(1)
        #expect(try await ServeTable.prune(table.records, called: "served", endedBefore: later) == 248)
        #expect(try await table.payments(of: "ann", before: nil, limit: 9).map(\.id) == ["pay_9", "pay_7"])
        #expect(try await table.claim("pay_8", digest: "d", of: "ann") == nil)
        #expect(try await table.claim("pay_9", digest: "d", of: "ann") != nil)
        #expect(try await table.isRegistered("name-pay_8") == false)
        #expect(try await table.isRegistered("name-pay_7"))
        #expect(try await table.nextWebhook(of: "ann")?.id == "msg_1")
        #expect(try await ServeTable.prune(table.records, called: "served", endedBefore: later) == 0)
    }

    @Test("What cannot be read is an error, and never a payment, a key or a settlement that is not there")
    func damaged() async throws {
        let table = try await ServeTable.opened()
        _ = try await table.begin(try Self.payment("pay_1", key: "k"), digest: "d")
        let amount = try Money(minorUnits: 21, currency: .satoshi)
        let settlement = Settlement(key: "name", endpoint: Shop.invoice(of: "1"), amount: amount)
        _ = try await table.hand(settlement, to: "ann", at: Date())
        let calls: [(kind: String, call: @Sendable () async throws -> Void)] = [
            ("served", { _ = try await table.payment("pay_1", of: "ann") }), ("served", { _ = try await table.open() }),
            ("served", { _ = try await table.payments(of: "ann", before: nil, limit: 9) }),
            ("served", { try await table.state("pay_1", [:], isEnd: true, at: Date()) }),
            ("served-key", { _ = try await table.claim("k", digest: "d", of: "ann") }),
            ("served-key", { _ = try await table.begin(try Self.payment("pay_2", key: "k"), digest: "d") }),
            ("served-settlement", { _ = try await table.settlement(named: "name") }),
            ("served-settlement", { _ = try await table.hand(settlement, to: "ann", at: Date()) }),
            ("served-settlement", { _ = try await table.end("name", nil, at: Date()) }),
            ("served-invoice", { _ = try await table.order(paying: settlement.endpoint) }),
        ]
        let sound = try #require(table.records as? InMemoryRecords).content
        let hash = try #require(settlement.endpoint.paymentHash)
        let keys = [
            ServedPayment.record("pay_1"), StoredClaim.record("k", of: "ann"), StoredSettlement.record("name"),
            StoredSettlement.invoice(hash),
        ]
        for text in ["", "{", "{}", "[]", #"{"secret":"hidden"}"#] {
            for (kind, call) in calls {
                let damaged = try #require(keys.first { $0.room.kind == kind })
                let marks = kind == "served" ? ["open": RecordMark(""), "tenant": ServedPayment.mark(of: "ann")] : [:]
                try await table.change([.record(damaged)]) { _ in
                    RecordChange([.put(damaged, Array(text.utf8), marks: marks)], ())
                }
                let error = await #expect(throws: JournalError.self, "\(kind) \(text)") { try await call() }
                guard case .damaged(path: "served", let detail)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(detail.contains(kind) && !detail.contains("hidden"))
                try #require(table.records as? InMemoryRecords).content = sound
            }
        }
    }

    @Test("A payment with an end and a request, or with neither, is damaged")
    func ends() async throws {
        var payment = try Self.payment("pay_1")
        func read() async throws {
            let (payment, table) = (payment, try await ServeTable.opened())
            try await table.change([.record(ServedPayment.record("pay_1"))]) { _ in
                RecordChange([try payment.write()], ())
            }
            _ = try await table.payment("pay_1", of: "ann")
        }
        try await read()
        payment.ended = Date()
        await #expect(throws: JournalError.self) { try await read() }
        payment.order = nil
        try await read()
        payment.ended = nil
        await #expect(throws: JournalError.self) { try await read() }
    }
}
