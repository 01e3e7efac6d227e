/// A conversation over datagrams with its own schedule: it decides what to send and how long to wait.
protocol DHTExchange {
    /// Returns the datagrams to send now. Nodes that have been silent for too long are abandoned here.
    mutating func outgoing(now: Duration) -> [DHTOutgoing]
    mutating func receive(_ datagram: Datagram)
    /// The questions that wait for answers.
    var flights: DHTFlights { get }
}

struct DHTOutgoing {
    let bytes: [UInt8]
    let address: DatagramAddress
}

extension DHTExchange {
    /// Runs the conversation over a socket. Returns the failure of a datagram that could not be sent, if there was one.
    mutating func run(
        over socket: any DatagramSocket, clock: any PaymentClock
    ) async throws(DHTError) -> DatagramError? {
        var failure: DatagramError?
        do throws(DatagramError) {
            while true {
                let now = clock.uptime
                for message in outgoing(now: now) {
                    do throws(DatagramError) {
                        try await socket.send(message.bytes, to: message.address)
                    } catch .notSent(let address, let detail) {
                        // The node then counts as silent. The failure is reported only if no node answers.
                        failure = .notSent(address, detail)
                    }
                }
                guard let wait = flights.wake(now) else { return failure }
                if let datagram = try await socket.receive(within: wait, clock: clock) {
                    receive(datagram)
                }
            }
        } catch {
            throw error == .cancelled ? .cancelled : .network(error)
        }
    }
}

/// A question that waits for its answer.
struct DHTFlight {
    let address: DatagramAddress
    let query: KRPCQuery
    /// Identifies the answer.
    let transaction: [UInt8]
    /// The most times that the question is sent.
    let sendLimit: Int
    var sentAt: Duration
    var sends = 1

    private static let shortLength = 2

    /// The datagram to send now. Every second one has a transaction as short as older nodes of Pubky's read.
    fileprivate var outgoing: DHTOutgoing {
        let transaction = sends % 2 == 0 ? Array(transaction.prefix(Self.shortLength)) : transaction
        let message = KRPCMessage(
            transaction: transaction, version: KRPCMessage.ownVersion, isReadOnly: true, .query(query))
        return DHTOutgoing(bytes: message.encoded, address: address)
    }

    fileprivate func isAnswered(under other: [UInt8]) -> Bool {
        other == transaction || sends > 1 && other.elementsEqual(transaction.prefix(Self.shortLength))
    }
}

/// The questions of one exchange that wait for their answers.
struct DHTFlights {
    private var flights: [DHTFlight] = []
    private let configuration: DHTConfiguration
    private let random: any RandomSource
    let end: Duration

    init(_ configuration: DHTConfiguration, random: any RandomSource, now: Duration) {
        self.configuration = configuration
        self.random = random
        end = now + configuration.timeLimit
    }

    var isEmpty: Bool { flights.isEmpty }

    /// Returns true if a further question may be asked now.
    func hasRoom(_ now: Duration) -> Bool {
        flights.count { now - $0.sentAt < configuration.slotDuration } < configuration.concurrency
    }

    /// Returns the time to wait for an answer; nil if no answer is expected any more.
    func wake(_ now: Duration) -> Duration? {
        guard now < end else { return nil }
        let moments = flights.flatMap { flight in
            [configuration.slotDuration, configuration.answerTimeout].map { flight.sentAt + $0 }.filter { $0 > now }
        }
        return moments.min().map { min($0, end) - now }
    }

    /// Asks a question under a transaction that no other question has.
    mutating func launch(
        _ query: KRPCQuery, to address: DatagramAddress, sendLimit: Int, now: Duration
    ) -> DHTOutgoing {
        var transaction: [UInt8]
        repeat {
            let draw = random.next().bigEndianBytes.reversed()
            transaction = Array(draw.prefix(max(2, min(configuration.transactionLength, 8))))
        } while flights.contains { $0.transaction == transaction }
        let flight = DHTFlight(
            address: address, query: query, transaction: transaction, sendLimit: sendLimit, sentAt: now)
        flights.append(flight)
        return flight.outgoing
    }

    /// Returns the questions to send again.
    mutating func repeated(_ now: Duration) -> [DHTOutgoing] {
        var out: [DHTOutgoing] = []
        for index in flights.indices where flights[index].sends < flights[index].sendLimit {
            guard now - flights[index].sentAt >= configuration.slotDuration else { continue }
            flights[index].sentAt = now
            flights[index].sends += 1
            out.append(flights[index].outgoing)
        }
        return out
    }

    /// Removes the questions that have waited for too long, and returns them.
    mutating func expired(_ now: Duration) -> [DHTFlight] {
        let timeout = configuration.answerTimeout
        let lost = flights.filter { now - $0.sentAt >= timeout }
        flights.removeAll { now - $0.sentAt >= timeout }
        return lost
    }

    /// Removes the question that a datagram answers, and returns it with the answer; nil for anything else.
    mutating func take(_ datagram: Datagram) -> (flight: DHTFlight, answer: KRPCMessage.Body)? {
        guard let message = KRPCMessage(datagram.bytes),
            let index = flights.firstIndex(where: {
                $0.isAnswered(under: message.transaction) && $0.address == datagram.sender
            })
        else { return nil }
        if case .query = message.body { return nil }
        return (flights.remove(at: index), message.body)
    }
}

/// Stores one item at nodes that issued tokens. Each is asked at most twice.
struct PutRound: DHTExchange {
    private var waiting: ArraySlice<(address: DatagramAddress, token: [UInt8])>
    private(set) var flights: DHTFlights
    private let put: KRPCPut
    private(set) var report = DHTPublication()

    init(
        _ item: MutableItem, replacing: Int64?, at stores: [(address: DatagramAddress, token: [UInt8])],
        _ configuration: DHTConfiguration, random: any RandomSource, now: Duration
    ) {
        waiting = stores[...]
        flights = DHTFlights(configuration, random: random, now: now)
        put = KRPCPut(id: NodeID(random: random), token: [], item: KRPCItem(item), replacing: replacing)
    }

    mutating func outgoing(now: Duration) -> [DHTOutgoing] {
        var out = flights.repeated(now)
        report.silent += flights.expired(now).count
        while now < flights.end, flights.hasRoom(now), let (address, token) = waiting.popFirst() {
            var put = put
            put.token = token
            out.append(flights.launch(.put(put), to: address, sendLimit: 2, now: now))
        }
        return out
    }

    mutating func receive(_ datagram: Datagram) {
        switch flights.take(datagram)?.answer {
        case .response: report.stored += 1
        case .error(let error):
            switch error.code {
            case KRPCError.sequenceTooLow.code: report.outdated += 1
            case KRPCError.mismatch.code: report.mismatched += 1
            default: report.refused += 1
            }
        case .query, nil: return
        }
    }
}
