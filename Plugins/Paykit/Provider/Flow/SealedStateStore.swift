import PaymentCrypto

/// Stores sequences of states by name, for programs that must neither lose a state nor return to an earlier one, such
/// as the progress of an encrypted channel and the payments agreed over it. States are sealed by their owner: a store
/// sees names, numbers and lengths.
///
/// A state has rows: states whose names begin with its name and a slash. They are read together, and any of them can be
/// changed in one step.
public protocol SealedStateStore: Sendable {
    /// Returns the state that is stored under a name and all its rows, by name, as they were at one moment.
    ///
    /// - Throws: the storage failure. It does not mean that there is no state.
    func states(named name: String) async throws -> [String: SealedState]

    /// Stores states and removes others durably in one step, if the stored states are the predecessors of the new ones.
    /// Of several concurrent calls with one name in common one succeeds. `states` are the new states by name. The
    /// number of each is one more than that of its predecessor, and the first is 1. `names` are the names of the states
    /// to remove, which are then as if they had never been stored.
    ///
    /// - Returns: true if all of it was stored; false if nothing was.
    /// - Throws: the storage failure; all of it may have been stored, or nothing.
    func keep(_ states: [String: SealedState], removing names: [String]) async throws -> Bool
}

extension SealedStateStore {
    /// Returns the state that is stored under a name, without its rows; nil when there is none.
    ///
    /// - Throws: the storage failure.
    public func state(named name: String) async throws -> SealedState? { try await states(named: name)[name] }

    /// Stores one state durably, if the stored one is its predecessor.
    ///
    /// - Returns: true if it was stored.
    /// - Throws: the storage failure; the state may have been stored or not.
    public func keep(_ state: SealedState, named name: String) async throws -> Bool {
        try await keep([name: state], removing: [])
    }
}

/// The state that is stored under a name.
public struct SealedState: Sendable, Hashable {
    /// The position in the sequence of a name's states.
    public let number: UInt64
    /// The sealed content: only its owner can open it.
    public let sealed: [UInt8]

    /// Creates a state.
    public init(number: UInt64, sealed: [UInt8]) {
        self.number = number
        self.sealed = sealed
    }
}

/// A store in memory: for tests, and for programs with their own store behind it.
public actor InMemorySealedStates: SealedStateStore {
    private var states: [String: SealedState] = [:]

    /// Creates an empty store.
    public init() {}

    /// Returns the state that is stored under a name and all its rows, by name.
    public func states(named name: String) -> [String: SealedState] {
        states.filter { $0.key == name || $0.key.hasPrefix(name + "/") }
    }

    /// Stores and removes states in one step, if each new one follows the stored one.
    public func keep(_ new: [String: SealedState], removing names: [String]) -> Bool {
        guard new.allSatisfy({ $0.value.number == (states[$0.key]?.number ?? 0) + 1 }) else { return false }
        states.merge(new) { $1 }
        for name in names { states[name] = nil }
        return true
    }
}

/// Seals stored states, such as those of links and their rows, each bound to its name and number.
struct StateSeal: Sendable {
    private let key: Redacted<[UInt8]>
    /// The error for a state that was changed since its owner stored it.
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

/// The times of keys' latest packets, stored next to the states of private links.
package struct StoredPacketTimes: PacketTimes {
    private let store: any SealedStateStore

    package init(_ store: any SealedStateStore) { self.store = store }

    package func latest(of key: PubkyKey) async throws -> UInt64? {
        try Self.time(in: await store.state(named: Self.name(key)))
    }

    package func record(_ time: UInt64, of key: PubkyKey) async throws {
        let name = Self.name(key)
        // Another program may store a time at the same moment.
        for _ in 0..<8 {
            let state = try await store.state(named: name)
            if let known = try Self.time(in: state), known >= time { return }
            let next = SealedState(number: (state?.number ?? 0) + 1, sealed: time.bigEndianBytes)
            if try await store.keep(next, named: name) { return }
        }
        throw BusyError()
    }

    private struct BusyError: Error {}
    private struct DamageError: Error {}

    private static func name(_ key: PubkyKey) -> String { "packet/\(key)" }

    /// The time is public, and stored in clear.
    private static func time(in state: SealedState?) throws -> UInt64? {
        guard let state else { return nil }
        guard state.sealed.count == 8 else { throw DamageError() }
        return state.sealed.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
