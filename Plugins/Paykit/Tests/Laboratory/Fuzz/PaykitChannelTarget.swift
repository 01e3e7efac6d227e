import FuzzModel
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import TestSupport

/// Bytes of peers and other devices on private channels of the Pubky network: handshakes, messages, sealed files.
struct PaykitChannelTarget: FuzzTarget {
    static let name = "Paykit's channels and sealed files"
    static let share = 6

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let owner: PubkyKeyPair
    private let server: [UInt8]
    private let recipient: [UInt8]
    /// The bytes that the key holders sealed or wrote.
    private let genuine: Set<[UInt8]>

    private struct Unusable: Error {}

    init() throws {
        owner = try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32))
        server = NoiseKeys.device(
            seed: [UInt8](repeating: 0x22, count: 32), device: Array("server-device-01".utf8), epoch: 0)
        recipient = [0x50] + [UInt8](repeating: 0x55, count: 31)
        let json = try JSONValue(parsing: [UInt8](try Vectors.data("pubky-noise")))
        let messages = ["A", "B", "reverse"].compactMap { json[$0]?["m1"]?.string.flatMap(Hex.decode) }
        let envelopes = (json["sb2"]?.array ?? []).compactMap { $0.string.flatMap(Hex.decode) }
        let blobs = (json["blobs"]?.array ?? []).compactMap { $0.string.map { Array($0.utf8) } }
        let identities = ["A", "B"].compactMap { json[$0]?["identity"]?.string.map { Array($0.utf8) } }
        guard messages.count == 3, envelopes.count == 2, blobs.count == 6 else { throw Unusable() }
        genuine = Set(messages + envelopes + blobs)
        corpus = Corpus(
            bytes: messages + envelopes + blobs + identities,
            pieces: [
                Array("SB2".utf8) + [2], [0xA7, 0x00], [0x58, 0x20], [0xBF], [0xFF], [0x1B], [0x5F], [0x80],
                Array(#""v":2,"#.utf8), Array(#""epk":"#.utf8), Array(#""sig":"#.utf8), Array(#""kid":"#.utf8),
                [UInt8](repeating: 0, count: 32),
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        if let map = try? CBORMap(parsing: input) {
            counts["maps", default: 0] += 1
            if map.wire != input { return "a map is written otherwise than it was read" }
        }
        if let envelope = try? SealedEnvelope(parsing: input) {
            counts["envelopes", default: 0] += 1
            if envelope.wire != input { return "an envelope is written otherwise than it was read" }
            let path = "/pub/paykit.app/v0/handoff/abc"
            let isOpened = (try? envelope.open(recipient, owner: owner.publicKey, path: path)) != nil
            if isOpened, envelope.isSigned(owner: owner.publicKey, path: path), !genuine.contains(input) {
                return "an envelope that nobody made is opened"
            }
        }
        if let blob = try? SealedBlob(parsing: input) {
            counts["blobs", default: 0] += 1
            guard (try? SealedBlob(parsing: blob.wire)) == blob else { return "a blob changes when written" }
        }
        var handshake = try? NoiseHandshake(
            NoiseSuite(.ik), .responder, prologue: NoiseIdentity.prologue, ownStatic: server,
            ownEphemeral: [UInt8](repeating: 0x44, count: 32))
        if let payload = try? handshake?.read(input) {
            counts["handshakes", default: 0] += 1
            guard genuine.contains(input) else { return "a handshake that nobody began is taken" }
            guard let key = handshake?.remoteStatic, let own = try? X25519.publicKey(of: server),
                (try? NoiseIdentity(payload, .init(.ik, .client, local: key, remote: own), now: 1)) != nil
            else { return "a genuine identity is refused" }
        }
        let zeros = [UInt8](repeating: 0, count: 32)
        if (try? NoiseIdentity(input, .init(.ik, .client, local: zeros, remote: zeros), now: 1)) != nil {
            return "an identity of another channel is taken"
        }
        counts["all", default: 0] += 1
        return nil
    }
}
