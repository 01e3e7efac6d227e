public import PaykitProvider

/// What only the owner of a device may want: a ``PaykitConsent`` is asked before it is done.
@nonexhaustive
public enum PaykitSensitiveAct: Sendable, Hashable {
    /// Where this user is paid is published anew: whoever changes it gets their money.
    case publishEndpoint(methodId: String)
    /// It is taken back.
    case removeEndpoint(methodId: String)
    /// Another device or app is let in, and may do this in the user's name. Its name is what it says itself.
    case letIn(app: String?, [PubkyCapability])
    /// This device's own session is given to an app of the same user.
    case giveSession(app: String?)
    /// A session and keys are left for another device.
    case handOff(deviceID: String)
}

/// Has the owner of the device agree, as by a look at their face or finger. What it throws is thrown on, and nothing is
/// done then.
///
/// What runs in the background, such as the rotation of endpoints, does not ask: nobody might be there.
public typealias PaykitConsent = @Sendable (PaykitSensitiveAct) async throws -> Void
