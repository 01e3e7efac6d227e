import FuzzModel
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import TestSupport

/// Bytes of relays, homeservers and other devices of the Pubky network: packets, tokens, sessions.
struct PaykitWireTarget: FuzzTarget {
    static let name = "Paykit's wire forms"
    static let share = 12

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let pair: PubkyKeyPair
    /// All texts that ``pair`` signed.
    private let signed: Set<[UInt8]>

    private struct Unusable: Error {}

    init() throws {
        pair = try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32))
        guard let apex = SignedPacket.name("", under: pair.publicKey), let web = DNSName("h.example.com") else {
            throw Unusable()
        }
        let packet = try SignedPacket(
            signing: [
                DNSRecord(apex, .a([1, 2, 3, 4])), DNSRecord(apex, .txt([Array("hello".utf8)])),
                DNSRecord(apex, .https(DNSService(priority: 1, target: web, parameters: [.init(3, [1, 187])]))),
            ], at: 1_767_225_600_000_000, by: pair)
        let token = AuthToken([.paykit, .root], at: 1_767_225_600_000_000, by: pair)
        let session = SessionInfo(key: pair.publicKey, createdAt: 9, userAgent: "fuzz", capabilities: [.paykit])
        signed = [packet.payload, token.bytes]
        let messages = try JSONValue(parsing: [UInt8](try Vectors.data("pubky-dns")))["messages"]?.array ?? []
        let known = messages.compactMap { $0["wire"]?.string.flatMap(Hex.decode) }
        corpus = Corpus(
            bytes: [packet.payload, token.bytes, session.wire, packet.dns] + known,
            pieces: [
                [0xC0, 0x0C], [0xC0, 0x0D], [0xC0, 0x00], [0xFF, 0xFF], [0], [0x3F], [0x40], [0x80], [0, 65], [0, 64],
                [0, 16], [0, 1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], Array("/:rw".utf8),
                Array("PUBKY:AUTH".utf8), pair.publicKey.bytes,
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        if let packet = try? SignedPacket(payload: input, of: pair.publicKey) {
            counts["packets", default: 0] += 1
            guard signed.contains(input), packet.payload == input else { return "a packet that nobody signed is taken" }
        }
        if let token = try? AuthToken(parsing: input) {
            counts["tokens", default: 0] += 1
            // The signature does not cover the first letter, which is checked separately.
            if token.key == pair.publicKey, !signed.contains(input) { return "a token that nobody signed is taken" }
        }
        if let session = try? SessionInfo(parsing: input) {
            counts["sessions", default: 0] += 1
            guard (try? SessionInfo(parsing: session.wire)) == session else { return "a session changes when written" }
        }
        guard let message = try? DNSMessage(parsing: input) else {
            counts["no messages", default: 0] += 1
            return nil
        }
        counts["messages", default: 0] += 1
        // Decompressed texts and names can exceed the maximum of a record's length field.
        guard message.wire.count < 60_000 else { return nil }
        guard let again = try? DNSMessage(parsing: message.wire) else { return "a message cannot be read as written" }
        return again == message ? nil : "a message changes when written"
    }
}
