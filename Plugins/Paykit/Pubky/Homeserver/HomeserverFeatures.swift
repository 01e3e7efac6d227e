package import PaymentCore

/// The features of each homeserver, asked once and cached for a while, because homeservers are upgraded.
package actor HomeserverFeatures {
    private struct Known<Value: Sendable>: Sendable {
        let value: Value
        let end: Duration
    }

    private let clock: any PaymentClock
    private var grants: [String: Known<Bool>] = [:]
    private var names: [String: Known<Set<String>>] = [:]

    /// The lifetimes of cached answers: the feature names, and the support of grants.
    package static let times = (names: Duration.seconds(60), grants: Duration.seconds(3600))
    /// The number of homeservers whose answers are cached.
    package static let most = 1000

    package init(clock: any PaymentClock) { self.clock = clock }

    /// Returns true if the homeserver accepts grants; older ones accept signed tokens and set cookies.
    ///
    /// - Throws: when it cannot be asked. A failure is not cached: the homeserver may answer next time.
    package func takesGrants(_ server: Homeserver, for user: PubkyKey) async throws(PaykitNetworkError) -> Bool {
        let name = server.url.origin
        if let known = grants[name], clock.uptime < known.end { return known.value }
        guard let found = try await server.takesGrants(for: user) else { return false }
        grants = Self.room(grants)
        grants[name] = Known(value: found, end: clock.uptime + Self.times.grants)
        return found
    }

    /// Removes the answer about grants from the cache, after the homeserver acted otherwise.
    package func forgetGrants(_ server: Homeserver) { grants[server.url.origin] = nil }

    /// Returns true if the homeserver's paths name the owner of the storage. One that does not answer counts as older.
    package func hasStoragePaths(_ server: Homeserver, for user: PubkyKey) async -> Bool {
        let name = server.url.origin
        if let known = names[name], clock.uptime < known.end { return known.value.contains(Homeserver.storagePaths) }
        let found = await server.features(for: user) ?? []
        names = Self.room(names)
        names[name] = Known(value: found, end: clock.uptime + Self.times.names)
        return found.contains(Homeserver.storagePaths)
    }

    /// Returns the cache with room for one more entry. A full cache is rare, and all of it can be asked again.
    private static func room<Value>(_ known: [String: Known<Value>]) -> [String: Known<Value>] {
        known.count < most ? known : [:]
    }
}
