import PaymentCore

/// How the DHT is searched. The defaults are right for the internet.
public struct DHTConfiguration: Sendable, Hashable {
    /// A node that is asked first: a host's name, or an IPv4 address in dotted form, and a port.
    public struct Bootstrap: Sendable, Hashable {
        /// The name or address.
        public let host: String
        /// The port.
        public let port: UInt16

        /// Creates a node's name.
        public init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        /// Creates a node's name from its address.
        public init(_ address: DatagramAddress) {
            self.init(host: address.octets.map(String.init).joined(separator: "."), port: address.port)
        }
    }

    /// The nodes that are asked first. The more of them and the less they have to do with each other, the less one that
    /// lies can do.
    public var bootstrap: [Bootstrap]
    /// Whether nodes may have private addresses or be on this machine: for sandboxes and tests. Where they may not, an
    /// address is also asked only once, or a few times where its ids belong to it (BEP 42).
    public var allowsPrivateAddresses = false
    /// What the socket is bound to.
    public var localAddress = DatagramAddress.any
    /// The most questions of one search. Each is sent to another address, and once, but for those to ``bootstrap``.
    public var queryLimit = 192
    /// The most questions that wait for an answer and have not waited for ``slotDuration``.
    public var concurrency = 12
    /// How long a question holds its place. Its answer counts until ``answerTimeout``.
    public var slotDuration = Duration.milliseconds(700)
    /// How long an answer is waited for.
    public var answerTimeout = Duration.seconds(2)
    /// How long a search, or the storing after it, takes at most.
    public var timeLimit = Duration.seconds(20)
    /// The bytes of a transaction's number. Pubky's nodes of today read only 4, those of before 2026 only 2, all others
    /// any: who is asked a second time is asked with 2.
    public var transactionLength = 4

    /// Nodes that are known to all, and one of Pubky's.
    public static let publicBootstrap = [
        Bootstrap(host: "router.bittorrent.com", port: 6881),
        Bootstrap(host: "dht.transmissionbt.com", port: 6881),
        Bootstrap(host: "dht.libtorrent.org", port: 25_401),
        Bootstrap(host: "relay.pkarr.org", port: 6881),
    ]

    /// Creates a configuration for the internet.
    ///
    /// - Parameter bootstrap: the nodes that are asked first.
    public init(bootstrap: [Bootstrap] = publicBootstrap) { self.bootstrap = bootstrap }

    /// Creates a configuration for nodes on this machine or in a private network.
    ///
    /// - Parameter addresses: the nodes that are asked first.
    public static func local(_ addresses: [DatagramAddress]) -> DHTConfiguration {
        var configuration = DHTConfiguration(bootstrap: addresses.map(Bootstrap.init))
        configuration.allowsPrivateAddresses = true
        return configuration
    }
}
