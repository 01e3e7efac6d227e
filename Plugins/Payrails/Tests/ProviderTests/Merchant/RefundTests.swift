import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsMerchant
import PayrailsSandbox
import TestSupport
import Testing

/// Refunds through the router (Protocol 3.4).
@Suite struct MerchantRefundTests {
    @Test("Refunds once, however often it is requested, and in parts")
    func refunds() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let request = try world.refund(payment)
        let first = try await world.router.refund(request)
        #expect(receipt(first)?.reference == request.reference && receipt(first)?.amount == request.amount)
        #expect(receipt(first)?.transactionID?.isEmpty == false)
        #expect(try await world.router.refund(request) == first)
        // Two refunds of the same amount differ by their ids alone.
        #expect(receipt(try await world.router.refund(try world.refund(payment, 3300, "credit-2"))) != nil)
        #expect(await world.refunds(payment.id) == ["33.00 EUR", "33.00 EUR"])
        #expect(Set(world.wire.keys("refund")).count == 2)
    }

    @Test("A journal that is lost makes no second refund")
    func lostJournal() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        _ = try await world.router.refund(try world.refund(payment))
        let other = try world.otherServer()
        // The service recognises the key and answers as before; it shows that it made no other refund, but not which
        // server's it was.
        #expect(receipt(try await other.refund(try world.refund(payment))) == nil)
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
    }

    @Test("An amount that makes no sense, or is not there to be refunded, is not sent")
    func unfitRefunds() async throws {
        let world = try MerchantWorld()
        let payment = try await world.captured("a")
        let authorised = try await world.paid("b")
        let open = try #require(try await world.client.open(try MerchantWorld.order("c")).payment)
        let dollars = RefundRequest(of: payment, amount: try Money(minorUnits: 1, currency: .usd), id: "usd")
        for request in [
            try world.refund(payment, 9901, "a"), try world.refund(payment, 0, "b"), dollars,
            try world.refund(authorised, 3300, "c"), try world.refund(open, 3300, "d"),
        ] {
            let error = try #require(await failure { _ = try await world.router.refund(request) })
            let isTooLarge = request.amount.minorUnits == 9901
            #expect(error.code == (isTooLarge ? .refundTooLarge : .requestRefused), "\(error)")
            #expect(error.phase != .maybeSent)
        }
        #expect(world.posts("refund") == 0)
    }

    @Test("More than is left is refused before it is sent, or by the service, which is an outcome")
    func tooMuch() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        _ = try await world.router.refund(try world.refund(payment, 9000))
        let request = try world.refund(payment, 901, "credit-2")
        #expect(await failure { _ = try await world.router.refund(request) }?.code == .refundTooLarge)
        // A server with another journal knows neither the capture nor the refund.
        let other = try world.otherServer()
        #expect(isDeclined(try await other.refund(request)))
        #expect(await world.refunds(payment.id) == ["90.00 EUR"])
    }

    // MARK: Lost and late

    @Test(
        "A refund whose answer is lost is asked for again under its key, and made once",
        arguments: [
            FaultInjector.Fault.dropBefore, .dropAfter, .garbage, .status(500), .status(429), .status(409),
            .status(202, body: "{}"), .status(408),
            .status(409, body: #"{"errors":[{"code":"request.conflict"}]}"#),
        ])
    func lostAnswers(fault: FaultInjector.Fault) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.faults.inject(fault) { $1.hasSuffix("/refund") }
        let request = try world.refund(payment)
        let first = try await world.router.refund(request)
        #expect(isUnknown(first) || first == .pending(retryAfter: nil), "\(first)")
        world.clock.advance(by: .seconds(60))
        #expect(receipt(try await world.router.refund(request))?.amount == request.amount)
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
        #expect(Set(world.wire.keys("refund")).count == 1)
    }

    @Test("After the window it is not sent again, and stays unknown until its notification comes")
    func afterTheWindow() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.faults.inject(.dropAfter) { $1.hasSuffix("/refund") }
        let request = try world.refund(payment)
        _ = try await world.router.refund(request)
        world.clock.advance(by: .seconds(3600))
        #expect(isUnknown(try await world.router.refund(request)))
        #expect(world.posts("refund") == 1)
        for notification in await world.notifications(payment) {
            _ = try await world.router.handle(notification, from: PayrailsMerchant.id)
        }
        let refunded = receipt(try await world.router.refund(request))
        #expect(refunded?.reference == request.reference && refunded?.amount == request.amount)
        #expect(world.posts("refund") == 1)
    }

    @Test(
        "The status of a refund states what the payment's refunds show, and is never final",
        arguments: [
            (FaultInjector.Fault.dropBefore, 0, "shows no refund"), (.dropAfter, 0, "but not which"),
            (.dropAfter, 7200, nil),
        ] as [(FaultInjector.Fault, Int, String?)])
    func laterStatus(fault: FaultInjector.Fault, seconds: Int, message: String?) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        await world.sandbox.showActions(after: .zero, lasting: .seconds(seconds))
        world.faults.inject(fault) { $1.hasSuffix("/refund") }
        let request = try world.refund(payment)
        _ = try await world.router.refund(request)
        world.clock.advance(by: .seconds(3600))
        let report = try await world.merchant.status(of: request, in: world.context)
        if let message {
            #expect(isUnknown(report) && "\(report)".contains(message), "\(report)")
        } else {
            #expect(report == .pending(retryAfter: nil))
        }
        #expect(world.posts("refund") == 1)
    }

    @Test("A refund that takes long is pending, and ends when it is asked for again")
    func slowRefunds() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.wire.hide("refundSuccessful")
        let request = try world.refund(payment)
        #expect(try await world.router.refund(request) == .pending(retryAfter: .seconds(60)))
        // Meanwhile no other refund is made: statuses could not distinguish the two.
        let other = await failure { _ = try await world.router.refund(try world.refund(payment, 1, "credit-2")) }
        #expect(other?.code == .requestRefused && other?.phase != .maybeSent && other?.retry == .later)
        world.wire.edit(nil)
        #expect(receipt(try await world.router.refund(request)) != nil)
        #expect(world.posts("refund") == 1)
    }

    @Test("A refund that fails gave nothing back, and says why")
    func failedRefunds() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        // The sandbox reads the desired result from the refund's note.
        let request = try world.refund(payment, 3300, "LimitExceeded")
        let outcome = try await world.router.refund(request)
        let reason = try #require(outcome.declineReason)
        #expect(reason.message.contains("LimitExceeded"))
        #expect(await world.refunds(payment.id).isEmpty)
        // The id is free again, under another key: the service would answer the old one as before.
        let again = try world.refund(payment, 2200, "LimitExceeded")
        #expect(receipt(try await world.router.refund(again))?.amount == again.amount)
        #expect(try await world.router.refund(again) == world.router.refund(again))
        #expect(await world.refunds(payment.id) == ["22.00 EUR"])
        #expect(Set(world.wire.keys("refund")).count == 2)
    }

    @Test("A refund that fails states the first reason of the latest failure")
    func latestReason() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.wire.edit { _, body in
            guard let list = body["status"]?.array else { return }
            body["status"] = .array(
                list.map { entry in
                    guard entry["code"] == "refundFailed" else { return entry }
                    var entry = entry
                    entry["errors"] = .array((entry["errors"]?.array ?? []) + [["reason": ["result": "Second"]]])
                    return entry
                })
        }
        for reason in ["LimitExceeded", "FraudRisk"] {
            let outcome = try await world.router.refund(try world.refund(payment, 3300, reason))
            #expect(isDeclined(outcome) && "\(outcome)".contains(": \(reason)"), "\(outcome)")
        }
    }

    @Test(
        "Any text is a refund's id, and its notification ends it",
        arguments: ["", "line\nfeed", "CN 2024/117 \u{E9}", "~0~Y29weQ", String(repeating: "x", count: 121)])
    func anyID(id: String) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let request = try world.refund(payment, 3300, id)
        world.faults.inject(.dropAfter) { $1.hasSuffix("/refund") }
        _ = try await world.router.refund(request)
        world.clock.advance(by: .seconds(3600))
        #expect(isUnknown(try await world.router.refund(request)))
        for notification in await world.notifications(payment) {
            _ = try await world.router.handle(notification, from: PayrailsMerchant.id)
        }
        // A digest is not read back: the portal, or a person, says how such a refund ended.
        let outcome = try await world.router.refund(request)
        if id.utf8.count > 120 { #expect(isUnknown(outcome)) } else { #expect(receipt(outcome) != nil) }
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
    }

    @Test(
        "A refund's id is sent as it is if the service takes it, and in other characters otherwise",
        arguments: [
            ("7", true), ("CN 117 a~", true), (String(repeating: "x", count: 120), true), ("a\u{7F}", false),
            ("", false), (String(repeating: "x", count: 121), false), ("~7", false),
        ])
    func names(id: String, isPlain: Bool) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        _ = try await world.router.refund(try world.refund(payment, 3300, id))
        let sent = world.wire.requests.last { $0.url.path.hasSuffix("/refund") }
        let name = try #require(JSONValue(parsing: sent?.body ?? [])["meta"]?["refundReference"]?.string)
        #expect((name == id) == isPlain)
        #expect((1...120).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }

    @Test("Of several at once, none is known to be this one")
    func severalAtOnce() async throws {
        for failing in [0, 1, 2, 3] {
            let (world, payment) = try await MerchantWorld.captured()
            world.wire.edit { _, body in
                guard let list = body["status"]?.array, list.contains(where: { $0["code"] == "refundSuccessful" })
                else {
                    return
                }
                // Another server's refund came at the same moment.
                var others: [JSONValue] = [["code": "refundRequested", "time": "2027-01-15T08:00:01.5Z"]]
                if failing < 3 {
                    others.append(
                        ["code": failing > 0 ? "refundFailed" : "refundSuccessful", "time": "2027-01-15T08:00:01.6Z"])
                }
                body["status"] = .array(
                    list.map { entry in
                        guard failing == 2, entry["code"] == "refundSuccessful" else { return entry }
                        return ["code": "refundFailed", "time": entry["time"] ?? .null]
                    } + others)
            }
            let outcome = try await world.router.refund(try world.refund(payment))
            // In the last case one of the two has ended, but not identifiably which.
            let isOpen = failing < 3 ? isUnknown(outcome) : outcome == .pending(retryAfter: .seconds(60))
            #expect(isOpen, "\(outcome)")
        }
    }

    @Test("A refusal for another reason than the payment's state is an error, and no end of the refund")
    func otherRefusals() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.faults.inject(.status(403, body: #"{"errors":[{"code":"request.forbidden"}]}"#)) {
            $1.hasSuffix("/refund")
        }
        let request = try world.refund(payment)
        // An error, or an open outcome.
        #expect((try? await world.router.refund(request)).map { !isDeclined($0) } ?? true)
        world.clock.advance(by: .seconds(60))
        #expect(receipt(try await world.router.refund(request)) != nil)
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
    }

    // MARK: A dishonest service

    @Test(
        "An answer about something else proves nothing",
        arguments: [
            #"{"name":"capture","actionId":"a"}"#, #"{"name":"refund"}"#, #"{"name":"refund","actionId":"../a"}"#,
            #"{"name":"refund","actionId":"a","links":{"execution":"https://api.payrails.io/x/executions/another"}}"#,
        ])
    func foreignAnswers(answer: String) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.faults.inject(.status(202, body: answer), times: 99) { $1.hasSuffix("/refund") }
        for _ in 0..<2 { #expect(isUnknown(try await world.router.refund(try world.refund(payment)))) }
    }

    @Test("A payment that is said to be over another amount or currency gives nothing back")
    func otherAmounts() async throws {
        for amount: JSONValue in [["value": "1.00", "currency": "EUR"], ["value": "99.00", "currency": "USD"]] {
            let (world, payment) = try await MerchantWorld.captured()
            world.wire.edit { _, body in if body["amount"] != nil { body["amount"] = amount } }
            let error = await failure { _ = try await world.router.refund(try world.refund(payment)) }
            #expect(error?.code == .requestRefused)
            #expect(world.posts("refund") == 0)
        }
    }

    @Test("A refusal that follows its own effect is not believed")
    func refusalAfterEffect() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let refused = #"{"errors":[{"code":"workflow.action.not-allowed"}]}"#
        // A copy by the network comes first.
        let sandbox = world.sandbox
        world.wire.before { request in
            guard request.url.path.hasSuffix("/refund") else { return }
            _ = await sandbox.respond(to: request)
        }
        world.faults.inject(.status(409, body: refused)) { $1.hasSuffix("/refund") }
        let outcome = try await world.router.refund(try world.refund(payment))
        #expect(!isDeclined(outcome), "\(outcome)")
        #expect(await world.refunds(payment.id).count <= 1)
    }

    @Test(
        "A refusal because of the payment's state is final, if no refund shows",
        arguments: [
            #"{"code":"workflow.action.not-allowed"}"#,
            #"{"code":"workflow.action.failed","reason":{"result":"OperationNotAllowed"}}"#,
            #"{"code":"workflow.action.failed","meta":{"result":"DuplicateOperation"}}"#,
        ])
    func refusalByState(error: String) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.faults.inject(.status(409, body: #"{"errors":[\#(error)]}"#)) { $1.hasSuffix("/refund") }
        #expect(isDeclined(try await world.router.refund(try world.refund(payment))))
        #expect(await world.refunds(payment.id).isEmpty)
    }
}
