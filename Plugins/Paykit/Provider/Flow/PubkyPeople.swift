/// The profiles of users and the users that they follow (Protocol 4.5).
package struct PubkyPeople: Sendable {
    package let reader: PubkyReader

    package init(_ reader: PubkyReader) { self.reader = reader }

    package static let profilePath = "/pub/pubky.app/profile.json"
    package static let followsPath = "/pub/pubky.app/follows/"
    package static let mostFollows = 10_000

    package func profile(of user: PubkyKey) async throws(PaykitNetworkError) -> PubkyProfile? {
        guard let address = try? PubkyAddress(user, path: Self.profilePath), let bytes = try await reader.file(address)
        else { return nil }
        guard let json = try? JSONValue(parsing: bytes), json.object != nil else {
            throw PaykitNetworkError(.invalidData, "the profile of \(user) is not JSON")
        }
        return PubkyProfile(json)
    }

    package func publish(_ profile: PubkyProfile, _ session: PubkySession) async throws(PaykitNetworkError) {
        if let name = profile.name {
            guard 3...50 ~= name.count, name != "[DELETED]" else {
                throw PaykitNetworkError(.validationFailed, "a profile's name has 3 to 50 characters")
            }
        }
        guard (profile.bio?.count ?? 0) <= 160, (profile.status?.count ?? 0) <= 50, profile.namedLinks.count <= 5 else {
            throw PaykitNetworkError(
                .validationFailed, "a profile has at most 160 characters of text about its owner, 50 of status, 5 links"
            )
        }
        guard let address = try? PubkyAddress(session.user, path: Self.profilePath) else { return }
        try await reader.homeserver(of: session.user).write(profile.json.serialized(), to: address, session)
    }

    package func follows(of user: PubkyKey) async throws(PaykitNetworkError) -> [PubkyKey] {
        guard let directory = try? PubkyAddress(user, path: Self.followsPath) else { return [] }
        return try await reader.list(directory, isShallow: true, most: Self.mostFollows).compactMap {
            try? PubkyKey(bare: $0.path.dropFirst(Self.followsPath.count))
        }
    }

    package func follow(
        _ other: PubkyKey, _ follows: Bool, at microseconds: UInt64, _ session: PubkySession
    ) async throws(PaykitNetworkError) {
        guard let address = try? PubkyAddress(session.user, path: Self.followsPath + other.text) else { return }
        let server = try await reader.homeserver(of: session.user)
        if follows {
            try await server.write(Array("{\"created_at\":\(microseconds)}".utf8), to: address, session)
        } else {
            try await server.delete(address, session)
        }
    }
}
