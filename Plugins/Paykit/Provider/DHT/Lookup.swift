/// One search for the nodes near a target and for the items that they store. It decides which nodes to ask, and when to
/// end.
///
/// It uses no sockets or clocks. Nearest nodes are asked first, as in Kademlia; the other rules defend against liars:
/// - Answers count only from the address asked and under the transaction given, once.
/// - A node's position is the one that most others report. If they disagree, its own claim counts; see ``Candidate``.
/// - Of an answer's names a few are followed, and more as those prove to exist. The names of a node that sends an item
///   that is not the owner's are not followed at all.
/// - Every fourth question goes to a node named by the node that was followed least.
/// - The nearest twenty could be twenty liars, so all nodes are asked within the distance that is expected to hold
///   twenty in a net of this size. If too few are known for that, the nodes that answered are asked for others,
///   slightly off the target: liars around the target do not appear in those answers.
struct Lookup: DHTExchange {
    static let closeness = 20
    /// The number of nodes that have to answer, if there are as many, before a search ends: twenty liars are not all.
    static let quorum = 30
    /// The number of names of an answer that are followed before one of them has answered, and the number of further
    /// names for each that has. All names from one of the first nodes are followed.
    static let credit = (first: 4, more: 3)
    /// The most nodes that an item is stored at.
    static let storeLimit = 2 * closeness

    private let target: NodeID
    private let key: [UInt8]
    private let ownID: NodeID
    private let newerThan: Int64?
    private let configuration: DHTConfiguration

    private var candidates: [Candidate] = []
    private var places: [DatagramAddress: Int] = [:]
    private var hosts: LookupHosts
    private(set) var flights: DHTFlights
    private var asked = 0
    private var picks = 0
    private var widened = 0
    /// True if all known nodes were asked, and are now asked for others.
    private var isWidening = false

    private(set) var newest: MutableItem?
    private(set) var lied = 0
    /// True if time or questions ran out before the end.
    private(set) var isCutShort = false

    init(
        target: NodeID, key: [UInt8], newerThan: Int64?, from starts: [DatagramAddress],
        _ configuration: DHTConfiguration, random: any RandomSource, now: Duration
    ) {
        self.target = target
        self.key = key
        self.newerThan = newerThan
        self.configuration = configuration
        ownID = NodeID(random: random)
        flights = DHTFlights(configuration, random: random, now: now)
        hosts = LookupHosts(allowsPrivate: configuration.allowsPrivateAddresses)
        for address in starts where hosts.mayAsk(address) && places[address] == nil {
            places[address] = candidates.count
            candidates.append(Candidate(address: address))
        }
    }

    // MARK: Sending

    mutating func outgoing(now: Duration) -> [DHTOutgoing] {
        var out = flights.repeated(now)
        for flight in flights.expired(now) {
            if let index = places[flight.address], candidates[index].state == .asked {
                candidates[index].state = .silent
            }
        }
        if now >= flights.end { isCutShort = true }
        while now < flights.end, let index = pick(now) { out.append(launch(index, asking: target, now)) }
        while now < flights.end, let (index, beside) = pickBeside(now) {
            out.append(launch(index, asking: beside, now))
        }
        return out
    }

    private mutating func launch(_ index: Int, asking wanted: NodeID, _ now: Duration) -> DHTOutgoing {
        asked += 1
        if candidates[index].state == .unasked {
            candidates[index].state = .asked
            for introducer in candidates[index].introducers { candidates[introducer].followed += 1 }
        }
        let candidate = candidates[index]
        let query: KRPCQuery =
            candidate.refusesGet || wanted != target
            ? .findNode(id: ownID, target: wanted) : .get(id: ownID, target: target, newerThan: newerThan)
        // Much depends on the nodes that are known at the beginning: they are asked again.
        return flights.launch(query, to: candidate.address, sendLimit: candidate.isStart ? 3 : 1, now: now)
    }

    // MARK: Choosing the next node

    private mutating func pick(_ now: Duration) -> Int? {
        guard flights.hasRoom(now) else { return nil }
        let open = candidates.indices.filter { candidates[$0].state == .unasked && isTrusted(candidates[$0]) }
        guard let nearest = open.min(by: { candidates[$0].distance < candidates[$1].distance }) else { return nil }
        guard !isNearEnough(candidates[nearest].distance) else { return nil }
        guard asked < configuration.queryLimit else {
            isCutShort = true
            return nil
        }
        picks += 1
        guard picks % 4 == 0 else { return nearest }
        return open.min { (leastFollowed($0), candidates[$0].distance) < (leastFollowed($1), candidates[$1].distance) }
    }

    /// Returns a node to ask for others, and the id near the target to ask for, if all were asked and few answered.
    private mutating func pickBeside(_ now: Duration) -> (Int, NodeID)? {
        guard flights.isEmpty || isWidening, flights.hasRoom(now), asked < configuration.queryLimit else { return nil }
        guard candidates.count(where: { $0.state == .answered }) < Self.quorum,
            let index = candidates.indices.last(where: {
                candidates[$0].state == .answered && !candidates[$0].isWidened
            })
        else { return nil }
        isWidening = true
        candidates[index].isWidened = true
        widened += 1
        return (index, target.flipping(bit: widened % 8))
    }

    private func leastFollowed(_ index: Int) -> Int {
        candidates[index].introducers.map { candidates[$0].followed }.min() ?? 0
    }

    /// Returns true if a node worth following named the candidate.
    private func isTrusted(_ candidate: Candidate) -> Bool {
        candidate.isStart
            || candidate.introducers.contains { index in
                let introducer = candidates[index]
                return introducer.state != .liar
                    && (introducer.isStart
                        || introducer.followed < Self.credit.first + Self.credit.more * introducer.found)
            }
    }

    /// Returns true if no node at this distance has to be asked any more.
    private func isNearEnough(_ distance: NodeID) -> Bool {
        let near = nearest.map(\.distance)
        guard near.count >= Self.quorum, near[Self.closeness - 1] < distance else { return false }
        return distance.fraction > Self.radius(near)
    }

    /// The nodes that answered and can be believed, the nearest first.
    private var nearest: [Candidate] {
        candidates.filter { $0.state == .answered && $0.answered != nil }.sorted { $0.distance < $1.distance }
    }

    /// Returns the share of all ids that is expected to hold twenty nodes, by the distances of those that answered.
    ///
    /// Each number of nodes, with the distance that holds them, gives an estimate of the net's size. The median of the
    /// estimates from twenty to forty nodes is used: twenty liars at any distance do not decide it, and farther out
    /// only few of the existing nodes were asked.
    static func radius(_ distances: [NodeID]) -> Double {
        let sizes = distances.indices.filter { closeness - 1..<2 * closeness ~= $0 }.map { index in
            Double(index + 1) / max(distances[index].fraction, .leastNormalMagnitude)
        }.sorted()
        guard !sizes.isEmpty else { return 1 }
        return Double(closeness) / sizes[sizes.count / 2]
    }

    // MARK: Receiving

    mutating func receive(_ datagram: Datagram) {
        guard let (flight, answer) = flights.take(datagram), let place = places[flight.address] else { return }
        switch answer {
        case .query: return
        case .error:
            // Some of the first nodes know only older questions.
            guard candidates[place].state == .asked else { return }
            if candidates[place].isStart, !candidates[place].refusesGet {
                candidates[place].refusesGet = true
                candidates[place].state = .unasked
            } else {
                candidates[place].state = .silent
            }
        case .response(let response):
            if candidates[place].state == .asked, !takeItem(response, of: place) { return }
            takeNames(response, of: place)
        }
    }

    /// Processes the item and the token of an answer. Returns true if the item is the owner's, or if there is none.
    private mutating func takeItem(_ response: KRPCResponse, of place: Int) -> Bool {
        if let item = response.item {
            guard item.key == key, let item = item.verified else {
                candidates[place].state = .liar
                lied += 1
                return false
            }
            if newerThan.map({ item.sequence > $0 }) ?? true, newest.map(item.isNewer) ?? true { newest = item }
        }
        candidates[place].state = .answered
        candidates[place].answered = response.id
        candidates[place].token = response.token.flatMap { $0.isEmpty || $0.count > 64 ? nil : $0 }
        candidates[place].measure(from: target)
        for introducer in candidates[place].introducers { candidates[introducer].found += 1 }
        return true
    }

    private mutating func takeNames(_ response: KRPCResponse, of place: Int) {
        var names = (response.nodes ?? []).filter { $0.id != ownID && hosts.mayAsk($0.address) }
        names.sort { $0.id.distance(to: target) < $1.id.distance(to: target) }
        for contact in names.prefix(Self.closeness) { note(contact, namedBy: place) }
    }

    private mutating func note(_ contact: NodeContact, namedBy introducer: Int) {
        if let known = places[contact.address] {
            guard known != introducer else { return }
            candidates[known].add(contact.id, by: introducer, target)
            return
        }
        guard hosts.admit(contact) else { return }
        places[contact.address] = candidates.count
        candidates.append(Candidate(contact, namedBy: introducer, target))
    }

    // MARK: Results

    /// The nodes to store at, the nearest first.
    var stores: [(address: DatagramAddress, token: [UInt8])] {
        let near = nearest
        let radius = Self.radius(near.map(\.distance))
        return near.enumerated().filter { $0 < Self.closeness || $1.distance.fraction <= radius }
            .compactMap { _, node in node.token.map { (node.address, $0) } }.prefix(Self.storeLimit).map(\.self)
    }

    /// Nodes that answered with an id that others had named.
    var reliable: [NodeContact] {
        nearest.compactMap { node in
            guard let id = node.answered, node.isKnown(as: id) else { return nil }
            return NodeContact(id: id, address: node.address)
        }
    }

    /// Nodes that did not answer, or sent an item that is not the owner's.
    var unreliable: Set<DatagramAddress> {
        Set(candidates.filter { $0.state == .silent || $0.state == .liar }.map(\.address))
    }

    var search: DHTSearch {
        DHTSearch(
            item: newest, asked: asked, answered: candidates.count { $0.state == .answered || $0.state == .liar },
            lied: lied, isComplete: !isCutShort && flights.isEmpty)
    }
}

extension Lookup {
    struct Candidate {
        enum State {
            case unasked, asked, answered
            /// It did not answer, or refused.
            case silent
            /// It sent an item that is not the owner's.
            case liar
        }

        let address: DatagramAddress
        /// True if it was known before the search, by its address only.
        let isStart: Bool
        /// True if it has refused the question of BEP 44. It is then asked that of BEP 5.
        var refusesGet = false
        var state = State.unasked
        /// The ids that others gave it, each with the number of its votes.
        private var names: [(id: NodeID, votes: Int)] = []
        /// The indices of the candidates that named it.
        private(set) var introducers: [Int] = []
        var answered: NodeID?
        var token: [UInt8]?
        /// The distance from the target, as far as it is known.
        private(set) var distance = NodeID.farthest

        /// The number of nodes named by it that were asked. ``found`` of them answered.
        var followed = 0
        var found = 0
        /// True if it was asked for nodes near the target.
        var isWidened = false

        /// Creates a node that was known before the search.
        init(address: DatagramAddress) {
            self.address = address
            isStart = true
        }

        init(_ contact: NodeContact, namedBy introducer: Int, _ target: NodeID) {
            address = contact.address
            isStart = false
            add(contact.id, by: introducer, target)
        }

        /// Adds another node's name for it. Of many names the first ones count.
        mutating func add(_ name: NodeID, by introducer: Int, _ target: NodeID) {
            guard introducers.count < 24, !introducers.contains(introducer) else { return }
            introducers.append(introducer)
            if let index = names.firstIndex(where: { $0.id == name }) {
                names[index].votes += 1
            } else {
                names.append((name, 1))
            }
            measure(from: target)
        }

        func isKnown(as id: NodeID) -> Bool { names.contains { $0.id == id } }

        /// Updates the distance. Before an answer it is that of the nearest name, so that no wrong name hides the node.
        /// After an answer it is that of the name with the most votes. Among equals the id of the answer is preferred.
        /// If no node knew that id, the farther of both counts.
        mutating func measure(from target: NodeID) {
            let named = names.map { ($0.id.distance(to: target), $0.votes) }
            guard let answered else {
                distance = named.map(\.0).min() ?? .farthest
                return
            }
            let own = answered.distance(to: target)
            let most = named.map(\.1).max() ?? 0
            let leading = named.filter { $0.1 == most }.map(\.0)
            if leading.isEmpty || leading.contains(own) {
                distance = own
            } else {
                distance = max(own, leading.max() ?? own)
            }
        }
    }
}

/// The hosts that a search may ask, with the number of nodes that were named at each.
struct LookupHosts {
    private let allowsPrivate: Bool
    private var counts: [UInt32: (secure: Int, others: Int)] = [:]

    /// - Parameter allowsPrivate: true if nodes of private networks may be asked.
    init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    func mayAsk(_ address: DatagramAddress) -> Bool {
        guard address.port != 0, address.host != 0, address.host >> 28 < 0xE else { return false }
        return allowsPrivate || address.isPublic
    }

    /// Counts a host's nodes, so that one machine does not pass for many and no victim is asked many times. Returns
    /// true if this node may also be asked.
    mutating func admit(_ contact: NodeContact) -> Bool {
        guard contact.address.isPublic else { return true }
        let isSecure = contact.id.belongs(to: contact.address)
        var count = counts[contact.address.host] ?? (0, 0)
        guard isSecure ? count.secure < 8 : count.others < 1 else { return false }
        if isSecure { count.secure += 1 } else { count.others += 1 }
        counts[contact.address.host] = count
        return true
    }
}
