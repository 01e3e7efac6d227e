package import PaymentCore
import PaymentCrypto

/// The key pair of an app's private links (Protocol 12.1): 32 bytes, used in two ways whose public halves differ. It is
/// made once for a receiver and never changed silently: a peer whose key changes cannot be heard any more.
package struct PrivateLinkKeys: Sendable {
    private let secret: Redacted<[UInt8]>
    /// What is published, and what folders are derived from (Ed25519).
    package let routing: PubkyKey
    /// What the handshake shows (X25519). It does not follow from ``routing``.
    package let noise: [UInt8]

    package init(secret: Redacted<[UInt8]>) throws(PubkyKeyDefect) {
        routing = try PubkyKeyPair(seed: secret.reveal()).publicKey
        guard let noise = try? X25519.publicKey(of: secret.reveal()) else { throw .length(secret.reveal().count) }
        self.noise = noise
        self.secret = secret
    }

    /// The secret as the handshake takes it.
    package var noiseSecret: [UInt8] { secret.reveal() }

    /// What both sides know from their routing keys, and nobody else.
    package func agreement(with remote: PubkyKey) throws(NoiseError) -> [UInt8] {
        guard let point = EdwardsPoint.montgomery(remote.bytes),
            let shared = try? X25519.sharedSecret(Array(Digest.sha512.hash(secret.reveal()).prefix(32)), with: point)
        else { throw .key }
        return shared
    }
}

/// Whom a link is between, which is a part of where its files lie (Protocol 12.2).
package enum PrivateLinkParties: Sendable, Hashable {
    /// The oldest form: the keys say it.
    case keys
    /// Two users' receivers.
    case receivers(PubkyKey, PaykitReceiverPath, PubkyKey, PaykitReceiverPath)
    /// The later form: two users.
    case users(PubkyKey, PubkyKey)
    /// The later form with what a recovery has drawn: the attempt of each user, nil before any.
    case attempts(PubkyKey, String?, PubkyKey, String?)

    /// What is derived.
    package enum Purpose: String, Sendable {
        case messages = "paykit-path-v0"
        case recovery = "paykit-link-recovery-v0"
    }

    /// The name of the folder into which `writer` writes.
    package func folder(_ purpose: Purpose, agreement: [UInt8], writer: PubkyKey) -> String {
        Hex.encode(Digest.sha256.hash(domain(purpose) + agreement + writer.bytes))
    }

    private func domain(_ purpose: Purpose) -> [UInt8] {
        let name = Array(purpose.rawValue.utf8)
        switch self {
        case .keys: return name
        case .receivers(let first, let path, let second, let other):
            let pairs = [(first.text, path.text), (second.text, other.text)].sorted { $0 < $1 }
            return name + pairs.flatMap { [0] + Array($0.0.utf8) + [0] + Array($0.1.utf8) }
        case .users(let first, let second):
            return name + Self.sorted((first, nil), (second, nil)).flatMap { $0.0.bytes }
        case .attempts(let first, let attempt, let second, let other):
            let pairs = Self.sorted((first, attempt), (second, other))
            // Markers lead to the attempts and cannot depend on them.
            guard purpose == .messages else { return name + pairs.flatMap { $0.0.bytes } }
            return name + pairs.flatMap { $0.0.bytes }
                + pairs.flatMap { Array(($0.1 ?? String(repeating: "\0", count: 36)).utf8) }
        }
    }

    private static func sorted(
        _ first: (PubkyKey, String?), _ second: (PubkyKey, String?)
    ) -> [(PubkyKey, String?)] {
        second.0.bytes.lexicographicallyPrecedes(first.0.bytes) ? [second, first] : [first, second]
    }

    /// Where the messages of a receiver's link lie.
    package static func messages(_ receiver: PaykitReceiverPath, _ folder: String) -> String {
        "\(ReceiverDirectory.root)private/\(receiver)/messages/\(folder)/"
    }

    /// Where a receiver's recovery marker lies.
    package static func marker(_ receiver: PaykitReceiverPath, _ folder: String) -> String {
        "\(ReceiverDirectory.root)private/\(receiver)/encrypted-link-recovery/\(folder)"
    }

    /// Whether `own` begins the handshake with `other`: the one whose text comes first. Nobody has a link with
    /// themselves.
    package static func begins(_ own: PubkyKey, with other: PubkyKey) -> Bool? {
        own == other ? nil : own.text < other.text
    }
}
