import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentTesting
import PayrailsMerchant
import PayrailsSandbox
import TestSupport
import Testing

/// The accepted notifications, and their content (Protocol 7).
@Suite struct MerchantNotificationTests {
    /// Recomputed with a standard library; the documentation's sample is not readable as a whole.
    private static let body =
        #"{"event":"executionCreated","time":"2026-01-01T00:00:00.000000000Z","details":{"execution":{"id":"e1"}},"#
        + #""workspaceId":"w1","eventTrigger":"api"}"#
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private let clock = VirtualClock(start)

    private func read(
        _ body: String = body, _ signature: String?..., secrets: [Redacted<String>] = [MerchantWorld.webhookSecret]
    ) throws -> PayrailsNotification {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        for signature in signature.compactMap(\.self) { headers.append("X-Signature", signature) }
        return try MerchantWorld.merchant(at: clock, secrets: secrets)
            .read(IncomingNotification(headers: headers, body: Array(body.utf8)))
    }

    private func complaint(
        _ body: String = body, _ signature: String?..., secrets: [Redacted<String>] = [MerchantWorld.webhookSecret]
    ) -> String? {
        var headers: HTTPHeaders = [:]
        for signature in signature.compactMap(\.self) { headers.append("x-signature", signature) }
        do {
            _ = try MerchantWorld.merchant(at: clock, secrets: secrets)
                .verify(IncomingNotification(headers: headers, body: Array(body.utf8)))
            return nil
        } catch let error as PaymentError {
            #expect(error.code == .untrustedNotification)
            #expect(secrets.allSatisfy { !"\(error)".contains($0.reveal()) })
            return error.message
        } catch {
            return "untyped"
        }
    }

    private static func signature(_ body: String, _ reading: PayrailsKeyReading = .text) -> String {
        let secret = MerchantWorld.webhookSecret.reveal()
        let key = reading == .text ? Array(secret.utf8) : Hex.decode(secret) ?? []
        return Data(Digest.sha256.authenticate(Array(body.utf8), key: key)).base64EncodedString()
    }

    // MARK: The signature

    @Test(
        "Either reading of the secret verifies, and the one that did is reported",
        arguments: [
            ("NAipF32u5J0wZbulRGGtgEUUNkLPAoxgJ5STcK+JhPM=", PayrailsKeyReading.text),
            ("2QB1HNxNt40eP1WA2JNhVTkqdITydy2nEk22A0b98aQ=", .hexadecimal),
        ])
    func bothReadings(signature: String, reading: PayrailsKeyReading) throws {
        let notification = try read(Self.body, signature)
        #expect(notification.keyReading == reading)
        #expect(notification.event == .executionCreated && notification.execution == "e1")
        #expect(notification.workspace == "w1" && notification.trigger == "api")
        #expect(notification.time == Self.start)
        // One of several secrets is enough, and another one is not.
        let others: [Redacted<String>] = [Redacted("whsec"), MerchantWorld.webhookSecret]
        #expect(try read(Self.body, signature, secrets: others) == notification)
        #expect(complaint(Self.body, signature, secrets: [Redacted("whsec"), Redacted("")]) != nil)
        #expect(complaint(Self.body, signature, secrets: [])?.contains("no secret is configured") == true)
    }

    @Test("A short secret is a text, whatever it could spell")
    func shortSecrets() throws {
        let digits = "aabb"
        let spelt = Data(Digest.sha256.authenticate(Array(Self.body.utf8), key: [0xAA, 0xBB])).base64EncodedString()
        #expect(complaint(Self.body, spelt, secrets: [Redacted(digits)]) != nil)
        let text = Data(Digest.sha256.authenticate(Array(Self.body.utf8), key: Array(digits.utf8)))
        #expect(try read(Self.body, text.base64EncodedString(), secrets: [Redacted(digits)]).keyReading == .text)
    }

    @Test("A secret spells a key in 64 hexadecimal digits or more, without a prefix", arguments: ["", "0x", "0X"])
    func speltSecrets(prefix: String) throws {
        for digits in [62, 64, 66] {
            let secret = prefix + String(repeating: "a", count: digits - prefix.count)
            let key = Hex.decode(String(secret.dropFirst(prefix.count))) ?? []
            let signature = Data(Digest.sha256.authenticate(Array(Self.body.utf8), key: key)).base64EncodedString()
            let isAccepted = complaint(Self.body, signature, secrets: [Redacted(secret)]) == nil
            #expect(isAccepted == (prefix.isEmpty && digits >= 64))
        }
    }

    @Test("A body of 256 KiB is read, and no larger one")
    func size() {
        for (extra, isRead) in [(0, true), (1, false)] {
            let body = Self.body + String(repeating: " ", count: 262_144 - Self.body.utf8.count + extra)
            #expect((complaint(body, Self.signature(body)) == nil) == isRead)
        }
    }

    @Test("Every other form of the signature is refused")
    func otherForms() {
        let good = Self.signature(Self.body)
        #expect(complaint(Self.body, good) == nil)
        let bytes = Data(base64Encoded: good) ?? Data()
        let forms = [
            "", String(good.dropLast()), good + "=", " " + good, good + "\n", good.replacing("+", with: "-"),
            Hex.encode(Array(bytes)), "sha256=" + good, "v1," + good, Data(bytes.prefix(31)).base64EncodedString(),
            Data(bytes + [0]).base64EncodedString(),
            // The same bytes to a lenient decoder: the last digit has unused bits.
            String(good.dropLast(2)) + "N=",
        ]
        for form in forms where form != good { #expect(complaint(Self.body, form) != nil, "\(form)") }
        #expect(complaint(Self.body, nil) != nil)
        #expect(complaint(Self.body, good, good) != nil)
    }

    @Test("Every changed byte and every other spelling of the same content is refused")
    func changedBodies() throws {
        let good = Self.signature(Self.body)
        let bytes = Array(Self.body.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(complaint(String(decoding: changed, as: UTF8.self), good) != nil)
        }
        let again = try JSONValue(parsing: bytes).text
        #expect(again != Self.body && complaint(again, good) != nil)
        for body in ["", Self.body + "\n", Self.body + "{}", String(Self.body.dropLast())] {
            #expect(complaint(body, good) != nil)
        }
    }

    @Test("What is signed and cannot be read is refused, too")
    func unreadable() {
        let bodies = [
            "{}", "[]", "x", #"{"event":1}"#, #"{"event":"a b"}"#, #"{"event":"e","event":"e"}"#,
            #"{"event":"executionCreated","time":"yesterday"}"#, #"{"event":"executionCreated","time":5}"#,
            #"{"event":"executionActionCompleted","details":{"action":"authorize","success":true}}"#,
            #"{"event":"executionActionCompleted","details":{"action":"refund","execution":{"id":"a/b"}}}"#,
            String(repeating: " ", count: 300_000),
        ]
        for body in bodies { #expect(complaint(body, Self.signature(body)) != nil, "\(body.prefix(80))") }
    }

    // MARK: Time

    @Test("Old ones are refused, and so are those from far ahead")
    func stale() throws {
        for (seconds, isAccepted) in [
            (0, true), (21_600, true), (86_400, true), (86_401, false), (-86_400, true), (-86_401, false),
        ] {
            let clock = VirtualClock(Self.start.addingTimeInterval(Double(seconds)))
            let merchant = MerchantWorld.merchant(at: clock, secrets: [MerchantWorld.webhookSecret])
            let notification = IncomingNotification(
                headers: ["X-Signature": Self.signature(Self.body)], body: Array(Self.body.utf8))
            #expect(((try? merchant.verify(notification)) != nil) == isAccepted, "\(seconds)")
        }
        // Programs that omit the time write this one; a forger cannot sign it.
        let unset = Self.body.replacing("2026-01-01T00:00:00.000000000Z", with: "0001-01-01T00:00:00Z")
        #expect(complaint(unset, Self.signature(unset)) == nil)
        let none = Self.body.replacing("\"2026-01-01T00:00:00.000000000Z\"", with: "null")
        #expect(try read(none, Self.signature(none)).time == nil)
        let old = Self.body.replacing("2026-01-01", with: "1969-12-31")
        #expect(complaint(old, Self.signature(old)) != nil)
    }

    // MARK: What they say

    private func told(
        _ event: String, _ action: String?, _ success: Bool? = nil, _ reason: JSONValue? = nil,
        _ mode: PayrailsCaptureMode = .manual, more: JSONValue = [:]
    ) throws -> PayrailsNotification {
        var details: JSONValue = ["execution": ["id": "e1", "merchantReference": "order-1"]]
        details["action"] = action.map(JSONValue.string)
        details["actionId"] = action.map { .string($0 + "-id") }
        details["success"] = success.map(JSONValue.bool)
        details["errors"] = reason.map { [["code": "workflow.action.failed", "reason": $0]] } ?? []
        details["amount"] = ["value": "99.00", "currency": "EUR"]
        for (name, value) in more.object ?? [:] { details[name] = value }
        let body = (["event": .string(event), "time": "2026-01-01T00:00:00Z", "details": details] as JSONValue).text
        return try MerchantWorld.merchant(mode, at: clock, secrets: [MerchantWorld.webhookSecret]).read(
            IncomingNotification(headers: ["X-Signature": Self.signature(body)], body: Array(body.utf8)))
    }

    @Test("An ended payment is reported as ended, and no other is")
    func meanings() throws {
        let done = "executionActionCompleted", changed = "executionActionUpdated"
        let declined: JSONValue = ["category": "Operation", "result": "GenericRejection"]
        let euros = try MerchantWorld.euros(9900)
        let paid = PaymentReference(provider: PayrailsMerchant.id, id: "e1")
        let pending = ServiceReport.pending(retryAfter: nil)
        #expect(try told("executionCreated", nil).report == pending)
        #expect(try told("executionActionRequested", "authorize").report == pending)
        #expect(try told(done, "authorize", true).report == pending)
        #expect(
            try told(done, "authorize", true, nil, .instant).report
                == .succeeded(PaymentReceipt(reference: paid, amount: euros)))
        #expect(receipt(try told(changed, "confirm", true, nil, .instant).report) != nil)
        #expect(try told(done, "authorize", true, nil, .delayed).report == pending)
        #expect(try told(done, "capture", true).report == .succeeded(PaymentReceipt(reference: paid)))
        #expect(try told(done, "cancel", true).report == .cancelled)
        #expect(isDeclined(try told(done, "authorize", false, declined).report))
        #expect(isDeclined(try told(changed, "authorize", false, declined).report))
        // An update that is not final, and a failure without a status, are no outcome.
        #expect(try told(changed, "authorize", false).report == pending)
        #expect(try told(changed, "authorize", false, ["category": "Pending", "result": "Pending"]).report == pending)
        for unclear in [
            try told(done, "authorize", false), try told(done, "authorize"), try told(done, "cancel", false, declined),
            try told(done, "capture", false, declined), try told(done, "payout", true),
            try told("ruleEngineExecuted", nil), try told("aNewEvent", "authorize", true),
        ] { #expect(isUnknown(unclear.report), "\(unclear.event) \(unclear.report)") }
    }

    @Test(
        "An action that was requested, or waits for the payer, is pending",
        arguments: ["authorize", "confirm", "capture", "refund", "cancel"])
    func inFlight(action: String) throws {
        let pending = ServiceReport.pending(retryAfter: nil)
        #expect(try told("executionActionRequested", action).report == pending)
        for category in ["Pending", "Redirect"] {
            let reason: JSONValue = ["category": .string(category), "result": "Waiting"]
            #expect(try told("executionActionCompleted", action, false, reason).report == pending)
        }
        #expect(isUnknown(try told("executionActionRequested", "payout").report))
    }

    @Test("A decline states the service's reason, and a capture the total unless the merchant captures by amounts")
    func details() throws {
        let done = "executionActionCompleted"
        for (action, text) in [
            ("authorize", "the payment was declined"), ("confirm", "the payment was declined"),
            ("refund", "the refund failed, and no money went back"),
        ] {
            for (reason, end) in [("LimitExceeded", ": LimitExceeded"), (nil, "")] {
                let error: JSONValue = reason.map { ["result": .string($0)] } ?? ["category": "Operation"]
                #expect(
                    try told(done, action, false, error).report == .declined(DeclineReason(.refused, text + end)))
            }
        }
        let euros = try MerchantWorld.euros(9900)
        for (mode, amount) in [(PayrailsCaptureMode.instant, euros), (.delayed, euros), (.manual, nil)] {
            let receipt = receipt(try told(done, "capture", true, nil, mode).report)
            #expect(receipt != nil && receipt?.amount == amount)
        }
        #expect(receipt(try told(done, "confirm", true, nil, .instant).report)?.amount == euros)
        #expect(try told(done, "confirm", true).report == .pending(retryAfter: nil))
    }

    @Test("A refund is reported under the merchant's own id, and another's under none of the merchant's")
    func refunds() throws {
        let done = "executionActionCompleted"
        let own = try told(done, "refund", true, more: ["actionMeta": ["refundReference": "credit-7"]])
        let reference = PaymentReference(provider: PayrailsMerchant.id, id: "credit-7", subject: .refund(of: "e1"))
        #expect(own.paymentReference == reference)
        // Its amount is the whole payment's. The refund's own is in its notes; without it, any refund could be meant.
        #expect(isUnknown(own.report))
        let meta: JSONValue = [
            "refundReference": "credit-7", "refundAmount": ["value": "33.00", "currency": "EUR"],
        ]
        let stated = try told(done, "refund", true, more: ["actionMeta": meta])
        #expect(receipt(stated.report)?.amount == (try MerchantWorld.euros(3300)))
        let foreign = try told(done, "refund", true)
        #expect(foreign.paymentReference.id == "action-refund-id" && foreign.paymentReference.isRefund)
        let failed = try told(done, "refund", false, ["result": "LimitExceeded"])
        #expect(isDeclined(failed.report))
    }

    @Test("What is about no payment has a name that nothing else has")
    func aboutNothing() throws {
        let body = #"{"event":"disputeOpened","details":{"disputeId":"d1"}}"#
        let notification = try read(body, Self.signature(body))
        #expect(notification.paymentReference.id == "notification-\(notification.fingerprint.prefix(32))")
        #expect(isUnknown(notification.report))
    }

    @Test("A notification that does not fit the session is distinguished")
    func foreign() async throws {
        let world = try MerchantWorld(.instant)
        let first = try await world.client.open(try MerchantWorld.order("a"))
        var dearer = try MerchantWorld.order("a")
        dearer.amount = try MerchantWorld.euros(1)
        dearer.round = 2
        let second = try await world.client.open(dearer)
        _ = try await world.pay(first)
        for incoming in await world.notifications(try #require(first.payment)) {
            let notification = try world.merchant.read(incoming)
            try notification.check(against: first)
            #expect(throws: PaymentError.self) { try notification.check(against: second) }
        }
    }

    @Test(
        "A difference between a notification and the session is named",
        arguments: [
            ([:], nil), (["execution": ["merchantReference": "a"]], "another execution"),
            (["execution": ["id": "e2", "merchantReference": "a"]], "another execution"),
            (["amount": ["value": "1.00", "currency": "EUR"]], "amount or currency"),
            (["amount": ["value": "99.00", "currency": "USD"]], "amount or currency"),
            (["amount": ["value": "0.00", "currency": "EUR"]], "amount or currency"), (["amount": .null], nil),
            (["order": "b"], "its order"), (["order": .null], nil),
            (["success": false, "amount": ["value": "0.00", "currency": "EUR"]], nil),
            (["success": false, "amount": ["value": "1.00", "currency": "EUR"]], "amount or currency"),
        ] as [(JSONValue, String?)])
    func differences(more: JSONValue, difference: String?) async throws {
        let world = try MerchantWorld()
        let session = try await world.client.open(try MerchantWorld.order("a"))
        var execution: JSONValue = ["id": .string(try #require(session.payment).id)]
        execution["merchantReference"] = more["order"] ?? "a"
        var details: JSONValue = ["execution": execution]
        for (name, value) in more.object ?? [:] { details[name] = value }
        let isAbsent = details["execution"]?["id"] == nil
        let notification =
            try isAbsent
            ? told("executionCreated", nil, more: details)
            : told("executionActionCompleted", "authorize", true, ["result": "GenericRejection"], more: details)
        do {
            try notification.check(against: session)
            #expect(difference == nil)
        } catch {
            #expect(error.code == .integrity && error.message.contains(difference ?? "none"), "\(error)")
        }
    }

    // MARK: Doubled, late, in any order

    @Test("A payment's state goes forward only, whatever the order")
    func state() throws {
        let done = "executionActionCompleted"
        let declined: JSONValue = ["result": "GenericRejection"]
        func fresh() throws -> PayrailsPaymentState {
            PayrailsPaymentState(execution: "e1", amount: try MerchantWorld.euros(9900))
        }
        let (refused, authorised) = (try told(done, "authorize", false, declined), try told(done, "authorize", true))
        let (captured, cancelled) = (try told(done, "capture", true), try told(done, "cancel", true))
        var state = try fresh()
        #expect(state.apply(try told("executionCreated", nil)) == .silent)
        #expect(state.apply(refused) == .applied && state.stage == .declined)
        #expect(state.apply(authorised) == .applied && state.stage == .authorized)
        #expect(state.apply(authorised) == .repeated)
        #expect(state.apply(try told(done, "confirm", true)) == .repeated, "another notification of the same stage")
        #expect(state.apply(captured) == .applied && state.stage == .captured)
        // Late ones: the decline of an earlier attempt, and the authorisation from another notification.
        #expect(state.apply(try told(done, "authorize", false, ["result": "Timeout"])) == .outdated)
        #expect(state.apply(try told("executionActionUpdated", "authorize", true)) == .outdated)
        #expect(state.stage == .captured)
        #expect(state.apply(cancelled) == .applied && state.stage == .cancelled)
        var reversed = try fresh()
        for notification in [cancelled, captured, authorised, refused] { _ = reversed.apply(notification) }
        #expect(reversed.stage == .cancelled)
        // Another payment's, and one over another amount.
        #expect(state.apply(try told(done, "capture", true, more: ["execution": ["id": "e2"]])) == .foreign)
        let dear = try told(done, "capture", true, more: ["amount": ["value": "1.00", "currency": "EUR"]])
        #expect(state.apply(dear) == .foreign)
        let dollars = try told(done, "capture", true, more: ["amount": ["value": "99.00", "currency": "USD"]])
        #expect(state.apply(dollars) == .foreign)
        let stored = try JSONEncoder().encode(state)
        #expect(try JSONDecoder().decode(PayrailsPaymentState.self, from: stored) == state)
    }

    @Test("In mode instant the end of a capture that was begun decides, in any order")
    func instantState() throws {
        let done = "executionActionCompleted"
        let authorised = try told(done, "authorize", true, nil, .instant)
        let begun = try told("executionActionRequested", "capture", nil, nil, .instant)
        let failed = try told(done, "capture", false, ["result": "Timeout"], .instant)
        let captured = try told(done, "capture", true, nil, .instant)
        func stages(_ all: PayrailsNotification...) throws -> [PayrailsPaymentState.Stage] {
            var state = PayrailsPaymentState(execution: "e1", amount: try MerchantWorld.euros(9900))
            return all.map { notification in
                _ = state.apply(notification)
                return state.stage
            }
        }
        #expect(try stages(authorised, begun, captured) == [.captured, .captured, .captured])
        #expect(try stages(authorised, begun, failed) == [.captured, .captured, .authorized])
        #expect(try stages(failed, authorised, captured) == [.open, .authorized, .captured])
        #expect(try stages(begun, authorised) == [.open, .authorized])
        // A capture that succeeded is not undone by the failure of an earlier one.
        #expect(try stages(captured, failed) == [.captured, .captured])
    }

    @Test("A refund's success is not undone by a late status")
    func refundState() throws {
        let done = "executionActionCompleted"
        var state = PayrailsPaymentState(execution: "e1", amount: try MerchantWorld.euros(9900))
        let own: JSONValue = ["actionMeta": ["refundReference": "credit-7"]]
        #expect(state.apply(try told("executionActionRequested", "refund", more: own)) == .silent)
        #expect(state.apply(try told(done, "refund", false, ["result": "Timeout"], more: own)) == .applied)
        #expect(state.refunds == ["credit-7": false])
        #expect(state.apply(try told(done, "refund", true, more: own)) == .applied)
        #expect(state.apply(try told("executionActionUpdated", "refund", true, more: own)) == .repeated)
        #expect(state.apply(try told(done, "refund", false, ["result": "Late"], more: own)) == .outdated)
        #expect(state.refunds == ["credit-7": true] && state.stage == .open)
    }

    // MARK: With the sandbox

    @Test("The merchant is notified of every event, in either reading", arguments: [false, true])
    func hears(isSpelt: Bool) async throws {
        let world = try MerchantWorld { $0.spellsWebhookKey = isSpelt }
        let payment = try await world.captured()
        _ = try await world.router.refund(try world.refund(payment))
        var state = PayrailsPaymentState(execution: payment.id, amount: try MerchantWorld.euros(9900))
        for incoming in await world.notifications(payment) {
            let notification = try world.merchant.read(incoming)
            #expect(notification.keyReading == (isSpelt ? .hexadecimal : .text))
            _ = state.apply(notification)
            #expect(state.apply(notification) == .repeated)
        }
        #expect(state.stage == .captured && state.refunds == ["credit-1": true])
        // An action has the same id in the answer and in its notification.
        let answered = receipt(try await world.router.refund(try world.refund(payment)))?.transactionID
        let ids = try await world.notifications(payment).map { try world.merchant.read($0) }
            .filter { $0.action == .refund }.map(\.actionID)
        #expect(ids.count == 2 && Set(ids) == [answered])
    }

    @Test("What is not accepted is sent again, up to ten times in about six hours")
    func repeats() async throws {
        let receiver = RecordingTransport(statuses: [503, 503, 503, 200])
        let world = try MerchantWorld {
            $0.notificationURLs = ["https://shop.example/payrails"]
            $0.notificationTransport = receiver
        }
        let start = world.clock.now
        let session = try await world.client.open(try MerchantWorld.order())
        await world.sandbox.finishDeliveries()
        let sent = try #require(await world.sandbox.notifications.first)
        #expect(sent.attempts == 4 && sent.deliveredTo == ["https://shop.example/payrails"])
        #expect(receiver.requests.map(\.body) == Array(repeating: sent.body, count: 4))
        _ = try await world.pay(session)
        await world.sandbox.finishDeliveries()
        let all = await world.sandbox.notifications
        #expect(all.count > 1 && all.allSatisfy { $0.deliveredTo.count == 1 })
        let deaf = RecordingTransport(statuses: [503])
        let unheard = try MerchantWorld {
            $0.notificationURLs = ["https://shop.example/payrails"]
            $0.notificationTransport = deaf
        }
        _ = try await unheard.client.open(try MerchantWorld.order())
        await unheard.sandbox.finishDeliveries()
        #expect(deaf.requests.count == 11)
        #expect(abs(unheard.clock.now.timeIntervalSince(start) - 21_483) < 60)
    }
}
