/// A way in which a user can be paid.
public struct PaykitSupportedMethod: Sendable, Hashable {
    /// The endpoint as it was published, with the limits of its owner.
    let published: PaykitEndpoint

    /// The method, such as `lightning`.
    public var methodId: String { published.methodID }
    /// The payment text. It is the payee's own text: check it before paying.
    public var endpoint: String { published.endpoint }

    /// Creates a method.
    public init(methodId: String, endpoint: String) {
        self.init(PaykitEndpoint(methodID: methodId, endpoint: endpoint))
    }

    init(_ endpoint: PaykitEndpoint) { published = endpoint }
}

/// The methods by which a user can be paid.
public struct PaykitSupportedMethods: Sendable, Hashable, PaykitCacheEntry {
    /// The methods, by name.
    public let methods: [PaykitSupportedMethod]
    /// The time until which this may be reused without another request.
    public let expiresAt: Date

    /// Creates a list.
    public init(methods: [PaykitSupportedMethod], expiresAt: Date = .distantPast) {
        self.methods = methods
        self.expiresAt = expiresAt
    }

    /// True if the user cannot be paid at all.
    public var isEmpty: Bool { methods.isEmpty }

    /// The method called `methodId`; nil when there is none.
    public subscript(methodId: String) -> PaykitSupportedMethod? { methods.first { $0.methodId == methodId } }
}

/// An entry of the guide's cache: entries and their contents are one type there.
public protocol PaykitCacheEntry {}

extension PaykitCacheEntry where Self == PaykitSupportedMethods {
    /// The list itself, as the guide's cache reads it from its entry.
    public var methods: PaykitSupportedMethods { self }
}

/// The endpoint to pay, and its privacy.
public struct PaykitCheckoutResult: Sendable, Hashable {
    /// The method.
    public let methodId: String
    /// The payment text. It is the payee's own text: check it before paying.
    public let endpoint: String
    /// True if it was offered to this device alone.
    public let isPrivate: Bool
    /// True if the payee asks for a private channel before being paid.
    public let requiresInteractive: Bool

    /// Creates a result.
    public init(methodId: String, endpoint: String, isPrivate: Bool, requiresInteractive: Bool) {
        self.methodId = methodId
        self.endpoint = endpoint
        self.isPrivate = isPrivate
        self.requiresInteractive = requiresInteractive
    }
}

/// An entry of a list, such as a followed user.
public struct PubkyListItem: Sendable, Hashable {
    /// The last part of its path: for a follow, the key.
    public let name: String
    /// The path.
    public let path: String
    /// True if it is a directory.
    public let isDirectory: Bool

    /// Creates an entry.
    public init(name: String, path: String, isDirectory: Bool) {
        self.name = name
        self.path = path
        self.isDirectory = isDirectory
    }
}
