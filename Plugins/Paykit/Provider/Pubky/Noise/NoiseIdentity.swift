import PaymentCrypto

/// A side's identity in a handshake: the user's key signs that the channel's key is theirs (Protocol 5.2).
///
/// There are two incompatible generations. A reader distinguishes them by their members.
package struct NoiseIdentity: Sendable, Hashable {
    package enum Generation: Sendable {
        case a, b
    }

    package enum Side: String, Sendable {
        case client = "Client"
        case server = "Server"
    }

    package struct Binding: Sendable {
        package let pattern: NoisePattern
        package let side: Side
        package let local: [UInt8]
        /// The other side's channel key, if the signer knows it.
        package let remote: [UInt8]?

        package init(_ pattern: NoisePattern, _ side: Side, local: [UInt8], remote: [UInt8]?) {
            self.pattern = pattern
            self.side = side
            self.local = local
            self.remote = remote
        }
    }

    package let key: PubkyKey
    package let generation: Generation
    /// The intended one of several services; not checked.
    package let hint: String?
    /// The time of its expiry: seconds since 1970.
    package let expiresAt: UInt64?

    package static let prologue = Array("pubky-noise-v1".utf8)
    package static let maximumHint = 256

    // MARK: Writing

    package static func text(
        of owner: PubkyKeyPair, _ binding: Binding, _ generation: Generation, hint: String? = nil,
        expiresAt: UInt64? = nil
    ) -> [UInt8] {
        let key = owner.publicKey
        let signature = owner.sign(digest(key, binding, generation, hint: hint, expiresAt: expiresAt))
        let isFirst = generation == .a
        let end = expiresAt.map { OrderedJSON.number($0) }
        return OrderedJSON.object([
            ("ed25519_pub", .numbers(key.bytes)), ("noise_x25519_pub", isFirst ? .numbers(binding.local) : nil),
            ("epoch", isFirst ? .number(0) : nil), ("role", .string(binding.side.rawValue)),
            ("server_hint", hint.map { .string($0) } ?? .null), ("expires_at", isFirst ? end : nil),
            ("hint_expires_at", isFirst ? nil : end), ("sig", .numbers(signature)),
        ]).bytes
    }

    // MARK: Reading

    /// Reads and checks the other side's identity. `text` is their payload of the handshake. `binding` is the keys of
    /// the handshake, from their side. `now` is seconds since 1970.
    package init(_ text: [UInt8], _ binding: Binding, now: UInt64) throws(WireDefect) {
        guard let json = try? JSONValue(parsing: text) else { throw WireDefect("an identity is not JSON") }
        func bytes(_ name: String, _ count: Int) throws(WireDefect) -> [UInt8] {
            guard let numbers = json[name]?.numbers(count) else {
                throw WireDefect("an identity has no \(name) of \(count) bytes")
            }
            return numbers
        }
        let key = try bytes("ed25519_pub", 32)
        do { self.key = try PubkyKey(bytes: key) } catch { throw WireDefect("\(error)") }
        generation = json["noise_x25519_pub"] == nil ? .b : .a
        hint = json["server_hint"]?.string
        guard (hint?.utf8.count ?? 0) <= Self.maximumHint else { throw WireDefect("an identity's hint is too long") }
        // In the second generation only the keys are signed.
        expiresAt = generation == .a ? json["expires_at"]?.uint64 : nil
        if generation == .a {
            guard try bytes("noise_x25519_pub", 32) == binding.local else {
                throw WireDefect("an identity names another key than the channel's")
            }
        }
        if let expiresAt, now > expiresAt { throw WireDefect("an identity is over") }
        let digest = Self.digest(self.key, binding, generation, hint: hint, expiresAt: expiresAt)
        guard Ed25519.isValid(try bytes("sig", 64), message: digest, publicKey: key) else {
            throw WireDefect("an identity was not signed by \(self.key) for this channel")
        }
    }

    package static func digest(
        _ key: PubkyKey, _ binding: Binding, _ generation: Generation, hint: String?, expiresAt: UInt64?
    ) -> [UInt8] {
        switch generation {
        case .a:
            var text = Array("pubky-noise-bind:v1".utf8) + Array(binding.pattern.rawValue.utf8) + prologue
            text += key.bytes + binding.local + (binding.remote ?? []) + [0, 0, 0, 0]
            text += Array((binding.side == .client ? "client" : "server").utf8) + Array((hint ?? "").utf8)
            if let expiresAt { text += Array("expires_at:".utf8) + expiresAt.bigEndianBytes.reversed() }
            return BLAKE2s.hash(text)
        case .b:
            return BLAKE3.hash(
                Array("pubky-noise-binding/v1".utf8) + key.bytes + binding.local
                    + [binding.side == .client ? 0 : 1] + (binding.remote ?? []))
        }
    }
}

/// The keys of a device's channels, derived from its owner's seed (Protocol 5.3). They reveal nothing of it.
package enum NoiseKeys {
    /// Returns the private X25519 key of a device. `seed` is the owner's Ed25519 seed. `device` is the bytes that
    /// distinguish the owner's devices: at least 16 in newer versions. `epoch` is the number of the device's key,
    /// increased each time it is changed.
    package static func device(seed: [UInt8], device: [UInt8], epoch: UInt32) -> [UInt8] {
        var key = HKDF.derive(
            .sha512, secret: seed, salt: Array("pubky-noise-x25519:v1".utf8),
            info: device + epoch.bigEndianBytes.reversed(), byteCount: 32)
        key[0] &= 248
        key[31] = key[31] & 127 | 64
        return key
    }
}
