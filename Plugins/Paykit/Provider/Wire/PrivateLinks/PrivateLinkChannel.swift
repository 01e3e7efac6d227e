import PaymentCrypto

/// A link whose handshake is done. The numbers of files and of encrypted messages are counted apart, in both
/// directions. A value: it is stored before a file is written, and together with each message that was read.
package struct PrivateLinkChannel: Sendable {
    package static let firstSlot: UInt32 = 3

    /// The progress of both directions: the state of a channel to store next to its handshake.
    package struct Place: Sendable, Hashable, Codable {
        package fileprivate(set) var writeSlot = PrivateLinkChannel.firstSlot
        package fileprivate(set) var readSlot = PrivateLinkChannel.firstSlot
        package fileprivate(set) var sent: UInt64 = 0
        package fileprivate(set) var received: UInt64 = 0

        package init() {}
    }

    /// The id, known to both sides only.
    package let id: [UInt8]
    package private(set) var place: Place
    private var sending: NoiseCipher
    private var receiving: NoiseCipher

    package init(_ handshake: NoiseHandshake, _ place: Place = Place()) throws(NoiseError) {
        let channel = try handshake.channel()
        self.place = place
        id = channel.binding
        sending = channel.sending.at(place.sent)
        receiving = channel.receiving.at(place.received)
    }

    /// A file to be written at its number, and never another there: repetitions send these bytes.
    package struct Prepared: Sendable, Hashable {
        package let slot: UInt32
        package let file: [UInt8]
    }

    /// Encrypts the next message. The caller stores the channel and the file before it writes the file: another message
    /// with the same number would reveal both.
    package mutating func prepare(_ message: [UInt8]) throws(NoiseError) -> Prepared {
        guard place.writeSlot < .max - 1 else { throw .exhausted }
        let file = try PrivateLinkForm.seal(message, with: &sending)
        defer { place.writeSlot += 1 }
        place.sent = sending.count
        return Prepared(slot: place.writeSlot, file: file)
    }

    /// Reads the next file. A file that cannot be read changes nothing. The link then has to be established again.
    package mutating func read(_ file: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard place.readSlot < .max - 1 else { throw .exhausted }
        var cipher = receiving
        let message = try PrivateLinkForm.open(file, with: &cipher)
        receiving = cipher
        place.received = cipher.count
        place.readSlot += 1
        return message
    }
}

/// The form of a link's encrypted messages in files, as released wallets have it: a length before the encrypted message
/// (N1, Protocol 12.2). Neither a file nor its path reveals its form.
package enum PrivateLinkForm {
    package static let fileLength = 1018
    package static let maximumMessage = 1000
    package static let suite = NoiseSuite(.xx, .sha256)

    /// The message for people if a peer uses a form that is not supported here.
    package static let laterForm =
        "the other app encrypts private messages in a newer way than this app can: pay in another way, or update this app"

    /// Returns the file of a message of the handshake, which later forms write alike, or of an encrypted one.
    package static func file(of message: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard message.count <= fileLength - 2 else { throw .length }
        return UInt16(message.count).bigEndianBytes + message
            + [UInt8](repeating: 0, count: fileLength - 2 - message.count)
    }

    package static func message(in file: [UInt8]) throws(NoiseError) -> [UInt8] {
        // Other libraries trap on a file that is too short; only zeros may follow the message.
        guard 2...fileLength ~= file.count else { throw .length }
        let count = Int(file[0]) << 8 | Int(file[1])
        guard count <= file.count - 2, file.dropFirst(2 + count).allSatisfy({ $0 == 0 }) else { throw .length }
        return Array(file.dropFirst(2).prefix(count))
    }

    static func seal(_ message: [UInt8], with cipher: inout NoiseCipher) throws(NoiseError) -> [UInt8] {
        guard message.count <= maximumMessage else { throw .length }
        return try self.file(of: cipher.seal(message))
    }

    static func open(_ file: [UInt8], with cipher: inout NoiseCipher) throws(NoiseError) -> [UInt8] {
        let message = try cipher.open(self.message(in: file))
        guard message.count <= maximumMessage else { throw .length }
        // Older readers cut zeros at the end, and writers may rely on it.
        return Array(message.reversed().drop { $0 == 0 }.reversed())
    }
}

/// The key pair of an app's private links (Protocol 12.1): 32 bytes, used in two ways whose public halves differ. It is
/// made once for a receiver and never changed silently: a peer whose key changes can no longer be read.
package struct PrivateLinkKeys: Sendable {
    private let secret: Redacted<[UInt8]>
    /// The published key (Ed25519). Folders are derived from it.
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

/// The two users' apps that a link connects. The place of its files is derived from them (Protocol 12.2).
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
