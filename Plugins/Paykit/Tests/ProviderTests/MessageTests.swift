import PaymentCore
import TestSupport
import Testing

@testable import PaykitProvider

@Suite("Messages of private channels")
struct MessageTests {
    private static func receipt() throws -> PaykitReceiptRecord {
        PaykitReceiptRecord(
            id: "rcpt_test_1", payer: try PubkySamples.pair(0x11).publicKey,
            payee: try PubkySamples.pair(0x22).publicKey,
            methodID: "lightning", amount: "1000", currency: "SAT", createdAt: 1_767_225_600,
            metadata: ["note": "coffee"])
    }

    @Test("The recorded messages of the native library are read, and written byte for byte")
    func recorded() throws {
        let texts = try #require(
            try JSONValue(parsing: Array(try Vectors.data("pubky-noise")))["plaintexts"]?.object?.mapValues {
                $0.string ?? ""
            })
        var confirmed = try Self.receipt()
        confirmed.metadata["invoice"] = "lnbc10u1example"
        for (name, message) in [
            ("c2s#0", .requestReceipt(try Self.receipt())), ("s2c#0", .confirmReceipt(confirmed)),
            ("c2s#1", .acknowledgement),
        ] as [(String, ChannelMessage)] {
            let text = try #require(texts[name])
            #expect(try ChannelMessage.read(Array(text.utf8)).message == message)
            #expect(message.wire().map { String(decoding: $0, as: UTF8.self) } == text)
        }
    }

    @Test(
        "What one dialect can say is read as the same from all that can say it",
        arguments: ChannelMessage.Dialect.allCases)
    func dialects(_ dialect: ChannelMessage.Dialect) throws {
        let endpoint = PaykitEndpoint(methodID: "lightning", endpoint: "lnbc1")
        var open = try Self.receipt()
        (open.amount, open.currency, open.metadata) = (nil, nil, [:])
        let messages: [ChannelMessage] = [
            .offer([.init(endpoint)]), .offer([.init(endpoint, expiresAt: 9), .init(endpoint)]), .accept(["lightning"]),
            .decline(reason: "no \"thanks\""), .requestReceipt(open), .confirmReceipt(open), .acknowledgement,
            .error(code: "WRONG_PAYEE", message: "I am not the intended payee"), .ping, .pong,
        ]
        var written = 0
        for message in messages {
            guard let wire = message.wire(dialect) else { continue }
            written += 1
            let read = try ChannelMessage.read(wire)
            #expect(read.message == message)
            if case .requestReceipt = message { #expect(read.dialect == dialect) }
        }
        #expect(written == [.native: 8, .mobile: 5, .flat: 6][dialect])
    }

    @Test("Members that others write too are read: users in any form, an app's names of errors, an end of an offer")
    func lenient() throws {
        let key = try PubkySamples.pair(0x11).publicKey
        let text = """
            {"type":"confirm_receipt","receipt_id":"r","payer":"pubky\(key)","payee":"pk:\(key)","method_id":"onchain",\
            "confirmed_at":7,"success":true,"amount":null}
            """
        guard case .confirmReceipt(let receipt) = try ChannelMessage.read(Array(text.utf8)).message else {
            Issue.record("another message")
            return
        }
        #expect(receipt.payer == key && receipt.payee == key && receipt.createdAt == 7 && receipt.amount == nil)
        let error = #"{"type":"error","error_code":"E","error_message":"m","timestamp":1}"#
        #expect(try ChannelMessage.read(Array(error.utf8)).message == .error(code: "E", message: "m"))
        #expect(try ChannelMessage.read(Array(#"{"payload":null,"type":"Ack"}"#.utf8)).message == .acknowledgement)
    }

    @Test(
        "What is no message is refused",
        arguments: [
            "", "[]", "{}", #"{"type":"receipt_request"}"#, #"{"type":"RequestReceipt"}"#,
            #"{"type":"OfferPrivateEndpoint","payload":{"method_id":"noise","endpoint":"x"}}"#,
            #"{"type":"OfferPrivateEndpoints","payload":{"methods":[{"method_id":"a"}]}}"#,
            #"{"type":"RequestReceipt","payload":{"provisional_receipt":{"receipt_id":"r","payer":[1,2],"payee":[],"method_id":"a","created_at":1}}}"#,
            #"{"type":"Error","payload":{}}"#, #"{"type":7}"#,
        ])
    func refused(_ text: String) {
        #expect(throws: WireDefect.self) { try ChannelMessage.read(Array(text.utf8)) }
    }
}
