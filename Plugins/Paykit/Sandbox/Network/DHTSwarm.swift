public import PaykitProvider
public import PaymentCore
import PaymentCrypto
import Synchronization

/// A small DHT for tests and sandboxes: nodes that know each other, some of them dead or dishonest.
///
/// ```swift
/// let swarm = try await DHTSwarm.start(
///     Array(repeating: .honest, count: 30), over: UDPTransport(), clock: SystemPaymentClock(),
///     random: SystemRandomSource())
/// async let service: Void = swarm.serve()
/// let resolver = DHTResolver(.local(swarm.addresses.suffix(3)), …)
/// ```
public final class DHTSwarm: Sendable {
    package let nodes: [DHTNode]
    private let sockets: [any DatagramSocket]
    private let clock: any PaymentClock

    private init(nodes: [DHTNode], sockets: [any DatagramSocket], clock: any PaymentClock) {
        self.nodes = nodes
        self.sockets = sockets
        self.clock = clock
    }

    /// Starts nodes that know each other. They answer while ``serve()`` runs.
    ///
    /// - Parameters:
    ///   - behaviours: the behaviour of each node.
    ///   - address: their address; each gets a free port there.
    ///   - transport: the network.
    ///   - clock: measures the age of items and secrets.
    ///   - random: draws ids and secrets.
    /// - Throws: `DatagramError` when a node gets no socket.
    public static func start(
        _ behaviours: [DHTNodeBehaviour], at address: DatagramAddress = .loopback(),
        over transport: any DatagramTransport,
        clock: any PaymentClock, random: any RandomSource
    ) async throws(DatagramError) -> DHTSwarm {
        try await start(behaviours, clock: clock, random: random) { _ throws(DatagramError) in
            try await transport.open(address)
        }
    }

    /// Starts nodes with sockets of the caller's choice.
    ///
    /// - Throws: errors of `open`.
    package static func start(
        _ behaviours: [DHTNodeBehaviour], clock: any PaymentClock, random: any RandomSource,
        id: (@Sendable (_ index: Int) -> NodeID)? = nil,
        open: @Sendable (_ index: Int) async throws(DatagramError) -> any DatagramSocket
    ) async throws(DatagramError) -> DHTSwarm {
        var nodes: [DHTNode] = []
        var sockets: [any DatagramSocket] = []
        let foreign = try? MutableItem(
            sequence: .max, value: Array("foreign".utf8),
            seed: Redacted(NodeID(random: random).bytes + Array(repeating: 7, count: 12)))
        for (index, behaviour) in behaviours.enumerated() {
            let socket = try await open(index)
            sockets.append(socket)
            nodes.append(
                DHTNode(
                    id: id?(index) ?? NodeID(for: socket.localAddress.host, random: random),
                    address: socket.localAddress,
                    behaviour: behaviour, foreign: foreign, random: random, now: clock.uptime))
        }
        // In another order for each, as after random encounters.
        for node in nodes {
            var others = nodes.map(\.contact)
            for place in others.indices.reversed() {
                others.swapAt(place, Int(truncatingIfNeeded: random.next() % UInt64(place + 1)))
            }
            node.learn(others)
        }
        return DHTSwarm(nodes: nodes, sockets: sockets, clock: clock)
    }

    /// The addresses of the nodes, in the order of their behaviours.
    public var addresses: [DatagramAddress] { nodes.map(\.address) }

    /// Answers questions until the task is cancelled, then closes the sockets.
    public func serve() async {
        await withTaskGroup(of: Void.self) { group in
            for (node, socket) in zip(nodes, sockets) where node.behaviour != .dead {
                group.addTask { [clock] in
                    while let datagram = try? await socket.receive() {
                        for answer in node.answers(to: datagram, now: clock.uptime) {
                            try? await socket.send(answer, to: datagram.sender)
                        }
                    }
                }
            }
        }
        for socket in sockets { socket.close() }
    }

    /// Restarts a node: it keeps its id and the nodes that it knows, and loses its items and secrets.
    public func restart(_ index: Int) { nodes[index].restart(now: clock.uptime) }

    /// Returns the number of honest nodes that store exactly this item.
    package func holders(of item: MutableItem) -> Int {
        nodes.count { node in
            node.behaviour == .honest
                && node.item(at: MutableItem.target(key: item.key), now: clock.uptime) == KRPCItem(item)
        }
    }
}

/// The behaviour of a node of a sandbox's DHT: honest, gone, or dishonest in some way.
@nonexhaustive
public enum DHTNodeBehaviour: Sendable, Hashable, CaseIterable {
    /// It answers by the protocol.
    case honest
    /// It never answers.
    case dead
    /// It changes the items that it stores, so that their signatures are wrong.
    case forging
    /// It answers with another owner's item, rightly signed by that owner.
    case substituting
    /// It answers with the first item that it ever stored, and claims to store newer ones.
    case replaying
    /// It knows nothing, refuses to store, and claims to have a newer item.
    case denying
    /// It names sixty nodes that do not exist, each nearer than the one before.
    case flooding
    /// It names itself under a thousand ids, and claims to be near every target.
    case chameleon
    /// It answers twice, first under another transaction, and with bytes that are no message.
    case babbling

    /// The behaviours that harm on purpose.
    public static let liars = allCases.filter { $0 != .honest && $0 != .dead }
}

// MARK: - Nodes

/// A DHT node without sockets: it receives datagrams and returns its answers.
package final class DHTNode: Sendable {
    private struct State {
        var table: DHTRoutingTable
        var tokens: DHTTokenSecrets
        var store = DHTItemStore()
        /// The items that a dishonest node stored first, by target.
        var firsts: [NodeID: KRPCItem] = [:]
    }

    package let id: NodeID
    package let address: DatagramAddress
    package let behaviour: DHTNodeBehaviour
    private let random: any RandomSource
    private let state: Mutex<State>
    /// Another owner's item.
    private let foreign: KRPCItem?

    package init(
        id: NodeID, address: DatagramAddress, behaviour: DHTNodeBehaviour = .honest, foreign: MutableItem? = nil,
        random: any RandomSource, now: Duration
    ) {
        self.id = id
        self.address = address
        self.behaviour = behaviour
        self.random = random
        self.foreign = foreign.map(KRPCItem.init)
        state = Mutex(State(table: DHTRoutingTable(own: id), tokens: DHTTokenSecrets(random: random, now: now)))
    }

    package var contact: NodeContact { NodeContact(id: id, address: address) }

    /// Adds other nodes to its table.
    package func learn(_ contacts: [NodeContact]) {
        state.withLock { state in
            for contact in contacts where contact.address != address { state.table.insert(contact) }
        }
    }

    /// Drops everything that is not kept on a disk: items and secrets.
    package func restart(now: Duration) {
        state.withLock { state in
            state.store = DHTItemStore()
            state.firsts = [:]
            state.tokens = DHTTokenSecrets(random: random, now: now)
        }
    }

    /// Returns the item that it stores at a target.
    package func item(at target: NodeID, now: Duration) -> KRPCItem? {
        state.withLock { $0.store.item(at: target, now: now) }
    }

    /// Answers a datagram.
    ///
    /// - Returns: the datagrams to send back.
    package func answers(to datagram: Datagram, now: Duration) -> [[UInt8]] {
        guard behaviour != .dead, let message = KRPCMessage(datagram.bytes), case .query(let query) = message.body
        else {
            return []
        }
        if !message.isReadOnly, let asker = query.id, behaviour == .honest {
            state.withLock { $0.table.insert(NodeContact(id: asker, address: datagram.sender)) }
        }
        let body = behaviour == .honest ? honest(query, datagram.sender, now) : dishonest(query, datagram.sender, now)
        let answer = KRPCMessage(
            transaction: message.transaction, version: Array("PS".utf8) + [0, 1], seenAt: datagram.sender, body)
        guard behaviour == .babbling else { return [answer.encoded] }
        var other = answer
        other.transaction = message.transaction.map { $0 ^ 0xFF }
        return [other.encoded, Array("d1:t".utf8), Array(repeating: 0x64, count: 1500), answer.encoded, answer.encoded]
    }

    // MARK: Honest answers

    private func honest(_ query: KRPCQuery, _ sender: DatagramAddress, _ now: Duration) -> KRPCMessage.Body {
        state.withLock { state in
            switch query {
            case .ping: return .response(KRPCResponse(id: id))
            case .findNode(_, let target):
                return .response(KRPCResponse(id: id, nodes: state.table.nearest(to: target)))
            case .get(_, let target, let newerThan):
                let token = state.tokens.token(for: sender, now: now)
                var response = KRPCResponse(id: id, nodes: state.table.nearest(to: target), token: token)
                if let item = state.store.item(at: target, now: now) {
                    response.sequence = item.sequence
                    if newerThan.map({ item.sequence > $0 }) ?? true { response.item = item }
                }
                return .response(response)
            case .put(let put):
                guard state.tokens.accepts(put.token, from: sender, now: now) else { return .error(.protocolError) }
                return state.store.put(put, now: now).map(KRPCMessage.Body.error) ?? .response(KRPCResponse(id: id))
            case .invalid(_, let what):
                return .error(KRPCError(code: KRPCError.protocolError.code, text: "Missing \(what)"))
            case .unknown: return .error(.unknownMethod)
            @unknown default: return .error(.unknownMethod)
            }
        }
    }

    // MARK: Dishonest answers

    private func dishonest(_ query: KRPCQuery, _ sender: DatagramAddress, _ now: Duration) -> KRPCMessage.Body {
        var body = honest(query, sender, now)
        if case .put(let put) = query { return putToLiar(put, body) }
        guard case .response(var response) = body, let target = query.target else { return body }
        switch behaviour {
        case .forging:
            if var item = response.item ?? state.withLock({ $0.firsts[target] }) {
                item.sequence += 1
                item.value.append(0)
                response.item = item
            }
        case .substituting: response.item = foreign
        case .replaying: if let first = state.withLock({ $0.firsts[target] }) { response.item = first }
        case .denying:
            response.item = nil
            response.sequence = nil
        case .flooding: response.nodes = (0..<60).map { invention(near: target, $0) }
        case .chameleon:
            response.nodes = (0..<60).map { NodeContact(id: target.sharing(60 + $0, random: random), address: address) }
            response.id = target.sharing(50, random: random)
            response.item = nil
        default: break
        }
        body = .response(response)
        return body
    }

    private func putToLiar(_ put: KRPCPut, _ honest: KRPCMessage.Body) -> KRPCMessage.Body {
        guard case .response = honest else { return honest }
        let target = MutableItem.target(key: put.item.key)
        state.withLock { $0.firsts[target] = $0.firsts[target] ?? put.item }
        return behaviour == .denying ? .error(.sequenceTooLow) : honest
    }

    /// Returns a node that does not exist: on this machine or, if private addresses are not asked, at addresses
    /// reserved for examples.
    private func invention(near target: NodeID, _ number: Int) -> NodeContact {
        let port = UInt16(truncatingIfNeeded: random.next() % 60_000 + 1024)
        return NodeContact(
            id: target.sharing(40 + number, random: random), address: DatagramAddress(host: address.host, port: port))
    }
}

/// The nodes that a node knows: many near it, and a few of every farther part of the net.
struct DHTRoutingTable: Sendable {
    /// The most nodes of each part, and the most that an answer names.
    static let width = 20

    private let own: NodeID
    /// The nodes by the number of leading bits that they share with the own id.
    private var parts: [Int: [NodeContact]] = [:]
    private var addresses: Set<DatagramAddress> = []

    init(own: NodeID) { self.own = own }

    /// Keeps a node, if there is room. An address is kept under the id first heard.
    mutating func insert(_ contact: NodeContact) {
        let part = own.distance(to: contact.id).leadingZeroBits
        guard contact.id != own, parts[part, default: []].count < Self.width,
            addresses.insert(contact.address).inserted
        else { return }
        parts[part, default: []].append(contact)
    }

    func nearest(to target: NodeID) -> [NodeContact] {
        Array(
            parts.values.joined().sorted { $0.id.distance(to: target) < $1.id.distance(to: target) }.prefix(Self.width))
    }
}

/// The items that a node stores for others: a bounded number of signed ones, each for two hours after its last put.
struct DHTItemStore: Sendable {
    private struct Entry {
        var item: KRPCItem
        var putAt: Duration
    }

    /// The most items.
    static let limit = 1000
    /// The time that an item is kept.
    static let lifetime = Duration.seconds(7200)
    /// The most bytes of a salt.
    static let saltLimit = 64

    private var entries: [NodeID: Entry] = [:]

    var count: Int { entries.count }

    mutating func item(at target: NodeID, now: Duration) -> KRPCItem? {
        guard let entry = entries[target] else { return nil }
        guard now - entry.putAt < Self.lifetime else {
            entries[target] = nil
            return nil
        }
        return entry.item
    }

    /// Stores an item, unless a rule forbids it.
    ///
    /// - Returns: the reason that it is not stored; nil when it is.
    mutating func put(_ put: KRPCPut, now: Duration) -> KRPCError? {
        guard put.item.value.count <= MutableItem.valueLimit else { return .valueTooLarge }
        guard put.salt.count <= Self.saltLimit else { return .saltTooLarge }
        let message = MutableItem.signable(sequence: put.item.sequence, value: put.item.value, salt: put.salt)
        guard Ed25519.isValid(put.item.signature, message: message, publicKey: put.item.key) else { return .signature }
        let target = MutableItem.target(key: put.item.key, salt: put.salt)
        if let known = item(at: target, now: now) {
            if let replaced = put.replacing, replaced != known.sequence { return .mismatch }
            if put.item.sequence < known.sequence { return .sequenceTooLow }
        }
        if entries[target] == nil, entries.count >= Self.limit {
            // The item with the earliest put makes room; of several, the nearest to zero.
            let oldest = entries.min { ($0.value.putAt, $0.key) < ($1.value.putAt, $1.key) }
            if let oldest { entries[oldest.key] = nil }
        }
        entries[target] = Entry(item: put.item, putAt: now)
        return nil
    }
}

/// The tokens that a node issues so that only the owner of an address may store from there: a checksum over the address
/// and a secret that changes every five minutes. The previous secret is accepted too.
struct DHTTokenSecrets: Sendable {
    private var current: [UInt8]
    private var previous: [UInt8]
    private var changedAt: Duration
    private let random: any RandomSource

    /// The time that a secret is used.
    static let period = Duration.seconds(300)

    init(random: any RandomSource, now: Duration) {
        self.random = random
        current = NodeID(random: random).bytes
        previous = current
        changedAt = now
    }

    mutating func token(for address: DatagramAddress, now: Duration) -> [UInt8] {
        change(now)
        return Self.token(address, current)
    }

    mutating func accepts(_ token: [UInt8], from address: DatagramAddress, now: Duration) -> Bool {
        change(now)
        return token == Self.token(address, current) || token == Self.token(address, previous)
    }

    private mutating func change(_ now: Duration) {
        guard now - changedAt >= Self.period else { return }
        previous = now - changedAt < Self.period * 2 ? current : NodeID(random: random).bytes
        current = NodeID(random: random).bytes
        changedAt = now
    }

    private static func token(_ address: DatagramAddress, _ secret: [UInt8]) -> [UInt8] {
        let checksum = CRC32C.checksum(address.octets + secret)
        return (0..<4).map { UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * $0)) }
    }
}

/// A node's refusals.
extension KRPCError {
    /// Something about the message is wrong, or its token is old.
    package static let protocolError = KRPCError(code: 203, text: "Bad token")
    /// The kind of question is not known.
    package static let unknownMethod = KRPCError(code: 204, text: "Method Unknown")
    /// The value is longer than 1000 bytes.
    package static let valueTooLarge = KRPCError(code: 205, text: "Message (v field) too big.")
    package static let signature = KRPCError(code: 206, text: "Invalid signature")
    /// The salt is longer than 64 bytes.
    package static let saltTooLarge = KRPCError(code: 207, text: "Salt (salt field) too big.")
}

extension NodeID {
    /// The number of zero bits before the first that is not: of a distance, the bits that two ids share.
    package var leadingZeroBits: Int {
        let zeros = bytes.prefix { $0 == 0 }.count
        return zeros == bytes.count ? 8 * zeros : 8 * zeros + bytes[zeros].leadingZeroBitCount
    }

    /// Creates an id that belongs to an address (BEP 42): no node can choose an id there at will.
    package init(for host: UInt32, random: any RandomSource) {
        let draw = random.next()
        self.init(for: host, seed: UInt8(truncatingIfNeeded: draw >> 8), fill: NodeID(random: random))
    }

    /// Creates the same id from given values instead of random ones.
    package init(for host: UInt32, seed: UInt8, fill: NodeID) {
        let prefix = NodeID.prefix(host, seed & 7)
        var bytes = fill.bytes
        // The first 21 bits follow from the address and the last byte.
        (bytes[0], bytes[1]) = (UInt8(prefix >> 24), UInt8(truncatingIfNeeded: prefix >> 16))
        bytes[2] = UInt8(truncatingIfNeeded: prefix >> 8) & 0xF8 | bytes[2] & 0x07
        bytes[19] = seed
        self = NodeID(bytes) ?? fill
    }
}

extension MutableItem {
    /// Creates an item and signs it with the owner's seed: 32 bytes.
    package init(sequence: Int64, value: [UInt8], seed: Redacted<[UInt8]>) throws(WireDefect) {
        let (seed, message) = (seed.reveal(), Self.signable(sequence: sequence, value: value))
        guard let key = try? Ed25519.publicKey(seed: seed), let signature = try? Ed25519.sign(message, seed: seed)
        else { throw WireDefect("the key of an item, and its seed, has 32 bytes") }
        try self.init(key: key, sequence: sequence, value: value, signature: signature)
    }
}

extension KRPCQuery {
    /// The target of the search.
    fileprivate var target: NodeID? {
        switch self {
        case .findNode(_, let target), .get(_, let target, _): target
        default: nil
        }
    }
}

extension NodeID {
    /// Returns a random id that shares the first `bits` bits with this one.
    fileprivate func sharing(_ bits: Int, random: any RandomSource) -> NodeID {
        let other = NodeID(random: random).bytes
        let mixed = bytes.enumerated().map { index, byte in
            let shared = min(8, max(0, bits - 8 * index))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> shared)
            return byte & mask | other[index] & ~mask
        }
        return NodeID(mixed) ?? self
    }
}
