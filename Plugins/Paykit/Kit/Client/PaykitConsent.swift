/// An act that only the owner of a device may want. A ``PaykitConsent`` is asked before it.
@nonexhaustive
public enum PaykitSensitiveAct: Sendable, Hashable {
    /// Publishes another endpoint of this user: its author receives the user's payments.
    case publishEndpoint(methodId: String)
    /// Removes an endpoint.
    case removeEndpoint(methodId: String)
    /// Authorises another device or app. It never happens without a consent.
    case letIn(PaykitAdmission)
    /// Hands this device's own session to an app of the same user. It never happens without a consent.
    case giveSession(PaykitAdmission)
    /// Leaves a session and keys for another device. It never happens without a consent.
    case handOff(deviceID: String, PaykitAdmission)
}

/// A function that asks the owner of the device to agree, as by recognition of their face or finger. If it throws,
/// nothing is done, and its error is rethrown.
///
/// Background work, such as the rotation of endpoints, does not ask: the user may not be present.
public typealias PaykitConsent = @Sendable (PaykitSensitiveAct) async throws -> Void

/// The permissions that an app or device would get by an approval, to be shown to the user.
public struct PaykitAdmission: Sendable, Hashable {
    /// The app's own, unverified name; nil if it states none.
    public let app: String?
    /// The permissions.
    public let capabilities: [PubkyCapability]
    /// The origin of the relay that carries the approval to the app; nil if there is no relay.
    public let relay: String?
    /// The addresses that are opened afterwards, by the app's choice.
    public let callbacks: [String]

    init(app: String?, _ capabilities: [PubkyCapability], relay: String? = nil, callbacks: [String?]) {
        self.app = app
        self.capabilities = capabilities
        self.relay = relay
        self.callbacks = callbacks.compactMap(\.self)
    }

    /// The folders with a meaning for money and identity, and what an app that may write there can do.
    private static let powers = [
        ("/pub/paykit.app/", "receive payments in your name"), ("/pub/paykit/", "receive payments in your name"),
        ("/pub/pubky.app/", "change your public profile"),
    ]

    /// The acts in the user's name that the permissions allow, in sentences for the user, the gravest first.
    public var powers: [String] {
        var found: [String] = []
        func add(_ text: String) { if !found.contains(text) { found.append(text) } }
        for capability in capabilities where capability.canWrite {
            if capability.scope == "/" { add("do everything in your name, also admit other apps") }
            for (folder, text) in Self.powers
            where folder.hasPrefix(capability.scope) || capability.scope.hasPrefix(folder) { add(text) }
        }
        for capability in capabilities
        where capability.canRead
            && ["/", "/priv/"].contains(where: {
                $0.hasPrefix(capability.scope) || capability.scope.hasPrefix("/priv/")
            })
        {
            add("read what only you can read")
        }
        for capability in capabilities {
            let acts = [capability.canRead ? "read" : nil, capability.canWrite ? "write" : nil].compactMap(\.self)
            add("\(acts.joined(separator: " and ")) \(capability.scope)")
        }
        return found
    }
}

extension PaykitClient {
    /// Asks for consent to an act that gives another app or device permissions. Throws ``PaykitError`` without a
    /// consent handler, and the error of the configuration's `consent`.
    func requireConsent(_ act: PaykitSensitiveAct) async throws {
        guard let consent = configuration.consent else {
            throw PaykitError(
                .auth, "nothing is approved without the user: set the configuration's consent, and ask the user there")
        }
        try await consent(act)
    }
}
