import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import BitcoinWallets

/// Orders as records: their form, the rules of their states, and the mark next to a file of them.
@Suite("Records of orders")
struct OrderRecordTests {
    private let clock = TestClock()
    private let records = InMemoryRecords()

    /// The orders as another machine opens them.
    private func orders(lease: Duration = WalletOrders.lease) async throws -> WalletOrders {
        try await WalletOrders(records, lease: lease, clock: clock)
    }

    /// An order of an invoice that is being sent.
    private func order(_ name: String, _ hash: String, at wallet: String = "w") -> WalletOrder {
        let invoice = WalletInvoice(
            text: "lnbc" + hash, paymentHash: hash, amount: 21_000, isAmountless: false, feeLimit: 10_000)
        return WalletOrder(
            name: name, wallet: wallet, payment: .invoice(invoice), placedAt: clock.now, state: .sending)
    }

    private struct NotBegun: Error {}

    private func begin(_ order: WalletOrder, _ orders: WalletOrders, alone: Bool = false) async throws -> OrderRequest {
        guard case .begun(let request) = try await orders.begin(order, alone: alone) else { throw NotBegun() }
        return request
    }

    // MARK: Forms

    @Test(
        "An order is read as it was stored, whatever its state",
        arguments: [
            .sending, .asked(since: Date(timeIntervalSinceReferenceDate: 0.1), isDealtWith: true, height: nil),
            .asked(since: Date(timeIntervalSinceReferenceDate: -1.0 / 3), isDealtWith: false, height: .max),
            .paid(.preimage("aa"), fee: nil), .paid(.unproven(paymentHash: "a:b"), fee: .max),
            .refused(reason: "", wasRequested: false), .refused(reason: "no \u{0} \u{E9}", wasRequested: true),
        ] as [WalletOrder.State])
    func form(state: WalletOrder.State) throws {
        let payments: [WalletOrder.Payment?] = [
            .invoice(
                WalletInvoice(text: "lnbc", paymentHash: "aa", amount: .max, isAmountless: true, feeLimit: 0)),
            .transaction(ChainTransaction(id: "bb", address: "bcrt1q", amount: .max, fee: 150)), nil,
        ]
        for payment in payments {
            let order = WalletOrder(
                name: "a\u{0}", wallet: payment == nil ? nil : "w", payment: payment, placedAt: clock.now, state: state,
                message: payment == nil ? nil : ServiceMessage(host: "h.example", text: #"{"tag":"message"}"#))
            let stored = StoredOrder(order: order, sender: "s")
            guard case .put(let key, let value, _) = try stored.put() else {
                Issue.record("it is not stored")
                return
            }
            #expect(try StoredOrder(StoredRecord(key: key, value: value, place: 1)) == stored)
        }
    }

    @Test("Names that Swift takes for the same are two orders; a name of any length is an order")
    func names() async throws {
        let orders = try await orders()
        for (number, name) in ["\u{E9}", "e\u{301}", "", String(repeating: "n", count: 100_000)].enumerated() {
            _ = try await begin(order(name, "\(number)"), orders)
            #expect(try await orders.order(named: name, at: clock.now)?.payment?.id == "\(number)")
        }
    }

    @Test(
        "A record that cannot be read is an error that shows nothing of it",
        arguments: [
            "", "{}", "secret", #"{"name":"a","placed":0,"isDealtWith":false,"wasRequested":false,"state":"x"}"#,
            #"{"name":"a","placed":0,"isDealtWith":false,"wasRequested":false,"state":"paid"}"#,
        ])
    func damage(value: String) async throws {
        let orders = try await orders()
        for key in [StoredOrder.key("a"), OrderMemory.key] {
            try await records.change([.record(key)]) { _ in RecordChange([.put(key, Array(value.utf8))], ()) }
        }
        let read = await #expect(throws: JournalError.self) { try await orders.order(named: "a", at: clock.now) }
        let begun = await #expect(throws: JournalError.self) { try await orders.begin(order("a", "aa"), alone: true) }
        let opened = await #expect(throws: JournalError.self) { _ = try await self.orders() }
        for error in [read, begun, opened] {
            guard case .damaged? = error, let error, !"\(error)".contains("secret") else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("A claim or a turn that cannot be read lets nothing begin", arguments: ["wallet payment", "wallet turn"])
    func damagedClaim(kind: String) async throws {
        let orders = try await orders()
        let stored = StoredOrder(order: order("a", "aa"), sender: nil)
        let key = kind == "wallet turn" ? stored.turn : stored.claim
        try await records.change([.record(key)]) { _ in RecordChange([.put(key, [0xFF])], ()) }
        await #expect(throws: JournalError.self) { try await orders.begin(order("b", "aa"), alone: true) }
        try await records.change([.record(key)]) { _ in RecordChange([.put(key, Array("none".utf8))], ()) }
        await #expect(throws: JournalError.self) { try await orders.begin(order("b", "aa"), alone: true) }
    }

    // MARK: Rules

    @Test("A payment that has an order begins none under another name until that one is refused")
    func secondName() async throws {
        let (orders, others) = (try await orders(), try await orders())
        let request = try await begin(order("a", "aa"), orders)
        guard case .known(order("a", "aa")) = try await others.begin(order("b", "aa"), alone: false) else {
            Issue.record("it began")
            return
        }
        try await orders.refuse("a", because: "it is being sent")
        #expect(try await others.order(for: "aa", at: clock.now) == order("a", "aa"))
        try await orders.end(request, isDealtWith: true, now: clock.now)
        try await orders.refuse("a", because: "no")
        #expect(try await others.order(for: "aa", at: clock.now) == nil)
        #expect(try await others.requested(for: "aa")?.state == .refused(reason: "no", wasRequested: true))
        _ = try await begin(order("b", "aa"), others)
        // What was refused after its request had left becomes paid only if no other order has its payment.
        try await orders.settle("a", .unproven(paymentHash: "aa"), fee: nil)
        #expect(
            try await orders.order(named: "a", at: clock.now)?.state == .refused(reason: "no", wasRequested: true))
        #expect(try await orders.order(for: "aa", at: clock.now)?.name == "b")
        try await orders.settle("b", .preimage("00"), fee: 7)
        #expect(try await orders.order(for: "aa", at: clock.now)?.state == .paid(.preimage("00"), fee: 7))
        // What is paid stays as it is.
        try await orders.settle("b", .preimage("11"), fee: 8)
        try await orders.refuse("b", because: "no")
        #expect(try await orders.order(named: "b", at: clock.now)?.state == .paid(.preimage("00"), fee: 7))
    }

    @Test("What was refused after its request had left is found, ends as paid, and keeps the first height")
    func paidAfterAll() async throws {
        let orders = try await orders()
        let request = try await begin(order("late", "aa"), orders)
        try await orders.note(height: 5, for: "late")
        try await orders.end(request, isDealtWith: false, now: clock.now)
        for height in [7, 9] as [UInt64] { try await orders.note(height: height, for: "late") }
        #expect(
            try await orders.order(named: "late", at: clock.now)?.state
                == .asked(since: clock.now, isDealtWith: false, height: 7))
        try await orders.refuse("late", because: "no")
        try await orders.settle("late", .unproven(paymentHash: "aa"), fee: nil)
        #expect(
            try await orders.order(for: "aa", at: clock.now)?.state == .paid(.unproven(paymentHash: "aa"), fee: nil))
        #expect(try await orders.requested(for: "aa") == nil)
        guard case .known = try await orders.begin(order("b", "aa"), alone: false) else {
            Issue.record("it began")
            return
        }
    }

    @Test("A name that was refused without a request begins no order and is never paid")
    func refused() async throws {
        let orders = try await orders()
        let refused = WalletOrder(
            name: "b", placedAt: clock.now, state: .refused(reason: "it was abandoned", wasRequested: false))
        #expect(try await orders.refuse(refused) == refused)
        try await orders.settle("b", .unproven(paymentHash: "aa"), fee: nil)
        #expect(try await orders.order(named: "b", at: clock.now) == refused)
        guard case .known(refused) = try await orders.begin(order("b", "aa"), alone: false) else {
            Issue.record("it began")
            return
        }
        _ = try await begin(order("a", "aa"), orders)
        let late = WalletOrder(name: "a", placedAt: clock.now, state: .refused(reason: "no", wasRequested: false))
        #expect(try await orders.refuse(late) == order("a", "aa"))
    }

    @Test("At a wallet that takes turns one order is sent at a time; other wallets are not held up")
    func turns() async throws {
        let orders = try await orders()
        func isBusy(_ name: String, at wallet: String = "w") async throws -> Bool {
            guard case .busy = try await orders.begin(order(name, name, at: wallet), alone: true) else { return false }
            return true
        }
        var request = try await begin(order("a", "a"), orders)
        #expect(try await isBusy("b"))
        #expect(try await !isBusy("c", at: "other"))
        try await orders.end(request, isDealtWith: true, now: clock.now)
        request = try await begin(order("b", "b"), orders, alone: true)
        // Without an answer others wait for 15 seconds.
        try await orders.end(request, isDealtWith: false, now: clock.now)
        #expect(try await isBusy("d"))
        clock.advance(by: .seconds(14))
        #expect(try await isBusy("d"))
        clock.advance(by: .seconds(1))
        request = try await begin(order("d", "d"), orders, alone: true)
        // A clock that is far ahead, or was, holds nobody up permanently.
        try await orders.end(request, isDealtWith: false, now: clock.now.addingTimeInterval(86_400))
        request = try await begin(order("e", "e"), orders, alone: true)
        try await orders.end(request, isDealtWith: false, now: clock.now)
        #expect(try await isBusy("f"))
        try await orders.settle("e", .preimage("00"), fee: nil)
        #expect(try await !isBusy("f"))
    }

    // MARK: Senders

    @Test("The request of a sender that is gone is over, and what it reports later changes nothing")
    func dead() async throws {
        let (mortal, other) = (try await orders(), try await orders())
        let request = try await begin(order("a", "aa"), mortal)
        clock.advance(by: .seconds(599))
        #expect(try await other.order(named: "a", at: clock.now)?.state == .sending, "it may live")
        clock.advance(by: .seconds(2))
        let over = WalletOrder.State.asked(since: clock.now, isDealtWith: false, height: nil)
        #expect(try await other.order(for: "aa", at: clock.now)?.state == over)
        try await mortal.end(request, isDealtWith: true, now: clock.now)
        clock.advance(by: .seconds(60))
        #expect(try await other.order(named: "a", at: clock.now)?.state == over)
        await #expect(throws: RecordError.self) { try await records.renew(request.lease, at: clock.now) }
    }

    @Test("A sender that is gone holds up others of its wallet for 15 seconds after a look at it")
    func deadInTurn() async throws {
        let orders = try await orders()
        _ = try await begin(order("a", "aa"), orders, alone: true)
        clock.advance(by: .seconds(601))
        for isLast in [false, true] {
            let claim = try await orders.begin(order("b", "bb"), alone: true)
            if case .busy = claim { #expect(!isLast) } else { #expect(isLast) }
            clock.advance(by: .seconds(15))
        }
    }

    // MARK: Names of the orders

    @Test("The orders of a store have one name, and another store's another")
    func permanentName() async throws {
        let name = try await orders().name
        #expect(try await orders().name == name)
        #expect(try await WalletOrders(InMemoryRecords()).name != name)
        try await orders().register("a")
        let others = try await orders()
        #expect(try await others.isRegistered("a"))
        #expect(try await !others.isRegistered("b"))
    }

    @Test("A request does not leave if the mark cannot be written, and its order has sent nothing")
    func unwrittenMark() async throws {
        let folder = ScratchFolder()
        let orders = try await WalletOrders(
            records, mark: OrderMark(path: folder.file("none/mark")), lease: nil, clock: clock)
        await #expect(throws: JournalError.self) { try await orders.begin(order("a", "aa"), alone: false) }
        guard case .refused(_, wasRequested: true)? = try await orders.order(named: "a", at: clock.now)?.state else {
            Issue.record("it may still be sent")
            return
        }
        // Its payment is free for another name.
        #expect(try await orders.order(for: "aa", at: clock.now) == nil)
    }

    @Test("A mark that is there and cannot be read is no missing one")
    func unreadableMark() throws {
        let folder = ScratchFolder()
        #expect(try OrderMark(path: folder.file("mark")).count(of: "a") == 0)
        try OrderMark(path: folder.file("mark")).write("a", count: 3)
        #expect(try OrderMark(path: folder.file("mark")).count(of: "a") == 3)
        #expect(throws: JournalError.self) { try OrderMark(path: folder.file("mark/mark")).count(of: "a") }
    }

    @Test("An order in the place of another one is damage, and not that one's answer")
    func misplaced() async throws {
        let orders = try await orders()
        _ = try await begin(order("a", "aa"), orders)
        let value = try #require(try await records.record(StoredOrder.key("a"))).value
        let key = StoredOrder.key("b")
        try await records.change([.record(key)]) { _ in RecordChange([.put(key, value)], ()) }
        await #expect(throws: JournalError.self) { try await orders.order(named: "b", at: clock.now) }
        #expect(try await orders.order(named: "a", at: clock.now)?.name == "a")
    }

    @Test("A mark that cannot be written says why")
    func unwritableMark() throws {
        let mark = OrderMark(path: ScratchFolder().file("none/mark"))
        let error = #expect(throws: JournalError.self) { try mark.write("a", count: 1) }
        guard case .inaccessible(_, let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail == "No such file or directory")
    }
}
