import PaymentCrypto

/// The key pair of an app's private links (Protocol 12.1): 32 bytes, used in two ways whose public halves differ. It is
/// made once for a receiver and never changed silently: a peer whose key changes can no longer be read.
package struct PrivateLinkKeys: Sendable {
    private let secret: Redacted<[UInt8]>
    /// The published key, from which folders are derived (Ed25519).
    package let routing: PubkyKey
    /// The key that the handshake shows (X25519). It does not follow from ``routing``.
    package let noise: [UInt8]

    package init(secret: Redacted<[UInt8]>) throws(PubkyKeyDefect) {
        routing = try PubkyKeyPair(seed: secret.reveal()).publicKey
        guard let noise = try? X25519.publicKey(of: secret.reveal()) else { throw .length(secret.reveal().count) }
        self.noise = noise
        self.secret = secret
    }

    package var noiseSecret: [UInt8] { secret.reveal() }

    /// Returns the secret that only the holders of both routing keys know.
    package func agreement(with remote: PubkyKey) throws(NoiseError) -> [UInt8] {
        guard let point = EdwardsPoint.montgomery(remote.bytes),
            let shared = try? X25519.sharedSecret(Array(Digest.sha512.hash(secret.reveal()).prefix(32)), with: point)
        else { throw .key }
        return shared
    }
}

/// The two users' apps that a link connects, from which the place of its files is derived (Protocol 12.2).
package struct PrivateLinkParty: Sendable, Hashable {
    package let user: PubkyKey
    package let receiver: PaykitReceiverPath
    package let peer: PubkyKey
    package let peerReceiver: PaykitReceiverPath

    package init(
        _ user: PubkyKey, _ receiver: PaykitReceiverPath, with peer: PubkyKey, _ peerReceiver: PaykitReceiverPath
    ) {
        self.user = user
        self.receiver = receiver
        self.peer = peer
        self.peerReceiver = peerReceiver
    }

    package enum Purpose: String, Sendable {
        case messages = "paykit-path-v0"
        case recovery = "paykit-link-recovery-v0"
    }

    package func folder(_ purpose: Purpose, agreement: [UInt8], writer: PubkyKey) -> String {
        // The same at both ends.
        let sides = [(user.text, receiver.text), (peer.text, peerReceiver.text)].sorted { $0 < $1 }
        let domain: [UInt8] = sides.flatMap { [0] + Array($0.0.utf8) + [0] + Array($0.1.utf8) }
        return Hex.encode(Digest.sha256.hash(Array(purpose.rawValue.utf8) + domain + agreement + writer.bytes))
    }

    package static func messages(_ receiver: PaykitReceiverPath, _ folder: String) -> String {
        "\(ReceiverDirectory.root)private/\(receiver)/messages/\(folder)/"
    }

    package static func marker(_ receiver: PaykitReceiverPath, _ folder: String) -> String {
        "\(ReceiverDirectory.root)private/\(receiver)/encrypted-link-recovery/\(folder)"
    }

    /// Returns true if `own` begins the handshake with `other`: the one whose text comes first. Nil if they are equal:
    /// a user has no link with themselves.
    package static func begins(_ own: PubkyKey, with other: PubkyKey) -> Bool? {
        own == other ? nil : own.text < other.text
    }
}
