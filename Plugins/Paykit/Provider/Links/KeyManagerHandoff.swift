public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a key manager leaves for a device on the user's homeserver, sealed to a key that the device made for this once:
/// a session, and the device's own keys for private channels (Protocol 1.6).
public struct KeyManagerHandoff: Sendable, Hashable {
    /// A key pair of the device, for one epoch (X25519).
    public struct KeyPair: Sendable, Hashable {
        /// The epoch.
        public let epoch: UInt32
        /// The private half: 32 bytes.
        public let secretKey: Redacted<[UInt8]>
        /// The public half: 32 bytes.
        public let publicKey: [UInt8]

        /// Creates a key pair.
        ///
        /// - Throws: ``PaykitNetworkError`` when these are no 32 bytes.
        public init(epoch: UInt32, secretKey: Redacted<[UInt8]>) throws(PaykitNetworkError) {
            guard let publicKey = try? X25519.publicKey(of: secretKey.reveal()) else {
                throw PaykitNetworkError(.validationFailed, "a device's key has 32 bytes")
            }
            self.epoch = epoch
            self.secretKey = secretKey
            self.publicKey = publicKey
        }
    }

    /// Whose session it is.
    public let user: PubkyKey
    /// The session, as ``PubkySession/exported`` has it.
    public let session: Redacted<String>
    /// What the session is said to be good for.
    public let capabilities: [PubkyCapability]
    /// The device that it is for, as it called itself.
    public let deviceID: String
    /// The device's keys, by epoch.
    public let keyPairs: [KeyPair]
    /// From what further keys are made; nil where the key manager gave nothing.
    public let noiseSeed: Redacted<[UInt8]>?
    /// Until when it may be taken.
    public let expiresAt: Date

    /// How long it may be taken.
    public static let lifetime = Duration.seconds(300)

    /// Creates a handoff.
    ///
    /// - Throws: ``PaykitNetworkError`` when the session is of somebody else.
    public init(
        of user: PubkyKey, session: Redacted<String>, _ capabilities: [PubkyCapability], to deviceID: String,
        keyPairs: [KeyPair], noiseSeed: Redacted<[UInt8]>? = nil, expiresAt: Date
    ) throws(PaykitNetworkError) {
        guard try PubkySession.read(session).0 == user else {
            throw PaykitNetworkError(
                .validationFailed, "the session that is handed off is of another user than \(user)")
        }
        self.user = user
        self.session = session
        self.capabilities = capabilities
        self.deviceID = deviceID
        self.keyPairs = keyPairs.sorted { $0.epoch < $1.epoch }
        self.noiseSeed = noiseSeed
        self.expiresAt = expiresAt
    }

    // MARK: As a file

    /// Where the file of a request lies.
    package static func path(_ requestID: String) -> String { PaykitDirectory.root + "handoff/" + requestID }

    private static func place(_ user: PubkyKey, _ requestID: String) -> SealedBlob.Place {
        .text("paykit:v0:handoff:\(user):\(path(requestID)):\(requestID)")
    }

    /// Opens what lies at the homeserver of `user`.
    ///
    /// - Parameter key: the private half of the key that the question named.
    package init(
        opening bytes: [UInt8], of user: PubkyKey, requestID: String, with key: Redacted<[UInt8]>
    ) throws(PaykitNetworkError) {
        let content: [UInt8]
        // What is not sealed is not read at all: anybody could read it, and somebody may have written it.
        do throws(WireDefect) {
            if let envelope = try Self.envelope(bytes) {
                content = try Self.open(envelope, of: user, requestID: requestID, with: key)
            } else {
                content = try SealedBlob(parsing: bytes).open(key.reveal(), at: Self.place(user, requestID))
            }
        } catch {
            throw PaykitNetworkError(.invalidCredentials, "what was left for this device cannot be opened: \(error)")
        }
        try self.init(reading: content, of: user)
    }

    /// The envelope in the wrapping of later versions; nil for a file that is no such wrapping.
    private static func envelope(_ bytes: [UInt8]) throws(WireDefect) -> SealedEnvelope? {
        guard bytes.count <= 2 * SealedBlob.maximumLength, let wrapped = try? JSONValue(parsing: bytes)["sb2"] else {
            return nil
        }
        // Which of the two alphabets is written, nobody has said.
        let text = wrapped.string?.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        guard let envelope = text.flatMap({ Base64URL.decode($0) }) else {
            throw WireDefect("a wrapped envelope is no base64")
        }
        return try SealedEnvelope(parsing: envelope)
    }

    /// Opens what only the user may have left: nobody else writes to their homeserver.
    private static func open(
        _ envelope: SealedEnvelope, of user: PubkyKey, requestID: String, with key: Redacted<[UInt8]>
    ) throws(WireDefect) -> [UInt8] {
        let path = path(requestID)
        let content = try envelope.open(key.reveal(), owner: user, path: path)
        guard envelope.sender == user, envelope.signature == nil || envelope.isSigned(owner: user, path: path) else {
            throw WireDefect("an envelope is from another sender")
        }
        return content
    }

    /// Reads what was sealed. Whoever knows the device's key can have sealed it: nothing is believed but what fits
    /// together.
    package init(reading content: [UInt8], of user: PubkyKey) throws(PaykitNetworkError) {
        let unreadable = PaykitNetworkError(.invalidData, "what was left for this device cannot be read; ask again")
        guard let json = try? JSONValue(parsing: content), json["version"]?.uint64 == 1,
            let name = json["pubky"]?.string, let owner = try? PubkyKey(name), owner == user,
            let session = json["session_secret"]?.string, let device = json["device_id"]?.string,
            let end = json["expires_at"]?.uint64, let names = Self.list(json["capabilities"])?.map(\.string),
            !names.contains(nil),
            let capabilities = try? PubkyCapability.list(names.compactMap(\.self).joined(separator: ",")),
            let pairs = Self.list(json["noise_keypairs"])
        else { throw unreadable }
        var keyPairs: [KeyPair] = []
        for entry in pairs {
            guard let epoch = entry["epoch"]?.uint64.flatMap({ UInt32(exactly: $0) }),
                !keyPairs.contains(where: { $0.epoch == epoch }),
                let secret = entry["secret_key"]?.string.flatMap(Hex.decode)
            else { throw unreadable }
            let pair = try KeyPair(epoch: epoch, secretKey: Redacted(secret))
            guard entry["public_key"].map({ $0.string.flatMap(Hex.decode) == pair.publicKey }) ?? true else {
                throw unreadable
            }
            keyPairs.append(pair)
        }
        var seed: Redacted<[UInt8]>?
        if let value = json["noise_seed"], !value.isNull {
            // A device that took no seed for the one that it was given would make other keys than it is expected to
            // have.
            guard let bytes = value.string.flatMap(Hex.decode), bytes.count == 32 else { throw unreadable }
            seed = Redacted(bytes)
        }
        try self.init(
            of: user, session: Redacted(session), capabilities, to: device, keyPairs: keyPairs, noiseSeed: seed,
            // Milliseconds, in later versions seconds.
            expiresAt: Date(timeIntervalSince1970: Double(end) / (end > 100_000_000_000 ? 1000 : 1)))
    }

    /// The entries of a list, none where it is missing; nil where it is something else.
    private static func list(_ value: JSONValue?) -> [JSONValue]? {
        guard let value, !value.isNull else { return [] }
        return value.array
    }

    /// The file that only the device can open that made `recipient`.
    package func sealed(
        for recipient: [UInt8], requestID: String, at now: Date, _ random: any RandomSource
    ) throws(PaykitNetworkError) -> [UInt8] {
        let draws = (0..<7).flatMap { _ in random.next().bigEndianBytes }
        do {
            return try SealedBlob(
                Array(content(at: now).utf8), for: recipient, at: Self.place(user, requestID), purpose: "handoff",
                ephemeral: Array(draws[..<32]), nonce: Array(draws[32...])
            ).wire
        } catch { throw PaykitNetworkError(.validationFailed, "nothing can be handed off to this device: \(error)") }
    }

    /// The JSON text that is sealed.
    package func content(at now: Date) -> String {
        OrderedJSON.object([
            ("version", "1"), ("pubky", OrderedJSON.string(user.text)),
            ("session_secret", OrderedJSON.string(session.reveal())),
            ("capabilities", OrderedJSON.array(capabilities.map { OrderedJSON.string($0.text) })),
            ("device_id", OrderedJSON.string(deviceID)),
            (
                "noise_keypairs",
                OrderedJSON.array(
                    keyPairs.map { pair in
                        OrderedJSON.object([
                            ("epoch", "\(pair.epoch)"), ("public_key", OrderedJSON.string(Hex.encode(pair.publicKey))),
                            ("secret_key", OrderedJSON.string(Hex.encode(pair.secretKey.reveal()))),
                        ])
                    })
            ),
            ("noise_seed", noiseSeed.map { OrderedJSON.string(Hex.encode($0.reveal())) }),
            ("created_at", "\(now.microseconds / 1000)"), ("expires_at", "\(expiresAt.microseconds / 1000)"),
        ])
    }
}
