import FuzzModel
import PaykitProvider
import PaymentCore
import TestSupport

/// Messages of peers on private channels, and files of others: frames, messages in three dialects, places of contact,
/// proofs, requests.
struct PaykitMessageTarget: FuzzTarget {
    static let name = "Paykit's private messages"
    static let share = 6

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let owner: PubkyKey
    private let reader: PubkyKey

    private struct Unusable: Error {}

    init() throws {
        owner = try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32)).publicKey
        reader = try PubkyKeyPair(seed: [UInt8](repeating: 0x22, count: 32)).publicKey
        let proofs: [PaykitProof] = [
            .preimage(String(repeating: "ab", count: 32), paymentHash: String(repeating: "cd", count: 32)),
            .transaction(String(repeating: "ef", count: 32)), .other(method: "cash", data: ["a": 1]),
        ]
        let receipt = PaykitReceiptRecord(
            id: "rcpt_1", payer: reader, payee: owner, methodID: "lightning", amount: "1000", currency: "SAT",
            createdAt: 1_767_225_600, metadata: ["invoice": "lnbc1", "proof": proofs[0].json])
        let endpoint = PaykitEndpoint(methodID: "lightning", endpoint: "lnbc1")
        let messages: [ChannelMessage] = [
            .requestReceipt(receipt), .confirmReceipt(receipt),
            .offer([.init(endpoint, expiresAt: 9), .init(endpoint)]),
            .offer([.init(endpoint)]), .accept(["lightning"]), .decline(reason: "no"), .acknowledgement,
            .error(code: "E", message: "m"), .ping, .pong,
        ]
        let texts = messages.flatMap { message in ChannelMessage.Dialect.allCases.compactMap { message.wire($0) } }
        guard texts.count > 15 else { throw Unusable() }
        let request = PaykitPaymentRequest(
            id: "r", sender: owner, recipient: reader, amount: 2100, note: "Lunch", createdAt: 1, expiresAt: 2)
        let place = PaykitNoiseEndpoint(
            owner: owner, host: "payee.example", port: 9000, key: [UInt8](repeating: 7, count: 32))
        let frames = [[UInt8](repeating: 1, count: 16), texts[0]].map { NoiseFrames.wire($0) }
        corpus = Corpus(
            bytes: texts + proofs.map { $0.json.serialized() } + frames
                + [request.content.serialized(), place.wire, frames[0] + frames[1]],
            pieces: [
                [0, 0, 0, 16], [0, 0, 0xFF, 0xFF], [0, 1, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0],
                Array(#""type":"#.utf8), Array(#""payload":"#.utf8), Array(#""amount_sats":"#.utf8),
                Array("9223372036854775807".utf8), Array("-1".utf8), Array("null".utf8), Array("1e400".utf8),
                Array(#""created_at":"#.utf8), Array(owner.text.utf8), Array(reader.text.utf8),
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        if let found = frames(input) ?? message(input) { return found }
        if let place = PaykitNoiseEndpoint(input, of: owner) {
            counts["places", default: 0] += 1
            if PaykitNoiseEndpoint(place.wire, of: owner) != place { return "a place changes when written" }
            if place.isConnectable, place.port == 0 || place.host.utf8.count > 253 { return "nobody can be there" }
        }
        guard let json = try? JSONValue(parsing: input) else { return nil }
        counts["JSON", default: 0] += 1
        if let proof = PaykitProof(json) {
            counts["proofs", default: 0] += 1
            if PaykitProof(proof.json) != proof { return "a proof changes when written" }
            if case .preimage(_, let hash) = proof, proof.isSound != proof.proves(payingHash: hash) {
                return "a sound preimage proves nothing, or an unsound one does"
            }
        }
        return request(json)
    }

    private mutating func frames(_ input: [UInt8]) -> String? {
        var frames = NoiseFrames()
        var rest = input[...]
        var read: [UInt8] = []
        do {
            while !rest.isEmpty {
                guard 1...65_539 ~= frames.wanted else { return "a frame wants \(frames.wanted) bytes" }
                let some = rest.prefix(frames.wanted)
                rest = rest.dropFirst(some.count)
                guard let message = try frames.take(Array(some)) else { continue }
                counts["frames", default: 0] += 1
                guard 16...65_535 ~= message.count else { return "a frame has \(message.count) bytes" }
                read += NoiseFrames.wire(message)
            }
        } catch { counts["refused frames", default: 0] += 1 }
        return input.starts(with: read) ? nil : "frames are read otherwise than they were sent"
    }

    private mutating func message(_ input: [UInt8]) -> String? {
        guard let (message, dialect) = try? ChannelMessage.read(input) else { return nil }
        counts["messages", default: 0] += 1
        if let wire = message.wire(dialect), dialect != .flat {
            guard let (again, _) = try? ChannelMessage.read(wire) else { return "a message cannot be read as written" }
            if again != message { return "a message changes when written" }
        }
        guard case .requestReceipt(let record) = message else { return nil }
        counts["receipts", default: 0] += 1
        guard record.isUsable else { return nil }
        counts["usable receipts", default: 0] += 1
        let kept = ChannelReceipt(record, .requested)
        guard kept.record == record else { return "a receipt changes when kept" }
        guard 1...128 ~= record.id.utf8.count, PaykitEndpoint.isMethod(record.methodID),
            record.amount.map({ !$0.hasPrefix("-") && $0.utf8.contains { 0x31...0x39 ~= $0 } }) ?? true
        else { return "a receipt is usable that nobody can pay" }
        return nil
    }

    private mutating func request(_ json: JSONValue) -> String? {
        let letter = SealedMessageStore.Message(kind: .request, sender: owner, name: "r", content: json)
        guard let request = PaykitPaymentRequest(letter, for: reader) else { return nil }
        counts["requests", default: 0] += 1
        guard request.sender == owner, request.recipient == reader,
            request.amount.utf8.contains(where: { 0x31...0x39 ~= $0 })
        else { return "a request is taken that nobody may have written" }
        let again = SealedMessageStore.Message(kind: .request, sender: owner, name: "r", content: request.content)
        guard let read = PaykitPaymentRequest(again, for: reader), read.amount == request.amount,
            read.currency == request.currency
        else { return "a request changes when written" }
        return nil
    }
}
