package import PaymentCore

/// What each homeserver speaks, asked once and kept for a while: upgrades happen.
package actor HomeserverFeatures {
    private struct Known<Value: Sendable>: Sendable {
        let value: Value
        let end: Duration
    }

    private let clock: any PaymentClock
    private var grants: [String: Known<Bool>] = [:]
    private var names: [String: Known<Set<String>>] = [:]

    /// How long an answer is kept: what a homeserver can do, and whether it takes grants.
    package static let times = (names: Duration.seconds(60), grants: Duration.seconds(3600))
    /// Of how many homeservers answers are kept.
    package static let most = 1000

    package init(clock: any PaymentClock) { self.clock = clock }

    /// Whether the homeserver takes grants; older ones take signed tokens and give cookies.
    ///
    /// - Throws: when it cannot be asked. Nothing is concluded from that: who fails today may speak tomorrow.
    package func takesGrants(_ server: Homeserver, for user: PubkyKey) async throws(PaykitNetworkError) -> Bool {
        let name = server.url.origin
        if let known = grants[name], clock.uptime < known.end { return known.value }
        guard let found = try await server.takesGrants(for: user) else { return false }
        grants = Self.room(grants)
        grants[name] = Known(value: found, end: clock.uptime + Self.times.grants)
        return found
    }

    /// Forgets whether the homeserver takes grants: it acted otherwise.
    package func forgetGrants(_ server: Homeserver) { grants[server.url.origin] = nil }

    /// Whether the homeserver's paths say whose storage is meant. One that does not answer is taken for an older one.
    package func hasStoragePaths(_ server: Homeserver, for user: PubkyKey) async -> Bool {
        let name = server.url.origin
        if let known = names[name], clock.uptime < known.end { return known.value.contains(Homeserver.storagePaths) }
        let found = await server.features(for: user) ?? []
        names = Self.room(names)
        names[name] = Known(value: found, end: clock.uptime + Self.times.names)
        return found.contains(Homeserver.storagePaths)
    }

    /// What is kept, with room for one more. Who has too many is rare; all of it can be asked again.
    private static func room<Value>(_ known: [String: Known<Value>]) -> [String: Known<Value>] {
        known.count < most ? known : [:]
    }
}
