import PaymentCrypto

/// The session and the device's keys for private channels that a key manager leaves on the user's homeserver, sealed to
/// a one-time key of the device (Protocol 1.6).
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
        /// - Throws: ``PaykitNetworkError`` if the secret key does not have 32 bytes.
        public init(epoch: UInt32, secretKey: Redacted<[UInt8]>) throws(PaykitNetworkError) {
            guard let publicKey = try? X25519.publicKey(of: secretKey.reveal()) else {
                throw PaykitNetworkError(.validationFailed, "a device's key has 32 bytes")
            }
            self.epoch = epoch
            self.secretKey = secretKey
            self.publicKey = publicKey
        }
    }

    /// The owner of the session.
    public let user: PubkyKey
    /// The session, as ``PubkySession/exported`` has it.
    public let session: Redacted<String>
    /// The claimed capabilities of the session.
    public let capabilities: [PubkyCapability]
    /// The device that the handoff is for, by the name that it gave.
    public let deviceID: String
    /// The device's keys, by epoch.
    public let keyPairs: [KeyPair]
    /// The seed of further keys; nil if the key manager provides no seed.
    public let noiseSeed: Redacted<[UInt8]>?
    /// The time after which the handoff is invalid.
    public let expiresAt: Date

    /// The lifetime of a handoff.
    public static let lifetime = Duration.seconds(300)

    /// Creates a handoff.
    ///
    /// - Throws: ``PaykitNetworkError`` when the session belongs to another user.
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

    package static func path(_ requestID: String) -> String { PaykitDirectory.root + "handoff/" + requestID }

    private static func place(_ user: PubkyKey, _ requestID: String) -> SealedBlob.Place {
        .text("paykit:v0:handoff:\(user):\(path(requestID)):\(requestID)")
    }

    /// Opens the file at the homeserver of `user`. `key` is the private half of the key in the question.
    package init(
        opening bytes: [UInt8], of user: PubkyKey, requestID: String, with key: Redacted<[UInt8]>
    ) throws(PaykitNetworkError) {
        let content: [UInt8]
        // An unsealed file is rejected: its content is public, and its author unknown.
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

    /// The envelope in the wrapping of later versions; nil for a file without this wrapping.
    private static func envelope(_ bytes: [UInt8]) throws(WireDefect) -> SealedEnvelope? {
        guard bytes.count <= 2 * SealedBlob.maximumLength, let wrapped = try? JSONValue(parsing: bytes)["sb2"] else {
            return nil
        }
        // The documentation does not say which of the two alphabets is used.
        let text = wrapped.string?.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        guard let envelope = text.flatMap({ Base64URL.decode($0) }) else {
            throw WireDefect("a wrapped envelope is no base64")
        }
        return try SealedEnvelope(parsing: envelope)
    }

    /// Opens a file that only the user can have left: no other user can write to their storage.
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

    /// Reads the opened content. Anyone with the device's public key can have sealed it: its parts must fit together.
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
            // A device without the given seed would derive other keys than expected.
            guard let bytes = value.string.flatMap(Hex.decode), bytes.count == 32 else { throw unreadable }
            seed = Redacted(bytes)
        }
        try self.init(
            of: user, session: Redacted(session), capabilities, to: device, keyPairs: keyPairs, noiseSeed: seed,
            // In milliseconds, or in later versions in seconds.
            expiresAt: Date(timeIntervalSince1970: Double(end) / (end > 100_000_000_000 ? 1000 : 1)))
    }

    /// Returns the entries of a list: empty if it is missing, nil for any other value.
    private static func list(_ value: JSONValue?) -> [JSONValue]? {
        guard let value, !value.isNull else { return [] }
        return value.array
    }

    /// Returns the file, sealed so that only the device with the public key `recipient` can open it.
    package func sealed(
        for recipient: [UInt8], requestID: String, at now: Date, _ random: any RandomSource
    ) throws(PaykitNetworkError) -> [UInt8] {
        let draws = random.bytes(56)
        do {
            return try SealedBlob(
                Array(content(at: now).utf8), for: recipient, at: Self.place(user, requestID), purpose: "handoff",
                ephemeral: Array(draws[..<32]), nonce: Array(draws[32...])
            ).wire
        } catch { throw PaykitNetworkError(.validationFailed, "nothing can be handed off to this device: \(error)") }
    }

    package func content(at now: Date) -> String {
        let pairs = keyPairs.map { pair in
            OrderedJSON.object([
                ("epoch", .number(pair.epoch)), ("public_key", .string(Hex.encode(pair.publicKey))),
                ("secret_key", .string(Hex.encode(pair.secretKey.reveal()))),
            ])
        }
        return OrderedJSON.object([
            ("version", .number(1)), ("pubky", .string(user.text)), ("session_secret", .string(session.reveal())),
            ("capabilities", .array(capabilities.map { .string($0.text) })), ("device_id", .string(deviceID)),
            ("noise_keypairs", .array(pairs)), ("noise_seed", noiseSeed.map { .string(Hex.encode($0.reveal())) }),
            ("created_at", .number(now.microseconds / 1000)), ("expires_at", .number(expiresAt.microseconds / 1000)),
        ]).text
    }
}
