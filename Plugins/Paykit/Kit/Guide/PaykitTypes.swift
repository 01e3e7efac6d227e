import PaykitProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One way in which somebody can be paid.
public struct PaykitSupportedMethod: Sendable, Hashable {
    /// The method, such as `lightning`.
    public let methodId: String
    /// Where to pay. Somebody else's text: check it before paying.
    public let endpoint: String
    /// The least and the most that its owner takes there, where they say so.
    private let limits: [String?]

    /// Creates a method.
    public init(methodId: String, endpoint: String) {
        self.methodId = methodId
        self.endpoint = endpoint
        limits = [nil, nil]
    }

    init(_ endpoint: PaykitEndpoint) {
        methodId = endpoint.methodID
        self.endpoint = endpoint.endpoint
        limits = [endpoint.least, endpoint.most]
    }

    /// As it was published.
    var published: PaykitEndpoint {
        PaykitEndpoint(methodID: methodId, endpoint: endpoint, least: limits[0], most: limits[1])
    }
}

/// How somebody can be paid.
public struct PaykitSupportedMethods: Sendable, Hashable, PaykitCacheEntry {
    /// The methods, by name.
    public let methods: [PaykitSupportedMethod]
    /// Until when this may be shown without asking again.
    public let expiresAt: Date

    /// Creates a list.
    public init(methods: [PaykitSupportedMethod], expiresAt: Date = .distantPast) {
        self.methods = methods
        self.expiresAt = expiresAt
    }

    /// Whether nobody can be paid at all.
    public var isEmpty: Bool { methods.isEmpty }

    /// The method called `methodId`; nil when there is none.
    public subscript(methodId: String) -> PaykitSupportedMethod? { methods.first { $0.methodId == methodId } }
}

/// What the guide's cache holds: its entries and what they hold are one type there.
public protocol PaykitCacheEntry {}

extension PaykitCacheEntry where Self == PaykitSupportedMethods {
    /// The list itself, as the guide's cache takes it out of its entry.
    public var methods: PaykitSupportedMethods { self }
}

/// What to pay, and how private that is.
public struct PaykitCheckoutResult: Sendable, Hashable {
    /// The method.
    public let methodId: String
    /// Where to pay. Somebody else's text: check it before paying.
    public let endpoint: String
    /// Whether it was offered to this device alone.
    public let isPrivate: Bool
    /// Whether the payee wants to be spoken to before being paid.
    public let requiresInteractive: Bool

    /// Creates a result.
    public init(methodId: String, endpoint: String, isPrivate: Bool, requiresInteractive: Bool) {
        self.methodId = methodId
        self.endpoint = endpoint
        self.isPrivate = isPrivate
        self.requiresInteractive = requiresInteractive
    }
}

/// What somebody says of themselves. All of it is their own text.
public struct PubkyProfile: Sendable, Hashable {
    /// One of a profile's links.
    public struct Link: Sendable, Hashable {
        /// What it is called.
        public var title: String?
        /// Where it leads.
        public var url: String

        /// Creates a link.
        public init(title: String? = nil, url: String) {
            self.title = title
            self.url = url
        }
    }

    /// What they are called.
    public var name: String?
    /// A few sentences.
    public var bio: String?
    /// The address of a picture.
    public var image: String?
    /// The addresses of their links.
    public var links: [String] { namedLinks.map(\.url) }
    /// Their links, with what these are called.
    public var namedLinks: [Link]
    /// A few words on what they do.
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
}

/// An entry of a list, such as somebody who is followed.
public struct PubkyListItem: Sendable, Hashable {
    /// The last part of its path: for a follow, the key.
    public let name: String
    /// Where it lies.
    public let path: String
    /// Whether it is a directory.
    public let isDirectory: Bool

    /// Creates an entry.
    public init(name: String, path: String, isDirectory: Bool) {
        self.name = name
        self.path = path
        self.isDirectory = isDirectory
    }
}
