import PaykitPubky
import PaymentCore

/// Stores one item at nodes that issued tokens. Each is asked at most twice.
struct PutRound: DHTExchange {
    private struct Flight {
        let transaction: [UInt8]
        let outgoing: DHTOutgoing
        /// The same under a transaction that older nodes of Pubky's read.
        let again: DHTOutgoing
        var sentAt: Duration
        var sends = 1

        func isAnswered(by message: KRPCMessage, from sender: DatagramAddress) -> Bool {
            guard sender == outgoing.address else { return false }
            return message.transaction == transaction
                || sends > 1 && message.transaction.elementsEqual(transaction.prefix(PutRound.shortLength))
        }
    }

    private static let shortLength = 2
    private var waiting: [Flight] = []
    private var flights: [Flight] = []
    private let configuration: DHTConfiguration
    private let end: Duration
    /// The nodes' answers so far.
    private(set) var report = DHTPublication()

    init(
        _ item: MutableItem, replacing: Int64?, at stores: [(address: DatagramAddress, token: [UInt8])],
        _ configuration: DHTConfiguration, random: any RandomSource, now: Duration
    ) {
        self.configuration = configuration
        end = now + configuration.timeLimit
        let ownID = NodeID(random: random)
        let length = max(2, min(configuration.transactionLength, 8))
        for (address, token) in stores {
            let draw = random.next()
            let transaction = (0..<length).map { UInt8(truncatingIfNeeded: draw >> UInt64(8 * $0)) }
            let put = KRPCPut(id: ownID, token: token, item: KRPCItem(item), replacing: replacing)
            func outgoing(_ transaction: [UInt8]) -> DHTOutgoing {
                let message = KRPCMessage(
                    transaction: transaction, version: KRPCMessage.ownVersion, isReadOnly: true, .query(.put(put)))
                return DHTOutgoing(bytes: message.encoded, address: address)
            }
            waiting.append(
                Flight(
                    transaction: transaction, outgoing: outgoing(transaction),
                    again: outgoing(Array(transaction.prefix(Self.shortLength))), sentAt: now))
        }
    }

    mutating func outgoing(now: Duration) -> [DHTOutgoing] {
        var out: [DHTOutgoing] = []
        for index in flights.indices where flights[index].sends < 2 {
            guard now - flights[index].sentAt >= configuration.slotDuration else { continue }
            flights[index].sends += 1
            flights[index].sentAt = now
            out.append(flights[index].again)
        }
        let count = flights.count
        let timeout = configuration.answerTimeout
        flights.removeAll { now - $0.sentAt >= timeout }
        report.silent += count - flights.count
        while !waiting.isEmpty, now < end,
            flights.count(where: { now - $0.sentAt < configuration.slotDuration }) < configuration.concurrency
        {
            var next = waiting.removeFirst()
            next.sentAt = now
            flights.append(next)
            out.append(next.outgoing)
        }
        return out
    }

    func wake(now: Duration) -> Duration? {
        guard now < end else { return nil }
        let moments = flights.flatMap { flight in
            [flight.sentAt + configuration.slotDuration, flight.sentAt + configuration.answerTimeout].filter {
                $0 > now
            }
        }
        return moments.min().map { min($0, end) - now }
    }

    mutating func receive(_ datagram: Datagram, now: Duration) {
        guard let message = KRPCMessage(datagram.bytes),
            let index = flights.firstIndex(where: { $0.isAnswered(by: message, from: datagram.sender) })
        else { return }
        switch message.body {
        case .query: return
        case .response: report.stored += 1
        case .error(let error):
            switch error.code {
            case KRPCError.sequenceTooLow.code: report.outdated += 1
            case KRPCError.mismatch.code: report.mismatched += 1
            default: report.refused += 1
            }
        }
        flights.remove(at: index)
    }
}
