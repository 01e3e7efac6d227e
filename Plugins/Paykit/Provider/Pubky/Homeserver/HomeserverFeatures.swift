/// The features of each homeserver, asked once and cached for a while, because homeservers are upgraded.
package actor HomeserverFeatures {
    private let clock: any PaymentClock
    private var grants = RecentCache<String, Bool>(capacity: most)
    private var paths = RecentCache<String, Bool>(capacity: most)

    /// The lifetimes of cached answers: the form of paths, and the support of grants.
    package static let times = (paths: Duration.seconds(60), grants: Duration.seconds(3600))
    package static let most = 1000

    package init(clock: any PaymentClock) { self.clock = clock }

    /// Returns true if the homeserver accepts grants; older ones accept signed tokens and set cookies. Throws when it
    /// cannot be asked. A failure is not cached: the homeserver may answer next time.
    package func takesGrants(_ server: Homeserver, for user: PubkyKey) async throws(PaykitNetworkError) -> Bool {
        let name = server.url.origin
        if let known = grants.value(of: name, at: clock.uptime) { return known }
        guard let found = try await server.takesGrants(for: user) else { return false }
        grants.keep(found, of: name, until: clock.uptime + Self.times.grants)
        return found
    }

    /// Removes the answer about grants from the cache, after the homeserver acted otherwise.
    package func forgetGrants(_ server: Homeserver) { grants.remove(server.url.origin) }

    /// Returns true if the homeserver's paths name the owner of the storage. One that does not answer counts as older.
    package func hasStoragePaths(_ server: Homeserver, for user: PubkyKey) async -> Bool {
        let name = server.url.origin
        if let known = paths.value(of: name, at: clock.uptime) { return known }
        let found = await server.reportsStoragePaths(for: user)
        paths.keep(found, of: name, until: clock.uptime + Self.times.paths)
        return found
    }
}
