import PaymentSettlement

/// A user's own profile. All of it is their own text.
public struct PubkyProfile: Sendable, Hashable {
    /// One of a profile's links.
    public struct Link: Sendable, Hashable {
        /// The title.
        public var title: String?
        /// The address.
        public var url: String

        /// Creates a link.
        public init(title: String? = nil, url: String) {
            self.title = title
            self.url = url
        }
    }

    /// The name.
    public var name: String?
    /// A few sentences.
    public var bio: String?
    /// The address of a picture.
    public var image: String?
    /// The addresses of their links.
    public var links: [String] { namedLinks.map(\.url) }
    /// Their links, with titles.
    public var namedLinks: [Link]
    /// A few words on their current activity.
    public var status: String?

    /// Creates a profile.
    public init(
        name: String? = nil, bio: String? = nil, image: String? = nil, namedLinks: [Link] = [], status: String? = nil
    ) {
        self.name = name
        self.bio = bio
        self.image = image
        self.namedLinks = namedLinks
        self.status = status
    }

    /// Reads a profile. Members of another type are left out: other apps write here too.
    package init(_ json: JSONValue) {
        self.init(
            name: json["name"]?.string, bio: json["bio"]?.string, image: json["image"]?.string,
            namedLinks: (json["links"]?.array ?? []).compactMap { link in
                if let url = link.string { return Link(url: url) }
                return link["url"]?.string.map { Link(title: link["title"]?.string, url: $0) }
            }, status: json["status"]?.string)
    }

    package var json: JSONValue {
        var json: JSONValue = [:]
        json["name"] = name.map { .string($0) }
        json["bio"] = bio.map { .string($0) }
        json["image"] = image.map { .string($0) }
        json["status"] = status.map { .string($0) }
        if !namedLinks.isEmpty {
            json["links"] = .array(namedLinks.map { ["title": .string($0.title ?? $0.url), "url": .string($0.url)] })
        }
        return json
    }
}

extension Payee {
    init(_ key: PubkyKey) { self.init(claiming: nil, knownAs: Self.mark(key), else: nil, id: key.text) }

    private static func mark(_ key: PubkyKey) -> String { "\(key.text.prefix(8))…\(key.text.suffix(4))" }

    /// Creates a payee from a key and a profile's claimed name and picture, made safe to display.
    init(_ key: PubkyKey, _ profile: PubkyProfile?) {
        self.init(
            claiming: profile?.name, knownAs: Self.mark(key), else: "a user without a name",
            iconURL: profile?.image.flatMap(Self.picture), id: key.text)
    }

    /// Returns an address that is encrypted and not of this device; nil for any other picture.
    private static func picture(_ url: String) -> String? {
        guard let address = try? HTTPURL(url), address.isSecure, !address.isLoopback else { return nil }
        return address.text
    }
}

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
