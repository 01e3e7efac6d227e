import PaykitPubky
import PaymentCore

extension Lookup {
    /// A node that a search knows.
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
        /// The id by which it answered.
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

        /// Creates a node that another one named.
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

    /// A question that waits for its answer.
    struct Flight {
        let candidate: Int
        /// The transaction by which the answer is recognised.
        let transaction: [UInt8]
        /// The id that is asked for.
        let target: NodeID
        /// True if the question is repeated: much depends on the nodes that are known at the beginning.
        let isStart: Bool
        var sentAt: Duration
        var sends = 1

        /// Returns a transaction that no other question has.
        static func transaction(
            _ configuration: DHTConfiguration, _ random: any RandomSource, besides flights: [Flight]
        ) -> [UInt8] {
            while true {
                let draw = random.next()
                let transaction = (0..<max(2, min(configuration.transactionLength, 8))).map {
                    UInt8(truncatingIfNeeded: draw >> UInt64(8 * $0))
                }
                if !flights.contains(where: { $0.transaction == transaction }) { return transaction }
            }
        }

        /// The transaction of the next sending: every second one is as short as older nodes of Pubky's read.
        var nextTransaction: [UInt8] { sends % 2 == 0 ? Array(transaction.prefix(Self.shortLength)) : transaction }

        /// Returns true if an answer under `other` is to this question.
        func isAnswered(under other: [UInt8]) -> Bool {
            other == transaction || sends > 1 && other.elementsEqual(transaction.prefix(Self.shortLength))
        }

        static let shortLength = 2

        func isDue(_ now: Duration, _ configuration: DHTConfiguration) -> Bool {
            isStart && sends < 3 && now - sentAt >= configuration.slotDuration
        }
    }
}
