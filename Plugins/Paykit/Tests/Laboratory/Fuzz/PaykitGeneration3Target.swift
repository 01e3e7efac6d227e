import FuzzModel
import PaykitProvider
import PaymentCore
import PaymentCrypto

/// Files of wallets of generation 3 on homeservers: endpoints, markers, receipts, and the files and messages of private
/// links.
struct PaykitGeneration3Target: FuzzTarget {
    static let name = "Paykit's files of generation 3"
    static let share = 6

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let receiver: PaykitReceiverPath
    private let access: ReceiptAccess
    private let channel: PrivateLinkChannel
    /// The bytes that the key holders sealed.
    private let genuine: Set<[UInt8]>

    private struct Unusable: Error {}

    init() throws {
        func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
        guard let receiver = PaykitReceiverPath("bitkit/wallet"),
            let bolt11 = PaykitIdentifier("btc-lightning-bolt11")
        else { throw Unusable() }
        self.receiver = receiver
        let id = "22222222-2222-4222-8222-000000000001"
        let head = PrivateLinkMessage.EventHead(eventID: id, requestID: id)
        access = ReceiptAccess(
            eventID: id, receiptID: id, reference: "r", receiver: receiver, key: Redacted(bytes(7)))
        let receipt = PrivateLinkReceipt(
            id: id, reference: "r", recipient: try PubkyKeyPair(seed: bytes(1)).publicKey, identifier: bolt11,
            amount: try PrivateLinkAmount("1", "btc"))
        let sealed = try receipt.sealed(access, nonce: [UInt8](repeating: 9, count: 24))
        let terms = PaymentTerms(
            try PrivateLinkAmount("0.001", "btc"), reference: "r", expiresAt: PrivateLinkTime("2026-10-01T00:00:00Z"),
            identifiers: [bolt11])
        let messages: [PrivateLinkMessage] = [
            .paymentList(["btc-lightning-bolt11": #"{"value":"lnbc1"}"#]),
            .request(PrivateLinkMessage.PaymentRequest(head, terms)), .acceptance(head),
            .rejection(head, reason: "no"), .receiptAccess(access),
            .proof(
                PrivateLinkMessage.PaymentProof(
                    head, reference: "r", period: nil, identifier: bolt11, proof: ["preimage": "00"])),
        ]
        let marker = ReceiverMarker(receiver, noiseKey: try PubkyKeyPair(seed: bytes(2)).publicKey)
        let suite = PrivateLinkForm.suite
        var first = try NoiseHandshake(suite, .initiator, prologue: [], ownStatic: bytes(1), ownEphemeral: bytes(3))
        var second = try NoiseHandshake(suite, .responder, prologue: [], ownStatic: bytes(2), ownEphemeral: bytes(4))
        _ = try second.read(first.write([]))
        _ = try first.read(second.write([]))
        _ = try second.read(first.write([]))
        var sender = try PrivateLinkChannel(first)
        let files = [try sender.prepare(Array("hello".utf8)).file]
        channel = try PrivateLinkChannel(second)
        genuine = Set(files + [sealed])
        corpus = Corpus(
            bytes: files + [sealed, marker.bytes, Array(receipt.text.utf8)]
                + (try messages.map { Array(try $0.text().utf8) })
                + [Array(#"{"value":"lnbc1","min":"0.1","max":"1"}"#.utf8)],
            pieces: [
                Array(#""version":1,"#.utf8), Array(#""kind":"#.utf8), Array("null".utf8), Array(id.utf8),
                Array("bitkit/wallet".utf8), Array("2026-10-01T00:00:00Z".utf8), [0, 17], [0xFF, 0xFF],
                [UInt8](repeating: 0, count: 64),
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        counts["all", default: 0] += 1
        let text = String(decoding: input, as: UTF8.self)
        if let payload = EndpointPayload(input) {
            counts["payloads", default: 0] += 1
            guard EndpointPayload(payload.bytes) == payload else { return "a payload changes when written" }
        }
        for word in [text, String(text.prefix(24))] {
            if let path = PaykitReceiverPath(word), path.text != word { return "a receiver is another when written" }
            let candidates = PaykitIdentifier.candidates(for: word)
            guard candidates.allSatisfy({ PaykitIdentifier($0)?.allows(word) == true }) else {
                return "a text is called what it cannot be"
            }
            if let time = PrivateLinkTime(word), time.text != word { return "a time is another when written" }
            if let id = EventID.normal(word), EventID.normal(id) != id { return "an id is another when written" }
        }
        if let marker = try? ReceiverMarker(input, of: receiver) {
            counts["markers", default: 0] += 1
            guard (try? ReceiverMarker(marker.bytes, of: receiver)) == marker else { return "a marker changes" }
        }
        if let marker = try? RecoveryMarker(input), (try? RecoveryMarker(marker.bytes)) != marker {
            return "a recovery changes when written"
        }
        if let receipt = try? PrivateLinkReceipt(text) {
            counts["receipts", default: 0] += 1
            guard (try? PrivateLinkReceipt(receipt.text)) == receipt else { return "a receipt changes when written" }
        }
        if (try? PrivateLinkReceipt(opening: input, with: access)) != nil {
            counts["opened receipts", default: 0] += 1
        }
        var channel = channel
        // The zeros after a message are not sealed, and may be missing.
        let padded = input + [UInt8](repeating: 0, count: max(0, PrivateLinkForm.fileLength - input.count))
        if (try? channel.read(input)) != nil, !genuine.contains(padded) { return "a file without a seal is read" }
        // A message that a link receives twice changes nothing the second time.
        var record = PrivateLinkRecord(peerKey: "", ephemeral: [])
        record.hear(input, from: receiver)
        let once = (record.requests, record.list)
        record.hear(input, from: receiver)
        guard once == (record.requests, record.list) else {
            return "a message that came twice counts twice"
        }
        if !once.0.rows.isEmpty { counts["requests", default: 0] += 1 }
        switch MessageIntake(text, from: receiver) {
        case .valid(let message):
            counts["messages", default: 0] += 1
            if case .proof(let proof) = message, PaykitProof(proof) != nil { counts["proofs", default: 0] += 1 }
            // An overlong text is read all the same if a message contained it.
            guard let written = try? message.text() else { return nil }
            guard MessageIntake(written, from: receiver) == .valid(message) else { return "a message changes" }
        case .malformed(_, let id):
            counts["malformed", default: 0] += 1
            if let id, EventID.normal(id) != id { return "an id is none" }
        case .unknown, .unreadable: break
        }
        return nil
    }
}
