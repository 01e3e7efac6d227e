import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrouteCommands

/// Payments by `payroute serve`: once for each key, whatever is interrupted.
@Suite("serve: payments")
struct ServePaymentTests {
    private static let link = "https://shop.example/order/7"

    @Test("A payment is made once for its key, and another request by the key is refused")
    func once() async throws {
        let served = try await ServedShop()
        let body: JSONValue = ["link": .string(Self.link), "option": "tab"]
        let first = try await served.begin(body, key: "k1")
        #expect(first.status == 201)
        let id = try #require(first.json["id"]?.string)
        #expect(id.wholeMatch(of: /pay_[0-9a-f]{24}/) != nil, "\(id)")
        let paid = try await served.settled(id)
        #expect(paid["state"] == "ended" && paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        #expect(paid["outcome"]?["transaction"] == "tx-1" && paid["amount"] == "4.80" && paid["payee"] == "The shop")
        // The same request, however it is spelt.
        let again = try await served.begin(["option": "tab", "link": .string(Self.link)], key: "k1")
        #expect((again.status, again.json["id"]?.string) == (200, id))
        let other = try await served.begin(["link": .string(Self.link), "option": "signed"], key: "k1")
        #expect((other.status, other.json["error"]?["code"]) == (422, "key-reused"))
        // What is over already is not paid by another key.
        let late = try await served.pay(body, key: "k2")
        #expect(late["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 1)
        let list = try await served.call(.get, "/v1/payments?limit=1").json
        #expect(list["payments"]?.array?.count == 1 && list["payments"]?[0]?["id"] == late["id"])
        let rest = try await served.call(.get, "/v1/payments?before=\(list["before"]?.string ?? "")").json
        #expect(rest["payments"]?.array?.map { $0["id"] } == [.string(id)] && rest["before"] == .null)
    }

    @Test("A page has fifty payments where its caller states no number")
    func pages() async throws {
        let folder = ScratchFolder()
        let order = try ServeOrder(stored: ["link": "nothing"])
        do {
            let table = try await ServeTable.opened(SQLiteRecords(path: folder.file("journal.served")))
            for number in 0...50 {
                let payment = ServedPayment(
                    id: "pay_\(number)", tenant: "local", key: "\(number)", input: order.link, order: order,
                    created: Date())
                _ = try await table.begin(payment, digest: "d")
            }
        }
        let served = try await ServedShop.reopened(in: folder, shop: Shop())
        let list = try await served.call(.get, "/v1/payments").json
        #expect(list["payments"]?.array?.count == 50 && list["before"] == "pay_1", "\(list.text)")
        let rest = try await served.call(.get, "/v1/payments?before=pay_1").json
        #expect(rest["payments"]?.array?.map { $0["id"] } == ["pay_0"])
    }

    @Test("A server whose journal was taken away is not ready", arguments: ["journal", "journal.served"])
    func notReady(file: String) async throws {
        let served = try await ServedShop()
        #expect(try await served.call(.get, "/ready").status == 200)
        try FileManager.default.removeItem(atPath: served.folder.file(file))
        let answer = try await served.call(.get, "/ready")
        #expect((answer.status, answer.json["error"]?["code"]) == (503, "journal"))
    }

    @Test("A server one of whose stores takes no write is not ready", arguments: [true, false])
    func notWritable(isJournal: Bool) async throws {
        let records = FaultyRecords()
        let served = try await ServedShop(records: records)
        #expect(try await served.call(.get, "/ready").status == 200)
        if isJournal {
            let database = try Database(path: served.folder.file("journal"), to: .use)
            #expect(try database.number("SELECT count(*) FROM lease") == 0)
            try database.execute("DROP TABLE lease")
        } else {
            records.fails.withLock { $0 = { $0 == nil } }
        }
        #expect(try await served.call(.get, "/ready").status == 503)
    }

    @Test("A payment whose journal cannot be written is not over, and can be resumed by its key")
    func journalGone() async throws {
        let served = try await ServedShop()
        let file = served.folder.file("journal")
        try FileManager.default.moveItem(atPath: file, toPath: file + "-away")
        let left = try await served.pay(["link": .string(Self.link), "option": "tab"], key: "k")
        #expect(left["state"] == "interrupted" && left["outcome"]?["askAgain"] == true, "\(left.text)")
        #expect(await served.shop.charges == 0)
        let path = "/v1/payments/\(left["id"]?.string ?? "")"
        #expect(try await served.call(.post, path + "/cancel").status == 409)
        try FileManager.default.moveItem(atPath: file + "-away", toPath: file)
        try await served.call(.post, path + "/resume")
        let paid = try await served.settled(left["id"]?.string ?? "")
        #expect(paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        #expect(await served.shop.charges == 1)
    }

    @Test("A payment whose terms cannot be stored is not over, and is made once they can")
    func termsNotStored() async throws {
        let records = FaultyRecords()
        let served = try await ServedShop(records: records)
        records.fails.withLock {
            $0 = { write in
                guard case .put(_, let value, _)? = write, let json = try? JSONValue(parsing: value) else {
                    return false
                }
                return json["terms"] != nil
            }
        }
        let left = try await served.pay(["link": .string(Self.link), "option": "tab"], key: "k")
        #expect(left["state"] == "interrupted" && left["outcome"]?["askAgain"] == true, "\(left.text)")
        #expect(await served.shop.charges == 0)
        records.fails.withLock { $0 = { _ in false } }
        try await served.call(.post, "/v1/payments/\(left["id"]?.string ?? "")/resume")
        let paid = try await served.settled(left["id"]?.string ?? "")
        #expect(paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        #expect(await served.shop.charges == 1)
    }

    @Test("Requests at the same time by one key are one payment, also of a payee who can be paid again")
    func together() async throws {
        let served = try await ServedShop()
        let body: JSONValue = ["link": "https://shop.example/payee/ann", "option": "tab"]
        let answers = try await withThrowingTaskGroup(of: ServeAnswer.self) { group in
            for _ in 0..<8 { group.addTask { try await served.begin(body, key: "k") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.map(\.status).sorted() == [200, 200, 200, 200, 200, 200, 200, 201])
        #expect(answers.allSatisfy { $0.json["state"] != "interrupted" })
        let ids = Set(answers.compactMap { $0.json["id"]?.string })
        #expect(ids.count == 1)
        #expect(try await served.settled(try #require(ids.first))["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 1)
        #expect(try await served.pay(body, key: "another")["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 2)
    }

    /// The moments of a crash, by what is stored then.
    enum Moment: CaseIterable { case keyStored, named, paid }

    @Test(
        "After a crash the key stands for the same payment, which is resumed and paid once", arguments: Moment.allCases)
    func crash(at moment: Moment) async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        let body: JSONValue = ["link": .string(Self.link), "option": "tab"]
        let reference = PaymentReference(provider: "shop", id: "7")
        try await Self.leave(body, reference, in: folder, shop, at: moment)
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        let again = try await served.begin(body, key: "k")
        #expect((again.status, again.json["id"]) == (200, "pay_1"))
        if moment == .paid {
            // What is left is asked about without its caller.
            await served.api.payments.look()
        } else {
            #expect(again.json["state"] == "interrupted")
            #expect(try await served.call(.get, "/v1/payments").json["payments"]?[0]?["state"] == "interrupted")
            #expect(try await served.call(.post, "/v1/payments/pay_1/resume").status == 202)
        }
        let paid = try await served.settled("pay_1")
        #expect(paid["state"] == "ended" && paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        #expect(await shop.charges == 1)
        #expect(try await served.call(.post, "/v1/payments/pay_1/resume").status == 409)
    }

    @Test(
        "A payment that nothing runs for is cancelled, and is not resumed then", arguments: [Moment.keyStored, .named])
    func cancelledAtRest(at moment: Moment) async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        let body: JSONValue = ["link": .string(Self.link), "option": "tab"]
        try await Self.leave(body, PaymentReference(provider: "shop", id: "7"), in: folder, shop, at: moment)
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        let cancelled = try await served.call(.post, "/v1/payments/pay_1/cancel")
        #expect(cancelled.status == 200 && cancelled.json["state"] == "ended", "\(cancelled.json.text)")
        #expect(cancelled.json["outcome"]?["outcome"] == "cancelled", "\(cancelled.json.text)")
        #expect(try await served.call(.post, "/v1/payments/pay_1/resume").status == 409)
        #expect(await shop.charges == 0)
    }

    @Test("What cannot be cancelled is not called cancelled")
    func notCancelled() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        try await Self.leave(
            ["link": "nothing"], PaymentReference(provider: "shop", id: "7"), in: folder, shop, at: .keyStored)
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        let refused = try await served.call(.post, "/v1/payments/pay_1/cancel")
        #expect((refused.status, refused.json["error"]?["code"]) == (422, "unroutable"))
        #expect(try await served.call(.get, "/v1/payments/pay_1").json["state"] == "interrupted")
    }

    @Test("Resumed several times at once, a payment to a payee is made once")
    func resumedTogether() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        let body: JSONValue = ["link": "https://shop.example/payee/ann", "option": "tab"]
        try await Self.leave(body, PaymentReference(provider: "shop", id: "-"), in: folder, shop, at: .keyStored)
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { _ = try? await served.call(.post, "/v1/payments/pay_1/resume") }
            }
        }
        #expect(try await served.settled("pay_1")["outcome"]?["outcome"] == "succeeded")
        #expect(await shop.charges == 1)
        let counts = String(decoding: try await served.call(.get, "/metrics").body, as: UTF8.self)
        #expect(counts.contains("_running 0\n") && counts.contains("_seconds_count 1\n"), "\(counts)")
    }

    /// Leaves the files that a process leaves which dies at `moment`.
    private static func leave(
        _ body: JSONValue, _ reference: PaymentReference, in folder: ScratchFolder, _ shop: Shop, at moment: Moment
    ) async throws {
        let table = try await ServeTable.opened(SQLiteRecords(path: folder.file("journal.served")))
        let order = try ServeOrder(stored: body)
        let payment = ServedPayment(
            id: "pay_1", tenant: "local", key: "k", input: order.link, order: order, created: Date())
        let parsed = try ServeBody(body.serialized(), ServeOrder.names)
        guard case .begun = try await table.begin(payment, digest: parsed.digest) else {
            Issue.record("the key is new")
            return
        }
        guard moment != .keyStored else { return }
        try await table.name("pay_1", reference)
        guard moment == .paid else { return }
        // The payment, without the note of its end.
        let gateway = try LoopbackServer(shop)
        defer { gateway.stop() }
        let line = try ServedShop.arguments([], folder, gateway.baseURL)
        let router = try await ServiceSession(line, ServedShop.console, creatingJournal: true).router
        let outcome = try await router.pay(order.link, as: .careless)
        #expect(outcome.isFinal)
    }

    @Test("While the server waits for its payments to end, it is not ready for others")
    func waiting() async throws {
        let (folder, shop, gate) = (ScratchFolder(), Shop(), Gate())
        let taken = await shop.holdNext(until: gate)
        let served = try await ServedShop(in: folder, shop: shop)
        _ = try await served.begin(["link": .string(Self.link), "option": "tab"], key: "k")
        await taken.pass()
        async let drained: Void = served.api.payments.drain(within: .seconds(60))
        var status = 200
        for _ in 0..<10_000 where status == 200 { status = try await served.call(.get, "/ready").status }
        #expect(status == 503)
        await gate.open()
        await drained
    }

    @Test(
        "The end of the server leaves a payment in the journal, whose outcome the next one states",
        arguments: [link, "https://shop.example/payee/ann"])
    func drained(link: String) async throws {
        let (folder, shop, gate) = (ScratchFolder(), Shop(), Gate())
        let taken = await shop.holdNext(until: gate)
        let body: JSONValue = ["link": .string(link), "option": "tab"]
        var first: ServedShop? = try await ServedShop(in: folder, shop: shop)
        let id = try #require(try await first?.begin(body, key: "k").json["id"]?.string)
        await taken.pass()
        await first?.api.payments.drain(within: .milliseconds(100))
        let late = try await first?.begin(body, key: "k2")
        #expect((late?.status, late?.json["error"]?["code"]) == (503, "draining"))
        #expect(try await first?.call(.get, "/ready").status == 503)
        #expect(try await first?.call(.post, "/v1/payments/\(id)/resume").status == 503)
        await gate.open()
        first = nil
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        let left = try await served.call(.get, "/v1/payments/\(id)").json
        // The shop has taken the money: the server may have asked it already.
        #expect(left["state"] == "interrupted" || left["outcome"]?["outcome"] == "succeeded", "\(left.text)")
        try await served.call(.post, "/v1/payments/\(id)/resume")
        let paid = try await served.settled(id)
        #expect(paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        #expect(await shop.charges == 1)
    }

    @Test("Two servers at one journal exclude each other")
    func alone() async throws {
        let served = try await ServedShop()
        let file = served.folder.file("journal.served")
        await #expect(throws: JournalError.locked(path: file)) { try await ServedShop(in: served.folder) }
    }

    @Test("A server that follows another one at its journal excludes others, too")
    func aloneAgain() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        var first: ServedShop? = try await ServedShop(in: folder, shop: shop)
        #expect(try await first?.call(.get, "/ready").status == 200)
        first = nil
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        await #expect(throws: JournalError.self) { try await ServedShop(in: folder, shop: shop) }
        #expect(try await served.call(.get, "/ready").status == 200)
    }

    @Test("Limits take an option within them, and nothing above")
    func limits() async throws {
        let served = try await ServedShop()
        let eur: JSONValue = "iso4217/EUR"
        let low = try await served.pay(["link": .string(Self.link), "limits": [["amount": "4.79", "unit": eur]]])
        #expect(low["outcome"]?["outcome"] == "declined", "\(low.text)")
        #expect(low["state"] == "ended")
        #expect(await served.shop.charges == 0)
        let enough = try await served.pay(["link": .string(Self.link), "limits": [["amount": "4.80", "unit": eur]]])
        #expect(enough["outcome"]?["outcome"] == "succeeded")
    }

    @Test("A quote is paid as it was seen, by its tenant's option")
    func quoted() async throws {
        let served = try await ServedShop()
        let quote = try await served.call(.post, "/v1/quotes", ["link": .string(Self.link)])
        #expect(quote.status == 200 && quote.json["amount"] == "4.80")
        let unmet = quote.json["options"]?.array?.first { $0["id"] == "foreign" }?["unmet"]?.array
        #expect(unmet?.count == 1 && unmet?.first?["need"] == "signing" && unmet?.first?["words"] != nil)
        let paid = try await served.pay(["quote": try #require(quote.json["id"]), "option": "tab"])
        #expect(paid["outcome"]?["outcome"] == "succeeded" && paid["reference"] == "7")
        #expect(try await served.begin(["quote": "quo_1", "option": "tab"]).status == 404)
        let mixed = try await served.begin(["quote": try #require(quote.json["id"]), "link": .string(Self.link)])
        #expect(mixed.status == 422)
    }

    @Test("A key stands for its payment also when the quote is gone, and no other key pays by such a quote")
    func quoteGone() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        var first: ServedShop? = try await ServedShop(in: folder, shop: shop)
        let quote = try #require(try await first?.call(.post, "/v1/quotes", ["link": .string(Self.link)]).json["id"])
        let body: JSONValue = ["quote": quote, "option": "tab"]
        let paid = try #require(try await first?.pay(body, key: "k"))
        first = nil
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        let again = try await served.begin(body, key: "k")
        #expect((again.status, again.json["id"]) == (200, paid["id"]))
        #expect(try await served.begin(body, key: "another").status == 404)
        #expect(try await served.begin(["quote": quote, "option": "signed"], key: "k").status == 422)
    }

    @Test("A payment by a quote asks for no other")
    func quotedOnce() async throws {
        let served = try await ServedShop()
        var counts: [Int] = []
        for (order, isQuoted) in [("1", false), ("2", true)] {
            var body: JSONValue = ["option": "tab", "link": .string("https://shop.example/order/\(order)")]
            if isQuoted {
                let quote = try await served.call(.post, "/v1/quotes", ["link": try #require(body["link"])]).json
                body = ["option": "tab", "quote": try #require(quote["id"])]
            }
            let before = await served.shop.requests
            #expect(try await served.pay(body)["outcome"]?["outcome"] == "succeeded")
            counts.append(await served.shop.requests - before)
        }
        #expect(counts[1] == counts[0] - 1, "\(counts)")
    }

    @Test("A link that proves nothing is paid with consent only")
    func unverified() async throws {
        let served = try await ServedShop()
        let body: JSONValue = ["link": "https://shop.example/doubtful/8", "option": "tab"]
        let refused = try await served.pay(body)
        #expect(refused["outcome"]?["error"]?["code"] == "untrusted-link" && refused["state"] == "ended")
        var consent = body
        consent["acceptingUnverified"] = true
        #expect(try await served.pay(consent)["outcome"]?["outcome"] == "succeeded")
    }

    @Test("The link is erased from the file at the end of its payment")
    func erased() async throws {
        let served = try await ServedShop()
        let paid = try await served.pay(["link": .string(Self.link + "?secret=hidden"), "option": "tab"], key: "k")
        #expect(paid["state"] == "ended")
        let path = served.folder.file("journal.served")
        let room = RecordRoom(ServedPayment.kind, paid["id"]?.string ?? "")
        let left = try await SQLiteRecords(path: path, creating: false).records([.room(room)])[0]
        let texts = left.map { String(decoding: $0.value, as: UTF8.self) }
        #expect(texts.count == 1 && !texts[0].contains("\"order\""), "\(texts)")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("Pruning keeps the keys of callers for as long as proofs")
    func prunedWithProofs() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        let file = folder.file("journal")
        do {
            let served = try await ServedShop(in: folder, shop: shop)
            let paid = try await served.pay(["link": .string(Self.link), "option": "tab"])
            #expect(paid["state"] == "ended")
            let key = ServedPayment.record(paid["id"]?.string ?? "")
            try await SQLiteRecords(path: file + ".served").change([.record(key)]) { found in
                var payment = try ServedPayment(try #require(found[0].first), in: file)
                payment.ended = Date(timeIntervalSinceNow: -40 * 86400)
                return RecordChange([try payment.write()], ())
            }
        }
        for (days, count) in [("400", 0), ("39", 1)] {
            let line = ["journal", "prune", "--journal", file, "--older-than", "10", "--keep-proofs", days]
            let pruned = await payroute(line, input: [])
            let words = "\(count) \(count == 1 ? "key" : "keys") of callers removed"
            #expect(pruned.output.contains(words), "\(pruned)")
        }
    }

    @Test("Keys are removed while the server runs, and the journal still pays no link twice")
    func pruned() async throws {
        let served = try await ServedShop()
        let body: JSONValue = ["link": .string(Self.link), "option": "tab"]
        let first = try await served.pay(body, key: "k")
        let file = served.folder.file("journal.served")
        let records = try SQLiteRecords(path: file, creating: false)
        let early = try await ServeTable.prune(
            records, called: file, endedBefore: Date(timeIntervalSinceNow: -3600))
        #expect(early == 0)
        #expect(try await served.pay(body, key: "k")["id"] == first["id"])
        #expect(try await ServeTable.prune(records, called: file, endedBefore: .distantFuture) == 1)
        let again = try await served.pay(body, key: "k")
        #expect(again["id"] != first["id"] && again["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 1)
    }
}
