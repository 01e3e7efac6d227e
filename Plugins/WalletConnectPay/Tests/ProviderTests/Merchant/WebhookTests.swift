import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPaySandbox

/// Webhooks: the accepted ones, and their content (Protocol 7).
@Suite struct WebhookTests {
    // MARK: Signatures (Protocol 7.2)

    /// The documentation's example, with another signer's signature; its body is no event.
    @Test("The published example's signature holds", arguments: ["svix", "webhook"])
    func published(_ spelling: String) throws {
        let body = #"{"test": 2432232314}"#
        func reading(_ body: String, _ signature: String) throws -> String? {
            let clock = VirtualClock(Date(timeIntervalSince1970: 1_614_265_330))
            let merchant = try ShopWorld.merchant(
                clock: clock, secrets: [Redacted("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")])
            return Self.refusal(
                merchant, Self.headers(spelling, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", signature), body)
        }
        let good = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        #expect(try reading(body, good)?.contains("'data'") == true)
        #expect(try reading(body, "v1,AAAA v2,x \(good)")?.contains("'data'") == true)
        // Sixteen entries are read.
        let others = Array(repeating: "v1,AAAA", count: 15).joined(separator: " ")
        #expect(try reading(body, "\(others) \(good)")?.contains("'data'") == true)
        #expect(try reading(body, "v1,AAAA \(others) \(good)")?.contains("lacks") == true)
        for wrong in ["v2," + good.dropFirst(3), "v1,h" + good.dropFirst(4), "", String(good.dropFirst(3)), good + "="]
        {
            #expect(try reading(body, wrong)?.contains("signature") == true, "\(wrong)")
        }
        // Written again, it is another body.
        #expect(try reading(#"{"test":2432232314}"#, good)?.contains("signature") == true)
    }

    private static let secret = "whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="
    private static let short =
        #"{"id":"evt_fixture_1","type":"payment.created","api_version":"2026-05-18","#
        + #""created_at":"2026-06-30T09:59:00.084Z","data":{"payment_id":"pay_1","live":false,"payment_state_version":0}}"#
    private static let shortSignature = "v1,YQSxYuiFVgcTN2NdRDpL9ZC1TfiMjdQ23O9Rjhdicuw="

    /// A merchant of the test environment, so many seconds after the short event was signed.
    private static func merchant(
        after seconds: Double = 0, secrets: [Redacted<String>] = [Redacted(secret)]
    ) throws -> WalletConnectPayMerchant {
        let clock = VirtualClock(Date(timeIntervalSince1970: 1_782_813_540 + seconds))
        return try ShopWorld.merchant(live: false, clock: clock, secrets: secrets)
    }

    @Test("An event is fresh for five minutes, by a clock that may be wrong in either direction")
    func freshness() throws {
        for (offset, isFresh) in [
            (0, true), (300, true), (-300, true), (301, false), (-301, false), (1_000_000, false), (1e19, false),
            (-1e19, false),
        ] {
            let merchant = try Self.merchant(after: offset)
            let refusal = Self.refusal(
                merchant, Self.headers("webhook", "msg_1", "1782813540", Self.shortSignature), Self.short)
            // The complaint after the signature is the missing merchant.
            #expect(refusal?.contains(isFresh ? "'merchant_id'" : "seconds") == true, "\(offset): \(refusal ?? "")")
        }
    }

    @Test("The header fields are one whole set of one spelling, never a mixture")
    func spellings() throws {
        let merchant = try Self.merchant()
        let good = Self.headers("svix", "msg_1", "1782813540", Self.shortSignature)
        #expect(Self.refusal(merchant, good, Self.short)?.contains("'merchant_id'") == true)
        for field in ["id", "timestamp", "signature"] {
            var mixed = good
            mixed["webhook-\(field)"] = mixed["svix-\(field)"]
            mixed["svix-\(field)"] = nil
            #expect(Self.refusal(merchant, mixed, Self.short)?.contains("lacks") == true)
            var doubled = good
            doubled.append("Svix-\(field)", try #require(good["svix-\(field)"]))
            #expect(Self.refusal(merchant, doubled, Self.short)?.contains("twice") == true)
        }
        for time in ["", "soon", "-1782813540", "1782813540.0", "0x1", "1000000000000000", "99999999999999999999"] {
            let headers = Self.headers("svix", "msg_1", time, Self.shortSignature)
            #expect(Self.refusal(merchant, headers, Self.short)?.contains("lacks") == true, "\(time)")
        }
        for time in ["0", "999999999999999"] {
            let headers = Self.headers("svix", "msg_1", time, Self.shortSignature)
            #expect(Self.refusal(merchant, headers, Self.short)?.contains("seconds") == true, "\(time)")
        }
        // An id has 1 to 256 printable characters without blanks.
        let longest = "!~" + String(repeating: "i", count: 254)
        for (id, isRead) in [(longest, true), (longest + "i", false), ("", false), ("a b", false), ("\u{7F}", false)] {
            let headers = Self.headers("svix", id, "1782813540", Self.shortSignature)
            let complaint = isRead ? "signature does not match" : "lacks"
            #expect(Self.refusal(merchant, headers, Self.short)?.contains(complaint) == true, "\(id)")
        }
        #expect(Self.refusal(merchant, [:], Self.short)?.contains("lacks") == true)
        // Another id or time is another message.
        for headers in [
            Self.headers("svix", "msg_2", "1782813540", Self.shortSignature),
            Self.headers("svix", "msg_1", "1782813541", Self.shortSignature),
        ] { #expect(Self.refusal(merchant, headers, Self.short)?.contains("signature") == true) }
    }

    @Test("Secrets that cannot be are refused, and without one nothing is read")
    func secrets() throws {
        for text in [
            "", "whsec_", "whsec_AQID", "whsex_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKY!rTwjUPD8ILPZIo2LaLaSw",
        ] {
            #expect(throws: PaymentError.self) { try Shop.WebhookSecret(Redacted(text)) }
        }
        for (count, isTaken) in [(15, false), (16, true), (128, true), (129, false)] {
            let text = Redacted("whsec_" + Data(repeating: 7, count: count).base64EncodedString())
            #expect(((try? Shop.WebhookSecret(text)) != nil) == isTaken, "\(count)")
        }
        let merchant = try Self.merchant(secrets: [])
        let headers = Self.headers("svix", "msg_1", "1782813540", Self.shortSignature)
        #expect(Self.refusal(merchant, headers, Self.short)?.contains("no secret") == true)
    }

    // MARK: What events say (Protocol 7.3)

    @Test("Reports a payment's whole life", arguments: WalletConnectPaySandbox.WebhookEndpoint.Spelling.allCases)
    func life(_ spelling: WalletConnectPaySandbox.WebhookEndpoint.Spelling) async throws {
        let world = try ShopWorld { $0.liveWebhooks?.spelling = spelling }
        let order = ShopWorld.order()
        let payment = try await world.paid()
        let events = try await world.events()
        #expect(events.map(\.kind) == [.created, .processing, .succeeded, .settled])
        #expect(events.map(\.version) == [0, 1, 2, 3])
        for event in events { try event.check(against: payment, order) }
        #expect(events.allSatisfy { $0.mode == .live && $0.price == ShopWorld.price && $0.date != nil })
        #expect(events.map(\.report.isPending) == [true, true, false, false] && events[3].report.receipt != nil)
        let receipt = try #require(events[2].report.receipt)
        #expect(receipt.reference == payment.reference && receipt.transactionID == events[2].transactionID)
        #expect(events[1].buyer?.hasPrefix("eip155:") == true && events[0].buyer == nil)
        #expect(events[3].settlementTransactionID != nil && events[2].settlementTransactionID == nil)
        #expect(Set(events.map(\.id)).count == 4)
        #expect(try world.merchant.verify(try await world.latest()).report == events[3].report)
    }

    @Test("Reports endings without money")
    func endings() async throws {
        let world = try ShopWorld()
        let called = try await world.payment("ORDER-1")
        _ = try await world.router.cancel(called.reference)
        #expect(try world.merchant.read(try await world.latest()).report == .cancelled)
        let late = try await world.payment("ORDER-2")
        world.clock.advance(by: .seconds(300))
        _ = try await world.client.payment(late.reference)
        let event = try world.merchant.read(try await world.latest())
        #expect(event.kind == .expired && event.report == .expired && event.payment == late.reference)
    }

    @Test("An event that does not fit the order is seen")
    func misfits() async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        let other = try await world.payment("ORDER-2")
        let event = try #require(try await world.events().first)
        try event.check(against: payment, ShopWorld.order())
        for (created, order) in [
            (other, ShopWorld.order()), (payment, ShopWorld.order("ORDER-2")),
            (payment, ShopWorld.order("ORDER-1", try Money(minorUnits: 1251, currency: .usd))),
        ] {
            let error = #expect(throws: PaymentError.self) { try event.check(against: created, order) }
            #expect(error?.code == .integrity)
        }
    }

    // MARK: Attacks

    @Test("Forged, altered, foreign and stale ones are refused, whatever they say")
    func attacks() async throws {
        let world = try ShopWorld()
        _ = try await world.payment()
        let genuine = try await world.latest()
        _ = try world.merchant.read(genuine)
        func refusal(_ notification: IncomingNotification, by merchant: WalletConnectPayMerchant? = nil) -> String? {
            Self.refusal(merchant ?? world.merchant, notification.headers, notification.body)
        }
        // The status of a paid payment in place of an unpaid one.
        let text = String(decoding: genuine.body, as: UTF8.self)
        let forged = text.replacing("requires_action", with: "succeeded").replacing(
            "payment.created", with: "payment.succeeded")
        #expect(
            refusal(IncomingNotification(headers: genuine.headers, body: Array(forged.utf8)))?.contains("signature")
                == true)
        // Signed with another merchant's secret.
        let stranger = try ShopWorld.merchant(
            clock: world.clock, secrets: [Redacted("whsec_c29tZWJvZHktZWxzZXMtc2VjcmV0")])
        #expect(refusal(genuine, by: stranger)?.contains("signature") == true)
        // Of another merchant of the same partner, whose endpoint is the same.
        let other = try ShopWorld.merchant(merchantID: "mrch_other", clock: world.clock)
        #expect(refusal(genuine, by: other)?.contains("another merchant") == true)
        // Of the test environment, if one secret is used for both.
        let test = try ShopWorld.merchant(live: false, clock: world.clock)
        #expect(refusal(genuine, by: test)?.contains("live world") == true)
        // Stored, and sent again later.
        world.clock.advance(by: .seconds(301))
        #expect(refusal(genuine)?.contains("301 seconds ago") == true)
        world.clock.advance(by: .seconds(-602))
        #expect(refusal(genuine)?.contains("ahead of this clock") == true)
    }

    @Test("A replaced secret is valid for a while beside the new one")
    func rotation() async throws {
        let new = Redacted("whsec_bmV3LXNlY3JldC1mb3ItdGhlLXNob3A=")
        let world = try ShopWorld { $0.liveWebhooks?.secrets = [new, WalletConnectPaySandbox.webhookSecret] }
        _ = try await world.payment()
        let genuine = try await world.latest()
        for secrets in [[new], [WalletConnectPaySandbox.webhookSecret], [WalletConnectPaySandbox.webhookSecret, new]] {
            let merchant = try ShopWorld.merchant(clock: world.clock, secrets: secrets)
            #expect(try merchant.read(genuine).kind == .created)
        }
    }

    @Test("Genuine events that contradict themselves or lack something are not read")
    func contradictions() async throws {
        let world = try ShopWorld()
        _ = try await world.payment()
        let genuine = try JSONValue(parsing: try await world.latest().body)
        func refusal(_ change: (inout JSONValue) -> Void) throws -> String? {
            var body = genuine
            change(&body)
            let signed = Self.signed(body, in: world)
            return Self.refusal(world.merchant, signed.headers, signed.body)
        }
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0 = [] }?.contains("one JSON object") == true)
        #expect(try refusal { $0["data"] = [] }?.contains("'data'") == true)
        for (length, isRead) in [(256, true), (257, false)] {
            let id = JSONValue.string(String(repeating: "i", count: length))
            #expect(try refusal { $0["id"] = id }?.contains("'id'") == (isRead ? nil : true))
        }
        for (length, isRead) in [(262_144, true), (262_145, false)] {
            let complaint = try refusal {
                $0["note"] = ""
                $0["note"] = .string(String(repeating: "x", count: length - $0.serialized().count))
            }
            #expect(complaint?.hasSuffix("larger than 262144 bytes") == (isRead ? nil : true))
        }
        #expect(try refusal { $0["data"]?["unheard_of"] = 1 } == nil)
        #expect(try refusal { $0["type"] = "payment.succeeded" }?.contains("'status'") == true)
        #expect(try refusal { $0["data"]?["status"] = "succeeded" }?.contains("'status'") == true)
        #expect(try refusal { $0["type"] = "payout.succeeded" }?.contains("'type'") == true)
        #expect(try refusal { $0["data"]?["payment_id"] = "pay_../1" }?.contains("'payment_id'") == true)
        #expect(try refusal { $0["data"]?["payment_state_version"] = -1 }?.contains("version") == true)
        for name in ["live", "merchant_id", "payment_id", "payment_state_version", "status"] {
            #expect(try refusal { $0["data"]?[name] = nil }?.contains("'\(name)'") == true)
        }
        for name in ["id", "type", "data"] {
            for value in [nil, ""] as [JSONValue?] {
                #expect(try refusal { $0[name] = value }?.contains("'\(name)'") == true)
            }
        }
        // An unknown kind is read by its state, an unknown state as unknown.
        #expect(try refusal { $0["type"] = "payment.reviewed" } == nil)
        #expect(
            try refusal {
                $0["type"] = "payment.reviewed"
                $0["data"]?["status"] = "held"
            } == nil)
    }

    // MARK: Twice, late and in any order (Protocol 7.4)

    @Test("Doubled, late and unordered notifications are distinguished from new ones")
    func history() async throws {
        let world = try ShopWorld()
        _ = try await world.paid()
        let events = try await world.events()
        var history = Shop.EventHistory()
        #expect(history.take(events[1]) == .new)
        #expect(history.take(events[1]) == .repeated)
        #expect(history.take(events[3]) == .new)
        #expect(history.take(events[2]) == .outdated)
        #expect(history.take(events[2]) == .repeated)
        #expect(history.take(events[0]) == .outdated)
        // The first version of a payment is 0, which is more than none.
        var fresh = Shop.EventHistory()
        #expect(fresh.take(events[0]) == .new)
        // It outlives the process.
        let stored = try JSONDecoder().decode(Shop.EventHistory.self, from: JSONEncoder().encode(history))
        #expect(stored == history)
        var reopened = stored
        #expect(reopened.take(events[3]) == .repeated)
    }

    @Test("Another event of the same state is outdated")
    func sameState() async throws {
        let world = try ShopWorld()
        _ = try await world.payment()
        let first = try await world.latest()
        var body = try JSONValue(parsing: first.body)
        body["id"] = "evt_other"
        var history = Shop.EventHistory()
        #expect(history.take(try world.merchant.read(first)) == .new)
        #expect(history.take(try world.merchant.read(Self.signed(body, in: world))) == .outdated)
    }

    @Test("A payment is delivered once by the reports of its new events, in either order", arguments: [false, true])
    func deliveries(isSettledFirst: Bool) async throws {
        let world = try ShopWorld()
        _ = try await world.paid()
        let paid = try await world.events().filter { [.succeeded, .settled].contains($0.kind) }
        #expect(Set(paid.map(\.kind)) == [.succeeded, .settled])
        var history = Shop.EventHistory()
        var delivered: Set<PaymentReference> = []
        var count = 0
        for event in isSettledFirst ? paid.reversed() : paid {
            guard history.take(event) == .new, case .succeeded = event.report else { continue }
            if delivered.insert(event.payment).inserted { count += 1 }
        }
        #expect(count == 1)
    }

    @Test("A history forgets the earliest in batches, and never the latest")
    func forgetting() async throws {
        #expect(Shop.EventHistory().capacity == 100_000 && Shop.EventHistory(capacity: 0).capacity == 1)
        let world = try ShopWorld()
        var history = Shop.EventHistory(capacity: 2)
        var all: [(event: Shop.Event, late: Shop.Event)] = []
        for number in 0..<9 {
            _ = try await world.payment("ORDER-\(number)")
            let event = try world.merchant.read(try await world.latest())
            var body = try JSONValue(parsing: try await world.latest().body)
            body["id"] = "evt_late"
            all.append((event, try world.merchant.read(Self.signed(body, in: world))))
            #expect(history.take(event) == .new)
            #expect(history.take(event) == .repeated)
            // Two are forgotten whenever there are more than four.
            let forgotten = number < 4 ? 0 : (number - 2) / 2 * 2
            for (earlier, events) in all.enumerated() {
                var copy = history
                #expect(copy.take(events.late) == (earlier < forgotten ? .new : .outdated), "\(earlier) at \(number)")
                copy = history
                #expect(
                    copy.take(events.event) == (earlier < forgotten ? .new : .repeated), "\(earlier) at \(number)")
            }
        }
    }

    // MARK: Helpers

    /// A webhook with this body, signed with the secret of the world's merchant.
    private static func signed(_ body: JSONValue, in world: ShopWorld) -> IncomingNotification {
        let bytes = body.serialized()
        let time = String(Int(world.clock.now.timeIntervalSince1970))
        let key = Array(Data(base64Encoded: "c2FuZGJveC13ZWJob29rLXNlY3JldA==") ?? Data())
        let signature = Digest.sha256.authenticate(Array("msg_1.\(time).".utf8) + bytes, key: key)
        return IncomingNotification(
            headers: headers("svix", "msg_1", time, "v1," + Data(signature).base64EncodedString()), body: bytes)
    }

    private static func headers(
        _ spelling: String, _ id: String, _ time: String, _ signature: String
    ) -> HTTPHeaders {
        ["\(spelling)-id": id, "\(spelling)-timestamp": time, "\(spelling)-signature": signature]
    }

    /// The reason for a refusal; nil if it is accepted.
    private static func refusal(
        _ merchant: WalletConnectPayMerchant, _ headers: HTTPHeaders, _ body: some Any
    ) -> String? {
        let bytes = body as? [UInt8] ?? Array((body as? String ?? "").utf8)
        do throws(PaymentError) {
            _ = try merchant.read(IncomingNotification(headers: headers, body: bytes))
            return nil
        } catch {
            #expect(error.code == .untrustedNotification)
            return error.message
        }
    }
}

extension ShopWorld {
    /// Every webhook so far, read as of now.
    func events() async throws -> [Shop.Event] {
        var events: [Shop.Event] = []
        for webhook in await sandbox.webhooks {
            events.append(try merchant.read(await sandbox.notification(webhook)))
        }
        return events
    }

    func latest() async throws -> IncomingNotification {
        await sandbox.notification(try #require(await sandbox.webhooks.last))
    }
}
