public import PaymentCore

/// Where the Pubky network is entered.
public struct PubkyNetwork: Sendable {
    /// The relays that are asked who keeps whose data, and told of one's own (Protocol 2.2). All are asked, and the
    /// latest signed word counts, whoever brings it.
    public var relays: [HTTPURL]
    /// How the DHT is asked beside the relays, or without any; nil for not at all.
    public var dht: DHTConfiguration?
    /// The relay through which another device authorises this one (Protocol 1.7 and 10.8).
    public var authorizationRelay: HTTPURL
    /// Whether homeservers on this machine count: so for tests and sandboxes. Otherwise a stranger's record could have
    /// this device ask its own services.
    public var allowsLocalHomeservers: Bool

    /// Creates the description of a network.
    public init(
        relays: [HTTPURL], dht: DHTConfiguration? = nil, authorizationRelay: HTTPURL,
        allowsLocalHomeservers: Bool = false
    ) {
        self.relays = relays
        self.dht = dht
        self.authorizationRelay = authorizationRelay
        self.allowsLocalHomeservers = allowsLocalHomeservers
    }

    /// The public network: the relays that its own clients ask, and the DHT.
    ///
    /// - Throws: never; the addresses are constants.
    public static func standard() throws(LinkDefect) -> PubkyNetwork {
        PubkyNetwork(
            relays: [try HTTPURL("https://pkarr.pubky.app"), try HTTPURL("https://pkarr.pubky.org")],
            dht: DHTConfiguration(), authorizationRelay: try HTTPURL("https://httprelay.pubky.app/inbox"))
    }

    /// A sandbox at `url`, which is relay, homeserver and authorisation relay in one.
    ///
    /// - Throws: ``/PaymentCore/LinkDefect`` when the address cannot be extended.
    public static func sandbox(_ url: HTTPURL) throws(LinkDefect) -> PubkyNetwork {
        PubkyNetwork(
            relays: [try url.appending(["pkarr"])], authorizationRelay: try url.appending(["inbox"]),
            allowsLocalHomeservers: true)
    }
}
