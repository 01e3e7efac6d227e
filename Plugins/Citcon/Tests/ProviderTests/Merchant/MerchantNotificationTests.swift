import CitconKit
import CitconMerchant
import CitconSandbox
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Notifications on a merchant's server (Protocol 5).
@Suite struct MerchantNotificationTests {
    private static let names = [
        "id", "transaction_type", "reference", "amount", "currency", "status", "time_completed", "time_created",
        "payment_method", "amount_captured", "amount_refunded",
    ]
    private static let example: JSONValue = [
        "id": "84571d30e61711eba6a94911fce35a55", "transaction_type": "charge", "reference": "reference132",
        "amount": 100, "currency": "USD", "status": "authorized", "time_completed": "2021-08-14T09:47:43.000Z",
        "time_created": "2021-07-16T09:23:44.000Z", "payment_method": "paypal", "amount_captured": "",
        "amount_refunded": "", "fields": .string(names.joined(separator: ",")),
        "sign": "621233f017ad8139fe97d47b4653735e121b9f6e7dafe3638eba0fcd80801db5",
    ]

    private func merchant(_ secret: String = "braintree") throws -> CitconMerchant {
        CitconMerchant(endpoint: try CPayEndpoint(.UAT), privateKey: Redacted(secret))
    }

    private func signed(_ json: JSONValue) -> JSONValue { NotificationSigning.signed(json, secret: "braintree") }

    private func read(_ json: JSONValue) throws -> CitconNotification {
        try merchant().read(IncomingNotification(headers: [:], body: json.serialized()))
    }

    private func complaint(_ json: JSONValue) throws -> String? { try complaint(json.serialized()) }

    private func complaint(_ body: [UInt8]) throws -> String? {
        let merchant = try merchant()
        do {
            _ = try merchant.verify(IncomingNotification(headers: [:], body: body))
            return nil
        } catch let error as PaymentError {
            #expect(error.code == .untrustedNotification)
            return error.message
        }
    }

    /// The example with other members, signed again unless the old signature stays.
    private func example(_ members: [String: JSONValue?], isSigned: Bool = true) -> JSONValue {
        let json = members.reduce(into: Self.example) { $0[$1.key] = $1.value }
        return isSigned ? signed(json) : json
    }

    // MARK: 5.3

    /// The vendor's worked example, with the signature that the vendor prints.
    @Test("Accepts the vendor's example")
    func acceptsTheVendorsExample() throws {
        let notification = try read(Self.example)
        #expect(notification.id == "84571d30e61711eba6a94911fce35a55")
        #expect(notification.kind == .charge && notification.reference == "reference132")
        #expect(notification.amount == (try Money(minorUnits: 100, currency: .usd)))
        #expect(notification.status == .authorized && notification.method == "paypal")
        #expect(notification.timeCreated == "2021-07-16T09:23:44.000Z")
        #expect(notification.report == .pending(retryAfter: nil))
        #expect(signed(Self.example) == Self.example)
        let other = try merchant("other")
        #expect(throws: PaymentError.self) {
            try other.verify(IncomingNotification(headers: [:], body: Self.example.serialized()))
        }
    }

    @Test("The order of fields and members does not matter")
    func orderOfFieldsAndMembersDoesNotMatter() throws {
        var json = Self.example
        json["fields"] = .string(Self.names.reversed().joined(separator: ","))
        #expect(try read(signed(json)).reference == "reference132")
        // Live servers sign one more name (Protocol 5.3).
        json["fields"] = .string((Self.names + ["payment"]).joined(separator: ","))
        for payment: JSONValue? in [nil, .null, "", "card", true, false] {
            json["payment"] = payment
            #expect(try read(signed(json)).amount?.minorUnits == 100)
        }
    }

    @Test("What is missing, null or empty is signed alike")
    func missingNullAndEmptySignAlike() throws {
        for value: JSONValue? in [nil, .null, ""] {
            #expect(
                try read(example(["amount_captured": value], isSigned: false)).id == "84571d30e61711eba6a94911fce35a55")
        }
    }

    /// Numbers are signed by the digits in the text.
    @Test("Numbers count as written")
    func numbersCountAsWritten() throws {
        for text in ["100", "1e2", "100.0", "1.00E+2"] {
            var json = Self.example
            json["amount"] = .number(try #require(JSONNumber(text)))
            #expect((try complaint(json) == nil) == (text == "100"))
            // Minor units have no decimal point: with one the amount could be meant in main units.
            if text.contains(".") {
                #expect(throws: PaymentError.self) { try read(signed(json)) }
            } else {
                #expect(try read(signed(json)).amount?.minorUnits == 100)
            }
        }
        for text in ["100", "100.00", "12.50"] {
            let json = example(["amount": .string(text)], isSigned: false)
            #expect((try? read(json).amount?.minorUnits) == (text == "100" ? 100 : nil))
        }
    }

    // MARK: 5.2, 5.4

    @Test("Captured and refunded amounts are read, and a receipt is over the captured amount")
    func parts() throws {
        for (captured, refunded, expected) in [
            (1000, 250, 1000), (0, 0, 1250), ("", "", 1250), ("1000", 250, 1000), (1250, "", 1250), (1, "", 1),
        ] as [(JSONValue, JSONValue, UInt128)] {
            let notification = try read(
                example([
                    "status": "captured", "amount": 1250, "amount_captured": captured, "amount_refunded": refunded,
                ]))
            #expect(notification.amount?.minorUnits == 1250)
            #expect(notification.amountRefunded?.minorUnits == (refunded == 250 ? 250 : refunded == 0 ? 0 : nil))
            let receipt = try #require(notification.report.receipt, "not paid")
            #expect(receipt.amount?.minorUnits == expected, "\(captured)")
        }
        #expect(try complaint(example(["amount_captured": "a lot"]))?.contains("amount_captured") == true)
        // A currency in another letter case is the same one.
        #expect(try read(example(["currency": "usd"])).amount == (try Money(minorUnits: 100, currency: .usd)))
    }

    @Test("How far a dispute is, and that it ends no payment", arguments: CitconSandbox.DisputeStage.allCases)
    func disputes(_ stage: CitconSandbox.DisputeStage) async throws {
        let (world, charge) = try await MerchantWorld.paid()
        await world.sandbox.dispute(charge: charge.id, stage)
        let notification = try await world.lastNotification()
        #expect(notification.kind == .chargeback && notification.reference == "order-1")
        #expect(notification.dispute?.rawValue == stage.rawValue && notification.amount == charge.amount)
        if case .unknown? = notification.dispute { Issue.record("a stage that is not known") }
        #expect(notification.report.isUnknown)
        #expect(try await world.router.status(of: charge.reference, as: Payer()) == world.receipt(charge))
    }

    @Test("Known statuses of disputes in other letters, and unknown ones")
    func disputeWords() {
        #expect(CitconDispute(rawValue: "case closed") == .closed && CitconDispute.closed.rawValue == "Case Closed")
        #expect(CitconDispute(rawValue: "Escalated") == .unknown("Escalated"))
        #expect(CitconDispute(rawValue: "Escalated").rawValue == "Escalated")
    }

    @Test("A stored account is reported without an amount, and ends nothing")
    func vault() async throws {
        let world = try MerchantWorld()
        var made = try MerchantWorld.order()
        (made.method, made.clients, made.consumer) = ("card", [], Redacted("customer-7"))
        let charge = try await world.client.createCharge(made)
        let client = try CPayClient(world.wire, token: await world.sandbox.accessToken().reveal())
        let order = Shop.order("card", token: charge.token?.reveal() ?? "")
        order.consumer = CPayConsumer()
        order.consumer?.reference = "customer-7"
        order.payment?.nonce = "fake-valid-nonce"
        order.payment?.indicator = "braintree"
        order.payment?.requestToken = true
        #expect(await client.requestOrder(order).isPaid)
        let sent = await world.sandbox.notifications
        let told = try sent.map {
            try world.merchant.read(IncomingNotification(headers: [:], body: $0.body))
        }
        #expect(told.map(\.kind) == [.vault, .charge])
        #expect(told[0].reference == "customer-7" && told[0].amount == nil && told[0].dispute == nil)
        #expect(
            try await world.client.storedInstruments(of: Redacted("customer-7")).map { $0.token.reveal() } == [
                told[0].id
            ])
        #expect(told[0].report.isUnknown)
    }

    /// A third party's form, signed in a header: not the vendor's (Protocol 5.3).
    @Test("Another form of notifications is refused, whatever its signature")
    func otherForm() throws {
        let inner: JSONValue = ["id": "1", "reference": "order-1", "status": "succeeded", "amount": 1250]
        for body: JSONValue in [["data": ["transaction": inner]], ["transaction": inner]] {
            let bytes = body.serialized()
            let mac = Hex.encode(Digest.sha256.authenticate(bytes, key: Array("braintree".utf8)))
            for name in ["X-Signature", "X-Citcon-Signature", "Signature"] {
                #expect(throws: PaymentError.self) {
                    try merchant().verify(IncomingNotification(headers: [name: mac], body: bytes))
                }
            }
        }
    }

    // MARK: Hostile

    @Test(
        "Unsigned messages are refused",
        arguments: [
            ("sign", nil), ("sign", ""), ("sign", 1),
            ("sign", "621233F017AD8139FE97D47B4653735E121B9F6E7DAFE3638EBA0FCD80801DB5"),
            ("sign", "621233f017ad8139fe97d47b4653735e121b9f6e7dafe3638eba0fcd80801db"), ("fields", nil),
            ("fields", ""),
            ("fields", 5), ("fields", ["id"]),
        ] as [(String, JSONValue?)])
    func unsignedMessagesAreRefused(_ name: String, _ value: JSONValue?) throws {
        #expect(try complaint(example([name: value], isSigned: false)) != nil)
    }

    /// Even with a good signature, members that it does not cover count for nothing.
    @Test(
        "What is not signed is not believed",
        arguments: ["id", "transaction_type", "reference", "amount", "currency", "status"])
    func whatIsNotSignedIsNotBelieved(_ name: String) throws {
        for kind: JSONValue in ["charge", "refund"] {
            let others = Self.names.filter { $0 != name }.joined(separator: ",")
            let unnamed = example(["transaction_type": kind, "fields": .string(others)])
            #expect(try complaint(unnamed)?.contains("'\(name)'") == true)
            let empty = ["transaction_type": kind].merging([name: ""]) { $1 }
            #expect(try complaint(example(empty))?.contains("'\(name)'") == true)
        }
    }

    @Test("A list of 64 fields is read, whose names have 1 to 64 characters")
    func longestListOfFields() throws {
        let more = ["a", String(repeating: "b", count: 64)] + (0..<64).map { "c\($0)" }
        let fields = (Self.names + more).prefix(64).joined(separator: ",")
        #expect(try read(example(["fields": .string(fields)])).reference == "reference132")
    }

    @Test(
        "Odd lists of fields are refused",
        arguments: [
            "id,sign", "id,secret", "id,id", "id,", ",id", "id, amount", "id,a=b", "id,a&b", "ïd",
            String(repeating: "a", count: 65), (0..<65).map { "a\($0)" }.joined(separator: ","),
        ])
    func oddListsOfFieldsAreRefused(_ fields: String) throws {
        #expect(try complaint(example(["fields": .string(fields)]))?.contains("'fields'") == true)
    }

    /// `reference=a&status=success` in one value could be read as two.
    @Test("Ambiguous values are refused")
    func ambiguousValuesAreRefused() throws {
        let ambiguous = example(["reference": "a&status=success"])
        #expect(try complaint(ambiguous)?.contains("more than one way") == true)
        #expect(try complaint(example(["payment_method": ["method": "card"]])) != nil)
    }

    @Test("Broken bodies are refused")
    func brokenBodiesAreRefused() throws {
        let text = Self.example.text
        let twice = text.dropLast() + #","amount":1}"#
        let inEscapes = text.dropLast() + #","am\u006funt":1}"#
        for body in ["", "{}", "[]", "null", "{", String(text.dropLast()), String(twice), String(inEscapes), "a=b&c=d"]
        {
            #expect(try complaint(Array(body.utf8)) != nil)
        }
        #expect(try complaint([0xFF, 0xFE]) != nil)
    }

    @Test("A body of 64 KiB is read, and a larger one is refused")
    func length() throws {
        let length = example(["note": ""], isSigned: false).serialized().count
        for (excess, complaint) in [(0, nil), (1, "the notification is not accepted: it is larger than 65536 bytes")] {
            let note = String(repeating: "x", count: 65_536 + excess - length)
            #expect(try self.complaint(example(["note": .string(note)], isSigned: false)) == complaint)
        }
    }

    @Test(
        "Impossible amounts are refused",
        arguments: ["-1", "1.5", "1e400", "99999999999999999999999", "abc", "0x10", "1 "])
    func impossibleAmountsAreRefused(_ text: String) throws {
        let amount = JSONNumber(text).map(JSONValue.number) ?? .string(text)
        #expect(try complaint(example(["amount": amount]))?.contains("'amount'") == true)
        #expect(try complaint(example(["currency": "XXQ"]))?.contains("'currency'") == true)
    }

    @Test("Complaints hold no content")
    func complaintsHoldNoContent() throws {
        let foreign = example(["reference": "customer@example.com"], isSigned: false)
        let message = try #require(try complaint(foreign))
        #expect(!message.contains("customer") && !message.contains("braintree") && !message.contains("621233"))
    }

    // MARK: 5.4, 6.3

    @Test(
        "Reads the statuses of notifications",
        arguments: [
            ("success", true), ("captured", true), ("succeeded", true), (" Succeeded ", true), ("authorized", nil),
            ("cancelled", false), ("fail", false), ("expired", false), ("won", nil),
        ] as [(String, Bool?)])
    func readsTheWordsOfNotifications(_ word: String, _ isPaid: Bool?) throws {
        let outcome = try read(example(["status": .string(word)])).report
        if case .succeeded(let receipt) = outcome {
            #expect(isPaid == true && receipt.transactionID == "84571d30e61711eba6a94911fce35a55")
        } else {
            #expect(outcome.isFinal == (isPaid == false))
        }
    }

    @Test("An unknown status is reported in 40 printable characters")
    func unknownStatus() throws {
        let odd = example(["status": .string(" ~\u{1F}\u{7F}\u{E9}" + String(repeating: "x", count: 40))])
        let unknown = try #require(try read(odd).report.unknownOutcome, "an unknown status reports no outcome")
        #expect(unknown.rawStatus == " ~????" + String(repeating: "x", count: 34))
    }

    @Test("Disputes and refunds are not payments")
    func disputesAndRefundsAreNotPayments() throws {
        var json = Self.example
        json["transaction_type"] = "chargeback"
        json["status"] = "Lost"
        let unknown = try #require(
            try read(signed(json)).report.unknownOutcome, "a dispute says nothing about the payment")
        #expect(unknown.rawStatus == "chargeback: Lost")
        json["amount"] = ""
        #expect(try read(signed(json)).amount == nil)
        json["amount"] = 100
        json["transaction_type"] = "refund"
        json["status"] = "success"
        func notified(_ reference: String) throws -> PaymentNotification {
            json["reference"] = .string(reference)
            return try merchant().verify(IncomingNotification(headers: [:], body: signed(json).serialized()))
        }
        let refund = try notified("refund-7-order-7-credit-7")
        let expected = PaymentReference(provider: "citcon-merchant", id: "credit-7", subject: .refund(of: "order-7"))
        #expect(refund.reference == expected)
        let short = PaymentReference(provider: "citcon-merchant", id: "x", subject: .refund(of: "a"))
        #expect(try notified("refund-1-a-x").reference == short)
        let receipt = try #require(refund.report.receipt, "the refund was made")
        #expect(receipt.amount == (try Money(minorUnits: 100, currency: .usd)))
        // Refunds that others requested, as in the portal, have their own references.
        let others = [
            "credit-7", "refund-credit-7", "refund-7-order-7", "refund-7-order-7-", "refund-8-order-7-credit-7",
            "refund-0--credit-7", "refund-07-order-7-credit-7", "refund--1-order-7-credit-7",
            "refund-99-order-7-credit-7",
            "refund-+7-order-7-credit-7",
        ]
        for reference in others {
            let foreign = try notified(reference)
            #expect(foreign.reference.refundedPayment == nil && foreign.reference.id == reference, "\(reference)")
            #expect(foreign.reference.isRefund)
        }
    }

    // MARK: 5.6

    @Test("A notification is compared with the order")
    func isComparedWithTheOrder() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        let other = try await world.paid("order-2")
        let body = try #require(await world.sandbox.notifications.first).body
        let notification = try world.merchant.read(IncomingNotification(headers: [:], body: body))
        try notification.check(against: charge)
        #expect(throws: PaymentError.self) { try notification.check(against: other) }
        // Genuine, but about something else.
        let genuine = try JSONValue(parsing: body)
        for (name, value) in [
            ("id", "1"), ("reference", "order-3"), ("amount", 1), ("currency", "EUR"), ("transaction_type", "refund"),
            ("transaction_type", "chargeback"),
        ] as [(String, JSONValue)] {
            var json = genuine
            json[name] = value
            let signed = NotificationSigning.signed(json, secret: CitconSandbox.privateKey.reveal())
            let foreign = try world.merchant.read(IncomingNotification(headers: [:], body: signed.serialized()))
            #expect(throws: PaymentError.self, "\(name)") { try foreign.check(against: charge) }
        }
    }

    /// A refund whose answer is lost, and which no inquiry finds, ends with the service's notification.
    @Test("Ends open refunds")
    func endsOpenRefunds() async throws {
        let (world, charge) = try await MerchantWorld.paid()
        let request = RefundRequest(of: charge.reference, amount: charge.amount, id: "credit-1")
        world.faults.inject(.dropAfter) { $1 == "/v1/refunds" }
        world.faults.inject(.status(500), times: 1000, after: 1) { method, _ in method == "GET" }
        #expect(try await world.router.refund(request).isUnknown, "nobody can know")
        #expect(await world.journal.unfinished().count == 1)
        let told = try #require(await world.sandbox.notifications.last)
        _ = try await world.router.handle(IncomingNotification(headers: [:], body: told.body), from: "citcon-merchant")
        #expect(await world.journal.unfinished().isEmpty)
        let receipt = try #require(try await world.router.refund(request).receipt, "it was made")
        #expect(receipt.amount == charge.amount)
        #expect(world.posts("refunds") == 1)
    }
}
