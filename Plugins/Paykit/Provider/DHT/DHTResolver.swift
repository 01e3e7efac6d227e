import Synchronization

/// Finds and stores signed items in the mainline DHT (BEP 5 and 44), without any relay.
///
/// It only asks: it answers no questions, keeps no port open between searches and stores nothing for others. Each
/// search has its own socket and ends by itself. Nodes are trusted only as far as the owner's signature goes; of
/// several items the newest counts.
///
/// ```swift
/// let network = try PubkyNetwork.standard(dht: DHTResolver(transport: UDPTransport()))
/// ```
public final class DHTResolver: Sendable {
    private let configuration: DHTConfiguration
    let transport: any DatagramTransport
    private let clock: any PaymentClock
    private let random: any RandomSource
    private let memory = Mutex(DHTMemory())

    /// The number of nodes of earlier searches that are asked first.
    private static let remembered = 8

    /// Creates a resolver. Keep one for each network and share it: it learns which nodes to ask.
    ///
    /// - Parameters:
    ///   - configuration: the nodes that are asked first, and the limits of a search.
    ///   - transport: the way to the network.
    ///   - clock: measures the time limits.
    ///   - random: draws ids and transactions, which must be unpredictable on the internet.
    public init(
        _ configuration: DHTConfiguration = DHTConfiguration(), transport: any DatagramTransport,
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.transport = transport
        self.clock = clock
        self.random = random
    }

    /// Searches for the newest item of a key.
    ///
    /// - Parameters:
    ///   - key: the owner's Ed25519 public key, 32 bytes.
    ///   - sequence: when given, only items with a higher number are of interest.
    /// - Returns: the result; without an item when no node has one.
    /// - Throws: ``DHTError/noAnswer(asked:)``, ``DHTError/network(_:)`` and ``DHTError/cancelled``.
    package func resolve(_ key: [UInt8], newerThan sequence: Int64? = nil) async throws(DHTError) -> DHTSearch {
        let socket = try await open()
        defer { socket.close() }
        return try await search(key, newerThan: sequence, over: socket).search
    }

    /// Stores an item at the nodes near its key.
    ///
    /// The net is searched first, for the nodes and for their items. Nodes that refuse because of a newer item cannot
    /// prove that they have one: if others stored the item, the report counts such refusals, and another search shows
    /// the truth.
    ///
    /// - Parameters:
    ///   - item: the item to store.
    ///   - sequence: when given, the number of the item to replace. Nodes without an item store it anyway.
    /// - Returns: the number of nodes that store it, at least one.
    /// - Throws: ``DHTError``; ``DHTError/outdated(by:)`` and ``DHTError/mismatch(_:)`` before anything was stored.
    package func publish(
        _ item: MutableItem, replacing sequence: Int64? = nil
    ) async throws(DHTError) -> DHTPublication {
        let socket = try await open()
        defer { socket.close() }
        let lookup = try await search(item.key, newerThan: nil, over: socket)
        if let newest = lookup.newest, newest.isNewer(than: item) { throw .outdated(by: newest) }
        // An item that is already there replaces nothing: an earlier call stored it, and its answers were lost.
        let isThere = lookup.newest == item
        if let sequence, let newest = lookup.newest, !isThere, newest.sequence != sequence { throw .mismatch(newest) }
        var round = PutRound(
            item, replacing: isThere ? nil : sequence, at: lookup.stores, configuration, random: random,
            now: clock.uptime)
        _ = try await round.run(over: socket, clock: clock)
        guard round.report.stored > 0 else { throw .notStored(round.report) }
        return round.report
    }

    // MARK: Searching

    private func search(
        _ key: [UInt8], newerThan sequence: Int64?, over socket: any DatagramSocket
    ) async throws(DHTError) -> Lookup {
        let target = MutableItem.target(key: key)
        let first = try await bootstrapAddresses()
        let known = memory.withLock { $0.nearest(to: target, count: Self.remembered) }
        var lookup = Lookup(
            target: target, key: key, newerThan: sequence, from: first + known, configuration, random: random,
            now: clock.uptime)
        let failure = try await lookup.run(over: socket, clock: clock)
        guard lookup.search.answered > 0 else {
            if let failure { throw .network(failure) }
            throw .noAnswer(asked: lookup.search.asked)
        }
        memory.withLock { [random] in
            $0.learn(reliable: lookup.reliable, unreliable: lookup.unreliable, random: random)
        }
        return lookup
    }

    private func open() async throws(DHTError) -> any DatagramSocket {
        do throws(DatagramError) {
            return try await transport.open(configuration.localAddress)
        } catch {
            throw error == .cancelled ? .cancelled : .network(error)
        }
    }

    /// Returns the addresses of the first nodes. Unknown names are skipped as long as one is known.
    private func bootstrapAddresses() async throws(DHTError) -> [DatagramAddress] {
        let now = clock.uptime
        if let kept = memory.withLock({ $0.firstNodes(at: now) }) { return kept }
        let transport = transport
        let answers = await withTaskGroup(of: (Int, Result<[DatagramAddress], DatagramError>).self) { group in
            for (index, node) in configuration.bootstrap.enumerated() {
                group.addTask {
                    do throws(DatagramError) {
                        return (index, .success(try await transport.addresses(of: node.host, port: node.port)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var answers: [(Int, Result<[DatagramAddress], DatagramError>)] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
        guard !Task.isCancelled else { throw .cancelled }
        // A name may have many addresses; a few of each suffice.
        let found = answers.flatMap { ((try? $0.get()) ?? []).prefix(4) }
        if found.isEmpty, case .failure(let error)? = answers.first { throw .network(error) }
        let end = clock.uptime
        memory.withLock { $0.keepFirstNodes(found, at: end) }
        return found
    }
}

// MARK: - Configuration

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

    /// The nodes that are asked first. One dishonest node can do less harm if there are many and they are independent
    /// of each other.
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
    /// The time that a question occupies its slot. Its answer counts until ``answerTimeout``.
    public var slotDuration = Duration.milliseconds(700)
    /// The longest wait for an answer.
    public var answerTimeout = Duration.seconds(2)
    /// The longest duration of a search, or of the storing after it.
    public var timeLimit = Duration.seconds(20)
    /// The number of bytes of a transaction. Pubky's current nodes read only 4, those before 2026 only 2, all others
    /// any number. A second question to the same node uses 2.
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

// MARK: - Results

package struct DHTSearch: Sendable, Hashable {
    /// The newest item that a node had, its signature checked; nil when no node had one.
    package let item: MutableItem?
    package let asked: Int
    package let answered: Int
    /// The number of nodes that sent an item that is not the owner's.
    package let lied: Int
    /// True if the search was complete: every node near enough was asked. Otherwise a newer item may be missed.
    package let isComplete: Bool
}

/// The result of storing an item.
package struct DHTPublication: Sendable, Hashable {
    /// The number of nodes that report to store it. Ten and more are good on the internet.
    package internal(set) var stored = 0
    /// The number of nodes that claim an item with a higher number (302). The answer proves nothing: search for the
    /// item.
    package internal(set) var outdated = 0
    /// The number of nodes that claim an item with another number than the one to be replaced (301).
    package internal(set) var mismatched = 0
    /// The number of nodes that refused for another reason.
    package internal(set) var refused = 0
    package internal(set) var silent = 0
}

/// A failure to search or to store.
package enum DHTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// None of this many nodes answered.
    case noAnswer(asked: Int)
    /// A newer item of the key is stored than the one to be published.
    case outdated(by: MutableItem)
    /// Another item is stored than the one to be replaced.
    case mismatch(MutableItem)
    case notStored(DHTPublication)
    case network(DatagramError)
    case cancelled

    package var description: String {
        switch self {
        case .noAnswer(asked: 0):
            "no node of the DHT is known that may be asked; give the addresses of some to begin with"
        case .noAnswer(let asked):
            "none of \(asked) nodes of the DHT answered; look whether this network lets UDP through, or use a relay"
        case .outdated(let item):
            "the DHT already has a newer item (\(item.sequence)); read it, then publish with a higher number"
        case .mismatch(let item):
            "the DHT has item \(item.sequence) where another was to be replaced; read it and try again"
        case .notStored(let report):
            "no node of the DHT stored the item (\(report.outdated) have a newer one, \(report.mismatched) another, "
                + "\(report.refused) refused, \(report.silent) were silent)"
        case .network(let error): "\(error)"
        case .cancelled: "cancelled"
        }
    }
}

// MARK: - Packets

/// Packets in the DHT (Protocol 2.4): items whose sequence number is the packet's time.
extension DHTResolver: PacketStore {
    /// Returns the latest packet of `key`; nil if every node near enough was asked and none has a packet.
    ///
    /// - Throws: ``PaykitNetworkError``, also for an incomplete search: a packet may have been missed.
    public func packet(of key: PubkyKey) async throws(PaykitNetworkError) -> SignedPacket? {
        let search: DHTSearch
        do { search = try await resolve(key.bytes) } catch { throw Self.failure(error) }
        if let item = search.item, let packet = Self.packet(item, of: key) { return packet }
        try require(search.isComplete, .connectionTimeout, "the DHT was not searched to the end; try again later")
        return nil
    }

    /// Stores a packet at the nodes near its key.
    ///
    /// - Returns: the later packet of the key that the DHT has; nil when `packet` is stored.
    /// - Throws: ``PaykitNetworkError`` when no node stores it.
    public func store(_ packet: SignedPacket) async throws(PaykitNetworkError) -> SignedPacket? {
        guard let sequence = Int64(exactly: packet.timestamp),
            let item = try? MutableItem(
                key: packet.key.bytes, sequence: sequence, value: packet.dns, signature: packet.signature)
        else { throw PaykitNetworkError(.validationFailed, "the packet's time is beyond what the DHT can number") }
        do {
            _ = try await publish(item)
            return nil
        } catch {
            if case .outdated(let item) = error, let later = Self.packet(item, of: packet.key) { return later }
            throw Self.failure(error)
        }
    }

    /// Returns the addresses of a host, as the transport finds them. `host` is a name, or an address in dotted form.
    public func addresses(of host: String) async -> [StreamAddress]? {
        try? await transport.addresses(of: host, port: 443).map { StreamAddress($0) }
    }

    /// Returns the packet in an item; nil for a malformed one, which is ignored.
    private static func packet(_ item: MutableItem, of key: PubkyKey) -> SignedPacket? {
        guard let time = UInt64(exactly: item.sequence) else { return nil }
        return try? SignedPacket(key: key, signature: item.signature, timestamp: time, dns: item.value)
    }

    private static func failure(_ error: DHTError) -> PaykitNetworkError {
        switch error {
        case .noAnswer, .network, .cancelled: PaykitNetworkError(.connectionFailed, "\(error)")
        default: PaykitNetworkError(.storage, "\(error)")
        }
    }
}

// MARK: - Memory

/// The nodes that earlier DHT searches found, in a bounded number. With them a search neither asks nor trusts the first
/// nodes alone.
struct DHTMemory {
    private var nodes: [NodeContact] = []
    private var first: (nodes: [DatagramAddress], at: Duration)?

    private static let limit = 256
    /// The time that the addresses of the first nodes' names are kept.
    private static let namesKept = Duration.seconds(600)

    func nearest(to target: NodeID, count: Int) -> [DatagramAddress] {
        nodes.sorted { $0.id.distance(to: target) < $1.id.distance(to: target) }.prefix(count).map(\.address)
    }

    /// Keeps nodes that answered, and forgets those that did not. A full memory drops others at random.
    mutating func learn(reliable: [NodeContact], unreliable: Set<DatagramAddress>, random: any RandomSource) {
        nodes.removeAll { unreliable.contains($0.address) }
        for node in reliable {
            if let place = nodes.firstIndex(where: { $0.address.host == node.address.host && $0.address.isPublic }) {
                nodes[place] = node
            } else if let place = nodes.firstIndex(where: { $0.address == node.address }) {
                nodes[place] = node
            } else if nodes.count < Self.limit {
                nodes.append(node)
            } else {
                nodes[Int(truncatingIfNeeded: random.next() % UInt64(Self.limit))] = node
            }
        }
    }

    /// Returns the addresses of the first nodes; nil if their names have to be looked up again.
    func firstNodes(at uptime: Duration) -> [DatagramAddress]? {
        // A caller with another clock resolves the names again.
        guard let first, first.at <= uptime, uptime < first.at + Self.namesKept else { return nil }
        return first.nodes
    }

    mutating func keepFirstNodes(_ addresses: [DatagramAddress], at uptime: Duration) { first = (addresses, uptime) }
}
