import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// Invoices that the callers of `payroute serve` pay from their own wallets.
@Suite("serve: settlements")
struct ServeSettlementTests {
    private static let order: JSONValue = ["link": "https://shop.example/order/7", "option": "coin"]
    private static let proof: JSONValue = ["preimage": .string(Hex.encode(Shop.preimage(of: "7")))]

    private static func path(_ payment: JSONValue) -> String {
        "/v1/payments/\(payment["id"]?.string ?? "")/actions/\(payment["action"]?["id"]?.string ?? "")"
    }

    @Test("An invoice is handed out, and only its own proof is taken")
    func paying() async throws {
        let served = try await ServedShop([])
        let asked = try await served.pay(Self.order)
        let action = try #require(asked["action"])
        #expect(action["kind"] == "settle" && action["endpoint"] == "invoice-7" && action["endpointKind"] == "bolt11")
        #expect(action["network"] == "regtest" && action["amount"] == "4.80" && action["unit"] == "iso4217/EUR")
        let other = Hex.encode(Shop.preimage(of: "8"))
        let wrong: [JSONValue] = [
            [:], ["preimage": "00"], ["preimage": .string(other)], ["transaction": .string(other)],
        ]
        for answer in wrong { #expect(try await served.call(.post, Self.path(asked), answer).status == 422) }
        #expect(await served.shop.charges == 0)
        let paid = try await served.answer(asked, Self.proof)
        #expect(paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        #expect(await served.shop.charges == 1)
    }

    @Test("After the end of a server the next one asks for the same settlement again, and pays once")
    func resuming() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        var first: ServedShop? = try await ServedShop([], in: folder, shop: shop)
        let asked = try #require(try await first?.pay(Self.order))
        await first?.api.payments.drain(within: .zero)
        first = nil
        let served = try await ServedShop.reopened([], in: folder, shop: shop)
        let id = try #require(asked["id"]?.string)
        #expect(try await served.call(.get, "/v1/payments/\(id)").json["state"] == "interrupted")
        try await served.call(.post, "/v1/payments/\(id)/resume")
        let again = try await served.settled(id)
        #expect(again["action"]?["settlement"] == asked["action"]?["settlement"], "\(again.text)")
        #expect(again["action"]?["id"] != asked["action"]?["id"])
        // An answer to the former server's question comes too late, and ends nothing.
        #expect(try await served.call(.post, Self.path(asked), ["decline": true]).status == 404)
        let paid = try await served.answer(again, Self.proof)
        #expect(paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        #expect(await shop.charges == 1)
    }

    @Test("After a caller's answer and the end of a server nothing is sent before the payment is resumed")
    func answeredAndLeft() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        var first: ServedShop? = try await ServedShop([], in: folder, shop: shop)
        let asked = try #require(try await first?.pay(Self.order))
        first?.gateway.stop()
        #expect(try await first?.call(.post, Self.path(asked), Self.proof).status == 202)
        await first?.api.payments.drain(within: .zero)
        first = nil
        let served = try await ServedShop.reopened([], in: folder, shop: shop)
        await served.api.payments.look()
        let id = try #require(asked["id"]?.string)
        #expect(try await served.call(.get, "/v1/payments/\(id)").json["state"] == "interrupted")
        #expect(await shop.charges == 0)
        try await served.call(.post, "/v1/payments/\(id)/resume")
        #expect(try await served.settled(id)["outcome"]?["outcome"] == "succeeded")
        #expect(await shop.charges == 1)
    }

    @Test("A settlement that is declined ends its payment; the next one has another name")
    func declining() async throws {
        let served = try await ServedShop([])
        let asked = try await served.pay(Self.order)
        let declined = try await served.answer(asked, ["decline": true])
        #expect(declined["state"] == "ended" && declined["outcome"]?["outcome"] != "succeeded", "\(declined.text)")
        #expect(await served.shop.charges == 0)
        let next = try await served.pay(Self.order)
        #expect(next["action"]?["settlement"] != asked["action"]?["settlement"], "\(next.text)")
        #expect(try await served.answer(next, Self.proof)["outcome"]?["outcome"] == "succeeded")
    }

    @Test("A payment whose invoice was handed out is not called cancelled, and goes on")
    func cancelling() async throws {
        let served = try await ServedShop([])
        let asked = try await served.pay(Self.order)
        let id = try #require(asked["id"]?.string)
        #expect(try await served.call(.post, "/v1/payments/\(id)/cancel").status == 409)
        let left = try await served.call(.get, "/v1/payments/\(id)").json
        #expect(left["state"] == "interrupted" && left["outcome"]?["outcome"] == "unknown", "\(left.text)")
        #expect(left["outcome"]?["askAgain"] == true)
        try await served.call(.post, "/v1/payments/\(id)/resume")
        let again = try await served.settled(id)
        #expect(again["action"]?["settlement"] == asked["action"]?["settlement"], "\(again.text)")
        #expect(try await served.answer(again, Self.proof)["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 1)
    }

    // MARK: The settler's rules

    /// A caller with a wallet, who pays each name once and answers whatever is asked.
    private final class Caller: Sendable {
        struct State {
            var actions: ServeActions?
            var paid: Set<String> = []
            var isRefusing = false
            var orders = 0
        }
        let state = Mutex(State())
        let table: ServeTable

        init() async throws { table = try await .opened() }

        func settler() -> CallerSettler {
            let actions = ServeActions(random: SystemRandomSource()) { [weak self] in await self?.answer($0) }
            state.withLock { $0.actions = actions }
            return CallerSettler(
                table: table, actions: actions, payment: "pay_1", tenant: "local", clock: SystemPaymentClock())
        }

        func invoice() throws -> (endpoint: SettlementEndpoint, amount: Money) {
            let number = state.withLock {
                $0.orders += 1
                return $0.orders
            }
            return (Shop.invoice(of: "\(number)"), try Money(minorUnits: 21, currency: .satoshi))
        }

        private func answer(_ payment: String) async {
            guard let actions = state.withLock({ $0.actions }) else { return }
            while let action = await actions.action(of: payment), let id = action["id"]?.string,
                let name = action["settlement"]?.string, let invoice = action["endpoint"]?.string
            {
                let isPaid = state.withLock { state in
                    if !state.isRefusing { state.paid.insert(name) }
                    return state.paid.contains(name)
                }
                let preimage = Hex.encode(Shop.preimage(of: String(invoice.dropFirst("invoice-".count))))
                let answer: JSONValue = isPaid ? ["preimage": .string(preimage)] : ["decline": true]
                try? await actions.answer(id, of: payment, with: answer.serialized())
            }
        }
    }

    @Test("It keeps the rules of settlers")
    func conformance() async {
        let report = await SettlerConformance.check(
            SettlerSubject("a caller's wallet") {
                let caller = try await Caller()
                return SettlerSubject.Wallet(
                    caller.settler(), invoice: { try caller.invoice() },
                    payments: { caller.state.withLock { $0.paid.count } },
                    refuse: { refuses in caller.state.withLock { $0.isRefusing = refuses } },
                    reopen: { caller.settler() })
            })
        #expect(report.isComplete, "\(report)")
    }

    @Test("What one tenant is asked to pay, no other is asked")
    func tenants() async throws {
        let caller = try await Caller()
        let invoice = try caller.invoice()
        let settlement = Settlement(key: "name", endpoint: invoice.endpoint, amount: invoice.amount)
        _ = try await caller.table.hand(settlement, to: "other", at: Date())
        let settler = caller.settler()
        #expect(try await settler.settle(settlement) == .inFlight(retryAfter: nil))
        #expect(try await settler.order(named: "name")?.state == .inFlight(retryAfter: nil))
        let mine = Settlement(key: "mine", endpoint: invoice.endpoint, amount: invoice.amount)
        guard case .nothingSent = try await settler.settle(mine) else {
            Issue.record("an invoice was handed out twice")
            return
        }
        #expect(caller.state.withLock { $0.paid.isEmpty })
    }

    @Test("The answer of a caller stays while a payment has its name: nobody is asked for the money twice")
    func prunedWhileOpen() async throws {
        let caller = try await Caller()
        let (endpoint, amount) = try caller.invoice()
        let (table, proof) = (caller.table, SettlementProof.preimage(Hex.encode(Shop.preimage(of: "1"))))
        try await table.register("paid", for: "pay_1")
        _ = try await table.hand(Settlement(key: "paid", endpoint: endpoint, amount: amount), to: "local", at: Date())
        // A clock that stood in 1970.
        _ = try await table.end("paid", proof, at: Date(timeIntervalSince1970: 0))
        _ = try await ServeTable.prune(table.records, called: "served", endedBefore: .distantFuture)
        #expect(try await table.settlement(named: "paid")?.order.state == .settled(proof))
        #expect(try await table.order(paying: endpoint)?.name == "paid")
    }

    @Test("Answered settlements are pruned with the keys, and their invoices; open ones are not")
    func pruned() async throws {
        let caller = try await Caller()
        let proof = SettlementProof.preimage(Hex.encode(Shop.preimage(of: "1")))
        var invoices: [SettlementEndpoint] = []
        for name in ["paid", "declined", "open"] {
            let (endpoint, amount) = try caller.invoice()
            invoices.append(endpoint)
            for name in [name, name + " again"] {
                _ = try await caller.table.hand(
                    Settlement(key: name, endpoint: endpoint, amount: amount), to: "local", at: Date())
            }
        }
        _ = try await caller.table.end("paid", proof, at: Date())
        _ = try await caller.table.end("declined", nil, at: Date())
        func prune(_ date: Date) async throws {
            #expect(try await ServeTable.prune(caller.table.records, called: "served", endedBefore: date) == 0)
        }
        try await prune(Date(timeIntervalSinceNow: -3600))
        for name in ["paid", "declined", "open"] {
            #expect(try await caller.table.settlement(named: name) != nil)
            #expect(try await caller.table.settlement(named: name + " again") != nil)
        }
        try await prune(.distantFuture)
        for name in ["paid", "declined", "paid again", "declined again", "open again"] {
            #expect(try await caller.table.settlement(named: name) == nil)
        }
        #expect(try await caller.table.settlement(named: "open") != nil)
        #expect(try await caller.table.order(paying: invoices[0]) == nil)
        #expect(try await caller.table.order(paying: invoices[2])?.name == "open")
    }

    @Test("Another invoice of a payment hash that was handed out is not asked about, and not handed out")
    func twin() async throws {
        let caller = try await Caller()
        let (endpoint, amount) = try caller.invoice()
        let settler = caller.settler()
        #expect(
            try await settler.settle(Settlement(key: "a", endpoint: endpoint, amount: amount))
                == .settled(.preimage(Hex.encode(Shop.preimage(of: "1")))))
        #expect(try await settler.order(paying: endpoint)?.name == "a")
        let twin = SettlementEndpoint(
            endpoint.kind, text: "invoice-2", network: endpoint.network, paymentHash: endpoint.paymentHash)
        // The memory alone says the same, with no caller to be asked.
        for settler: any PaymentSettler in [settler, AnsweredSettler(table: caller.table)] {
            let error = await #expect(throws: PaymentError.self) { try await settler.order(paying: twin) }
            #expect(error?.code == .integrity)
        }
        let state = try? await settler.settle(Settlement(key: "b", endpoint: twin, amount: amount))
        if case .settled? = state { Issue.record("the proof of another invoice passes for it") }
        #expect(caller.state.withLock { $0.paid } == ["a"])
    }

    @Test("The memory alone registers, pays and abandons nothing that no caller was asked to pay")
    func memory() async throws {
        let caller = try await Caller()
        let (endpoint, amount) = try caller.invoice()
        let settler = AnsweredSettler(table: caller.table)
        #expect(settler.name == caller.table.name && settler.canSettle(endpoint.kind, on: endpoint.network))
        #expect(settler.feeLimit(for: amount, to: endpoint.kind) == nil)
        #expect(try await settler.order(named: "a") == nil)
        let settlement = Settlement(key: "a", endpoint: endpoint, amount: amount)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await settler.settle(settlement) }, { _ = try await settler.abandon("a") },
            { try await settler.register("a") },
        ]
        for call in calls {
            let error = await #expect(throws: PaymentError.self) { try await call() }
            #expect(error?.code == .payer && error?.retry == .later)
        }
        #expect(try await !caller.table.isRegistered("a"))
        let proof = SettlementProof.preimage(Hex.encode(Shop.preimage(of: "1")))
        _ = try await caller.table.hand(settlement, to: "local", at: Date())
        _ = try await caller.table.end("a", proof, at: Date())
        #expect(try await settler.settle(settlement) == .settled(proof))
        #expect(try await settler.abandon("a") == .settled(proof))
        try await settler.register("a")
    }

    @Test("A payment on a chain is proved by its transaction's 32 bytes, in any case, and by nothing else")
    func chain() async throws {
        let caller = try await Caller()
        let asked = Gate()
        let actions = ServeActions(random: SystemRandomSource()) { _ in await asked.open() }
        let settler = CallerSettler(
            table: caller.table, actions: actions, payment: "pay_1", tenant: "local", clock: SystemPaymentClock())
        let settlement = Settlement(
            key: "name", endpoint: SettlementEndpoint(.bitcoinAddress, text: "bcrt1q", network: "regtest"),
            amount: try caller.invoice().amount)
        async let state = settler.settle(settlement)
        await asked.pass()
        let id = try #require(await actions.action(of: "pay_1")?["id"]?.string)
        func answer(_ member: String, _ text: String) async throws {
            let answer: JSONValue = [member: .string(text)]
            try await actions.answer(id, of: "pay_1", with: answer.serialized())
        }
        let text = String(repeating: "Ab", count: 32)
        for (member, wrong) in [
            ("preimage", text), ("transaction", String(text.dropLast(2))), ("transaction", text + "00"),
            ("transaction", "x" + text.dropFirst()),
        ] {
            await #expect(throws: ServeError.self) { try await answer(member, wrong) }
        }
        try await answer("transaction", text)
        #expect(try await state == .settled(.transaction(text.lowercased())))
    }

    @Test("A name that was refused for its invoice states the name that has paid it, whatever is answered to it")
    func elsewhere() async throws {
        let table = try await Caller().table
        let amount = try Money(minorUnits: 21, currency: .satoshi)
        func settlement(_ key: String) -> Settlement {
            Settlement(key: key, endpoint: Shop.invoice(of: "1"), amount: amount)
        }
        _ = try await table.hand(settlement("a"), to: "local", at: Date())
        let refused = try await table.hand(settlement("b"), to: "local", at: Date())
        guard case .nothingSent = refused.order.state else {
            Issue.record("an invoice was handed out twice: \(refused.order.state)")
            return
        }
        _ = try await table.end("a", .preimage(Hex.encode(Shop.preimage(of: "1"))), at: Date())
        #expect(try await table.settlement(named: "b")?.order.state == .settledElsewhere(name: "a"))
        // An answer under the refused name does not free the invoice.
        _ = try await table.end("b", nil, at: Date())
        #expect(try await table.order(paying: Shop.invoice(of: "1"))?.name == "a")
    }

    @Test("A declined invoice is handed out under another name")
    func declined() async throws {
        let table = try await Caller().table
        let amount = try Money(minorUnits: 21, currency: .satoshi)
        for key in ["a", "b"] {
            let settlement = Settlement(key: key, endpoint: Shop.invoice(of: "1"), amount: amount)
            let handed = try await table.hand(settlement, to: "local", at: Date())
            #expect(handed.order.state == .inFlight(retryAfter: nil))
            #expect(try await table.order(paying: settlement.endpoint)?.name == key)
            _ = try await table.end(key, nil, at: Date())
            #expect(try await table.order(paying: settlement.endpoint) == nil)
        }
    }

    @Test("The first answer stays")
    func answered() async throws {
        let caller = try await Caller()
        let invoice = try caller.invoice()
        let settlement = Settlement(key: "name", endpoint: invoice.endpoint, amount: invoice.amount)
        _ = try await caller.table.hand(settlement, to: "local", at: Date())
        let proof = SettlementProof.preimage(Hex.encode(Shop.preimage(of: "1")))
        for answer in [nil, proof] {
            guard case .nothingSent = try await caller.table.end("name", answer, at: Date()).order.state else {
                Issue.record("a promise was taken back")
                return
            }
        }
    }
}
