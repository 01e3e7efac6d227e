public import PaymentCore

/// Finds and stores signed items in the mainline DHT (BEP 5 and 44), without any relay.
///
/// It only asks: it answers nobody, keeps no port open between searches and stores nothing for others. Each search has
/// a socket of its own and ends by itself. What nodes say is believed only as far as the owner's signature goes; of
/// several items the newest counts.
///
/// ```swift
/// let resolver = DHTResolver(transport: UDPTransport(), clock: context.clock, random: context.random)
/// let packet = try await resolver.resolve(key).item
/// ```
public final class DHTResolver: Sendable {
    private let configuration: DHTConfiguration
    private let transport: any DatagramTransport
    private let clock: any PaymentClock
    private let random: any RandomSource
    private let memory: DHTMemory

    /// How many nodes of earlier searches are asked first.
    private static let remembered = 8

    /// Creates a resolver. Keep it: it learns whom to ask.
    ///
    /// - Parameters:
    ///   - configuration: who is asked first, and for how long.
    ///   - transport: the way to the network.
    ///   - clock: what time limits are measured by.
    ///   - random: where ids and transactions come from; what nobody may foresee on the internet.
    public convenience init(
        _ configuration: DHTConfiguration = DHTConfiguration(), transport: any DatagramTransport,
        clock: any PaymentClock, random: any RandomSource
    ) {
        self.init(configuration, transport: transport, memory: DHTMemory(), clock: clock, random: random)
    }

    /// Creates a resolver that goes on with what others learned.
    package init(
        _ configuration: DHTConfiguration, transport: any DatagramTransport, memory: DHTMemory,
        clock: any PaymentClock, random: any RandomSource
    ) {
        self.configuration = configuration
        self.transport = transport
        self.memory = memory
        self.clock = clock
        self.random = random
    }

    /// Searches for the newest item of a key.
    ///
    /// - Parameters:
    ///   - key: the owner's Ed25519 public key, 32 bytes.
    ///   - sequence: when given, only items with a higher number are of interest.
    /// - Returns: what was found; without an item when no node has one.
    /// - Throws: ``DHTError/noAnswer(asked:)``, ``DHTError/network(_:)`` and ``DHTError/cancelled``.
    public func resolve(_ key: [UInt8], newerThan sequence: Int64? = nil) async throws(DHTError) -> DHTSearch {
        let socket = try await open()
        defer { socket.close() }
        return try await search(key, newerThan: sequence, over: socket).search
    }

    /// Stores an item at the nodes near its key.
    ///
    /// The net is searched first, for the nodes and for what they store. Nodes that refuse because of a newer item
    /// cannot prove that they have one: where others stored the item, the report tells, and looking again shows the
    /// truth.
    ///
    /// - Parameters:
    ///   - item: what is stored.
    ///   - sequence: when given, the number of the item that this one is to replace. Nodes that have none store it all
    ///     the same.
    /// - Returns: how many nodes store it, at least one.
    /// - Throws: ``DHTError``; ``DHTError/outdated(by:)`` and ``DHTError/mismatch(_:)`` before anything was stored.
    public func publish(
        _ item: MutableItem, replacing sequence: Int64? = nil
    ) async throws(DHTError) -> DHTPublication {
        let socket = try await open()
        defer { socket.close() }
        let lookup = try await search(item.key, newerThan: nil, over: socket)
        if let newest = lookup.newest, newest.isNewer(than: item) { throw .outdated(by: newest) }
        // What is already there needs nothing replaced: an earlier call stored it, and its answers were lost.
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
        let known = memory.nearest(to: target, count: Self.remembered)
        var lookup = Lookup(
            target: target, key: key, newerThan: sequence, from: first + known, configuration, random: random,
            now: clock.uptime)
        let failure = try await lookup.run(over: socket, clock: clock)
        guard lookup.search.answered > 0 else {
            if let failure { throw .network(failure) }
            throw .noAnswer(asked: lookup.search.asked)
        }
        memory.learn(reliable: lookup.reliable, unreliable: lookup.unreliable, random: random)
        return lookup
    }

    private func open() async throws(DHTError) -> any DatagramSocket {
        do throws(DatagramError) {
            return try await transport.open(configuration.localAddress)
        } catch {
            throw error == .cancelled ? .cancelled : .network(error)
        }
    }

    /// The addresses of the first nodes. Names that nobody knows are passed over as long as one is known.
    private func bootstrapAddresses() async throws(DHTError) -> [DatagramAddress] {
        if let kept = memory.firstNodes(at: clock.uptime) { return kept }
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
        // A name may have many addresses; a few of each will do.
        let found = answers.flatMap { ((try? $0.get()) ?? []).prefix(4) }
        if found.isEmpty, case .failure(let error)? = answers.first { throw .network(error) }
        memory.keepFirstNodes(found, at: clock.uptime)
        return found
    }
}
