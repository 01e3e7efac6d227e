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

    /// Creates a resolver. Keep it, for all who share a network: it learns which nodes to ask.
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
    ///   - sequence: when given, the number of the item to replace. Nodes without an item store it all the same.
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
