import Foundation
import FuzzModel
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting

/// A key manager's files for a device: the sealed file, and its content, which any holder of the device's key can
/// write.
struct PaykitHandoffTarget: FuzzTarget {
    static let name = "Paykit's handoffs"
    static let share = 4

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let handoff: KeyManagerHandoff
    private let key: Redacted<[UInt8]>

    private static let requestID = String(repeating: "ab", count: 32)
    private static let cookie = "0123456789ABCDEFGHJKMNPQRS"

    init() throws {
        let user = try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32)).publicKey
        key = Redacted([0x50] + [UInt8](repeating: 0x55, count: 31))
        let pairs = try [0, 1].map { epoch in
            try KeyManagerHandoff.KeyPair(
                epoch: epoch, secretKey: Redacted([UInt8](repeating: 0x77 + UInt8(epoch), count: 32)))
        }
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        handoff = try KeyManagerHandoff(
            of: user, session: Redacted("\(user):\(Self.cookie)"), [.paykit, .profile], to: "phone", keyPairs: pairs,
            noiseSeed: Redacted([UInt8](repeating: 9, count: 32)), expiresAt: now.addingTimeInterval(300))
        let recipient = try KeyManagerHandoff.KeyPair(epoch: 0, secretKey: key).publicKey
        let sealed = try handoff.sealed(
            for: recipient, requestID: Self.requestID, at: now, SeededRandomSource(seed: 1))
        let wrapped = try SealedEnvelope(
            Array(handoff.content(at: now).utf8), SealedEnvelope.Label(context: [UInt8](repeating: 9, count: 32)),
            from: PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32)), to: (user, recipient),
            at: (user, KeyManagerHandoff.path(Self.requestID)), ephemeral: [UInt8](repeating: 7, count: 32),
            nonce: [UInt8](repeating: 8, count: 24))
        let bare =
            #"{"version":1,"pubky":"pubky://\#(user)","session_secret":"\#(user):\#(Self.cookie)","device_id":"d","expires_at":1767225600}"#
        corpus = Corpus(
            bytes: [
                Array(handoff.content(at: now).utf8), Array(bare.utf8), sealed,
                Array(#"{"sb2":"\#(Base64URL.encode(wrapped.wire))"}"#.utf8),
            ],
            pieces: [
                #""epoch":0"#, #""epoch":1"#, #""epoch":4294967295"#, #""secret_key":"#, #""public_key":"#, "null",
                "[]",
                "{}", #""capabilities":"#, #""/pub/a/:rw""#, #""/:rw,/:r""#, #""noise_seed":"#, #""expires_at":"#,
                "18446744073709551615", "100000000001", "-1", "1e400", "\"\"", user.text, "pk:", ":", Self.cookie,
                String(repeating: "77", count: 32), #""noise_keypairs":"#, #""version":1"#, #""version":2"#,
            ].map { Array($0.utf8) })
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        do {
            let opened = try KeyManagerHandoff(opening: input, of: handoff.user, requestID: Self.requestID, with: key)
            counts["opened", default: 0] += 1
            if opened != handoff { return "a file without a seal is opened" }
        } catch { if let leak = leak("\(error)") { return leak } }
        do { return check(try KeyManagerHandoff(reading: input, of: handoff.user)) } catch {
            counts["refused", default: 0] += 1
            return leak("\(error)")
        }
    }

    private func leak(_ text: String) -> String? {
        text.contains(Self.cookie) || text.contains("7777") ? "a secret is in an error" : nil
    }

    private mutating func check(_ read: KeyManagerHandoff) -> String? {
        counts["read", default: 0] += 1
        guard read.user == handoff.user, (try? PubkySession.read(read.session))?.0 == read.user else {
            return "a session of somebody else is handed off"
        }
        let epochs = read.keyPairs.map(\.epoch)
        guard epochs == Set(epochs).sorted() else { return "an epoch has two key pairs" }
        for pair in read.keyPairs {
            let again = try? KeyManagerHandoff.KeyPair(epoch: pair.epoch, secretKey: pair.secretKey)
            guard again == pair else { return "a key pair's halves do not belong together" }
        }
        guard read.noiseSeed.map({ $0.reveal().count == 32 }) ?? true else { return "a seed has another length" }
        var dumped = ""
        dump(read, to: &dumped)
        // The device's name, which is public, can hold the same letters.
        let isOpen =
            read.deviceID.contains(Self.cookie) || read.capabilities.contains { $0.scope.contains(Self.cookie) }
        if !isOpen, dumped.contains(Self.cookie) { return "a session is printed" }
        let written = Array(read.content(at: Date(timeIntervalSince1970: 0)).utf8)
        guard let again = try? KeyManagerHandoff(reading: written, of: read.user) else {
            return "a handoff cannot be read as written"
        }
        let isSame =
            again.session == read.session && again.capabilities == read.capabilities && again.deviceID == read.deviceID
            && again.keyPairs == read.keyPairs && again.noiseSeed == read.noiseSeed
        return isSame ? nil : "a handoff changes when written"
    }
}
