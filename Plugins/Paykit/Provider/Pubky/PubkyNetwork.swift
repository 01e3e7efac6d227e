// All of Paykit's modules use these. Each of them exports the one below it.
@_exported public import PaymentCore

#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif

/// The entry points of the Pubky network.
public struct PubkyNetwork: Sendable {
    /// The relays. They are asked for the homeservers of users, and the user's own packet is published to them
    /// (Protocol 2.2). All are asked, and the latest signed packet counts, whichever relay returns it.
    public var relays: [HTTPURL]
    /// The DHT, a ``DHTResolver``, which is asked in addition to the relays or alone; nil to ask relays only. Without
    /// it, a payee is not found if no relay knows them, or if no relay can be asked.
    public var dht: (any PacketStore)?
    /// The relay that carries another device's authorisation of this one (Protocol 1.7 and 10.8).
    public var authorizationRelay: HTTPURL
    /// True if homeservers on this machine are allowed, as in tests and sandboxes. A stranger's record can then direct
    /// requests to services of this device.
    public var allowsLocalHomeservers: Bool

    /// Creates the description of a network.
    public init(
        relays: [HTTPURL], dht: (any PacketStore)? = nil, authorizationRelay: HTTPURL,
        allowsLocalHomeservers: Bool = false
    ) {
        self.relays = relays
        self.dht = dht
        self.authorizationRelay = authorizationRelay
        self.allowsLocalHomeservers = allowsLocalHomeservers
    }

    /// Returns true if an approval may be sent to a relay that a scanned link names: none in the device's own network.
    package func permits(_ relay: HTTPURL) -> Bool {
        if allowsLocalHomeservers, relay.isLoopback { return true }
        guard relay.isSecure, !OutboundHosts.isPrivate(relay.host) else { return false }
        return StreamAddress(host: relay.host, port: relay.port)?.isPublic ?? relay.host.contains(".")
    }

    /// Returns the public network: the relays that its own clients ask, and the DHT.
    ///
    /// - Parameter dht: the DHT, such as `DHTResolver(transport: UDPTransport())`; nil to ask relays only.
    /// - Throws: never; the addresses are constants.
    public static func standard(dht: (any PacketStore)?) throws(LinkDefect) -> PubkyNetwork {
        PubkyNetwork(
            relays: [try HTTPURL("https://pkarr.pubky.app"), try HTTPURL("https://pkarr.pubky.org")],
            dht: dht, authorizationRelay: try HTTPURL("https://httprelay.pubky.app/inbox"))
    }

    /// Returns a sandbox at `url`, which is relay, homeserver and authorisation relay in one.
    ///
    /// - Throws: ``/PaymentCore/LinkDefect`` when the address cannot be extended.
    public static func sandbox(_ url: HTTPURL) throws(LinkDefect) -> PubkyNetwork {
        PubkyNetwork(
            relays: [try url.appending(["pkarr"])], authorizationRelay: try url.appending(["inbox"]),
            allowsLocalHomeservers: true)
    }
}
