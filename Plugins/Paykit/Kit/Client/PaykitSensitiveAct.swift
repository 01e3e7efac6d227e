/// An act that only the owner of a device may want: a ``PaykitConsent`` is asked before it.
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

/// Asks the owner of the device to agree, as by recognition of their face or finger. Its errors are rethrown, and
/// nothing is done then.
///
/// Background work, such as the rotation of endpoints, does not ask: the user may not be present.
public typealias PaykitConsent = @Sendable (PaykitSensitiveAct) async throws -> Void
