import PaymentCore
import PaymentTransport
import Synchronization

// The guide's functions, by its own names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// What the guide's functions use, for the whole process. Applications that want more than one user, another network or
/// tests without one make a ``PaykitClient`` of their own.
public enum Paykit {
    /// The client by its other name.
    public typealias Client = PaykitClient

    private static let shared = Mutex<PaykitClient?>(nil)

    /// The client that the guide's functions use: one over the public network, until another is put in its place.
    ///
    /// - Throws: ``PaykitError`` when there is none and none can be made.
    public static func client() throws(PaykitError) -> PaykitClient {
        try shared.withLock { client throws(PaykitError) in
            if let client { return client }
            guard let network = try? PubkyNetwork.standard() else { throw .notAuthenticated }
            let made = PaykitClient(
                configuration: PaykitClientConfiguration(network: network), transport: StandardTransport())
            client = made
            return made
        }
    }

    /// Has the guide's functions use `client`, as for a sandbox. Call it before any of them.
    public static func use(_ client: PaykitClient) { shared.withLock { $0 = client } }

    @TaskLocal private static var standIn: (any PaykitService)?

    /// Does `work`, in which the guide's functions for endpoints ask `service` instead: its mock, in tests. Other tasks
    /// keep theirs.
    ///
    /// - Parameters:
    ///   - service: what is asked.
    ///   - work: what asks it.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws.
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

/// Signs in with a secret key, or up where the homeserver does not know it yet.
///
/// - Parameters:
///   - secretKeyHex: the Ed25519 seed: 64 hexadecimal digits.
///   - homeserverPubkey: the homeserver's key.
/// - Throws: ``PaykitError``.
public func paykit_initialize(secretKeyHex: String, homeserverPubkey: String) async throws {
    try await Paykit.client().initialize(secretKeyHex: secretKeyHex, homeserverPubkey: homeserverPubkey)
}

/// Publishes one's own endpoint for a method.
///
/// - Parameters:
///   - methodId: the method, such as `lightning`.
///   - endpoint: where to pay.
/// - Throws: ``PaykitError``.
public func paykit_set_endpoint(methodId: String, endpoint: String) async throws {
    try await Paykit.service().setEndpoint(methodId: methodId, endpoint: endpoint)
}

/// Takes one's own endpoint for a method back.
///
/// - Parameter methodId: the method.
/// - Throws: ``PaykitError``.
public func paykit_remove_endpoint(methodId: String) async throws {
    try await Paykit.service().removeEndpoint(methodId: methodId)
}

/// Returns how somebody can be paid.
///
/// - Parameter pubkey: who.
/// - Throws: ``PaykitError``.
public func paykit_get_supported_methods_for_key(pubkey: String) async throws -> PaykitSupportedMethods {
    try await Paykit.service().getSupportedMethods(pubkey: pubkey)
}

/// Returns somebody's endpoint for a method; nil when they publish none.
///
/// - Parameters:
///   - pubkey: whose.
///   - methodId: the method.
/// - Throws: ``PaykitError``.
public func paykit_get_endpoint_for_key_and_method(pubkey: String, methodId: String) async throws -> String? {
    try await Paykit.service().getEndpoint(pubkey: pubkey, methodId: methodId)
}

/// Returns the best way to pay somebody: what they offered to this device alone, then what they publish.
///
/// - Parameters:
///   - pubkey: who is paid.
///   - preferredMethod: the method to take where it is offered.
/// - Throws: ``PaykitError``.
public func paykit_smart_checkout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
    try await Paykit.service().smartCheckout(pubkey: pubkey, preferredMethod: preferredMethod)
}

/// Returns which published methods of one's own need a new endpoint.
///
/// - Parameter pubkey: one's own key.
/// - Throws: ``PaykitError``.
public func paykit_check_rotation_needed(pubkey: String) async throws -> [String] {
    try await Paykit.client().checkRotationNeeded(pubkey: pubkey)
}

/// Returns what somebody says of themselves.
///
/// - Parameter pubkey: who.
/// - Throws: ``PaykitError``.
public func pubky_fetch_profile(pubkey: String) async throws -> PubkyProfile {
    try await Paykit.client().profile(pubkey: pubkey)
}

/// Returns whom somebody follows.
///
/// - Parameter pubkey: who.
/// - Throws: ``PaykitError``.
public func pubky_fetch_follows(pubkey: String) async throws -> [PubkyListItem] {
    try await Paykit.client().follows(pubkey: pubkey)
}

/// Publishes what this device's user says of themselves.
///
/// - Parameter profile: what they say.
/// - Throws: ``PaykitError``.
public func pubky_publish_profile(_ profile: PubkyProfile) async throws {
    try await Paykit.client().publish(profile)
}

/// Takes over a session of another program of the same user.
///
/// - Parameters:
///   - pubkey: whose session it is.
///   - sessionSecret: the key, a colon and the session's secret, or the secret alone.
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
