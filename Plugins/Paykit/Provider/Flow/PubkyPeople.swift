package import PaykitPubky
package import PaymentCore

/// The profiles of users and the users that they follow (Protocol 4.5).
package struct PubkyPeople: Sendable {
    package let reader: PubkyReader

    package init(_ reader: PubkyReader) { self.reader = reader }

    /// A user's profile. All of it is untrusted text.
    package struct Profile: Sendable, Hashable {
        package struct Link: Sendable, Hashable {
            package let title: String?
            package let url: String

            package init(title: String?, url: String) {
                self.title = title
                self.url = url
            }
        }

        package var name: String?
        package var bio: String?
        package var image: String?
        package var links: [Link]
        package var status: String?

        package init(
            name: String? = nil, bio: String? = nil, image: String? = nil, links: [Link] = [], status: String? = nil
        ) {
            self.name = name
            self.bio = bio
            self.image = image
            self.links = links
            self.status = status
        }

        /// Reads a profile. Members of another type are left out: other apps write here too.
        package init(_ json: JSONValue) {
            self.init(
                name: json["name"]?.string, bio: json["bio"]?.string, image: json["image"]?.string,
                links: (json["links"]?.array ?? []).compactMap { link in
                    if let url = link.string { return Link(title: nil, url: url) }
                    return link["url"]?.string.map { Link(title: link["title"]?.string, url: $0) }
                }, status: json["status"]?.string)
        }

        package var json: JSONValue {
            var json: JSONValue = [:]
            json["name"] = name.map { .string($0) }
            json["bio"] = bio.map { .string($0) }
            json["image"] = image.map { .string($0) }
            json["status"] = status.map { .string($0) }
            if !links.isEmpty {
                json["links"] = .array(links.map { ["title": .string($0.title ?? $0.url), "url": .string($0.url)] })
            }
            return json
        }
    }

    /// The path of a profile.
    package static let profilePath = "/pub/pubky.app/profile.json"
    /// The path of the directory of a user's follows.
    package static let followsPath = "/pub/pubky.app/follows/"
    /// The greatest number of follows that are read of one user.
    package static let mostFollows = 10_000

    /// Returns the profile of `user`; nil when there is none.
    package func profile(of user: PubkyKey) async throws(PaykitNetworkError) -> Profile? {
        guard let address = try? PubkyAddress(user, path: Self.profilePath),
            let bytes = try await reader.file(address)
        else { return nil }
        guard let json = try? JSONValue(parsing: bytes), json.object != nil else {
            throw PaykitNetworkError(.invalidData, "the profile of \(user) is not JSON")
        }
        return Profile(json)
    }

    /// Publishes the profile of the session's user.
    package func publish(_ profile: Profile, _ session: PubkySession) async throws(PaykitNetworkError) {
        if let name = profile.name {
            guard 3...50 ~= name.count, name != "[DELETED]" else {
                throw PaykitNetworkError(.validationFailed, "a profile's name has 3 to 50 characters")
            }
        }
        guard (profile.bio?.count ?? 0) <= 160, (profile.status?.count ?? 0) <= 50, profile.links.count <= 5 else {
            throw PaykitNetworkError(
                .validationFailed, "a profile has at most 160 characters of text about its owner, 50 of status, 5 links"
            )
        }
        guard let address = try? PubkyAddress(session.user, path: Self.profilePath) else { return }
        try await reader.homeserver(of: session.user).write(profile.json.serialized(), to: address, session)
    }

    /// Returns the users that `user` follows.
    package func follows(of user: PubkyKey) async throws(PaykitNetworkError) -> [PubkyKey] {
        guard let directory = try? PubkyAddress(user, path: Self.followsPath) else { return [] }
        return try await reader.list(directory, isShallow: true, most: Self.mostFollows).compactMap {
            try? PubkyKey(bare: $0.path.dropFirst(Self.followsPath.count))
        }
    }

    /// Follows another user, or stops following them.
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
