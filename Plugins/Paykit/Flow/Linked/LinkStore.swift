import PaymentCore
import PaymentCrypto
import PaymentSodium
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where an app keeps what it knows of its private links (Protocol 12.8). What is kept is sealed; a store that loses, mixes up or
/// goes back to something older makes links begin anew, and never shows a message to anybody.
public protocol PaykitLinkStore: Sendable {
    /// Returns what is kept under a name, with its number; nil when nothing is.
    ///
    /// - Parameter name: which link.
    /// - Throws: what keeps the store from looking. That is not the same as having nothing.
    func state(named name: String) async throws -> PaykitLinkState?

    /// Keeps a state, lasting, if what is kept is still what it followed from. Of several who do it at once one succeeds.
    ///
    /// - Parameters:
    ///   - state: what is kept from now on; its number is one more than that of what it followed from, the first is 1.
    ///   - name: which link.
    /// - Returns: whether it was kept.
    /// - Throws: what keeps it from being stored; then it may have been, or not.
    func keep(_ state: PaykitLinkState, named name: String) async throws -> Bool
}

/// What is kept of a link.
public struct PaykitLinkState: Sendable, Hashable {
    /// Counts the states of a link.
    public let number: UInt64
    /// Sealed: only the app's own secret opens it.
    public let sealed: [UInt8]

    /// Creates a state.
    public init(number: UInt64, sealed: [UInt8]) {
        self.number = number
        self.sealed = sealed
    }
}

/// Keeps links as long as it lives: for tests, and for apps that have a store of their own behind it.
public final class InMemoryLinkStore: PaykitLinkStore {
    private let states = Mutex<[String: PaykitLinkState]>([:])

    /// Creates an empty store.
    public init() {}

    /// Returns what is kept under a name; nil when nothing is.
    ///
    /// - Throws: nothing.
    public func state(named name: String) async throws -> PaykitLinkState? { states.withLock { $0[name] } }

    /// Keeps a state, if it follows what is kept.
    ///
    /// - Throws: nothing.
    public func keep(_ state: PaykitLinkState, named name: String) async throws -> Bool {
        states.withLock { states in
            guard state.number == (states[name]?.number ?? 0) + 1 else { return false }
            states[name] = state
            return true
        }
    }
}

/// Seals what is stored of links, bound to its name and number.
struct LinkSeal: Sendable {
    private let key: Redacted<[UInt8]>

    init(_ keys: LinkKeys) {
        key = Redacted(
            HKDF.derive(
                .sha256, secret: keys.noiseSecret, salt: Array("swift-payment-router".utf8),
                info: Array("kept state of private links".utf8), byteCount: 32))
    }

    func seal(
        _ record: LinkRecord, named name: String, number: UInt64, _ random: any RandomSource
    ) throws(PaykitFailure) -> PaykitLinkState {
        let nonce = (0..<3).flatMap { _ in random.next().bigEndianBytes }
        guard let plain = try? JSONEncoder().encode(record),
            let sealed = try? XChaCha20Poly1305.seal(
                Array(plain), key: key.reveal(), nonce: nonce, authenticating: Self.binding(name, number))
        else { throw PaykitFailure(.storage, "the state of a private link cannot be sealed") }
        return PaykitLinkState(number: number, sealed: nonce + sealed)
    }

    func open(_ state: PaykitLinkState, named name: String) throws(PaykitFailure) -> LinkRecord {
        guard state.sealed.count > 24,
            let plain = try? XChaCha20Poly1305.open(
                Array(state.sealed.dropFirst(24)), key: key.reveal(), nonce: Array(state.sealed.prefix(24)),
                authenticating: Self.binding(name, state.number)),
            let record = try? JSONDecoder().decode(LinkRecord.self, from: Data(plain))
        else {
            throw PaykitFailure(
                .storage,
                "what is kept of a private link was changed, or is another app's; give this app its own secret and store"
            )
        }
        return record
    }

    private static func binding(_ name: String, _ number: UInt64) -> [UInt8] {
        Array("\(name)\u{0}".utf8) + number.bigEndianBytes
    }
}
