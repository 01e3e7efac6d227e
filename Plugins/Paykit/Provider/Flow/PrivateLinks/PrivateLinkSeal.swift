import PaykitPubky
import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Seals the stored states of links and their rows, each bound to its name and number.
struct PrivateLinkSeal: Sendable {
    private let key: Redacted<[UInt8]>

    init(_ keys: PrivateLinkKeys) {
        key = Redacted(
            HKDF.derive(
                .sha256, secret: keys.noiseSecret, salt: Array("swift-payment-router".utf8),
                info: Array("kept state of private links".utf8), byteCount: 32))
    }

    func seal(
        _ content: some Encodable, named name: String, number: UInt64, _ random: any RandomSource
    ) throws(PaykitNetworkError) -> SealedState {
        let nonce = (0..<3).flatMap { _ in random.next().bigEndianBytes }
        guard let plain = try? JSONEncoder().encode(content),
            let sealed = try? XChaCha20Poly1305.seal(
                Array(plain), key: key.reveal(), nonce: nonce, authenticating: Self.binding(name, number))
        else { throw PaykitNetworkError(.storage, "the state of a private link cannot be sealed") }
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
        else { throw Self.changed }
        return content
    }

    /// The error for a stored state that is not as this app has stored it.
    static let changed = PaykitNetworkError(
        .storage,
        "what is kept of a private link was changed, or is another app's; give this app its own secret and store")

    private static func binding(_ name: String, _ number: UInt64) -> [UInt8] {
        Array("\(name)\u{0}".utf8) + number.bigEndianBytes
    }
}
