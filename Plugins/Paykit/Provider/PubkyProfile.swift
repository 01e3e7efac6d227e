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
