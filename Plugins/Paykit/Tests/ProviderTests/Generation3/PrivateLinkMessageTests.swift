import PaymentCore
import PaymentCrypto
import PaymentTesting
import Testing

@testable import PaykitProvider

/// Private messages, receipts and markers of generation 3 (Protocol 12.3 to 12.7).
@Suite("Messages of private links")
struct PrivateLinkMessageTests {
    private typealias Message = PrivateLinkMessage

    private static let request = "b7f9c2a1-6d43-4b0e-a8d4-0fe2c712ab33"

    private static func event(_ number: Int) -> String {
        "11111111-1111-4111-8111-0000000000" + Hex.encode([UInt8(number)])
    }

    private static func head(_ number: Int) -> Message.EventHead {
        Message.EventHead(eventID: event(number), requestID: request)
    }

    private static func wallet(_ text: String = "bitkit/wallet") throws -> PaykitReceiverPath {
        try #require(PaykitReceiverPath(text))
    }

    private static func bolt11() throws -> PaykitIdentifier { try #require(PaykitIdentifier("btc-lightning-bolt11")) }

    private static func terms(_ recurrence: PrivateLinkRecurrence? = nil) throws -> PaymentTerms {
        PaymentTerms(
            try PrivateLinkAmount("0.001", "btc"), reference: "invoice-2026-0001", recurrence: recurrence,
            identifiers: [try bolt11()])
    }

    private static func asked(_ recurrence: PrivateLinkRecurrence? = nil) throws -> Message.PaymentRequest {
        Message.PaymentRequest(head(2), try terms(recurrence))
    }

    private static func monthly() throws -> PrivateLinkRecurrence {
        let start = try #require(PrivateLinkTime("2026-10-01T00:00:00Z"))
        return try PrivateLinkRecurrence(every: 1, .month, start: start, anchor: start, end: nil)
    }

    private static func proof(
        _ number: Int = 6, period: BillingPeriod? = nil, reference: String = "invoice-2026-0001"
    ) throws -> Message.PaymentProof {
        Message.PaymentProof(
            head(number), reference: reference, period: period, identifier: try bolt11(),
            proof: ["preimage": "a1b2c3"])
    }

    private static func read(_ text: String, from sender: String = "bitkit/wallet") throws -> MessageIntake {
        MessageIntake(text, from: try wallet(sender))
    }

    // MARK: Recorded texts

    private static func hash(of text: String) -> String { Hex.encode(Digest.sha256.hash(Array(text.utf8))) }

    @Test("A request is written as the project's own fixture, byte for byte")
    func requestText() throws {
        let text = try Message.request(Self.asked()).text()
        #expect(
            text
                == #"{"version":1,"kind":"paykit.payment_request","event_id":"11111111-1111-4111-8111-000000000002","payment_request_id":"b7f9c2a1-6d43-4b0e-a8d4-0fe2c712ab33","request":{"amount":{"value":"0.001","asset":"btc"},"payment_reference":"invoice-2026-0001","proposal_expires_at":null,"recurrence":null,"accepted_payment_endpoint_identifiers":["btc-lightning-bolt11"],"metadata":{}}}"#
        )
        #expect(
            Self.hash(of: text) == "c30c594604c3ec320fd10862544afb9da431e1fb1c0d54411fde30870b4ebb0b")
    }

    @Test("Events have the hashes of the project's own fixtures")
    func hashes() throws {
        let cases: [(Message, String)] = [
            (.acceptance(Self.head(3)), "9a48d3fd7e5759fcca62ffdbd6062866520835bab2885c29605b4e1e94f910c0"),
            (
                .rejection(Self.head(4), reason: "amount too high"),
                "6f4d5ec3e61544aa10e1bdd62bd8718044bd2ee7d62be68b79801fa6fde96629"
            ),
            (
                .cancellation(Self.head(5), reason: "no longer needed"),
                "96b9a3fe37e3c64efb430009bf54007bb04a3bc717754e4b0ced0b662f1b308c"
            ),
            (.proof(try Self.proof()), "a03b5501495eec160397114d1e31d8596dd4269487b6ff0b256ec588eecdee6d"),
        ]
        for (message, hash) in cases {
            let text = try message.text()
            #expect(Self.hash(of: text) == hash, "\(text)")
            #expect(try Self.read(text) == .valid(message))
        }
    }

    @Test("The list of the project's own fixture is read, and one that says nothing clears it")
    func list() throws {
        let text =
            #"{"version":1,"kind":"paykit.private_payment_list","payment_endpoints":{"btc-lightning-bolt11":"lnbc-fixture-endpoint"}}"#
        let list = Message.paymentList(["btc-lightning-bolt11": "lnbc-fixture-endpoint"])
        #expect(try Self.read(text) == .valid(list))
        #expect(try list.text() == text)
        #expect(
            try Self.read(#"{"version":1,"kind":"paykit.private_payment_list","payment_endpoints":{}}"#)
                == .valid(.paymentList([:])))
        #expect(list.eventID == nil)
    }

    // MARK: Defects

    @Test("What is wrong in a message of a known kind keeps its id, and stops nothing")
    func malformed() throws {
        let ids = #""event_id":"\#(Self.event(7))","payment_request_id":"\#(Self.request)""#
        let cases: [(Message.Kind, String)] = [
            (.acceptance, "\(ids),\"reason\":\"x\""), (.rejection, "\(ids),\"reason\":null"),
            (.cancellation, #""event_id":"\#(Self.event(7))""#),
            (
                .proof,
                "\(ids),\"payment_reference\":\"r\",\"payment_endpoint_identifier\":\"btc-lightning-bolt11\",\"proof\":{}"
            ),
            (
                .receiptAccess,
                #""event_id":"\#(Self.event(7))","receipt_id":"\#(Self.request)","payment_reference":"r","location":"/pub/paykit/v0/private/bitkit/wallet/receipts/\#(Self.request)""#
            ),
            (
                .request,
                "\(ids),\"request\":{\"amount\":{\"value\":\"ten\",\"asset\":\"btc\"},\"payment_reference\":\"r\",\"proposal_expires_at\":null,\"recurrence\":null,\"accepted_payment_endpoint_identifiers\":[\"a\"]}"
            ), (.acceptance, "\(ids),\"app_id\":\"bitkit\""),
        ]
        for (kind, members) in cases {
            let text = #"{"version":1,"kind":"\#(kind.rawValue)",\#(members)}"#
            #expect(try Self.read(text) == .malformed(kind, eventID: Self.event(7)), "\(text)")
        }
        #expect(
            try Self.read(#"{"version":1,"kind":"paykit.private_payment_list"}"#)
                == .malformed(.paymentList, eventID: nil))
        for message in [Message.acceptance(Self.head(3)), .request(try Self.asked()), .proof(try Self.proof())] {
            let text = try message.text().replacing("\"version\":1", with: "\"version\":2")
            #expect(try Self.read(text) == .malformed(message.kind, eventID: message.eventID))
        }
    }

    @Test("What is of no known kind or form is kept apart from what is none")
    func unknown() throws {
        #expect(
            try Self.read(#"{"version":1,"kind":"paykit.allowance"}"#) == .unknown(kind: "paykit.allowance"))
        for text in [
            "this is not JSON", "paykit.invalid_utf8_private_message:_w", "", "[]", "{}", #"{"kind":"x"}"#,
            #"{"version":1,"version":1,"kind":"paykit.payment_request"}"#,
        ] {
            #expect(try Self.read(text) == .unreadable, "\(text)")
        }
        #expect(MessageIntake.text(of: [0xFF]) == "paykit.invalid_utf8_private_message:_w")
        #expect(MessageIntake.text(of: Array("ü".utf8)) == "ü")
    }

    @Test(
        "Amounts are digits with at most one point",
        arguments: [
            ("1", true), ("0.001", true), (".5", true), ("10.", true), ("", false), (".", false), ("-1", false),
            ("+1", false), ("1e3", false), ("1.2.3", false), (" 1", false), ("１", false),
        ])
    func amounts(_ value: String, _ isAmount: Bool) {
        #expect(((try? PrivateLinkAmount(value, "btc")) != nil) == isAmount)
        #expect((try? PrivateLinkAmount("1", "")) == nil)
        #expect((try? PrivateLinkAmount("1", "b\u{7}")) == nil)
    }

    @Test("References have 1 to 256 characters, lists of ways are not empty, and recurrences make sense")
    func rules() throws {
        func read(_ change: (inout JSONValue) -> Void) throws -> Bool {
            var json = try JSONValue(parsing: try Message.request(Self.asked(try Self.monthly())).text())
            var inner = try #require(json["request"])
            change(&inner)
            json["request"] = inner
            guard case .valid = try Self.read(json.text) else { return false }
            return true
        }
        #expect(try read { _ in })
        #expect(try read { $0["payment_reference"] = .string(String(repeating: "ü", count: 256)) })
        #expect(try !read { $0["payment_reference"] = .string(String(repeating: "ü", count: 257)) })
        #expect(try !read { $0["payment_reference"] = "" })
        #expect(try !read { $0["payment_reference"] = "a\nb" })
        #expect(try !read { $0["accepted_payment_endpoint_identifiers"] = [] })
        #expect(try !read { $0["accepted_payment_endpoint_identifiers"] = ["private"] })
        #expect(try !read { $0["proposal_expires_at"] = "tomorrow" })
        #expect(try !read { $0["proposal_expires_at"] = nil })
        #expect(try !read { $0["recurrence"] = nil })
        #expect(try !read { $0["metadata"] = .null })
        #expect(try read { $0["metadata"] = nil })
        #expect(try !read { $0["extra"] = 1 })
        for (member, value) in [
            ("every", 0), ("every", 4_294_967_296), ("unit", "fortnight"), ("ends_at", "2026-10-01T00:00:00Z"),
            ("starts_at", .null), ("extra", 1),
        ] as [(String, JSONValue)] {
            #expect(
                try !read {
                    var recurrence = $0["recurrence"] ?? .null
                    recurrence[member] = value
                    $0["recurrence"] = recurrence
                }, "\(member)")
        }
    }

    @Test(
        "Times are RFC 3339 in UTC, and two spellings of one moment are the same",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-10-01T00:00:00Z", 1_790_812_800),
            ("2024-02-29T23:59:59Z", 1_709_251_199),
            ("2000-03-01T00:00:00.5Z", 951_868_800), ("2026-02-29T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil),
            ("2026-10-01T24:00:00Z", nil), ("2026-10-01T00:00:00+00:00", nil), ("2026-10-01 00:00:00Z", nil),
            ("2026-10-01T00:00:00.Z", nil), ("2026-10-01T00:00Z", nil), ("", nil), ("ü026-10-01T00:00:00Z", nil),
        ] as [(String, Int128?)])
    func times(_ text: String, _ seconds: Int128?) throws {
        #expect(PrivateLinkTime(text).map { $0.nanoseconds / 1_000_000_000 } == seconds)
        let (first, second) = (
            try #require(PrivateLinkTime("2026-10-01T00:00:00Z")),
            try #require(PrivateLinkTime("2026-10-01T00:00:00.000Z"))
        )
        #expect(first.nanoseconds == second.nanoseconds && first != second)
    }

    @Test("Ids are UUIDs of version 4, whatever their case and hyphens")
    func ids() throws {
        let id = Self.request
        #expect(EventID.normal(id) == id && EventID.normal(id.uppercased()) == id)
        #expect(EventID.normal(id.replacing("-", with: "")) == id)
        for bad in [
            "", "x", id + "0", id.replacing("-4b0e", with: "-1b0e"), id.replacing("-a8d4", with: "-c8d4"),
            id.replacing("b7f9c2a1-6d43", with: "b7f9-c2a16d43"), "b7f9c2a1-6d434b0ea8d40fe2c712ab33",
        ] {
            #expect(EventID.normal(bad) == nil, "\(bad)")
        }
        let random = SeededRandomSource(seed: 1)
        for _ in 0..<100 {
            let drawn = EventID.draw(random)
            #expect(EventID.normal(drawn) == drawn)
        }
    }

    @Test("A message that does not fit is refused before it is sent, not cut")
    func tooLong() throws {
        let long = Message.rejection(Self.head(4), reason: String(repeating: "x", count: 1000))
        #expect(throws: WireDefect.self) { try long.text() }
    }

    // MARK: Course of a request

    private static func period(_ month: Int) throws -> BillingPeriod {
        try BillingPeriod(
            start: #require(PrivateLinkTime("2026-\(month)-01T00:00:00Z")),
            end: #require(PrivateLinkTime("2026-\(month + 1)-01T00:00:00Z")))
    }

    @Test("A request goes its way, and what does not belong there changes nothing")
    func states() throws {
        var state = RequestState(try Self.asked())
        #expect(state.take(.proof(try Self.proof()), from: .payer) == false)
        #expect(state.take(.acceptance(Self.head(3)), from: .payee) == false)
        #expect(state.take(.acceptance(Self.head(3)), from: .payer) && state.phase == .accepted)
        #expect(state.take(.acceptance(Self.head(8)), from: .payer) == false)
        #expect(state.take(.rejection(Self.head(4), reason: nil), from: .payer) == false)
        #expect(state.take(.proof(try Self.proof(reference: "other")), from: .payer) == false)
        #expect(state.take(.proof(try Self.proof(period: Self.period(10))), from: .payer) == false)
        #expect(state.take(.proof(try Self.proof()), from: .payer) && state.phase == .proven)
        #expect(state.take(.proof(try Self.proof(9)), from: .payer) == false)
        #expect(state.take(.cancellation(Self.head(5), reason: nil), from: .payee) && state.phase == .cancelled)
        let foreign = Message.EventHead(eventID: Self.event(3), requestID: Self.event(1))
        var other = RequestState(try Self.asked())
        #expect(other.take(.acceptance(foreign), from: .payer) == false && other.phase == .proposed)
        #expect(other.take(.rejection(Self.head(4), reason: "no"), from: .payer) && other.phase == .rejected)
        for message in [Message.acceptance(Self.head(3)), .cancellation(Self.head(5), reason: nil)] {
            #expect(other.take(message, from: .payer) == false)
        }
    }

    @Test("An acceptance that crosses the payee's cancellation is noted, one after the payer's own is not")
    func crossing() throws {
        var state = RequestState(try Self.asked())
        #expect(state.take(.cancellation(Self.head(5), reason: nil), from: .payee) == true)
        #expect(state.take(.acceptance(Self.head(3)), from: .payer) == true)
        #expect(state.phase == .cancelled && state.isAccepted)
        // A payment before the cancellation was seen is still proven.
        #expect(state.take(.proof(try Self.proof()), from: .payer) && state.phase == .cancelled)
        #expect(state.proofs.count == 1)
        var own = RequestState(try Self.asked())
        #expect(own.take(.cancellation(Self.head(5), reason: nil), from: .payer) == true)
        #expect(own.take(.acceptance(Self.head(3)), from: .payer) == false)
        #expect(own.take(.proof(try Self.proof()), from: .payer) == false)
    }

    @Test("A recurring request is paid once for each period, and ends for its acceptance by the payer's clock")
    func recurring() throws {
        var state = RequestState(try Self.asked(Self.monthly()))
        #expect(state.take(.acceptance(Self.head(3)), from: .payer) && state.phase == .active)
        #expect(state.take(.proof(try Self.proof()), from: .payer) == false)
        #expect(state.take(.proof(try Self.proof(period: Self.period(10))), from: .payer) == true)
        #expect(state.take(.proof(try Self.proof(9, period: Self.period(10))), from: .payer) == false)
        #expect(state.take(.proof(try Self.proof(9, period: Self.period(11))), from: .payer) == true)
        #expect(state.phase == .active && state.proofs.count == 2)
        let end = try #require(PrivateLinkTime("2026-10-01T00:00:00Z"))
        let limited = RequestState(
            Message.PaymentRequest(
                Self.head(2),
                PaymentTerms(
                    try PrivateLinkAmount("1", "btc"), reference: "r", expiresAt: end, identifiers: [try Self.bolt11()])
            ))
        #expect(!limited.isExpired(at: end))
        #expect(limited.isExpired(at: try #require(PrivateLinkTime("2026-10-01T00:00:00.001Z"))))
    }

    // MARK: Receipts

    private static let receiptID = "22222222-2222-4222-8222-000000000001"

    private static func access(_ receiver: String = "bitkit/wallet") throws -> ReceiptAccess {
        ReceiptAccess(
            eventID: event(8), receiptID: receiptID, reference: "invoice-2026-0001", receiver: try wallet(receiver),
            key: Redacted(Array("0123456789abcdef0123456789abcdef".utf8)))
    }

    private static func receipt() throws -> PrivateLinkReceipt {
        PrivateLinkReceipt(
            id: receiptID, reference: "invoice-2026-0001", recipient: try LinkKeyTests.identity(0x0C),
            identifier: try bolt11(), amount: try PrivateLinkAmount("0.001", "btc"))
    }

    @Test("A receipt is sealed as another library seals it, byte for byte, and opened again")
    func receipts() throws {
        let access = try Self.access()
        #expect(access.location == "/pub/paykit/v0/private/bitkit/wallet/receipts/\(Self.receiptID)")
        let file = try Self.receipt().sealed(access, nonce: (0..<24).map { UInt8($0) })
        let json = try JSONValue(parsing: file)
        #expect(json["nonce"]?.string == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX")
        #expect(
            json["ciphertext"]?.string
                == "IAnIOG1Fume6a1Okzen2ACVTlAaD4WEC9mWLlVHGlVIpl2DvHyIhSHbwlKGdkB40Yul87g4Ppye-zePk-LVYd4bl0Bjf7RlhnBaokfxNQIb9SlI8mC4kDzncBneqcwMSL1cR8ilTNk47fZfWKK3lhxA6T4nTAZhf7x7gGN16Im4Yav3LLT2PjBoyTlNq9qAYlbz5tuLF3YSLHX6sGwHNnmPthHSpWrDRwf0R-YlfsEEK1QuGDc4W8DPo7QVs9_A2CTe3tWm0FS0IpfWBZ48zWvEw8btYwPeVDSz7r3jmog5VA37NBgBAtv-FE2KeN-HTs-jBf7fS56b_DBj0bUVTpve0biw0wm8eQt8YYtb_yuIDYBRLgm-hBRz57XrIoT4gdD1t8vbP89hvsYdovUKc_CboNPTp37o9eBZuHznIwOzJu19ysUqaZGBcRHh2cNgO"
        )
        #expect(try PrivateLinkReceipt(opening: file, with: access) == Self.receipt())
        // The recipient may be written without the prefix.
        #expect(try PrivateLinkReceipt(Self.receipt().text.replacing("pubkybpeu", with: "bpeu")) == Self.receipt())
    }

    @Test("A receipt that was moved, changed, or is another than announced is not believed")
    func spoiltReceipts() throws {
        let access = try Self.access()
        let nonce = [UInt8](repeating: 7, count: 24)
        let file = try Self.receipt().sealed(access, nonce: nonce)
        #expect(throws: WireDefect.self) { try PrivateLinkReceipt(opening: file, with: Self.access("tether/wallet")) }
        for index in file.indices {
            var changed = file
            changed[index] ^= 1
            #expect((try? PrivateLinkReceipt(opening: changed, with: access)) == nil, "\(index)")
        }
        let other = PrivateLinkReceipt(
            id: Self.receiptID, reference: "another", recipient: try LinkKeyTests.identity(0x0C), identifier: nil,
            amount: nil)
        let lie = try other.sealed(access, nonce: nonce)
        #expect(throws: WireDefect.self) { try PrivateLinkReceipt(opening: lie, with: access) }
    }

    @Test("Access to a receipt of another app is refused, and takes no id")
    func foreignAccess() throws {
        let text = try Message.receiptAccess(Self.access("tether/wallet")).text()
        #expect(try Self.read(text) == .malformed(.receiptAccess, eventID: nil))
        #expect(try Self.read(text, from: "tether/wallet") == .valid(.receiptAccess(Self.access("tether/wallet"))))
        let moved = text.replacing("receipts/22222222", with: "receipts/32222222")
        #expect(try Self.read(moved, from: "tether/wallet") == .malformed(.receiptAccess, eventID: Self.event(8)))
        var dumped = ""
        dump(try Self.access(), to: &dumped)
        #expect(!dumped.contains("MDEy") && !dumped.contains("- 48"))
    }

    // MARK: Markers

    @Test("A receiver's marker is read with its key and without, and nothing else may be in it")
    func markers() throws {
        let wallet = try Self.wallet("bitkit/server")
        let old =
            #"{"version":1,"kind":"paykit.receiver","receiver_path":"bitkit/server","capabilities":{"private_payments":true,"payment_requests":true,"receipts":true,"outgoing_payments":false}}"#
        let marker = try ReceiverMarker(Array(old.utf8), of: wallet)
        #expect(marker.noiseKey == nil && !marker.isReachable && !marker.uses.contains(.outgoingPayments))
        #expect(String(decoding: marker.bytes, as: UTF8.self) == old)
        let key = try LinkKeyTests.keys(1).routing
        let new = ReceiverMarker(wallet, [.privatePayments, .outgoingPayments], noiseKey: key)
        #expect(new.isReachable)
        #expect(try ReceiverMarker(new.bytes, of: wallet) == new)
        let prefixed = String(decoding: new.bytes, as: UTF8.self).replacing(key.text, with: "pubky\(key)")
        #expect(try ReceiverMarker(Array(prefixed.utf8), of: wallet) == new)
        #expect(ReceiverMarker.path(of: wallet) == "/pub/paykit/v0/bitkit/server/receiver.json")
        #expect(throws: WireDefect.self) { try ReceiverMarker(Array(old.utf8), of: Self.wallet()) }
        for (from, to) in [
            (#""version":1"#, #""version":2"#), ("paykit.receiver", "paykit.other"),
            (#","outgoing_payments":false"#, ""),
            (#""receipts":true"#, #""receipts":1"#), (#""receipts":true"#, #""receipts":true,"x":true"#),
            (#""version":1"#, #""version":1,"x":1"#), (#""version":1"#, #""version":1,"noise_public_key":null"#),
        ] {
            let bad = old.replacing(from, with: to)
            #expect(throws: WireDefect.self, "\(bad)") { try ReceiverMarker(Array(bad.utf8), of: wallet) }
        }
    }

    @Test("A recovery's marker is read as it is written, and an empty file is none")
    func recovery() throws {
        let marker = RecoveryMarker(
            attemptID: Self.request, createdAt: try #require(PrivateLinkTime("2026-10-01T00:00:00Z")))
        #expect(
            String(decoding: marker.bytes, as: UTF8.self)
                == #"{"version":1,"kind":"paykit.encrypted_link_recovery","attempt_id":"b7f9c2a1-6d43-4b0e-a8d4-0fe2c712ab33","created_at":"2026-10-01T00:00:00Z"}"#
        )
        #expect(try RecoveryMarker(marker.bytes) == marker)
        #expect(try RecoveryMarker([]) == nil)
        #expect(throws: WireDefect.self) { try RecoveryMarker(Array("{}".utf8)) }
    }
}
