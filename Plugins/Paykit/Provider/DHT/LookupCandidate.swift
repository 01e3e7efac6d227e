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
        /// True if it has refused the question of BEP 44 and is asked that of BEP 5.
        var refusesGet = false
        var state = State.unasked
        /// The ids by which others named it, each with the number of its votes.
        private var names: [(id: NodeID, votes: Int)] = []
        /// The indices of the candidates that named it.
        private(set) var introducers: [Int] = []
        var answered: NodeID?
        var token: [UInt8]?
        /// The distance from the target, as far as it is known.
        private(set) var distance = NodeID.farthest

        /// The number of nodes named by it that were asked, and the number of those that answered.
        var followed = 0
        var found = 0
        /// True if it was asked for nodes beside the target.
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
        /// After an answer it is that of the name with the most votes, preferring the id of the answer among equals; if
        /// no node knew that id, the farther of both.
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
