import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

@testable import PaykitProvider

/// The stored record of a private link (Protocol 12.6 and 12.8).
@Suite("What is kept of private links")
struct LinkRecordTests {
    private let receiver: PaykitReceiverPath
    private let head = PrivateLinkMessage.EventHead(
        eventID: "11111111-1111-4111-8111-000000000002", requestID: "b7f9c2a1-6d43-4b0e-a8d4-0fe2c712ab33")

    init() throws { receiver = try #require(PaykitReceiverPath("shop/server")) }

    private func request(_ reference: String = "invoice-2026-0001", event: String? = nil) throws -> [UInt8] {
        let terms = PaymentTerms(
            try PrivateLinkAmount("0.001", "btc"), reference: reference,
            identifiers: ["btc-lightning-bolt11"].compactMap { PaykitIdentifier($0) })
        let head = PrivateLinkMessage.EventHead(eventID: event ?? head.eventID, requestID: head.requestID)
        return Array(try PrivateLinkMessage.request(PrivateLinkMessage.PaymentRequest(head, terms)).text().utf8)
    }

    private func record(_ messages: [[UInt8]]) -> PrivateLinkRecord {
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        for message in messages { record.hear(message, from: receiver) }
        return record
    }

    @Test("The same bytes again count once; of other bytes under the same id the first stay")
    func conflicts() throws {
        let first = try request()
        #expect(record([first, first]) == record([first]))
        #expect(record([first, try request("another")]) == record([first]))
        // A second request of the same id changes nothing, under any event.
        let again = record([first, try request("another", event: "11111111-1111-4111-8111-000000000003")])
        #expect(again.requests.rows.map(\.terms.reference) == ["invoice-2026-0001"])
        // An id is taken by any event that had an effect.
        let refused = PrivateLinkMessage.cancellation(head, reason: nil)
        #expect(record([first, Array(try refused.text().utf8)]) == record([first]))
    }

    @Test("Two peers' requests of one id are two payments to the payer's wallet")
    func paymentNames() throws {
        let users = try [0x11, 0x22, 0x33].map { try PubkySamples.pair($0).publicKey }
        let other = try #require(PaykitReceiverPath("till/server"))
        let parties = [
            PrivateLinkParty(users[0], receiver, with: users[1], receiver),
            PrivateLinkParty(users[0], receiver, with: users[2], receiver),
            PrivateLinkParty(users[0], receiver, with: users[1], other),
            PrivateLinkParty(users[0], other, with: users[1], receiver),
            PrivateLinkParty(users[2], receiver, with: users[1], receiver),
        ]
        let request = try #require(record([try request()]).requests.rows.first)
        let amount = try #require(request.terms.amount.bitcoin)
        let names = parties.flatMap { party in
            [0, 1].map { number in
                PrivateLinkClaim(
                    party: party, requestID: request.id, period: nil, amount: amount,
                    endpoint: PaykitEndpoint(methodID: "lightning", endpoint: "lnbc1"), number: number, isOpen: true
                ).name
            }
        }
        #expect(Set(names).count == 10)
    }

    @Test("What cannot be read stops nothing, and an event that is malformed keeps its id")
    func skipped() throws {
        let malformed = #"{"version":2,"kind":"paykit.payment_request","event_id":"\#(head.eventID)"}"#
        let found = record(["no JSON", malformed].map { Array($0.utf8) } + [[0xFF], try request()])
        #expect(found.skipped == 3 && found.requests.rows.isEmpty)
    }

    @Test("A list takes the place of the one before; the same again is no new one, and a malformed one none at all")
    func lists() throws {
        func list(_ value: String) throws -> [UInt8] {
            Array(try PrivateLinkMessage.paymentList(["btc-lightning-bolt11": "{\"value\":\"\(value)\"}"]).text().utf8)
        }
        let first = record([try list("lnbc1"), try list("lnbc1")])
        #expect(first.list?.version == 1)
        let broken = Array(#"{"version":1,"kind":"paykit.private_payment_list"}"#.utf8)
        #expect(record([try list("lnbc1"), try list("lnbc2"), broken]).list?.version == 2)
    }

    @Test("On a new link everything is said again in its order, the last list first, with the same bytes")
    func repeated() throws {
        var record = record([try request()])
        try record.say(.paymentList([:]))
        try record.say(.acceptance(head))
        try record.say(.paymentList(["btc-lightning-bolt11": "{}"]))
        // An unread list is not sent beside a newer one.
        #expect(record.channel.outbox.count == 2)
        let said = record.channel.outbox
        record.channel.outbox = []
        record.begin(ephemeral: [2])
        #expect(Set(record.channel.outbox) == Set(said) && record.channel.outbox.last == said.first)
        #expect(record.channel.phase == .clearing && record.channel.place == PrivateLinkChannel.Place())
        #expect(record.channel.recovery.begun == 2)
    }

    @Test("A message that is too long is not said, and leaves nothing behind")
    func tooLong() throws {
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        let before = record
        #expect(throws: WireDefect.self) {
            try record.say(.rejection(head, reason: String(repeating: "x", count: 1000)))
        }
        #expect(record == before)
    }

    @Test("Amounts are bitcoin only where they are whole satoshis, in any of their spellings")
    func amounts() throws {
        for (text, satoshis) in [("0.001", 100_000), (".5", 50_000_000), ("10.", 1_000_000_000)] as [(String, UInt64)] {
            #expect(try PrivateLinkAmount(text, "btc").bitcoin?.minorUnits == UInt128(satoshis), "\(text)")
        }
        for (text, asset) in [("0", "btc"), ("0.000000001", "btc"), ("1", "BTC"), ("1", "usd")] {
            #expect(try PrivateLinkAmount(text, asset).bitcoin == nil, "\(text) \(asset)")
        }
    }

    @Test("Proofs are read as any of the wallets writes them")
    func proofs() throws {
        let preimage = String(repeating: "ab", count: 32)
        let identifier = try #require(PaykitIdentifier("btc-lightning-bolt11"))
        func read(_ proof: [String: JSONValue]) -> PaykitProof? {
            PaykitProof(
                PrivateLinkMessage.PaymentProof(head, reference: "r", period: nil, identifier: identifier, proof: proof)
            )
        }
        let hash = Hex.encode(Digest.sha256.hash([UInt8](repeating: 0xAB, count: 32)))
        let expected = PaykitProof.preimage(preimage, paymentHash: hash)
        #expect(read(["preimage": .string(preimage)]) == expected)
        #expect(read(expected.linkMembers) == expected)
        #expect(read(PaykitProof.transaction(hash).linkMembers) == .transaction(hash))
        #expect(read(["type": "erc20-transfer-eip712", "chain_id": "1"]) != nil)
        #expect(read(["preimage": "no hexadecimal"]) == nil && read([:]) == nil)
    }
}
