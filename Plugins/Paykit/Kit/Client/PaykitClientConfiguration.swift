public import PaykitProvider
public import PaymentCore

/// How a ``PaykitClient`` works.
public struct PaykitClientConfiguration: Sendable {
    /// Where the network is entered.
    public var network: PubkyNetwork
    /// What sessions of this device may do.
    public var capabilities: [PubkyCapability]
    /// How long somebody's methods are shown without asking again.
    public var cacheTime: Duration
    /// Of how many users methods are kept.
    public var cacheCapacity: Int
    /// When endpoints of one's own are replaced, by method; `onUse` where nothing is said.
    public var rotation: [String: PaykitRotationPolicy]
    /// Looks at endpoints before they are published or chosen; nil takes every text for one. Applications that pay give
    /// one.
    public var endpointCheck: PaykitEndpointCheck?
    /// What the homeserver wants of new users.
    public var signUpToken: Redacted<String>?
    /// What tells this device's private channels from those of the same user's other devices: 16 bytes at least, or
    /// nothing for what the vendor's library calls all of its own.
    public var device: [UInt8]?
    /// How many times the key of this device's channels was changed.
    public var epoch: UInt32
    /// How long somebody who is spoken to privately is waited for, each time.
    public var channelTimeout: Duration
    /// How this app calls itself when it is let in: 1 to 253 bytes, by custom a domain. Key managers show it.
    public var clientID: String
    /// Asked before anything that only the owner of the device may want; nil for an app that asks by itself.
    public var consent: PaykitConsent?
    /// Which forms of Paykit are read and published; see ``receiver``.
    public var generations: PaykitGenerations
    /// As which app endpoints are published in today's form, such as `bitkit/wallet`; nil to publish in none but the
    /// older one. A wallet chooses its own once, and keeps it: payers know it by that.
    public var receiver: PaykitReceiverPath?
    /// The secret of that app's private links: 32 bytes, drawn once, kept in a keychain and never changed; nil for
    /// none.
    public var receiverSecret: Redacted<[UInt8]>?

    /// Creates a configuration.
    public init(
        network: PubkyNetwork, capabilities: [PubkyCapability] = [.paykit, .profile],
        cacheTime: Duration = .seconds(300),
        cacheCapacity: Int = 1000, rotation: [String: PaykitRotationPolicy] = [:],
        endpointCheck: PaykitEndpointCheck? = nil, signUpToken: Redacted<String>? = nil, device: [UInt8]? = nil,
        epoch: UInt32 = 0, channelTimeout: Duration = .seconds(30),
        clientID: String = "swift-payment-router", consent: PaykitConsent? = nil,
        generations: PaykitGenerations = .both, receiver: PaykitReceiverPath? = nil,
        receiverSecret: Redacted<[UInt8]>? = nil
    ) {
        self.network = network
        self.capabilities = capabilities
        self.cacheTime = cacheTime
        self.cacheCapacity = cacheCapacity
        self.rotation = rotation
        self.endpointCheck = endpointCheck
        self.signUpToken = signUpToken
        self.device = device
        self.epoch = epoch
        self.channelTimeout = channelTimeout
        self.clientID = clientID
        self.consent = consent
        self.generations = generations
        self.receiver = receiver
        self.receiverSecret = receiverSecret
    }

    /// What sessions are asked for: what the application wants, and what its receiver takes beside that.
    var sessionCapabilities: [PubkyCapability] {
        guard generations != .second, let receiver else { return capabilities }
        return capabilities
            + receiver.capabilities.filter { needed in
                !capabilities.contains { $0.canRead && $0.canWrite && $0.covers(needed.scope) }
            }
    }
}
