import PaymentCrypto

/// Seals stored states, such as those of links and their rows, each bound to its name and number.
struct StateSeal: Sendable {
    private let key: Redacted<[UInt8]>
    /// The error for a stored state that is not as its owner has stored it.
    let changed: PaykitNetworkError

    init(_ secret: [UInt8], for purpose: String, changed: String) {
        key = Redacted(
            HKDF.derive(
                .sha256, secret: secret, salt: Array("swift-payment-router".utf8), info: Array(purpose.utf8),
                byteCount: 32))
        self.changed = PaykitNetworkError(.storage, changed)
    }

    init(_ keys: PrivateLinkKeys) {
        self.init(
            keys.noiseSecret, for: "kept state of private links",
            changed:
                "what is kept of a private link was changed, or is another app's; give this app its own secret and store"
        )
    }

    func seal(
        _ content: some Encodable, named name: String, number: UInt64, _ random: any RandomSource
    ) throws(PaykitNetworkError) -> SealedState {
        let nonce = random.bytes(24)
        guard let plain = try? JSONEncoder().encode(content),
            let sealed = try? XChaCha20Poly1305.seal(
                Array(plain), key: key.reveal(), nonce: nonce, authenticating: Self.binding(name, number))
        else { throw PaykitNetworkError(.storage, "the state '\(name)' cannot be sealed") }
        return SealedState(number: number, sealed: nonce + sealed)
    }

    func open<Content: Decodable>(
        _ state: SealedState, named name: String, as type: Content.Type
    ) throws(PaykitNetworkError) -> Content {
        guard state.sealed.count > 24,
            let plain = try? XChaCha20Poly1305.open(
                Array(state.sealed.dropFirst(24)), key: key.reveal(), nonce: Array(state.sealed.prefix(24)),
                authenticating: Self.binding(name, state.number)),
            let content = try? JSONDecoder().decode(type, from: Data(plain))
        else { throw changed }
        return content
    }

    private static func binding(_ name: String, _ number: UInt64) -> [UInt8] {
        Array("\(name)\u{0}".utf8) + number.bigEndianBytes
    }
}
