package import PaymentCrypto

/// A file that only one device can read, as JSON (Protocol 5.4).
package struct SealedBlob: Sendable, Hashable {
    package enum Version: UInt64, Sendable {
        case one = 1
        case two = 2

        var info: String { self == .one ? "paykit-sealed-blob-v1" : "pubky-envelope/v2" }
        package var nonceLength: Int { self == .one ? ChaCha20Poly1305.nonceLength : XChaCha20Poly1305.nonceLength }
    }

    /// The place that a blob is bound to: in another it cannot be opened.
    package enum Place: Sendable, Hashable {
        /// A text that both sides know.
        case text(String)
        /// A file of a user: only in the second version.
        case file(owner: PubkyKey, path: String)
    }

    package let version: Version
    /// The public half of the key that was made for this blob alone.
    package let ephemeral: [UInt8]
    package let nonce: [UInt8]
    package let ciphertext: [UInt8]
    /// The beginning of the SHA-256 of the recipient's key.
    package let recipient: String?
    package let purpose: String?
    /// The sender's claim about themselves. Only a signature vouches for it.
    package let sender: String?
    package let signature: [UInt8]?

    package static let maximumLength = 65_536

    // MARK: Reading

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        guard bytes.count <= 2 * Self.maximumLength, let json = try? JSONValue(parsing: bytes),
            let version = json["v"]?.uint64.flatMap(Version.init)
        else { throw WireDefect("a file is not sealed") }
        func decoded(_ name: String) throws(WireDefect) -> [UInt8] {
            guard let bytes = json[name]?.string.flatMap({ Base64URL.decode($0) }) else {
                throw WireDefect("a sealed blob has no \(name)")
            }
            return bytes
        }
        self.version = version
        ephemeral = try decoded("epk")
        nonce = try decoded("nonce")
        ciphertext = try decoded("ct")
        recipient = json["kid"]?.string
        purpose = json["purpose"]?.string
        sender = json["sender"]?.string
        signature = json["sig"] == nil ? nil : try decoded("sig")
        guard ephemeral.count == X25519.keyLength, nonce.count == version.nonceLength,
            16...Self.maximumLength + 16 ~= ciphertext.count, signature.map({ $0.count == 64 }) ?? true
        else { throw WireDefect("a part of a sealed blob has another length") }
    }

    package func open(_ key: [UInt8], at place: Place) throws(WireDefect) -> [UInt8] {
        guard let key = SealedKeys.opening(ephemeral, with: key, version.info)
        else { throw WireDefect("a sealed blob cannot be opened with this key") }
        let bound = Self.associated(
            version, place, recipient: recipient, nonce: nonce, purpose: purpose, ephemeral: ephemeral)
        for data in bound { if let content = try? open(key, data) { return content } }
        throw WireDefect("a sealed blob was changed, moved, or is for another recipient")
    }

    package func isSigned(by key: PubkyKey) -> Bool {
        guard let signature else { return false }
        return Ed25519.isValid(signature, message: Self.signable(ephemeral, nonce, ciphertext), publicKey: key.bytes)
    }

    // MARK: Writing

    /// Seals `content` for the owner of the X25519 key `recipient`. `ephemeral` is 32 random bytes, used for this blob
    /// alone. `nonce` is random bytes, as many as the version requires. `signer` is the signing key, and the name to
    /// claim.
    package init(
        _ content: [UInt8], for recipient: [UInt8], at place: Place, purpose: String? = nil, _ version: Version = .two,
        ephemeral: [UInt8], nonce: [UInt8], signer: (key: PubkyKeyPair, name: String)? = nil
    ) throws(WireDefect) {
        guard content.count <= Self.maximumLength else {
            throw WireDefect("a sealed blob holds at most \(Self.maximumLength) bytes")
        }
        let (publicHalf, key) = try SealedKeys.sealing(ephemeral, for: recipient, version.info)
        self.version = version
        self.ephemeral = publicHalf
        self.nonce = nonce
        self.purpose = purpose
        let digest = Digest.sha256.hash(recipient)
        self.recipient = Hex.encode(Array(digest.prefix(version == .one ? 8 : 16)))
        let data = Self.associated(
            version, place, recipient: self.recipient, nonce: nonce, purpose: purpose, ephemeral: publicHalf)[0]
        do {
            ciphertext =
                version == .one
                ? try ChaCha20Poly1305.seal(content, key: key, nonce: nonce, authenticating: data)
                : try XChaCha20Poly1305.seal(content, key: key, nonce: nonce, authenticating: data)
        } catch { throw WireDefect("nothing can be sealed: \(error)") }
        sender = signer?.name
        signature = signer?.key.sign(Self.signable(publicHalf, nonce, ciphertext))
    }

    /// The blob's JSON, its members in the order of other writers.
    package var wire: [UInt8] {
        OrderedJSON.object([
            ("v", .number(version.rawValue)), ("epk", .base64(ephemeral)), ("nonce", .base64(nonce)),
            ("ct", .base64(ciphertext)), ("kid", recipient.map { .string($0) }),
            ("purpose", purpose.map { .string($0) }), ("sender", sender.map { .string($0) }),
            ("sig", signature.map { .base64($0) }),
        ]).bytes
    }

    // MARK: Associated data

    /// Returns the data that may have been bound: the first is the current form, the others are older ones.
    private static func associated(
        _ version: Version, _ place: Place, recipient: String?, nonce: [UInt8], purpose: String?, ephemeral: [UInt8]
    ) -> [[UInt8]] {
        guard case .file(let owner, let path) = place else {
            if case .text(let text) = place { return [Array(text.utf8)] }
            return []
        }
        var entries: [UInt64: CBORValue] = [5: .bytes(nonce), 8: .bytes(ephemeral)]
        if let purpose { entries[6] = .text(purpose) }
        let kid = recipient.flatMap(Hex.decode) ?? []
        entries[3] = .bytes(kid + [UInt8](repeating: 0, count: max(0, 16 - kid.count)))
        let bound = Array("pubky-envelope/v2:".utf8) + owner.bytes + Array(path.utf8)
        var older =
            "{\"epk\":\"\(Base64URL.encode(ephemeral))\",\"kid\":\"\(recipient ?? "")\",\"nonce\":\"\(Base64URL.encode(nonce))\""
        if let purpose { older += ",\"purpose\":\(JSONValue.string(purpose).text)" }
        return [bound + CBORMap(entries).wire, bound + Array("\(older),\"v\":2}".utf8)]
    }

    private static func signable(_ ephemeral: [UInt8], _ nonce: [UInt8], _ ciphertext: [UInt8]) -> [UInt8] {
        Array("pubky-envelope-sig/v2:".utf8) + ephemeral + nonce + ciphertext
    }

    private func open(_ key: [UInt8], _ data: [UInt8]) throws -> [UInt8] {
        switch version {
        case .one: try ChaCha20Poly1305.open(ciphertext, key: key, nonce: nonce, authenticating: data)
        case .two: try XChaCha20Poly1305.open(ciphertext, key: key, nonce: nonce, authenticating: data)
        }
    }
}

/// The keys of sealed files: from one X25519 key that was made for the file alone, and the recipient's.
package enum SealedKeys {
    /// Returns the key of a file that was made with `ephemeral`, for the recipient with the private key `own`.
    static func opening(_ ephemeral: [UInt8], with own: [UInt8], _ info: String) -> [UInt8]? {
        guard let secret = try? X25519.sharedSecret(own, with: ephemeral),
            let recipient = try? X25519.publicKey(of: own)
        else { return nil }
        return derive(secret, ephemeral, recipient, info: info)
    }

    /// Returns the public half of `ephemeral`, and the key of a file that is made with it for `recipient`.
    package static func sealing(
        _ ephemeral: [UInt8], for recipient: [UInt8], _ info: String
    ) throws(WireDefect) -> (publicHalf: [UInt8], key: [UInt8]) {
        guard let publicHalf = try? X25519.publicKey(of: ephemeral),
            let secret = try? X25519.sharedSecret(ephemeral, with: recipient)
        else { throw WireDefect("nothing can be sealed for this key") }
        return (publicHalf, derive(secret, publicHalf, recipient, info: info))
    }

    private static func derive(_ secret: [UInt8], _ ephemeral: [UInt8], _ recipient: [UInt8], info: String) -> [UInt8] {
        HKDF.derive(.sha256, secret: secret, salt: ephemeral + recipient, info: Array(info.utf8), byteCount: 32)
    }
}

/// A file that only one device can read, in the binary form `SB2` (Protocol 5.4).
package struct SealedEnvelope: Sendable, Hashable {
    /// The header's entries by their numbers, except the signature.
    package let header: CBORMap
    package let signature: [UInt8]?
    package let ciphertext: [UInt8]

    package enum Key {
        package static let context: UInt64 = 0
        package static let recipientID: UInt64 = 3
        package static let nonce: UInt64 = 5
        package static let recipient: UInt64 = 7
        package static let ephemeral: UInt64 = 8
        package static let sender: UInt64 = 9
        package static let signature: UInt64 = 10
    }

    package static let magic = Array("SB2".utf8) + [2]
    package static let info = SealedBlob.Version.two.info
    package static let maximumHeader = 2048

    // MARK: Reading

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        guard try reader.bytes(4) == Self.magic else { throw WireDefect("an envelope does not say that it is one") }
        let count = Int(try reader.uint16())
        guard count <= Self.maximumHeader else { throw WireDefect("an envelope's header is too long") }
        let map = try CBORMap(parsing: try reader.bytes(count))
        let lengths: [UInt64: Int] = [
            Key.context: 32, Key.recipientID: 16, Key.nonce: 24, Key.recipient: 32, Key.ephemeral: 32, Key.sender: 32,
        ]
        for (key, length) in lengths {
            guard map[key]?.bytes?.count == length else { throw WireDefect("an envelope has no entry \(key)") }
        }
        if let entry = map[Key.signature] {
            guard let bytes = entry.bytes, bytes.count == 64 else {
                throw WireDefect("an envelope's signature is malformed")
            }
            signature = bytes
        } else {
            signature = nil
        }
        var unsigned = map
        unsigned.entries[Key.signature] = nil
        header = unsigned
        ciphertext = reader.rest()
        guard 16...SealedBlob.maximumLength + 16 ~= ciphertext.count else { throw WireDefect("an envelope is cut off") }
    }

    /// The sender; proven by ``isSigned(owner:path:)`` only.
    package var sender: PubkyKey? { header[Key.sender]?.bytes.flatMap { try? PubkyKey(bytes: $0) } }

    package func open(_ key: [UInt8], owner: PubkyKey, path: String) throws(WireDefect) -> [UInt8] {
        guard let key = SealedKeys.opening(header[Key.ephemeral]?.bytes ?? [], with: key, Self.info),
            let content = try? XChaCha20Poly1305.open(
                ciphertext, key: key, nonce: header[Key.nonce]?.bytes ?? [],
                authenticating: Self.associated(owner, path, header))
        else { throw WireDefect("an envelope was changed, moved, or is for another recipient") }
        return content
    }

    package func isSigned(owner: PubkyKey, path: String) -> Bool {
        guard let signature, let sender else { return false }
        return Ed25519.isValid(
            signature, message: Self.signable(owner, path, header: header, ciphertext: ciphertext),
            publicKey: sender.bytes)
    }

    package static func associated(_ owner: PubkyKey, _ path: String, _ header: CBORMap) -> [UInt8] {
        Array("pubky-envelope/v2:".utf8) + owner.bytes + Array(path.utf8) + header.wire
    }

    package static func signable(_ owner: PubkyKey, _ path: String, header: CBORMap, ciphertext: [UInt8]) -> [UInt8] {
        BLAKE3.hash(Array("pubky-envelope-sig/v2".utf8) + associated(owner, path, header) + header.wire + ciphertext)
    }
}

/// A map of CBOR with numbers as keys, and numbers, bytes and texts as values: all that headers of sealed blobs
/// require. Only the one deterministic form is written and read.
package struct CBORMap: Sendable, Hashable {
    package var entries: [UInt64: CBORValue]

    private static let most = 16

    package init(_ entries: [UInt64: CBORValue]) { self.entries = entries }

    package subscript(_ key: UInt64) -> CBORValue? { entries[key] }

    package var wire: [UInt8] { CBORValue.map(entries.map { (.unsigned($0.key), $0.value) }).wire }

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        guard case .map(let items)? = try? CBORValue(parsing: bytes), items.count <= Self.most else {
            throw WireDefect("a header is no small map")
        }
        entries = [:]
        for (key, value) in items {
            guard let key = key.unsigned else { throw WireDefect("a header's keys are not numbers") }
            guard value.unsigned != nil || value.bytes != nil || value.text != nil else {
                throw WireDefect("a header has a value that no header has")
            }
            entries[key] = value
        }
        guard wire == bytes else { throw WireDefect("a header is not in the shortest form, in the order of its keys") }
    }
}
