import PaykitProvider
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
