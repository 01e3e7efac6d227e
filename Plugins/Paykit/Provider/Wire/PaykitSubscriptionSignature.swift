import PaymentCrypto

/// A user's signature of a subscription (Protocol 6.2).
public struct PaykitSubscriptionSignature: Sendable, Hashable {
    /// 64 bytes.
    public let signature: [UInt8]
    /// The signer. ``verify(_:by:at:)`` checks that it is one of the two sides.
    public let publicKey: PubkyKey
    /// 32 random bytes, different for each signature.
    public let nonce: [UInt8]
    /// The time of the signature: seconds since 1970.
    public let timestamp: Int64
    /// The time of its expiry: seconds since 1970.
    public let expiresAt: Int64

    /// The lifetime of a signature if none is given, in seconds.
    public static let lifetime: Int64 = 7 * 86_400
    /// The largest tolerated difference between two clocks, in seconds.
    static let skew: Int64 = 300
    private static let domain = "PAYKIT_SUBSCRIPTION_V2"
}

extension PaykitSubscriptionSignature {
    /// Signs a subscription. `pair` is the key pair of one of the two sides. `random` draws the nonce. `now` is
    /// seconds since 1970. `lifetime` is the lifetime of the signature, in seconds.
    ///
    /// - Throws: ``PaykitSubscriptionDefect/foreignKey``, and ``PaykitSubscriptionDefect/field(_:_:)`` for metadata
    ///   with values other than texts, whose type the signed bytes do not contain.
    public init(
        of subscription: PaykitSubscription, by pair: PubkyKeyPair, random: any RandomSource, at now: Int64,
        lifetime: Int64 = lifetime
    ) throws(PaykitSubscriptionDefect) {
        let nonce = random.bytes(32)
        let (end, isOver) = now.addingReportingOverflow(max(0, lifetime))
        try self.init(of: subscription, by: pair, nonce: nonce, timestamp: now, expiresAt: isOver ? .max : end)
    }

    package init(
        of subscription: PaykitSubscription, by pair: PubkyKeyPair, nonce: [UInt8], timestamp: Int64, expiresAt: Int64
    ) throws(PaykitSubscriptionDefect) {
        guard [subscription.subscriber, subscription.provider].contains(pair.publicKey) else { throw .foreignKey }
        guard subscription.metadata.object?.values.allSatisfy({ $0.string != nil }) ?? false else {
            throw .field("metadata", "holds texts only, so that it can be signed")
        }
        self.init(
            signature: pair.sign(
                Digest.sha256.hash(
                    Self.signedBytes(subscription, nonce: nonce, timestamp: timestamp, expiresAt: expiresAt))),
            publicKey: pair.publicKey, nonce: nonce, timestamp: timestamp, expiresAt: expiresAt)
    }

    /// Checks that the signature is this side's, of this subscription, and valid `now` (seconds since 1970).
    ///
    /// - Throws: ``PaykitSubscriptionDefect``.
    public func verify(
        _ subscription: PaykitSubscription, by signer: PubkyKey, at now: Int64
    ) throws(PaykitSubscriptionDefect) {
        // Paykit's library does not check the key's owner, and so accepts any user's signature for the subscriber's.
        guard publicKey == signer else { throw .foreignKey }
        guard nonce.count == 32, timestamp <= expiresAt else { throw .signature }
        let bytes = Self.signedBytes(subscription, nonce: nonce, timestamp: timestamp, expiresAt: expiresAt)
        guard
            Ed25519.isValid(signature, message: Digest.sha256.hash(bytes), publicKey: publicKey.bytes)
        else { throw .signature }
        guard now <= expiresAt else { throw .expiredSignature }
        // A foreign number: the difference may overflow.
        let (ahead, isTooFar) = timestamp.subtractingReportingOverflow(now)
        guard timestamp <= now || (!isTooFar && ahead <= Self.skew) else { throw .futureSignature }
    }

    // MARK: Forms

    /// The JSON text: bytes as lists of numbers.
    var json: OrderedJSON {
        .object([
            ("signature", .numbers(signature)), ("public_key", .numbers(publicKey.bytes)),
            ("nonce", .numbers(nonce)), ("timestamp", .number(timestamp)), ("expires_at", .number(expiresAt)),
        ])
    }

    package init(_ json: JSONValue) throws(WireDefect) {
        guard let signature = json["signature"]?.numbers(64), let nonce = json["nonce"]?.numbers(32),
            let timestamp = json["timestamp"]?.int64, let end = json["expires_at"]?.int64
        else { throw WireDefect("a signature is not 64 bytes with a nonce of 32, and two dates") }
        self.init(
            signature: signature, publicKey: try json.user("public_key"), nonce: nonce, timestamp: timestamp,
            expiresAt: end)
    }

    /// Returns the bytes that are hashed and signed (Protocol 6.2).
    package static func signedBytes(
        _ subscription: PaykitSubscription, nonce: [UInt8], timestamp: Int64, expiresAt: Int64
    ) -> [UInt8] {
        let terms = subscription.terms
        func optional(_ bytes: [UInt8]?) -> [UInt8] { bytes.map { [1] + $0 } ?? [0] }
        var bytes = Postcard.string(domain) + Postcard.string(subscription.id)
        bytes += subscription.subscriber.bytes + subscription.provider.bytes
        bytes += Postcard.string(terms.amount) + Postcard.string(terms.currency) + terms.frequency.signedBytes
        bytes += Postcard.string(terms.methodID) + optional(terms.maximumPerPeriod.map { Postcard.string($0) })
        bytes += Postcard.string(terms.description) + Postcard.untagged(subscription.metadata)
        bytes += Postcard.varint(signed: subscription.createdAt) + Postcard.varint(signed: subscription.startsAt)
        bytes += optional(subscription.endsAt.map { Postcard.varint(signed: $0) })
        return bytes + nonce + Postcard.varint(signed: timestamp) + Postcard.varint(signed: expiresAt)
    }
}

extension Postcard {
    /// Returns the bytes of a JSON value without its type, as Rust's serializer writes it.
    static func untagged(_ value: JSONValue) -> [UInt8] {
        switch value {
        case .null: []
        case .bool(let flag): [flag ? 1 : 0]
        case .number(let number):
            if let whole = number.uint64 {
                varint(whole)
            } else if let whole = number.int64 {
                varint(signed: whole)
            } else {
                (number.double ?? 0).bitPattern.bigEndianBytes.reversed()
            }
        case .string(let text): string(text)
        case .array(let values): varint(UInt64(values.count)) + values.flatMap { untagged($0) }
        case .object(let members):
            varint(UInt64(members.count))
                + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap {
                    string($0.key) + untagged($0.value)
                }
        }
    }
}

/// A subscription with its signatures so far.
public struct PaykitSignedSubscription: Sendable, Hashable {
    /// The signed subscription.
    public let subscription: PaykitSubscription
    /// The payer's signature; nil before they signed.
    public var subscriberSignature: PaykitSubscriptionSignature?
    /// The payee's signature; nil before they signed.
    public var providerSignature: PaykitSubscriptionSignature?

    /// Creates a signed subscription. Nothing is verified.
    public init(
        _ subscription: PaykitSubscription, subscriberSignature: PaykitSubscriptionSignature? = nil,
        providerSignature: PaykitSubscriptionSignature? = nil
    ) {
        self.subscription = subscription
        self.subscriberSignature = subscriberSignature
        self.providerSignature = providerSignature
    }

    package var text: String { json.text }

    var json: OrderedJSON {
        .object([
            ("subscription", subscription.json), ("subscriber_signature", subscriberSignature?.json ?? .null),
            ("provider_signature", providerSignature?.json ?? .null),
        ])
    }

    package init(_ json: JSONValue) throws(WireDefect) {
        func signature(_ name: String) throws(WireDefect) -> PaykitSubscriptionSignature? {
            guard let value = json[name], !value.isNull else { return nil }
            return try PaykitSubscriptionSignature(value)
        }
        self.init(
            try PaykitSubscription(json["subscription"] ?? .null),
            subscriberSignature: try signature("subscriber_signature"),
            providerSignature: try signature("provider_signature"))
    }
}

/// The used signatures: none is accepted twice. Bounded by time, because an expired one is refused anyway.
public struct PaykitNonces: Sendable, Hashable {
    private struct Use: Sendable, Hashable {
        let key: PubkyKey
        let nonce: [UInt8]
    }

    private var ends: [Use: Int64] = [:]

    func has(_ signature: PaykitSubscriptionSignature) -> Bool {
        ends[Use(key: signature.publicKey, nonce: signature.nonce)] != nil
    }

    /// Creates an empty memory.
    public init() {}

    /// Records a signature that was verified. `now` is seconds since 1970.
    ///
    /// - Throws: ``PaykitSubscriptionDefect/usedNonce`` when it was recorded before.
    public mutating func use(_ signature: PaykitSubscriptionSignature, at now: Int64) throws(PaykitSubscriptionDefect) {
        ends = ends.filter { now <= $0.value }
        let use = Use(key: signature.publicKey, nonce: signature.nonce)
        guard ends[use] == nil else { throw .usedNonce }
        ends[use] = signature.expiresAt
    }
}

extension PaykitNonces: Codable {
    private struct Stored: Codable {
        let key: String
        let nonce: String
        let end: Int64
    }

    /// Reads what was stored.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        for stored in try [Stored](from: decoder) {
            guard let key = try? PubkyKey(bare: stored.key), let nonce = Hex.decode(stored.nonce) else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no nonce"))
            }
            ends[Use(key: key, nonce: nonce)] = stored.end
        }
    }

    /// Writes what has to be stored, so that no signature is accepted twice after a restart.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try ends.map { Stored(key: $0.key.key.text, nonce: Hex.encode($0.key.nonce), end: $0.value) }
            .sorted { ($0.key, $0.nonce) < ($1.key, $1.nonce) }.encode(to: encoder)
    }
}
