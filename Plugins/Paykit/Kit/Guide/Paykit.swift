import PaymentTransport
import Synchronization

// The guide's functions, by its own names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The client of the guide's functions, for the whole process. Applications that need more than one user, another
/// network or tests without one create their own ``PaykitClient``.
public enum Paykit {
    /// The client by its other name.
    public typealias Client = PaykitClient

    private static let shared = Mutex<PaykitClient?>(nil)

    /// Returns the client that the guide's functions use: one over the public network, until it is replaced.
    ///
    /// - Throws: ``PaykitError`` when there is none and none can be created.
    public static func client() throws(PaykitError) -> PaykitClient {
        try shared.withLock { client throws(PaykitError) in
            if let client { return client }
            guard let network = try? PubkyNetwork.standard(dht: DHTResolver(transport: UDPTransport())) else {
                throw .notAuthenticated
            }
            let made = PaykitClient(
                configuration: PaykitClientConfiguration(network: network), transport: StandardTransport())
            client = made
            return made
        }
    }

    /// Sets the client of the guide's functions, as for a sandbox. Call it before any of them.
    public static func use(_ client: PaykitClient) { shared.withLock { $0 = client } }

    @TaskLocal private static var standIn: (any PaykitService)?

    /// Runs `work` with `service` in place of the client for the guide's functions for endpoints: for mocks in tests.
    /// Other tasks are not affected.
    ///
    /// - Returns: the result of the work.
    /// - Throws: errors of the work.
    public static func using<Value>(
        _ service: any PaykitService, _ work: () async throws -> Value
    ) async rethrows -> Value {
        try await $standIn.withValue(service, operation: work)
    }

    static func service() throws(PaykitError) -> any PaykitService {
        if let standIn { return standIn }
        return try client()
    }
}

/// Signs in with a secret key, or signs up if the homeserver does not know it yet. `secretKeyHex` is the Ed25519 seed:
/// 64 hexadecimal digits.
///
/// - Throws: ``PaykitError``.
public func paykit_initialize(secretKeyHex: String, homeserverPubkey: String) async throws {
    try await Paykit.client().initialize(secretKeyHex: secretKeyHex, homeserverPubkey: homeserverPubkey)
}

/// Publishes the user's own endpoint for a method.
///
/// - Throws: ``PaykitError``.
public func paykit_set_endpoint(methodId: String, endpoint: String) async throws {
    try await Paykit.service().setEndpoint(methodId: methodId, endpoint: endpoint)
}

/// Removes the user's own endpoint for a method.
///
/// - Throws: ``PaykitError``.
public func paykit_remove_endpoint(methodId: String) async throws {
    try await Paykit.service().removeEndpoint(methodId: methodId)
}

/// Returns the endpoints of a user.
///
/// - Throws: ``PaykitError``.
public func paykit_get_supported_methods_for_key(pubkey: String) async throws -> PaykitSupportedMethods {
    try await Paykit.service().getSupportedMethods(pubkey: pubkey)
}

/// Returns a user's endpoint for a method; nil when they publish none.
///
/// - Throws: ``PaykitError``.
public func paykit_get_endpoint_for_key_and_method(pubkey: String, methodId: String) async throws -> String? {
    try await Paykit.service().getEndpoint(pubkey: pubkey, methodId: methodId)
}

/// Returns the best way to pay a user: of the endpoints offered to this device alone, then of the published ones.
///
/// - Throws: ``PaykitError``.
public func paykit_smart_checkout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
    try await Paykit.service().smartCheckout(pubkey: pubkey, preferredMethod: preferredMethod)
}

/// Returns the published methods of this device's user that need a new endpoint.
///
/// - Throws: ``PaykitError``.
public func paykit_check_rotation_needed(pubkey: String) async throws -> [String] {
    try await Paykit.client().checkRotationNeeded(pubkey: pubkey)
}

/// Returns a user's own profile.
///
/// - Throws: ``PaykitError``.
public func pubky_fetch_profile(pubkey: String) async throws -> PubkyProfile {
    try await Paykit.client().profile(pubkey: pubkey)
}

/// Returns the users that a user follows.
///
/// - Throws: ``PaykitError``.
public func pubky_fetch_follows(pubkey: String) async throws -> [PubkyListItem] {
    try await Paykit.client().follows(pubkey: pubkey)
}

/// Publishes the profile of this device's user.
///
/// - Throws: ``PaykitError``.
public func pubky_publish_profile(_ profile: PubkyProfile) async throws {
    try await Paykit.client().publish(profile)
}

/// Takes over a session of another program of the same user. `sessionSecret` is the key, a colon and the session's
/// secret, or the secret alone.
///
/// - Throws: ``PaykitError``.
public func pubky_import_session(pubkey: String, sessionSecret: String) async throws {
    let exported = sessionSecret.contains(":") ? sessionSecret : "\(pubkey):\(sessionSecret)"
    try await Paykit.client().importSession(Redacted(exported))
}

/// Ends the session here and at the homeserver.
///
/// - Throws: ``PaykitError``.
public func pubky_signout() async throws {
    try await Paykit.client().signOut()
}

// MARK: - Service

/// The calls that an application needs of Paykit, so that tests can substitute them (guide, "Mock Transport for
/// Testing"). Users are named by `pubkey`, in any form that a key has. Methods have names such as `lightning`.
public protocol PaykitService: Sendable {
    /// Publishes the user's own endpoint for a method.
    ///
    /// - Throws: ``PaykitError``.
    func setEndpoint(methodId: String, endpoint: String) async throws

    /// Removes the user's own endpoint for a method.
    ///
    /// - Throws: ``PaykitError``.
    func removeEndpoint(methodId: String) async throws

    /// Returns a user's endpoint for a method; nil when they publish none.
    ///
    /// - Throws: ``PaykitError``.
    func getEndpoint(pubkey: String, methodId: String) async throws -> String?

    /// Returns the endpoints of a user.
    ///
    /// - Throws: ``PaykitError``.
    func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods

    /// Returns the best way to pay a user. `preferredMethod` is the method to use if it is offered.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they cannot be paid at all.
    func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult
}

extension PaykitService {
    /// Returns those of the usual methods, `lightning` and `onchain`, that have an endpoint.
    ///
    /// - Throws: errors of ``getEndpoint(pubkey:methodId:)``.
    public func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods {
        var methods: [PaykitSupportedMethod] = []
        for method in SmartCheckout.usualOrder {
            guard let endpoint = try await getEndpoint(pubkey: pubkey, methodId: method) else { continue }
            methods.append(PaykitSupportedMethod(methodId: method, endpoint: endpoint))
        }
        return PaykitSupportedMethods(methods: methods)
    }

    /// Returns the best of the supported methods. None of them is offered to this device alone. `preferredMethod` is
    /// the method to use if it is offered.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when there is none.
    public func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
        let published = try await getSupportedMethods(pubkey: pubkey).methods as [PaykitSupportedMethod]
        guard let endpoint = SmartCheckout.choice(among: published.map(\.published), preferring: preferredMethod) else {
            throw PaykitError(
                .methodNotSupported, "No payment methods available for this peer", methodID: preferredMethod)
        }
        return PaykitCheckoutResult(published: endpoint)
    }
}

extension PaykitCheckoutResult {
    init(published endpoint: PaykitEndpoint) {
        self.init(
            methodId: endpoint.methodID, endpoint: endpoint.endpoint, isPrivate: false, requiresInteractive: false)
    }
}

// MARK: - Methods and results

/// A way to pay a user.
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

/// The ways to pay a user.
public struct PaykitSupportedMethods: Sendable, Hashable, PaykitCacheEntry {
    /// The methods, by name.
    public let methods: [PaykitSupportedMethod]
    /// The time when this expires: until then it may be reused without another request.
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
