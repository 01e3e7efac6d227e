public import PaykitProvider
import PaykitPubky

/// An act that only the owner of a device may want: a ``PaykitConsent`` is asked before it.
@nonexhaustive
public enum PaykitSensitiveAct: Sendable, Hashable {
    /// Publishes another endpoint of this user: its author receives the user's payments.
    case publishEndpoint(methodId: String)
    /// Removes an endpoint.
    case removeEndpoint(methodId: String)
    /// Authorises another device or app for these permissions in the user's name. It chose its name itself.
    case letIn(app: String?, [PubkyCapability])
    /// Hands this device's own session to an app of the same user.
    case giveSession(app: String?)
    /// Leaves a session and keys for another device.
    case handOff(deviceID: String)
}

/// Asks the owner of the device to agree, as by recognition of their face or finger. Its errors are rethrown, and
/// nothing is done then.
///
/// Background work, such as the rotation of endpoints, does not ask: the user may not be present.
public typealias PaykitConsent = @Sendable (PaykitSensitiveAct) async throws -> Void
