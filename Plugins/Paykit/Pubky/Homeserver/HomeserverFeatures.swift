/// The features of each homeserver, asked once and cached for a while, because homeservers are upgraded.
package actor HomeserverFeatures {
    private struct Known {
        let value: Bool
        let end: Duration
    }

    private let clock: any PaymentClock
    private var grants: [String: Known] = [:]
    private var paths: [String: Known] = [:]

    /// The lifetimes of cached answers: the form of paths, and the support of grants.
    package static let times = (paths: Duration.seconds(60), grants: Duration.seconds(3600))
    /// The number of homeservers whose answers are cached.
    package static let most = 1000

    package init(clock: any PaymentClock) { self.clock = clock }

    /// Returns true if the homeserver accepts grants; older ones accept signed tokens and set cookies. Throws when it
    /// cannot be asked. A failure is not cached: the homeserver may answer next time.
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
        if let known = paths[name], clock.uptime < known.end { return known.value }
        let found = await server.reportsStoragePaths(for: user)
        paths = Self.room(paths)
        paths[name] = Known(value: found, end: clock.uptime + Self.times.paths)
        return found
    }

    /// Returns the cache with room for one more entry. A full cache is rare, and all of it can be asked again.
    private static func room(_ known: [String: Known]) -> [String: Known] {
        known.count < most ? known : [:]
    }
}
