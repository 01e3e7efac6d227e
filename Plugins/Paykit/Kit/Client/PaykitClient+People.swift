/// Profiles and follows.
extension PaykitClient {
    /// Returns a user's own profile.
    ///
    /// - Throws: ``PaykitError``, of the type `peerNotFound` when they have none.
    public func profile(pubkey: String) async throws -> PubkyProfile {
        try await mappingErrors {
            let user = try Self.key(pubkey)
            guard let profile = try await people.profile(of: user) else {
                throw PaykitNetworkError(.notFound, "\(user) has published no profile")
            }
            return profile
        }
    }

    /// Publishes the profile of this device's user.
    ///
    /// - Throws: ``PaykitError``.
    public func publish(_ profile: PubkyProfile) async throws {
        try await signedIn { session in try await people.publish(profile, session) }
    }

    /// Returns the users that a user follows.
    ///
    /// - Throws: ``PaykitError``.
    public func follows(pubkey: String) async throws -> [PubkyListItem] {
        try await mappingErrors {
            try await people.follows(of: Self.key(pubkey)).map {
                PubkyListItem(name: $0.text, path: PubkyPeople.followsPath + $0.text, isDirectory: false)
            }
        }
    }

    /// Follows a user, or stops following them.
    ///
    /// - Throws: ``PaykitError``.
    public func follow(pubkey: String, _ follows: Bool = true) async throws {
        try await signedIn { session in
            try await people.follow(Self.key(pubkey), follows, at: clock.now.microseconds, session)
        }
    }
}
