/// The behaviour of a ``PaykitClient``.
public struct PaykitClientConfiguration: Sendable {
    /// The entry points of the network.
    public var network: PubkyNetwork
    /// The permissions of this device's sessions.
    public var capabilities: [PubkyCapability] = [.paykit, .profile]
    /// The time for which a user's methods are reused without another request.
    public var cacheTime = Duration.seconds(300)
    /// The most users whose methods are cached.
    public var cacheCapacity = 1000
    /// The conditions for replacing the user's own endpoints, by method; `onUse` if none is given.
    public var rotation: [String: PaykitRotationPolicy] = [:]
    /// The check of endpoints before they are published or chosen; nil accepts every text. Applications that pay should
    /// set one.
    public var endpointCheck: PaykitEndpointCheck?
    /// The token that the homeserver requires of new users.
    public var signUpToken: Redacted<String>?
    /// The bytes that distinguish this device's private channels from those of the user's other devices: at least 16,
    /// or none for the value that the vendor's library uses for all devices.
    public var device: [UInt8]?
    /// The number of times that the key of this device's channels was changed.
    public var epoch: UInt32 = 0
    /// The longest wait for each message of a peer on a private channel.
    public var channelTimeout = Duration.seconds(30)
    /// This app's name when it is authorised: 1 to 253 bytes, by custom a domain. Key managers show it.
    public var clientID = "swift-payment-router"
    /// Asks for consent to anything that only the owner of the device may want. Without it no app or device is
    /// approved; the user's own endpoints are published without a question.
    public var consent: PaykitConsent?
    /// The forms of Paykit that are read and published; see ``receiver``.
    public var generations = PaykitGenerations.both
    /// The app under which endpoints are published in the generation 3 form, such as `bitkit/wallet`; nil to publish in
    /// the older one only. A wallet chooses it once, and keeps it: payers recognise it by that.
    public var receiver: PaykitReceiverPath?
    /// The secret of that app's private links: 32 bytes, drawn once, kept in a keychain, never changed; nil for none.
    public var receiverSecret: Redacted<[UInt8]>?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - network: the entry points of the network.
    ///   - receiver: see ``receiver``.
    ///   - receiverSecret: see ``receiverSecret``.
    public init(network: PubkyNetwork, receiver: PaykitReceiverPath? = nil, receiverSecret: Redacted<[UInt8]>? = nil) {
        self.network = network
        self.receiver = receiver
        self.receiverSecret = receiverSecret
    }

    /// The permissions to ask for: those of the application, and further ones that its receiver requires.
    var sessionCapabilities: [PubkyCapability] {
        guard generations != .second, let receiver else { return capabilities }
        return capabilities
            + receiver.capabilities.filter { needed in
                !capabilities.contains { $0.canRead && $0.canWrite && $0.covers(needed.scope) }
            }
    }
}
