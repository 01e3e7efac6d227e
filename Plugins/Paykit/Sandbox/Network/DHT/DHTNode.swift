package import PaykitProvider
package import PaymentCore
import Synchronization

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

    // MARK: As the protocol says

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

    // MARK: As liars do

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
