/// The times of keys' latest packets, beside the states of private links.
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
