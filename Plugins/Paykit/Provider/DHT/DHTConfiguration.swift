/// The parameters of DHT searches. The defaults are right for the internet.
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

    /// The nodes that are asked first. The more of them there are, and the more independent they are of each other, the
    /// less harm one dishonest node can do.
    public var bootstrap: [Bootstrap]
    /// True if nodes may have private addresses or be on this machine: for sandboxes and tests. Otherwise an address is
    /// also asked only once, or a few times if its ids belong to it (BEP 42).
    public var allowsPrivateAddresses = false
    /// The address that the socket is bound to.
    public var localAddress = DatagramAddress.any
    /// The most questions of one search. Each goes to another address, and once, except those to ``bootstrap``.
    public var queryLimit = 192
    /// The most questions that wait for an answer and have not waited for ``slotDuration``.
    public var concurrency = 12
    /// The time for which a question occupies its slot. Its answer counts until ``answerTimeout``.
    public var slotDuration = Duration.milliseconds(700)
    /// The longest wait for an answer.
    public var answerTimeout = Duration.seconds(2)
    /// The longest duration of a search, or of the storing after it.
    public var timeLimit = Duration.seconds(20)
    /// The number of bytes of a transaction. Pubky's current nodes read only 4, those before 2026 only 2, all others
    /// any: a second question to the same node uses 2.
    public var transactionLength = 4

    /// Well-known public nodes, and one of Pubky's.
    public static let publicBootstrap = [
        Bootstrap(host: "router.bittorrent.com", port: 6881), Bootstrap(host: "dht.transmissionbt.com", port: 6881),
        Bootstrap(host: "dht.libtorrent.org", port: 25_401), Bootstrap(host: "relay.pkarr.org", port: 6881),
    ]

    /// Creates a configuration for the internet. `bootstrap` are the nodes that are asked first.
    public init(bootstrap: [Bootstrap] = publicBootstrap) { self.bootstrap = bootstrap }

    /// Creates a configuration for nodes on this machine or in a private network. `addresses` are asked first.
    public static func local(_ addresses: [DatagramAddress]) -> DHTConfiguration {
        var configuration = DHTConfiguration(bootstrap: addresses.map(Bootstrap.init))
        configuration.allowsPrivateAddresses = true
        return configuration
    }
}
